"""A site's MAAS for tests: the stand-in region over TLS, set as the region of the site, and its machines' side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drivers.maas.states import Status
from drivers.tests.certificates import self_signed
from drivers.tests.maas_region import KEY, MaasRegion, Record, serving
from provisioning.maas import services
from provisioning.tests.deployer_site import DeployerSite
from provisioning.tests.world import BareMachine, Loop


class MaasSite(DeployerSite):
    """The region of the site of a machine."""

    def __init__(self, loop: Loop, folder: Path, machine: BareMachine) -> None:
        self.region = MaasRegion()
        self.region.hardware = {
            "uuid": str(machine.row.system_uuid), "serial": machine.row.device.serial, "cpus": 224,
            "memory_mib": 2048 * 1024, "disks": ["D1", "D2"],
        }  # fmt: skip
        super().__init__(loop, machine, serving(self.region, self_signed(folder / "maas.pem")))
        self.set(enabled=True, enlist=True)

    def set(self, *, api_key: str = KEY, **fields: Any) -> None:
        told = {"url": self.region.url, "authorities": self.region.certificate, **fields}
        self.site.refresh_from_db()
        services.set_region(self.site, told, api_key=api_key)

    @property
    def record(self) -> Record:
        return next(each for each in self.region.records.values() if self.machine.row.boot_mac in each.macs)

    @property
    def user_data(self) -> str:
        return self.record.user_data

    def known(self, status: Status = Status.NEW, **fields: Any) -> Record:
        return self.region.add(self.machine.row.device.name, self.machine.row.boot_mac, status=status, **fields)
