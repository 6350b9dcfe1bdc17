"""APC, rack PDUs of the second generation: rPDU2 of PowerNet-MIB. Pure.

Powers of the device and its phases are in hundredths of kW, those of outlets in W; currents in tenths of A; energies in
tenths of kWh. -1 is what a model does not measure.
"""

from __future__ import annotations

from facility.facts import Measured, Part, Quantity, measured
from facility.walks import Walk, number, text

BASE = "1.3.6.1.4.1.318.1.1.26"
DEVICE = {3: "name", 5: "power", 9: "energy"}
PHASE = {2: "module", 3: "number", 5: "current", 6: "voltage", 7: "power"}
BANK = {2: "module", 3: "number", 5: "current"}
OUTLET = {2: "module", 3: "name", 4: "number", 6: "current", 7: "power", 11: "energy"}
SENSOR = {3: "name", 8: "temperature", 10: "humidity"}


def read(walk: Walk) -> list[Measured]:
    """Every value of a PDU, or of a chain of them under one agent."""
    found: list[Measured] = []
    devices = walk.table(f"{BASE}.4.3.1", DEVICE)
    for index, row in devices.items():
        name = text(row, "name") or str(index[0])
        found.append(measured(Part.INLET, name, Quantity.POWER_W, number(row, "power", 10)))
        found.append(measured(Part.INLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.1)))
    chained = len(devices) > 1
    for row in walk.table(f"{BASE}.6.3.1", PHASE).values():
        name = _named("L", row, chained)
        found.append(measured(Part.PHASE, name, Quantity.CURRENT_A, number(row, "current", 0.1)))
        found.append(measured(Part.PHASE, name, Quantity.VOLTAGE_V, number(row, "voltage")))
        found.append(measured(Part.PHASE, name, Quantity.POWER_W, number(row, "power", 10)))
    for row in walk.table(f"{BASE}.8.3.1", BANK).values():
        found.append(measured(Part.BREAKER, _named("B", row, chained), Quantity.CURRENT_A, number(row, "current", 0.1)))
    for row in walk.table(f"{BASE}.9.4.3.1", OUTLET).values():
        name = _named("", row, chained)
        found.append(measured(Part.OUTLET, name, Quantity.POWER_W, number(row, "power")))
        found.append(measured(Part.OUTLET, name, Quantity.CURRENT_A, number(row, "current", 0.1)))
        found.append(measured(Part.OUTLET, name, Quantity.ENERGY_KWH, number(row, "energy", 0.1)))
    for row in walk.table(f"{BASE}.10.2.2.1", SENSOR).values():
        name = text(row, "name")
        found.append(measured(Part.SENSOR, name, Quantity.TEMPERATURE_C, number(row, "temperature", 0.1)))
        if (humidity := number(row, "humidity")) is not None:  # a probe of temperature alone has none to tell
            found.append(measured(Part.SENSOR, name, Quantity.HUMIDITY_PERCENT, humidity))
    return found


def _named(letter: str, row: dict[str, int | str], chained: bool) -> str:
    """`L1`; of several PDUs under one agent with the number of the PDU: `2:L1`."""
    name = f"{letter}{text(row, 'number')}"
    return f"{text(row, 'module')}:{name}" if chained else name
