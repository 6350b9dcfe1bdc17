"""What is read of BMCs' logs, what is remembered between two reads, and when an entry counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from drivers.redfish import RedfishStatus
from drivers.redfish_logs import MAX_PAGES, LogRead, read_logs
from health.checks import BmcLog, Expectation, evaluate
from health.checks.verdicts import Verdict
from health.models import BmcLogRead
from health.monitoring.bmc_logs import FIRST_READ, NOTHING_READ, LogMemory, from_rows, remember, to_rows
from health.monitoring.events import Cursor, advance, is_new
from health.monitoring.services.sweeps import carryover, observation
from health.monitoring.services.sweeps.carryover import SHORTEST_S, Counted, Leaving
from health.tests import factories as make
from health.tests.checks.samples import MODEL, bmc, healthy, only, report

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SEL = "/redfish/v1/Managers/1/LogServices/Sel/Entries"
PERIOD_S = 600.0
KEEP = timedelta(days=30)


def row(
    number: int, message_id: str, message: str, *, severity: str = "Critical", at: datetime = NOW
) -> dict[str, Any]:
    return {"Id": str(number), "Severity": severity, "MessageId": f"IDRAC.2.9.{message_id}", "Message": message,
            "Created": at.isoformat()}  # fmt: skip


UNCORRECTABLE = row(7, "MEM0001", "Multi-bit memory errors detected on a memory device at location DIMM A7.")
PSU_LOST = row(8, "PSU0003", "The power input for power supply 2 is lost.")
PSU_BACK = row(9, "PSU0017", "Power supply 2 is operating normally.", severity="OK", at=NOW + timedelta(minutes=5))


def read_of(*rows: dict[str, Any], first: bool = False, cut: bool = False) -> LogRead:
    return LogRead(SEL, rows, str(rows[-1]["Id"]) if rows else "", first=first, cut=cut)


def after(memory: LogMemory, *rows: dict[str, Any], now: datetime = NOW, **more: bool) -> LogMemory:
    return remember(memory, [read_of(*rows, **more)], "", now, MODEL, keep=KEEP)


def verdicts(log: BmcLog | None, *, sensors: bool = False) -> dict[str, str]:
    found = evaluate(report(healthy()), bmc() if sensors else None, Expectation(MODEL), bmc_log=log)
    return {f.part: str(f.verdict) for f in only(found, "bmc.log")}


def test_an_entry_stays_until_it_is_taken_back() -> None:
    memory = after(after(NOTHING_READ), PSU_LOST)
    assert verdicts(memory.judged(NOW, PERIOD_S))["PSU 2"] == "fail"
    memory = after(memory)
    assert verdicts(memory.judged(NOW, PERIOD_S))["PSU 2"] == "fail"
    memory = after(memory, PSU_BACK)
    assert verdicts(memory.judged(NOW, PERIOD_S)) == {"machine": "ok"}


def test_what_the_bmc_measures_now_makes_its_log_history() -> None:
    memory = after(after(NOTHING_READ), PSU_LOST)
    assert verdicts(memory.judged(NOW, PERIOD_S), sensors=True)["PSU 2"] == "info"


def test_of_a_log_read_for_the_first_time_only_the_last_day_counts() -> None:
    old = row(1, "MEM0001", UNCORRECTABLE["Message"], at=NOW - FIRST_READ - timedelta(hours=1))
    assert after(NOTHING_READ, old, first=True).entries == ()
    assert len(after(NOTHING_READ, UNCORRECTABLE, first=True).entries) == 1
    assert len(after(after(NOTHING_READ), old).entries) == 1, "read later it is new, whatever the BMC's clock says"


def test_the_same_happening_in_two_logs_is_told_once() -> None:
    other = LogRead("/lclog", (UNCORRECTABLE | {"Id": "4711"},), "4711")
    memory = remember(after(NOTHING_READ), [read_of(UNCORRECTABLE), other], "", NOW, MODEL, keep=KEEP)
    assert len(memory.entries) == 1
    assert memory.cursors == {SEL: "7", "/lclog": "4711"}


def test_a_bmc_that_refuses_its_logs_is_unknown_and_what_is_known_stands() -> None:
    memory = remember(after(after(NOTHING_READ), PSU_LOST), None, "the BMC refused", NOW, MODEL, keep=KEEP)
    assert verdicts(memory.judged(NOW, PERIOD_S)) == {"PSU 2": "fail", "machine": "unknown"}
    refused = remember(NOTHING_READ, None, "", NOW, MODEL, keep=KEEP)
    assert verdicts(refused.judged(NOW, PERIOD_S)) == {"machine": "unknown"}


def test_logs_that_were_not_read_for_long_or_only_in_part_are_unknown() -> None:
    memory = after(NOTHING_READ)
    assert verdicts(memory.judged(NOW + timedelta(seconds=PERIOD_S), PERIOD_S)) == {"machine": "ok"}
    assert verdicts(memory.judged(NOW + timedelta(hours=1), PERIOD_S)) == {"machine": "unknown"}
    assert verdicts(after(memory, UNCORRECTABLE, cut=True).judged(NOW, PERIOD_S))["machine"] != "ok"
    assert verdicts(None) == {"machine": "unknown"}


def test_a_bmc_without_logs_is_told_and_nothing_more() -> None:
    memory = remember(NOTHING_READ, [], "", NOW, MODEL, keep=KEEP)
    assert verdicts(memory.judged(NOW, PERIOD_S)) == {"machine": "info"}


def test_an_entry_is_forgotten_after_a_month() -> None:
    memory = after(after(NOTHING_READ), UNCORRECTABLE)
    assert after(memory, now=NOW + KEEP - timedelta(days=1)).entries
    assert not after(memory, now=NOW + KEEP + timedelta(days=1)).entries


def test_a_site_sets_how_long_an_entry_is_remembered(settings: Any) -> None:
    memory = after(after(NOTHING_READ), UNCORRECTABLE)
    subject: Any = SimpleNamespace(left=SimpleNamespace(log=memory), spec=MODEL)
    answer: Any = SimpleNamespace(answers={}, logs=(read_of(),), logs_failure="")
    for days, remembered in ((9, 1), (7, 0)):
        settings.KEPT = settings.KEPT | {"bmc_log_entries": timedelta(days=days)}
        found = observation.read_logs(subject, answer, NOW + timedelta(days=8))
        assert found is not None and len(found.entries) == remembered


def test_logs_are_read_once_a_period_and_machines_take_turns() -> None:
    memory = after(NOTHING_READ)
    assert NOTHING_READ.is_due(1, NOW, PERIOD_S)
    assert not memory.is_due(1, NOW + timedelta(seconds=PERIOD_S / 2), PERIOD_S)
    soon = NOW + timedelta(seconds=PERIOD_S * 0.9)
    assert 0 < sum(memory.is_due(pk, soon, PERIOD_S) for pk in range(64)) < 64
    assert all(memory.is_due(pk, NOW + timedelta(seconds=PERIOD_S), PERIOD_S) for pk in range(64))


def test_an_entry_is_an_event_that_is_read_once() -> None:
    memory = after(after(NOTHING_READ), UNCORRECTABLE)
    found = evaluate(report(healthy()), bmc(), Expectation(MODEL), bmc_log=memory.judged(NOW, PERIOD_S))
    (event,) = [f for f in only(found, "bmc.log") if f.verdict is Verdict.FAIL]
    cursor = Cursor("boot", 5_000)
    assert is_new(cursor, "boot", event)
    behind = advance(cursor, "boot", [event])
    assert not is_new(behind, "boot", event)
    assert not is_new(behind, "the next boot", event), "the BMC's log goes on over a new start of the machine"
    assert behind.at_us == 5_000, "the kernel log is read behind its own cursor"


def test_a_machine_that_was_not_heard_keeps_its_place_in_the_kernel_log() -> None:
    assert advance(Cursor("boot", 5_000), "", []).boot_id == "boot"


# ---- the driver ----


class FakeBmc:
    """Answers GET from a table; counts what it was asked."""

    def __init__(self, answers: dict[str, dict[str, Any]]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def get(self, path: str) -> dict[str, Any]:
        self.asked.append(path)
        if path not in self.answers:
            raise RedfishStatus("GET", path, 404, "not here")
        return self.answers[path]


def pages(count: int, *, per_page: int = 50, newest_first: bool = True) -> dict[str, dict[str, Any]]:
    """A log of `count` entries on pages, as `Entries` and `Entries?$skip=N`."""
    rows = [row(n, "USR0030", "login", severity="OK", at=NOW + timedelta(seconds=n)) for n in range(1, count + 1)]
    rows = rows[::-1] if newest_first else rows
    found = {}
    for skip in range(0, max(count, 1), per_page):
        page: dict[str, Any] = {"Members": rows[skip : skip + per_page]}
        if skip + per_page < count:
            page["Members@odata.nextLink"] = f"{SEL}?$skip={skip + per_page}"
        found[f"{SEL}?$skip={skip}" if skip else SEL] = page
    return found


async def read(bmc_: FakeBmc, cursors: dict[str, str]) -> LogRead:
    manager = {"LogServices": {"@odata.id": "/logs"}}
    bmc_.answers |= {
        "/logs": {"Members": [{"@odata.id": "/logs/Sel"}, {"@odata.id": "/logs/FaultList"}]},
        "/logs/Sel": {"Entries": {"@odata.id": SEL}},
    }
    (found,) = await read_logs(bmc_, manager, {}, cursors)  # type: ignore[arg-type]
    return found


@pytest.mark.asyncio
async def test_only_what_came_after_the_cursor_is_read_and_in_one_request() -> None:
    fake = FakeBmc(pages(500))
    found = await read(fake, {SEL: "497"})
    assert [each["Id"] for each in found.rows] == ["498", "499", "500"]
    assert (found.newest, found.cut, fake.asked) == ("500", False, [SEL])


@pytest.mark.asyncio
async def test_the_first_read_takes_the_newest_page() -> None:
    fake = FakeBmc(pages(500))
    found = await read(fake, {})
    assert (found.first, found.newest, len(found.rows), found.cut) == (True, "500", 50, False)


@pytest.mark.asyncio
@pytest.mark.parametrize("newest_first", [True, False])
async def test_a_log_is_followed_over_its_pages_in_either_order(*, newest_first: bool) -> None:
    found = await read(FakeBmc(pages(200, newest_first=newest_first)), {SEL: "40"})
    assert [each["Id"] for each in found.rows] == [str(n) for n in range(41, 201)]
    assert not found.cut


@pytest.mark.asyncio
async def test_more_than_is_read_at_once_is_told() -> None:
    found = await read(FakeBmc(pages(50 * MAX_PAGES + 200)), {SEL: "3"})
    assert found.cut and found.newest == str(50 * MAX_PAGES + 200)


@pytest.mark.asyncio
async def test_a_log_that_was_cleared_is_new_from_its_first_entry() -> None:
    found = await read(FakeBmc(pages(2)), {SEL: "731"})
    assert [each["Id"] for each in found.rows] == ["1", "2"]
    assert not found.cut


@pytest.mark.asyncio
async def test_a_log_that_moved_is_looked_for_again() -> None:
    found = await read(FakeBmc(pages(2)), {"/old/Entries": "1"})
    assert found.path == SEL


# ---- the database ----


@pytest.mark.django_db
def test_memory_and_counters_come_back_as_they_were_stored(django_assert_num_queries: Any) -> None:
    (machine,) = make.make_machines(1)
    memory = after(after(NOTHING_READ), UNCORRECTABLE)
    counted = Counted(1000.0, "boot-a", {"GPU 0": {"PCIe replays": 3}})
    carryover.store([(machine.pk, NOW, Leaving(counted=counted, log=memory))])
    with django_assert_num_queries(2):
        left = carryover.read([machine.pk])[machine.pk]
    assert (left.log, left.last, left.before) == (memory, counted, None)
    assert from_rows(to_rows(memory.entries)) == memory.entries
    assert BmcLogRead.objects.get().cursors == {SEL: "7"}


@pytest.mark.django_db
def test_a_second_look_soon_after_compares_with_the_look_before_the_last() -> None:
    (machine,) = make.make_machines(1)

    def counted(at_s: float, replays: int) -> Leaving:
        return Leaving(counted=Counted(at_s, "boot-a", {"GPU 0": {"PCIe replays": replays}}))

    for at_s, replays in ((1000.0, 0), (1300.0, 500), (1315.0, 510)):
        carryover.store([(machine.pk, NOW, counted(at_s, replays))])
    left = carryover.read([machine.pk])[machine.pk]
    assert left.last is not None and left.last.at_s == 1300.0, "a look that came too soon is not compared with"
    confirming, next_sweep = left.earlier(1315.0), left.earlier(1300.0 + SHORTEST_S)
    assert confirming is not None and confirming.at == 1000.0
    assert next_sweep is not None and next_sweep.at == 1300.0
    verifying = left.earlier(1315.0, afresh=True)
    assert verifying is not None and verifying.at == 1300.0
