"""Rack PDUs of Redfish's PowerEquipment (DSP2064, PowerDistribution, Circuit, Outlet). Pure."""

from __future__ import annotations

from facility.facts import Measured, Part, Quantity, measured
from facility.readers.redfish_readings import (
    Source,
    excerpts_of,
    label_of,
    lines_of,
    name_of,
    number,
    of_sensor,
    or_unknown,
)
from facility.readers.redfish_tree import Plan, Resource, excerpts
from facility.readers.units import is_unit_of

OF_A_PDU: Plan = {
    "Metrics": {},
    "Mains": {},
    "Branches": {},
    "Outlets": {},
    "Sensors": {},
    "Links.Chassis": {"Sensors": {}},
}
PLAN: Plan = {"PowerEquipment": {"RackPDUs": OF_A_PDU}}
POWER = ("PowerWatts", "CurrentAmps", "Voltage", "EnergykWh")
AIR = {"Temperature": Quantity.TEMPERATURE_C, "Humidity": Quantity.HUMIDITY_PERCENT}
"""By `ReadingType`. A sensor need not tell it: a temperature is known by its unit."""


def read(source: Source, root: Resource) -> list[Measured]:
    """Every value of the PDUs of a service; `root` is the service root, or the one PDU that is meant."""
    tree = source.tree
    pdus = tree.members(tree.follow(root, "PowerEquipment"), "RackPDUs") if "PowerEquipment" in root else [root]
    pdus = [pdu for pdu in pdus if {"Mains", "Outlets", "Branches", "Metrics"} & pdu.keys()]
    return [
        value._replace(name=f"{name_of(pdu)}:{value.name}") if len(pdus) > 1 else value
        for pdu in pdus
        for value in _pdu(source, pdu)
    ]


def _pdu(source: Source, pdu: Resource) -> list[Measured]:
    tree = source.tree
    mains, metrics = tree.members(pdu, "Mains"), tree.follow(pdu, "Metrics")
    found: list[Measured] = []
    for main in mains:
        told = excerpts_of(source, main, POWER, Part.INLET, name_of(main))
        told += lines_of(source, main, Part.PHASE, f"{name_of(main)}:" if len(mains) > 1 else "")
        found += or_unknown(told, main, Part.INLET, name_of(main), Quantity.POWER_W)
    if not any(each.part == Part.INLET and each.quantity == Quantity.POWER_W for each in found):
        found += excerpts_of(source, metrics, ("PowerWatts", "EnergykWh"), Part.INLET, name_of(pdu))
    for collection, part in (("Branches", Part.BREAKER), ("Outlets", Part.OUTLET)):
        quantity = Quantity.CURRENT_A if part is Part.BREAKER else Quantity.POWER_W
        for each in tree.members(pdu, collection):
            name = name_of(each)
            whole = excerpts_of(source, each, POWER, part, name)
            # What is told of the whole, its lines tell again.
            own = {value.quantity for value in whole}
            lines = [value for value in lines_of(source, each, part, f"{name}:") if value.quantity not in own]
            found += or_unknown(whole + lines, each, part, name, quantity)
            found += _rating(each, name) if part is Part.BREAKER else []
    found += excerpts_of(source, metrics, ("TemperatureCelsius", "HumidityPercent"), Part.SENSOR, name_of(pdu))
    sensors = tree.members(pdu, "Sensors")
    if not sensors:
        sensors = [each for chassis in tree.linked(pdu, "Chassis") for each in tree.members(chassis, "Sensors")]
    return found + air(source, sensors, [pdu, metrics])


def _rating(branch: Resource, name: str) -> list[Measured]:
    """What its breaker is made for, where it says so."""
    rated = number(branch.get("RatedCurrentAmps")) or 0.0
    return [measured(Part.BREAKER, name, Quantity.CURRENT_LIMIT_A, rated)] if rated > 0 else []


def air(source: Source, sensors: list[Resource], told: list[Resource]) -> list[Measured]:
    """The thermometers and hygrometers among sensors; not those whose reading stands in one of `told` already."""
    elsewhere = {excerpt["DataSourceUri"] for resource in told for excerpt in excerpts(resource)}
    found = []
    for sensor in sensors:
        quantity = AIR.get(str(sensor.get("ReadingType")))
        if sensor.get("ReadingType") is None and is_unit_of(str(sensor.get("ReadingUnits")), Quantity.TEMPERATURE_C):
            quantity = Quantity.TEMPERATURE_C
        if quantity is Quantity.TEMPERATURE_C and "dew" in label_of(sensor).lower():
            quantity = Quantity.DEW_POINT_C
        if quantity is not None and sensor.get("@odata.id") not in elsewhere:
            found.append(of_sensor(source, sensor, Part.SENSOR, label_of(sensor), quantity))
    return found
