"""A link measured anew: two readings, judged alone; what cannot be read fails and is never taken for good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest
from django.utils import timezone

from fabric.discovery.services.readers import SourceUnreadable
from fabric.facts import SeenPort
from fabric.models import FabricSource, LinkQuality, Measurement
from fabric.quality.counters import Reading
from fabric.quality.services import measurements
from fabric.tests.quality.made_rounds import LEAF, SPINE, port, read, source
from live.models import Event

pytestmark = pytest.mark.django_db
KEY = f"{LEAF}_2:{SPINE}_2"


class Ports:
    """What the two ports tell, reading after reading; an exception is raised instead."""

    def __init__(self, *looks: dict[str, int] | Exception) -> None:
        self.looks: Iterator[dict[str, int] | Exception] = iter(looks)
        self.at = timezone.now()

    def __call__(self, source: FabricSource, ends: Sequence[SeenPort]) -> dict[SeenPort, Reading]:
        look = next(self.looks)
        if isinstance(look, Exception):
            raise look
        self.at += timedelta(seconds=60)
        return {end: Reading(self.at, {"symbol_errors": 0, "link_downed": 0} | look) for end in ends}


@pytest.fixture
def bad(monkeypatch: pytest.MonkeyPatch) -> LinkQuality:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    where = source()
    for at in range(0, 15, 5):
        read(where, at, {port(SPINE, 2): {"symbol_errors": 5000 * at}})
    return LinkQuality.objects.get(key=KEY)


def run(monkeypatch: pytest.MonkeyPatch, asked: Measurement, *looks: dict[str, int] | Exception) -> Measurement:
    monkeypatch.setattr(measurements, "read_ports", Ports(*looks))
    now = timezone.now()
    for n in range(len(looks)):
        measurements.step(asked.pk, now + timedelta(minutes=10 * n))
    asked.refresh_from_db()
    return asked


def test_before_and_after_stand_side_by_side(bad: LinkQuality, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = measurements.measure(bad, by="tina", owner="ticket:REP-1")
    done = run(monkeypatch, asked, {"symbol_errors": 70_000}, {"symbol_errors": 70_000})
    assert done.status == "done" and done.state == "ok" and done.before["state"] == "bad"
    assert done.after is not None and done.after["rates"]["5m"]["a"]["seconds"] == 60
    event = Event.objects.get(kind="link.measured")
    assert event.data["owner"] == "ticket:REP-1" and event.data["state"] == "ok"


def test_a_link_that_goes_on_making_errors_is_still_bad(bad: LinkQuality, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(monkeypatch, measurements.measure(bad, by="tina"), {"symbol_errors": 100}, {"symbol_errors": 900})
    assert done.state == "bad" and "symbol errors a second" in done.after["reason"]


def test_what_cannot_be_read_is_tried_again_and_then_fails_with_the_reason(
    bad: LinkQuality, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = SourceUnreadable("connection refused")
    done = run(monkeypatch, measurements.measure(bad, by="tina"), error, error, error)
    assert done.status == "failed" and done.state == "" and done.message == "connection refused"
    assert Event.objects.get(kind="link.measured").data["status"] == "failed"


def test_a_port_that_is_not_told_is_no_result(bad: LinkQuality, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = measurements.measure(bad, by="tina")
    monkeypatch.setattr(measurements, "read_ports", lambda source, ends: {})
    assert measurements.step(asked.pk) == "queued"
    asked.refresh_from_db()
    assert "nothing was reported of" in asked.message


def test_asking_twice_measures_once(bad: LinkQuality) -> None:
    first = measurements.measure(bad, by="tina", owner="ticket:REP-1")
    assert measurements.measure(bad, by="tina", owner="ticket:REP-1").pk == first.pk
    assert measurements.measure(bad, by="olga").pk != first.pk, "somebody else waits for their own"


def test_a_step_that_is_not_due_or_that_another_worker_has_does_nothing(
    bad: LinkQuality, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = measurements.measure(bad, by="tina")
    monkeypatch.setattr(measurements, "read_ports", Ports({}, {}))
    now = timezone.now()
    assert measurements.step(asked.pk, now) == "first"
    assert measurements.step(asked.pk, now) == "" and measurements.WORK.due_ids(now) == []
    assert measurements.WORK.due_ids(now + timedelta(minutes=5)) == [asked.pk]


def test_what_was_counted_before_a_repair_is_not_held_against_the_link(bad: LinkQuality) -> None:
    LinkQuality.objects.filter(pk=bad.pk).update(evaluated_from=bad.measured_at)
    for at in (15, 20, 25):
        read(bad.source, at, {port(SPINE, 2): {"symbol_errors": 50_000}})
    bad.refresh_from_db()
    assert bad.state == "ok" and bad.bad_since is None


def test_a_source_of_files_cannot_be_asked(bad: LinkQuality) -> None:
    with pytest.raises(SourceUnreadable, match="cannot be asked"):
        measurements.read_ports(bad.source, [port(LEAF, 2)])
