"""What a meter says, with unit, place and source. Pure values.

Missing is not zero: what a device does not tell, or tells as a value that cannot be, has no value and a reason.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Part(StrEnum):
    """Where it was measured, from the plug inwards."""

    INLET = "inlet"
    PHASE = "phase"
    BREAKER = "breaker"
    OUTLET = "outlet"
    SENSOR = "sensor"  # of the air, on a lead


class Quantity(StrEnum):
    """Each in one unit, which its name says."""

    POWER_W = "power_w"
    CURRENT_A = "current_a"
    VOLTAGE_V = "voltage_v"
    ENERGY_KWH = "energy_kwh"  # counts up since the device was reset
    TEMPERATURE_C = "temperature_c"
    HUMIDITY_PERCENT = "humidity_percent"


class Measured(NamedTuple):
    """One value of one part. `name` is as the device calls the part: `AA`, `L1`, `12`."""

    part: Part
    name: str
    quantity: Quantity
    value: float | None
    reason: str = ""


LIMITS: dict[Quantity, tuple[float, float]] = {
    Quantity.POWER_W: (0, 200_000),
    Quantity.CURRENT_A: (0, 800),
    Quantity.VOLTAGE_V: (0, 1_000),
    Quantity.ENERGY_KWH: (0, 1e9),
    Quantity.TEMPERATURE_C: (-40, 125),
    Quantity.HUMIDITY_PERCENT: (0, 100),
}
"""What one rack PDU can measure: anything else is a wrong unit, a wrong table or a broken sensor."""


def measured(part: Part, name: str, quantity: Quantity, value: float | None, reason: str = "") -> Measured:
    """A value within the limits of its quantity, else none with the reason."""
    if value is None:
        return Measured(part, name, quantity, None, reason or "the device tells no value")
    low, high = LIMITS[quantity]
    if not low <= value <= high:  # NaN is in no range
        return Measured(part, name, quantity, None, f"{value:g} cannot be: {quantity} is from {low:g} to {high:g}")
    return Measured(part, name, quantity, value, reason)
