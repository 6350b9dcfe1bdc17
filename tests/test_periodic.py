"""What is done by the clock stands in one table: sent task by task, each to its own queue, and shown to operators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.conf import settings

from config import periodic, pulse
from config.celery import app as rackside
from core.work.kinds import kinds
from health.monitoring.sweep_period import STEPS

OPERATIONS = Path(__file__).parents[1] / "docs" / "operations.md"


def beat(monkeypatch: pytest.MonkeyPatch, refuses: set[str]) -> tuple[pulse.PulsingScheduler, list[Any]]:
    """Beat with the service's own schedule, and what the broker took of it."""
    app = Celery("test", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = settings.CELERY_BEAT_SCHEDULE
    took: list[Any] = []

    def send(self: object, entry: Any, producer: object = None, advance: bool = True) -> None:
        if entry.task in refuses:
            raise ConnectionError("refused")
        took.append((entry.task, tuple(entry.args), entry.options["expires"]))

    monkeypatch.setattr(pulse.PulsingScheduler, "apply_async", send)
    monkeypatch.setattr("live.pulse.say", lambda name: None)
    return pulse.PulsingScheduler(app), took


def test_beat_has_few_entries_and_sends_every_task_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(settings.CELERY_BEAT_SCHEDULE) <= 15
    scheduler, took = beat(monkeypatch, set())
    for _ in settings.CELERY_BEAT_SCHEDULE:
        scheduler.tick()
    wanted = [(row.task, row.args, row.expires_s or row.every_s) for row in periodic.TABLE]
    period = settings.SWEEP_PERIOD_S
    at_start, again = (("health.monitoring.tasks.start_sweep", (), expires) for expires in (period, period / STEPS))
    assert sorted(took) == sorted([*wanted, at_start, again])


def test_what_the_broker_did_not_take_of_a_period_is_sent_once_as_soon_as_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuses = {"provisioning.tasks.reap"}
    scheduler, took = beat(monkeypatch, refuses)
    for _ in range(12):
        assert scheduler.tick() <= pulse.PulsingScheduler.UNSENT_AGAIN_S or not scheduler.unsent
    assert "provisioning.tasks.reap" not in {task for task, *_ in took}
    refuses.clear()
    for _ in range(12):
        scheduler.tick()
    every_15s = [(row.task, row.args) for row in periodic.TABLE if row.every_s == 15]
    sent = [(task, args) for task, args, _ in took]
    assert [sent.count(each) for each in every_15s] == [1] * len(every_15s)


def test_every_periodic_task_exists_and_every_kind_of_work_is_followed() -> None:
    rackside.loader.import_default_modules()
    assert [row.task for row in periodic.TABLE if row.task not in rackside.tasks] == []
    followed = {row.every_s for row in periodic.TABLE if row.task == "core.work.tasks.follow"}
    assert {work.every_s for work in kinds if work.every_s} == followed
    assert [work.task for work in kinds if work.task and work.task not in rackside.tasks] == []


def test_the_documents_show_every_periodic_task_with_its_queue() -> None:
    rackside.loader.import_default_modules()
    text = OPERATIONS.read_text()
    shown = [line for line in text.splitlines() if line.startswith("| `") and ".tasks." in line]
    assert shown == [row_of(row) for row in periodic.TABLE]


def row_of(row: periodic.Periodic) -> str:
    queue = rackside.amqp.router.route({}, row.task)["queue"]
    arguments = f"({row.args[0]})" if row.args else ""
    every = {periodic.HOUR: "hour", periodic.DAY: "day", 60: "minute"}.get(row.every_s, f"{row.every_s} s")
    return f"| `{row.task}{arguments}` | {every} | {queue.name} | {row.expires_s or row.every_s} s |"
