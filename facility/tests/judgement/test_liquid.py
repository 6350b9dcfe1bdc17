"""Liquid: flow, dew point, leaks and the valve to close, filters and pumps; what is not known is not well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from facility.facts import Health
from facility.judgement.cooling import Place
from facility.judgement.limits import SiteLimits
from facility.judgement.liquid import (
    CoolingUnit,
    Filter,
    Leak,
    Manifold,
    Plumbing,
    Pump,
    dew_point_c,
    findings,
    heat_kw,
    is_manifold,
    leaks_at,
    together_lpm,
)  # fmt: skip

LIMITS = SiteLimits()


def kinds(found: list) -> list[str]:
    return sorted({each.kind for each in found})


UNIT = CoolingUnit(
    7, "cdu-1", 22.0, 32.0, 400.0, 12.0, "W32",
    tuple(Manifold(f"m{n}", 100.0, (n,)) for n in range(1, 6)),
    (Pump("P1", 60.0), Pump("P2", 0.0)), (Filter("F1", 20.0),), (Leak("L1", False),),
    Plumbing({"L1": "m1", "L2": "m2"}, {"m1": "V1"}),
)  # fmt: skip


def test_a_sound_unit_has_no_findings_and_a_pump_in_reserve_is_none() -> None:
    assert findings([UNIT], LIMITS) == []


def test_a_leak_names_its_manifold_and_the_valve_to_close() -> None:
    (found,) = findings([replace(UNIT, leaks=(Leak("L1", True),))], LIMITS)
    assert (found.kind, found.values["valve"], found.values["racks"]) == ("leak", "V1", [1])
    assert found.text == "Leak at L1 of cdu-1 at manifold m1: close valve V1."
    (found,) = findings([replace(UNIT, leaks=(Leak("L2", True),))], LIMITS)
    assert "its valve is not recorded: close the unit" in found.text


def test_a_detector_that_says_nothing_is_not_dry() -> None:
    assert kinds(findings([replace(UNIT, leaks=(Leak("L1", None),))], LIMITS)) == ["value.unknown"]


RACK, HALL = Place("rack", 3, "D3", 3, 1), Place("room", 1, "Hall 1", room_id=1)
METER = Place("meter", 9, "ropes")


@pytest.mark.parametrize(("place", "racks"), [(RACK, [3]), (HALL, []), (METER, [])])
def test_a_wet_detector_that_is_of_no_cooling_unit_is_a_leak_of_its_place(place: Place, racks: list[int]) -> None:
    (found,) = leaks_at({place: [Leak("Rope", True), Leak("Tray", False)]})
    assert (found.kind, found.subject_kind, found.subject_id, found.part) == ("leak", place.kind, place.id, "Rope")
    assert (found.rack_id, found.room_id, found.values["racks"]) == (place.rack_id, place.room_id, racks)
    assert found.text == f"Leak at Rope of {place.name}: find where the water comes from."


def test_a_detector_of_a_room_that_says_nothing_is_not_dry() -> None:
    (found,) = leaks_at({HALL: [Leak("Rope", None)]})
    assert (found.kind, found.subject_kind, found.part) == ("value.unknown", "room", "Rope")
    assert found.text == "Detector Rope of Hall 1 says nothing: a leak there would not be seen."


def test_a_manifold_with_too_little_flow_is_found_against_the_others() -> None:
    low = (replace(UNIT.manifolds[0], flow_lpm=60.0), *UNIT.manifolds[1:])
    (found,) = findings([replace(UNIT, manifolds=low)], LIMITS)
    assert (found.kind, found.part, found.values["racks"]) == ("loop.flow_low", "m1", [1])
    assert findings([replace(UNIT, manifolds=low[:3])], LIMITS) == []  # two others prove nothing


def test_a_manifold_that_stands_beside_one_that_flows_is_found_however_few_they_are() -> None:
    still = (replace(UNIT.manifolds[0], flow_lpm=1.0), replace(UNIT.manifolds[1], flow_lpm=100.0))
    (found,) = findings([replace(UNIT, manifolds=still)], LIMITS)
    assert (found.kind, found.part, found.values["racks"]) == ("loop.flow_low", "m1", [1])
    assert found.text == "Manifold m1 of cdu-1: 1 l/min, while 100 flow through another."
    assert findings([replace(UNIT, manifolds=(replace(still[0], flow_lpm=2.0), still[1]))], LIMITS) == []
    both = tuple(replace(each, flow_lpm=0.0) for each in still)
    assert findings([replace(UNIT, manifolds=both)], LIMITS) == [], "nothing that flows proves that it should"
    assert findings([replace(UNIT, manifolds=(both[0], replace(both[1], flow_lpm=None)))], LIMITS) == []


@pytest.mark.parametrize(
    ("primary_lpm", "secondary_lpm", "part", "text"),
    [
        (0.0, 400.0, "primary", "The primary loop of cdu-1 stands still: 0 l/min for 279 kW."),
        (380.0, 0.0, "secondary",
         "The secondary loop of cdu-1 stands still: 0 l/min, while 380 flow on the primary side."),
    ],
)  # fmt: skip
def test_a_side_that_stands_while_the_other_one_flows_is_found(
    primary_lpm: float, secondary_lpm: float, part: str, text: str
) -> None:
    (found,) = findings([replace(UNIT, primary_lpm=primary_lpm, secondary_lpm=secondary_lpm)], LIMITS)
    assert (found.kind, found.part, found.text) == ("loop.flow_low", part, text)
    assert found.values["racks"] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("primary_lpm", "secondary_lpm"), [(0.0, 0.0), (None, 0.0), (380.0, None), (380.0, 400.0)])
def test_a_unit_that_is_off_or_a_side_that_is_not_known_is_no_lost_flow(
    primary_lpm: float | None, secondary_lpm: float | None
) -> None:
    assert findings([replace(UNIT, primary_lpm=primary_lpm, secondary_lpm=secondary_lpm)], LIMITS) == []


def test_manifolds_together_are_the_secondary_side_where_all_of_them_tell() -> None:
    assert together_lpm(UNIT.manifolds) == 500
    assert together_lpm((*UNIT.manifolds, Manifold("m6"))) is None and together_lpm(()) is None


@pytest.mark.parametrize("loop", ["primary", "Primary", "primary 2", "secondary", "2:secondary"])
def test_a_side_as_a_whole_and_connectors_to_the_building_are_no_manifolds(loop: str) -> None:
    assert not is_manifold(loop) and is_manifold("secondary 2") and is_manifold("2:B01")


@pytest.mark.parametrize(
    ("changes", "kind"),
    [({"dew_point_c": 20.5}, "loop.dew_point"), ({"supply_c": 33.0}, "loop.class"),
     ({"filters": (Filter("F1", 51.0),)}, "filter.dirty"),
     ({"pumps": (Pump("P1", 0.0), Pump("P2", 0.0))}, "pump.failed"),
     ({"pumps": (Pump("P1", 100.0), Pump("P2", 0.0))}, "pump.failed"),  # one in reserve would run as well
     ({"primary_lpm": 0.0, "secondary_lpm": 400.0}, "loop.flow_low")],
)  # fmt: skip
def test_each_fault_of_a_unit_is_found(changes: dict[str, object], kind: str) -> None:
    assert kinds(findings([replace(UNIT, **changes)], LIMITS)) == [kind]  # type: ignore[arg-type]


THREE = tuple(Pump(f"P{n}", 60.0) for n in range(1, 4))


@pytest.mark.parametrize(
    ("pump", "text"),
    [
        (Pump("P4", 0.0, Health.CRITICAL), "Pump P4 of cdu-1 stands still: the unit says that it failed."),
        (Pump("P4", 60.0, Health.CRITICAL), "Pump P4 of cdu-1: the unit says that it failed."),
        (Pump("P4", None, Health.CRITICAL), "Pump P4 of cdu-1: the unit says that it failed."),
        (Pump("P4", 0.0), "Pump P4 of cdu-1 stands still."),
        (Pump("P4", 0.0, Health.WARNING), "Pump P4 of cdu-1 stands still."),
    ],
)
def test_a_pump_that_its_unit_calls_failed_or_that_stands_beside_three_is_found(pump: Pump, text: str) -> None:
    (found,) = findings([replace(UNIT, pumps=(*THREE, pump))], LIMITS)
    assert (found.kind, found.part, found.text) == ("pump.failed", "P4", text)
    assert found.values == {"speed_percent": pump.speed_percent, "health": pump.health}


@pytest.mark.parametrize(
    "pumps",
    [(*THREE, Pump("P4", 0.0, Health.OK)), (*THREE[:2], Pump("P4", 0.0)), (*THREE, Pump("P4", 60.0, Health.WARNING))],
)
def test_a_pump_in_reserve_or_one_that_runs_with_a_warning_has_not_failed(pumps: tuple[Pump, ...]) -> None:
    assert findings([replace(UNIT, pumps=pumps)], LIMITS) == []


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (Filter("F1", 20.0, Health.WARNING), "Filter F1 of cdu-1: the unit calls it warning."),
        (Filter("F1", None, Health.CRITICAL), "Filter F1 of cdu-1: the unit calls it critical."),
        (Filter("F1", None, Health.OK, 8_761, 8_760), "Filter F1 of cdu-1: 8761 hours at work, made for 8760."),
        (Filter("F1", 61.0, Health.WARNING), "Filter F1 of cdu-1: 61 kPa, more than 50; the unit calls it warning."),
    ],
)
def test_a_filter_is_due_by_its_pressure_its_health_or_its_hours(told: Filter, text: str) -> None:
    (found,) = findings([replace(UNIT, filters=(told,))], LIMITS)
    assert (found.kind, found.part, found.text) == ("filter.dirty", "F1", text)


@pytest.mark.parametrize(
    "told",
    [Filter("F1", None, Health.OK, 8_760, 8_760), Filter("F1", 20.0, None, 9_000), Filter("F1", 20.0, None, 9_000, 0)],
)
def test_a_filter_that_is_well_within_its_hours_or_made_for_no_known_ones_is_not_due(told: Filter) -> None:
    assert findings([replace(UNIT, filters=(told,))], LIMITS) == []


@pytest.mark.parametrize(("dew_point_c", "said"), [(20.5, "1.5 °C above"), (26.0, "4.0 °C below")])
def test_how_far_the_coolant_is_from_the_dew_point_is_said_with_its_side(dew_point_c: float, said: str) -> None:
    (found,) = findings([replace(UNIT, supply_c=22.0, dew_point_c=dew_point_c)], LIMITS)
    assert found.text == f"{UNIT.name} supplies 22.0 °C, {said} the dew point of the air around it."


def test_a_dew_point_of_the_room_is_said_with_its_sensor() -> None:
    (found,) = findings([replace(UNIT, dew_point_c=20.5, dew_point_at="Ceiling of probe")], LIMITS)
    assert found.text.endswith("1.5 °C above the dew point of the air at Ceiling of probe.")


def test_a_unit_of_which_nobody_knows_the_dew_point_is_not_dry() -> None:
    (found,) = findings([replace(UNIT, dew_point_c=None)], LIMITS)
    assert (found.kind, found.subject_kind, found.part) == ("value.unknown", "cooling_unit", "dew point")
    assert "neither the unit nor a sensor of its room" in found.text


@pytest.mark.parametrize(
    ("air_c", "humidity_percent", "expected"),
    [(20.0, 100.0, 20.0), (25.0, 50.0, 13.9), (30.0, 80.0, 26.2), (20.0, 30.0, 1.9),
     (None, 50.0, None), (25.0, None, None), (25.0, 0.0, None)],
)  # fmt: skip
def test_the_dew_point_follows_from_temperature_and_humidity(
    air_c: float | None, humidity_percent: float | None, expected: float | None
) -> None:
    assert dew_point_c(air_c, humidity_percent) == (None if expected is None else pytest.approx(expected, abs=0.05))


def test_values_of_a_unit_that_are_missing_are_no_findings_and_no_zero() -> None:
    blank = CoolingUnit(
        7, "cdu-1", manifolds=(Manifold("m1"),), pumps=(Pump("P1", None),), filters=(Filter("F1", None),)
    )
    assert findings([blank], LIMITS) == []
    assert heat_kw(None, 22, 32) is None


def test_heat_carried_follows_from_flow_and_temperatures() -> None:
    assert heat_kw(100, 22, 32) == pytest.approx(69.7)
