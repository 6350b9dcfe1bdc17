"""Machines that are expected to be dark now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q

from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.remediation.darkness import GRACE, Excuse, Lights, PowerAction, excuse
from health.remediation.models import RemediationAction
from health.remediation.remedies import BY_NAME, REMEDIES

DARK = [remedy.name for remedy in REMEDIES if remedy.power]
FIRST = 1  # of a machine that is in service as it was first loaded
LONGEST = timedelta(seconds=max(remedy.deadline_s for remedy in REMEDIES))


def expected_dark(device_ids: Iterable[int], now: datetime, *, or_just_back: bool = False) -> dict[int, Excuse]:
    """The machines among these devices whose links may be dark now (`or_just_back`: or were a moment ago), and why.
    Two queries."""
    ids = list(device_ids)
    actions: dict[int, list[PowerAction]] = defaultdict(list)
    sent = RemediationAction.objects.filter(machine_id__in=ids, remedy__in=DARK, sent_at__isnull=False)
    for row in sent.filter(Q(finished_at=None) | Q(finished_at__gt=now - GRACE), sent_at__gt=now - LONGEST - GRACE):
        assert row.sent_at is not None
        remedy = BY_NAME[row.remedy]
        deadline = row.deadline or row.sent_at + timedelta(seconds=remedy.deadline_s)
        actions[row.machine_id].append(PowerAction(remedy.title, row.sent_at, deadline, row.finished_at))
    found = {}
    for health in MachineHealth.objects.filter(pk__in=ids):
        returned = or_just_back and health.state == State.READY and health.version > FIRST
        lights = Lights(
            health.state,
            health.state_since,
            health.power,
            health.last_seen_at,
            health.maintenance_until,
            actions[health.machine_id],
            health.state_since if returned else None,
        )
        why = excuse(lights, now)
        if why is not None:
            found[health.machine_id] = why
    return found
