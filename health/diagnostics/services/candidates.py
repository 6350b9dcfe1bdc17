"""Which machines may be loaded: those that run nothing and that no other run has. What is not known is not idle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from health.diagnostics.models import ActiveMachine
from health.diagnostics.ways import Way
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.machines.specs import usable as usable_spec
from health.machines.specs import why_unusable
from health.schedulers.models import SchedulerMachine, SchedulerPartition, SchedulerSource
from health.schedulers.services import readings
from health.schedulers.services.desired_state import NOBODY_SAYS, schedulers_of
from inventory.models import Machine
from inventory.queries.rails import leaves_of
from inventory.specs.device_model import DeviceModelSpec

OUT_OF_SERVICE = frozenset({State.DRAINED, State.TRIAGE, State.REPAIR, State.BURN_IN, State.VERIFYING})
RESERVED_SOON = timedelta(minutes=15)
NOT_BY_SLURM = "Slurm starts no job there: return it to service, or launch over SSH"


@dataclass(frozen=True)
class Candidate:
    """A machine that may be loaded. `in_service`: it is idle and has to be taken out within its pool's budget first."""

    machine_id: int
    name: str
    spec: DeviceModelSpec
    in_service: bool

    @property
    def gpus(self) -> int:
        return len(self.spec.slots_of("gpu"))


@dataclass(frozen=True)
class LeftOut:
    machine_id: int
    name: str
    reason: str


def candidates(
    machine_ids: Sequence[int], *, run_id: int | None = None, way: Way | None = None
) -> tuple[list[Candidate], list[LeftOut]]:
    """Of these machines those that may be loaded now, in the order of their names, and the others with the reason."""
    machines = list(
        Machine.objects.filter(pk__in=list(machine_ids)).select_related("device__model").order_by("device__name")
    )
    why = reasons([machine.pk for machine in machines], run_id=run_id, way=way)
    states = dict(MachineHealth.objects.filter(machine__in=machines).values_list("machine_id", "state"))
    usable, left_out = [], []
    for machine in machines:
        name = machine.device.name
        if reason := why[machine.pk]:
            left_out.append(LeftOut(machine.pk, name, reason))
        elif (spec := usable_spec(machine.device.model.spec)) is None:
            model = machine.device.model
            left_out.append(LeftOut(machine.pk, name, why_unusable(model.slug, model.spec)[:300]))
        else:
            usable.append(Candidate(machine.pk, name, spec, states[machine.pk] == State.READY.value))
    return usable, left_out


def reasons(machine_ids: Iterable[int], *, run_id: int | None = None, way: Way | None = None) -> dict[int, str]:
    """Why each machine may not be loaded now; empty when it may. `run_id` is the run that has it already, `way` how a
    group is launched."""
    by_slurm = way is not None and way.by_slurm
    ids = list(machine_ids)
    rows = MachineHealth.objects.filter(machine_id__in=ids).select_related("machine__device", "pool")
    health = {row.machine_id: row for row in rows}
    taken = ActiveMachine.objects.filter(machine_id__in=ids, released_at=None)
    busy = dict(taken.exclude(run_id=run_id).values_list("machine_id", "run_id"))
    told = _told_by_schedulers(list(health.values()), timezone.now(), way if by_slurm else None)
    found = {}
    for pk in ids:
        row = health.get(pk)
        if row is None:
            found[pk] = "nothing is known of it"
        elif pk in busy:
            found[pk] = f"active run {busy[pk]} has it"
        else:
            out = by_slurm and row.state in OUT_OF_SERVICE
            found[pk] = (f"it is {row.state}, {NOT_BY_SLURM}" if out else "") or state_refuses(
                row.state, row.allocation
            ) or told.get(pk, "")  # fmt: skip
    return found


def state_refuses(state: str, allocation: str) -> str:
    """Why the state of a machine and what is known of its jobs forbid it; empty when they do not. Pure."""
    if allocation == MachineHealth.Allocation.ALLOCATED:
        return "a job runs on it"
    if state in OUT_OF_SERVICE:
        return ""
    if state == State.READY:
        return "" if allocation == MachineHealth.Allocation.IDLE else "it is in service and not known to be idle"
    return f"it is {state}"


