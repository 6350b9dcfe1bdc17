"""What a machine, its BMC and its installer show of a failure becomes its class, its evidence and its ticket."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from core.instance import state
from health.models import Verification
from provisioning.failures.installer import WHOLE
from provisioning.models import RunMachine
from provisioning.tests.test_provisioning import run_late
from provisioning.tests.world import BareMachine, Pump, start_run

pytestmark = [pytest.mark.django_db(transaction=True)]
Make = Callable[..., BareMachine]
PARTITIONING = "subiquity/Install/install/curtin_install/run_curtin_step/cmd-install/stage-partitioning"


@pytest.fixture
def installing(bare_machine: Make, pump: Pump) -> tuple[BareMachine, str]:
    """A machine that has its install data, and the path of what it was given."""
    machine = bare_machine()
    start_run(machine)
    pump.run()
    seed = machine.seed()
    machine.get(f"{seed}user-data")
    return machine, seed


def say(machine: BareMachine, seed: str, name: str, kind: str = "start", result: str = "", text: str = "") -> int:
    body = {"name": name, "description": text or name, "event_type": kind, "origin": "curtin", "timestamp": 1.0}
    answer = machine.client.post(
        f"{seed}report", body | ({"result": result} if result else {}), content_type="application/json"
    )
    return int(answer.status_code)


def send_log(machine: BareMachine, seed: str, text: str) -> int:
    return int(machine.client.post(f"{seed}log", text, content_type="text/plain").status_code)


def evidence(row: RunMachine) -> dict[str, str]:
    return dict(row.evidence.values_list("kind", "text"))


@pytest.mark.slow
def test_a_self_test_that_hangs_is_told_apart_with_what_the_bmc_shows(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    machine.bmc.progress = "MemoryInitializationStarted"
    start_run(machine)
    pump.run()
    row = run_late(machine, pump)
    assert row.failure_class == "no_post"
    shown = evidence(row)["bmc"]
    assert "Boot progress: MemoryInitializationStarted" in shown and "Power supply redundancy is lost." in shown


@pytest.mark.slow
def test_a_link_on_another_port_is_a_wrong_port(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    machine.bmc.link, machine.bmc.second_link = "LinkDown", "LinkUp"
    start_run(machine)
    pump.run()
    row = run_late(machine, pump)
    assert row.failure_class == "wrong_port" and "NIC.2 has one" in row.failure_text


@pytest.mark.slow
def test_a_machine_that_stays_off_has_no_power(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    machine.bmc.power, machine.bmc.stays_off = "Off", True
    start_run(machine)
    pump.run(20)
    assert machine.run_machine.step == "power_on"
    assert run_late(machine, pump).failure_class == "no_power"


def test_a_bmc_whose_password_somebody_changed_refuses(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    machine.bmc.basic, machine.bmc.password = False, "changed by somebody"
    start_run(machine)
    pump.run()
    assert machine.run_machine.failure_class == "bmc_refuses"


@pytest.mark.slow
def test_an_installation_that_fails_ends_soon_with_its_kind(installing: tuple[BareMachine, str], pump: Pump) -> None:
    machine, seed = installing
    assert say(machine, seed, "subiquity/Install/install/curtin_install", text="installing system") == 200
    assert machine.run_machine.steps.get(name="phone_home").detail == "installing system"
    assert say(machine, seed, PARTITIONING, "finish", "FAIL", "configuring disks") == 200
    assert machine.run_machine.status == "running", "parts of it may fail"
    assert say(machine, seed, WHOLE, "finish", "FAIL") == 200
    assert machine.run_machine.status == "running", "its log is waited for"
    pump.run()
    row = machine.run_machine
    assert (row.status, row.failure_class) == ("failed", "install_disk")
    assert "configuring disks" in row.failure_text
    assert say(machine, seed, WHOLE, "finish", "FAIL") == 404, "its token is dead"


@pytest.mark.slow
def test_the_log_that_follows_says_which_kind_it_is(installing: tuple[BareMachine, str]) -> None:
    machine, seed = installing
    say(machine, seed, "subiquity/Install/install/configure_apt", "finish", "FAIL", "configuring apt")
    say(machine, seed, WHOLE, "finish", "FAIL")
    assert send_log(machine, seed, "Err:1 http://mirror jammy\n  Temporary failure resolving 'mirror'\n") == 200
    row = machine.run_machine
    assert (row.status, row.failure_class) == ("failed", "install_network"), "apt failed, and the network is why"
    assert "installer" in evidence(row)


@pytest.mark.slow
def test_the_log_that_comes_after_the_failure_is_kept_without_secrets(
    installing: tuple[BareMachine, str], pump: Pump
) -> None:
    machine, seed = installing
    say(machine, seed, WHOLE, "finish", "FAIL")
    pump.run()
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n-----END OPENSSH PRIVATE KEY-----"
    assert send_log(machine, seed, f"E: no space\n{key}") == 200
    row = machine.run_machine
    assert "secret" not in evidence(row)["installer"] and "E: no space" in evidence(row)["installer"]
    assert row.log_lines.filter(text__contains="E: no space").exists()


@pytest.mark.slow
def test_a_log_alone_ends_the_installation_too(installing: tuple[BareMachine, str]) -> None:
    machine, seed = installing
    assert send_log(machine, seed, "E: Unable to locate package enroot") == 200
    row = machine.run_machine
    assert (row.status, row.failure_class) == ("failed", "install_package")
    assert "Unable to locate package enroot" in row.failure_text


@pytest.mark.slow
def test_a_log_is_taken_only_soon_after_the_failure_and_with_its_last_token(
    installing: tuple[BareMachine, str], pump: Pump
) -> None:
    machine, seed = installing
    assert send_log(machine, "/boot/0123456789012345678901234567890/", "x") == 404
    say(machine, seed, WHOLE, "finish", "FAIL")
    pump.run()
    RunMachine.objects.update(finished_at=timezone.now() - timedelta(minutes=11))
    assert send_log(machine, seed, "x") == 404
    assert "installer" not in evidence(machine.run_machine)


def test_an_installer_that_never_calls_has_the_kind_that_it_reported(
    installing: tuple[BareMachine, str], pump: Pump
) -> None:
    machine, seed = installing
    say(machine, seed, "subiquity/Install/install/configure_apt", "finish", "FAIL")
    assert run_late(machine, pump).failure_class == "install_package"


def test_an_event_that_nobody_wants_to_read_asks_the_database_nothing(
    installing: tuple[BareMachine, str],
    django_assert_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine, seed = installing
    state.standing()
    monkeypatch.setattr(state, "CACHED_S", 3600)  # whether the instance is paused is asked once a second
    with django_assert_num_queries(0):
        assert say(machine, seed, f"{PARTITIONING}/builtin/cmd-block-meta") == 200
        assert say(machine, seed, PARTITIONING, "finish", "SUCCESS") == 200


@pytest.mark.slow
@pytest.mark.parametrize("body", ["", "{", "[]", '{"name": 3}'])
def test_what_is_no_event_changes_nothing(installing: tuple[BareMachine, str], body: str) -> None:
    machine, seed = installing
    before = machine.run_machine.log_count
    assert machine.client.post(f"{seed}report", body, content_type="application/json").status_code in (200, 400)
    assert (machine.run_machine.log_count, machine.run_machine.status) == (before, "running")


@pytest.mark.slow
def test_checks_that_miss_a_part_say_so_and_keep_what_they_found(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    start_run(machine)
    pump.run()
    machine.boot()
    pump.run(5)
    rows: list[dict[str, Any]] = [
        {"check": "gpu.count", "part": "machine", "verdict": "fail", "message": "7 of 8 GPUs"},
        {"check": "gpu.ecc", "part": "SXM1", "verdict": "pass", "message": ""},
    ]
    Verification.objects.filter(pk=machine.run_machine.verification_id).update(results=rows)
    machine.finish_checks(passed=False)
    pump.run()
    row = machine.run_machine
    assert row.failure_class == "part_missing"
    assert evidence(row)["checks"] == "gpu.count of machine: 7 of 8 GPUs"
