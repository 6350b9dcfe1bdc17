"""What a failure costs, in GPU-hours. Pure; the method is this module.

A run that failed, hangs or was ended from outside has lost all of its GPUs
    from its last checkpoint to its last step (`repeated`: those steps are done again), where checkpoints are told, and
    from its last step to its end (`standing`: hanging, timing out, or never having begun), to now where it hangs.
A run that goes on slower than at its own best pace loses the difference (`slow`), by pieces of up to 1,024 steps whose
median is more than 5 % above the baseline.
What is not counted: the time until the next attempt begins, and pieces of which less than half was slow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from runs.causes.classes import NOTHING_FAILED

METHOD = (
    "A run that failed, hangs or was ended loses its GPUs from its last checkpoint (where told, else its last step) "
    "to its end; a slow one the share by which its steps take longer than at its own best pace. "
    "The time until the next attempt begins is not counted."
)
HOUR_S = 3600.0
WEEK = timedelta(days=7)


class Run(NamedTuple):
    """One that failed, hangs or was ended. `ended_at`: now, for one that hangs."""

    id: int
    name: str
    gpus: int
    started_at: datetime
    last_step_at: datetime | None
    checkpoint_at: datetime | None
    ended_at: datetime
    cause: str | None
    owner: str | None


class Slowed(NamedTuple):
    """A run in one week in which some of its pieces were slow. `lost_s`: longer by so much than at its own pace."""

    id: int
    name: str
    gpus: int
    week: datetime
    lost_s: float
    cause: str | None
    owner: str | None


class Loss(NamedTuple):
    """GPU-hours of a run in a week."""

    run: int
    name: str
    week: datetime
    cause: str | None
    """None: not known."""
    owner: str | None
    repeated: float
    standing: float
    slow: float

    @property
    def total(self) -> float:
        return self.repeated + self.standing + self.slow


def gpus_of(world: int, ranks: int, placed: int, distinct: int) -> int:
    """GPUs of a run: distinct slots where each rank's is known, since two ranks may share one; else one a rank."""
    if ranks >= world and placed == ranks and distinct:
        return distinct
    return max(world, ranks)


def week_of(at: datetime) -> datetime:
    """Its Monday, 0:00 UTC."""
    day = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


def weeks_between(begin: datetime, end: datetime) -> list[datetime]:
    found, week = [], week_of(begin)
    while week < end:
        found.append(week)
        week += WEEK
    return found


def known(cause: str | None) -> str | None:
    return None if cause in (None, "", NOTHING_FAILED) else cause


def loss_of(run: Run) -> Loss:
    """Of a run that failed, hangs or was ended."""
    progress = min(run.last_step_at or run.started_at, run.ended_at)
    saved = min(run.checkpoint_at, progress) if run.checkpoint_at else progress
    return Loss(
        run.id, run.name, week_of(run.ended_at), known(run.cause), run.owner if known(run.cause) else None,
        run.gpus * (progress - saved).total_seconds() / HOUR_S,
        run.gpus * (run.ended_at - progress).total_seconds() / HOUR_S,
        0.0,
    )  # fmt: skip


def loss_of_slowed(slowed: Slowed) -> Loss:
    """What ended a slow run later is no reason for its slowness: only a verdict about its pace is."""
    about_pace = (slowed.cause or "").startswith("slow-")
    cause, owner = (slowed.cause, slowed.owner) if about_pace else (None, None)
    return Loss(
        slowed.id, slowed.name, slowed.week, cause, owner, 0.0, 0.0, slowed.gpus * slowed.lost_s / HOUR_S
    )  # fmt: skip


class Sum(NamedTuple):
    """Of one week, cause and owner."""

    week: datetime
    cause: str | None
    owner: str | None
    runs: int
    repeated: float
    standing: float
    slow: float

    @property
    def total(self) -> float:
        return self.repeated + self.standing + self.slow


def summed(losses: Iterable[Loss]) -> list[Sum]:
    """By week, cause and owner; in each week the dearest first."""
    parts: dict[tuple[datetime, str | None, str | None], list[Loss]] = defaultdict(list)
    for loss in losses:
        if loss.total > 0:
            parts[loss.week, loss.cause, loss.owner].append(loss)
    found = [
        Sum(
            *key,
            len({loss.run for loss in part}),
            sum(loss.repeated for loss in part),
            sum(loss.standing for loss in part),
            sum(loss.slow for loss in part),
        )
        for key, part in parts.items()
    ]
    return sorted(found, key=lambda one: (one.week, -one.total, one.cause or ""))


def dearest(losses: Iterable[Loss], most: int) -> list[Loss]:
    """The runs that lost the most, each over all of its weeks; named by the cause that cost it the most."""
    by_run: dict[int, list[Loss]] = defaultdict(list)
    for loss in losses:
        by_run[loss.run].append(loss)
    whole = []
    for part in by_run.values():
        main = max(part, key=lambda loss: loss.total)
        whole.append(
            main._replace(
                repeated=sum(loss.repeated for loss in part),
                standing=sum(loss.standing for loss in part),
                slow=sum(loss.slow for loss in part),
            )
        )
    whole = [loss for loss in whole if loss.total > 0]
    return sorted(whole, key=lambda loss: (-loss.total, loss.run))[:most]