def _told_by_schedulers(rows: Sequence[MachineHealth], now: datetime, job: Way | None) -> dict[int, str]:
    """Why the scheduler's last answer forbids a machine, or that nobody knows of one; of a `job` of ours also why it
    would not start there. Three queries, four for a job in a partition."""
    sources = schedulers_of(rows)
    told = {row.machine_id: row for row in SchedulerMachine.objects.filter(machine_id__in=sources)}
    found = {
        row.machine_id: scheduler_refuses(sources[row.machine_id], told.get(row.machine_id), row.state, now)
        if row.machine_id in sources
        else ("" if row.state == State.BURN_IN or (row.pool is not None and row.pool.no_scheduler) else NOBODY_SAYS)
        for row in rows
    }
    if job is None:
        return found
    named = SchedulerPartition.objects.filter(source__in=sources.values(), name=job.partition) if job.partition else ()
    partitions = {each.source_id: each for each in named}
    return {
        pk: why or (
            job_refuses(told[pk], job, partitions.get(sources[pk].pk)) if pk in sources else "no Slurm gives work to it"
        )
        for pk, why in found.items()
    }  # fmt: skip


def ask_schedulers(machine_ids: Iterable[int]) -> None:
    """Have the schedulers of these machines read now; one that does not answer is not good any more, and forbids."""
    rows = MachineHealth.objects.filter(machine_id__in=list(machine_ids)).select_related("machine__device")
    sources = {source.pk for source in schedulers_of(rows).values()}
    for source_id in sorted(sources):
        readings.read(source_id)


def scheduler_refuses(source: SchedulerSource, told: SchedulerMachine | None, state: str, now: datetime) -> str:
    """Why the scheduler's answer forbids it; empty when it does not. Old news and silence forbid. Pure.

    A machine that was just installed may be one that no scheduler ever heard of: then none gave it work.
    """
    heard_at, good = source.last_read_at, source.state == SchedulerSource.State.GOOD
    if not good or heard_at is None or (now - heard_at).total_seconds() > source.stale_after_s:
        return "the scheduler was unreachable"
    if told is None:
        return "" if state == State.BURN_IN else "the scheduler does not know it"
    if told.jobs is None:
        return "the scheduler does not say whether a job runs on it"
    if told.jobs:
        return "a job runs on it"
    if told.reserved_from is not None and told.reserved_from - RESERVED_SOON <= now and not _over(told, now):
        return f"it is reserved: {told.reservation}"
    if state != State.READY and not told.closed:
        return "the scheduler may start a job there"
    return ""


def job_refuses(told: SchedulerMachine, job: Way, partition: SchedulerPartition | None) -> str:
    """Why Slurm would not start a job of ours on a machine that runs nothing; empty when it would. Pure."""
    if told.closed:
        return f"it is drained in Slurm: {told.reason or told.words}"
    if not told.answers or told.state == "down":
        return f"it does not answer Slurm: {told.words}"
    if job.partition and (partition is None or told.machine_id not in partition.machine_ids):
        return f"it is not in the partition {job.partition}"
    if partition is not None and partition.state not in ("", "up"):
        return f"the partition {job.partition} is {partition.state}"
    return ""


def _over(told: SchedulerMachine, now: datetime) -> bool:
    return told.reserved_until is not None and told.reserved_until <= now


def rails(some: Sequence[Candidate]) -> dict[str, dict[str, str]]:
    """By InfiniBand adapter: the leaf of each machine that has it, empty where that is not known."""
    ids = [each.machine_id for each in some]
    leaves = leaves_of(ids)
    found: dict[str, dict[str, str]] = {}
    for each in some:
        for slot in each.spec.slots_of("hca"):
            if slot.device and slot.link_layer == "InfiniBand":
                found.setdefault(slot.device, {})[each.name] = leaves.get(each.machine_id, {}).get(slot.name, "")
    return found


def leaf_of_each(some: Sequence[Candidate]) -> dict[str, str]:
    """The leaf of the first rail of each machine: machines behind the same one share all of their rails' leaves."""
    leaves = leaves_of([each.machine_id for each in some])
    return {each.name: next(iter(leaves.get(each.machine_id, {}).values()), "") for each in some}
