"""What a change of pace is put down to: what else changed at that moment. Pure.

Most things are seen later than they happen: a sweep shows a new driver at its next check. So a candidate has a span in
which it happened, and fits where the change of pace lies in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

SLACK_S = 120.0
"""Clocks and the point of the change are known no better than this."""
MOST = 12


class Candidate(NamedTuple):
    """Something that changed on the run's machines, links or software; times in seconds since 1970."""

    kind: str
    """`fault`, `link`, `software`, `part`, `machine` or `run`."""
    since: float
    """It did not happen earlier,"""
    at: float
    """and was seen then."""
    text: str
    machine: int | None = None
    machine_name: str = ""


@dataclass
class Attribution:
    """`sure` with exactly one candidate that fits; otherwise all that lie near, the nearest first."""

    sure: bool
    candidates: list[Candidate] = field(default_factory=list)


def attribute(moment: float, told: Iterable[Candidate], slack_s: float = 0.0) -> Attribution:
    """What changed when the pace did; `slack_s`: the moment is known no better than this."""
    slack = SLACK_S + slack_s
    fits = sorted(
        (one for one in told if one.since - slack <= moment <= one.at + slack),
        key=lambda one: (_distance(moment, one), one.at, one.text),
    )
    return Attribution(len(_causes(fits)) == 1, fits[:MOST])


def _distance(moment: float, one: Candidate) -> float:
    """From the span of a candidate; of those that hold the moment the narrowest comes first."""
    outside = max(0.0, one.since - moment, moment - one.at)
    return outside + (one.at - one.since) / 10


def _causes(fits: Iterable[Candidate]) -> set[tuple[int | None, str]]:
    """A fault of a machine and the link of the same machine that went down are one thing."""
    return {(one.machine, "" if one.kind in ("fault", "link") else one.text) for one in fits}
