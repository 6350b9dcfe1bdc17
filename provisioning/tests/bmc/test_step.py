"""The step `bmc_setup`: only in runs of a site that turned it on, and on the board with a stage of its own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from health.models import MachineHealth
from health.tests.hall import RunningHall
from inventory.models import Machine
from provisioning.bmc import step
from provisioning.bmc.models import BmcRun
from provisioning.engines import ENGINES, way_of
from provisioning.engines.contract import Again, Broken, Finished
from provisioning.models import Run, RunMachine
from provisioning.services import create_run
from provisioning.stages.board import Facts, Stage, standing
from provisioning.steps import Done, FailureClass, Position, Status, StepName, move
from provisioning.tests.bmc.conftest import go, ids, setup_of
from provisioning.tests.bmc.test_settings_and_firmware_in_the_hall import SETTINGS, profile


@pytest.mark.parametrize("engine", ENGINES)
def test_it_comes_right_after_the_identity_and_only_where_it_is_turned_on(engine: str) -> None:
    plain, with_bmc = (way_of(engine, on, [], "", False) for on in (False, True))
    assert with_bmc.steps == (StepName.IDENTITY, StepName.BMC_SETUP, *plain.steps[1:])
    at = Position(Status.RUNNING, StepName.IDENTITY, way=with_bmc)
    assert move(at, Done(StepName.IDENTITY)).step is StepName.BMC_SETUP
    assert move(move(at, Done(StepName.IDENTITY)), Done(StepName.BMC_SETUP)).step is plain.steps[1]


def test_the_board_has_a_stage_for_it() -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    steps = {"identity": now - timedelta(minutes=9), "bmc_setup": now - timedelta(minutes=5)}
    found = standing(Facts(1, "gpu-1", "provisioning", now, run_status="running", steps=steps), now)
    assert (found.stage, found.since) == (Stage.BMC_SET_UP, steps["bmc_setup"])


def under_way(machine_id: int) -> RunMachine:
    machine = Machine.objects.select_related("device").get(pk=machine_id)
    run = Run.objects.create(site=machine.device.site, bmc_setup=True, status="running", created_by="olga")
    MachineHealth.objects.filter(machine_id=machine_id).update(state="provisioning")
    return RunMachine.objects.create(run=run, machine=machine, status="running", step="bmc_setup", attempt=1)


def look(row: RunMachine, data: dict[str, Any]) -> Any:
    return step.look(row.pk, row.machine_id, data).outcome


@pytest.mark.django_db
def test_it_gives_a_password_then_the_settings_and_leaves_the_start_to_the_run(hall: RunningHall) -> None:
    machine = ids()[0]
    profile(SETTINGS)
    row = under_way(machine)
    first = look(row, {})
    assert isinstance(first, Again) and "sets its password" in first.detail and first.data == {"before": 0}
    again = look(row, {})
    assert BmcRun.objects.count() == 1 and "sets its password" in again.detail, "a look that comes twice begins nothing"
    assert go(BmcRun.objects.get()).status == "done"
    second = look(row, first.data)
    assert "sets its settings" in second.detail
    assert go(BmcRun.objects.get(action="settings")).status == "done"
    assert isinstance(look(row, first.data), Finished)
    there = setup_of(hall, machine)
    assert there.password and there.bios_pending == {"SriovGlobalEnable": "Enabled"}
    assert MachineHealth.objects.get(machine_id=machine).state == "provisioning"


@pytest.mark.django_db
def test_a_bmc_that_cannot_be_set_up_fails_by_its_class_and_a_retry_begins_anew(hall: RunningHall) -> None:
    machine = ids()[0]
    row = under_way(machine)
    setup_of(hall, machine).password = "changed-by-hand"
    first = look(row, {})
    go(BmcRun.objects.get())
    broken = look(row, first.data)
    assert isinstance(broken, Broken) and broken.failure is FailureClass.BMC_SETUP_FAILED
    assert "changed outside" in broken.detail
    setup_of(hall, machine).password = ""
    assert isinstance(look(row, {}), Again) and BmcRun.objects.count() == 2


@pytest.mark.django_db
def test_a_run_takes_the_step_where_the_site_turned_it_on(hall: RunningHall, monkeypatch: pytest.MonkeyPatch) -> None:
    machines = ids()
    MachineHealth.objects.update(state="new")
    for number, machine in enumerate(Machine.objects.all()):
        Machine.objects.filter(pk=machine.pk).update(boot_mac=f"02:00:00:00:00:0{number}")
    monkeypatch.setenv("RACKSIDE_BMC_SETUP", "true")
    with_bmc = create_run(machines[:1], actor="olga", engine="adopt")
    monkeypatch.setenv("RACKSIDE_BMC_SETUP", "false")
    without = create_run(machines[1:2], actor="olga", engine="adopt")
    names = [[each.name for each in run.machines.get().steps.all()] for run in (with_bmc, without)]
    assert names == [["identity", "bmc_setup", "ssh", "checks", "ready"], ["identity", "ssh", "checks", "ready"]]
