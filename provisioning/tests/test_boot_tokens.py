"""Boot requests need no login: what they give is bound to one machine, one run, one time. Everything else is 404."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from inventory.models import Machine
from provisioning import services
from provisioning.models import BootToken
from provisioning.tests.world import BareMachine, Pump, bare, start_run

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., BareMachine]


@pytest.fixture
def booting(bare_machine: Make, pump: Pump) -> BareMachine:
    """A machine that was powered on and may ask."""
    machine = bare_machine()
    start_run(machine)
    pump.run()
    assert machine.run_machine.step == "boot_script"
    return machine


def test_without_an_active_run_a_known_machine_gets_404(client: Client) -> None:
    machine = bare("gpu-001")
    assert client.get(f"/boot/{machine.boot_mac}").status_code == 404
    assert client.get("/boot/02-00-00-00-00-01").status_code == 404
    assert client.get("/boot/nonsense/at/all").status_code == 404
    assert client.get(f"/boot/{'x' * 43}/user-data").status_code == 404
    assert not BootToken.objects.exists()


def test_before_the_restart_the_old_system_gets_nothing(bare_machine: Make, pump: Pump) -> None:
    machine = bare_machine()
    start_run(machine)
    services.fill()
    assert machine.ask_for_script().status_code == 404


def test_a_script_is_given_by_mac_in_any_spelling_but_not_with_another_serial(booting: BareMachine) -> None:
    mac = booting.row.boot_mac
    assert booting.get(f"/boot/{mac.upper()}").status_code == 200
    assert booting.get(f"/boot/{mac.replace(':', '-')}?serial={booting.row.device.serial.lower()}").status_code == 200
    assert booting.ask_for_script("?serial=OTHER99").status_code == 404
    assert booting.run_machine.log_lines.filter(text__contains="OTHER99").exists()


@pytest.mark.slow
def test_a_machine_without_a_known_mac_is_found_by_its_serial(booting: BareMachine) -> None:
    Machine.objects.filter(pk=booting.row.pk).update(boot_mac="")
    path = "/boot/02-00-00-00-00-99"
    assert booting.get(path).status_code == 404
    assert booting.get(f"{path}?serial={booting.row.device.serial}").status_code == 200


def test_user_data_is_given_once(booting: BareMachine) -> None:
    seed = booting.seed()
    assert booting.get(f"{seed}user-data").status_code == 200
    assert booting.get(f"{seed}user-data").status_code == 404
    assert booting.get(f"{seed}meta-data").status_code == 200, "it tells no secret"


def test_the_token_and_the_private_host_key_are_not_stored(booting: BareMachine) -> None:
    seed = booting.seed()
    booting.get(f"{seed}user-data")
    token = seed.strip("/").split("/")[1]
    stored = " ".join(str(value) for row in BootToken.objects.values_list() for value in row)
    assert token not in stored
    assert booting.run_machine.host_key.startswith("ssh-ed25519 ") and "PRIVATE" not in booting.run_machine.host_key


@pytest.mark.slow
def test_asking_again_kills_the_token_before(booting: BareMachine) -> None:
    first, second = booting.seed(), booting.seed()
    assert booting.get(f"{first}user-data").status_code == 404
    assert booting.get(f"{second}user-data").status_code == 200


@pytest.mark.slow
def test_an_installed_machine_that_asks_again_is_told_to_boot_from_its_disk(booting: BareMachine) -> None:
    booting.get(f"{booting.seed()}user-data")
    script = booting.ask_for_script().content.decode()
    assert script.startswith("#!ipxe") and script.endswith("exit\n") and "boot/" not in script


def test_a_token_dies_of_age_and_with_its_run(booting: BareMachine) -> None:
    seed = booting.seed()
    BootToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert booting.get(f"{seed}user-data").status_code == 404
    seed = booting.seed()
    services.cancel_run(booting.run_machine.run_id, actor="olga")
    assert booting.get(f"{seed}user-data").status_code == booting.get(f"{seed}meta-data").status_code == 404
    assert booting.ask_for_script().status_code == 404


def test_a_token_is_bound_to_the_mac_it_was_given_to(booting: BareMachine) -> None:
    seed = booting.seed()
    Machine.objects.filter(pk=booting.row.pk).update(boot_mac="02:00:00:00:00:99")
    assert booting.get(f"{seed}user-data").status_code == 404


def test_phone_home_works_once_after_the_data_and_only_by_post(booting: BareMachine) -> None:
    seed = booting.seed()
    assert booting.client.post(f"{seed}phone-home").status_code == 404, "nothing was installed yet"
    booting.get(f"{seed}user-data")
    assert booting.get(f"{seed}phone-home").status_code == 405
    assert booting.client.post(f"{seed}phone-home", {}, content_type="application/json").status_code == 200
    assert booting.client.post(f"{seed}phone-home").status_code == 404


def test_a_phone_home_with_another_host_key_is_refused_and_logged(booting: BareMachine) -> None:
    seed = booting.seed()
    booting.get(f"{seed}user-data")
    answer = booting.client.post(f"{seed}phone-home", {"pub_key_ed25519": "ssh-ed25519 AAAAother host"})
    assert answer.status_code == 404 and booting.run_machine.step == "phone_home"
    assert booting.run_machine.log_lines.filter(text__contains="another host key").exists()


def test_the_database_refuses_two_live_tokens_of_one_machine(booting: BareMachine) -> None:
    booting.seed()
    with pytest.raises(IntegrityError), transaction.atomic():
        BootToken.objects.create(run_machine=booting.run_machine, mac="x", token_hash="y", expires_at=timezone.now())


def test_boot_requests_cannot_fill_the_log_without_end(booting: BareMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = booting.run_machine.log_lines.count()
    monkeypatch.setattr("provisioning.services.progress.MOST_LINES", lines + 2)
    for _ in range(5):
        booting.ask_for_script("?serial=OTHER99")
    assert booting.run_machine.log_lines.count() == lines + 2
