"""Machines that run already: over a real Redfish and a real SSH server, looked at and never touched."""

from __future__ import annotations

from collections.abc import Callable

import asyncssh
import pytest

from access.models import KnownHost
from access.tests.fleet import make_credentials
from provisioning.services import RunRefused, retry_machine
from provisioning.steps import ADOPT
from provisioning.tests.world import OUR_KEY, BareMachine, Pump, bare, start_run

pytestmark = pytest.mark.django_db(transaction=True)
HOST_KEY = asyncssh.generate_private_key("ssh-ed25519")
PRIVATE, PUBLIC = (
    HOST_KEY.export_private_key().decode(),
    " ".join(HOST_KEY.export_public_key().decode().split()[:2]),
)


def running(make: Callable[..., BareMachine]) -> BareMachine:
    machine = make()
    machine.answer_ssh(PRIVATE)
    return machine


@pytest.mark.slow
def test_a_machine_that_runs_is_adopted_without_a_write_and_its_host_key_is_recorded(
    bare_machine: Callable[..., BareMachine], pump: Pump
) -> None:
    machine = running(bare_machine)
    run = start_run(machine, engine="adopt")
    assert [step.name for step in machine.run_machine.steps.all()] == list(ADOPT.steps)
    pump.run()
    assert (machine.run_machine.step, machine.state) == ("checks", "burn_in")
    known = KnownHost.objects.get(machine=machine.row, replaced_at=None)
    assert (known.key, known.source) == (PUBLIC, "first_contact")
    machine.finish_checks(passed=True)
    pump.run()
    run.refresh_from_db()
    assert (run.status, machine.run_machine.status, machine.state) == ("done", "done", "ready")
    written = [(method, path) for method, path, _ in machine.bmc.requests if method != "GET" and "Sessions" not in path]
    assert written == [], "it is never switched, nor told where to start from"


@pytest.mark.slow
def test_a_machine_without_a_bmc_is_adopted_and_the_log_says_who_vouches_for_it(
    bare_machine: Callable[..., BareMachine], pump: Pump
) -> None:
    machine = running(bare_machine)
    machine.row.bmc_ip = None
    machine.row.save()
    machine.row.endpoints.filter(kind="redfish").delete()
    start_run(machine, engine="adopt")
    pump.run()
    assert machine.run_machine.step == "checks"
    said = machine.run_machine.steps.get(name="identity").detail
    assert said == "no BMC is known; the checks compare its service tag"


def test_another_machine_behind_the_address_is_not_adopted(
    bare_machine: Callable[..., BareMachine], pump: Pump
) -> None:
    machine = running(bare_machine)
    machine.bmc.serial = "OTHER1"
    start_run(machine, engine="adopt")
    pump.run()
    row = machine.run_machine
    assert (row.status, row.failure_class, machine.state) == ("failed", "wrong_identity", "triage")
    assert not KnownHost.objects.filter(machine=machine.row).exists()


def test_a_host_key_that_was_known_and_changed_is_not_taken(
    bare_machine: Callable[..., BareMachine], pump: Pump
) -> None:
    machine = running(bare_machine)
    other = " ".join(asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().split()[:2])
    KnownHost.objects.create(machine=machine.row, key=other, fingerprint="f", source="installed", recorded_by="olga")
    start_run(machine, engine="adopt")
    pump.run(6)
    assert machine.run_machine.step == "ssh" and "key" in machine.run_machine.steps.get(name="ssh").detail
    assert KnownHost.objects.get(machine=machine.row, replaced_at=None).key == other


@pytest.mark.slow
def test_what_the_checks_find_sends_it_to_people_and_a_retry_goes_on_from_ssh(
    bare_machine: Callable[..., BareMachine], pump: Pump
) -> None:
    machine = running(bare_machine)
    start_run(machine, engine="adopt")
    pump.run()
    machine.finish_checks(passed=False)
    pump.run()
    assert (machine.run_machine.failure_class, machine.state) == ("checks_failed", "triage")
    retry_machine(machine.run_machine.pk, actor="olga")
    pump.run()
    machine.finish_checks(passed=True)
    pump.run()
    assert (machine.run_machine.attempt, machine.state) == (2, "ready")


@pytest.mark.parametrize("state", ["triage", "repair", "maintenance", "ready"])
def test_only_a_new_machine_is_adopted(state: str) -> None:
    make_credentials(OUR_KEY)
    with pytest.raises(RunRefused) as refused:
        start_run(bare("gpu-2", state=state), engine="adopt")
    assert state in str(refused.value)


@pytest.mark.slow
def test_an_adopted_machine_that_starts_from_the_network_is_sent_to_its_disk(
    bare_machine: Callable[..., BareMachine], pump: Pump
) -> None:
    machine = running(bare_machine)
    start_run(machine, engine="adopt")
    pump.run()
    answer = machine.ask_for_script(f"?serial={machine.row.device.serial}")
    assert answer.status_code == 200 and b"autoinstall" not in answer.content and b"exit" in answer.content
