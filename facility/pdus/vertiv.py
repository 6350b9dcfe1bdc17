"""Vertiv Geist with an upgradeable meter (IMD): GEIST-V5-MIB, VERTIV-V5-MIB. Pure.

Voltages are in tenths of V, currents in hundredths of A, powers in W, temperatures in tenths of °C.
"""

from __future__ import annotations

from collections import defaultdict

from drivers.meters.oids import Value
from facility.facts import Measured, Part, Quantity, measured
from facility.walks import Units, Walk, number, text

BASE = "1.3.6.1.4.1.21239.5.2"
METERED = {2: "name", 3: "label", 4: "voltage", 8: "current", 12: "power"}
AWAY = 0
"""Of `avail`: an extension or a probe that was there and is not."""


def read(walk: Walk) -> Units:
    """Every value of a PDU and of the probes on it; it speaks for itself alone."""
    found: list[Measured] = []
    for row in walk.table(f"{BASE}.3.1.1", {4: "label", 5: "available", 8: "total", 9: "power"}).values():
        name = text(row, "total") or text(row, "label")
        power = None if row.get("available") == AWAY else number(row, "power")
        found.append(measured(Part.INLET, name, Quantity.POWER_W, power))
    for row in walk.table(f"{BASE}.3.2.1", METERED).values():
        name = _name(row)
        found.append(measured(Part.PHASE, name, Quantity.VOLTAGE_V, number(row, "voltage", 0.1)))
        found.append(measured(Part.PHASE, name, Quantity.CURRENT_A, number(row, "current", 0.01)))
        found.append(measured(Part.PHASE, name, Quantity.POWER_W, number(row, "power")))
    for row in walk.table(f"{BASE}.3.3.1", {2: "name", 3: "label", 4: "current"}).values():
        found.append(measured(Part.BREAKER, _name(row), Quantity.CURRENT_A, number(row, "current", 0.01)))
    for row in walk.table(f"{BASE}.3.6.1", METERED).values():
        name = _name(row)
        found.append(measured(Part.OUTLET, name, Quantity.CURRENT_A, number(row, "current", 0.01)))
        found.append(measured(Part.OUTLET, name, Quantity.POWER_W, number(row, "power")))
    for row in walk.table(f"{BASE}.9.1", {3: "label", 4: "available", 5: "temperature", 6: "humidity"}).values():
        there = row.get("available") != AWAY
        name, reason = text(row, "label"), "" if there else "the probe is not there any more"
        degrees, percent = (number(row, "temperature", 0.1), number(row, "humidity")) if there else (None, None)
        found.append(measured(Part.SENSOR, name, Quantity.TEMPERATURE_C, degrees, reason))
        found.append(measured(Part.SENSOR, name, Quantity.HUMIDITY_PERCENT, percent, reason))
    return defaultdict(list, {1: found})


def _name(row: dict[str, Value]) -> str:
    """As people called it, else as the device does."""
    return text(row, "label") or text(row, "name")
