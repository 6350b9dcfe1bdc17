"""The pure rules: grouping and confirming faults, merging verdicts, reading events, counting a pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from health.machines.budget import BudgetRule, PoolCount, budget, max_unavailable
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.monitoring.events import Cursor, advance, is_new
from health.monitoring.faults import FaultView, Situation, decide, group_of, sightings
from health.monitoring.merge import CODES, Before, merge
from health.tests import factories as make
from tests.effort import examples

VERDICTS = list(CODES)

# ---- events ----


def test_an_event_is_read_once_and_a_new_boot_starts_again() -> None:
    first, second = make.xid(at_us=1000), make.xid(at_us=9_000_000)
    cursor = advance(Cursor(), "boot-a", [first])
    assert not is_new(cursor, "boot-a", first) and is_new(cursor, "boot-a", second)
    assert is_new(cursor, "boot-b", first)
    assert advance(cursor, "boot-b", []).at_us == -1


def test_a_line_a_moment_out_of_order_is_not_lost() -> None:
    cursor = advance(Cursor(), "boot-a", [make.xid(at_us=10_000_000)])
    late = make.xid(gpu=6, at_us=9_900_000, code=48)
    assert is_new(cursor, "boot-a", late)
    cursor = advance(cursor, "boot-a", [late])
    assert not is_new(cursor, "boot-a", late) and not is_new(cursor, "boot-a", make.xid(at_us=10_000_000))
    assert cursor.at_us == 10_000_000


@given(st.lists(st.lists(st.integers(0, 50_000_000), max_size=8), max_size=6))
@settings(max_examples=examples(150), deadline=None)
def test_over_any_reports_each_event_is_new_exactly_once_when_logs_only_grow(reports: list[list[int]]) -> None:
    cursor = Cursor()
    log: list[int] = []
    seen: Counter[str | None] = Counter()
    for stamps in reports:
        newest = max(log, default=0)
        log += sorted(newest + stamp for stamp in stamps)
        findings = [make.xid(at_us=at, code=index) for index, at in enumerate(log)]
        seen.update(f.event_key for f in findings if is_new(cursor, "boot-a", f))
        cursor = advance(cursor, "boot-a", findings)
    assert all(count == 1 for count in seen.values()) and len(seen) == len(log)


# ---- faults ----

CLASSES = [("gpu.gone", 0), ("gpu.bus", 1), ("nvlink.down", 2), ("gpu.memory", 3)]
SIGHTS = st.lists(
    st.tuples(
        st.sampled_from(["GPU 1", "GPU 2", "docker"]),
        st.sampled_from(CLASSES),
        st.sampled_from(["level", "event"]),
    ),
    max_size=6,
    unique_by=lambda sight: (sight[0], sight[1]),
)


def findings_of(sights: Sequence[tuple[str, tuple[str, int], str]], at_us: int) -> list[make.Finding]:
    return [
        make.Finding(
            f"check.{fault_class}",
            slot,
            "fail",
            f"{fault_class} of {slot}",
            "",
            fault_class,
            precedence,
            kind,
            event_key=f"{slot}{fault_class}{at_us}" if kind == "event" else None,
            event_at_us=at_us if kind == "event" else None,
        )
        for slot, (fault_class, precedence), kind in sights
    ]


@given(st.lists(st.tuples(SIGHTS, st.integers(1, 400), st.sampled_from(list(State))), min_size=1, max_size=8))
@settings(max_examples=examples(300), deadline=None)
def test_over_any_reports_each_group_has_one_leader_and_is_announced_once(history: Any) -> None:
    faults: list[FaultView] = []
    at = make.START
    announced: list[FaultView] = []  # they stay alive here: the address of one that is gone may be another's
    for number, (sights, seconds, state) in enumerate(history):
        at += timedelta(seconds=seconds)
        found = findings_of(sights, number)
        checks = {(f.check, f.part) for f in found}
        everywhere = {(f"check.{name}", slot) for name, _ in CLASSES for slot in ("GPU 1", "GPU 2", "docker")}
        situation = Situation(state, at, 15, make.SLOTS)
        faults = decide(faults, sightings(found), everywhere - checks, situation)
        again = [replace(view, changed=False, confirmed_now=False, announce=False, new_evidence=[]) for view in faults]
        links = dict(zip(map(id, faults), again, strict=True))
        for view in again:
            view.leader = links[id(view.leader)] if view.leader else None
        groups: dict[tuple[str, str], list[FaultView]] = {}
        for view in faults:
            if view.open:
                groups.setdefault(group_of(view.slot, view.fault_class, make.SLOTS), []).append(view)
        for members in groups.values():
            leaders = [view for view in members if view.leader is None]
            assert len(leaders) == 1 and all(view.leader in (None, leaders[0]) for view in members)
            assert leaders[0].announced == any(view.status == "confirmed" for view in members)
        announced += [view for view in faults if view.announce]
        levels = [s for s in sightings(found) if s.kind == "level"]
        twice = decide([v for v in again if v.open], levels, set(), situation)
        assert not any(view.changed for view in twice), "the same report a second time changes nothing"
        for view in faults:
            view.seen = view.changed = view.confirmed_now = view.announce = False
            view.new_evidence = []
        faults = [view for view in faults if view.open]
    assert len({id(view) for view in announced}) == len(announced)


def test_the_most_precedent_class_leads_whichever_is_seen_first() -> None:
    situation = Situation("ready", make.START, 15, make.SLOTS)
    for order in ((make.gone(), make.nvlink(), make.xid()), (make.xid(), make.nvlink(), make.gone())):
        faults = decide([], sightings(order), set(), situation)
        (leader,) = [view for view in faults if view.leader is None]
        assert leader.fault_class == "gpu.gone" and leader.announce and leader.status == "confirmed"


def test_docker_and_a_full_disk_are_two_repairs() -> None:
    situation = Situation("ready", make.START, 15, make.SLOTS)
    disk = make.Finding("disk", "/", "fail", "/ is full", "", "disk.full", 3)
    faults = decide([], sightings([make.docker_down(), disk]), set(), situation)
    assert [view.leader for view in faults] == [None, None]


# ---- merging ----

REPORTS = st.lists(
    st.tuples(st.booleans(), st.dictionaries(st.sampled_from(make.LAYOUT), st.sampled_from(VERDICTS), max_size=12)),
    min_size=1,
    max_size=6,
)


@given(REPORTS)
@settings(max_examples=examples(200), deadline=None)
def test_over_any_reports_unknown_never_hides_a_fail_and_missing_is_never_ok(history: Any) -> None:
    before = Before({})
    for number, (heard, verdicts) in enumerate(history):
        said = verdicts if heard else dict.fromkeys(make.LAYOUT, "unknown")
        found = [make.Finding(check, part, verdict, "text") for (check, part), verdict in said.items()]
        at = make.START + timedelta(minutes=number)
        merged = merge(before, make.LAYOUT, found, heard=heard, at=at)
        for place, code in zip(make.LAYOUT, merged.packed, strict=True):
            verdict = said.get(place, "unknown")
            was_failing = place in before.rows and before.rows[place].verdict == "fail"
            expected = "fail" if was_failing and verdict == "unknown" else verdict
            assert code == CODES[expected]
            if was_failing and verdict == "unknown":
                assert merged.rows[place] == before.rows[place], "it keeps its own age"
        assert merged.worst == max((w for w in CODES if merged.counts.get(w)), key=lambda w: CODES[w])
        assert sum(merged.counts.values()) == len(make.LAYOUT)
        again = merge(Before(merged.rows, make.LAYOUT, merged.packed), make.LAYOUT, found, heard=heard, at=at)
        assert not again.changes and again.packed == merged.packed
        before = Before(merged.rows, make.LAYOUT, merged.packed)


# ---- budget ----


def left(
    size: int | None, out: int | None, share: float, *, least: int = 1, start: int = 4, stale: bool = False
) -> int:
    return budget(PoolCount(size, out, stale), BudgetRule(share, least, start)).left


SIZES = st.integers(0, 5000)


@given(SIZES, SIZES, st.floats(0, 1, allow_nan=False), st.integers(0, 5), st.integers(0, 30))
@settings(max_examples=examples(200), deadline=None)
def test_the_budget_is_never_exceeded_by_our_doing(size: int, out: int, share: float, least: int, start: int) -> None:
    more = left(size, out, share, least=least, start=start)
    assert more >= 0
    most = max(share * size, least if size >= start and share > 0 else 0)
    assert more == 0 or (out + more <= most + 1e-6 and out + more <= size)


def test_an_empty_unknown_or_stale_pool_allows_nothing() -> None:
    assert left(0, 0, 1.0, start=0) == 0
    assert left(None, 0, 1.0) == left(100, None, 1.0) == left(100, 0, 1.0, stale=True) == left(100, 0, 1.5) == 0


def test_the_share_is_rounded_down_and_what_is_out_is_subtracted() -> None:
    assert [left(size, 0, 0.05, least=0) for size in (19, 20, 511)] == [0, 1, 25]
    assert left(100, 3, 0.05) == 2
    assert left(100, 0, 0.29) == 29


def test_one_machine_may_be_out_of_a_pool_of_4_to_19_and_none_of_a_smaller_one() -> None:
    usual = Limits()
    rule = BudgetRule(0.05, usual.min_unavailable, usual.min_unavailable_from)
    assert [max_unavailable(size, rule) for size in range(21)] == [0] * 4 + [1] * 17
    assert left(16, 0, 0.05) == 1 and left(16, 1, 0.05) == 0


def test_a_share_of_nothing_stays_nothing_in_a_small_pool_too() -> None:
    assert left(16, 0, 0.0) == 0


@pytest.mark.parametrize(
    ("size", "out", "said"),
    [
        (511, 7, "5 % of 511 machines is 25: 25 may be out. 7 out of service now, 18 left."),
        (16, 1, "5 % of 16 machines is 0, but at least 1 in a pool of 4 or more: 1 may be out. 1 out"),
        (3, 0, "5 % of 3 machines is 0, and a pool of fewer than 4 has no minimum: none may be out."),
        (0, 0, "The pool has no machines."),
    ],
)
def test_the_budget_says_how_its_number_comes_about(size: int, out: int, said: str) -> None:
    assert budget(PoolCount(size, out), BudgetRule(0.05, 1, 4)).reason.startswith(said)
