"""The step `bmc_setup` of a provisioning run: a password of its own, then the settings of the model's profile.

Each is a BMC run for this one machine, which this step waits for. BIOS settings are in force with the start that the
provisioning run brings anyway.
"""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError

from provisioning.bmc import readings, services
from provisioning.bmc.models import BmcPassword, BmcRun, BmcRunMachine
from provisioning.bmc.words import BmcAction, PasswordState
from provisioning.engines.contract import Again, Broken, Finished, Looked
from provisioning.models import RunMachine
from provisioning.steps import FailureClass
from provisioning.waves.policy import OPEN_RUNS, RunState

AGAIN_S = 5.0


def look(run_machine_id: int, machine_id: int, data: dict[str, Any]) -> Looked:
    """Start what is still to be done, one after the other. `data` has the newest BMC run from before this attempt."""
    if "before" not in data:
        over = BmcRun.objects.filter(part_of_id=run_machine_id).exclude(status__in=[each.value for each in OPEN_RUNS])
        data = {"before": over.order_by("-pk").values_list("pk", flat=True).first() or 0}
    done = BmcRun.objects.filter(part_of_id=run_machine_id, pk__gt=data["before"])
    latest = {run.action: run for run in done.order_by("pk")}
    for action in _wanted(machine_id):
        run = latest.get(action.value)
        if run is None:
            return _start(run_machine_id, action, data)
        if run.status in OPEN_RUNS:
            return Looked(Again(run.message or f"BMC run {run.pk} sets its {action.value}", data, after_s=AGAIN_S))
        if run.status != RunState.DONE:
            row = BmcRunMachine.objects.filter(run=run).first()
            why = f"BMC run {run.pk}: {row.message if row else run.message}"
            return Looked(Broken(FailureClass.BMC_SETUP_FAILED, why))
    return Looked(Finished("the BMC is set up"))


def _wanted(machine_id: int) -> list[BmcAction]:
    profile = readings.profiles_of([machine_id]).get(machine_id)
    has_own = BmcPassword.objects.filter(machine_id=machine_id, state=PasswordState.OWN.value).exists()
    wanted = [] if has_own else [BmcAction.PASSWORD]
    return [*wanted, *([BmcAction.SETTINGS] if profile and profile.settings else [])]


def _start(run_machine_id: int, action: BmcAction, data: dict[str, Any]) -> Looked:
    row = RunMachine.objects.select_related("run").get(pk=run_machine_id)
    try:
        run = services.start_within(row, action)
    except IntegrityError:
        return Looked(Again("another BMC run has this machine", data, after_s=AGAIN_S))
    return Looked(Again(f"BMC run {run.pk} sets its {action.value}", data, after_s=AGAIN_S))
