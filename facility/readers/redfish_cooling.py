"""Cooling units of Redfish's ThermalEquipment (CoolingUnit, CoolantConnector, Pump, Filter, LeakDetector). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from facility.facts import Health, Measured, Part, Quantity, measured
from facility.readers.redfish_pdu import air
from facility.readers.redfish_readings import (
    Source,
    away,
    excerpts_of,
    label_of,
    name_of,
    number,
    of_sensor,
    or_unknown,
)
from facility.readers.redfish_tree import Plan, Resource, related

UNITS = ("CDUs", "RPUs", "HeatExchangers", "ImmersionUnits")
"""Collections of ThermalEquipment whose members are cooling units."""
OF_A_UNIT: Plan = {
    "PrimaryCoolantConnectors": {},
    "SecondaryCoolantConnectors": {},
    "Pumps": {},
    "Filters": {},
    "Valves": {},
    "LeakDetection": {"LeakDetectors": {}},
    "EnvironmentMetrics": {},
    "Sensors": {},
    "Links.Chassis": {"Sensors": {}, "LeakDetectors": {}},
}
PLAN: Plan = {"ThermalEquipment": dict.fromkeys(UNITS, OF_A_UNIT)}
CONNECTOR = ("SupplyTemperatureCelsius", "ReturnTemperatureCelsius", "FlowLitersPerMinute", "SupplyPressurekPa")
WET = {"OK": 0.0, "Warning": 1.0, "Critical": 1.0}
"""By `DetectorState`: a detector that warns has met liquid too."""

HEALTH = {"OK": Health.OK, "Warning": Health.WARNING, "Critical": Health.CRITICAL}
SERVICE = {"ServiceHours": Quantity.SERVICE_H, "RatedServiceHours": Quantity.RATED_H}


def read(source: Source, root: Resource) -> list[Measured]:
    """Every value of the cooling units of a service; `root` is the service root, or the one unit that is meant."""
    tree, units = source.tree, [root]
    if "ThermalEquipment" in root:
        equipment = tree.follow(root, "ThermalEquipment")
        units = [unit for collection in UNITS for unit in tree.members(equipment, collection)]
    units = [unit for unit in units if OF_A_UNIT.keys() & unit.keys()]
    return [
        value._replace(name=f"{name_of(unit)}:{value.name}".rstrip(":")) if len(units) > 1 else value
        for unit in units
        for value in _unit(source, unit)
    ]


def _unit(source: Source, unit: Resource) -> list[Measured]:
    tree = source.tree
    environment = tree.follow(unit, "EnvironmentMetrics")
    found = _loops(source, unit, "primary") + _loops(source, unit, "secondary")
    for each in tree.members(unit, "Pumps"):
        pump = _failed_as_told(each)
        told = excerpts_of(source, pump, ("PumpSpeedPercent",), Part.PUMP, name_of(pump)) + _turns(pump)
        found += or_unknown(told, pump, Part.PUMP, name_of(pump), Quantity.SPEED_PERCENT) + _health(each, Part.PUMP)
    for valve in tree.members(unit, "Valves"):
        told = excerpts_of(source, valve, ("ValvePositionPercent",), Part.VALVE, name_of(valve))
        found += or_unknown(told, valve, Part.VALVE, name_of(valve), Quantity.OPEN_PERCENT)
    found += leaks(source, tree.follow(unit, "LeakDetection")) or [
        each for chassis in tree.linked(unit, "Chassis") for each in leaks(source, chassis)
    ]
    found += excerpts_of(source, environment, ("PowerWatts",), Part.MACHINE, "")
    air_of = ("TemperatureCelsius", "HumidityPercent", "DewPointCelsius")
    found += excerpts_of(source, environment, air_of, Part.SENSOR, "ambient")
    sensors = tree.members(unit, "Sensors")
    sensors += [each for chassis in tree.linked(unit, "Chassis") for each in tree.members(chassis, "Sensors")]
    by_path = {str(each.get("@odata.id")): each for each in sensors}
    others = [each for path, each in tree.resources.items() if path not in by_path and "Members" not in each]
    sensors = list(by_path.values())
    in_sensors = _filters_and_valves(source, sensors)
    return found + air(source, sensors, others) + in_sensors + _filters(tree.members(unit, "Filters"), in_sensors)


def _loops(source: Source, unit: Resource, side: str) -> list[Measured]:
    """What the connectors of a side tell, and the valve in each."""
    connectors = source.tree.members(unit, f"{side.title()}CoolantConnectors")
    found = []
    for each, name in zip(connectors, _names(connectors, side), strict=True):
        told = excerpts_of(source, each, CONNECTOR, Part.LOOP, name)
        found += or_unknown(told, each, Part.LOOP, name, Quantity.SUPPLY_C)
        found += excerpts_of(source, each, ("ValvePositionPercent",), Part.VALVE, name)
    return found


def _names(connectors: list[Resource], side: str) -> list[str]:
    """One connector is the whole side. Several are manifolds, called as the device does; one with a bare number beside
    those with names is the whole side again."""
    ids = [name_of(each) for each in connectors]
    numbers = [each for each in ids if each.isdecimal()]
    if len(numbers) == 1 or len(ids) == 1:
        return [side if each in numbers or len(ids) == 1 else each for each in ids]
    return [f"{side} {each}" if each.isdecimal() else each for each in ids]


def _failed_as_told(pump: Resource) -> Resource:
    """One that failed is offline, and stands still: the 0 that it tells is its speed, not a value that is missing."""
    status, speed = pump.get("Status"), pump.get("PumpSpeedPercent")
    failed = isinstance(status, Mapping) and status.get("Health") == "Critical"
    stands = isinstance(speed, Mapping) and speed.get("Reading") == 0
    return {name: told for name, told in pump.items() if name != "Status"} if failed and stands else pump


def _turns(pump: Resource) -> list[Measured]:
    speed = pump.get("PumpSpeedPercent")
    rpm = number(speed.get("SpeedRPM")) if isinstance(speed, Mapping) else None
    return [] if rpm is None or away(pump) else [measured(Part.PUMP, name_of(pump), Quantity.SPEED_RPM, rpm)]


def _health(resource: Resource, part: Part) -> list[Measured]:
    """What the unit says of a part that is there. One that is disabled may be so because it failed."""
    status = resource.get("Status")
    told = status.get("Health") if isinstance(status, Mapping) and status.get("State") != "Absent" else None
    health = HEALTH.get(told) if isinstance(told, str) else None
    return [] if health is None else [measured(part, name_of(resource), Quantity.HEALTH, float(health))]


def _filters(filters: list[Resource], in_sensors: list[Measured]) -> list[Measured]:
    """What filters say themselves: how well they are, and for how long they have been at work. One of which neither
    that nor the pressure over it says whether it is due is unknown."""
    with_pressure = {each.name for each in in_sensors if each.part == Part.FILTER}
    found = []
    for each in filters:
        name, told = name_of(each), _health(each, Part.FILTER)
        hours = {} if away(each) else {quantity: number(each.get(key)) for key, quantity in SERVICE.items()}
        says = told or name in with_pressure or all(hours.get(quantity) is not None for quantity in SERVICE.values())
        found += told if says else or_unknown([], each, Part.FILTER, name, Quantity.HEALTH)
        found += [measured(Part.FILTER, name, key, value) for key, value in hours.items() if value is not None]
    return found


def leaks(source: Source, detection: Resource) -> list[Measured]:
    """What each leak detector says, from the collection, else from the groups of the unit."""
    detectors = source.tree.members(detection, "LeakDetectors")
    if detectors:
        return [_leak(name_of(each), each) for each in detectors]
    groups = detection.get("LeakDetectorGroups")
    rows = (
        [group.get("Detectors") for group in groups if isinstance(group, Mapping)] if isinstance(groups, list) else []
    )
    flat = [each for row in rows if isinstance(row, list) for each in row if isinstance(each, Mapping)]
    return [_leak(str(each.get("DeviceName") or number), each) for number, each in enumerate(flat, 1)]


def _leak(name: str, detector: Resource) -> Measured:
    state: Any = detector.get("DetectorState")
    wet = WET.get(state) if isinstance(state, str) else None
    reason = "" if state is None else f"the detector says {str(state)[:40]!r}"
    return measured(Part.LEAK, name, Quantity.WET, wet, "" if wet is not None else reason)


def _filters_and_valves(source: Source, sensors: list[Resource]) -> list[Measured]:
    """The pressure over a filter stands in a sensor alone, and the position of a valve where no connector tells it."""
    found = []
    for sensor in sensors:
        kind, name, parts = str(sensor.get("ReadingType")), label_of(sensor), related(source.tree, sensor)
        of_filter = [each for each in parts if "Filter." in str(each.get("@odata.type"))]
        is_filter = of_filter or sensor.get("PhysicalContext") == "Filter" or "filter" in name.lower()
        if kind in ("PressurekPa", "PressurePa", "Pressure") and is_filter:
            name = name_of(of_filter[0]) if of_filter else name
            found.append(of_sensor(source, sensor, Part.FILTER, name, Quantity.PRESSURE_KPA))
        elif kind == "Valve" and not any("ValvePositionPercent" in each for each in parts):
            found.append(of_sensor(source, sensor, Part.VALVE, name, Quantity.OPEN_PERCENT))
    return found
