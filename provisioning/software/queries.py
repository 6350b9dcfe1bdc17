"""Reads of software runs and of what their roles would mend, each in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Prefetch, QuerySet

from health.machines.lifecycle import NOT_SWEPT
from health.monitoring.models.verdicts import CurrentVerdict
from inventory.models import Machine
from provisioning.software.catalogue import Role
from provisioning.software.drift import Differs, Remedy, remedies_of
from provisioning.software.models import SoftwareMachine, SoftwareRun, SoftwareTask

LOG_LINES = 500


def runs() -> QuerySet[SoftwareRun]:
    """With the status of each machine as `statuses`."""
    rows = SoftwareMachine.objects.only("run_id", "status")
    return SoftwareRun.objects.prefetch_related(Prefetch("machines", queryset=rows, to_attr="statuses"))


def runs_with_machines() -> QuerySet[SoftwareRun]:
    """With each machine and its name as `statuses`."""
    rows = SoftwareMachine.objects.select_related("machine__device").order_by("pk")
    return SoftwareRun.objects.prefetch_related(Prefetch("machines", queryset=rows, to_attr="statuses"))


def state_of(machine: Machine) -> str:
    """The machine's lifecycle state; empty when health does not know it."""
    found = getattr(machine, "health", None)
    return str(found.state) if found is not None else ""


def tasks_after(run_machine_id: int, after: int) -> QuerySet[SoftwareTask]:
    return SoftwareTask.objects.filter(run_machine_id=run_machine_id, n__gt=after).order_by("n")[:LOG_LINES]


def remedies(site_ids: Collection[int], roles: Iterable[Role]) -> list[Remedy]:
    """What the roles would mend at these sites now, by the checks that warn or fail. One statement."""
    roles = list(roles)
    checks = {check for role in roles for check in role.mends}
    rows: QuerySet[Any] = CurrentVerdict.objects.filter(
        machine__device__site_id__in=site_ids, check_id__in=checks, verdict__in=["fail", "warn"]
    ).exclude(machine__health__state__in=[state.value for state in NOT_SWEPT])
    columns = ("machine_id", "machine__device__name", "check_id", "message")
    found = rows.order_by("machine__device__name", "check_id", "part").values_list(*columns)
    return remedies_of([Differs(*row) for row in found], roles)
