"""The tests of this room run without the rooms above: what they do with its events is theirs to test."""

from __future__ import annotations

from collections import defaultdict

import pytest

from health.queries import machines
from live import events


@pytest.fixture(autouse=True)
def only_this_room(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {
        kind: [handler for handler in handlers if handler.__module__.startswith("health.")]
        for kind, handlers in events._handlers.items()
    }
    monkeypatch.setattr(events, "_handlers", defaultdict(list, own))
    monkeypatch.setattr(machines, "tickets_of_machine", lambda machine_id: [])
