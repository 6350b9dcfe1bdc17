"""Reads of returns, each in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count, Q, QuerySet

from health.machines.lifecycle import State
from provisioning.models import RunMachine
from provisioning.returns.models import VendorReturn
from provisioning.steps import Status


def returns() -> QuerySet[VendorReturn]:
    """With how many machines are on them and how many have an outcome."""
    counted = VendorReturn.objects.annotate(
        count=Count("machines"), answered=Count("machines", filter=~Q(machines__outcome=""))
    )
    return counted.order_by("-pk")  # counted rows lose the usual order


def returns_with_machines() -> QuerySet[VendorReturn]:
    return returns().prefetch_related("machines__machine__device")


def failed_machines(site_id: int) -> QuerySet[RunMachine]:
    """Of each machine of a site that is not in service the newest run, where it failed there; none that is on a return
    without an outcome."""
    newest = RunMachine.objects.filter(run__site_id=site_id).order_by("machine_id", "-pk").distinct("machine_id")
    rows = RunMachine.objects.filter(pk__in=newest.values("pk"), status=Status.FAILED.value)
    rows = rows.exclude(machine__health__state=State.READY).exclude(machine__vendor_returns__outcome="")
    return rows.select_related("machine__device__model").prefetch_related("evidence")


def vendors(rows: Sequence[RunMachine], told: dict[int, str]) -> set[str]:
    """Who delivered them: as their delivery says, else the vendor of their model."""
    return {told.get(row.machine_id) or row.machine.device.model.vendor for row in rows}
