"""Who makes a run slow where the times of its ranks do not say it: by readings, or by what changed then."""

from __future__ import annotations

from runs.causes.classes import CLASSES
from runs.causes.verdict import Verdict
from runs.models import TrainingRun
from runs.slowness.changes import changes
from runs.slowness.outliers import outliers
from runs.slowness.queries import reference_of, shape_of

THROTTLED = ("clock_mhz", "power_w")
"""A GPU that runs lower than all others of the run; temperature alone slows nobody."""


def without_times(run: TrainingRun) -> Verdict | None:
    odd = next((one for one in outliers(run) if one.kind in THROTTLED), None)
    if odd is not None:
        said = f"Rank {odd.rank} on {odd.machine_name} stands out: {odd.text}."
        row = CLASSES["slow-throttle"]
        return Verdict("slow-throttle", row.owner, None, said, 0.6, odd.rank, odd.machine_name)
    return _by_change(run)


def _by_change(run: TrainingRun) -> Verdict | None:
    """Sure only where one thing changed at the step at which the pace did, and it is a machine's."""
    seen = shape_of(run, reference_of(run))
    if seen.shape.name != "step" or seen.at is None or seen.until is not None:
        return None
    change = changes(run, seen.at, seen.known_s)
    first = change.candidates[0] if change.sure else None
    if first is None or first.kind not in ("fault", "link") or not first.machine_name:
        return None
    row = CLASSES["slow-straggler"]
    since = f"At {seen.shape.speed:.0%} of its pace since {seen.at:%H:%M:%S}"
    said = f"{since}, when this changed on {first.machine_name}: {first.text}."
    return Verdict("slow-straggler", row.owner, None, said, 0.6, None, first.machine_name)
