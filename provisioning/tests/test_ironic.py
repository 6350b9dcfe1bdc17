"""Runs over a site's Ironic: a stand-in that answers as the real one over TLS, a real Redfish and a real SSH server.

What is decided in each state is pure (`test_ironic_decisions`); a run with a real Ironic is `test_real_ironic`.
"""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from access.models import KnownHost
from provisioning.models import BootToken, FailureEvidence, IronicNode
from provisioning.services import RunRefused, retry_machine
from provisioning.steps import IRONIC
from provisioning.tests.ironic_site import IMAGE, IronicSite
from provisioning.tests.world import Pump, bare, start_run

pytestmark = pytest.mark.django_db(transaction=True)


def reach(site: IronicSite, pump: Pump, state: str) -> None:
    for _ in range(60):
        if any(node.state == state for node in site.server.nodes.values()):
            return
        pump.run(1)
    raise AssertionError(f"never {state}: {site.log}")


@pytest.mark.slow
def test_a_new_machine_is_enrolled_inspected_cleaned_deployed_checked_and_ready(
    ironic_site: IronicSite, pump: Pump
) -> None:
    machine = ironic_site.machine
    run = start_run(machine, engine="ironic")
    assert [step.name for step in machine.run_machine.steps.all()] == list(IRONIC.steps)
    pump.run()
    assert ironic_site.step == ("running", "phone_home", ""), ironic_site.log
    node = ironic_site.node
    assert (node.name, node.state, node.cleaned) == (machine.row.device.name, "active", 1)
    assert node.row["instance_info"] == {"image_source": IMAGE} and node.meta_data["hostname"] == node.name
    assert node.row["driver_info"]["redfish_address"].startswith("https://127.0.0.1:")
    told = ironic_site.log + "".join(f"{step.detail}{step.data}" for step in machine.run_machine.steps.all())
    private = ironic_site.given()["ssh_keys"]["ed25519_private"].splitlines()[1]
    assert not any(secret in told for secret in ("ironicsecret", node.password, private))
    assert ironic_site.phones_home() == 200
    assert ironic_site.phones_home() == 404, "its token is for once"
    pump.run()
    assert (machine.run_machine.step, machine.state) == ("checks", "burn_in")
    assert KnownHost.objects.get(machine=machine.row, replaced_at=None).source == "installed"
    machine.finish_checks(passed=True)
    pump.run()
    run.refresh_from_db()
    assert (run.status, machine.state) == ("done", "ready")
    assert {name: count for name, count in ironic_site.server.orders.items() if count != 1} == {}, "each once"
    written = [(method, path) for method, path, _ in machine.bmc.requests if method != "GET" and "Sessions" not in path]
    assert written == [], "Ironic switches it, not we"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "step", "failure"),
    [
        ("inspect", "inspect", "inspection_failed"),
        pytest.param("manage", "inspect", "no_bmc", marks=pytest.mark.slow),
        pytest.param("clean", "clean", "cleaning_failed", marks=pytest.mark.slow),
        pytest.param("active", "deploy", "install_failed", marks=pytest.mark.slow),
    ],
)
def test_what_ironic_fails_at_is_named_with_its_error_and_history_and_a_retry_goes_through(
    ironic_site: IronicSite, pump: Pump, target: str, step: str, failure: str
) -> None:
    node = ironic_site.known("enroll")
    node.fails = {target: "The attribute Processors is missing"}
    start_run(ironic_site.machine, engine="ironic")
    pump.run(60)
    assert ironic_site.step == ("failed", step, failure), ironic_site.log
    assert "attribute Processors is missing" in ironic_site.machine.run_machine.failure_text
    assert "ERROR The attribute Processors" in FailureEvidence.objects.get().text
    assert not BootToken.objects.filter(revoked_at=None).exists()
    node.fails = {}
    ironic_site.idle()
    retry_machine(ironic_site.machine.run_machine.pk, actor="olga")
    pump.run(80)
    assert ironic_site.step == ("running", "phone_home", ""), ironic_site.log


@pytest.mark.slow
def test_an_error_that_ironic_cleared_is_read_from_the_history(ironic_site: IronicSite, pump: Pump) -> None:
    """A sync of the node's power clears `last_error` seconds after a failure: seen with Ironic 39."""
    node = ironic_site.known("enroll")
    node.fails = {"inspect": "The attribute Processors is missing"}
    start_run(ironic_site.machine, engine="ironic")
    reach(ironic_site, pump, "inspect failed")
    node.row["last_error"] = None
    pump.run()
    assert "attribute Processors is missing" in ironic_site.machine.run_machine.failure_text


@pytest.mark.slow
def test_what_was_read_is_compared_and_each_difference_is_named(ironic_site: IronicSite, pump: Pump) -> None:
    model = ironic_site.machine.row.device.model
    model.spec = {"model": "m", "vendor": "v", "name": "n", "kind": "machine", "u_height": 6,
                  "expected": {"cpus": 224, "memory_gib": 2048}}  # fmt: skip
    model.save()
    ironic_site.server.hardware |= {"cpu": {"count": 112}}
    start_run(ironic_site.machine, engine="ironic")
    pump.run(60)
    assert ironic_site.step == ("failed", "hardware", "wrong_hardware"), ironic_site.log
    assert ironic_site.machine.run_machine.failure_text == "Ironic found 112 CPU threads instead of 224"
    assert "active" not in ironic_site.server.orders


@pytest.mark.slow
@pytest.mark.parametrize("status", [409, 503, 500])
def test_what_ironic_cannot_now_is_waited_for(ironic_site: IronicSite, pump: Pump, status: int) -> None:
    start_run(ironic_site.machine, engine="ironic")
    reach(ironic_site, pump, "inspecting")
    ironic_site.server.answers_first = [status] * 6
    pump.run(80)
    assert ironic_site.step == ("running", "phone_home", ""), ironic_site.log
    assert ironic_site.server.answers_first == [] and str(status) in ironic_site.log
    assert ironic_site.server.orders["active"] == 1


