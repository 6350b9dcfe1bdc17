"""What a machine and its scheduler say right now, read before anything is sent and when an action is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

import structlog
from django.utils import timezone

from drivers.scheduler import REASON_PREFIX
from health.machines.calls import Report
from health.machines.lifecycle import LifecycleEvent, State
from health.machines.models.machines import LifecycleChange, MachineHealth
from health.machines.remote import workload_of
from health.machines.services import kill_switch
from health.remediation.executors import Job, executor, nobody_asked
from health.remediation.executors.power import power_of
from health.remediation.models import Incident, RemediationAction
from health.remediation.remedies import BY_NAME
from health.remediation.types import Guard, Refusal, World
from health.schedulers.models import SchedulerWish
from health.schedulers.services import reach
from health.schedulers.services.reach import FactsNow

log = structlog.get_logger(__name__)
_INCIDENT = re.compile(rf"{re.escape(REASON_PREFIX)} incident (\d{{1,18}}):")


def job_of(row: RemediationAction, refusal: Callable[[], Refusal | None] = nobody_asked) -> Job:
    """What an executor is given. `refusal` is its last question; without one it may not send anything."""
    return Job(row.machine_id, row.machine.device.name, row.key, dict(row.params), row.boot_id_before, refusal)


def mark_of(row: RemediationAction) -> Report:
    """What the mark of an action's remedy tells, for whoever finds it `sent`; an executor that fails tells nothing."""
    hand = executor(row.remedy)
    if hand is None or row.sent_at is None:
        return Report.NONE

    def stopped() -> Refusal | None:
        why = kill_switch.why_stopped(row.machine.device.site_id)
        return Refusal(Guard.KILLED, why, "when somebody releases it") if why else None

    try:
        return hand.trace(job_of(row, stopped), row.sent_at)
    except Exception:
        log.exception("mark_not_read", action=row.pk, remedy=row.remedy)
        return Report.NONE


def read(row: RemediationAction) -> World:
    """The world around one action, the machine itself last: what is sent after it follows at once. Takes some seconds;
    what does not answer is unknown, never an error.
    """
    health = MachineHealth.objects.select_related("machine__device", "pool").get(pk=row.machine_id)
    remedy = BY_NAME.get(row.remedy)
    power = power_of(row.machine_id) if remedy is not None and remedy.power else "unknown"
    said, ours = _scheduler(health)
    machine = workload_of(row.machine_id)
    now: datetime = timezone.now()
    return World(
        now=now,
        heard=machine.heard,
        last_seen_at=now if machine.heard else health.last_seen_at,
        boot_id=machine.boot_id if machine.heard else health.boot_id,  # an old one beside a fresh word is no news
        uptime_s=machine.uptime_s,
        power=power,
        jobs=said.jobs,
        reservation_by_others=said.reservation_by_others,
        logins=machine.logins,
        drained=said.drained,
        drain_is_ours=ours,
        named=said.named,
        running=machine.running,
        unknown=said.reason if said.jobs is None else machine.unknown,
    )


def _scheduler(health: MachineHealth) -> tuple[FactsNow, bool | None]:
    """What the site's scheduler says of it now, and whether the drain is automation's.

    Where a person declared that none runs it, our own state is the drain.
    """
    said = reach.facts_now(health.machine_id)
    if said == reach.NO_SCHEDULER:
        out = health.state in (State.DRAINED, State.REMEDIATING, State.TRIAGE)
        return said._replace(drained=out), _drained_for_an_incident(health.machine_id)
    return said, bool(said.drained) and _is_ours(health, said.reason)


def _drained_for_an_incident(machine_id: int) -> bool:
    """Whether automation took the machine out last, and not a person, who may be at work on it."""
    drains = LifecycleChange.objects.filter(machine_id=machine_id, transition__event=LifecycleEvent.DRAIN.value)
    last = drains.order_by("-id").first()
    return last is not None and bool(last.evidence.get("incident"))


def _is_ours(health: MachineHealth, reason: str) -> bool:
    """Whether the drain's reason is word for word one that automation wrote for an incident of this machine.

    An edited text is somebody's decision, and so is a drain that a person wished for.
    """
    wish = SchedulerWish.objects.filter(pk=health.machine_id).first()
    if wish is None or reason not in {wish.written, wish.reason} - {""}:
        return False
    named = _INCIDENT.match(reason)
    return named is not None and Incident.objects.filter(pk=int(named[1]), machine_id=health.machine_id).exists()
