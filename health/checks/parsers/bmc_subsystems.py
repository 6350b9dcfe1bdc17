"""The newer Redfish trees in the shape of the older: ThermalSubsystem, PowerSubsystem, Sensors, EnvironmentMetrics.

DMTF deprecated Thermal and Power in Redfish 2020.4 (DSP0268); BMCs of HGX and GB200 boards, OpenBMC and newer iLO and
XCC have only the new ones. A driver puts the members of a collection in the place of its link (`Fans`,
`PowerSupplies`), the metrics of a supply or a subsystem under `Metrics`, and the sensors as a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Resource = Mapping[str, Any]


def as_thermal(subsystem: Any, sensors: Any) -> dict[str, Any]:
    """`Fans` and `Temperatures` as the resource Thermal has them; without what is not told."""
    fans = _members(subsystem, "Fans")
    metrics = _mapping(subsystem, "Metrics") or _mapping(subsystem, "ThermalMetrics")
    temperatures = [_temperature(each) for each in listed(sensors) if each.get("ReadingType") == "Temperature"]
    if not temperatures:
        temperatures = _summary(metrics)
    found: dict[str, Any] = {}
    if fans is not None:
        found["Fans"] = [_fan(each) for each in fans]
    if temperatures:
        found["Temperatures"] = temperatures
    return found


def as_power(subsystem: Any, environment: Any) -> dict[str, Any]:
    """`PowerSupplies`, `PowerControl` and `Redundancy` as the resource Power has them; without what is not told."""
    found: dict[str, Any] = {}
    supplies = _members(subsystem, "PowerSupplies")
    if supplies is not None:
        found["PowerSupplies"] = [_supply(each) for each in supplies]
    watts = _reading(environment, "PowerWatts")
    if watts is not None:
        found["PowerControl"] = [{"PowerConsumedWatts": watts}]
    groups = _members(subsystem, "PowerSupplyRedundancy")
    if groups:
        found["Redundancy"] = groups
    return found


def listed(value: Any) -> list[Resource]:
    """Resources of a list, or of a collection whose members are there and not only linked."""
    rows = value.get("Members") if isinstance(value, Mapping) else value
    return [each for each in rows if isinstance(each, Mapping)] if isinstance(rows, Sequence) else []


def _members(resource: Any, name: str) -> list[Resource] | None:
    value = resource.get(name) if isinstance(resource, Mapping) else None
    return listed(value) if isinstance(value, list) or (isinstance(value, Mapping) and "Members" in value) else None


def _mapping(resource: Any, name: str) -> Resource:
    value = resource.get(name) if isinstance(resource, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _reading(resource: Any, name: str) -> Any:
    return _mapping(resource, name).get("Reading")


def _fan(row: Resource) -> dict[str, Any]:
    """Turns a minute where the BMC counts them, else percent: of either, 0 is a fan that stands still."""
    speed = _mapping(row, "SpeedPercent")
    return {**row, "Reading": speed.get("SpeedRPM", speed.get("Reading"))}


def _temperature(row: Resource) -> dict[str, Any]:
    critical = _reading(_mapping(row, "Thresholds"), "UpperCritical")
    return {**row, "ReadingCelsius": row.get("Reading"), "UpperThresholdCritical": critical}


def _summary(metrics: Resource) -> list[dict[str, Any]]:
    """The intake of ThermalMetrics, for a BMC whose sensors were not read."""
    reading = _reading(_mapping(metrics, "TemperatureSummaryCelsius"), "Intake")
    if reading is None:
        return []
    return [{"Name": "Intake", "PhysicalContext": "Intake", "ReadingCelsius": reading}]


def _supply(row: Resource) -> dict[str, Any]:
    volts = _reading(_mapping(row, "Metrics"), "InputVoltage")
    return {**row, "MemberId": row.get("Id"), "LineInputVoltage": volts}
