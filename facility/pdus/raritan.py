"""Raritan PX and Server Technology PRO4X: PDU2-MIB. Pure.

Each sensor is a row with a number of its kind, whether it is available, its state and its value; in another table it
says how many decimal digits the value has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import NamedTuple

from drivers.meters.oids import Oid
from facility.facts import Measured, Part, Quantity, measured
from facility.walks import Units, Walk, number, text

BASE = "1.3.6.1.4.1.13742.6"
KINDS = {
    1: (Quantity.CURRENT_A, 1.0),
    4: (Quantity.VOLTAGE_V, 1.0),
    5: (Quantity.POWER_W, 1.0),
    8: (Quantity.ENERGY_KWH, 0.001),
}
"""Sensors by their number: rmsCurrent, rmsVoltage, activePower, and activeEnergy in Wh."""
NOT_AVAILABLE = 2
STATES = {-1: "the sensor is not available", 14: "the sensor failed"}
LINES = {1: "L1", 2: "L2", 3: "L3", 4: "N"}
_SENSOR = {2: "available", 3: "state", 4: "value"}


class _Tables(NamedTuple):
    """Of one part: labels (column 2; of a phase the number of its line), decimal digits (column 7) and measurements."""

    part: Part
    labels: str
    digits: str
    values: str


TABLES = (
    _Tables(Part.INLET, f"{BASE}.3.3.3.1", f"{BASE}.3.3.4.1", f"{BASE}.5.2.3.1"),
    _Tables(Part.PHASE, f"{BASE}.3.3.5.1", f"{BASE}.3.3.6.1", f"{BASE}.5.2.4.1"),
    _Tables(Part.BREAKER, f"{BASE}.3.4.3.1", f"{BASE}.3.4.4.1", f"{BASE}.5.3.3.1"),
    _Tables(Part.OUTLET, f"{BASE}.3.5.3.1", f"{BASE}.3.5.4.1", f"{BASE}.5.4.3.1"),
)


def read(walk: Walk) -> Units:
    """Every value of a PDU, or of several that one of them links; they are counted from 1."""
    found: Units = defaultdict(list)
    for tables in TABLES:
        labels = walk.table(tables.labels, {2: "label"})
        digits = walk.table(tables.digits, {7: "digits"})
        values = walk.table(tables.values, _SENSOR)
        inlets = Counter(index[0] for index in {index[:2] for index in values})
        for index, row in values.items():
            if index[-1] in KINDS:
                name = _name(tables.part, index[:-1], labels, inlets[index[0]])
                found[index[0]].append(_value(tables.part, name, index, row, digits.get(index, {})))
    return found


def _value(part: Part, name: str, index: Oid, row: dict[str, int | str], digits: dict[str, int | str]) -> Measured:
    quantity, scale = KINDS[index[-1]]
    state = row.get("state")
    if row.get("available") == NOT_AVAILABLE or state in STATES:
        return Measured(part, name, quantity, None, STATES[state] if state in STATES else STATES[-1])
    places = number(digits, "digits")
    if places is None or not 0 <= places <= 6:
        return Measured(part, name, quantity, None, "the device does not tell how many decimal digits it has")
    return measured(part, name, quantity, number(row, "value", scale / 10**places))


def _name(part: Part, index: Oid, labels: dict[Oid, dict[str, int | str]], inlets: int) -> str:
    told = labels.get(index, {})
    line = told.get("label", index[-1]) if part is Part.PHASE else ""
    label = LINES.get(int(line), f"L{line}") if str(line).isdecimal() else text(told, "label") or str(index[-1])
    if part is Part.PHASE and inlets > 1:
        return f"I{index[1]}:{label}"
    return label
