"""What only a second reading, or the parts beside it, shows to be wrong is unknown with its reason."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from facility.facts import Measured, Part, Quantity, measured
from facility.plausible import (
    ENDS,
    SETTLES_AFTER,
    STANDS_AFTER,
    STANDS_KWH,
    age_trouble,
    increment,
    judge,
)

Q = Quantity
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def over(readings: Iterable[Sequence[Measured]], period_s: float = 10) -> list[Measured]:
    """What is said of the last of these readings; the memory goes through JSON, as it is kept."""
    memory: dict[str, Any] = {}
    values: list[Measured] = []
    for number, reading in enumerate(readings):
        values, memory = judge(reading, memory, NOW + timedelta(seconds=period_s * number))
        memory = json.loads(json.dumps(memory))
    return values


def watt(value: float | None, name: str = "1", part: Part = Part.OUTLET) -> Measured:
    return measured(part, name, Q.POWER_W, value)


def kwh(value: float, name: str = "1", part: Part = Part.OUTLET) -> Measured:
    return measured(part, name, Q.ENERGY_KWH, value)


def celsius(value: float, name: str) -> Measured:
    return measured(Part.SENSOR, name, Q.TEMPERATURE_C, value)


# ---- told twice ----


def test_a_part_told_twice_with_two_values_has_none() -> None:
    (found,) = over([[watt(410), watt(820)]])
    assert (found.value, found.reason) == (None, "it is reported twice: 410 and 820")
    assert over([[watt(410), watt(410)]]) == [watt(410)]
    assert over([[watt(None), watt(410)]]) == [watt(410)]
    (again,) = over([[watt(410), watt(820), watt(410)]])
    assert again.value is None


# ---- counters ----


@pytest.mark.parametrize(
    ("before", "now", "kwh_used"),
    [
        (100.0, 100.5, 0.5),
        (429_496_729.5, 0.1, 0.2),  # 32 bits of tenths of kWh
        (4_294_967.295, 0.004, 0.005),  # 32 bits of Wh
        (2_147_483.6, 0.1, 0.148),  # 31 bits of Wh: a signed integer
        (99_999.9, 0.2, 0.3),  # five digits and one behind the point
        (2.0**64 / 1000 - 4096, 4096.0, 8192.0),  # 64 bits of Wh
    ],
)
def test_a_counter_goes_on_over_its_end(before: float, now: float, kwh_used: float) -> None:
    most = 10_000.0 if kwh_used > 1_000 else 1.0
    assert increment(before, now, most).kwh == pytest.approx(kwh_used, abs=1e-3)


@pytest.mark.parametrize(
    ("before", "now", "reason"),
    [
        (2_345_678.9, 0.1, "the counter went back from 2345678.9 to 0.1 kWh: it was reset"),
        (500.0, 499.9, "the counter went back from 500 to 499.9 kWh: it was reset"),
        (500.0, 5_000.0, "the counter jumped from 500 to 5000 kWh: more than could be used"),
    ],
)
def test_a_counter_that_was_reset_or_jumps_tells_no_energy(before: float, now: float, reason: str) -> None:
    assert increment(before, now, 1.0) == (None, reason)


def test_a_counter_that_may_end_in_two_places_tells_no_energy() -> None:
    assert "where it ends is not known" in increment(99_000.0, 10.0, 1e9).reason


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.floats(0.1, 1e5))
def test_an_increment_is_never_negative_nor_more_than_could_be_used(before: float, now: float, most: float) -> None:
    found = increment(before, now, most)
    assert (found.kwh is None and found.reason) or (found.kwh is not None and 0 <= found.kwh <= most * 1.001)


@given(st.sampled_from([end for end in ENDS if end < 1e9]), st.floats(0.001, 0.4), st.floats(0.001, 0.4))
def test_every_end_of_a_counter_is_known(end: float, short_of: float, beyond: float) -> None:
    before = end - short_of
    assume(not [other for other in ENDS if other != end and before < other <= end + 2])
    assert increment(before, beyond, 1.0).kwh == pytest.approx(short_of + beyond, rel=1e-3, abs=1e-3)


def test_a_counter_that_was_reset_is_unknown_once_and_goes_on_from_there() -> None:
    readings = [[kwh(2_345.6)], [kwh(2_345.7)], [kwh(0.1)]]
    (found,) = over(readings)
    assert found.value is None and "it was reset" in found.reason
    assert over([*readings, [kwh(0.2)]]) == [kwh(0.2)]


def test_a_counter_over_its_end_stays_known() -> None:
    assert over([[kwh(4_294_967.295), watt(900)], [kwh(0.002), watt(900)]])[0] == kwh(0.002)


def test_a_reset_near_an_end_is_none_of_it_where_the_load_could_not_have_used_as_much() -> None:
    """A PDU that was away for a day and came back with an empty counter."""
    (found, _) = over([[kwh(99_000.0), watt(100)], [kwh(5.0), watt(100)]], period_s=86_400)
    assert "it was reset" in found.reason


# ---- units in tenths ----


def phases(amperes: float, volts: float, watts: float | None = None) -> list[Measured]:
    found = []
    for name in ("L1", "L2", "L3"):
        found.append(measured(Part.PHASE, name, Q.CURRENT_A, amperes))
        found.append(measured(Part.PHASE, name, Q.VOLTAGE_V, volts))
        if watts is not None:
            found.append(watt(watts, name, Part.PHASE))
    return found


def unknown(values: Iterable[Measured]) -> set[tuple[str, str]]:
    return {(each.part, each.quantity) for each in values if each.value is None}


def test_an_inlet_that_is_ten_times_its_phases_and_outlets_is_in_another_unit() -> None:
    inlet, outlets = watt(165_000, "AA", Part.INLET), [watt(1_650, str(n)) for n in range(10)]
    found = over([[inlet, *phases(24, 230), *outlets]])
    assert unknown(found) == {(Part.INLET, Q.POWER_W)}
    assert found[0].reason == "its inlets are 10 times its outlets: a unit is wrong"


def test_currents_in_tenths_are_found_beside_an_inlet_and_outlets_that_agree() -> None:
    inlet, outlets = watt(16_500, "AA", Part.INLET), [watt(1_650, str(n)) for n in range(10)]
    assert unknown(over([[inlet, *phases(2.4, 230), *outlets]])) == {(Part.PHASE, Q.CURRENT_A)}
    assert unknown(over([[inlet, *phases(24, 23), *outlets]])) == {(Part.PHASE, Q.VOLTAGE_V)}
    assert unknown(over([[inlet, *phases(24, 230), *outlets]])) == set()


def test_of_two_that_differ_by_ten_neither_is_known() -> None:
    inlet = watt(1_650, "AA", Part.INLET)
    assert unknown(over([[inlet, *phases(24, 230)]])) == {(Part.INLET, Q.POWER_W), (Part.PHASE, Q.CURRENT_A)}


def test_outlets_of_which_one_is_not_known_are_no_sum() -> None:
    inlet = watt(16_500, "AA", Part.INLET)
    assert unknown(over([[inlet, watt(1_650, "1"), watt(None, "2")]])) == {(Part.OUTLET, Q.POWER_W)}


def test_a_pdu_of_which_few_outlets_have_a_meter_is_in_the_right_units() -> None:
    outlets = [watt(1_650, "1"), watt(420, "2")]
    assert unknown(over([[watt(16_500, "AA", Part.INLET), *phases(24, 230), *outlets]])) == set()


def test_a_voltage_or_temperature_that_jumps_by_ten_is_in_another_unit_until_it_comes_back() -> None:
    volts = [measured(Part.PHASE, "L1", Q.VOLTAGE_V, value) for value in (230.1, 23.0, 23.0, 229.9)]
    found = [over([[each] for each in volts[: count + 1]])[0] for count in range(4)]
    assert [each.value for each in found] == [230.1, None, None, 229.9]
    assert found[1].reason == "it is a tenth of what it was: a unit is wrong"
    assert unknown(over([[celsius(24.8, "Top")], [celsius(2.48, "Top")]])) == {(Part.SENSOR, Q.TEMPERATURE_C)}


def test_what_stays_after_a_jump_for_long_is_taken_for_what_is() -> None:
    """Else a meter whose first reading was wrong would be unknown for ever."""
    first, later = (measured(Part.PHASE, "L1", Q.VOLTAGE_V, value) for value in (23.0, 230.0))
    assert over([[first], *[[later]] * SETTLES_AFTER])[0].value is None
    assert over([[first], *[[later]] * (SETTLES_AFTER + 1)])[0].value == 230.0


def test_a_load_may_grow_by_ten_and_a_power_whose_current_did_not_may_not() -> None:
    def outlet(watts: float, amperes: float) -> list[Measured]:
        return [watt(watts), measured(Part.OUTLET, "1", Q.CURRENT_A, amperes)]

    assert unknown(over([outlet(110, 0.5), outlet(1_100, 4.9)])) == set()
    assert unknown(over([outlet(1_100, 4.9), outlet(11_000, 4.9)])) == {(Part.OUTLET, Q.POWER_W)}
    assert unknown(over([outlet(1_100, 4.9), outlet(1_090, 0.49)])) == {(Part.OUTLET, Q.CURRENT_A)}
    assert unknown(over([[watt(110)], [watt(1_100)]])) == set(), "of a power alone nobody can say"


def test_a_table_whose_values_all_jump_by_ten_at_once_is_in_another_unit() -> None:
    before = [watt(100 + 7 * n, str(n)) for n in range(8)]
    found = over([before, [watt(10 * (100 + 7 * n), str(n)) for n in range(8)]])
    assert all(each.value is None for each in found)
    assert found[0].reason == "all of its kind are 10 times what they were: a unit is wrong"
    one_less = [*[watt(10 * (100 + 7 * n), str(n)) for n in range(7)], watt(149, "7")]
    assert unknown(over([before, one_less])) == set()


def test_an_inlet_that_jumps_by_ten_with_its_phases_and_outlets_is_wrong_with_them_and_the_currents_are_right() -> None:
    def told(times: float) -> list[Measured]:
        phases = [
            (watt(1_400 * times, f"L{n}", Part.PHASE), measured(Part.PHASE, f"L{n}", Q.CURRENT_A, 6.1),
             measured(Part.PHASE, f"L{n}", Q.VOLTAGE_V, 235))
            for n in (1, 2, 3)
        ]  # fmt: skip
        outlets = [watt(1_050 * times, str(n)) for n in range(4)]
        return [watt(4_200 * times, "1", Part.INLET), *(each for row in phases for each in row), *outlets]

    found = over([told(1), told(10)])
    assert {each.quantity for each in found if each.value is None} == {Q.POWER_W}
    assert all(each.value is None for each in found if each.quantity == Q.POWER_W)
    assert all(each.value is not None for each in over([told(1), told(10), told(1)]))


# ---- values that stand ----


def outlets_over(count: int, stands: str, values: Random) -> list[list[Measured]]:
    return [
        [watt(1_000 if str(n) == stands else 1_000 + 60 * n + values.randint(-40, 40), str(n)) for n in range(6)]
        for _ in range(count)
    ]


def test_a_load_that_stands_while_others_move_is_frozen_and_known_again_as_it_moves() -> None:
    readings = outlets_over(STANDS_AFTER + 10, "3", Random(1))
    found = {each.name: each for each in over(readings)}
    assert found["3"].value is None
    assert found["3"].reason.startswith("it stands at 1000 for ") and "while others beside it move" in found["3"].reason
    assert all(each.value is not None for name, each in found.items() if name != "3")
    moved = [each if each.name != "3" else watt(1_001, "3") for each in readings[-1]]
    assert next(each for each in over([*readings, moved]) if each.name == "3").value == 1_001


def test_a_load_too_small_to_show_a_move_and_a_zero_do_not_freeze() -> None:
    small = [[watt(8, "3") if each.name == "3" else each for each in row] for row in outlets_over(80, "3", Random(2))]
    assert unknown(over(small)) == set()
    zero = [[watt(0, "3") if each.name == "3" else each for each in row] for row in small]
    assert unknown(over(zero)) == set()


def test_a_pdu_whose_loads_all_stand_is_at_rest() -> None:
    assert unknown(over([[watt(400 + n, str(n)) for n in range(6)]] * 80)) == set()


def test_a_meter_of_which_nothing_moves_not_even_its_counter_tells_what_was() -> None:
    told = [watt(4_000, part=Part.INLET), kwh(812.4, part=Part.INLET), celsius(23.1, "front")]
    long = math.ceil(STANDS_KWH / 4 * 60) + 1
    assert all(each.value is not None for each in over([told] * (long - 1), period_s=60))
    found = over([told] * long, period_s=60)
    assert [each.value for each in found] == [None] * 3 and "nothing that it tells has moved" in found[0].reason
    goes_on = [*told[:1], kwh(816.4, part=Part.INLET), told[2]]
    assert all(each.value is not None for each in over([*[told] * long, goes_on], period_s=60))
    counted = [[told[0], kwh(812.4 + n // 30, part=Part.INLET), told[2]] for n in range(2 * long)]
    assert all(each.value is not None for each in over(counted, period_s=60)), "it counts in whole kWh"


def test_a_thermometer_that_stands_in_tenths_is_frozen_and_one_in_whole_degrees_is_not() -> None:
    values = Random(3)

    def row(digits: int, spread: float) -> list[Measured]:
        moving = [celsius(round(22 + n + values.uniform(-spread, spread), digits), f"T{n}") for n in range(5)]
        return [*moving, celsius(24.0, "stands")]

    tenths = over([row(1, 0.6) for _ in range(STANDS_AFTER + 20)])
    assert {each.name for each in tenths if each.value is None} == {"stands"}
    assert unknown(over([row(0, 3) for _ in range(STANDS_AFTER + 20)])) == set()


def test_a_gpu_at_rest_beside_busy_ones_is_not_frozen() -> None:
    values = Random(4)
    rows = [
        [measured(Part.GPU, f"GPU{n}", Q.POWER_W, 72 if n == 0 else values.randint(600, 700)) for n in range(8)]
        for _ in range(80)
    ]
    assert unknown(over(rows)) == set()


# ---- clocks ----


@pytest.mark.parametrize(
    ("told_at", "clock", "reason"),
    [
        (1_000.0, None, ""),
        (-500.0, None, "it was measured 1500 s ago"),
        (1_900.0, None, "the clocks are apart: it is reported as of 900 s from now"),
        (1_900.0, 1_905.0, ""),
        (1_000.0, 5_000.0, "it was measured 4000 s ago"),
    ],
)
def test_the_age_of_a_value_is_by_the_clock_of_its_device(told_at: float, clock: float | None, reason: str) -> None:
    assert age_trouble(told_at, 1_000.0, clock=clock) == reason


def test_a_memory_of_a_later_time_or_another_version_is_forgotten() -> None:
    volts = [measured(Part.PHASE, "L1", Q.VOLTAGE_V, value) for value in (230.0, 23.0)]
    _, memory = judge([volts[0]], {}, NOW)
    for forgotten in ({**memory, "v": 0}, {**memory, "at": NOW.timestamp() + 60}, {}):
        values, _ = judge([volts[1]], forgotten, NOW + timedelta(seconds=10))
        assert values == [volts[1]]
    values, _ = judge([volts[1]], memory, NOW + timedelta(hours=1))
    assert values == [volts[1]], "what was an hour ago says nothing of a jump"


NAMES = st.sampled_from(["1", "2", "L1", "a|b|c", ""])
VALUES = st.builds(
    measured, st.sampled_from(list(Part)), NAMES, st.sampled_from(list(Quantity)),
    st.none() | st.floats(0, 2_000) | st.sampled_from([0.0, 23.0, 230.0, math.nan, -1.0]),
)  # fmt: skip
READINGS = st.lists(st.tuples(st.lists(VALUES, max_size=12), st.floats(0, 4_000)), max_size=8)


@given(READINGS)
def test_nothing_is_invented_whatever_is_told(readings: list[tuple[list[Measured], float]]) -> None:
    """Each part once, a value only where the device told that very value, a reason where there is none."""
    memory: dict[str, Any] = {}
    at = NOW
    for told, seconds in readings:
        at += timedelta(seconds=seconds)
        values, memory = judge(told, memory, at)
        memory = json.loads(json.dumps(memory))
        keys = [(each.part, each.name, each.quantity) for each in values]
        assert len(set(keys)) == len(keys) and set(keys) == {(each.part, each.name, each.quantity) for each in told}
        for each in values:
            assert each.reason if each.value is None else each in told
        assert len(memory["values"]) <= len(values)


@given(st.lists(st.floats(200, 250).map(lambda volts: round(volts, 1)), min_size=2, max_size=30))
def test_a_steady_supply_is_always_known(volts: list[float]) -> None:
    assert unknown(over([[measured(Part.INLET, "AA", Q.VOLTAGE_V, each)] for each in volts])) == set()
