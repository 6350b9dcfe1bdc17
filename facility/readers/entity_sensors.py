"""Thermometers, hygrometers and power supplies of ENTITY-SENSOR-MIB (RFC 3433), named by ENTITY-MIB (RFC 6933). Pure.

A switch tells what its supplies take, or what they give, or both, in names of its vendor's: only what a supply takes is
what it draws.
"""

from __future__ import annotations

import re
from collections import defaultdict

from drivers.meters.oids import Oid, Value, oid_of
from facility.facts import Measured, Part, Quantity, measured
from facility.plausible import OLD_S
from facility.walks import Walk, text

SENSORS, ENTITIES = "1.3.6.1.2.1.99.1.1.1", "1.3.6.1.2.1.47.1.1.1.1"
SYSTEM = "1.3.6.1.2.1.1"
UPTIME = f"{SYSTEM}.3.0"
TREES = (SYSTEM, SENSORS, *(f"{ENTITIES}.{column}" for column in (2, 4, 5, 7, 14)))
COLUMNS = {1: "type", 2: "scale", 3: "precision", 4: "value", 5: "status", 7: "stamp"}
KINDS = {8: Quantity.TEMPERATURE_C, 9: Quantity.HUMIDITY_PERCENT}
"""Of EntitySensorDataType: celsius and percentRH."""
WATTS = 6
SUPPLY = 6
"""Of PhysicalClass: powerSupply."""
MOST_UP = 8
_SUPPLY = re.compile(r"\b(?:psu|ps|power ?supply)[ /_-]*(\d+)", re.I)
_TAKES = re.compile(r"(?:\b|_)(?:in|input|pin)(?:\b|_)", re.I)
_GIVES = re.compile(r"(?:\b|_)(?:out|output|pout)(?:\b|_)", re.I)
UNITS = 9
"""Of EntitySensorDataScale: 10 to the power of 0; each step is a factor of 1,000."""
STATUS = {2: "the sensor is not available", 3: "the sensor does not work"}
OVERFLOW = 10**9
"""What stands for a value that does not fit, with either sign."""
TURN = 2**32
GIVES_ALONE = "it tells what it gives, not what it takes"
Rows = dict[Oid, dict[str, Value]]


def read(walk: Walk) -> list[Measured]:
    """Every sensor of the air, and what each power supply takes; other kinds are left out."""
    rows = walk.table(SENSORS, COLUMNS)
    entities = walk.table(ENTITIES, {2: "description", 4: "in", 5: "class", 7: "name", 14: "alias"})
    names = _names(walk, entities, [index for index, row in rows.items() if row.get("type") in KINDS])
    uptime = walk.rows.get(oid_of(UPTIME))
    found = []
    for index, row in rows.items():
        quantity = KINDS.get(_whole(row, "type", 0))
        if quantity is not None:
            value, reason = _value(row, uptime if isinstance(uptime, int) else None)
            found.append(measured(Part.SENSOR, names[index], quantity, value, reason))
    watts = {index: row for index, row in rows.items() if row.get("type") == WATTS}
    return found + _supplies(watts, entities, uptime if isinstance(uptime, int) else None)


def _supplies(rows: Rows, entities: Rows, uptime: int | None) -> list[Measured]:
    """What each power supply takes: as its input says, or the one sensor that says neither in nor out."""
    by_supply: defaultdict[str, list[tuple[str, dict[str, Value]]]] = defaultdict(list)
    for index, row in rows.items():
        name = _name(entities.get(index, {}), index)
        supply = _supply_of(index, name, entities)
        if supply:
            by_supply[supply].append((name, row))
    found = []
    for supply, sensors in by_supply.items():
        takes = [row for name, row in sensors if _TAKES.search(name)]
        plain = [row for name, row in sensors if not _TAKES.search(name) and not _GIVES.search(name)]
        told = takes or plain
        if len(told) == 1:
            value, reason = _value(told[0], uptime)
        else:
            value, reason = None, "it is reported more than once" if told else GIVES_ALONE
        found.append(measured(Part.SUPPLY, supply, Quantity.POWER_W, value, reason))
    return found


def _supply_of(index: Oid, name: str, entities: Rows) -> str:
    """The power supply that a sensor is in, else the one that its name says; empty: it is in none."""
    at = index
    for _ in range(MOST_UP):
        at = (_whole(entities.get(at, {}), "in", 0),)
        if _whole(entities.get(at, {}), "class", 0) == SUPPLY:
            return _name(entities[at], at)
    said = _SUPPLY.search(name)
    return f"PSU {said[1]}" if said else ""


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


def _name(entity: dict[str, Value], index: Oid) -> str:
    """As people called it, else as the device does."""
    return text(entity, "alias") or text(entity, "name") or text(entity, "description") or str(index[-1])


def _names(walk: Walk, entities: Rows, indexes: list[Oid]) -> dict[Oid, str]:
    """Where two have one name, with the index."""
    told = {index: _name(entities.get(index, {}), index) for index in indexes}
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
