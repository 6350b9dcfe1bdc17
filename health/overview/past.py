"""How the floor was at a moment: from what was recorded then to the same cells that the live floor shows. Pure.

Only what was recorded is shown. A machine whose state nobody recorded yet, or that had not answered for longer than a
live machine may, has no signal: unknown is never healthy. Power is not in the history, so a machine that was switched
off without a change of state shows as it answered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from health.machines.cells import Condition, cell

UNKNOWN_STATE = "unknown"
OUT = ("failed", "repair", "drained", "provisioning")
"""Cells that the state and confirmed faults alone decide: what the strip counts."""
Span = tuple[datetime, datetime | None]


@dataclass(frozen=True)
class Moment:
    """What was recorded of one machine until a moment. `seen_at`: its last answer by then; None: none that counts."""

    state: str | None
    seen_at: datetime | None = None
    worst: str = "unknown"
    allocated: bool = False
    suspected: bool = False
    confirmed: bool = False


def reachability(seen_at: datetime | None, word: Callable[[datetime], str]) -> str:
    """`word` gives that of an answer of some age; without one the machine was not reachable, for all we know."""
    return "unreachable" if seen_at is None else word(seen_at)


def cell_then(moment: Moment, reached: str) -> str:
    """The cell at that moment."""
    if moment.state is None:
        return "no_signal"
    return cell(
        Condition(
            state=moment.state,
            reachability=reached,
            worst=moment.worst,
            allocation="allocated" if moment.allocated else "unknown",
            suspected=moment.suspected,
            confirmed=moment.confirmed,
        )
    )


# ---- where things stood ----


@dataclass
class Standing:
    """The placement of a device: rack and half units from (included) to (excluded)."""

    device: int
    rack: int
    low: int
    high: int


_RANGE = re.compile(r"^[\[(](-?\d+),(-?\d+)[\])]$")


def standing(row: Mapping[str, Any]) -> Standing | None:
    """A row of the log as a placement; None for what no machine stands in, such as a zero-U side or a reservation."""
    found = _RANGE.match(str(row.get("half_units") or ""))
    if found is None or row.get("device_id") is None or row.get("rack_id") is None:
        return None
    return Standing(int(row["device_id"]), int(row["rack_id"]), int(found[1]), int(found[2]))


def rewound(now: Mapping[int, Mapping[str, Any]], changes: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Standing]:
    """Placements before the changes were made, which come the newest first as (action, {id, before}) of the log."""
    rows = {pk: dict(row) for pk, row in now.items()}
    for action, change in changes:
        pk, before = int(change["id"]), change.get("before") or {}
        if action == "created":
            rows.pop(pk, None)
        elif action == "deleted":
            rows[pk] = dict(before)
        elif pk in rows:
            rows[pk].update(before)
    return [found for row in rows.values() if (found := standing(row)) is not None]


# ---- how many were out, over time ----


@dataclass
class Course:
    """The states of one machine over a span of time, and when confirmed faults were open that take it out."""

    begin: str | None
    """The state at the begin of the span, None where nothing was recorded."""
    changes: list[tuple[datetime, str]] = field(default_factory=list)
    faults: list[Span] = field(default_factory=list)


def pieces(course: Course, begin: datetime, end: datetime) -> Iterable[tuple[datetime, datetime, str]]:
    """From when until when a machine showed which cell, of `OUT`, and `no_signal` where its state is not recorded."""
    edges = {begin, end, *(at for at, _ in course.changes)}
    edges |= {at for span in course.faults for at in span if at is not None}
    inside = sorted(at for at in edges if begin <= at <= end)
    for low, high in pairwise(inside):
        state = course.begin
        for at, after in course.changes:
            if at <= low:
                state = after
        confirmed = any(since <= low and (until is None or until > low) for since, until in course.faults)
        word = cell_then(Moment(state, confirmed=confirmed, worst="ok"), "reachable")
        if word in OUT or state is None:
            yield low, high, word


def strip(courses: Iterable[Course], begin: datetime, end: datetime, step: timedelta) -> list[list[Any]]:
    """[time, number of each cell of `OUT`, number of machines without a recorded state] at every step."""
    steps = int((end - begin) / step) + 1
    deltas: dict[str, Counter[int]] = {word: Counter() for word in (*OUT, "no_signal")}
    for course in courses:
        for low, high, word in pieces(course, begin, end + step):  # so that the last step lies inside
            deltas[word][-(-(low - begin) // step)] += 1
            deltas[word][-(-(high - begin) // step)] -= 1
    rows: list[list[Any]] = []
    running: Counter[str] = Counter()
    for number in range(steps):
        running.update({word: deltas[word][number] for word in deltas})
        rows.append([begin + number * step, *(running[word] for word in (*OUT, "no_signal"))])
    return rows


STRIP_COLUMNS: Sequence[str] = ("at", *OUT, "not_recorded")
