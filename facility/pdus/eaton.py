"""Eaton ePDU G3 and later: EATON-EPDU-MIB. Pure.

Currents are in mA, voltages in mV, powers in W, energies in Wh. An index begins with the number of the unit in its
chain, from 0. Which pole a row of an input is about stands in a column of its own.
"""

from __future__ import annotations

from collections import defaultdict

from drivers.meters.oids import Oid, Value
from facility.facts import Part, Quantity, measured
from facility.walks import Units, Walk, number, text

BASE = "1.3.6.1.4.1.534.6.6.7"
CURRENTS = {1: "L1", 2: "N", 3: "L1", 4: "L2", 5: "L3"}
VOLTAGES = {1: "L1", 2: "L1", 3: "L2", 4: "L3", 5: "L1-L2", 6: "L2-L3", 7: "L3-L1"}
POWERS = {1: "L1", 2: "L2", 3: "L3", 4: ""}
"""Poles by `inputCurrentMeasType`, `inputVoltageMeasType` and `inputPowerMeasType`, of which 4 is the whole input."""


def read(walk: Walk) -> Units:
    """Every value of a unit and of those behind it in the chain; a chain counts them from 0."""
    found: Units = defaultdict(list)
    _inputs(walk, found)
    groups = walk.table(f"{BASE}.5.1.1", {3: "name"})
    for index, row in walk.table(f"{BASE}.5.3.1", {3: "current"}).items():
        name = text(groups.get(index, {}), "name") or f"B{index[-1]}"
        found[index[0]].append(measured(Part.BREAKER, name, Quantity.CURRENT_A, number(row, "current", 0.001)))
    outlets = walk.table(f"{BASE}.6.1.1", {6: "designator"})
    currents = walk.table(f"{BASE}.6.4.1", {3: "current"})
    powers = walk.table(f"{BASE}.6.5.1", {3: "power", 4: "energy"})
    for index in sorted({*currents, *powers}):
        name = text(outlets.get(index, {}), "designator") or str(index[-1])
        row, unit = currents.get(index, {}) | powers.get(index, {}), found[index[0]]
        unit.append(measured(Part.OUTLET, name, Quantity.CURRENT_A, number(row, "current", 0.001)))
        unit.append(measured(Part.OUTLET, name, Quantity.POWER_W, number(row, "power")))
        unit.append(measured(Part.OUTLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.001)))
    return found


def _inputs(walk: Walk, found: Units) -> None:
    feeds = walk.table(f"{BASE}.3.1.1", {10: "name"})
    for index, row in walk.table(f"{BASE}.3.3.1", {2: "pole", 4: "current"}).items():
        current = measured(Part.PHASE, _pole(CURRENTS, row, index), Quantity.CURRENT_A, number(row, "current", 0.001))
        found[index[0]].append(current)
    for index, row in walk.table(f"{BASE}.3.2.1", {2: "pole", 3: "voltage"}).items():
        voltage = measured(Part.PHASE, _pole(VOLTAGES, row, index), Quantity.VOLTAGE_V, number(row, "voltage", 0.001))
        found[index[0]].append(voltage)
    for index, row in walk.table(f"{BASE}.3.4.1", {2: "pole", 4: "power", 5: "energy"}).items():
        whole, unit = row.get("pole") == 4, found[index[0]]
        feed = text(feeds.get(index[:2], {}), "name") or str(index[1])
        part, name = (Part.INLET, feed) if whole else (Part.PHASE, _pole(POWERS, row, index))
        unit.append(measured(part, name, Quantity.POWER_W, number(row, "power")))
        unit.append(measured(part, name, Quantity.ENERGY_KWH, number(row, "energy", 0.001)))


def _pole(poles: dict[int, str], row: dict[str, Value], index: Oid) -> str:
    """What has no name goes by the end of its index."""
    told = row.get("pole")
    return (poles.get(told) if isinstance(told, int) else None) or str(index[-1])
