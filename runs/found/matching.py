"""Which run that is known is one that was found now, or one that reports itself. Pure.

Names are used again: a job that is requeued, a job id after Slurm's counter began anew, ranks that torchelastic starts
with another world size under the same number of restarts. So a name alone decides nothing: size, meeting point and time
must fit as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

SLACK_S = 300.0
"""Times of a scheduler, of machines and of reports may differ by so much."""
REUSED_S = 600.0
"""What begins so long after a run of that name ended is another one."""


class Known(NamedTuple):
    """A run of this key and attempt that is stored; times in seconds since 1970. `world` is 0 and `rendezvous` empty
    where not told yet."""

    id: int
    repeat: int
    world: int
    rendezvous: str
    ended: float | None


class Now(NamedTuple):
    """What is there now. `began` is when its oldest process did, or its first step."""

    world: int
    rendezvous: str
    began: float


def same(known: Iterable[Known], now: Now) -> int | None:
    """The id of the run this is; None: a new one."""
    fits = [each for each in known if _fits(each, now)]
    return max(fits, key=lambda each: each.repeat).id if fits else None


def _fits(known: Known, now: Now) -> bool:
    if known.world and now.world and known.world != now.world:
        return False
    if known.rendezvous and now.rendezvous and known.rendezvous != now.rendezvous:
        return False
    return known.ended is None or now.began <= known.ended + REUSED_S


def restarted(seen: set[tuple[int, int]], now: set[tuple[int, int]]) -> bool:
    """Whether all processes, (machine, pid), are others than those last seen: it was started again under its name."""
    return bool(seen) and seen.isdisjoint(now)


def of_job(run_started: float, job_started: float, job_ended: float | None) -> bool:
    """Whether a run of this job's id is of this start of the job: ids are used again, and jobs are requeued."""
    return job_started - SLACK_S <= run_started and (job_ended is None or run_started <= job_ended)
