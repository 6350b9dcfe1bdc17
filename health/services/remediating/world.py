"""What a machine and its scheduler say right now, read before anything is sent and when an action is looked at."""

from __future__ import annotations

import re
from datetime import datetime

import structlog
from django.utils import timezone

from drivers.scheduler import REASON_PREFIX
from health.lifecycle import LifecycleEvent, State
from health.models import Incident, LifecycleChange, MachineHealth, RemediationAction, SchedulerWish
from health.remediation.remedies import BY_NAME
from health.remediation.types import Report, World
from health.remedies import Job, executor
from health.remedies.power import power_of
from health.remedies.remote import run
from health.services import scheduler_reach, scheduling

log = structlog.get_logger(__name__)
_INCIDENT = re.compile(rf"{re.escape(REASON_PREFIX)} incident (\d{{1,18}}):")
LOOK = "cat /proc/sys/kernel/random/boot_id; cat /proc/uptime; who"
_BOOT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def job_of(row: RemediationAction) -> Job:
    return Job(row.machine_id, row.machine.device.name, row.key, dict(row.params), row.boot_id_before)


def mark_of(row: RemediationAction) -> Report:
    """What the mark of an action's remedy tells, for whoever finds it `sent`; an executor that fails tells nothing."""
    hand = executor(row.remedy)
    if hand is None or row.sent_at is None:
        return Report.NONE
    try:
        return hand.trace(job_of(row), row.sent_at)
    except Exception:
        log.exception("mark_not_read", action=row.pk, remedy=row.remedy)
        return Report.NONE


def read(row: RemediationAction) -> World:
    """The world around one action. Takes some seconds; what does not answer is unknown, never an error."""
    health = MachineHealth.objects.select_related("machine__device").get(pk=row.machine_id)
    answer = run(row.machine_id, LOOK, timeout_s=10)
    heard, boot_id, uptime_s, logins = False, health.boot_id, None, None
    if answer is not None and answer.failure is None:
        heard, boot_id, uptime_s, logins = _said(answer.stdout.decode(errors="replace"), health.boot_id)
    remedy = BY_NAME.get(row.remedy)
    jobs, reserved, drained, ours = _scheduler(health)
    now: datetime = timezone.now()
    return World(
        now=now,
        heard=heard,
        heard_at=now if heard else health.heard_at,
        boot_id=boot_id,
        uptime_s=uptime_s,
        power=power_of(row.machine_id) if remedy is not None and remedy.power else "unknown",
        jobs=jobs,
        reservation_by_others=reserved,
        logins=logins,
        drained=drained,
        drain_is_ours=ours,
    )


def _said(text: str, known_boot_id: str) -> tuple[bool, str, float | None, int | None]:
    """Heard, boot id, uptime and logins of the answer; an answer of another shape is no answer."""
    lines = text.splitlines()
    if len(lines) < 2 or not _BOOT_ID.fullmatch(lines[0].strip()):
        return False, known_boot_id, None, None
    try:
        uptime_s = float(lines[1].split()[0])
    except (ValueError, IndexError):
        return False, known_boot_id, None, None
    return True, lines[0].strip(), uptime_s, len([line for line in lines[2:] if line.strip()])


def _scheduler(health: MachineHealth) -> tuple[int | None, bool | None, bool | None, bool | None]:
    """Jobs, whether others reserved it, whether it is drained, and whether that drain is automation's.

    Without a scheduler nothing runs there that anybody knows of, and our own state is the drain.
    """
    if not scheduling.is_scheduled(health):
        out = health.state in (State.DRAINED, State.REMEDIATING, State.TRIAGE)
        return 0, False, out, _drained_for_an_incident(health.machine_id)
    said = scheduler_reach.facts_now(health.machine_id)
    return said.jobs, said.reservation_by_others, said.drained, bool(said.drained) and _is_ours(health, said.reason)


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
