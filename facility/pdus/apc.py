"""APC, rack PDUs of the second generation: rPDU2 of PowerNet-MIB. Pure.

Powers of the device and its phases are in hundredths of kW, those of outlets in W; currents in tenths of A; energies in
tenths of kWh. -1 is what a model does not measure.
"""

from __future__ import annotations

from collections import defaultdict

from drivers.meters.oids import Value
from facility.facts import Part, Quantity, measured
from facility.walks import Units, Walk, number, text

BASE = "1.3.6.1.4.1.318.1.1.26"
DEVICE = {2: "module", 3: "name", 5: "power", 9: "energy"}
PHASE = {2: "module", 3: "number", 5: "current", 6: "voltage", 7: "power"}
BANK = {2: "module", 3: "number", 5: "current"}
OUTLET = {2: "module", 3: "name", 4: "number", 6: "current", 7: "power", 11: "energy"}
SENSOR = {2: "module", 3: "name", 4: "number", 5: "type", 8: "temperature", 10: "humidity"}
NOT_INSTALLED = 4
"""A type of sensor: the row of a socket that has no probe."""


def read(walk: Walk) -> Units:
    """Every value of a PDU, or of those of a chain; a chain counts them from 1."""
    found: Units = defaultdict(list)
    for index, row in walk.table(f"{BASE}.4.3.1", DEVICE).items():
        name, unit = text(row, "name") or str(index[0]), found[_unit(row, index[0])]
        unit.append(measured(Part.INLET, name, Quantity.POWER_W, number(row, "power", 10)))
        unit.append(measured(Part.INLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.1)))
    for row in walk.table(f"{BASE}.6.3.1", PHASE).values():
        name, unit = f"L{text(row, 'number')}", found[_unit(row)]
        unit.append(measured(Part.PHASE, name, Quantity.CURRENT_A, number(row, "current", 0.1)))
        unit.append(measured(Part.PHASE, name, Quantity.VOLTAGE_V, number(row, "voltage")))
        unit.append(measured(Part.PHASE, name, Quantity.POWER_W, number(row, "power", 10)))
    for row in walk.table(f"{BASE}.8.3.1", BANK).values():
        name, unit = f"B{text(row, 'number')}", found[_unit(row)]
        unit.append(measured(Part.BREAKER, name, Quantity.CURRENT_A, number(row, "current", 0.1)))
    for row in walk.table(f"{BASE}.9.4.3.1", OUTLET).values():
        name, unit = text(row, "number"), found[_unit(row)]
        unit.append(measured(Part.OUTLET, name, Quantity.POWER_W, number(row, "power")))
        unit.append(measured(Part.OUTLET, name, Quantity.CURRENT_A, number(row, "current", 0.1)))
        unit.append(measured(Part.OUTLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.1)))
    for row in walk.table(f"{BASE}.10.2.2.1", SENSOR).values():
        if row.get("type") == NOT_INSTALLED:
            continue
        name, unit = text(row, "name") or text(row, "number"), found[_unit(row)]
        unit.append(measured(Part.SENSOR, name, Quantity.TEMPERATURE_C, number(row, "temperature", 0.1)))
        if (humidity := number(row, "humidity")) is not None:  # a probe of temperature alone has none to tell
            unit.append(measured(Part.SENSOR, name, Quantity.HUMIDITY_PERCENT, humidity))
    return found


def _unit(row: dict[str, Value], without: int = 1) -> int:
    """Its number in the chain; what tells none is the first."""
    return int(number(row, "module") or without)
