"""The hand-over: a machine leaves a run, another comes, and who decided it stands with the run."""

from __future__ import annotations

from django.db import transaction

from health.machines.models.machines import MachineHealth
from health.services import hold_within_budget
from runs.models import HandOver, TrainingRun
from runs.replacement.queries import machine_of_run, spares_for
from runs.services.accusations import name_of
from runs.services.intake import announce


class NotPossible(Exception):
    """Why nothing was done: which guard refused, or what is wrong with the request."""


@transaction.atomic
def hand_over(run_id: int, *, left: int, came: int | None, take_out: bool, reason: str, by: str) -> HandOver:
    """Note that a machine left a run and which came for it; with `take_out` it leaves service, if the guards agree.

    Asked again for the same it gives what was noted. Raises NotPossible; nothing is changed then.
    """
    run = TrainingRun.objects.select_for_update(no_key=True).get(pk=run_id)
    machine = machine_of_run(run, left)
    if machine is None:
        raise NotPossible("This machine is not one of the run's.")
    known = HandOver.objects.filter(run=run, left=machine).first()
    if known is not None:
        if known.came_id != came:
            instead = known.came_name or "no machine"
            raise NotPossible(f"{known.by} handed it over already: {instead} came for it.")
        return known
    spare = None
    if came is not None:
        list(MachineHealth.objects.select_for_update().filter(pk=came))  # promised once, whoever else asks now
        _, spares = spares_for(run, machine)
        spare = next((one.standing for one in spares if one.standing.machine == came), None)
        if spare is None:
            raise NotPossible("The replacement is not free any more: not in service, or in another run.")
    if take_out:
        _take_out(run, left, reason, by)
    row = HandOver.objects.create(
        run=run, by=by, left=machine, left_name=machine.device.name, came_id=came,
        came_name=spare.name if spare else "", taken_out=take_out, reason=reason,
    )  # fmt: skip
    announce(run, left=left, came=came)
    return row


def _take_out(run: TrainingRun, machine_id: int, reason: str, by: str) -> None:
    """Hold the machine in the person's name; a drain lets what runs there end. Raises NotPossible by a guard."""
    try:
        refusal = hold_within_budget(
            machine_id, owner=f"person:{by}", reason=f"{reason} (training run {name_of(run)})", actor=by
        )
    except MachineHealth.DoesNotExist:
        raise NotPossible("Nothing is known of this machine's health.") from None
    if refusal is not None:
        frees = f" Possible {refusal.frees}." if refusal.frees else ""
        raise NotPossible(f"Not taken out: {refusal.reason}.{frees}")
