"""A boot medium really booted: an ISO with GRUB for BIOS and UEFI, prepared by xorriso, read by QEMU over HTTP in
ranges as a BMC does, up to the phone-home. Its installer is a ramdisk; the BMC and its virtual CD are a stand-in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inventory.models import Machine
from provisioning import services
from provisioning.media import images
from provisioning.models import BootMedium
from provisioning.services import media
from provisioning.tests import netboot_lab as lab
from provisioning.tests.test_real_network_boot import kernel as kernel
from provisioning.tests.world import BareMachine, Pump

pytestmark = [
    pytest.mark.slow,
    pytest.mark.services,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own needs root"),
    pytest.mark.skipif(not Path("/usr/bin/grub-mkrescue").exists(), reason="./rackside test --all installs GRUB"),
]


def installer_iso(folder: Path, kernel: Path) -> Path:
    """Laid out as Ubuntu Server's: casper's kernel and initrd, started by GRUB from BIOS and UEFI."""
    tree = folder / "tree"
    (tree / "casper").mkdir(parents=True)
    (tree / "boot/grub").mkdir(parents=True)
    shutil.copy(next(kernel.glob("boot/vmlinuz-*")), tree / "casper/vmlinuz")
    shutil.copy(lab.initrd(folder, kernel, lab.CD_INIT), tree / "casper/initrd")
    (tree / "boot/grub/grub.cfg").write_text("menuentry 'Install by hand' { true }\n")
    subprocess.run(["grub-mkrescue", "-o", folder / "installer.iso", tree], check=True, capture_output=True)
    return folder / "installer.iso"


@pytest.mark.parametrize("firmware", ["bios", "uefi"])
def test_a_machine_boots_from_its_medium_and_phones_home(
    firmware: str, kernel: Path, bare_machine: Callable[..., BareMachine], pump: Pump, live_server: Any, settings: Any,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    settings.PUBLIC_URL, settings.ALLOWED_HOSTS = f"http://{lab.ADDRESS}:{lab.SERVICE_PORT}", ["*"]
    (tmp_path / "images").mkdir()
    (tmp_path / "networks.yml").write_text("[{network: 10.77.0.0/24}]")
    monkeypatch.setenv("RACKSIDE_BOOT_IMAGES", str(tmp_path / "images"))
    monkeypatch.setenv("RACKSIDE_BOOT_NETWORKS_FILE", str(tmp_path / "networks.yml"))
    monkeypatch.setenv("RACKSIDE_BOOT_MEDIA_ARGUMENTS", "console=ttyS0")
    images.prepare(installer_iso(tmp_path, kernel), "ubuntu-24.04", tmp_path / "images")
    machine = bare_machine()
    machine.bmc.media = {"CD": ""}
    Machine.objects.filter(pk=machine.row.pk).update(primary_ip="10.77.0.17")
    services.create_run([machine.row.pk], actor="a test", engine="virtual_media")
    pump.run()
    assert machine.run_machine.step == "install_data", machine.run_machine.failure_text
    address = machine.bmc.media["CD"]

    told = {"socket": str(tmp_path / "out"), "mac": machine.row.boot_mac, "serial": machine.row.device.serial,
            "uuid": str(machine.row.system_uuid), "firmware": firmware, "limit_s": 300, "medium": address}  # fmt: skip
    (tmp_path / "lab.json").write_text(json.dumps(told))
    relay = lab.out_of_the_lab(tmp_path / "out", live_server.thread.port)
    done = subprocess.run(["unshare", "--net", sys.executable, "-m", lab.__name__, str(tmp_path)], timeout=400)
    relay.shutdown()

    serial = (tmp_path / "serial.log").read_text(errors="replace")
    assert done.returncode == 0, serial[-3000:]
    lines = list(machine.run_machine.log_lines.values_list("text", flat=True))
    assert "Installer: installing from the medium" in lines, [*lines, serial[-3000:]]
    assert machine.run_machine.step == "eject_media", lines
    assert BootMedium.objects.get().read_at is not None
    assert bytes(BootMedium.objects.get().content) == b"", "nothing of it is left once the machine phoned home"
    media._served.clear()  # as after five seconds
    assert machine.get(address.removeprefix(settings.PUBLIC_URL)).status_code == 404
    pump.run()
    assert machine.bmc.media == {"CD": ""} and machine.run_machine.step == "ssh"
