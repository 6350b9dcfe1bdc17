"""The curve of a run read from its log, where nobody reports it: step lines of common trainers, or of a site's own
regular expression. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from runs.causes.lines import line_of, time_of
from runs.pace.steps import MARKS, NUMBER, number_of, step_of

MOST = 1_000_000
LONGEST_PATTERN = 500
FIELDS = ("step", "seconds", "ms", "rate", "loss")
"""Names of groups that a site's expression may have."""


class Logged(NamedTuple):
    """A step as a log tells it. `cost` is seconds, or seconds a token where only a rate is printed."""

    step: int | None
    at: datetime | None
    cost: float
    loss: float | None = None


class NoPattern(ValueError):
    """Why an expression cannot be used."""


def pattern_of(text: str) -> re.Pattern[str]:
    """A site's expression; {n} stands for a number. Raises NoPattern."""
    if len(text) > LONGEST_PATTERN:
        raise NoPattern(f"at most {LONGEST_PATTERN} characters")
    try:
        found = re.compile(text.replace("{n}", NUMBER))
    except (re.error, RecursionError) as error:
        raise NoPattern(str(error)) from error
    if not set(found.groupindex) & set(FIELDS) - {"loss"}:
        raise NoPattern("name at least one of the groups step, seconds, ms, rate")
    return found


def steps_of(lines: Iterable[bytes], year: int, pattern: re.Pattern[str] | None = None) -> list[Logged]:
    """All steps of one rank's log, in its order.

    Where lines tell no time of a step (Hugging Face Trainer), it is that from line to line over the steps between.
    """
    marks = tuple(mark.encode() for mark in MARKS)
    found: list[Logged] = []
    before: tuple[int | None, datetime] | None = None
    for number, data in enumerate(lines, 1):
        if pattern is None and not any(mark in data for mark in marks):
            continue
        line = line_of(number, data.rstrip(b"\n"))
        told = _own(line.text, pattern) if pattern is not None else _known(number, line.text)
        if told is None:
            continue
        step, cost, loss = told
        at = time_of(line.raw, year)
        if cost is None and at is not None and before is not None:
            count = step - before[0] if step is not None and before[0] is not None else 1
            cost = (at - before[1]).total_seconds() / count if count > 0 else None
        before = (step, at) if at is not None else before
        if cost is not None and cost > 0 and len(found) < MOST:
            found.append(Logged(step, at, cost, loss))
    return found


def _known(number: int, text: str) -> tuple[int | None, float | None, float | None] | None:
    step = step_of(number, text)
    return (step.iteration, step.cost, step.loss) if step is not None else None


def _own(text: str, pattern: re.Pattern[str]) -> tuple[int | None, float | None, float | None] | None:
    found = pattern.search(text)
    if found is None:
        return None
    told = {name: value for name, value in found.groupdict().items() if name in FIELDS}
    try:
        numbers = {name: number_of(value) for name, value in told.items()}
    except ValueError:  # the expression takes what is no number
        return None
    step, seconds, milliseconds, rate, loss = (numbers.get(name) for name in FIELDS)
    cost = seconds if seconds is not None else milliseconds / 1000 if milliseconds is not None else None
    if cost is None and rate:
        cost = 1 / rate
    return int(step) if step is not None else None, cost, loss
