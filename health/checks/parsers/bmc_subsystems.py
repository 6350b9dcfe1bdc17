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


def fan_watts(subsystem: Any) -> list[Any]:
    """What each fan says that it draws (Fan.PowerWatts)."""
    return [_reading(each, "PowerWatts") for each in _members(subsystem, "Fans") or ()]


def as_power(subsystem: Any, environment: Any, sensors: Any = None) -> dict[str, Any]:
    """`PowerSupplies`, `PowerControl` and `Redundancy` as the resource Power has them; without what is not told."""
    found: dict[str, Any] = {}
    supplies = _members(subsystem, "PowerSupplies")
    if supplies is not None:
        found["PowerSupplies"] = [_supply(each, listed(sensors)) for each in supplies]
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
    unit = "RPM" if "SpeedRPM" in speed else "Percent"
    return {**row, "Reading": speed.get("SpeedRPM", speed.get("Reading")), "ReadingUnits": unit}


def _temperature(row: Resource) -> dict[str, Any]:
    critical = _reading(_mapping(row, "Thresholds"), "UpperCritical")
    return {**row, "ReadingCelsius": row.get("Reading"), "UpperThresholdCritical": critical}


def _summary(metrics: Resource) -> list[dict[str, Any]]:
    """Intake and exhaust of ThermalMetrics, for a BMC whose sensors were not read."""
    summary = _mapping(metrics, "TemperatureSummaryCelsius")
    told = [(place, _reading(summary, place)) for place in ("Intake", "Exhaust")]
    return [
        {"Name": place, "PhysicalContext": place, "ReadingCelsius": reading}
        for place, reading in told
        if reading is not None
    ]


def _supply(row: Resource, sensors: Sequence[Resource]) -> dict[str, Any]:
    metrics = _mapping(row, "Metrics")
    watts = _reading(metrics, "InputPowerWatts")
    return {
        **row,
        "MemberId": row.get("Id"),
        "LineInputVoltage": _reading(metrics, "InputVoltage"),
        "PowerInputWatts": _input_of(row, sensors) if watts is None else watts,
    }


def _input_of(supply: Resource, sensors: Sequence[Resource]) -> Any:
    """What the sensor of a supply's input says, for a BMC that has no metrics of supplies."""
    path = supply.get("@odata.id")
    for each in sensors:
        items = each.get("RelatedItem")
        related = (
            [item.get("@odata.id") for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
        )
        is_input = "input" in f"{each.get('Id')} {each.get('Name')}".lower()
        if each.get("ReadingType") == "Power" and is_input and path and path in related:
            return each.get("Reading")
    return None
