"""What the open faults of a machine say of its state."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Count, Q

from health.checks.responses import IN_SERVICE, TAKES_OUT_FOR_GOOD
from health.machines.hooks import OpenFaults
from health.machines.models.machines import MachineHealth
from health.monitoring.models.faults import Fault
from health.monitoring.queries.policy import observed_checks
from health.monitoring.queries.responses import failing_that_keep_out


def open_faults(machine_id: int) -> OpenFaults:
    """How many lead, and how many are confirmed and take the machine out. One query."""
    counts = (
        Fault.objects.filter(machine_id=machine_id)
        .exclude(status=Fault.Status.CLEARED)
        .aggregate(
            leading=Count("pk", filter=Q(led_by=None)),
            confirmed=Count("pk", filter=Q(status=Fault.Status.CONFIRMED) & ~Q(response__in=IN_SERVICE)),
        )
    )
    return OpenFaults(counts["leading"], counts["confirmed"])


def open_faults_of(faults: Iterable[Fault]) -> OpenFaults:
    """The same of the faults of a machine that were read; cleared ones are not among them."""
    faults = list(faults)
    takes_out = [f for f in faults if f.status == Fault.Status.CONFIRMED and f.response not in IN_SERVICE]
    return OpenFaults(sum(fault.led_by_id is None for fault in faults), len(takes_out))


def in_the_way(health: MachineHealth) -> tuple[list[str], int]:
    """Confirmed faults in words and the number of failing checks that keep a machine from service.

    A check that only observes is no obstacle, nor is a fault that leaves a machine in service.
    """
    confirmed = Fault.objects.filter(machine_id=health.machine_id, status=Fault.Status.CONFIRMED)
    faults = [str(fault) for fault in confirmed.exclude(response__in=IN_SERVICE)]
    failing = failing_that_keep_out(health.machine_id, health.machine.device.site_id)
    if failing:
        observed = observed_checks(health.machine.device.site_id)
        failing = [check for check in failing if check not in observed]
    return faults, len(failing)


def needs_verification(machine_id: int, since: datetime) -> bool:
    """Whether a fault was cleared since then that only a verification may clear."""
    cleared = Fault.objects.filter(machine_id=machine_id, cleared_at__gte=since)
    return cleared.filter(response__in=TAKES_OUT_FOR_GOOD).exists()
