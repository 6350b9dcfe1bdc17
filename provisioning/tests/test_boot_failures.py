"""A machine that is silent at network boot is classed by its DHCP server's log and by the address it asked from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from inventory.models import DeviceModel, Machine, Port
from provisioning import services
from provisioning.queries import second_card
from provisioning.services.runs import RunRefused
from provisioning.tests.test_dhcp_log import FOREIGN, HAS_ADDRESS, MAC, NOT_THERE, logged
from provisioning.tests.test_provisioning import run_late
from provisioning.tests.world import BareMachine, Pump, bare, start_run

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., BareMachine]


@pytest.fixture
def dhcp_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "dnsmasq.log"
    monkeypatch.setenv("RACKSIDE_DHCP_LOGS", f"{tmp_path / 'missing'},{path}")
    return path


def write(path: Path, machine: BareMachine, *texts: str) -> None:
    lines = logged(*texts, time=f"{timezone.now():%b %d %H:%M:%S}")
    path.write_text("\n".join(lines).replace(MAC, machine.row.boot_mac) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "expected"),
    [((*HAS_ADDRESS, NOT_THERE), "tftp_failed"), ((f"7 DHCPDISCOVER(br0) {MAC} no address available",), "dhcp_failed"),
     (FOREIGN, "second_dhcp"), ((), "no_pxe_request")],
)  # fmt: skip
def test_the_log_gives_the_class_and_is_kept_as_evidence(
    texts: tuple[str, ...], expected: str, bare_machine: Make, pump: Pump, dhcp_log: Path
) -> None:
    machine = bare_machine()
    start_run(machine)
    pump.run()
    write(dhcp_log, machine, *texts)
    row = run_late(machine, pump)
    assert row.failure_class == expected, row.failure_text
    kept = dict(row.evidence.values_list("kind", "text"))
    assert "Power:" in kept["bmc"] and ("dhcp" in kept) == bool(texts)
    assert not texts or machine.row.boot_mac in kept["dhcp"]


@pytest.mark.slow
def test_what_the_bmc_shows_comes_before_the_log(bare_machine: Make, pump: Pump, dhcp_log: Path) -> None:
    machine = bare_machine()
    start_run(machine)
    pump.run()
    write(dhcp_log, machine, *HAS_ADDRESS)
    machine.bmc.link = "LinkDown"
    assert run_late(machine, pump).failure_class == "no_link"


@pytest.mark.slow
@pytest.mark.parametrize(("network", "expected"), [("10.20.0.0/16", "second_dhcp"), ("127.0.0.0/8", "no_installer")])
def test_a_boot_script_fetched_from_a_foreign_address_is_a_second_dhcp_server(
    network: str, expected: str, bare_machine: Make, pump: Pump, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "networks.yaml").write_text("- network: 10.20.0.0/16\n" + f"- network: {network}\n")
    monkeypatch.setenv("RACKSIDE_BOOT_NETWORKS_FILE", str(tmp_path / "networks.yaml"))
    machine = bare_machine()
    Machine.objects.filter(pk=machine.row.pk).update(primary_ip="10.20.0.17")
    start_run(machine)
    pump.run()
    machine.seed()  # asks from 127.0.0.1
    row = run_late(machine, pump)
    assert row.failure_class == expected, row.failure_text


def test_the_second_card_is_the_next_of_the_same_speed(django_assert_num_queries: Callable[..., object]) -> None:
    machine = bare("gpu-001", boot_mac="02:00:00:00:00:01")
    rows = (("mgmt", 1, "02:00:00:00:00:09"), ("eth0", 25, "02:00:00:00:00:01"), ("eth1", 25, "02:00:00:00:00:0A"))
    for name, speed, mac in rows:
        Port.objects.create(device=machine.device, name=f"x-{name}", kind="ethernet", speed_gbps=speed, mac=mac)
    with django_assert_num_queries(1):  # type: ignore[attr-defined]
        assert second_card(machine) == "02:00:00:00:00:0a"
    assert second_card(bare("gpu-002", boot_mac="02:00:00:00:00:03")) == ""


def test_a_run_without_an_image_installs_that_of_the_model(bare_machine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KERNEL", "INITRD"):
        monkeypatch.setenv(f"RACKSIDE_DEBIAN_{name}_URL", "http://images/x")
    machine = bare_machine()
    model = DeviceModel.objects.get(pk=machine.row.device.model_id)
    model.spec["expected"] = {**(model.spec.get("expected") or {}), "boot_image": "debian"}
    model.save()
    assert start_run(machine).image == "debian"


def test_a_run_whose_models_want_an_image_that_is_not_there_is_refused_with_its_name(bare_machine: Make) -> None:
    machine = bare_machine()
    model = DeviceModel.objects.get(pk=machine.row.device.model_id)
    model.spec["expected"] = {**(model.spec.get("expected") or {}), "boot_image": "windows"}
    model.save()
    with pytest.raises(RunRefused, match="there is no image windows; there are: ubuntu"):
        start_run(machine)
    run = services.create_run([machine.row.pk], actor="olga", image="ubuntu")
    assert run.image == "ubuntu", "what the run names wins"
