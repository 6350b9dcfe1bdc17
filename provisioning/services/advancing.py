"""One look at one machine: claim it, work outside any transaction, record what came of it.

A claim is a lease in the database. A worker that is killed leaves its lease to run out; `reap` then has the machine
looked at again by another one. What a worker records under a lease that is no longer its own is dropped.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.queries import bmc_targets, ssh_targets
from access.services import record_identities
from drivers.ssh import Limits, SshFailureKind, run_one
from health.models import Verification
from provisioning.conf import config
from provisioning.engines import ENGINES
from provisioning.engines.contract import Again, Broken, Finished, Job, Outcome, Waits
from provisioning.models import RunMachine
from provisioning.services import asking
from provisioning.services.progress import Progress, changing
from provisioning.steps import BY_NAME, Done, Failed, FailureClass, Late, Status, StepName

log = structlog.get_logger(__name__)

LEASE = timedelta(seconds=60)
WORK_S = 40
"""What one look may take; shorter than the lease, so that a living worker never loses it."""
MOST_LOST_WORKERS = 3
WAIT_S = 15
GRACE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Claim:
    """A machine that is ours to look at until the lease ends."""

    run_machine_id: int
    lease: UUID
    step: StepName
    engine: str
    deadline_at: datetime
    job: Job
    verification_id: int | None
    lost_workers: int


def advance(run_machine_id: int, *, early: bool = False) -> str:
    """Look at one machine once; returns what came of it, in one word. Safe to run twice and in two places.

    `early` looks although the next look is not due yet: something was heard.
    """
    claim = take(run_machine_id, early=early)
    if claim is None:
        return "nothing"
    late = timezone.now() >= claim.deadline_at
    if claim.lost_workers >= MOST_LOST_WORKERS:
        outcome: Outcome = Broken(
            BY_NAME[claim.step].failure, f"given up: {claim.lost_workers} workers were lost at this step"
        )
    elif late and claim.step is StepName.BOOT_SCRIPT:
        outcome = explain(claim)
    else:
        outcome = work(claim)
    return record(claim, outcome, late=late)


def take(run_machine_id: int, *, early: bool = False) -> Claim | None:
    """Claim a running machine that is due and that nobody else holds."""
    now = timezone.now()
    with transaction.atomic():
        row = (
            RunMachine.objects.select_for_update(of=("self",), skip_locked=True)
            .select_related("run", "machine__device")
            .filter(pk=run_machine_id, status=Status.RUNNING.value)
            .first()
        )
        if row is None or (row.lease_until is not None and row.lease_until > now):
            return None
        if not early and row.next_at is not None and row.next_at > now + timedelta(seconds=0.5):
            return None
        if row.lease is not None:
            row.lost_workers += 1
            log.warning("provisioning_worker_lost", run_machine=row.pk, step=row.step, times=row.lost_workers)
        row.lease, row.lease_until, row.heartbeat_at = uuid4(), now + LEASE, now
        row.save(update_fields=["lease", "lease_until", "heartbeat_at", "lost_workers"])
        step = row.steps.get(name=row.step)
    device = row.machine.device
    return Claim(
        run_machine_id=row.pk,
        lease=row.lease,
        step=StepName(row.step),
        engine=row.run.engine,
        deadline_at=step.deadline_at or now + LEASE,
        job=Job(
            machine_id=row.machine_id,
            name=device.name,
            serial=device.serial,
            system_uuid=row.machine.system_uuid,
            boot_mac=row.machine.boot_mac,
            bmc=bmc_targets([row.machine_id])[0],
            data=dict(step.data),
        ),
        verification_id=row.verification_id,
        lost_workers=row.lost_workers,
    )


def work(claim: Claim) -> Outcome:
    """Do what the step needs, without a transaction."""
    engine = ENGINES[claim.engine]
    if claim.step in engine.performs:
        first, began = not claim.job.data.get("phase"), time.monotonic()
        if why := asking.why_waits(claim.run_machine_id, claim.step, first=first):
            return Waits(why)
        if time.monotonic() - began > LEASE.total_seconds() - WORK_S:  # another worker may have the machine by the end
            return Again("it took too long to ask what runs there")
        return engine.perform(claim.step, claim.job, timeout_s=WORK_S)
    if claim.step is StepName.SSH:
        return answers_by_ssh(claim.job.machine_id)
    if claim.step is StepName.CHECKS:
        return checks_pass(claim.verification_id)
    if claim.step is StepName.READY:
        return Finished("provisioned and checked")
    return Again("waiting for the machine")


def answers_by_ssh(machine_id: int) -> Outcome:
    """SSH must answer with the host key that was installed; another key counts as no answer."""
    [target] = ssh_targets([machine_id])
    if target.known_host is None:
        return Broken(FailureClass.NO_SSH, "no host key is known for this machine")
    result = asyncio.run(run_one(target, "true", Limits(command_timeout_s=10)))
    if result.failure is None:
        return Finished("SSH answers with the expected host key")
    if result.failure.kind is SshFailureKind.HOST_KEY_CHANGED:
        record_identities([result], actor="provisioning")
    return Again(f"SSH: {result.failure}")


def checks_pass(verification_id: int | None) -> Outcome:
    verification = Verification.objects.filter(pk=verification_id or 0).first()
    if verification is None:
        return Broken(FailureClass.CHECKS_FAILED, "the verification that was asked for does not exist any more")
    if verification.status == Verification.Status.PASSED:
        return Finished("every check passed")
    if verification.status == Verification.Status.FAILED:
        return Broken(FailureClass.CHECKS_FAILED, verification.reason or "checks failed")
    return Again("the checks are running")


def explain(claim: Claim) -> Outcome:
    """The machine never asked for its boot script: say more when the engine can."""
    found = ENGINES[claim.engine].explain_silence(claim.job, timeout_s=WORK_S)
    if found is None:
        return Again("the machine is on, but never asked for its boot script")
    return Broken(*found)


def record(claim: Claim, outcome: Outcome, *, late: bool = False) -> str:
    """Write down the outcome, unless the machine was taken away meanwhile."""
    with changing(claim.run_machine_id) as progress:
        row = progress.row
        if row.lease != claim.lease:
            return "overtaken"
        row.lease = row.lease_until = None
        row.lost_workers = claim.lost_workers
        match outcome:
            case Finished(detail):
                progress.apply(Done(claim.step), detail)
                return "done"
            case Broken(failure, detail):
                progress.apply(Failed(claim.step, failure), detail)
                return "failed"
            case Waits(detail):
                _wait(progress, claim, detail)
            case Again(detail, data, after_s):
                if late:
                    limit = f"not within {_limit_text(progress)}: {detail}"
                    progress.apply(Late(claim.step), limit)
                    return "late"
                _look_again(progress, claim, detail, data, after_s)
    return "again"


def _limit_text(progress: Progress) -> str:
    step = progress.current
    if step.deadline_at is None or step.started_at is None:
        return "its time"
    seconds = round((step.deadline_at - step.started_at).total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} minutes"


def _wait(progress: Progress, claim: Claim, detail: str) -> None:
    """Not now: the step keeps what it has, says why, and its time begins anew."""
    progress.current.deadline_at = progress.now + timedelta(seconds=BY_NAME[claim.step].limit_s * config().time_scale)
    _look_again(progress, replace(claim, deadline_at=progress.current.deadline_at), f"waits: {detail}", None, WAIT_S)
    progress.touch(progress.current)


def _look_again(
    progress: Progress, claim: Claim, detail: str, data: dict[str, object] | None, after_s: float | None
) -> None:
    step, row = progress.current, progress.row
    if data is not None and data != step.data:
        step.data = data
        progress.touch(step)
    if detail != step.detail:
        step.detail = detail[:500]
        progress.touch(step)
        progress.log(detail)
    wait_s = BY_NAME[claim.step].poll_s if after_s is None else after_s
    later = progress.now + timedelta(seconds=wait_s) if wait_s is not None else claim.deadline_at
    row.next_at = min(later, claim.deadline_at)


def reap() -> tuple[list[int], list[int]]:
    """Machines whose worker was lost or whose next look is overdue, and runs with room: look at them again.

    Returns the ids of the machines to advance and of the runs to fill; the task enqueues them.
    """
    now = timezone.now()
    overdue = RunMachine.objects.filter(status=Status.RUNNING.value).filter(
        Q(lease_until__lte=now) | Q(lease_until=None, next_at__lte=now - GRACE) | Q(lease_until=None, next_at=None)
    )
    waiting = RunMachine.objects.filter(status=Status.WAITING.value).values_list("run_id", flat=True).distinct()
    return list(overdue.order_by("next_at", "pk").values_list("pk", flat=True)), sorted(waiting)
