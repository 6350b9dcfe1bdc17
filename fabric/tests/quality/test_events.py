"""Every event is kept, a burst of one switch is one incident, and what is grave is told by name however many came."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from fabric.quality import bursts
from fabric.quality.events import FabricEvent, Keep, Severity, kind_of, kinds

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def event(
    code: int, at: float = 0, *, name: str = "", guid: str = "aa", port: int | None = None, **more: str
) -> FabricEvent:
    return FabricEvent(
        f"{code}-{at}-{guid}-{port}", NOON + timedelta(seconds=at), code, name, guid=guid, port=port, **more
    )


def test_every_kind_of_the_file_says_where_it_comes_from() -> None:
    assert len(kinds()) > 30
    assert {kind.basis for kind in kinds().values()} == {"manual", "guide", "code"}
    assert all(kind.clears <= kinds().keys() for kind in kinds().values())


@pytest.mark.parametrize(
    ("code", "name"),
    [(907, "Switch is Down"), (394, "Switch critical failure"), (920, "Cable Temperature Low"),
     (1503, "Duplicate cable"),
     (99_001, "Switch Is Down"), (99_002, "Module High Temperature Threshold"), (99_003, "Duplicated Node GUID"),
     (110, "Cable temperature is critical")],
)  # fmt: skip
def test_grave_kinds_are_never_dropped_whatever_number_a_version_gives_them(code: int, name: str) -> None:
    assert kind_of(event(code, name=name)).keep is Keep.ALWAYS


def test_a_kind_nobody_listed_opens_an_incident_unless_its_source_calls_it_information() -> None:
    assert kind_of(event(77_777, name="Something new")).keep is Keep.INCIDENT
    assert kind_of(event(77_777, name="Something new", severity="Critical")).severity is Severity.CRITICAL
    assert kind_of(event(77_777, name="Something new", severity="Info")).keep is Keep.KEPT


def test_64_ports_that_go_down_at_once_are_one_incident_with_64_events() -> None:
    found = bursts.group(event(329, n * 0.025, port=n) for n in range(1, 65))
    assert len(found) == 1 and len(found[0].events) == 64 and found[0].opens
    assert found[0].title("leaf-3") == "leaf-3: 64 x link is down on 64 ports"


def test_a_grave_event_inside_a_burst_is_told_first() -> None:
    rows = [event(329, n * 0.1, port=n) for n in range(1, 65)] + [event(907, 3)]
    (found,) = bursts.group(rows)
    assert found.title("leaf-3").startswith("leaf-3: switch is down, 64 x link is down")
    assert [each.code for each in found.never_dropped()] == [907] and found.severity is Severity.CRITICAL


def test_two_switches_and_two_times_are_different_incidents() -> None:
    rows = [event(329, 0), event(329, 50), event(329, 200), event(329, 10, guid="bb")]
    assert [(b.subject, len(b.events)) for b in bursts.group(rows)] == [("aa", 2), ("bb", 1), ("aa", 1)]


def test_the_last_burst_is_not_lost_and_no_event_counts_twice() -> None:
    rows = [event(329, n * 100) for n in range(7)]
    assert sum(len(burst.events) for burst in bursts.group(rows)) == 7


def test_information_alone_opens_nothing() -> None:
    (found,) = bursts.group([event(64), event(332, 1)])
    assert not found.opens and len(found.events) == 2


def test_what_went_down_waits_until_it_is_told_to_be_up() -> None:
    def waiting(*rows: FabricEvent) -> set[tuple[int, int | None]]:
        return bursts.waits_for([(each.at, each.code, each.port, kind_of(each)) for each in rows])

    down, up = event(329, 0, port=3), event(328, 60, port=3)
    assert waiting(down) == {(329, 3)} and not waiting(down, up) and waiting(up, down) == {(329, 3)}
    assert waiting(down, event(328, 60, port=4)) == {(329, 3)}, "another port came up"
    assert waiting(event(907), event(908, 60)) == set()
