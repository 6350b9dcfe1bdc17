"""What the power graph promises, on small graphs by hand and on random ones."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.power.failures import fail, standing
from inventory.power.graph import Feed, Inlet, PduNode, PoweredDevice, PowerGraph

A, B = Feed(1, "A", "A", 1, 400, 63), Feed(2, "B", "B", 2, 400, 63)
PDUS = (PduNode(10, "pdu-a", 1, 1), PduNode(20, "pdu-b", 1, 2))


def device(pk: int, pdus: list[int | None], watts: float | None = 1000, may_fail: int | None = 1) -> PoweredDevice:
    inlets = [Inlet(100 * pk + at, f"PSU {at}", pdu, "C13 1" if pdu else "") for at, pdu in enumerate(pdus, start=1)]
    return PoweredDevice(pk, f"d{pk}", rack_id=1, planned_w=watts, may_fail=may_fail, inlets=tuple(inlets))


def graph(*devices: PoweredDevice, feeds: tuple[Feed, ...] = (A, B), pdus: tuple[PduNode, ...] = PDUS) -> PowerGraph:
    return PowerGraph(feeds, pdus, devices)


def states(of: PowerGraph, feed: int) -> dict[str, list[str]]:
    failure = fail(of, of.failing_with(feed))
    return {state: [each.name for each in devices] for state, devices in failure.states.items() if devices}


# ---- capacity ----


@pytest.mark.parametrize(
    ("feed", "capacity", "derated"),
    [
        (Feed(1, "f", voltage_v=400, current_a=32), 22170, 17736),
        (Feed(1, "f", voltage_v=230, current_a=16, phases=1), 3680, 2944),
        (Feed(1, "f", voltage_v=400, current_a=32, derating_percent=100), 22170, 22170),
    ],
)
def test_capacity_is_voltage_by_current_by_root_three_and_derated(feed: Feed, capacity: int, derated: int) -> None:
    assert (round(feed.capacity_w or 0), round(feed.derated_w or 0)) == (capacity, derated)


def test_a_feed_without_a_size_has_no_capacity_rather_than_none_at_all() -> None:
    assert Feed(1, "f", voltage_v=400).capacity_w is None
    assert Feed(1, "f", current_a=16).derated_w is None


# ---- who goes dark ----


def test_a_device_on_two_feeds_only_loses_its_redundancy() -> None:
    one = graph(device(1, [10, 20]))
    assert states(one, 1) == states(one, 2) == {"degraded": ["d1"]}
    assert standing(one, one.devices[1]).redundancy == "2N"


def test_a_device_on_one_feed_is_lost_with_it_and_untouched_by_the_other() -> None:
    one = graph(device(1, [10, 10]), device(2, [20], may_fail=0))
    assert states(one, 1) == {"lost": ["d1"]}
    assert standing(one, one.devices[1]) == ("N+1", (A,))
    assert standing(one, one.devices[2]) == ("single", (B,))


def test_a_cord_that_nobody_wrote_down_is_never_safe() -> None:
    one = graph(device(1, [10, None]), device(2, [None, None]), device(3, []))
    assert states(one, 1) == {"unknown": ["d1", "d2", "d3"]}
    assert states(one, 2) == {"unknown": ["d2", "d3"]}  # the first one needs only the cord it is known to have
    assert [standing(one, each).redundancy for each in one.devices.values()] == ["unknown"] * 3


def test_a_pdu_without_a_feed_is_as_good_as_no_cord() -> None:
    one = graph(device(1, [10, 30]), pdus=(*PDUS, PduNode(30, "pdu-c", 1, None)))
    assert states(one, 1) == {"unknown": ["d1"]}


def test_enough_known_cords_make_a_device_safe_whatever_the_others_are() -> None:
    one = graph(device(1, [10, 20, None], may_fail=2))
    assert states(one, 1) == {"degraded": ["d1"]}


def test_three_of_six_supplies_may_fail_but_not_four() -> None:
    split = graph(device(1, [10, 10, 10, 20, 20, 20], may_fail=3))
    assert states(split, 1) == {"degraded": ["d1"]}
    uneven = graph(device(1, [10, 10, 10, 10, 20, 20], may_fail=3))
    assert states(uneven, 1) == {"lost": ["d1"]}
    assert states(uneven, 2) == {"degraded": ["d1"]}
    assert standing(uneven, uneven.devices[1]) == ("N+1", (A,))


def test_a_model_that_does_not_tell_its_redundancy_leaves_it_unknown() -> None:
    one = graph(device(1, [10, 10, 20, 20], may_fail=None))
    assert states(one, 1) == {"unknown": ["d1"]}
    assert standing(one, one.devices[1]).redundancy == "unknown"
    alone = graph(device(1, [10, 10, 10], may_fail=None))
    assert states(alone, 1) == {"lost": ["d1"]}  # none is left, whatever the rule


def test_what_sits_in_a_bay_shares_the_fate_and_the_inlets_of_its_chassis() -> None:
    chassis, blade = device(1, [10, 10], 500), device(2, [], 300)._replace(parent_id=1)
    one = graph(chassis, blade)
    assert states(one, 1) == {"lost": ["d1", "d2"]}
    assert one.planned.feeds == {1: 800}
    assert one.planned.adrift_w == 0


def test_feeds_of_one_side_fail_together_and_alone_when_asked() -> None:
    second = Feed(3, "A2", "A", 1, 400, 63)
    one = graph(device(1, [10, 30]), feeds=(A, B, second), pdus=(*PDUS, PduNode(30, "pdu-a2", 1, 3)))
    assert states(one, 1) == {"lost": ["d1"]}
    assert one.failing_with(1, "feed") == {1}
    assert one.failing_with(1, "panel") == {1, 3}
    assert standing(one, one.devices[1], "feed").redundancy == "2N"
    assert standing(one, one.devices[1], "panel").redundancy == "N+1"


def test_a_feed_without_side_or_panel_fails_alone() -> None:
    loose = (Feed(1, "x"), Feed(2, "y"))
    assert graph(feeds=loose).failing_with(1, "side") == graph(feeds=loose).failing_with(1, "panel") == {1}


# ---- loads and breakers ----


def test_a_device_shares_its_draw_over_its_cords_and_the_rest_is_adrift() -> None:
    one = graph(device(1, [10, 10, 20, None], 900), device(2, [None], 70, 0))
    assert one.planned.feeds == {1: 600, 2: 300}
    assert one.planned.adrift_w == 70


def test_what_is_measured_counts_where_it_is_known_and_zero_is_a_reading() -> None:
    one = graph(device(1, [10, 20])._replace(measured_w=0), device(2, [10, 20]))
    assert one.measured.feeds == {1: 500, 2: 500}
    assert one.planned.feeds == {1: 1000, 2: 1000}


def test_a_breaker_trips_when_the_survivor_carries_all_of_it() -> None:
    small = (A._replace(current_a=16), B._replace(current_a=16))  # 8,868 W derated
    one = graph(*(device(pk, [10, 20], 3000) for pk in (1, 2, 3)), feeds=small)
    failure = fail(one, one.failing_with(1))
    (overload,) = failure.overloads
    assert (overload.feed_id, overload.pdu_id) == (2, None)
    assert (round(overload.carries_w), round(overload.limit_w)) == (9000, 8868)
    assert failure.racks == {1: "trips"}
    roomy = graph(*(device(pk, [10, 20], 2900) for pk in (1, 2, 3)), feeds=small)
    assert not fail(roomy, roomy.failing_with(1)).overloads


def test_a_derating_of_its_own_decides_whether_a_feed_trips() -> None:
    strict = (A, B._replace(current_a=16, derating_percent=50))
    one = graph(device(1, [10, 20], 6000), feeds=strict)
    assert fail(one, frozenset({1})).overloads
    assert not fail(graph(device(1, [10, 20], 6000), feeds=(A, B._replace(current_a=16))), frozenset({1})).overloads


def test_a_pdu_trips_at_its_own_limit_though_its_feed_would_do() -> None:
    one = graph(device(1, [10, 20], 6000), pdus=(PDUS[0], PDUS[1]._replace(limit_w=5000)))
    assert [(o.feed_id, o.pdu_id) for o in fail(one, frozenset({1})).overloads] == [(2, 20)]


def test_whether_a_feed_without_a_size_holds_is_unknown_not_fine() -> None:
    one = graph(device(1, [10, 20]), feeds=(A, B._replace(voltage_v=None)))
    failure = fail(one, frozenset({1}))
    assert (failure.unsized, failure.racks) == ([2], {1: "unknown"})


def test_a_device_that_is_lost_loads_nobody_any_more() -> None:
    one = graph(device(1, [10, 10], 9000), device(2, [10, 20], 1000))
    assert fail(one, frozenset({1})).carries == {2: 1000}


def test_pdus_in_a_row_pass_their_load_on_and_a_circle_of_cords_leads_nowhere() -> None:
    behind = (*PDUS, PduNode(30, "strip", 1, None, 2000, (10,)))
    one = graph(device(1, [30, 20], 3000), pdus=behind)
    assert (one.planned.feeds, one.planned.pdus) == ({1: 1500, 2: 1500}, {30: 1500, 10: 1500, 20: 1500})
    assert states(one, 1) == {"degraded": ["d1"]}
    assert [o.pdu_id for o in fail(one, frozenset({2})).overloads] == [30]
    circle = (PduNode(10, "x", 1, None, None, (20,)), PduNode(20, "y", 1, None, None, (10,)))
    assert states(graph(device(1, [10, 20]), pdus=circle), 1) == {"unknown": ["d1"]}
    forked = (*PDUS, PduNode(30, "transfer switch", 1, None, None, (10, 20)))
    assert graph(pdus=forked).way(30) == ((30,), None)


# ---- random graphs ----

PDU_IDS = (10, 11, 20, 21, 30)
RANDOM_PDUS = tuple(
    PduNode(pk, f"pdu-{pk}", pk % 2, feed) for pk, feed in zip(PDU_IDS, (1, 3, 2, 4, None), strict=True)
)
RANDOM_FEEDS = tuple(Feed(pk, f"f{pk}", "AB"[(pk - 1) % 2], None, 400, 32) for pk in (1, 2, 3, 4))


@st.composite
def graphs(draw: st.DrawFn, *, known: bool = False) -> PowerGraph:
    pdus = [pk for pk in PDU_IDS if pk != 30] if known else [*PDU_IDS, None]
    devices = []
    for pk in range(1, draw(st.integers(1, 8)) + 1):
        inlets = draw(st.lists(st.sampled_from(pdus), min_size=1, max_size=6))
        may_fail = draw(st.one_of(st.none(), st.integers(0, len(inlets) - 1)))
        watts = draw(st.one_of(st.none(), st.integers(0, 12_000)))
        devices.append(device(pk, inlets, watts, may_fail))
    return PowerGraph(RANDOM_FEEDS, RANDOM_PDUS, devices)


@given(graphs())
def test_what_feeds_carry_and_what_is_adrift_is_what_devices_draw(some: PowerGraph) -> None:
    drawn = sum(each.planned_w or 0 for each in some.devices.values())
    feedless = sum(some.planned.pdus[pdu] for pdu in some.pdus if some.way(pdu)[1] is None)
    assert isclose(sum(some.planned.feeds.values()) + feedless + some.planned.adrift_w, drawn, abs_tol=0.01)
    assert isclose(sum(some.planned.pdus.values()) + some.planned.adrift_w, drawn, abs_tol=0.01)


@given(graphs(known=True))
def test_when_every_feed_dies_everything_with_known_cords_is_lost(some: PowerGraph) -> None:
    failure = fail(some, frozenset(some.feeds))
    assert {each.id for each in failure.states["lost"]} == set(some.devices)


@given(graphs(), st.sets(st.sampled_from([1, 2, 3, 4])), st.sampled_from([1, 2, 3, 4]))
def test_a_further_dead_feed_never_helps_anybody(some: PowerGraph, dead: set[int], more: int) -> None:
    worse = ("ok", "degraded", "unknown", "lost")
    for each in some.devices.values():
        before, after = some.state(each, frozenset(dead)), some.state(each, frozenset(dead | {more}))
        assert worse.index(after) >= worse.index(before)


@given(graphs(), st.sampled_from([1, 2, 3, 4]))
def test_an_unknown_cord_written_down_later_never_contradicts_what_was_told(some: PowerGraph, dead: int) -> None:
    """Whatever the unknown cords turn out to be: what was called safe is powered, and what was called lost is dark."""
    for each in some.devices.values():
        told = some.state(each, frozenset({dead}))
        for pdu in (10, 20):
            inlets = tuple(i._replace(pdu_id=pdu) if some.feed_of(i) is None else i for i in each.inlets)
            truth = some.state(each._replace(inlets=inlets), frozenset({dead}))
            assert told == "unknown" or truth in {"lost": ("lost",)}.get(told, ("ok", "degraded"))


@given(graphs(), st.sampled_from([1, 2, 3, 4]))
def test_a_failure_moves_watts_and_makes_none(some: PowerGraph, feed: int) -> None:
    dead = some.failing_with(feed)
    failure = fail(some, dead)
    drawn = sum(each.planned_w or 0 for each in some.devices.values())
    carried = {pk: failure.carries.get(pk, some.planned.feeds[pk]) for pk in some.feeds if pk not in dead}
    assert sum(carried.values()) <= drawn + 0.01
    for pk, watts in carried.items():
        assert watts >= some.planned.feeds[pk] - 0.01 or failure.states["lost"]
