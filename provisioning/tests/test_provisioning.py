"""A machine from bare metal to service, over real Redfish, HTTP and SSH; and every way it can fail."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import asyncssh
import pytest
from django.utils import timezone

from access.models import KnownHost, PinnedCertificate, Source
from access.tests.fleet import first_contact, make_credentials
from drivers.ssh import key_line
from health.machines.workload import Workload
from health.models import MachineHealth
from health.schedulers.services.reach import NO_SCHEDULER
from health.services import place_hold
from live.models import Event
from provisioning import services
from provisioning.models import LogLine, RunMachine, Step
from provisioning.steps import BY_NAME, StepName
from provisioning.tests.world import OUR_KEY, BareMachine, Pump, bare, start_run

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., BareMachine]


def run_late(machine: BareMachine, pump: Pump) -> RunMachine:
    """Let the current step's time run out."""
    Step.objects.filter(run_machine=machine.run_machine, status="running").update(
        deadline_at=timezone.now() - timedelta(seconds=1), looks=BY_NAME[StepName.SSH].looks
    )
    RunMachine.objects.filter(pk=machine.run_machine.pk).update(next_at=timezone.now() - timedelta(seconds=10))
    for slow in services.reap()[0]:
        services.look(slow=slow)
    pump.run()
    return machine.run_machine


