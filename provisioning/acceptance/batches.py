"""The runs that do a step for many machines at once: which of them has a machine, and who waits for the next."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from health.machines.models.machines import MachineHealth
from health.models import ActiveMachine, ActiveRun
from inventory.models import Machine
from provisioning.acceptance.models import AcceptanceTest
from provisioning.models import Run, RunMachine
from provisioning.software.models import SoftwareMachine
from provisioning.steps import Status, StepName
from provisioning.waves.policy import OPEN_MACHINES

PARTNERS = 3


def software_of(row: RunMachine, since: object) -> SoftwareMachine | None:
    """The newest of this attempt."""
    mine = SoftwareMachine.objects.filter(run__part_of_id=row.run_id, machine_id=row.machine_id)
    return mine.filter(run__created_at__gte=since).select_related("run").order_by("-pk").first()


def active_of(row: RunMachine, step: StepName, since: object) -> ActiveRun | None:
    """The newest of this attempt."""
    tests = AcceptanceTest.objects.filter(run_id=row.run_id, step=step.value, created_at__gte=since)
    mine = ActiveMachine.objects.filter(machine_id=row.machine_id, run__acceptance_test__in=tests)
    return ActiveRun.objects.filter(pk__in=mine.values("run")).order_by("-pk").first()


def waiting(run: Run, step: StepName) -> QuerySet[RunMachine]:
    """Machines of the run at this step for which nothing was begun in this attempt, and that no other run has."""
    rows = run.machines.filter(status=Status.RUNNING.value, step=step.value, steps__name=step.value).order_by("pk")
    rows = rows.annotate(since=F("steps__started_at"))
    here = Q(machine=OuterRef("machine"))
    if step is StepName.SOFTWARE:
        own = Q(run__part_of=run, run__created_at__gte=OuterRef("since"))
        taken = Q(status__in=[state.value for state in OPEN_MACHINES])
        return rows.exclude(Exists(SoftwareMachine.objects.filter(here & (own | taken))))
    own = Q(run__acceptance_test__run=run, run__acceptance_test__step=step.value)
    own &= Q(run__acceptance_test__created_at__gte=OuterRef("since"))
    return rows.exclude(Exists(ActiveMachine.objects.filter(here & (own | Q(released_at=None)))))


def _tested() -> QuerySet[ActiveMachine, Any]:
    """Machines that an active run has."""
    return ActiveMachine.objects.filter(released_at=None).values("machine")


def still_come(run: Run, before: list[StepName]) -> int:
    """How many of the run are under way and have not reached this step yet."""
    steps = [step.value for step in before]
    return run.machines.filter(status=Status.RUNNING.value, step__in=steps).count()


def idle_partners(machine: Machine) -> list[int]:
    """Machines of the same model and site that are in service and known to be idle, none that is being tested."""
    rows = MachineHealth.objects.filter(
        state="ready", allocation=MachineHealth.Allocation.IDLE, machine__device__site_id=machine.device.site_id,
        machine__device__model_id=machine.device.model_id,
    )  # fmt: skip
    return list(
        rows.exclude(machine__in=_tested()).order_by("machine_id").values_list("machine_id", flat=True)[:PARTNERS]
    )
