"""Machines of runs to look at now: those that are due, claimed by a lease in the database.

A worker that is killed leaves its leases to run out; the machines are then claimed by another one. What a worker
records under a lease that is no longer its own is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from django.db.models import Q, QuerySet
from django.utils import timezone

from access.queries import bmc_targets, ssh_targets
from core.work.kinds import Lease, Work
from drivers.ssh import SshTarget
from provisioning.engines import DEPLOYERS
from provisioning.engines.contract import Job
from provisioning.models import RunMachine, Step
from provisioning.services import media
from provisioning.services.network_boot import first_boot_data
from provisioning.services.permits import in_thread
from provisioning.steps import Status, StepName

log = structlog.get_logger(__name__)

WORK = Work(
    name="machine in a run",
    model=RunMachine,
    open=Q(status=Status.RUNNING.value),
    hold=Lease(60, token="lease"),
    due="next_at",
    early_s=0.5,  # just due
    attempts="lost_workers",
    counts_losses=True,
    most=6,
    lost="given up: {} workers were lost at this step",
    taken=lambda row, now: {"heartbeat_at": now},
)

ALONE_FROM = 3
"""A worker has hundreds of machines at once, and the one that ends it is among them: who lost so many workers is looked
at alone from then on, and is given up only when it lost the rest of `most` alone."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A machine that is ours to look at until the lease ends. `looks` are those of this step before this one, `detail`
    is what it says of itself."""

    run_machine_id: int
    run_id: int
    lease: UUID
    step: StepName
    engine: str
    deadline_at: datetime
    looks: int
    silent_looks: int
    detail: str
    job: Job
    ssh: SshTarget | None
    verification_id: int | None
    lost_workers: int


def lane_of(slow: bool) -> Q:
    """Machines that answered at their last look, or those that kept it waiting."""
    return Q(silent_looks__gt=0) if slow else Q(silent_looks=0)


def wake(run_machine_ids: Sequence[int]) -> None:
    """Something was heard of these machines: their next look is due now."""
    if run_machine_ids:
        running = RunMachine.objects.filter(pk__in=run_machine_ids, status=Status.RUNNING.value)
        running.update(next_at=timezone.now())


def take(rows: QuerySet[RunMachine], most: int) -> list[Claim]:
    """Claim so many of these machines that are due, the longest due first. Fixed number of queries."""
    now = timezone.now()
    taken = WORK.claim(rows.select_related("run", "machine__device"), limit=most, now=now)
    for row in taken:
        if row.lost_workers:
            log.warning("provisioning_worker_lost", run_machine=row.pk, step=row.step, times=row.lost_workers)
    return _claims(taken, now) if taken else []


def _deployers(rows: Sequence[RunMachine]) -> dict[int, Any]:
    """How each machine's deployer is reached, of those that are left to one."""
    hardware = {row.machine_id for row in rows if row.step == StepName.HARDWARE.value}
    found: dict[int, Any] = {}
    for slug, engine in DEPLOYERS.items():
        ids = [row.machine_id for row in rows if row.run.engine == slug]
        if ids:
            found |= engine.targets(ids, hardware=hardware.intersection(ids))
    return found


def _claims(rows: Sequence[RunMachine], now: datetime) -> list[Claim]:
    steps = {(step.run_machine_id, step.name): step for step in Step.objects.filter(run_machine__in=rows)}
    bmcs = {target.machine_id: target for target in bmc_targets([row.machine_id for row in rows])}
    with_ssh = [row.machine_id for row in rows if row.step == StepName.SSH.value]
    hosts = {target.machine_id: target for target in ssh_targets(with_ssh)} if with_ssh else {}
    deployers = _deployers(rows)
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
                deadline_at=step.deadline_at or now + timedelta(seconds=WORK.policy.lease_s),
                looks=step.looks,
                silent_looks=row.silent_looks,
                detail=step.detail,
                job=Job(
                    machine_id=row.machine_id,
                    name=device.name,
                    serial=device.serial,
                    system_uuid=row.machine.system_uuid,
                    boot_mac=row.machine.boot_mac,
                    bmc=bmcs[row.machine_id],
                    data=dict(step.data),
                    deployer=deployers.get(row.machine_id),
                    install_data=partial(in_thread, first_boot_data, row.pk, row.lease),
                    boot_medium=partial(in_thread, media.make, row.pk, row.lease),
                    medium_read=partial(in_thread, media.last_read, row.pk),
                ),
                ssh=hosts.get(row.machine_id),
                verification_id=row.verification_id,
                lost_workers=row.lost_workers,
            )
        )
    return claims
