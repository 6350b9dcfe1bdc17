"""Thermometers and hygrometers of ENTITY-SENSOR-MIB (RFC 3433), named by ENTITY-MIB (RFC 6933). Pure."""

from __future__ import annotations

from drivers.meters.oids import Oid, Value, oid_of
from facility.facts import Measured, Part, Quantity, measured
from facility.plausible import OLD_S
from facility.walks import Walk, text

SENSORS, ENTITIES = "1.3.6.1.2.1.99.1.1.1", "1.3.6.1.2.1.47.1.1.1.1"
SYSTEM = "1.3.6.1.2.1.1"
UPTIME = f"{SYSTEM}.3.0"
TREES = (SYSTEM, SENSORS, *(f"{ENTITIES}.{column}" for column in (2, 7, 14)))
COLUMNS = {1: "type", 2: "scale", 3: "precision", 4: "value", 5: "status", 7: "stamp"}
KINDS = {8: Quantity.TEMPERATURE_C, 9: Quantity.HUMIDITY_PERCENT}
"""Of EntitySensorDataType: celsius and percentRH."""
UNITS = 9
"""Of EntitySensorDataScale: 10 to the power of 0; each step is a factor of 1,000."""
STATUS = {2: "the sensor is not available", 3: "the sensor does not work"}
OVERFLOW = 10**9
"""What stands for a value that does not fit, with either sign."""
TURN = 2**32


def read(walk: Walk) -> list[Measured]:
    """Every sensor of the air; other kinds are left out."""
    rows = walk.table(SENSORS, COLUMNS)
    names = _names(walk, [index for index, row in rows.items() if row.get("type") in KINDS])
    uptime = walk.rows.get(oid_of(UPTIME))
    found = []
    for index, row in rows.items():
        quantity = KINDS.get(_whole(row, "type", 0))
        if quantity is not None:
            value, reason = _value(row, uptime if isinstance(uptime, int) else None)
            found.append(measured(Part.SENSOR, names[index], quantity, value, reason))
    return found


def _value(row: dict[str, Value], uptime: int | None) -> tuple[float | None, str]:
    status, scale, precision = _whole(row, "status", 0), _whole(row, "scale", -1), _whole(row, "precision", 0)
    told = row.get("value")
    if status != 1:
        return None, STATUS.get(status, "the sensor does not tell whether it works")
    if not isinstance(told, int) or abs(told) >= OVERFLOW:
        return None, ""
    if not 1 <= scale <= 17 or not -8 <= precision <= 9:
        return None, "the device does not tell how many decimal digits it has"
    stamp = _whole(row, "stamp", 0)
    if uptime is not None and stamp > 0 and (age := (uptime - stamp) % TURN / 100) > OLD_S and age < TURN / 200:
        return None, f"it was measured {age:.0f} s ago"
    return told * 1000.0 ** (scale - UNITS) / 10 ** max(precision, 0), ""


def _names(walk: Walk, indexes: list[Oid]) -> dict[Oid, str]:
    """As people called it, else as the device does; where two have one name, with the index."""
    entities = walk.table(ENTITIES, {2: "description", 7: "name", 14: "alias"})
    told = {}
    for index in indexes:
        row = entities.get(index, {})
        told[index] = text(row, "alias") or text(row, "name") or text(row, "description") or str(index[-1])
    names = [(name, walk.rows.get((*oid_of(SENSORS), 1, *index))) for index, name in told.items()]
    return {
        index: f"{name} ({index[-1]})"
        if names.count((name, walk.rows.get((*oid_of(SENSORS), 1, *index)))) > 1
        else name
        for index, name in told.items()
    }


def _whole(row: dict[str, Value], name: str, default: int) -> int:
    value = row.get(name)
    return value if isinstance(value, int) else default