def test_a_bare_machine_comes_to_service(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    run = start_run(machine)
    pump.run()
    assert machine.run_machine.step == "boot_script" and machine.state == "provisioning"
    assert machine.bmc.orders == ["ForceOff", "On"], "a machine that was on is restarted, not taken for booted"
    assert machine.bmc.boot == {"BootSourceOverrideTarget": "Pxe", "BootSourceOverrideEnabled": "Once"}
    assert PinnedCertificate.objects.get().source == Source.FIRST_CONTACT

    machine.boot()
    pump.run(5)
    assert (machine.run_machine.step, machine.state) == ("checks", "burn_in")
    machine.finish_checks(passed=True)
    pump.run()

    row = machine.run_machine
    assert (row.status, machine.state) == ("done", "ready")
    run.refresh_from_db()
    assert run.status == "done" and run.finished_at is not None
    assert set(row.steps.values_list("status", flat=True)) == {"done"}
    known = KnownHost.objects.get(replaced_at=None)
    assert (known.source, known.key) == (Source.INSTALLED, row.host_key)
    numbers = list(row.log_lines.values_list("n", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert Event.objects.filter(kind="run.machine_done").count() == 1
    last = Event.objects.filter(kind="run.changed").latest("id").data
    assert last["status"] == "done" and last["totals"]["done"] == 1


def test_a_bmc_that_does_not_answer_ends_in_no_bmc(pump: Pump) -> None:
    make_credentials(OUR_KEY)
    machine = bare("gpu-009", bmc_ip=None)
    run = start_run(machine)
    pump.run()
    row = run.machines.get()
    assert (row.status, row.failure_class) == ("failed", "no_bmc")
    assert "no BMC address" in row.failure_text
    event = Event.objects.get(kind="run.machine_failed")
    assert event.data["run_machine"] == row.pk and event.data["failure_class"] == "no_bmc"


def test_a_bmc_of_another_machine_ends_in_wrong_identity_and_is_not_touched(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    machine.bmc.serial = "OTHER99"
    start_run(machine)
    pump.run()
    assert machine.run_machine.failure_class == "wrong_identity"
    assert "OTHER99" in machine.run_machine.failure_text
    assert machine.bmc.orders == [] and machine.state == "triage"


@pytest.mark.slow
def test_a_silent_machine_ends_in_no_pxe_request_or_no_link_by_what_the_bmc_sees(
    bare_machine: Make, pump: Pump
) -> None:
    for name, link, expected in (("gpu-001", "LinkUp", "no_pxe_request"), ("gpu-002", "LinkDown", "no_link")):
        machine = bare_machine(name)
        machine.bmc.link = link
        start_run(machine)
        pump.run()
        assert run_late(machine, pump).failure_class == expected


@pytest.mark.slow
def test_an_installer_that_never_starts_and_one_that_never_calls_are_told_apart(bare_machine: Make, pump: Pump) -> None:
    machine, other = bare_machine("gpu-001"), bare_machine("gpu-002")
    start_run(machine, other)
    pump.run(100)
    machine.seed()
    assert machine.run_machine.step == "install_data"
    assert run_late(machine, pump).failure_class == "no_installer"
    other.get(f"{other.seed()}user-data")
    assert other.run_machine.step == "phone_home"
    assert run_late(other, pump).failure_class == "no_phone_home"


@pytest.mark.slow
def test_a_power_cut_and_a_swap_in_the_middle_of_an_installation_are_named(bare_machine: Make, pump: Pump) -> None:
    cut, swapped = bare_machine("gpu-001"), bare_machine("gpu-002")
    start_run(cut, swapped)
    pump.run(100)
    for machine in (cut, swapped):
        machine.get(f"{machine.seed()}user-data")
        assert machine.run_machine.step == "phone_home"
    cut.bmc.power, swapped.bmc.serial = "Off", "OTHER99"
    assert run_late(cut, pump).failure_class == "no_power"
    row = run_late(swapped, pump)
    assert row.failure_class == "wrong_identity" and "another machine stands there now" in row.failure_text
    assert swapped.state == "triage"


def test_ssh_with_another_host_key_than_the_installed_one_ends_in_no_ssh(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    start_run(machine)
    pump.run()
    machine.boot(host_key=asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode())
    pump.run(3)
    assert machine.run_machine.step == "ssh", "another key is no answer, however often it is given"
    row = run_late(machine, pump)
    assert row.failure_class == "no_ssh" and "host key changed" in row.failure_text


@pytest.mark.slow
def test_failing_checks_end_in_checks_failed_and_a_retry_goes_on_from_ssh(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    start_run(machine)
    pump.run()
    machine.boot()
    pump.run(5)
    machine.finish_checks(passed=False)
    pump.run()
    row = machine.run_machine
    assert (row.failure_class, machine.state) == ("checks_failed", "triage")
    assert "7 of 8 GPUs" in row.failure_text

    services.retry_machine(row.pk, actor="olga")
    pump.run(5)
    assert machine.run_machine.step == "checks" and machine.run_machine.attempt == 2
    machine.finish_checks(passed=True)
    pump.run()
    assert machine.state == "ready"
    assert machine.bmc.orders == ["ForceOff", "On"], "the installation stood, so nothing was installed again"


def test_what_begins_on_a_machine_before_it_is_switched_off_keeps_it_on(
    bare_machine: Make, pump: Pump, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hours may lie between the look that found it on and the one that would switch it off."""
    said = [Workload(heard=True, running="", logins=0)]
    monkeypatch.setattr("provisioning.services.permits.workload_of", lambda pk: said[-1])
    monkeypatch.setattr("provisioning.services.permits.facts_now", lambda pk: NO_SCHEDULER)
    machine = bare_machine()
    MachineHealth.objects.filter(pk=machine.row.pk).update(state="drained")
    start_run(machine)
    services.fill()
    power = Step.objects.get(run_machine=machine.run_machine, name="power_on")
    for _ in range(10):
        if power.data:
            break
        RunMachine.objects.update(next_at=None)
        monkeypatch.setattr("provisioning.services.poll.GOES_ON_S", 0.01)
        services.look()
        power.refresh_from_db()
    assert power.data == {"phase": "off"} and machine.bmc.orders == []
    said.append(Workload(heard=True, running="1 launcher of a job runs (torchrun)", logins=0))
    for _ in range(2):
        RunMachine.objects.update(next_at=None)
        services.look()
        power.refresh_from_db()
        assert "waits: 1 launcher of a job runs" in power.detail and machine.bmc.orders == []
    said.append(said[0])
    RunMachine.objects.update(next_at=None)
    services.look()
    assert machine.bmc.orders[:1] == ["ForceOff"], "it goes on by itself"


@pytest.mark.slow
def test_a_held_machine_is_provisioned_but_kept_out_of_service(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    place_hold(machine.row.pk, owner="person:olga", reason="waiting for memory", actor="olga")
    start_run(machine)
    pump.run()
    machine.boot()
    pump.run(5)
    machine.finish_checks(passed=True)
    pump.run()
    assert (machine.run_machine.status, machine.state) == ("done", "drained")
    assert LogLine.objects.filter(text__contains="kept out of service").exists()


@pytest.mark.slow
def test_a_bmc_that_comes_late_but_in_time_is_waited_for(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    machine.bmc.power_delay_s = 0.2
    start_run(machine)
    pump.run(200)
    assert machine.run_machine.step == "boot_script"


def test_the_old_host_key_is_replaced_with_the_phone_home_and_not_before(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    old = key_line(asyncssh.generate_private_key("ssh-ed25519"))
    first_contact(machine.row, old)
    start_run(machine)
    pump.run()
    seed = machine.seed()
    machine.get(f"{seed}user-data")
    assert KnownHost.objects.get(replaced_at=None).key == old
    assert machine.client.post(f"{seed}phone-home").status_code == 200
    assert KnownHost.objects.get(replaced_at=None).key == machine.run_machine.host_key != old
