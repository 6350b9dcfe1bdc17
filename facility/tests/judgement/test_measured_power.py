"""Loads that are measured: what is missing is never 0, what is over a limit is found, nothing is counted too small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facility.judgement.limits import SiteLimits
from facility.judgement.machines import findings as machine_findings
from facility.judgement.machines import idle_supplies, slowed_gpus, unlike
from facility.judgement.measured import MeasuredGraph
from facility.judgement.power import (
    breaker_loads,
    feed_load,
    findings,
    imbalance,
    loads,
    pairs,
    pdu_load,
    phase_loads,
    rack_load,
    room_load,
)  # fmt: skip
from facility.judgement.readings import (
    BreakerReading,
    MachineReading,
    PduReading,
    PhaseReading,
    Readings,
    Sum,
    added,
    best,
    state_of,
    total,
)  # fmt: skip
from facility.tests.judgement import halls
from facility.tests.judgement.halls import feed_id, gpus, machine_id, metered, outlet, pdu_id, phases, plan, readings
from inventory.power.graph import PowerGraph

LIMITS = SiteLimits()
WATTS = st.one_of(st.none(), st.floats(0, 100_000))


def kinds(found: list) -> set[str]:
    return {each.kind for each in found}


# ---- sums ----


@given(st.lists(WATTS))
def test_a_sum_has_a_value_only_when_every_part_has_one(values: list[float | None]) -> None:
    found = total(values)
    assert (found.value is not None) == (bool(values) and None not in values)
    assert found.at_least == sum(value for value in values if value is not None)


@given(st.lists(st.tuples(st.floats(0, 50_000), st.booleans()), min_size=1), st.floats(1, 200_000))
def test_what_is_not_wholly_known_is_over_or_near_or_unknown_but_never_ok(
    parts: list[tuple[float, bool]], limit: float
) -> None:
    shown = total(watts if known else None for watts, known in parts)
    whole = sum(watts for watts, _ in parts)
    state = state_of(shown, limit, 95)
    if state == "ok":
        assert whole <= limit
    if state == "over":
        assert whole > limit


def test_a_sum_of_which_a_part_is_missing_says_so() -> None:
    assert total([1000, None, 500]).kw() == "≥ 1.5 kW (2 of 3 measured)"
    assert total([]).value is None
    assert total([None]).kw() == "not known"
    assert added([Sum(100, 1, 1), Sum(0, 0, 0)]).value is None  # a PDU without any reading is one that is missing


def test_the_best_measure_is_the_first_whole_one_else_the_highest_lower_bound() -> None:
    assert best(total([5, None]), total([9]), total([7])) == Sum(9, 1, 1)
    assert best(total([5, None]), total([8, None])) == Sum(8, 1, 2)


# ---- racks, PDUs, feeds, rooms ----


def test_a_rack_a_pdu_and_a_feed_carry_what_their_meters_say() -> None:
    graph = metered(20_000, 18_000)
    rack = rack_load(graph, 1, LIMITS)
    assert (rack.now.value, rack.limit, rack.state, rack.planned.value) == (38_000, 42_000, "ok", 40_000)
    assert rack.percent == pytest.approx(90.5, abs=0.1)
    assert pdu_load(graph, pdu_id(1, "A"), LIMITS).now.value == 20_000
    feed = feed_load(graph, feed_id(1, "B"), LIMITS)
    assert (feed.now.value, feed.state) == (18_000, "ok")
    assert feed.limit == pytest.approx(57_500, abs=10)  # 80 % of 415 V × 100 A × √3
    assert room_load(graph, 1).now.value == 76_000


def test_a_rack_with_a_silent_pdu_is_a_lower_bound_and_not_ok() -> None:
    graph = MeasuredGraph(plan(), readings({(1, "A"): 20_000, (1, "B"): None, (2, "A"): 9_000, (2, "B"): 9_000}))
    rack = rack_load(graph, 1, LIMITS)
    assert (rack.now.value, rack.now.at_least, rack.state) == (None, 20_000, "unknown")
    room = room_load(graph, 1)
    assert (room.now.value, room.now.at_least, room.now.of - room.now.known) == (None, 38_000, 1)
    assert [each.subject_id for each in findings(graph, LIMITS) if each.kind == "value.unknown"] == [pdu_id(1, "B")]


def test_machines_stand_in_for_a_pdu_that_says_nothing() -> None:
    machines = {(r, n): 9_000.0 for r in (1, 2) for n in range(1, 5)}
    graph = MeasuredGraph(plan(), readings({}, machines))
    assert rack_load(graph, 1, LIMITS).now.value == 36_000
    assert feed_load(graph, feed_id(1, "A"), LIMITS).now.value == pytest.approx(18_000)
    machines[1, 4] = None  # type: ignore[assignment]
    graph = MeasuredGraph(plan(), readings({}, machines))
    assert rack_load(graph, 1, LIMITS).now == Sum(27_000, 3, 4)


def test_a_lower_bound_that_is_over_its_limit_is_over() -> None:
    graph = MeasuredGraph(plan(), readings({(1, "A"): 43_000, (1, "B"): None}))
    assert rack_load(graph, 1, LIMITS).state == "over"
    over = next(each for each in findings(graph, LIMITS) if each.kind == "rack.over")
    assert (over.subject_name, over.rack_id, over.room_id, over.severity) == ("D1", 1, 1, "bad")
    assert "≥ 43.0 kW" in over.text and "of 42.0 kW" in over.text


def test_a_rack_without_a_limit_is_unknown_and_never_over() -> None:
    graph = MeasuredGraph(plan(), readings({(1, "A"): 90_000, (1, "B"): 90_000}, limit_w=None))
    assert rack_load(graph, 1, LIMITS).state == "unknown"


def test_an_empty_rack_draws_nothing_and_one_without_readings_is_unknown() -> None:
    graph = MeasuredGraph(plan(racks=1), readings(racks=2))
    assert rack_load(graph, 2, LIMITS).now.value == 0
    assert rack_load(graph, 1, LIMITS).now.value is None


def test_a_pdu_that_also_feeds_another_rack_does_not_stand_for_its_own() -> None:
    graph = plan()
    stray = halls.machine(1, 9)._replace(rack_id=2)
    graph = PowerGraph(graph.feeds.values(), graph.pdus.values(), [*graph.devices.values(), stray])
    watts = {(r, s): 20_000.0 for r in (1, 2) for s in "AB"}
    found = MeasuredGraph(graph, readings(watts))
    assert rack_load(found, 1, LIMITS).now.value is None


def test_a_peak_is_never_below_what_is_carried_now() -> None:
    graph = metered(20_000, 18_000)
    peaks = {("rack", 1, ""): 30_000.0, ("rack", 2, ""): 39_100.0}
    graph = MeasuredGraph(plan(), replace(graph.readings, peaks=peaks))
    assert [rack_load(graph, rack, LIMITS).peak for rack in (1, 2)] == [38_000, 39_100]


def test_every_load_has_the_peak_of_its_own_and_none_of_a_part_of_it() -> None:
    pdu = pdu_id(1, "A")
    reading = PduReading(
        pdu, (20_000.0,), phases(40, None), (BreakerReading("L1", 15, 20), BreakerReading("B2", 9, 20))
    )
    peaks = {
        ("pdu", pdu, ""): 21_000.0, ("feed", feed_id(1, "A"), ""): 22_000.0, ("room", 1, ""): 80_000.0,
        ("phase", pdu, "L1"): 39.0, ("phase", pdu, "L2"): 44.0, ("breaker", pdu, "L1"): 17.0,
    }  # fmt: skip
    graph = MeasuredGraph(plan(), replace(readings({}), pdus={pdu: reading}, peaks=peaks))
    found = {(each.subject, each.id, each.part): each.peak for each in loads(graph, LIMITS) if each.peak is not None}
    found["room", 1, ""] = room_load(graph, 1).peak or 0.0
    assert found == {**peaks, ("phase", pdu, "L1"): 40.0}


def test_a_limit_of_a_site_other_than_80_percent_counts() -> None:
    reading = PduReading(pdu_id(1, "A"), (1.0,), (), (BreakerReading("B1", 17, 20),))
    graph = MeasuredGraph(plan(), Readings({pdu_id(1, "A"): reading}))
    (breaker,), (higher,) = (breaker_loads(graph, reading, each) for each in (LIMITS, SiteLimits(load_percent=95)))
    assert (breaker.limit, breaker.state, breaker.unit) == (16, "over", "A") and (higher.limit, higher.state) == (
        19,
        "ok",
    )
    assert {"breaker.over"} == {each.kind for each in findings(graph, LIMITS) if each.kind.endswith(".over")}


def test_a_phase_has_the_size_of_its_feeds_breaker() -> None:
    reading = PduReading(pdu_id(1, "A"), (1.0,), phases(81, None, 10))
    graph = MeasuredGraph(plan(), Readings({pdu_id(1, "A"): reading}))
    found = list(phase_loads(graph, reading, LIMITS))
    assert [(each.part, each.limit, each.state) for each in found] == [
        ("L1", 80, "over"), ("L2", 80, "unknown"), ("L3", 80, "ok"),
    ]  # fmt: skip


def test_every_subject_is_listed_once() -> None:
    listed = [(each.subject, each.id, each.part) for each in loads(metered(), LIMITS)]
    assert len(listed) == len(set(listed)) == 4 + 4 + 2


# ---- phases ----


def test_a_phase_far_from_the_mean_is_found_and_named() -> None:
    reading = PduReading(pdu_id(1, "A"), (1.0,), phases(30.6, 22.0, 24.0))
    graph = MeasuredGraph(plan(), Readings({pdu_id(1, "A"): reading}))
    (found,) = [each for each in findings(graph, LIMITS) if each.kind == "phase.imbalance"]
    assert found.values["phase"] == "L1"
    assert found.values["percent"] == pytest.approx(19.8, abs=0.1)
    assert "L1 is 20 % above the mean" in found.text


@pytest.mark.parametrize("currents", [(30, None, 20), (1.0, 3.0, 0.5), (25,)])
def test_phases_that_are_not_known_or_hardly_loaded_are_not_uneven(currents: tuple[float | None, ...]) -> None:
    assert imbalance(PduReading(1, (), phases(*currents)), LIMITS) is None


def test_phases_are_compared_with_those_of_their_own_inlet() -> None:
    full = [PhaseReading(f"I1:L{line}", 30.0) for line in (1, 2, 3)]
    idle = [PhaseReading(f"I2:L{line}", 10.0) for line in (1, 2, 3)]
    even = imbalance(PduReading(1, (), (*full, *idle)), LIMITS)
    assert even is not None and even.percent == 0
    worst = imbalance(PduReading(1, (), (*full, *idle[:2], PhaseReading("I2:L3", 22.0))), LIMITS)
    assert worst is not None and (worst.phase, round(worst.percent)) == ("I2:L3", 57)


# ---- both feeds together ----


def test_both_feeds_together_are_compared_with_what_one_can_carry() -> None:
    found = {pair.survivor.name: pair for pair in pairs(metered(20_000, 18_000), LIMITS)}
    assert set(found) == {"r1-a", "r1-b", "r2-a", "r2-b"}
    assert found["r1-a"].carries.value == pytest.approx(38_000)
    assert [feed.name for feed in found["r1-a"].dead] == ["r1-b"]
    assert found["r1-a"].state == "ok"


def test_a_pair_that_one_feed_cannot_carry_is_found() -> None:
    graph = metered(31_000, 30_000)
    found = [each for each in findings(graph, LIMITS) if each.kind == "pair.over"]
    assert {each.subject_name for each in found} == {"r1-a", "r1-b", "r2-a", "r2-b"}
    text = next(each.text for each in found if each.subject_name == "r1-a")
    assert text == "If r1-b fails, r1-a carries 61.0 kW, 106 % of the 57.5 kW that it may."


def test_a_pair_of_which_one_feed_is_silent_is_unknown_not_fine() -> None:
    graph = MeasuredGraph(plan(), readings({(1, "A"): 20_000, (1, "B"): None}))
    found = {pair.survivor.name: pair for pair in pairs(graph, LIMITS)}
    assert (found["r1-a"].state, found["r1-a"].carries.value) == ("unknown", None)
    assert found["r1-a"].carries.at_least >= 20_000


def test_a_load_without_any_cord_in_the_inventory_leaves_a_pair_unknown() -> None:
    bare = plan(racks=1)
    lone = halls.machine(1, 1)
    on_b = lone._replace(inlets=lone.inlets[3:])
    graph = MeasuredGraph(
        PowerGraph(bare.feeds.values(), bare.pdus.values(), [on_b]),
        readings({(1, "A"): 5_000, (1, "B"): 5_000}, racks=1),
    )
    assert graph.stays_w(feed_id(1, "A")) == 5_000
    assert graph.stays_w(feed_id(1, "B")) == 0


@given(st.floats(100, 90_000), st.floats(100, 90_000), st.lists(st.floats(100, 20_000), min_size=4, max_size=4))
def test_what_moves_is_what_the_dead_feed_measured_whatever_the_bmcs_say(
    a_w: float, b_w: float, machines_w: list[float]
) -> None:
    """With all machines on both feeds, the survivor carries what both meters measured: no watt is lost or made."""
    machines = {(1, n): watts for n, watts in enumerate(machines_w, start=1)}
    graph = MeasuredGraph(plan(racks=1), readings({(1, "A"): a_w, (1, "B"): b_w}, machines, racks=1))
    for pair in pairs(graph, LIMITS):
        assert pair.carries.value == pytest.approx(a_w + b_w, rel=1e-6)


@given(st.lists(st.floats(0, 4_000), min_size=6, max_size=6))
def test_shares_of_a_machine_are_what_its_supplies_measure(watts: list[float]) -> None:
    pk = machine_id(1, 1)
    reading = MachineReading(pk, "H100", sum(watts), supplies=halls.supplies(pk, *watts))
    graph = MeasuredGraph(plan(racks=1, machines=1), Readings(machines={pk: reading}))
    carried = graph.planned.feeds
    assert carried[feed_id(1, "A")] == pytest.approx(sum(watts[:3]))
    assert carried[feed_id(1, "B")] == pytest.approx(sum(watts[3:]))


def test_outlets_are_trusted_before_the_bmc() -> None:
    pk = machine_id(1, 1)
    by_side = {
        side: PduReading(
            pdu_id(1, side), (None,), (), (),
            tuple(outlet(str(n), 1_500, halls.inlet_id(pk, n)) for n in numbers),
        )
        for side, numbers in (("A", (1, 2, 3)), ("B", (4, 5, 6)))
    }  # fmt: skip
    given_readings = Readings({each.pdu_id: each for each in by_side.values()}, {pk: MachineReading(pk, "H100", 8_000)})
    drawn = MeasuredGraph(plan(racks=1, machines=1), given_readings).drawn[pk]
    assert (drawn.watts, drawn.method) == (9_000, "outlets")


def test_a_feed_that_carries_nothing_under_running_machines_is_lost() -> None:
    machines = {(1, n): 9_000.0 for n in range(1, 5)}
    graph = MeasuredGraph(plan(racks=1), readings({(1, "A"): 0, (1, "B"): 36_000}, machines, racks=1))
    (lost,) = [each for each in findings(graph, LIMITS) if each.kind == "feed.lost"]
    assert (lost.subject_id, len(lost.values["devices"])) == (feed_id(1, "A"), 4)
    off = MeasuredGraph(plan(racks=1), readings({(1, "A"): 0, (1, "B"): 0}, racks=1))
    assert "feed.lost" not in kinds(findings(off, LIMITS))


# ---- machines ----


def one_machine(reading: MachineReading, **pdus: PduReading) -> MeasuredGraph:
    return MeasuredGraph(
        plan(racks=1, machines=1), Readings({p.pdu_id: p for p in pdus.values()}, {reading.device_id: reading})
    )


def test_a_supply_that_carries_nothing_while_its_siblings_carry_is_named_with_its_feed() -> None:
    pk = machine_id(1, 1)
    graph = one_machine(MachineReading(pk, supplies=halls.supplies(pk, 1_800, 1_800, 1_800, 1_800, 0, 1_800)))
    found = machine_findings(graph, LIMITS)
    assert [(each.kind, each.part, each.values["feed"]) for each in found] == [("psu.idle", "PSU 5", feed_id(1, "B"))]
    assert found[0].text == "PSU 5 of hgx-1-1 carries 0 W; the others carry 1800 W each."


@pytest.mark.parametrize("watts", [(0, 0, 0), (2, 1, 3), (900, None, 880), (30, 0, 20)])
def test_supplies_of_a_machine_that_is_off_or_not_read_are_not_idle(watts: tuple[float | None, ...]) -> None:
    pk = machine_id(1, 1)
    assert idle_supplies(MachineReading(pk, supplies=halls.supplies(pk, *watts)), LIMITS) == []


@pytest.mark.parametrize(
    ("told", "lost"),
    [
        ({1: (0, 0, 0, 900, 900, 900), 2: (0, 0, 0, 800, 800, 800)}, True),
        ({1: (0, 0, 0, 900, 900, 900)}, False),  # one machine may have lost its cords
        ({1: (0, 0, 0, 900, 900, 900), 2: (0, 300, 0, 800, 800, 800)}, False),
        ({1: (None,) * 6, 2: (None,) * 6}, False),
    ],
)
def test_a_feed_whose_pdu_died_with_it_is_lost_by_what_its_machines_supplies_say(
    told: dict[int, tuple[float | None, ...]], lost: bool
) -> None:
    machines = {
        (pk := machine_id(1, n)): MachineReading(pk, power_w=2_700, supplies=halls.supplies(pk, *watts))
        for n, watts in told.items()
    }
    found = findings(MeasuredGraph(plan(1), Readings(machines=machines)), LIMITS)
    assert [each.subject_id for each in found if each.kind == "feed.lost"] == [feed_id(1, "A")] * lost


def test_with_as_many_dead_supplies_as_may_fail_redundancy_is_lost() -> None:
    pk = machine_id(1, 1)
    half = halls.supplies(pk, 0, 0, 0, 3_000, 3_000, 3_000)
    assert kinds(machine_findings(one_machine(MachineReading(pk, supplies=half)), LIMITS)) == {
        "psu.idle",
        "redundancy.lost",
    }
    two = halls.supplies(pk, 0, 0, 2_000, 2_000, 2_000, 2_000)
    assert kinds(machine_findings(one_machine(MachineReading(pk, supplies=two)), LIMITS)) == {"psu.idle"}
    dead = tuple(replace(each, power_w=None, dead=n < 3) for n, each in enumerate(two))
    assert kinds(machine_findings(one_machine(MachineReading(pk, supplies=dead)), LIMITS)) == {"redundancy.lost"}


def test_a_dead_supply_without_watts_carries_none_and_one_that_works_is_not_known() -> None:
    pk = machine_id(1, 1)
    watts = halls.supplies(pk, None, *[900.0] * 5)
    dead, works = ((replace(watts[0], dead=each), *watts[1:]) for each in (True, False))
    drawn = [one_machine(MachineReading(pk, supplies=each)).drawn[pk] for each in (dead, works)]
    assert [each.measured_w for each in drawn] == [4_500, None]


def test_a_power_limit_other_than_the_wanted_one_is_one_finding_for_the_machine() -> None:
    pk = machine_id(1, 1)
    wrong = gpus(400, 500, 2) + gpus(600, 700, 5) + gpus(None, None, 1)
    graph = one_machine(MachineReading(pk, "H100", gpus=wrong))
    (found,) = machine_findings(graph, LIMITS, {"H100": 700})
    assert (found.kind, found.text) == ("cap.wrong", "2 of 8 GPUs of hgx-1-1 are limited to 500 W instead of 700 W.")
    assert machine_findings(graph, LIMITS) == []  # nobody said what is wanted


def test_a_brake_and_heat_are_found_but_a_limit_that_works_is_not() -> None:
    pk = machine_id(1, 1)
    slowed = MachineReading(pk, slowed_hot=2, slowed_capped=8, slowed_braked=8)
    assert kinds(machine_findings(one_machine(slowed), LIMITS)) == {"brake.on", "throttling"}
    assert machine_findings(one_machine(MachineReading(pk, slowed_capped=8)), LIMITS) == []


@pytest.mark.parametrize(
    ("told", "limit_w", "wanted_w", "slowed"),
    [
        ((2, 8, 1), 700, 700, 2),  # at the wanted limit they do what they are told
        ((0, 8, 0), 700, 700, 0), ((0, 8, 0), 699.5, 700, 0), ((0, 8, 0), 500, None, 0),
        ((0, 3, 0), 500, 700, 3), ((2, 3, 0), 500, 700, 3), ((None, 8, None), 500, 700, 4), ((0, 8, 0), 500, 700, 4),
        ((None, 8, None), 700, 700, None), ((None, None, 2), None, 700, 2), ((None, None, None), 500, 700, None),
    ],
)  # fmt: skip
def test_gpus_are_slowed_by_heat_by_the_brake_or_at_a_limit_below_the_wanted_one(
    told: tuple[float | None, ...], limit_w: float | None, wanted_w: float | None, slowed: float | None
) -> None:
    """Half of the eight GPUs have that limit, the others the wanted one."""
    both = gpus(400, limit_w, 4) + gpus(400, 700, 4)
    hot, capped, braked = told
    reading = MachineReading(1, gpus=both, slowed_hot=hot, slowed_capped=capped, slowed_braked=braked)
    assert slowed_gpus(reading, wanted_w, LIMITS) == slowed


def test_an_outlet_that_carries_a_load_nobody_recorded_is_found() -> None:
    reading = PduReading(
        pdu_id(1, "A"), (500,), (), (), (outlet("1", 300, 9), outlet("7", 140), outlet("8", 2), outlet("9", None))
    )
    graph = MeasuredGraph(plan(racks=1), Readings({reading.pdu_id: reading}))
    (found,) = machine_findings(graph, LIMITS)
    assert (found.kind, found.part, found.rack_id) == ("outlet.unknown", "7", 1)


def fleet(watts: list[float], load: Sequence[float | None] | None = None) -> MeasuredGraph:
    machines = {
        machine_id(1, n): MachineReading(machine_id(1, n), "H100", w, gpu_load=load[n] if load else 0.9)
        for n, w in enumerate(watts)
    }
    devices = [halls.machine(1, n) for n in range(len(watts))]
    return MeasuredGraph(PowerGraph(devices=devices), Readings(machines=machines))


def test_a_machine_unlike_its_kind_at_similar_load_is_found() -> None:
    watts = [9_000.0 + 20 * n for n in range(9)]
    (found,) = unlike(fleet([*watts, 7_000.0]), LIMITS)
    assert (found.device_id, found.peers) == (machine_id(1, 9), 9)
    assert found.percent == pytest.approx(-22.9, abs=0.1)


def test_a_machine_is_not_compared_with_fewer_than_eight_or_with_other_loads() -> None:
    assert list(unlike(fleet([9_000.0] * 7 + [3_000.0]), LIMITS)) == []
    assert list(unlike(fleet([9_000.0] * 9 + [3_000.0], [0.9] * 9 + [0.1]), LIMITS)) == []
    assert list(unlike(fleet([9_000.0] * 9 + [3_000.0], [0.9] * 9 + [None]), LIMITS)) == []


@given(st.lists(st.floats(8_700, 9_300), min_size=9, max_size=20))
def test_machines_that_agree_within_a_few_percent_are_never_unlike(watts: list[float]) -> None:
    assert list(unlike(fleet(watts), LIMITS)) == []
