"""What the meter of a cooling unit told last, as the unit that is judged."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from facility.facts import Health, Part, Quantity
from facility.judgement.liquid import CoolingUnit, Filter, Pump
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import RackFacts, Readings
from facility.overview.air import Piped, cooling_units
from facility.overview.last import Last
from facility.tests.judgement.halls import plan

Values = dict[tuple[str, str], dict[str, float | None]]
PIPES = {7: Piped("cdu-1", 1, {}, {}, ())}


def told(values: Values, meter: int = 7) -> Last:
    return Last(meter, "redfish_cooling", None, None, 1, datetime(2026, 5, 4, tzinfo=UTC), "", values, name="cdu-1")


def unit(values: Values, *others: Last) -> CoolingUnit:
    """Of room 1, where the rack 3 stands; `others` are what else was told."""
    readings = Readings(racks={3: RackFacts(3, "D3", room_id=1)}, rooms={1: "Hall 1", 2: "Hall 2"})
    (found,) = cooling_units([told(values), *others], PIPES, MeasuredGraph(plan(racks=1), readings))
    return found


def air(celsius: float | None, percent: float | None, dew_point: float | None = None, name: str = "Top") -> Values:
    told = {Quantity.TEMPERATURE_C: celsius, Quantity.HUMIDITY_PERCENT: percent, Quantity.DEW_POINT_C: dew_point}
    return {(Part.SENSOR, name): {str(quantity): value for quantity, value in told.items()}}


def probe(values: Values, room_id: int | None = None, rack_id: int | None = None) -> Last:
    return told(values, 8)._replace(kind="snmp_sensors", name="probe", room_id=room_id, rack_id=rack_id)


def flows(**lpm: float) -> Values:
    return {(Part.LOOP, name.replace("_", " ")): {Quantity.FLOW_LPM: each} for name, each in lpm.items()}


def test_the_secondary_side_is_the_whole_one_where_it_is_told_else_its_manifolds_together() -> None:
    whole, parts = unit(flows(primary=380.0, secondary=400.0, B01=90.0)), unit(flows(primary=380.0, B01=90.0, B02=80.0))
    assert (whole.primary_lpm, whole.secondary_lpm, len(whole.manifolds)) == (380, 400, 1)
    assert (parts.primary_lpm, parts.secondary_lpm, len(parts.manifolds)) == (380, 170, 2)


def test_pumps_and_filters_are_taken_with_what_the_unit_says_of_them() -> None:
    found = unit({
        (Part.PUMP, "P1"): {Quantity.SPEED_PERCENT: 60.0, Quantity.HEALTH: 2.0},
        (Part.FILTER, "F1"): {Quantity.PRESSURE_KPA: 20.0, Quantity.HEALTH: 1.0, Quantity.SERVICE_H: 5.0,
                              Quantity.RATED_H: 9.0},
    })  # fmt: skip
    assert found.pumps == (Pump("P1", 60, Health.CRITICAL),)
    assert found.filters == (Filter("F1", 20, Health.WARNING, 5, 9),)


@pytest.mark.parametrize("place", [{"room_id": 1}, {"rack_id": 3}])
def test_a_unit_without_a_dew_point_has_the_highest_of_its_room(place: dict[str, int]) -> None:
    in_hall = probe(
        air(25.0, 50.0, name="Low") | air(24.0, None, 15.5, name="High") | air(30.0, None, name="Dry"), **place
    )
    found = unit({}, in_hall, probe(air(30.0, 90.0), room_id=2), probe(air(30.0, 90.0)))
    assert (found.dew_point_c, found.dew_point_at) == (15.5, "High of probe")
    found = unit({}, probe(air(25.0, 50.0), **place))
    assert found.dew_point_c == pytest.approx(13.87, abs=0.02) and found.dew_point_at == "Top of probe"


@pytest.mark.parametrize("own", [air(None, None, 11.0), air(22.0, 49.5)])
def test_a_dew_point_that_the_unit_tells_itself_counts_alone(own: Values) -> None:
    found = unit(own, probe(air(30.0, 90.0), room_id=1))
    assert found.dew_point_c == pytest.approx(11.0, abs=0.1) and found.dew_point_at == ""


def test_without_temperature_and_humidity_of_the_same_air_there_is_no_dew_point() -> None:
    assert unit({}, probe(air(22.0, None) | air(None, 40.0, name="Damp"), room_id=1)).dew_point_c is None
