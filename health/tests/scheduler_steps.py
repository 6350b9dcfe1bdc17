"""What the tests of each scheduler's loop do: take a machine out, read the scheduler, see what is wished of it."""

from __future__ import annotations

from health.machines.services.changes import changing
from health.schedulers.models import SchedulerSource, SchedulerWish
from health.schedulers.services import readings
from inventory.models import Machine


def drain(machine: Machine, reason: str = "GPU 5: missing", **evidence: object) -> None:
    with changing(machine.pk, actor="automation") as change:
        change.take_out(reason=reason, evidence=evidence or {"incident": 12})


def look(source: SchedulerSource, times: int = 2) -> None:
    """Read it as the beat does, `times` times."""
    for _ in range(times):
        assert readings.read(source.pk) is not None


def wish(machine: Machine) -> SchedulerWish:
    return SchedulerWish.objects.get(pk=machine.pk)
