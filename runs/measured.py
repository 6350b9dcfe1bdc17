"""What health measured on the machines of a run: by how much their clocks are off, whether their GPUs only wait."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from functools import lru_cache

from django.db.models import F
from django.utils import timezone

from health.monitoring import samples
from health.monitoring.models.verdicts import CurrentVerdict, Layout, Sample
from runs.models import RunRank, TrainingRun

CLOCK = "clock.offset"
STALL = "gpu.stall"
STALLED_SHARE = 0.9
"""Of a run's GPUs; the rank that all wait for may stand on the processor, its GPU idle."""
LEAST_STALLED = 2
FRESH = timedelta(hours=2)
"""A clock that was measured earlier may have been set since."""


def clocks_ahead_s(machine_ids: Collection[int]) -> dict[int, float]:
    """Seconds by which clocks are ahead of NTP time, or of ours where they are minutes off, of those measured lately.

    Two statements.
    """
    now = timezone.now()
    rows = Sample.objects.filter(machine_id__in=machine_ids, at__range=(now - FRESH, now), heard=True)
    newest = (
        rows.order_by("machine_id", "-at").distinct("machine_id").values_list("machine_id", "layout_id", "verdicts")
    )
    told = list(newest)
    entries = dict(Layout.objects.filter(pk__in={layout for _, layout, _ in told}).values_list("pk", "entries"))
    found = {}
    for machine, layout, packed in told:
        checks = entries.get(layout, [])
        at = next((index for index, (check, _) in enumerate(checks) if check == CLOCK), None)
        if at is None:
            continue
        value = _unpacked(bytes(packed), len(checks))[at]
        if value is not None:
            found[machine] = value
    return found


def is_stalled(run: TrainingRun) -> bool:
    """Whether the GPUs of a run are busy at idle power: in more than one sweep, all since its last step.

    One look says little, as a GPU waits at the end of each step. Two statements.
    """
    used = set(RunRank.objects.filter(run=run, machine__isnull=False).exclude(slot="").values_list("machine", "slot"))
    if len(used) < LEAST_STALLED:
        return False
    rows = CurrentVerdict.objects.filter(
        machine_id__in={machine for machine, _ in used},
        check_id=STALL,
        verdict="warn",
        changed_at__gt=run.last_step_at or run.started_at,
        machine__report__checked_at__gt=F("changed_at"),
        machine__report__heard_at__gt=timezone.now() - FRESH,
    )
    stalled = used & set(rows.values_list("machine_id", "part"))
    return len(stalled) >= STALLED_SHARE * len(used)


@lru_cache(maxsize=16)
def _unpacked(packed: bytes, count: int) -> tuple[float | None, ...]:
    return tuple(samples.values(packed, count))
