"""Machines of runs to look at now: those that are due, claimed by a lease in the database.

A worker that is killed leaves its leases to run out; the machines are then claimed by another one. What a worker
records under a lease that is no longer its own is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from access.queries import bmc_targets, ssh_targets
from drivers.ssh import SshTarget
from provisioning.engines.contract import Job
from provisioning.models import RunMachine, Step
from provisioning.steps import Status, StepName

log = structlog.get_logger(__name__)

LEASE = timedelta(seconds=60)
JUST_DUE = timedelta(seconds=0.5)


@dataclass(frozen=True, slots=True)
class Claim:
    """A machine that is ours to look at until the lease ends. `looks` are those of this step before this one."""

    run_machine_id: int
    run_id: int
    lease: UUID
    step: StepName
    engine: str
    deadline_at: datetime
    looks: int
    silent_looks: int
    job: Job
    ssh: SshTarget | None
    verification_id: int | None
    lost_workers: int


def due(now: datetime) -> QuerySet[RunMachine]:
    """Running machines that nobody looks at and whose next look is due, the longest due first."""
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    soon = Q(next_at=None) | Q(next_at__lte=now + JUST_DUE)
    rows = RunMachine.objects.filter(free, soon, status=Status.RUNNING.value)
    return rows.order_by(F("next_at").asc(nulls_first=True), "pk")


def lane_of(slow: bool) -> Q:
    """Machines that answered at their last look, or those that kept it waiting."""
    return Q(silent_looks__gt=0) if slow else Q(silent_looks=0)


def wake(run_machine_ids: Sequence[int]) -> None:
    """Something was heard of these machines: their next look is due now."""
    if run_machine_ids:
        running = RunMachine.objects.filter(pk__in=run_machine_ids, status=Status.RUNNING.value)
        running.update(next_at=timezone.now())


def take(rows: QuerySet[RunMachine], most: int) -> list[Claim]:
    """Claim so many of these machines, without those that another worker is just claiming. Fixed number of queries."""
    now = timezone.now()
    with transaction.atomic():
        taken = list(
            rows.select_for_update(of=("self",), skip_locked=True).select_related("run", "machine__device")[:most]
        )
        for row in taken:
            if row.lease is not None:
                row.lost_workers += 1
                log.warning("provisioning_worker_lost", run_machine=row.pk, step=row.step, times=row.lost_workers)
            row.lease, row.lease_until, row.heartbeat_at = uuid4(), now + LEASE, now
        RunMachine.objects.bulk_update(taken, ["lease", "lease_until", "heartbeat_at", "lost_workers"])
    return _claims(taken, now) if taken else []


def _claims(rows: Sequence[RunMachine], now: datetime) -> list[Claim]:
    steps = {(step.run_machine_id, step.name): step for step in Step.objects.filter(run_machine__in=rows)}
    bmcs = {target.machine_id: target for target in bmc_targets([row.machine_id for row in rows])}
    with_ssh = [row.machine_id for row in rows if row.step == StepName.SSH.value]
    hosts = {target.machine_id: target for target in ssh_targets(with_ssh)} if with_ssh else {}
    claims = []
    for row in rows:
        step, device = steps[row.pk, row.step], row.machine.device
        assert row.lease is not None
        claims.append(
            Claim(
                run_machine_id=row.pk,
                run_id=row.run_id,
                lease=row.lease,
                step=StepName(row.step),
                engine=row.run.engine,
                deadline_at=step.deadline_at or now + LEASE,
                looks=step.looks,
                silent_looks=row.silent_looks,
                job=Job(
                    machine_id=row.machine_id,
                    name=device.name,
                    serial=device.serial,
                    system_uuid=row.machine.system_uuid,
                    boot_mac=row.machine.boot_mac,
                    bmc=bmcs[row.machine_id],
                    data=dict(step.data),
                ),
                ssh=hosts.get(row.machine_id),
                verification_id=row.verification_id,
                lost_workers=row.lost_workers,
            )
        )
    return claims