@pytest.mark.slow
def test_a_node_deleted_in_the_middle_is_named_at_once(ironic_site: IronicSite, pump: Pump) -> None:
    start_run(ironic_site.machine, engine="ironic")
    reach(ironic_site, pump, "inspecting")
    ironic_site.server.nodes.clear()
    pump.run()
    assert ironic_site.step == ("failed", "inspect", "record_lost")
    assert "was deleted outside of this run" in ironic_site.machine.run_machine.failure_text


@pytest.mark.slow
def test_a_node_renamed_in_the_middle_is_named_and_a_retry_names_it_back(ironic_site: IronicSite, pump: Pump) -> None:
    start_run(ironic_site.machine, engine="ironic")
    reach(ironic_site, pump, "inspecting")
    ironic_site.node.row["name"] = "storage-7"
    pump.run()
    assert ironic_site.step == ("failed", "inspect", "record_lost")
    assert "renamed from gpu-001 to storage-7" in ironic_site.machine.run_machine.failure_text
    ironic_site.idle()
    retry_machine(ironic_site.machine.run_machine.pk, actor="olga")
    pump.run(80)
    assert ironic_site.node.name == "gpu-001" and ironic_site.step[1] == "phone_home", ironic_site.log


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"driver_info": {"redfish_address": "https://10.9.9.9"}}, "Ironic switches 10.9.9.9"),
        pytest.param({"inventory": {"system_vendor": {"serial_number": "OTHER1"}}}, "serial", marks=pytest.mark.slow),
    ],
)
def test_a_node_that_leads_to_another_machine_is_not_touched(
    ironic_site: IronicSite, pump: Pump, fields: dict[str, Any], said: str
) -> None:
    inventory = fields.pop("inventory", None)
    node = ironic_site.known("active", **fields)
    node.inventory = inventory
    start_run(ironic_site.machine, engine="ironic")
    pump.run()
    assert ironic_site.step == ("failed", "ironic_node", "wrong_identity")
    assert said in ironic_site.machine.run_machine.failure_text
    assert node.state == "active" and not ironic_site.server.orders


def test_a_machine_is_enrolled_only_where_the_site_says_so(ironic_site: IronicSite, pump: Pump) -> None:
    ironic_site.set(enroll=False)
    start_run(ironic_site.machine, engine="ironic")
    pump.run()
    assert ironic_site.step == ("failed", "ironic_node", "record_lost") and not ironic_site.server.nodes


@pytest.mark.slow
def test_a_machine_without_a_known_mac_is_found_by_its_bmc_and_told_its_name(
    ironic_site: IronicSite, pump: Pump
) -> None:
    row = ironic_site.machine.row
    mine = ironic_site.server.add("fancy", "02:11:11:11:11:11", driver_info={"redfish_address": "https://127.0.0.1"})
    ironic_site.server.add("other", "02:11:11:11:11:12", driver_info={"redfish_address": "https://10.1.1.1"})
    row.boot_mac = ""
    row.save()
    start_run(ironic_site.machine, engine="ironic")
    pump.run()
    assert str(IronicNode.objects.get(machine=row).uuid) == mine.uuid and mine.name == row.device.name


@pytest.mark.slow
def test_a_ramdisk_site_boots_the_iso_and_one_that_never_cleans_tells_ironic(
    ironic_site: IronicSite, pump: Pump
) -> None:
    ironic_site.set(deploy_interface="ramdisk", cleaning="never", inspect=False)
    start_run(ironic_site.machine, engine="ironic")
    pump.run(80)
    assert ironic_site.step == ("running", "phone_home", ""), ironic_site.log
    node = ironic_site.node
    assert node.row["instance_info"] == {"boot_iso": IMAGE} and node.row["deploy_interface"] == "ramdisk"
    assert node.cleaned == 0 and "inspect" not in ironic_site.server.orders
    assert "its parts are left to the checks" in ironic_site.log


@pytest.mark.slow
@pytest.mark.parametrize(("cleaning", "step"), [("disks", "erase_devices"), ("metadata", "erase_devices_metadata")])
def test_a_site_that_orders_it_has_the_disks_erased_once_before_the_installation(
    ironic_site: IronicSite, pump: Pump, cleaning: str, step: str
) -> None:
    ironic_site.set(cleaning=cleaning)
    start_run(ironic_site.machine, engine="ironic")
    pump.run(80)
    assert ironic_site.step == ("running", "phone_home", ""), ironic_site.log
    node = ironic_site.node
    assert node.erased == [f"deploy.{step}"] and ironic_site.server.orders["clean"] == 1
    assert node.cleaned == 0, "not once more"


def test_a_site_without_an_ironic_offers_none_and_one_disabled_in_the_middle_is_said(
    ironic_site: IronicSite, pump: Pump
) -> None:
    run = start_run(ironic_site.machine, engine="ironic")
    ironic_site.set(enabled=False)
    pump.run(6)
    assert "Ironic server is disabled" in ironic_site.log and ironic_site.server.requests == []
    with pytest.raises(RunRefused, match="no Ironic server"):
        start_run(ironic_site.machine, engine="ironic")
    assert run.engine == "ironic"


def test_machines_of_a_batch_are_claimed_in_as_many_queries_as_one(
    ironic_site: IronicSite, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    from provisioning.ironic.queries import targets

    ids = [ironic_site.machine.row.pk, *(bare(f"gpu-{n}").pk for n in range(2, 6))]
    with django_assert_num_queries(5):
        assert len(targets(ids, hardware=ids)) == 5
