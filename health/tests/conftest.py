"""The tests of this room run without the rooms above: what they do with its events is theirs to test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from health.overview.queries import machines
from health.remediation import executors
from health.remediation.types import World
from health.tests.remediation_world import Hand
from live import events


@pytest.fixture(autouse=True)
def only_this_room(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {
        kind: [handler for handler in handlers if handler.__module__.startswith("health.")]
        for kind, handlers in events._handlers.items()
    }
    monkeypatch.setattr(events, "_handlers", defaultdict(list, own))
    monkeypatch.setattr(machines, "tickets_of_machine", lambda machine_id: [])


# ---- remediation ----


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> dict[str, Hand]:
    made = {name: Hand() for name in ("restart_service", "reset_gpu", "reboot", "power_cycle")}
    monkeypatch.setattr(executors, "_executors", dict(made))
    return made


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 15
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def world() -> Iterator[dict[str, Any]]:
    """What the machine and its scheduler say; tests change it."""
    said: dict[str, Any] = {
        "heard": True, "boot_id": "boot-a", "power": "on", "jobs": 0, "reservation_by_others": False, "logins": 0,
        "drained": True, "drain_is_ours": True, "named": True, "running": "",
    }  # fmt: skip
    with patch("health.remediation.services.world.read", lambda row: World(now=timezone.now(), **said)):
        yield said
