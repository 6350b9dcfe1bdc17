"""Machines that are no longer heard: late after two missed sweeps, silent after three, and never ok meanwhile."""

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

LATE_SWEEPS = 2
SILENT_SWEEPS = 3
CLOCKS_DIFFER = timedelta(seconds=60)
"""By how much the clock of the worker that looked may be ahead of ours."""
log = structlog.get_logger(__name__)


def heard_word(heard_at: datetime, now: datetime, period_s: float, grace_s: float) -> str:
    """`heard`, `late` or `silent` from the age of the newest answer; `grace_s` is how long a sweep may take."""
    age_s = (now - heard_at).total_seconds()
    if age_s > SILENT_SWEEPS * period_s + grace_s:
        return "silent"
    return "late" if age_s > LATE_SWEEPS * period_s + grace_s else "heard"


def heard_at_most_now(now: datetime) -> None:
    """An answer cannot come from the future. After the clock was set back it counts from now, and falls silent in time.

    A machine that died meanwhile would otherwise be taken for well until the clock is where it was.
    """
    ahead = MachineHealth.objects.filter(heard_at__gt=now + CLOCKS_DIFFER).update(heard_at=now)
    if ahead:
        log.warning("heard_in_the_future", machines=ahead)


def mark_silent(now: datetime | None = None) -> int:
    """Bring `heard` up to date for machines whose last answer is old; returns how many changed.

    What was heard too long ago is unknown; only a fail stays a fail.
    """
    now = now or timezone.now()
    heard_at_most_now(now)
    period, grace = settings.SWEEP_PERIOD_S, settings.CONFIRM_DELAY_S
    late = now - timedelta(seconds=LATE_SWEEPS * period + grace)
    silent = now - timedelta(seconds=SILENT_SWEEPS * period + grace)
    old = (
        MachineHealth.objects.filter(Q(heard="heard", heard_at__lt=late) | Q(heard="late", heard_at__lt=silent))
        .exclude(state__in=[state.value for state in NOT_SWEPT])
        .order_by("machine_id")
    )
    changed = 0
    for machine_id in list(old.values_list("machine_id", flat=True)):
        with alone("silence_not_marked", machine=machine_id):
            changed += _mark(machine_id, now)
    return changed


def _mark(machine_id: int, now: datetime) -> bool:
    with changing(machine_id, actor="sweep") as change:
        health = change.health
        if health.heard_at is None:
            return False
        word = heard_word(health.heard_at, now, settings.SWEEP_PERIOD_S, settings.CONFIRM_DELAY_S)
        if word == "heard":
            return False
        health.heard = word
        if health.worst != "fail":
            health.worst = "unknown"
        return True
