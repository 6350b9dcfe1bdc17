"""Reads of replacing: replacement candidates, the machines of a run in order, what is known of its fault."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Count, Min, QuerySet

from health.checks.verdicts import Verdict
from health.insights.models import GoldenMachine
from health.machines.lifecycle import State
from health.models import Fault, MachineHealth
from inventory.models import Machine
from inventory.queries.rails import leaves_by_rail
from runs.machines.hostlists import Host
from runs.machines.queries import spines_of
from runs.machines.spares import NOWHERE, Spare, Standing, above, nearest
from runs.models import HandOver, RunRank, TrainingRun
from runs.queries import engaged
from runs.replacement import hooks


def standings(site_id: int, machines: dict[int, str], idle: Collection[int] = ()) -> dict[int, Standing]:
    """Where these machines (id to name) hang. Seven statements at most, however many there are."""
    leaves, spines = leaves_by_rail(list(machines)), spines_of(site_id)
    golden = set(
        GoldenMachine.objects.filter(machine_id__in=machines, demoted_at=None).values_list("machine_id", flat=True)
    )
    return {
        pk: Standing(
            pk, name, leaves.get(pk, NOWHERE), above(leaves.get(pk, NOWHERE).values(), spines), pk in golden, pk in idle
        )
        for pk, name in machines.items()
    }


def free_machines(run: TrainingRun, model_id: int) -> dict[int, tuple[str, bool]]:
    """Machines of a model that are free: in service and well, in no live run, nothing scheduled on them.

    Id to name, and whether the scheduler says that it is idle. One statement.
    """
    own = RunRank.objects.filter(run=run, machine__isnull=False)
    came = HandOver.objects.filter(run=run, came__isnull=False)
    rows = (
        MachineHealth.objects.filter(
            machine__device__site_id=run.site_id, machine__device__model_id=model_id,
            machine__device__status="active", state=State.READY.value, open_faults=0,
            reachability=MachineHealth.Reachability.REACHABLE,
        )
        .exclude(worst__in=[Verdict.FAIL, Verdict.UNKNOWN])
        .exclude(allocation=MachineHealth.Allocation.ALLOCATED)
        .exclude(machine_id__in=engaged(run.site_id))
        .exclude(machine_id__in=own.values("machine_id"))
        .exclude(machine_id__in=came.values("came_id"))
        .values_list("machine_id", "machine__device__name", "allocation")
    )  # fmt: skip
    return {pk: (name, allocation == MachineHealth.Allocation.IDLE) for pk, name, allocation in rows}


def spares_for(run: TrainingRun, machine: Machine) -> tuple[Standing, list[Spare]]:
    """Where a machine of the run hangs, and what may replace it, the best first. A fixed number of statements."""
    free = free_machines(run, machine.device.model_id)
    names = {pk: name for pk, (name, _) in free.items()} | {machine.pk: machine.device.name}
    found = standings(run.site_id, names, {pk for pk, (_, idle) in free.items() if idle})
    return found[machine.pk], nearest(found[machine.pk], [found[pk] for pk in free])


def hosts_of(run: TrainingRun) -> list[Host]:
    """The machines of a run by their lowest rank, each replaced by the one that came for it. Two statements."""
    replaced = {row.left_name: row.came_name for row in HandOver.objects.filter(run=run).order_by("at", "pk")}
    rows = RunRank.objects.filter(run=run).values("machine_name", "machine__device__name")
    rows = rows.annotate(first=Min("rank"), ranks=Count("pk")).order_by("first")
    found = []
    for told, recorded, ranks in rows.values_list("machine_name", "machine__device__name", "ranks"):
        own = recorded or told
        stands = _last(own, replaced)
        if stands:  # as the launcher calls it, as long as it stays
            found.append(Host("".join((told if stands == own else stands).split()), ranks))
    return found


def _last(name: str, replaced: dict[str, str]) -> str:
    """Who stands in a machine's place now; a replacement may have been replaced itself."""
    for _ in range(len(replaced)):
        if name not in replaced:
            break
        name = replaced[name]
    return name


def machine_of_run(run: TrainingRun, machine_id: int) -> Machine | None:
    """The machine, where it is one of the run's."""
    mine = RunRank.objects.filter(run=run, machine_id=machine_id).exists()
    came = mine or HandOver.objects.filter(run=run, came_id=machine_id).exists()
    return Machine.objects.select_related("device").filter(pk=machine_id).first() if came else None


def fault_of(run: TrainingRun) -> dict[str, Any] | None:
    """The fault that the verdict became or joined, with its ticket."""
    if run.fault_id is None:
        return None
    fault = Fault.objects.get(pk=run.fault_id)
    ticket = hooks.ticket_of_fault()(fault.led_by_id or fault.pk)
    return {"id": fault.pk, "machine": fault.machine_id, "status": fault.status, "ticket": ticket}


def runs_accusing(faults: QuerySet[Any, Any], most: int = 20) -> list[dict[str, Any]]:
    """The runs whose verdict became or joined one of these faults (their ids), the newest first. One statement."""
    rows = TrainingRun.objects.filter(fault__in=faults)[:most]
    return [{"id": run.pk, "name": run.name or run.key, "attempt": run.attempt} for run in rows]
