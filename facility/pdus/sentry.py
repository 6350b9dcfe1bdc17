"""Server Technology, Sentry 4: Sentry4-MIB. Pure.

Currents are in hundredths of A, sizes of branches in A, voltages in tenths of V, powers in W, energies of cords in
tenths of kWh and of outlets in Wh, temperatures in tenths of the degrees that the unit is set to. -1 is what a model
does not measure, -410 a temperature sensor that is not there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from drivers.meters.oids import Oid
from facility.facts import Measured, Part, Quantity, measured
from facility.walks import Units, Walk, number, text

BASE = "1.3.6.1.4.1.1718.4.1"
FAHRENHEIT = 1
NO_SENSOR = "no sensor is connected"


def read(walk: Walk) -> Units:
    """Every value of a unit and of those linked to it, counted from 1. A part is called as the unit calls it: `AA`,
    `AA:L1`, `AA1`."""
    cords, lines, phases = _names(walk, 3, 2), _names(walk, 4, 4), _names(walk, 5, 4)
    branches, outlets = _names(walk, 7, 4), _names(walk, 8, 2)
    sizes = walk.table(f"{BASE}.7.2.1", {6: "size"})
    found: Units = defaultdict(list)
    for index, row in walk.table(f"{BASE}.3.3.1", {3: "power", 10: "energy"}).items():
        name, unit = cords(index), found[index[0]]
        unit.append(measured(Part.INLET, name, Quantity.POWER_W, number(row, "power")))
        unit.append(measured(Part.INLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.1)))
    for index, row in walk.table(f"{BASE}.4.3.1", {3: "current"}).items():
        name, unit = lines(index), found[index[0]]
        unit.append(measured(Part.PHASE, name, Quantity.CURRENT_A, number(row, "current", 0.01)))
    for index, row in walk.table(f"{BASE}.5.3.1", {3: "voltage", 8: "power"}).items():
        name, unit = phases(index), found[index[0]]
        unit.append(measured(Part.PHASE, name, Quantity.VOLTAGE_V, number(row, "voltage", 0.1)))
        unit.append(measured(Part.PHASE, name, Quantity.POWER_W, number(row, "power")))
    for index, row in walk.table(f"{BASE}.7.3.1", {3: "current"}).items():
        name, unit = branches(index), found[index[0]]
        unit.append(measured(Part.BREAKER, name, Quantity.CURRENT_A, number(row, "current", 0.01)))
        if size := number(sizes.get(index, {}), "size"):
            unit.append(measured(Part.BREAKER, name, Quantity.CURRENT_LIMIT_A, size))
    for index, row in walk.table(f"{BASE}.8.3.1", {3: "current", 7: "power", 14: "energy"}).items():
        name, unit = outlets(index), found[index[0]]
        unit.append(measured(Part.OUTLET, name, Quantity.CURRENT_A, number(row, "current", 0.01)))
        unit.append(measured(Part.OUTLET, name, Quantity.POWER_W, number(row, "power")))
        unit.append(measured(Part.OUTLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.001)))
    _air(walk, found)
    return found


def _air(walk: Walk, found: Units) -> None:
    thermometers, hygrometers = _names(walk, 9, 2), _names(walk, 10, 2)
    scale = walk.table(f"{BASE}.9.1", {10: "scale"}).get((0,), {}).get("scale")
    for index, row in walk.table(f"{BASE}.9.3.1", {1: "value"}).items():
        name, unit = thermometers(index), found[index[0]]
        told = number(row, "value", 0.1)
        if told is None or told <= -41:
            unit.append(Measured(Part.SENSOR, name, Quantity.TEMPERATURE_C, None, NO_SENSOR))
        else:
            degrees = (told - 32) / 1.8 if scale == FAHRENHEIT else told
            unit.append(measured(Part.SENSOR, name, Quantity.TEMPERATURE_C, round(degrees, 2)))
    for index, row in walk.table(f"{BASE}.10.3.1", {1: "value"}).items():
        name, unit = hygrometers(index), found[index[0]]
        percent = number(row, "value")
        unit.append(measured(Part.SENSOR, name, Quantity.HUMIDITY_PERCENT, percent, "" if percent else NO_SENSOR))


def _names(walk: Walk, group: int, column: int) -> Callable[[Oid], str]:
    """What the parts of a group are called; one without a name by its index."""
    rows = walk.table(f"{BASE}.{group}.2.1", {column: "name"})
    return lambda index: text(rows.get(index, {}), "name") or ".".join(map(str, index))
