"""The loop over real SSH and real Redfish: a GPU dies in the virtual hall, is replaced, and the machine comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from access.models import KnownHost, PinnedCertificate
from health.models import CurrentVerdict, Fault, Hold, MachineHealth, Sweep, Verification
from health.services import accept_swap, change_state, request_sweep, request_verification
from health.tests import factories as make
from health.tests.hall import look_until_decided, run_shards, running_hall
from health.tests.real import twins
from inventory.models import PowerReading
from live.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.CONFIRM_DELAY_S = 0
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def sweep(machine_ids: list[int]) -> Sweep:
    """One sweep, its shards run here."""
    (asked,) = request_sweep(machine_ids, "manual", actor="test")
    return run_shards(asked)


@pytest.mark.slow
def test_a_dead_gpu_is_found_drained_repaired_verified_and_back_in_service(tmp_path: Path) -> None:
    fleet = [twin.machine for twin in twins(3)]
    ids, sick = [machine.pk for machine in fleet], fleet[1]
    with running_hall("ams1", tmp_path) as hall:
        first = sweep(ids)
        assert (first.status, first.reachable) == ("finished", 3)
        assert KnownHost.objects.count() == 3 and PinnedCertificate.objects.count() == 3
        assert set(MachineHealth.objects.values_list("cell", "power")) == {("available", "on")}, list(
            CurrentVerdict.objects.values_list("check_id", "part", "message")
        )
        drawn = dict(PowerReading.objects.values_list("device_id", "watts"))
        assert set(drawn) == set(ids) and all(1000 < watts < 3000 for watts in drawn.values())

        hall.do(lambda h: h.inject(h.machines[sick.device.name], "gpu_off_bus", slot="GPU 5"))
        sweep(ids)
        sweep([sick.pk])
        leader = Fault.objects.get(led_by=None)
        assert (leader.slot, leader.status, leader.fault_class) == ("GPU 5", "confirmed", "gpu.gone")
        assert make.health(sick).state == "drained"
        assert Event.objects.filter(kind="fault.confirmed").count() == 1

        change_state(sick.pk, "start_repair", reason="took the ticket", actor="tina")
        early = request_verification(sick.pk, fault_ids=[leader.pk], owner="ticket:REP-1", actor="tina")
        early = look_until_decided(early.pk)
        assert early.status == "failed" and make.health(sick).state == "repair"

        hall.do(lambda h: h.replace(h.machines[sick.device.name], "GPU 5", serial="1650000000001"))
        sweep([sick.pk])
        seen = CurrentVerdict.objects.get(check_id="gpu.identity", part="GPU 5")
        assert seen.observed["serial"] == "1650000000001", "another part than installed is a finding"
        accept_swap(sick.pk, "GPU 5", actor="tina", ticket="REP-1")

        asked = request_verification(sick.pk, fault_ids=[leader.pk], owner="ticket:REP-1", actor="tina")
        asked = look_until_decided(asked.pk)
        assert asked.status == Verification.Status.PASSED, (asked.reason, asked.results[:3])
        assert make.health(sick).state == "ready" and make.health(sick).cell == "available"
        assert not Hold.objects.filter(lifted_at=None).exists()


@pytest.mark.slow
def test_machines_that_disappoint_are_unknown_and_do_not_spoil_the_shard(tmp_path: Path) -> None:
    fleet = [twin.machine for twin in twins(6)]
    ids = [machine.pk for machine in fleet]
    faults = ["machine_unreachable", "ssh_refuses", "machine_hang", "binary_junk", "bmc_dead"]
    with running_hall("ams1", tmp_path) as hall:
        for machine, fault in zip(fleet, faults, strict=False):
            hall.do(lambda h, m=machine, f=fault: h.inject(h.machines[m.device.name], f))
        swept = sweep(ids)
        assert swept.machines == 6 and swept.reachable == 2
    cells = [make.health(machine).cell for machine in fleet]
    assert cells[:4] == ["no_signal"] * 4 and cells[4] == "suspect" and cells[5] == "available"
    assert CurrentVerdict.objects.filter(check_id="machine.reachable", verdict="fail").count() == 4
    assert CurrentVerdict.objects.filter(check_id="bmc.reachable", verdict="fail").count() == 1
