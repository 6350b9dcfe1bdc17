"""What a meter says, with unit, place and source. Pure values.

Missing is not zero: what a device does not tell, or tells as a value that cannot be, has no value and a reason.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NamedTuple


class Part(StrEnum):
    """Where it was measured: in a PDU from the plug inwards, in a machine, in a cooling unit, at the site's meter."""

    INLET = "inlet"
    PHASE = "phase"
    BREAKER = "breaker"
    OUTLET = "outlet"
    SENSOR = "sensor"  # of the air, on a lead; a machine has "inlet" and "exhaust"
    MACHINE = "machine"
    SUPPLY = "psu"
    GPU = "gpu"
    FAN = "fan"
    LOOP = "loop"  # of a liquid: primary, secondary, or a manifold
    PUMP = "pump"
    VALVE = "valve"
    FILTER = "filter"
    LEAK = "leak"
    TOTAL = "total"  # of a facility meter: "site", or "it" for what its machines draw
    PANEL = "panel"  # in the sums of a site, by its id
    FEED = "feed"  # the same
    PDU = "pdu"  # in the sums of its rack, by its id


class Quantity(StrEnum):
    """Each in one unit, which its name says."""

    POWER_W = "power_w"
    CURRENT_A = "current_a"
    VOLTAGE_V = "voltage_v"
    ENERGY_KWH = "energy_kwh"  # counts up since the device was reset
    POWER_LIMIT_W = "power_limit_w"
    CURRENT_LIMIT_A = "current_limit_a"  # of a breaker: what it is made for
    TEMPERATURE_C = "temperature_c"
    HUMIDITY_PERCENT = "humidity_percent"
    DEW_POINT_C = "dew_point_c"
    SPEED_RPM = "speed_rpm"
    SPEED_PERCENT = "speed_percent"
    SUPPLY_C = "supply_c"
    RETURN_C = "return_c"
    FLOW_LPM = "flow_lpm"
    PRESSURE_KPA = "pressure_kpa"
    OPEN_PERCENT = "open_percent"
    WET = "wet"  # of a leak detector: 1 is a leak, 0 is dry
    HEALTH = "health"  # what the device says of a part as a whole, one of `Health`
    SERVICE_H = "service_h"  # how long a part has been at work
    RATED_H = "rated_h"  # how long it is made to be; 0 says nothing
    SLOWED_HOT = "slowed_hot"  # GPUs of a machine whose clocks are held down now: by heat
    SLOWED_CAPPED = "slowed_capped"  # by a power cap
    SLOWED_BRAKED = "slowed_braked"  # by the power brake


class Health(IntEnum):
    OK = 0
    WARNING = 1
    CRITICAL = 2


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
    Quantity.POWER_LIMIT_W: (0, 20_000),
    Quantity.CURRENT_LIMIT_A: (1, 1_000),
    Quantity.DEW_POINT_C: (-60, 60),
    Quantity.SPEED_RPM: (0, 60_000),
    Quantity.SPEED_PERCENT: (0, 100),
    Quantity.SUPPLY_C: (-10, 100),
    Quantity.RETURN_C: (-10, 100),
    Quantity.FLOW_LPM: (0, 20_000),
    Quantity.PRESSURE_KPA: (-100, 2_000),
    Quantity.OPEN_PERCENT: (0, 100),
    Quantity.WET: (0, 1),
    Quantity.HEALTH: (Health.OK, Health.CRITICAL),
    Quantity.SERVICE_H: (0, 1_000_000),
    Quantity.RATED_H: (0, 1_000_000),
    Quantity.SLOWED_HOT: (0, 64),
    Quantity.SLOWED_CAPPED: (0, 64),
    Quantity.SLOWED_BRAKED: (0, 64),
}
"""What one meter of a rack can measure: anything else is a wrong unit, a wrong table or a broken sensor."""
OF_A_SITE: dict[Quantity, tuple[float, float]] = {Quantity.POWER_W: (0, 500_000_000), Quantity.ENERGY_KWH: (0, 1e12)}
"""What the meter of a whole site can."""


def measured(part: Part, name: str, quantity: Quantity, value: float | None, reason: str = "") -> Measured:
    """A value within the limits of its quantity, else none with the reason."""
    if value is None:
        return Measured(part, name, quantity, None, reason or "the device tells no value")
    low, high = (part == Part.TOTAL and OF_A_SITE.get(quantity)) or LIMITS[quantity]
    if not low <= value <= high:  # NaN is in no range
        return Measured(part, name, quantity, None, f"{value:g} cannot be: {quantity} is from {low:g} to {high:g}")
    return Measured(part, name, quantity, value, reason)


UNITS: dict[str, str] = {
    Quantity.POWER_W: "W",
    Quantity.CURRENT_A: "A",
    Quantity.VOLTAGE_V: "V",
    Quantity.ENERGY_KWH: "kWh",
    Quantity.POWER_LIMIT_W: "W",
    Quantity.CURRENT_LIMIT_A: "A",
    Quantity.TEMPERATURE_C: "°C",
    Quantity.HUMIDITY_PERCENT: "%",
    Quantity.DEW_POINT_C: "°C",
    Quantity.SPEED_RPM: "rpm",
    Quantity.SPEED_PERCENT: "%",
    Quantity.SUPPLY_C: "°C",
    Quantity.RETURN_C: "°C",
    Quantity.FLOW_LPM: "l/min",
    Quantity.PRESSURE_KPA: "kPa",
    Quantity.OPEN_PERCENT: "%",
    Quantity.WET: "",
    Quantity.HEALTH: "",
    Quantity.SERVICE_H: "h",
    Quantity.RATED_H: "h",
    Quantity.SLOWED_HOT: "GPUs",
    Quantity.SLOWED_CAPPED: "GPUs",
    Quantity.SLOWED_BRAKED: "GPUs",
}
"""As a person reads each."""
