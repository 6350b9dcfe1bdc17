"""Sensors of a room that are a chassis with sensors in Redfish: air, dew point, leaks. Pure."""

from __future__ import annotations

from facility.facts import Measured, Part
from facility.readers.redfish_cooling import leaks
from facility.readers.redfish_pdu import air
from facility.readers.redfish_readings import Source, excerpts_of, name_of
from facility.readers.redfish_tree import Plan, Resource

OF_A_CHASSIS: Plan = {"EnvironmentMetrics": {}, "LeakDetectors": {}, "Sensors": {}}
PLAN: Plan = {"Chassis": OF_A_CHASSIS}
AIR = ("TemperatureCelsius", "HumidityPercent", "DewPointCelsius")


def read(source: Source, root: Resource) -> list[Measured]:
    """Every value of the chassis of a service; `root` is the service root, or the one chassis that is meant."""
    tree = source.tree
    chassis = tree.members(root, "Chassis") if "Chassis" in root else [root]
    chassis = [each for each in chassis if OF_A_CHASSIS.keys() & each.keys()]
    found = []
    for each in chassis:
        environment = tree.follow(each, "EnvironmentMetrics")
        values = excerpts_of(source, environment, AIR, Part.SENSOR, "ambient")
        values += air(source, tree.members(each, "Sensors"), [environment]) + leaks(source, each)
        found += [
            value._replace(name=f"{name_of(each)}:{value.name}") if len(chassis) > 1 else value for value in values
        ]
    return found
