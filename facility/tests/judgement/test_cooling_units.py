"""What the meter of a cooling unit told last, as the unit that is judged."""

from __future__ import annotations

from datetime import UTC, datetime

from facility.facts import Health, Part, Quantity
from facility.judgement.liquid import CoolingUnit, Filter, Pump
from facility.overview.air import Piped, cooling_units
from facility.overview.last import Last

Values = dict[tuple[str, str], dict[str, float | None]]
PIPES = {7: Piped("cdu-1", 1, {}, {}, ())}


def told(values: Values, meter: int = 7) -> Last:
    return Last(meter, "redfish_cooling", None, None, 1, datetime(2026, 5, 4, tzinfo=UTC), "", values, name="cdu-1")


def unit(values: Values) -> CoolingUnit:
    (found,) = cooling_units([told(values)], PIPES)
    return found


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
