"""Units as devices write them (UCUM, as DSP0268 asks of Redfish, and common other spellings) to those of our
quantities. Pure."""

from __future__ import annotations

from facility.facts import Quantity

Q = Quantity
_TEMPERATURE = {"Cel": (1.0, 0.0), "[degF]": (1 / 1.8, -32 / 1.8), "K": (1.0, -273.15)}
_POWER = {"W": (1.0, 0.0), "kW": (1e3, 0.0), "MW": (1e6, 0.0), "mW": (1e-3, 0.0)}
_CURRENT = {"A": (1.0, 0.0), "mA": (1e-3, 0.0), "kA": (1e3, 0.0)}
_PERCENT = {"%": (1.0, 0.0)}
_FACTORS: dict[Quantity, dict[str, tuple[float, float]]] = {
    Q.POWER_W: _POWER,
    Q.POWER_LIMIT_W: _POWER,
    Q.CURRENT_A: _CURRENT,
    Q.CURRENT_LIMIT_A: _CURRENT,
    Q.VOLTAGE_V: {"V": (1.0, 0.0), "mV": (1e-3, 0.0), "kV": (1e3, 0.0)},
    Q.ENERGY_KWH: {
        "kW.h": (1.0, 0.0), "W.h": (1e-3, 0.0), "MW.h": (1e3, 0.0), "GW.h": (1e6, 0.0),
        "J": (1 / 3.6e6, 0.0), "kJ": (1 / 3.6e3, 0.0), "MJ": (1 / 3.6, 0.0), "GJ": (1e3 / 3.6, 0.0),
    },
    Q.TEMPERATURE_C: _TEMPERATURE,
    Q.DEW_POINT_C: _TEMPERATURE,
    Q.SUPPLY_C: _TEMPERATURE,
    Q.RETURN_C: _TEMPERATURE,
    Q.HUMIDITY_PERCENT: _PERCENT,
    Q.SPEED_PERCENT: _PERCENT,
    Q.OPEN_PERCENT: _PERCENT,
    Q.SPEED_RPM: {"{rev}/min": (1.0, 0.0), "{rev}/s": (60.0, 0.0)},
    Q.FLOW_LPM: {
        "L/min": (1.0, 0.0), "L/s": (60.0, 0.0), "L/h": (1 / 60, 0.0), "m3/h": (1e3 / 60, 0.0), "m3/min": (1e3, 0.0),
        "m3/s": (6e4, 0.0), "[gal_us]/min": (3.785411784, 0.0),
    },
    Q.PRESSURE_KPA: {
        "kPa": (1.0, 0.0), "Pa": (1e-3, 0.0), "hPa": (0.1, 0.0), "MPa": (1e3, 0.0), "bar": (100.0, 0.0),
        "mbar": (0.1, 0.0), "[psi]": (6.894757, 0.0),
    },
}  # fmt: skip
"""Of a quantity the factor and the offset of each unit."""
_SPELLINGS = {
    "C": "Cel", "°C": "Cel", "DegC": "Cel", "degC": "Cel", "Celsius": "Cel", "F": "[degF]", "°F": "[degF]",
    "Fahrenheit": "[degF]", "Kelvin": "K", "Watts": "W", "Watt": "W", "Amps": "A", "Volts": "V", "kWh": "kW.h",
    "Wh": "W.h", "MWh": "MW.h", "LPM": "L/min", "l/min": "L/min", "l/s": "L/s", "l/h": "L/h", "m^3/h": "m3/h",
    "GPM": "[gal_us]/min", "psi": "[psi]", "RPM": "{rev}/min", "rpm": "{rev}/min", "1/min": "{rev}/min",
    "Percent": "%", "%RH": "%",
}  # fmt: skip


def is_unit_of(unit: str, quantity: Quantity) -> bool:
    return _SPELLINGS.get(unit, unit) in _FACTORS.get(quantity, {})


def in_our_unit(value: float, unit: str, quantity: Quantity) -> tuple[float | None, str]:
    """The value in the unit of its quantity, else none with the reason."""
    known = _FACTORS.get(quantity, {})
    found = known.get(_SPELLINGS.get(unit, unit))
    if found is None:
        return None, f"it is reported in {unit[:20]!r}, which is no unit of {quantity}"
    factor, offset = found
    return value * factor + offset, ""
