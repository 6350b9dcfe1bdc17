"""Readings of Redfish resources as values with units: excerpts of sensors, and sensors themselves. Pure.

An excerpt (`"PowerWatts": {"Reading": 1120, "DataSourceUri": ..}`) is in the unit that its name says; where the sensor
it is of was read as well, in the unit that the sensor says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from facility.facts import Measured, Part, Quantity, measured
from facility.plausible import age_trouble
from facility.readers.redfish_tree import Resource, Tree
from facility.readers.units import in_our_unit

Q = Quantity
AWAY = {
    "Absent": "it is not there",
    "Disabled": "it is disabled",
    "UnavailableOffline": "it is not available",
    "Deferring": "it is not available now",
    "Updating": "it is being updated",
    "Starting": "it is starting",
    "Degraded": "",
}
UNITS: dict[str, tuple[Quantity, str]] = {
    "PowerWatts": (Q.POWER_W, "W"),
    "CurrentAmps": (Q.CURRENT_A, "A"),
    "Voltage": (Q.VOLTAGE_V, "V"),
    "EnergykWh": (Q.ENERGY_KWH, "kW.h"),
    "TemperatureCelsius": (Q.TEMPERATURE_C, "Cel"),
    "HumidityPercent": (Q.HUMIDITY_PERCENT, "%"),
    "DewPointCelsius": (Q.DEW_POINT_C, "Cel"),
    "SupplyTemperatureCelsius": (Q.SUPPLY_C, "Cel"),
    "ReturnTemperatureCelsius": (Q.RETURN_C, "Cel"),
    "FlowLitersPerMinute": (Q.FLOW_LPM, "L/min"),
    "SupplyPressurekPa": (Q.PRESSURE_KPA, "kPa"),
    "PumpSpeedPercent": (Q.SPEED_PERCENT, "%"),
    "ValvePositionPercent": (Q.OPEN_PERCENT, "%"),
}
"""What an excerpt of this name measures, and its unit."""
LINES = {
    "Line1": "L1", "Line2": "L2", "Line3": "L3", "Neutral": "N",
    "Line1ToNeutral": "L1", "Line2ToNeutral": "L2", "Line3ToNeutral": "L3",
    "Line1ToLine2": "L1-L2", "Line2ToLine3": "L2-L3", "Line3ToLine1": "L3-L1",
}  # fmt: skip


class Source(NamedTuple):
    """The tree that readings are taken from, and our own time (seconds since 1970)."""

    tree: Tree
    now: float


def name_of(resource: Resource) -> str:
    """As the device calls it."""
    return _text(resource, "Id") or _text(resource, "Name") or "1"


def label_of(resource: Resource) -> str:
    """As people read it."""
    return _text(resource, "Name") or name_of(resource)


def excerpts_of(source: Source, resource: Resource, names: Iterable[str], part: Part, name: str) -> list[Measured]:
    """Those of the named readings that a resource has, unknown ones with their reason."""
    found = []
    for each in names:
        if each in resource:
            quantity, unit = UNITS[each]
            found.append(_excerpt(source, resource, resource[each], part, name, quantity, unit))
    return found


def lines_of(source: Source, resource: Resource, part: Part, before: str = "") -> list[Measured]:
    """The readings of each line of a part with several phases; `before` stands before the name of a line."""
    found = []
    for each in ("PowerWatts", "CurrentAmps", "Voltage", "EnergykWh"):
        quantity, unit = UNITS[each]
        lines = resource.get(f"PolyPhase{each}")
        for line, name in LINES.items():
            if isinstance(lines, Mapping) and line in lines:
                found.append(_excerpt(source, resource, lines[line], part, before + name, quantity, unit))
    return found


def or_unknown(found: list[Measured], resource: Resource, part: Part, name: str, quantity: Quantity) -> list[Measured]:
    """A part that tells nothing at all is there and unknown, not left out."""
    return found or [measured(part, name, quantity, None, away(resource))]


def of_sensor(source: Source, sensor: Resource, part: Part, name: str, quantity: Quantity) -> Measured:
    """The reading of a sensor in the unit of its quantity."""
    return _reading(source, sensor, sensor, part, name, quantity, "")


def _excerpt(
    source: Source, resource: Resource, told: Any, part: Part, name: str, quantity: Quantity, unit: str
) -> Measured:
    if reason := away(resource):
        return measured(part, name, quantity, None, reason)
    excerpt = told if isinstance(told, Mapping) else {"Reading": told}
    uri = excerpt.get("DataSourceUri")
    sensor = source.tree.resources.get(uri.rstrip("/"), {}) if isinstance(uri, str) else {}
    whole = {**excerpt, **{key: value for key, value in sensor.items() if value is not None}}
    return _reading(source, whole, sensor, part, name, quantity, unit)


def _reading(
    source: Source, told: Resource, sensor: Resource, part: Part, name: str, quantity: Quantity, unit: str
) -> Measured:
    value, reason = told.get("Reading"), away(sensor) or _aged(source, told)
    if reason or value is None:
        return measured(part, name, quantity, None, reason)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return measured(part, name, quantity, None, f"it is reported as {str(value)[:40]!r}, which is no number")
    said = _text(told, "ReadingUnits") or unit
    if not said:
        return measured(part, name, quantity, None, "the sensor does not tell its unit")
    return measured(part, name, quantity, *in_our_unit(float(value), said, quantity))


def number(told: Any) -> float | None:
    """What is told as a number; JSON's true is none."""
    return float(told) if isinstance(told, int | float) and not isinstance(told, bool) else None


def away(resource: Resource) -> str:
    """Why a part tells nothing, or nothing."""
    status = resource.get("Status")
    state = status.get("State") if isinstance(status, Mapping) else None
    if not isinstance(state, str) or state in ("Enabled", "StandbyOffline", "InTest", "Qualified"):
        return ""
    return AWAY.get(state, state if " " in state else "")


def _aged(source: Source, told: Resource) -> str:
    try:
        at = datetime.fromisoformat(str(told.get("ReadingTime") or ""))
    except ValueError:
        return ""
    return age_trouble(at.timestamp(), source.now, clock=source.tree.clock) if at.tzinfo else ""


def _text(resource: Resource, key: str) -> str:
    value = resource.get(key)
    return value.strip()[:100] if isinstance(value, str) else ""
