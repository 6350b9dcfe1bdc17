"""Runs over a site's MAAS: a region with state over TLS, a real Redfish and a real SSH server."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from access.models import KnownHost
from drivers.maas.states import Status
from inventory.models import Component, Installation
from provisioning.models import BootToken, MaasMachine
from provisioning.services import BootRefused, RunRefused, cancel_run, retry_machine
from provisioning.services.network_boot import first_boot_data
from provisioning.steps import MAAS
from provisioning.tests.maas_site import MaasSite
from provisioning.tests.world import BareMachine, Pump, bare, start_run

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_new_machine_is_enlisted_commissioned_deployed_checked_and_ready(maas_site: MaasSite, pump: Pump) -> None:
    machine = maas_site.machine
    run = start_run(machine, engine="maas")
    assert [step.name for step in machine.run_machine.steps.all()] == list(MAAS.steps)
    pump.run()
    assert maas_site.step == ("running", "phone_home", ""), maas_site.log
    record = maas_site.record
    assert (record.hostname, record.status, record.series) == (machine.row.device.name, Status.DEPLOYED, "jammy")
    assert record.power["power_parameters_power_user"] == "root"
    assert maas_site.phones_home() == 200
    assert maas_site.phones_home() == 404, "its token is for once"
    pump.run()
    assert (machine.run_machine.step, machine.state) == ("checks", "burn_in")
    assert KnownHost.objects.get(machine=machine.row, replaced_at=None).source == "installed"
    machine.finish_checks(passed=True)
    pump.run()
    run.refresh_from_db()
    assert (run.status, machine.state) == ("done", "ready")
    orders = maas_site.region.orders
    assert orders == {"enlist": 1, "commission": 1, "allocate": 1, "deploy": 1}, "each once"
    written = [(method, path) for method, path, _ in machine.bmc.requests if method != "GET" and "Sessions" not in path]
    assert written == [], "MAAS switches it, not we"


def test_no_secret_is_in_a_log_a_step_or_a_record(maas_site: MaasSite, pump: Pump) -> None:
    start_run(maas_site.machine, engine="maas")
    pump.run()
    row = maas_site.machine.run_machine
    told = maas_site.log + "".join(f"{step.detail}{step.data}" for step in row.steps.all()) + row.host_key
    private = maas_site.given()["ssh_keys"]["ed25519_private"].splitlines()[1]
    for secret in ("tokensecret", maas_site.record.power["power_parameters_power_pass"], private):
        assert secret not in told


def test_what_maas_read_is_compared_and_each_difference_is_named(maas_site: MaasSite, pump: Pump) -> None:
    machine = maas_site.machine
    machine.row.device.model.spec = spec()
    machine.row.device.model.save()
    drive = Component.objects.create(site=maas_site.site, kind="nvme", serial="d9")
    Installation.objects.create(component=drive, device=machine.row.device, slot="NVMe 1", during=("2026-01-01", None))
    maas_site.region.hardware |= {"cpus": 112, "memory_mib": 1984 * 1024}
    start_run(machine, engine="maas")
    pump.run()
    assert maas_site.step == ("failed", "hardware", "wrong_hardware")
    said = machine.run_machine.failure_text
    assert said == ("MAAS found 112 CPU threads instead of 224; 1984 GiB of memory instead of 2048; NVMe D9 missing")
    assert "deploy" not in maas_site.region.orders and machine.state == "triage"


def spec() -> dict[str, object]:
    return {
        "model": "dell-xe9680-h100", "vendor": "Dell", "name": "XE9680", "kind": "machine", "u_height": 6,
        "expected": {"cpus": 224, "memory_gib": 2048},
    }  # fmt: skip


@pytest.mark.slow
def test_a_device_model_that_cannot_be_read_is_said_and_not_taken_for_the_same(maas_site: MaasSite, pump: Pump) -> None:
    model = maas_site.machine.row.device.model
    model.spec = {"model": "x", "expected": 7}
    model.save()
    start_run(maas_site.machine, engine="maas")
    pump.run()
    assert "its device model cannot be read" in maas_site.log


@pytest.mark.slow
def test_a_failed_commissioning_names_its_scripts(maas_site: MaasSite, pump: Pump) -> None:
    maas_site.known(fails=["50-gpu-count"])
    start_run(maas_site.machine, engine="maas")
    pump.run()
    assert maas_site.step == ("failed", "commission", "commission_failed")
    assert "50-gpu-count: failed (exit 1)" in maas_site.machine.run_machine.failure_text
    maas_site.record.fails = []
    maas_site.idle()
    retry_machine(maas_site.machine.run_machine.pk, actor="olga")
    pump.run()
    assert maas_site.step == ("running", "phone_home", ""), maas_site.log


def test_a_failed_deployment_says_what_maas_says(maas_site: MaasSite, pump: Pump) -> None:
    maas_site.known(deploy_fails="curtin: no disk")
    start_run(maas_site.machine, engine="maas")
    pump.run()
    assert maas_site.step == ("failed", "deploy", "install_failed")
    assert "curtin: no disk" in maas_site.machine.run_machine.failure_text
    assert not BootToken.objects.filter(revoked_at=None).exists()


QUICK = (Status.READY, Status.DEPLOYED, Status.RESCUE_MODE)
"""Of all states in every run; what is decided in each is pure (`test_maas_decisions`)."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "status",
    [
        pytest.param(status, marks=[] if status in QUICK else [pytest.mark.slow])
        for status in Status
        if status not in (Status.MISSING, Status.RETIRED)
    ],
)
def test_whatever_state_maas_has_it_in_a_run_brings_it_to_deployed(
    maas_site: MaasSite, pump: Pump, status: Status
) -> None:
    record = maas_site.known(status)
    if "ING" in status.name:  # somebody else is at it, and comes to an end
        record.looks, record.then = 2, lambda: setattr(record, "status", Status.READY)
    maas_site.set(erase="quick")
    start_run(maas_site.machine, engine="maas")
    pump.run(80)
    assert maas_site.step == ("running", "phone_home", ""), maas_site.log
    assert record.status == Status.DEPLOYED and maas_site.region.orders["commission"] == 1
    assert record.erased == (["erase", "quick_erase"] if maas_site.region.orders["release"] else [])


