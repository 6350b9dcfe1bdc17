"""Machines that answer no more: late after two missed sweeps, unreachable after three, and never ok meanwhile."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from core.work.alone import alone
from health.machines.lifecycle import NOT_SWEPT
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import changing
from health.monitoring.services.sweeps import periods

LATE_SWEEPS = 2
UNREACHABLE_SWEEPS = 3
CLOCKS_DIFFER = timedelta(seconds=60)
"""By how much the clock of the worker that looked may be ahead of ours."""
log = structlog.get_logger(__name__)


def reachability_word(last_seen_at: datetime, now: datetime, period_s: float, grace_s: float) -> str:
    """`reachable`, `late` or `unreachable` from the age of the newest answer; `grace_s`: how long a sweep may take."""
    age_s = (now - last_seen_at).total_seconds()
    if age_s > UNREACHABLE_SWEEPS * period_s + grace_s:
        return "unreachable"
    return "late" if age_s > LATE_SWEEPS * period_s + grace_s else "reachable"


def seen_at_most_now(now: datetime) -> None:
    """An answer cannot come from the future. After the clock was set back it counts from now.

    A machine that died meanwhile would otherwise be taken for well until the clock is where it was.
    """
    ahead = MachineHealth.objects.filter(last_seen_at__gt=now + CLOCKS_DIFFER).update(last_seen_at=now)
    if ahead:
        log.warning("seen_in_the_future", machines=ahead)


def mark_unreachable(now: datetime | None = None) -> int:
    """Bring `reachability` up to date for machines whose last answer is old; returns how many changed.

    What was seen too long ago is unknown; only a fail stays a fail.
    """
    now = now or timezone.now()
    seen_at_most_now(now)
    period, grace = periods.follow(now).counted_s, settings.CONFIRM_DELAY_S
    late = now - timedelta(seconds=LATE_SWEEPS * period + grace)
    unreachable = now - timedelta(seconds=UNREACHABLE_SWEEPS * period + grace)
    old = (
        MachineHealth.objects.filter(
            Q(reachability="reachable", last_seen_at__lt=late) | Q(reachability="late", last_seen_at__lt=unreachable)
        )
        .exclude(state__in=[state.value for state in NOT_SWEPT])
        .order_by("machine_id")
    )
    changed = 0
    for machine_id in list(old.values_list("machine_id", flat=True)):
        with alone("silence_not_marked", machine=machine_id):
            changed += _mark(machine_id, now, period)
    return changed


def _mark(machine_id: int, now: datetime, period_s: float) -> bool:
    with changing(machine_id, actor="sweep") as change:
        health = change.health
        if health.last_seen_at is None:
            return False
        word = reachability_word(health.last_seen_at, now, period_s, settings.CONFIRM_DELAY_S)
        if word == "reachable":
            return False
        health.reachability = word
        if health.worst != "fail":
            health.worst = "unknown"
        return True
