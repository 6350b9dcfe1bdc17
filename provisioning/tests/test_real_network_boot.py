"""From a DHCP request to the phone-home with real parts: dnsmasq by our file, iPXE, a kernel, in QEMU.

The machine's BMC and its disk are not real: nothing is installed, the ramdisk fetches its data and reports.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inventory.models import Machine
from provisioning.boot.dhcp import Host, Wanted, dnsmasq
from provisioning.tests import netboot_lab as lab
from provisioning.tests.world import BareMachine, Pump, start_run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.services,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own needs root"),
]
Make = Callable[..., BareMachine]
NEEDS = ("/usr/bin/qemu-system-x86_64", "/usr/sbin/dnsmasq", "/usr/share/OVMF/OVMF_CODE.fd", "/usr/lib/ipxe/ipxe.efi")


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Debian's kernel for virtual machines, unpacked and not installed."""
    if missing := [path for path in NEEDS if not Path(path).exists()]:
        pytest.skip(f"needs {', '.join(missing)}: ./rackside test --all installs them")
    folder = tmp_path_factory.mktemp("kernel")
    told = subprocess.run(
        ["apt-cache", "depends", "linux-image-cloud-amd64"], capture_output=True, text=True, check=True
    )
    package = next(line.split()[-1] for line in told.stdout.splitlines() if "Depends: linux-image" in line)
    subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True, capture_output=True)
    archive = next(folder.glob("*.deb"))
    subprocess.run(["dpkg", "-x", archive, folder / "tree"], check=True)
    return folder / "tree"


@pytest.mark.parametrize("firmware", ["bios", "uefi"])
def test_a_machine_boots_from_the_network_and_phones_home(
    firmware: str, kernel: Path, bare_machine: Make, pump: Pump, live_server: Any, settings: Any, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    files = f"http://{lab.ADDRESS}:{lab.FILES_PORT}"
    settings.PUBLIC_URL, settings.ALLOWED_HOSTS = f"http://{lab.ADDRESS}:{lab.SERVICE_PORT}", ["*"]
    monkeypatch.setenv("RACKSIDE_BOOT_KERNEL_URL", f"{files}/vmlinuz")
    monkeypatch.setenv("RACKSIDE_BOOT_INITRD_URL", f"{files}/initrd")
    monkeypatch.setenv("RACKSIDE_BOOT_KERNEL_ARGUMENTS", "console=ttyS0")
    machine = bare_machine()
    Machine.objects.filter(pk=machine.row.pk).update(primary_ip="10.77.0.17")
    start_run(machine)
    pump.run()
    assert machine.run_machine.step == "boot_script", "its BMC switched it on"

    for folder in ("files", "tftp"):
        (tmp_path / folder).mkdir()
    shutil.copy(next(kernel.glob("boot/vmlinuz-*")), tmp_path / "files/vmlinuz")
    shutil.copy(lab.initrd(tmp_path, kernel), tmp_path / "files/initrd")
    for name in ("undionly.kpxe", "ipxe.efi"):
        shutil.copy(Path("/usr/lib/ipxe") / name, tmp_path / "tftp" / name)
    wanted = Wanted("10.77.0.0/24", settings.PUBLIC_URL, interface=lab.TAP, tftp_root=str(tmp_path / "tftp"))
    host = Host(machine.row.device.name, machine.row.boot_mac, "10.77.0.17")
    (tmp_path / "dnsmasq.conf").write_text(dnsmasq(wanted, [host]))
    told = {"socket": str(tmp_path / "out"), "mac": machine.row.boot_mac, "serial": machine.row.device.serial,
            "uuid": str(machine.row.system_uuid), "firmware": firmware, "limit_s": 300}  # fmt: skip
    (tmp_path / "lab.json").write_text(json.dumps(told))
    relay = lab.out_of_the_lab(tmp_path / "out", live_server.thread.port)
    done = subprocess.run(["unshare", "--net", sys.executable, "-m", lab.__name__, str(tmp_path)], timeout=400)
    relay.shutdown()

    row = machine.run_machine
    said = (tmp_path / "dnsmasq.log").read_text()
    assert done.returncode == 0, said[-3000:]
    assert row.step == "ssh", [*row.log_lines.values_list("text", flat=True), said[-3000:]]
    lines = list(row.log_lines.values_list("text", flat=True))
    assert "Installer: installing" in lines
    assert row.steps.get(name="phone_home").status == "done"
    by_tftp = re.search(r"sent .*/ipxe\.efi to 10\.77\.0\.17", said)
    assert bool(by_tftp) == (firmware == "uefi"), "the firmware of the one is given iPXE, the other's card has it"