@pytest.mark.slow
@pytest.mark.parametrize("status", [Status.MISSING, Status.RETIRED])
def test_a_record_that_maas_has_put_away_fails_at_once(maas_site: MaasSite, pump: Pump, status: Status) -> None:
    maas_site.known(status)
    start_run(maas_site.machine, engine="maas")
    pump.run()
    assert maas_site.step == ("failed", "maas_record", "record_lost")


@pytest.mark.slow
def test_a_record_deleted_in_the_middle_is_named_and_not_asked_for_again(maas_site: MaasSite, pump: Pump) -> None:
    start_run(maas_site.machine, engine="maas")
    reach(maas_site, pump, Status.COMMISSIONING)
    maas_site.region.records.clear()
    pump.run()
    assert maas_site.step == ("failed", "commission", "record_lost")
    assert "was deleted outside of this run" in maas_site.machine.run_machine.failure_text


@pytest.mark.slow
def test_a_record_renamed_in_the_middle_is_named_and_a_retry_names_it_back(maas_site: MaasSite, pump: Pump) -> None:
    start_run(maas_site.machine, engine="maas")
    reach(maas_site, pump, Status.COMMISSIONING)
    maas_site.record.hostname = "storage-7"
    pump.run()
    assert maas_site.step == ("failed", "commission", "record_lost")
    assert "renamed from gpu-001 to storage-7" in maas_site.machine.run_machine.failure_text
    maas_site.idle()
    retry_machine(maas_site.machine.run_machine.pk, actor="olga")
    pump.run()
    assert maas_site.record.hostname == "gpu-001" and maas_site.step[1] == "phone_home"


def reach(site: MaasSite, pump: Pump, status: Status) -> None:
    for _ in range(60):
        if any(record.status == status for record in site.region.records.values()):
            return
        pump.run(1)
    raise AssertionError(f"never {status.name}: {site.log}")


