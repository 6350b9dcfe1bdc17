"""What a run may change now: nothing while the kill switch is on, and machines that are held out of service and on
which nothing runs. Asked right before each change."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from health import services as health
from health.machines.models.machines import MachineHealth
from health.machines.remote import workloads_of
from health.machines.services import kill_switch
from health.models import Hold
from provisioning.waves import fitness


class Run(Protocol):
    """A run over machines of a site, as a person began it."""

    site_id: int
    dry_run: bool
    created_by: str
    created_at: datetime


def why_stopped(run: Run) -> str:
    """Why a run may write nothing now, by the kill switch. A dry run writes nothing."""
    return "" if run.dry_run else kill_switch.why_run_stopped(run.site_id, by=run.created_by, begun_at=run.created_at)


def in_use(machine_ids: Collection[int], *, owner: str, reason: str, actor: str, drained_for: str) -> dict[int, str]:
    """Hold these machines out of service, then ask what runs on them: one that is held does not come back.

    Returns those that may not be touched, and why. They stay held until `lift` of the same owner.
    """
    for machine_id in machine_ids:
        health.place_hold(machine_id, owner=owner, reason=reason, actor=actor)
    said = workloads_of(machine_ids)
    states = states_of(machine_ids)
    reasons = {
        pk: fitness.why_not(states.get(pk, ""), drained_for=drained_for) or said[pk].refuses for pk in machine_ids
    }
    return {pk: why for pk, why in reasons.items() if why}


def lift(machine_ids: Collection[int], *, owner: str, reason: str, actor: str) -> None:
    """Take back what keeps these machines out of service, where this owner placed it."""
    rows = Hold.objects.filter(machine_id__in=list(machine_ids), owner=owner, lifted_at=None)
    for machine_id in set(rows.values_list("machine_id", flat=True)):
        health.lift_hold(machine_id, owner=owner, reason=reason, actor=actor)


def states_of(machine_ids: Collection[int]) -> dict[int, str]:
    """The lifecycle state of each machine that health knows."""
    rows = MachineHealth.objects.filter(machine_id__in=list(machine_ids))
    return dict(rows.values_list("machine_id", "state"))
