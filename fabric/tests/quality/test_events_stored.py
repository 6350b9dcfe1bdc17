"""Events of UFM in the database: each once, bursts as one incident, closed when everything came back."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fabric.formats.ufm_events import UfmEvent, alarms_without_event
from fabric.models import FabricEvent, FabricSource, Incident
from fabric.quality.services import events
from fabric.tests.quality.made_rounds import LEAF, NOON, SPINE, source
from live.models import Event

pytestmark = pytest.mark.django_db


def told(
    id_: int,
    code: int,
    seconds: float = 0,
    *,
    guid: str = LEAF,
    port: int | None = None,
    name: str = "",
    at: bool = True,
) -> UfmEvent:
    when = NOON + timedelta(seconds=seconds) if at else None
    return UfmEvent(id_, when, str(code), "", "", "", "leaf-1", "", f"event {id_}", guid, port)


def burst(count: int = 64) -> list[UfmEvent]:
    return [told(n, 329, n * 0.02, port=n) for n in range(1, count + 1)]


def news() -> list[tuple[str, bool]]:
    return [(e.data["title"], e.data["open"]) for e in Event.objects.filter(kind="fabric.incident").order_by("id")]


def test_a_burst_is_kept_whole_and_told_once() -> None:
    where = source()
    assert events.store(where.pk, burst()) == 64
    assert FabricEvent.objects.count() == 64
    incident = Incident.objects.get()
    assert incident.events_count == 64 and incident.title == "leaf-1: 64 x link is down on 64 ports"
    assert len(incident.waits_for) == 64 and len(news()) == 1


def test_the_same_events_again_are_not_stored_again() -> None:
    where = source()
    events.store(where.pk, burst())
    assert events.store(where.pk, burst()) == 0 and len(news()) == 1


def test_an_alarm_whose_event_ufm_forgot_is_kept_once_though_it_goes_on_counting() -> None:
    rows = [
        {"id": 7, "event_type": "329", "related_object_name": f"{LEAF}_1", "timestamp": "2026-05-01 12:00:00"},
        {"id": 8, "event_type": "329", "related_object_name": f"{LEAF}_2", "timestamp": "2026-05-01 12:00:00"},
    ]
    listed = [told(1, 329, port=1)]
    alarms = alarms_without_event(rows, listed)
    assert [(alarm.port, alarm.standing) for alarm in alarms] == [(2, True)]
    where = source()
    assert events.store(where.pk, listed + alarms) == 2
    later = alarms_without_event([{**rows[1], "timestamp": "2026-05-01 13:00:00", "event_count": 9}], listed)
    assert events.store(where.pk, later) == 0
    assert alarms_without_event(None, listed) == []


def test_a_ufm_that_counts_anew_loses_no_event() -> None:
    where = source()
    events.store(where.pk, [told(1, 329, 0, port=1)])
    assert events.store(where.pk, [told(1, 329, 9000, port=1)]) == 1


def test_an_incident_is_closed_when_all_came_back_and_it_was_quiet() -> None:
    where = source()
    events.store(where.pk, [told(1, 329, 0, port=3), told(2, 329, 1, port=4)])
    assert events.close_over(NOON + timedelta(hours=9)) == 0, "two links are still down"
    events.store(where.pk, [told(3, 328, 3000, port=3), told(4, 328, 3001, port=4)])
    incident = Incident.objects.get()
    assert incident.events_count == 4 and incident.waits_for == []
    assert events.close_over(NOON + timedelta(seconds=3001 + 60)) == 0
    assert events.close_over(NOON + timedelta(seconds=3001 + 901)) == 1
    assert [is_open for _, is_open in news()] == [True, True, False]


def test_a_switch_down_inside_a_burst_is_named_and_never_dropped() -> None:
    where = source()
    events.store(where.pk, [*burst(), told(900, 907, 2), told(901, 920, 2.5)])
    incident = Incident.objects.get()
    assert incident.grave == ["cable temperature", "switch is down"] and incident.severity == "critical"
    assert set(FabricEvent.objects.filter(never_dropped=True).values_list("code", flat=True)) == {907, 920}


def test_information_is_kept_without_an_incident() -> None:
    where = source()
    events.store(where.pk, [told(1, 64), told(2, 332, 5)])
    assert FabricEvent.objects.filter(incident=None).count() == 2 and not Incident.objects.exists()


def test_two_switches_have_their_own_incidents() -> None:
    where = source()
    events.store(where.pk, [told(1, 329, port=1), told(2, 329, port=1, guid=SPINE)])
    assert set(Incident.objects.values_list("subject", flat=True)) == {LEAF, SPINE}


def test_an_event_without_a_readable_time_is_kept_as_met_now() -> None:
    where = source()
    events.store(where.pk, [told(1, 907, at=False)])
    event = FabricEvent.objects.get()
    assert not event.at_is_reported and event.incident is not None


def test_ufm_tells_its_local_time() -> None:
    where = FabricSource(options={"timezone": "America/Los_Angeles"})
    assert events.zone_of(where) == ZoneInfo("America/Los_Angeles")
    assert (
        events.zone_of(FabricSource(options={"timezone": "Mars/North"})).utcoffset(datetime(2026, 1, 1)) == timedelta()
    )


def test_the_number_of_statements_does_not_grow_with_the_burst() -> None:
    counts = []
    for first, size in ((0, 3), (1000, 60)):
        where = source()
        where.name = f"events {size}"
        where.save()
        some = [told(first + n, 329, n * 0.1, port=n) for n in range(1, size + 1)]
        with CaptureQueriesContext(connection) as captured:
            events.store(where.pk, some)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_a_person_may_close_an_incident_once() -> None:
    where = source()
    events.store(where.pk, burst(2))
    incident = events.close(Incident.objects.get().pk, by="tina", reason="the switch was taken out")
    assert incident.closed_by == "tina"
    with pytest.raises(events.IncidentOver):
        events.close(incident.pk, by="tina", reason="again")
