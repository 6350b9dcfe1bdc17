"""A site's Ironic for tests: the stand-in over TLS, set as the Ironic of the site, and its machines' side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drivers.tests.certificates import self_signed
from drivers.tests.ironic_server import PASSWORD, USER, IronicServer, Record, serving
from provisioning.ironic import services
from provisioning.tests.deployer_site import DeployerSite
from provisioning.tests.world import BareMachine, Loop

IMAGE = "http://images.example/jammy.qcow2"


class IronicSite(DeployerSite):
    """The Ironic of the site of a machine."""

    def __init__(self, loop: Loop, folder: Path, machine: BareMachine) -> None:
        self.server = IronicServer()
        self.server.hardware = {
            "system_vendor": {"serial_number": machine.row.device.serial, "system_uuid": str(machine.row.system_uuid)},
            "cpu": {"count": 224}, "memory": {"physical_mb": 2048 * 1024},
            "interfaces": [{"mac_address": machine.row.boot_mac, "name": "eno1"}],
            "disks": [{"name": f"/dev/nvme{n}n1", "serial": f"D{n}", "size": 1} for n in (1, 2)],
        }  # fmt: skip
        super().__init__(loop, machine, serving(self.server, self_signed(folder / "ironic.pem")))
        self.set(enabled=True, enroll=True)

    def set(self, *, password: str = PASSWORD, **fields: Any) -> None:
        told = {"url": self.server.url, "authorities": self.server.certificate, "image": IMAGE, **fields}
        self.site.refresh_from_db()
        services.set_server(self.site, told, username=USER, password=password)

    @property
    def node(self) -> Record:
        return next(each for each in self.server.nodes.values() if self.machine.row.boot_mac in each.macs)

    @property
    def user_data(self) -> str:
        return self.node.user_data

    def known(self, state: str = "available", **fields: Any) -> Record:
        return self.server.add(self.machine.row.device.name, self.machine.row.boot_mac, state=state, **fields)
