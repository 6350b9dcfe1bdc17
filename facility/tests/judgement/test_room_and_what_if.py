"""Room left and what-if questions: limits hold on both sides, what is unknown is never called fine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import MachineReading, Readings
from facility.judgement.room import FreeSpace, Ledger, NewMachine, rack_room, room_left
from facility.judgement.whatif import Heat, all_gpus_full, feed_off, inlets_warmer, more_machines, warmed
from facility.judgement.whatif.full_load import full_load_w
from facility.tests.judgement import halls
from facility.tests.judgement.halls import feed_id, machine_id, metered, pdu_id, phases, plan, readings
from inventory.power.graph import Panel, PowerGraph

LIMITS = SiteLimits()
H100 = NewMachine("H100", 10_000, 6)
SPACE = FreeSpace(1, (48,))


# ---- room left ----


def room(graph: MeasuredGraph, places: int = 9, watts: float = 10_000):  # type: ignore[no-untyped-def]
    return rack_room(Ledger(graph), NewMachine("H100", watts, 6), FreeSpace(1, (6,) * places))


def test_a_rack_takes_as_many_as_its_own_limit_allows() -> None:
    found = room(metered(10_000, 10_000))
    assert found.fits == 2
    assert found.first is not None
    assert found.first.text() == "D1 at 119 %"  # 20 kW and three more of 42 kW


def test_a_machine_that_fits_only_while_both_feeds_live_does_not_fit() -> None:
    graph = MeasuredGraph(plan(), readings({(r, s): 20_000 for r in (1, 2) for s in "AB"}, limit_w=200_000))
    found = room(graph)
    assert found.fits == 1  # each feed has 37 kW left now, but one alone would carry 60 kW with a second more
    assert found.first is not None and found.first.key.kind == "feed" and found.first.key.dead
    assert "when the other side fails" in found.first.text()


def test_units_bound_room_too() -> None:
    graph = metered(1_000, 1_000)
    found = rack_room(Ledger(graph), H100, FreeSpace(1, (11, 5, 6)))
    assert (found.fits, found.first) == (2, None)


def test_room_in_a_rack_of_unknown_load_is_unknown() -> None:
    graph = MeasuredGraph(plan(), readings({(1, "A"): 10_000, (1, "B"): None}))
    found = room(graph)
    assert found.fits is None
    assert "not known" in found.reason


def test_a_rack_that_is_known_to_be_full_is_full_though_not_all_is_known() -> None:
    graph = MeasuredGraph(plan(), readings({(1, "A"): 41_000, (1, "B"): None}))
    assert room(graph).fits == 0


def test_room_on_a_feed_without_a_size_is_unknown() -> None:
    graph = MeasuredGraph(plan(amperes=None), readings({(r, s): 1_000 for r in (1, 2) for s in "AB"}))
    assert "size of r1-a is not known" in room(graph).reason


def with_phases(*currents: float | None) -> MeasuredGraph:
    """PDUs of 20 and 18 kW, those of side A with these currents of their phases; feeds of 80 A for long."""
    graph = metered()
    pdus = dict(graph.readings.pdus)
    pdus[pdu_id(1, "A")] = replace(pdus[pdu_id(1, "A")], phases=phases(*currents))
    wide = {rack: replace(facts, limit_w=None) for rack, facts in graph.readings.racks.items()}
    return MeasuredGraph(graph.plan, replace(graph.readings, pdus=pdus, racks=wide))


def test_the_fullest_phase_ends_the_room_before_its_feed_does() -> None:
    even, uneven = room(with_phases(27.8, 27.8, 27.8)), room(with_phases(60.0, 11.7, 11.7))
    assert even.first is not None and even.first.key.kind != "rack"
    assert uneven.first is not None and uneven.first.key.kind == "phase"
    assert uneven.first.name.endswith("L1") and uneven.fits is not None and even.fits is not None
    assert uneven.fits < even.fits and (uneven.free_w or 0) < (even.free_w or 0)


def test_room_behind_a_phase_that_is_not_known_is_not_known() -> None:
    found = room(with_phases(20.0, None, 20.0))
    assert found.fits is None and found.free_w is None and "L2 carries is not known" in found.reason


def test_what_is_free_is_what_the_tightest_bound_leaves() -> None:
    assert room(metered(5_000, 5_000)).free_w == pytest.approx(32_000)


def test_a_rack_with_one_feed_takes_what_that_one_carries() -> None:
    one = plan(sides="A")
    cut = [each._replace(inlets=each.inlets[:3], may_fail=0) for each in one.devices.values()]
    graph = PowerGraph(one.feeds.values(), one.pdus.values(), cut)
    found = room(MeasuredGraph(graph, readings({(1, "A"): 10_000, (2, "A"): 10_000})))
    assert (found.fits, found.redundant) == (3, False)


def test_room_is_planned_with_peaks() -> None:
    graph = metered(5_000, 5_000)
    peaks = {("rack", 1, ""): 35_000.0}
    assert room(MeasuredGraph(plan(), replace(graph.readings, peaks=peaks))).fits == 0


def test_racks_on_the_same_feeds_share_their_room() -> None:
    """Two racks behind one pair of feeds, each with a wide limit of its own: together they fill the feeds once."""
    base = plan(racks=2)
    pdus = [pdu._replace(feed_id=feed_id(1, base.feeds[pdu.feed_id or 0].side)) for pdu in base.pdus.values()]
    feeds = [base.feeds[feed_id(1, side)] for side in "AB"]
    graph = MeasuredGraph(
        PowerGraph(feeds, pdus, base.devices.values()),
        readings({(r, s): 5_000 for r in (1, 2) for s in "AB"}, limit_w=99_000),
    )
    spaces = [FreeSpace(1, (48,)), FreeSpace(2, (48,))]
    found = room_left(graph, H100, spaces)
    assert [found.alone[rack].fits for rack in (1, 2)] == [3, 3]
    assert found.fits == 3  # 57.5 kW on one side less 20 kW
    assert found.first is not None and found.first.key.kind == "feed"
    assert found.text("H100") == "Room for 3 more H100; one more: " + found.first.text() + "."


@given(
    st.lists(st.floats(0, 30_000), min_size=4, max_size=4), st.floats(500, 15_000), st.integers(1, 8),
    st.floats(10_000, 90_000),
)  # fmt: skip
def test_what_fits_holds_on_every_bound_and_one_more_does_not(
    loads: list[float], watts: float, places: int, limit_w: float
) -> None:
    keys = [(1, "A"), (1, "B"), (2, "A"), (2, "B")]
    graph = MeasuredGraph(plan(), readings(dict(zip(keys, loads, strict=True)), limit_w=limit_w))
    new = NewMachine("H100", watts, 6)
    found = room_left(graph, new, [FreeSpace(1, (6,) * places), FreeSpace(2, (6,) * places)])
    for rack in (1, 2):
        count = found.by_rack.get(rack, 0)
        answer = more_machines(graph, FreeSpace(rack, (6,) * places), new, count, LIMITS)
        if count:
            assert answer.trips == ()
        if count < places:
            assert more_machines(graph, FreeSpace(rack, (6,) * places), new, count + 1, LIMITS).trips


# ---- one feed off ----


def test_a_feed_off_with_room_on_the_other_holds() -> None:
    answer = feed_off(metered(20_000, 18_000), feed_id(1, "A"), LIMITS)
    assert (answer.states, answer.trips, answer.dark) == ({1: "ok", 2: "ok"}, (), ())
    assert answer.text == "r1-a off: everything holds."


def test_a_feed_that_takes_over_too_much_is_named_with_its_racks() -> None:
    answer = feed_off(metered(40_000, 39_000), feed_id(1, "A"), LIMITS)
    assert answer.states == {1: "over", 2: "ok"}
    (trip,) = answer.trips
    assert (trip.subject, trip.name, trip.trips) == ("feed", "r1-b", True)  # 79 kW of a breaker of 72 kW
    assert trip.value == pytest.approx(79_000)
    assert answer.text == "r1-a off: r1-b trips at 137 %."


def test_a_pdu_that_takes_over_too_much_is_named_with_its_own_rack_and_has_no_breaker_that_trips() -> None:
    base = plan()
    pdus = [each._replace(limit_w=30_000 if each.id == pdu_id(1, "B") else None) for each in base.pdus.values()]
    watts = {(1, "A"): 20_000.0, (1, "B"): 18_000.0, (2, "A"): 40_000.0, (2, "B"): 39_000.0}
    graph = MeasuredGraph(PowerGraph(base.feeds.values(), pdus, base.devices.values()), readings(watts))
    answer = feed_off(graph, feed_id(1, "A"), LIMITS, "side")
    assert [rack.why for rack in answer.racks] == ["pdu-1-b at 127 %", "r2-b at 137 %"]
    assert [(trip.name, trip.trips) for trip in answer.trips] == [("r2-b", True), ("pdu-1-b", False)]


def test_over_the_derated_size_and_below_the_breaker_is_over_its_limit_but_does_not_trip() -> None:
    (trip,) = feed_off(metered(30_000, 30_000), feed_id(1, "A"), LIMITS).trips
    assert not trip.trips
    assert "is over its limit" in feed_off(metered(30_000, 30_000), feed_id(1, "A"), LIMITS).text


def test_a_feed_near_its_limit_then_is_near() -> None:
    assert feed_off(metered(28_000, 28_000), feed_id(1, "A"), LIMITS).states[1] == "near"


def test_machines_that_need_more_supplies_go_dark_and_their_watts_go_with_them() -> None:
    base = plan()
    weak = [each._replace(may_fail=2) for each in base.devices.values()]
    machines = {(r, n): 9_000.0 for r in (1, 2) for n in range(1, 5)}
    graph = MeasuredGraph(PowerGraph(base.feeds.values(), base.pdus.values(), weak), readings({}, machines))
    answer = feed_off(graph, feed_id(1, "A"), LIMITS)
    assert len(answer.dark) == 4
    rack = answer.racks[0]
    assert (rack.state, rack.before.value, rack.after.value) == ("over", 36_000, 0)
    assert answer.text == "r1-a off: 4 devices will go dark."


def test_the_whole_side_dies_when_asked() -> None:
    answer = feed_off(metered(40_000, 39_000), feed_id(1, "A"), LIMITS, "side")
    assert answer.states == {1: "over", 2: "over"}
    assert answer.question == "r1-a and 1 other feed off"


def test_a_feed_off_in_a_rack_that_is_not_measured_is_unknown_and_says_so() -> None:
    graph = MeasuredGraph(plan(), readings({(2, "A"): 5_000, (2, "B"): 5_000}))
    answer = feed_off(graph, feed_id(1, "A"), LIMITS)
    assert answer.states == {1: "unknown", 2: "ok"}
    assert answer.text == "r1-a off: not known for 1 rack."


def test_what_is_not_measured_counts_as_planned_when_the_graph_assumes_it_and_is_counted() -> None:
    graph = MeasuredGraph(plan(), readings({(2, "A"): 5_000, (2, "B"): 5_000}), assume_planned=True)
    answer = feed_off(graph, feed_id(1, "A"), LIMITS)
    assert (answer.states[1], answer.assumed) == ("ok", 4)
    assert answer.racks[0].before.value == 40_000


# ---- more machines ----


def test_four_more_machines_name_what_trips_first() -> None:
    answer = more_machines(metered(10_000, 10_000), SPACE, H100, 4, LIMITS)
    assert answer.states[1] == "over"
    assert answer.text.startswith("4 more H100 in D1: D1 is over its limit at 143 %")
    assert [trip.subject for trip in answer.trips] == ["rack", "feed", "feed"]  # each feed alone, at 104 %


def test_one_more_machine_that_fits_names_the_tightest_bound() -> None:
    answer = more_machines(metered(10_000, 10_000), SPACE, H100, 1, LIMITS)
    assert answer.text == "1 more H100 in D1: it holds, tightest is D1 at 71 %."
    rack = answer.racks[0]
    assert (rack.before.value, rack.after.value) == (20_000, 30_000)


@pytest.mark.parametrize(
    ("runs", "says"),
    [((), "none fits by units"), ((5, 5), "none fits by units"), ((7, 5), "only 1 fits by units"),
     ((6, 13), "only 3 fit by units")],
)  # fmt: skip
def test_machines_without_free_units_do_not_hold_though_their_power_would(runs: tuple[int, ...], says: str) -> None:
    small = replace(H100, watts=1_000)
    answer = more_machines(metered(5_000, 5_000), FreeSpace(1, runs), small, 4, LIMITS)
    assert answer.text == f"4 more H100 in D1: {says}."
    assert (answer.states, answer.racks[0].why, answer.trips) == ({1: "over"}, says, ())


def test_of_machines_that_fit_neither_by_units_nor_by_power_both_are_said() -> None:
    answer = more_machines(metered(10_000, 10_000), FreeSpace(1, (13,)), H100, 4, LIMITS)
    assert answer.text.startswith("4 more H100 in D1: only 2 fit by units; D1 is over its limit at 143 %")
    assert answer.racks[0].why == "only 2 fit by units; D1 at 143 %"


def test_in_a_rack_of_unknown_load_too_few_units_are_known_to_be_too_few() -> None:
    graph = MeasuredGraph(plan(), readings({(1, "A"): 10_000, (1, "B"): None}))
    assert more_machines(graph, SPACE, H100, 1, LIMITS).states[1] == "unknown"
    assert more_machines(graph, FreeSpace(1, ()), H100, 1, LIMITS).states[1] == "over"


# ---- all GPUs at full load ----


def test_full_load_adds_what_gpus_are_below_their_limits_with_the_losses_of_supplies() -> None:
    pk = machine_id(1, 1)
    reading = MachineReading(pk, "H100", 5_000, gpus=halls.gpus(230, 700))
    graph = MeasuredGraph(plan(racks=1, machines=1), Readings(machines={pk: reading}))
    assert full_load_w(graph, pk) == pytest.approx(5_000 + 8 * 470 / 0.94)


def loaded(gpu_w: float | None, amperes: int = 100) -> MeasuredGraph:
    given_readings = readings({}, {(r, n): 6_000.0 for r in (1, 2) for n in range(1, 5)}, limit_w=42_000)
    machines = {pk: replace(each, gpus=halls.gpus(gpu_w)) for pk, each in given_readings.machines.items()}
    return MeasuredGraph(plan(amperes=amperes), replace(given_readings, machines=machines))


def test_full_load_over_a_rack_limit_is_found() -> None:
    answer = all_gpus_full(loaded(100), LIMITS)  # 6 kW and 8 × 600 W / 0.94: 11.1 kW each
    assert answer.states == {1: "over", 2: "over"}
    assert answer.racks[0].after.value == pytest.approx(4 * (6_000 + 4_800 / 0.94))
    assert [trip.name for trip in answer.trips] == ["D1", "D2"]


def test_full_load_of_a_machine_whose_gpus_are_not_known_is_unknown() -> None:
    answer = all_gpus_full(loaded(None), LIMITS)
    assert answer.states == {1: "unknown", 2: "unknown"}
    assert len(answer.unknown) == 8
    assert "everything holds" not in answer.text


def test_full_load_within_limits_holds() -> None:
    answer = all_gpus_full(loaded(600), LIMITS)
    assert (answer.states, answer.trips) == ({1: "ok", 2: "ok"}, ())
    assert answer.text.endswith("everything holds.")


def hung(pdu_w: int | None = None, board: Panel | None = None) -> MeasuredGraph:
    """Full load is 22 kW on each feed. The first PDU has this limit, and its feed hangs on this board."""
    graph = loaded(100)
    first = graph.pdus[pdu_id(1, "A")]._replace(limit_w=pdu_w)
    fed = graph.feeds[feed_id(1, "A")]._replace(panel_id=board.id if board else None)
    wired = PowerGraph(
        (graph.feeds | {fed.id: fed}).values(), (graph.pdus | {first.id: first}).values(), graph.devices.values(),
        [board] if board else (),
    )  # fmt: skip
    wide = {pk: replace(facts, limit_w=99_000) for pk, facts in graph.readings.racks.items()}
    return MeasuredGraph(wired, replace(graph.readings, racks=wide))


def test_a_rack_whose_own_pdu_is_over_at_full_load_is_over_and_no_other_rack() -> None:
    assert all_gpus_full(hung(30_000), LIMITS).states == {1: "ok", 2: "ok"}
    answer = all_gpus_full(hung(20_000), LIMITS)
    assert (answer.states, answer.racks[0].why) == ({1: "over", 2: "ok"}, "pdu-1-a at 111 %")


def test_a_rack_below_a_board_that_is_over_at_full_load_is_over_and_no_other_rack() -> None:
    board = Panel(7, "board-a", 415, 63)  # 36 kW for long
    assert all_gpus_full(hung(board=board), LIMITS).states == {1: "ok", 2: "ok"}
    answer = all_gpus_full(hung(board=board._replace(current_a=25)), LIMITS)  # 14.4 kW
    assert (answer.states, answer.racks[0].why) == ({1: "over", 2: "ok"}, "board-a at 155 %")


# ---- warmer inlets ----


def heat(**changes: object) -> Heat:
    values: dict[str, object] = {
        "device_id": 1, "name": "hgx-1-1", "rack_id": 1, "inlet_c": 24.0, "air_class": "A2", "slowdown_c": 87.0,
        "gpus_c": (64.0,) * 8,
    }  # fmt: skip
    return Heat(**(values | changes))  # type: ignore[arg-type]


def test_gpus_are_taken_to_get_as_much_warmer_as_the_air() -> None:
    found = warmed(heat(), 4, LIMITS)
    assert (found.inlet_c, found.hottest_c, found.state) == (28, 68, "near")
    found = warmed(heat(gpus_c=(85.0,) * 8), 3, LIMITS)
    assert (found.hottest_c, found.state) == (88, "over")


def test_an_inlet_beyond_its_class_is_over() -> None:
    assert warmed(heat(air_class="H1"), 3, LIMITS).state == "over"
    assert warmed(heat(air_class="A3"), 3, LIMITS).state == "ok"


def test_colder_air_below_what_its_class_allows_is_over() -> None:
    assert warmed(heat(inlet_c=15.0), -5, LIMITS).state == "ok"
    found = warmed(heat(inlet_c=15.0), -10, LIMITS)
    assert (found.state, found.why) == ("over", "5.0 °C at the inlet; A2 allows down to 10 °C")
    assert warmed(heat(inlet_c=15.0, air_class="A3"), -10, LIMITS).state == "ok"
    cold, colder = heat(inlet_c=15.0), heat(device_id=2, name="hgx-1-2", inlet_c=14.0)
    answer = inlets_warmer([cold, colder], -10, LIMITS)
    assert [(trip.subject, trip.name, trip.limit) for trip in answer.trips] == [
        ("machine", "hgx-1-2", 10), ("machine", "hgx-1-1", 10),
    ]  # fmt: skip
    assert "2 machines outside the allowable range of their class; the first is hgx-1-2" in answer.text


def test_the_inlet_that_is_recommended_is_the_sites_where_the_model_names_no_class() -> None:
    limits = SiteLimits(inlet_c=24)
    assert warmed(heat(air_class=""), 1, limits)[2:] == ("near", "25.0 °C at the inlet; 24 °C is recommended")
    assert warmed(heat(air_class="A2"), 1, limits).state == "ok"


def test_a_machine_outside_its_class_whose_gpus_slow_down_is_both() -> None:
    answer = inlets_warmer([heat(inlet_c=34.0, gpus_c=(85.0,) * 8)], 3, LIMITS)
    assert [trip.subject for trip in answer.trips] == ["machine", "gpu"]  # 2 and 1 °C beyond
    assert "1 machine outside" in answer.text and "GPUs slow down in 1 machine" in answer.text


def test_a_rack_keeps_how_its_air_and_gpus_are_now_beside_how_they_would_be() -> None:
    hot, unknown = heat(gpus_c=(84.0,) * 8), heat(device_id=2, rack_id=2, inlet_c=None)
    racks = inlets_warmer([hot, unknown], 3, LIMITS).racks
    assert [(rack.state_before, rack.state) for rack in racks] == [("near", "over"), ("unknown", "unknown")]


@pytest.mark.parametrize("changes", [{"inlet_c": None}, {"gpus_c": (64.0, None)}])
def test_a_machine_whose_inlet_or_gpus_are_not_known_is_unknown(changes: dict[str, object]) -> None:
    answer = inlets_warmer([heat(**changes)], 3, LIMITS)
    assert answer.states == {1: "unknown"}
    assert "not known for 1 machine" in answer.text


def test_warmer_inlets_list_what_slows_first() -> None:
    hot = heat(device_id=2, name="hgx-1-2", gpus_c=(86.0,) * 8)
    answer = inlets_warmer([heat(), hot], 3, LIMITS)
    assert [trip.name for trip in answer.trips] == ["hgx-1-2"]
    assert "GPUs slow down in 1 machine; the first is hgx-1-2" in answer.text


@given(st.floats(15, 40), st.floats(41, 90), st.floats(0, 8), st.floats(0, 4))
def test_more_heat_never_makes_a_machine_better(inlet: float, gpu: float, more: float, further: float) -> None:
    order = ["ok", "near", "over"]
    one, two = (warmed(heat(inlet_c=inlet, gpus_c=(gpu,)), each, LIMITS) for each in (more, more + further))
    assert order.index(one.state) <= order.index(two.state)
