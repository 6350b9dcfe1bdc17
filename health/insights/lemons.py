"""Machines that cause more trouble than their like: a score with its terms, against those of the same model. Pure.

Nothing acts on it: it tells people which machine to look into, and why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import median

DAYS = 30
DEVIATIONS = 3
LEAST_EVENTS = 3
WEIGHTS: dict[str, float] = {
    "failed_verification": 3,
    "remediation": 2,
    "incident": 1,
    "job_failure": 1,
    "ecc_storm": 0.5,
}
TITLES: dict[str, str] = {
    "failed_verification": "verifications that failed",
    "remediation": "remedies tried",
    "incident": "incidents",
    "job_failure": "failures of jobs on this machine alone",
    "ecc_storm": "days on which a part corrected memory errors in storms",
}


# Failures of a job on one machine alone are a signal of lemons on Meta's research clusters ("Revisiting Reliability in
# Large-Scale Machine Learning Research Clusters", arXiv 2410.21680). What Slurm's states mean: its page "Job State
# Codes". Not among them are ends that somebody wanted, or a limit of the job brought about: cancelled, timeout,
# deadline, preempted, out_of_memory, requeued.
CAUSED_BY_MACHINE = ("node_fail", "boot_fail", "launch_failed")
"""Each counts."""
CAUSED_BY_PROGRAM = ("failed",)
"""The program ended badly, which a machine may have caused and a slip in a script as well: all of an account on one day
count once, so that a slip sent a hundred times makes no lemon."""


@dataclass(frozen=True)
class Term:
    """One part of a score; `count` is None where nobody tells it, which adds nothing."""

    count: int | None
    weight: float

    @property
    def points(self) -> float:
        return (self.count or 0) * self.weight


@dataclass(frozen=True)
class Score:
    """One machine among those of its model: `limit` is what it must be above to be flagged."""

    machine_id: int
    model: str
    score: float
    terms: Mapping[str, Term]
    median: float
    limit: float
    peers: int

    @property
    def events(self) -> int:
        return sum(term.count or 0 for term in self.terms.values())

    @property
    def flagged(self) -> bool:
        return self.score > self.limit and self.events >= LEAST_EVENTS


def scores(
    machines: Iterable[tuple[int, str]],
    counts: Mapping[int, Mapping[str, int]],
    unknown: Mapping[int, Collection[str]] | None = None,
) -> list[Score]:
    """(machine, model) to scores, the worst first; `counts` by machine and term, `unknown` the terms nobody tells of a
    machine."""
    by_model: dict[str, dict[int, dict[str, Term]]] = defaultdict(dict)
    for machine_id, model in machines:
        told, untold = counts.get(machine_id, {}), (unknown or {}).get(machine_id, ())
        by_model[model][machine_id] = {
            name: Term(None if name in untold else told.get(name, 0), weight) for name, weight in WEIGHTS.items()
        }
    found = []
    for model, terms_of in by_model.items():
        sums = {pk: sum(term.points for term in terms.values()) for pk, terms in terms_of.items()}
        middle = median(sums.values())
        spread = median(abs(points - middle) for points in sums.values())
        limit = middle + DEVIATIONS * spread
        found += [Score(pk, model, sums[pk], terms, middle, limit, len(sums) - 1) for pk, terms in terms_of.items()]
    return sorted(found, key=lambda each: (-each.score, each.machine_id))
