"""The weekly burn-in: in its window, on idle machines, as many as their pools allow, over before its end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.alone import alone
from health.diagnostics.models import ActiveRun, ActiveStep, ActiveWindow
from health.diagnostics.services.runs import ActiveRefused, create
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth, Pool
from health.machines.queries import budgets_of

NOT_AGAIN_WITHIN = timedelta(days=6)
BY = "weekly burn-in"


def occurrence(window: ActiveWindow, now: datetime) -> tuple[datetime, datetime] | None:
    """Begin and end of the window that is open now; None when it is not."""
    for days in (0, 1):
        day = (now - timedelta(days=days)).date()
        if day.weekday() != window.weekday:
            continue
        begin = datetime.combine(day, window.starts, UTC)
        end = datetime.combine(day, window.ends, UTC)
        end += timedelta(days=1) if end <= begin else timedelta()
        if begin <= now < end:
            return begin, end
    return None


def start_due(*, now: datetime | None = None) -> list[int]:
    """Begin runs in the windows that are open, one at a time each; ids of the runs begun. Safe to run twice.

    Where automation is stopped none begins.
    """
    at = now or timezone.now()
    begun = []
    stopped = Q(site__automation__killed=True) | Q(site__automation__breaker_open_at__isnull=False)
    enabled = ActiveWindow.objects.filter(enabled=True).exclude(stopped)
    for window_id in enabled.order_by("id").values_list("pk", flat=True):
        with alone("window_not_begun", window=window_id), transaction.atomic():
            window = ActiveWindow.objects.select_for_update(skip_locked=True).filter(pk=window_id, enabled=True).first()
            open_now = occurrence(window, at) if window is not None else None
            if window is None or open_now is None:
                continue
            if window.runs.filter(status__in=ActiveRun.OPEN).exists():
                continue
            machines = next_batch(window, at, since=open_now[0])
            if not machines:
                continue
            try:
                run = create(
                    window.site_id, "burn_in", machines, by=BY, reason=f"window {window}",
                    options={"kinds": window.kinds}, window=window, must_end_at=open_now[1],
                )  # fmt: skip
            except ActiveRefused:
                continue
            window.started_at = at
            window.save(update_fields=["started_at"])
            begun.append(run.pk)
    return begun


def next_batch(window: ActiveWindow, now: datetime, *, since: datetime) -> list[int]:
    """Idle machines in service, longest untested first, as many of each pool as it may spare now.

    A machine that was tested or left out in this window, or tested within the last days, is not taken again.
    """
    lately = now - NOT_AGAIN_WITHIN
    tested = ActiveStep.objects.filter(finished_at__gte=lately, attempts__gt=0, run__window__isnull=False)
    recent = {pk for ids in tested.values_list("machine_ids", flat=True) for pk in ids}
    for left_out in window.runs.filter(created_at__gte=since).values_list("left_out", flat=True):
        recent |= {row["machine_id"] for row in left_out}
    recent |= set(window.runs.filter(created_at__gte=since).values_list("machines__machine_id", flat=True))
    chosen: list[int] = []
    pools = list(Pool.objects.filter(site_id=window.site_id, automation=Pool.Automation.ON).order_by("id"))
    budgets = budgets_of(pools)
    for pool in pools:
        idle = MachineHealth.objects.filter(
            pool=pool, state=State.READY.value, allocation=MachineHealth.Allocation.IDLE
        ).exclude(machine_id__in=recent)
        chosen += idle.order_by("machine_id").values_list("machine_id", flat=True)[: budgets[pool.pk].left]
    return chosen


def save_window(window: ActiveWindow, values: dict[str, Any]) -> ActiveWindow:
    """Make or change a window."""
    for name, value in values.items():
        setattr(window, name, value)
    window.save()
    return window


def remove_window(window: ActiveWindow) -> None:
    """Runs that it began stay."""
    window.delete()