@pytest.mark.slow
@pytest.mark.parametrize("status", [503, *(pytest.param(code, marks=pytest.mark.slow) for code in (409, 429, 500))])
def test_what_maas_cannot_now_is_waited_for(maas_site: MaasSite, pump: Pump, status: int) -> None:
    start_run(maas_site.machine, engine="maas")
    reach(maas_site, pump, Status.COMMISSIONING)
    maas_site.region.answers_first = [status] * 6
    pump.run(80)
    assert maas_site.step == ("running", "phone_home", ""), maas_site.log
    assert maas_site.region.answers_first == [] and str(status) in maas_site.log
    assert maas_site.region.orders["deploy"] == 1


def test_another_machine_under_this_mac_in_maas_is_not_touched(maas_site: MaasSite, pump: Pump) -> None:
    record = maas_site.known(Status.DEPLOYED, seen={"serial": "OTHER1", "uuid": ""})
    start_run(maas_site.machine, engine="maas")
    pump.run()
    assert maas_site.step == ("failed", "maas_record", "wrong_identity")
    assert record.status == Status.DEPLOYED and not maas_site.region.orders


@pytest.mark.slow
def test_a_machine_without_a_known_mac_is_found_by_its_serial_among_all(maas_site: MaasSite, pump: Pump) -> None:
    row = maas_site.machine.row
    maas_site.region.add("fancy-hare", "02:11:11:11:11:11", seen={"serial": row.device.serial})
    maas_site.region.add("other", "02:11:11:11:11:12", seen={"serial": "X"})
    row.boot_mac = ""
    row.save()
    start_run(maas_site.machine, engine="maas")
    pump.run()
    found = MaasMachine.objects.get(machine=row)
    assert maas_site.region.records[found.system_id].macs == ["02:11:11:11:11:11"]
    assert found.hostname == row.device.name, "and it is told its name"


def test_a_machine_is_enlisted_only_where_the_site_says_so(maas_site: MaasSite, pump: Pump) -> None:
    maas_site.set(enlist=False)
    start_run(maas_site.machine, engine="maas")
    pump.run()
    assert maas_site.step == ("failed", "maas_record", "record_lost") and not maas_site.region.records


@pytest.mark.slow
def test_a_machine_that_phones_home_before_maas_says_deployed_goes_on(maas_site: MaasSite, pump: Pump) -> None:
    start_run(maas_site.machine, engine="maas")
    reach(maas_site, pump, Status.DEPLOYING)
    assert maas_site.phones_home() == 200
    pump.run(3)
    assert maas_site.machine.run_machine.step == "checks"


@pytest.mark.slow
def test_a_cancelled_machine_cannot_phone_home(maas_site: MaasSite, pump: Pump) -> None:
    run = start_run(maas_site.machine, engine="maas")
    reach(maas_site, pump, Status.DEPLOYING)
    cancel_run(run.pk, actor="olga")
    assert maas_site.phones_home() == 404
    pump.run()
    assert (maas_site.machine.run_machine.status, maas_site.machine.state) == ("cancelled", "new")


def test_a_look_that_is_not_ours_any_more_makes_no_install_data(maas_site: MaasSite, pump: Pump) -> None:
    start_run(maas_site.machine, engine="maas")
    pump.run(1)
    with pytest.raises(BootRefused):
        first_boot_data(maas_site.machine.run_machine.pk, uuid4())
    assert not BootToken.objects.exists()


def test_a_site_without_a_region_offers_no_maas(bare_machine: Callable[..., BareMachine]) -> None:
    machine = bare_machine()
    with pytest.raises(RunRefused, match="no MAAS region"):
        start_run(machine, engine="maas")


def test_a_region_disabled_in_the_middle_is_said_and_nothing_is_asked(maas_site: MaasSite, pump: Pump) -> None:
    start_run(maas_site.machine, engine="maas")
    maas_site.set(enabled=False)
    pump.run(6)
    assert "region is disabled" in maas_site.log and maas_site.region.requests == []


def test_machines_of_a_batch_are_claimed_in_as_many_queries_as_one(
    maas_site: MaasSite, pump: Pump, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    from provisioning.maas.queries import targets

    ids = [maas_site.machine.row.pk, *(bare(f"gpu-{n}").pk for n in range(2, 6))]
    with django_assert_num_queries(5):
        assert len(targets(ids, hardware=ids)) == 5
