"""Machines that a run cannot use any more: their open steps end without a result, and they are given back."""

from __future__ import annotations

from collections.abc import Sequence

from health.diagnostics.models import ActiveMachine, ActiveRun, ActiveStep
from health.diagnostics.services import outcomes, remote
from health.diagnostics.services.candidates import Candidate
from health.diagnostics.services.runs import release
from health.machines.specs import usable, why_unusable
from inventory.models import Machine


def machines_of(run: ActiveRun) -> tuple[list[Candidate], dict[int, str]]:
    """The machines that the run has and those of open steps, in the order of their names; and why others cannot be
    used whatever they run: their device model became unusable, or they are not in the inventory any more.

    Jobs of a machine that may not be loaded any more are still looked at; what waits is refused with the reason.
    """
    held = set(run.machines.filter(released_at=None).values_list("machine_id", flat=True))
    held |= {pk for step in run.steps.filter(status__in=ActiveStep.OPEN) for pk in step.machine_ids}
    rows = Machine.objects.filter(pk__in=held).select_related("device__model").order_by("device__name")
    some: list[Candidate] = []
    lost = dict.fromkeys(held, "it is not in the inventory any more")
    for row in rows:
        model = row.device.model
        if (spec := usable(model.spec)) is not None:
            some.append(Candidate(row.pk, row.device.name, spec, False))
            del lost[row.pk]
        else:
            lost[row.pk] = why_unusable(model.slug, model.spec)[:300]
    return some, lost


def let_go(run: ActiveRun, lost: dict[int, str]) -> bool:
    """Take machines out of a run that it cannot use; whether there were any. Their partners go on in later steps."""
    if not lost:
        return False
    for step in run.steps.filter(status__in=ActiveStep.OPEN, machine_ids__overlap=list(lost)).order_by("number"):
        why = next(lost[pk] for pk in step.machine_ids if pk in lost)
        break_off(run, [step], why)
    for row in run.machines.filter(released_at=None, machine_id__in=lost).select_related("machine__device"):
        leave(run, row, lost[row.machine_id])
    return True


def break_off(run: ActiveRun, steps: Sequence[ActiveStep], why: str) -> None:
    """End steps without a result; what runs of them is stopped first."""
    began = [job for step in steps if step.status == ActiveStep.Status.RUNNING for job in remote.names_of(run, step)]
    if began:
        remote.stop(began)
        remote.tidy(began)
    for step in steps:
        running = step.status == ActiveStep.Status.RUNNING
        outcomes.unknown(step, f"{'no result' if running else 'not begun'}: {why}")


def leave(run: ActiveRun, row: ActiveMachine, why: str) -> None:
    """A machine that cannot be used leaves the run; its waiting steps say so."""
    name = row.machine.device.name
    run.left_out = [*run.left_out, {"machine_id": row.machine_id, "name": name, "reason": why}]
    run.save(update_fields=["left_out"])
    release(run, row)
    for step in run.steps.filter(status=ActiveStep.Status.WAITING, machine_ids__contains=[row.machine_id]):
        outcomes.unknown(step, f"not begun: {name}: {why}")
