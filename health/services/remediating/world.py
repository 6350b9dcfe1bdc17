"""What a machine and its scheduler say right now, read before anything is sent and when an action is looked at."""

from __future__ import annotations

import re
from datetime import datetime

from django.utils import timezone

from drivers.scheduler import REASON_PREFIX
from health.models import MachineHealth, RemediationAction
from health.remediation.remedies import BY_NAME
from health.remediation.types import World
from health.remedies import Job, executor
from health.remedies.power import power_of
from health.remedies.remote import run
from health.services import scheduler_reach, scheduling

LOOK = "cat /proc/sys/kernel/random/boot_id; cat /proc/uptime; who"
_BOOT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def job_of(row: RemediationAction) -> Job:
    return Job(row.machine_id, row.machine.device.name, row.key, dict(row.params))


def read(row: RemediationAction) -> World:
    """The world around one action. Takes some seconds; what does not answer is unknown, never an error."""
    health = MachineHealth.objects.select_related("machine__device").get(pk=row.machine_id)
    answer = run(row.machine_id, LOOK, timeout_s=10)
    heard, boot_id, uptime_s, logins = False, health.boot_id, None, None
    if answer is not None and answer.failure is None:
        heard, boot_id, uptime_s, logins = _said(answer.stdout.decode(errors="replace"), health.boot_id)
    remedy, hand = BY_NAME.get(row.remedy), executor(row.remedy)
    jobs, reserved, drained, ours = _scheduler(health, row.incident_id)
    trace = hand.trace(job_of(row), row.sent_at) if hand is not None and row.sent_at is not None else None
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
        trace=trace,
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


def _scheduler(health: MachineHealth, incident_id: int) -> tuple[int | None, bool | None, bool | None, bool | None]:
    """Jobs, whether others reserved it, whether it is drained, and whether that drain is ours.

    Without a scheduler nothing runs there that anybody knows of, and our own state is the drain.
    """
    if not scheduling.is_scheduled(health):
        return 0, False, health.state in ("drained", "remediating"), True
    said = scheduler_reach.facts_now(health.machine_id)
    ours = said.drained and said.reason.startswith(REASON_PREFIX) and f"incident {incident_id}:" in said.reason
    return said.jobs, said.reservation_by_others, said.drained, ours
