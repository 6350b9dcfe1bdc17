"""What only more than one value shows to be wrong: another reading of the same meter, or the parts beside it. Pure.

    values, memory = judge(values, memory, now)      # memory of the last reading of this meter; {} for the first

A single value that cannot be (negative, no number, out of range) was refused by `facts.measured` already. What is wrong
here has no value and a reason, and stands aside: the memory goes on from the last value that was right.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any, NamedTuple

from facility.facts import LIMITS, OF_A_SITE, Measured, Part, Quantity

Q = Quantity
Memory = Mapping[str, Any]
"""JSON: `{"v": 1, "at": seconds, "due": kWh, "values": {key: [value, stood, off]}, "steps": {group: smallest}}`."""
VERSION = 1
Key = tuple[str, str, str]

APART_S = 300.0
"""A clock that is further from ours is wrong."""
OLD_S = 900.0
"""A value that was measured longer ago is not one of now."""
GAP_S = 900.0
"""What came longer ago says nothing of a jump."""
STANDS_AFTER = 30
"""Readings in which a value stood while it ought to have moved."""
SETTLES_AFTER = 90
"""Readings after which a value that jumped by ten is taken for what is."""
STANDS_KWH = 3.0
"""What a meter says it draws while nothing that it tells moves, its counters neither: then it tells what was."""
SLACK_KWH = 1.0
"""A counter may count in whole kWh, and tell them late."""


def age_trouble(told_at: float, now: float, *, clock: float | None = None, most_s: float = OLD_S) -> str:
    """Why a value with a time of its own is not one of now, or nothing. `clock` is what the device says the time is:
    its values are as old as that clock says, however wrong it is. Times in seconds since 1970."""
    age = (now if clock is None else clock) - told_at
    if age < -APART_S:
        return f"the clocks are apart: it is reported as of {-age:.0f} s from now"
    if age > most_s:
        return f"it was measured {age:.0f} s ago"
    return ""


class Increment(NamedTuple):
    """What a counter of energy went on by; None with the reason where that is not known."""

    kwh: float | None
    reason: str = ""


def _ends() -> tuple[float, ...]:
    """Where counters begin at 0 again, in kWh: words of 16 to 64 bits in units from J to 100 kWh; decimal digits."""
    units = (1 / 3.6e6, 1 / 3.6e3, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)
    binary = {2.0**bits * unit for bits in (16, 31, 32, 63, 64) for unit in units}
    return tuple(sorted(end for end in binary | {10.0**digits for digits in range(5, 13)} if end >= 1_000))


ENDS = _ends()


def increment(before: float, now: float, most_kwh: float) -> Increment:
    """From one reading of a counter to the next, over its end too. `most_kwh` is what could have been used between."""
    if now >= before:
        if now - before <= most_kwh:
            return Increment(now - before)
        return Increment(None, f"the counter jumped from {before:.12g} to {now:.12g} kWh: more than could be used")
    over = [end - before + now for end in ENDS if before < end and end - before + now <= most_kwh]
    if not over:
        return Increment(None, f"the counter went back from {before:.12g} to {now:.12g} kWh: it was reset")
    if max(over) - min(over) > 1e-6 * max(over):
        return Increment(None, f"the counter began again after {before:.12g} kWh, and where it ends is not known")
    return Increment(over[0])


def judge(now: Iterable[Measured], before: Memory, at: datetime) -> tuple[list[Measured], dict[str, Any]]:
    """The values that hold, the others without a value and with the reason; and what to keep for the next reading.
    `at`: when they were read. Each part has a quantity once in what comes back."""
    values = _told_once(now)
    known = _Known.of(before, at.timestamp())
    wrong = _wrong_units(values, known)
    wrong |= _wrong_counters(values, known)
    known.notice_what_stands(values)
    wrong = known.standing(values) | wrong
    if known.notice_what_is_due(values) >= STANDS_KWH:
        reason = f"nothing that it tells has moved, not even its counters, for {known.due_kwh:.1f} kWh of its load"
        wrong = dict.fromkeys(values, reason)
    result = [
        each._replace(value=None, reason=wrong[key]) if key in wrong and each.value is not None else each
        for key, each in values.items()
    ]
    return result, known.after(values, wrong, at.timestamp())


def _told_once(now: Iterable[Measured]) -> dict[Key, Measured]:
    """Two values of one part are none: which is right, nobody says."""
    found: dict[Key, Measured] = {}
    for each in now:
        key = (each.part, each.name, each.quantity)
        first = found.setdefault(key, each)
        if first is each or first.value == each.value or each.value is None:
            continue
        if first.value is None and not first.reason.startswith("it is reported twice"):
            found[key] = each
        elif first.value is not None:
            reason = f"it is reported twice: {first.value:.12g} and {each.value:.12g}"
            found[key] = each._replace(value=None, reason=reason)
    return found


# ---- what is kept of a meter ----


class _Kept(NamedTuple):
    value: float
    stood: int = 0
    off: int = 0


class _Known:
    """The last readings of a meter. A memory that is none, of another version or of a later time is empty."""

    def __init__(
        self, at: float | None, kept: dict[Key, _Kept], steps: dict[str, float], gap_s: float, due_kwh: float = 0.0
    ) -> None:
        self.at, self.kept, self.steps, self.gap_s, self.due_kwh = at, kept, steps, gap_s, due_kwh
        self.stood: dict[Key, int] = {}

    @classmethod
    def of(cls, before: Memory, at: float) -> _Known:
        if before.get("v") != VERSION or not before["at"] <= at:
            return cls(None, {}, {}, 0.0)
        kept = {_key(text): _Kept(*row) for text, row in before["values"].items()}
        return cls(before["at"], kept, dict(before["steps"]), at - before["at"], before.get("due", 0.0))

    @property
    def is_recent(self) -> bool:
        return self.at is not None and self.gap_s <= GAP_S

    def value(self, key: Key) -> float | None:
        found = self.kept.get(key)
        return found.value if found else None

    def notice_what_stands(self, values: Mapping[Key, Measured]) -> None:
        """Count in how many readings each value stood while, by what its siblings did, it ought to have moved."""
        for group, keys in _groups(values).items():
            moves = {key: _move(values[key], self.value(key)) for key in keys}
            moved = {key: move for key, move in moves.items() if move}
            for key, move in moves.items():
                self.stood[key] = 0 if move or key not in self.kept else self.kept[key].stood
            if not moved:
                continue
            step = self.steps[group] = min(
                self.steps.get(group, math.inf), *(round(each, 6) for each in moved.values())
            )
            if not self.is_recent or len(moves) < 4 or len(moved) * 2 < len(moves) or step <= 0:
                continue
            is_heat = keys[0][2] in HEAT
            if is_heat and step >= 0.5:
                continue  # air may stand for hours at such a step
            usual = median(
                move if is_heat else move / max(abs(self.kept[key].value), 1e-9) for key, move in moved.items()
            )
            for key, move in moves.items():
                value = self.value(key)
                if move == 0 and value and (usual if is_heat else usual * abs(value)) >= (1 if is_heat else 2) * step:
                    self.stood[key] += 1

    def notice_what_is_due(self, values: Mapping[Key, Measured]) -> float:
        """kWh by which a counter ought to have gone on since anything moved."""
        known = {key: each.value for key, each in values.items() if each.value is not None}
        counted = [
            known.get((part, name, Q.POWER_W), 0.0) for part, name, quantity in known if quantity == Q.ENERGY_KWH
        ]
        stands = all(self.value(key) == value for key, value in known.items())
        if not (self.is_recent and stands and counted):
            self.due_kwh = 0.0
        else:
            self.due_kwh += max(counted) * self.gap_s / 3.6e6
        return self.due_kwh

    def standing(self, values: Mapping[Key, Measured]) -> dict[Key, str]:
        return {
            key: f"it stands at {values[key].value:.12g} for {count} readings, while others beside it move"
            for key, count in self.stood.items()
            if count >= STANDS_AFTER and key in values and values[key].value is not None
        }

    def after(self, values: Mapping[Key, Measured], wrong: Mapping[Key, str], at: float) -> dict[str, Any]:
        """A counter goes on from where it is now, anything else that is wrong from its last value that was right."""
        kept: dict[str, list[float]] = {}
        for key, each in values.items():
            old, stood = self.kept.get(key), self.stood.get(key, 0)
            if each.value is None:
                if old is not None:
                    kept[_text(key)] = list(old)
            elif key not in wrong or each.quantity == Q.ENERGY_KWH or old is None or stood >= STANDS_AFTER:
                kept[_text(key)] = [each.value, stood, 0]
            elif old.off + 1 >= SETTLES_AFTER:
                kept[_text(key)] = [each.value, 0, 0]
            else:
                kept[_text(key)] = [old.value, 0, old.off + 1]
        return {"v": VERSION, "at": at, "values": kept, "steps": self.steps, "due": self.due_kwh}


def _text(key: Key) -> str:
    return "|".join((key[0], key[2], key[1]))  # the name last: it may hold anything


def _key(text: str) -> Key:
    part, quantity, name = text.split("|", 2)
    return part, name, quantity


# ---- values that stand ----

HEAT = (Q.TEMPERATURE_C, Q.SUPPLY_C, Q.RETURN_C)
MOVES = (Q.POWER_W, Q.CURRENT_A, *HEAT)
FIXED = (Part.INLET, Part.PHASE, Part.BREAKER, Part.OUTLET, Part.SENSOR, Part.LOOP)
"""Parts whose values come from a sensor and an agent between; a GPU at rest may well stay at one temperature."""


def _groups(values: Mapping[Key, Measured]) -> dict[str, list[Key]]:
    found: defaultdict[str, list[Key]] = defaultdict(list)
    for key, each in values.items():
        if each.value is not None and each.part in FIXED and each.quantity in MOVES:
            found[f"{each.part}|{each.quantity}"].append(key)
    return found


def _move(now: Measured, before: float | None) -> float | None:
    return None if now.value is None or before is None else abs(now.value - before)


# ---- counters ----


def _wrong_counters(values: Mapping[Key, Measured], known: _Known) -> dict[Key, str]:
    found: dict[Key, str] = {}
    for key, each in values.items():
        before = known.value(key)
        if each.quantity == Q.ENERGY_KWH and each.value is not None and before is not None:
            reason = increment(before, each.value, most_kwh(values, known.gap_s, key, before > each.value)).reason
            if reason:
                found[key] = reason
    return found


def most_kwh(values: Mapping[Key, Measured], seconds: float, key: Key, tight: bool = False) -> float:
    """What the part could have used in this time: by what such a part can carry; `tight`: by what it draws now."""
    limits = OF_A_SITE if key[0] == Part.TOTAL else LIMITS
    most_w, power = limits[Q.POWER_W][1], values.get((key[0], key[1], Q.POWER_W))
    if tight and power is not None and power.value:
        most_w = min(most_w, 3 * power.value)
    return most_w / 1000 * seconds / 3600 + SLACK_KWH


# ---- units in tenths ----

STEADY = (Q.VOLTAGE_V, Q.TEMPERATURE_C, Q.SUPPLY_C, Q.RETURN_C, Q.HUMIDITY_PERCENT)
"""Quantities that never change by ten between two readings."""
LEAST = {Q.POWER_W: 20.0, Q.CURRENT_A: 0.2}
"""Below this a load may change by any factor."""
MAINS_V = (80.0, 620.0)
TENS = {10.0**power: power for power in (-3, -2, -1, 1, 2, 3)}
WORDS = {
    -3: "a thousandth of", -2: "a hundredth of", -1: "a tenth of", 1: "10 times", 2: "100 times", 3: "1,000 times",
}  # fmt: skip


def _tens(value: float, other: float, spread: float) -> int:
    """1 where a value is ten times the other within so much, -2 for a hundredth; 0 for anything else."""
    if value <= 0 or other <= 0:
        return 0
    return next((power for ten, power in TENS.items() if 1 / spread <= value / other / ten <= spread), 0)


def _wrong_units(values: Mapping[Key, Measured], known: _Known) -> dict[Key, str]:
    """By what was before, and then, of what is left, by what stands beside it."""
    wrong: dict[Key, str] = {}
    if known.is_recent:
        jumps = {
            key: power
            for key, each in values.items()
            if each.value is not None and (old := known.value(key)) and (power := _tens(each.value, old, 1.05))
        }
        if jumps:
            wrong = _alone(values, jumps) | _of_one_load(values, known, jumps) | _together(values, known, jumps)
            wrong |= _with_others(jumps, wrong)
    return _beside_sums({key: each for key, each in values.items() if key not in wrong}) | wrong


def _with_others(jumps: Mapping[Key, int], wrong: Mapping[Key, str]) -> dict[Key, str]:
    """What jumped by the same ten as a value of its quantity that is known to be wrong: an inlet with its phases."""
    together = {(key[2], jumps[key]): reason for key, reason in wrong.items()}
    return {
        key: reason
        for key, power in jumps.items()
        if key not in wrong and (reason := together.get((key[2], power), ""))
    }


def _alone(values: Mapping[Key, Measured], jumps: Mapping[Key, int]) -> dict[Key, str]:
    """Of what never jumps, the jump alone is enough."""
    return {
        key: f"it is {WORDS[power]} what it was: a unit is wrong"
        for key, power in jumps.items()
        if values[key].quantity in STEADY and (values[key].value or 0) >= 1
    }


def _of_one_load(values: Mapping[Key, Measured], known: _Known, jumps: Mapping[Key, int]) -> dict[Key, str]:
    """The power of a part that jumped while its current did not, and the other way round."""
    found = {}
    for key, power in jumps.items():
        part, name, quantity = key
        other = {Q.POWER_W: Q.CURRENT_A, Q.CURRENT_A: Q.POWER_W}.get(Quantity(quantity))
        beside = values.get((part, name, other)) if other else None
        old = known.value((part, name, other)) if other else None
        if beside is None or beside.value is None or not old or not 0.5 <= beside.value / old <= 2:
            continue
        if max(values[key].value or 0, known.value(key) or 0) >= LEAST[Quantity(quantity)]:
            found[key] = f"it is {WORDS[power]} what it was, and its {other} is not: a unit is wrong"
    return found


def _together(values: Mapping[Key, Measured], known: _Known, jumps: Mapping[Key, int]) -> dict[Key, str]:
    """All values of one kind that jump by the same ten at once: the device tells them in another unit."""
    groups: defaultdict[tuple[str, str], list[Key]] = defaultdict(list)
    for key, each in values.items():
        if each.value and known.value(key) and each.quantity != Q.ENERGY_KWH:
            groups[key[0], key[2]].append(key)
    return {
        key: f"all of its kind are {WORDS[jumps[key]]} what they were: a unit is wrong"
        for keys in groups.values()
        if len(keys) >= 3 and len({jumps.get(key, 0) for key in keys}) == 1 and keys[0] in jumps
        for key in keys
    }


class _Total(NamedTuple):
    """The load of a PDU as one row of its parts tells it; `of` are the values that are wrong where it is."""

    name: str
    watts: float
    of: tuple[Key, ...]


def _beside_sums(values: Mapping[Key, Measured]) -> dict[Key, str]:
    """Inlets, phases, volts by amperes and outlets of a PDU tell one load: one that is ten times another is in another
    unit. With three that speak, two that agree are right; of two, neither is."""
    totals = [total for total in _totals(values) if total.watts > LEAST[Q.POWER_W]]
    found: dict[Key, str] = {}
    for total in totals:
        others = [other for other in totals if other is not total]
        if any(_agree(total, other) for other in others):
            continue
        for other in others:
            # Of outlets some may have no meter: only what fits well is another unit.
            spread = 1.1 if "its outlets" in (total.name, other.name) else 1.3
            if power := _tens(total.watts, other.watts, spread):
                reason = f"{total.name} are {WORDS[power]} {other.name}: a unit is wrong"
                found |= dict.fromkeys(total.of, reason)
                break
    return found


def _agree(one: _Total, other: _Total) -> bool:
    return 1 / 1.6 <= one.watts / other.watts <= 1.6


def _totals(values: Mapping[Key, Measured]) -> list[_Total]:
    found = []
    for part, name in ((Part.INLET, "its inlets"), (Part.PHASE, "its phases"), (Part.OUTLET, "its outlets")):
        keys = [key for key in values if key[0] == part and key[2] == Q.POWER_W]
        watts = [values[key].value for key in keys]
        if keys and None not in watts:
            found.append(_Total(name, sum(each or 0 for each in watts), tuple(keys)))
    amperes = {key[1]: key for key in values if key[0] == Part.PHASE and key[2] == Q.CURRENT_A and key[1] != "N"}
    volts = {name: (Part.PHASE, name, Q.VOLTAGE_V) for name in amperes}
    pairs: Sequence[tuple[float | None, float | None]]
    pairs = [(values[amperes[name]].value, _value(values, volts[name])) for name in amperes]
    if pairs and all(each is not None for pair in pairs for each in pair):
        told = [float(volt or 0) for _, volt in pairs]
        of = amperes if all(MAINS_V[0] <= each <= MAINS_V[1] for each in told) else volts
        watts_of_all = sum((ampere or 0) * (volt or 0) for ampere, volt in pairs)
        found.append(_Total("its volts by amperes", watts_of_all, tuple(of.values())))
    return found


def _value(values: Mapping[Key, Measured], key: Key) -> float | None:
    found = values.get(key)
    return found.value if found else None
