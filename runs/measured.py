"""What health measured on the machines of a run: by how much their clocks are off."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from functools import lru_cache

from django.utils import timezone

from health.monitoring import samples
from health.monitoring.models.verdicts import Layout, Sample

CLOCK = "clock.offset"
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


@lru_cache(maxsize=16)
def _unpacked(packed: bytes, count: int) -> tuple[float | None, ...]:
    return tuple(samples.values(packed, count))
