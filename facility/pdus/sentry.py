"""Server Technology, Sentry 4: Sentry4-MIB. Pure.

Currents are in hundredths of A, sizes of branches in A, voltages in tenths of V, powers in W, energies of cords in
tenths of kWh and of outlets in Wh, temperatures in tenths of the degrees that the unit is set to. -1 is what a model
does not measure, -410 a temperature sensor that is not there.
"""

from __future__ import annotations

from collections.abc import Callable

from drivers.meters.oids import Oid
from facility.facts import Measured, Part, Quantity, measured
from facility.walks import Walk, number, text

BASE = "1.3.6.1.4.1.1718.4.1"
FAHRENHEIT = 1
NO_SENSOR = "no sensor is connected"


def read(walk: Walk) -> list[Measured]:
    """Every value of a unit and of those linked to it. A part is called as the unit calls it: `AA`, `AA:L1`, `AA1`."""
    cords, lines, phases = _names(walk, 3, 2), _names(walk, 4, 4), _names(walk, 5, 4)
    branches, outlets = _names(walk, 7, 4), _names(walk, 8, 2)
    sizes = walk.table(f"{BASE}.7.2.1", {6: "size"})
    found: list[Measured] = []
    for index, row in walk.table(f"{BASE}.3.3.1", {3: "power", 10: "energy"}).items():
        name = cords(index)
        found.append(measured(Part.INLET, name, Quantity.POWER_W, number(row, "power")))
        found.append(measured(Part.INLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.1)))
    for index, row in walk.table(f"{BASE}.4.3.1", {3: "current"}).items():
        name = lines(index)
        found.append(measured(Part.PHASE, name, Quantity.CURRENT_A, number(row, "current", 0.01)))
    for index, row in walk.table(f"{BASE}.5.3.1", {3: "voltage", 8: "power"}).items():
        name = phases(index)
        found.append(measured(Part.PHASE, name, Quantity.VOLTAGE_V, number(row, "voltage", 0.1)))
        found.append(measured(Part.PHASE, name, Quantity.POWER_W, number(row, "power")))
    for index, row in walk.table(f"{BASE}.7.3.1", {3: "current"}).items():
        name = branches(index)
        found.append(measured(Part.BREAKER, name, Quantity.CURRENT_A, number(row, "current", 0.01)))
        if size := number(sizes.get(index, {}), "size"):
            found.append(measured(Part.BREAKER, name, Quantity.CURRENT_LIMIT_A, size))
    for index, row in walk.table(f"{BASE}.8.3.1", {3: "current", 7: "power", 14: "energy"}).items():
        name = outlets(index)
        found.append(measured(Part.OUTLET, name, Quantity.CURRENT_A, number(row, "current", 0.01)))
        found.append(measured(Part.OUTLET, name, Quantity.POWER_W, number(row, "power")))
        found.append(measured(Part.OUTLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.001)))
    return found + _air(walk)


def _air(walk: Walk) -> list[Measured]:
    thermometers, hygrometers = _names(walk, 9, 2), _names(walk, 10, 2)
    found: list[Measured] = []
    scale = walk.table(f"{BASE}.9.1", {10: "scale"}).get((0,), {}).get("scale")
    for index, row in walk.table(f"{BASE}.9.3.1", {1: "value"}).items():
        name = thermometers(index)
        told = number(row, "value", 0.1)
        if told is None or told <= -41:
            found.append(Measured(Part.SENSOR, name, Quantity.TEMPERATURE_C, None, NO_SENSOR))
        else:
            degrees = (told - 32) / 1.8 if scale == FAHRENHEIT else told
            found.append(measured(Part.SENSOR, name, Quantity.TEMPERATURE_C, round(degrees, 2)))
    for index, row in walk.table(f"{BASE}.10.3.1", {1: "value"}).items():
        name = hygrometers(index)
        percent = number(row, "value")
        found.append(measured(Part.SENSOR, name, Quantity.HUMIDITY_PERCENT, percent, "" if percent else NO_SENSOR))
    return found


def _names(walk: Walk, group: int, column: int) -> Callable[[Oid], str]:
    """What the parts of a group are called; one without a name by its index."""
    rows = walk.table(f"{BASE}.{group}.2.1", {column: "name"})
    return lambda index: text(rows.get(index, {}), "name") or ".".join(map(str, index))
