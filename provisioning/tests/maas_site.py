"""A site's MAAS for tests: the stand-in region over TLS, set as the region of the site, and its machines' side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from core.models import Site
from drivers.maas.states import Status
from drivers.tests.certificates import self_signed
from drivers.tests.maas_region import KEY, MaasRegion, Record, serving
from provisioning.maas import services
from provisioning.tests.world import BareMachine, Loop


class MaasSite:
    """The region of the site of a machine. `deploys` plays what a deployed machine does by itself."""

    def __init__(self, loop: Loop, folder: Path, machine: BareMachine) -> None:
        self.loop, self.machine = loop, machine
        self.region = MaasRegion()
        self.region.hardware = {
            "uuid": str(machine.row.system_uuid), "serial": machine.row.device.serial, "cpus": 224,
            "memory_mib": 2048 * 1024, "disks": ["D1", "D2"],
        }  # fmt: skip
        self._serving = serving(self.region, self_signed(folder / "maas.pem"))
        loop.run(self._serving.__aenter__())
        self.site = Site.objects.get(pk=machine.row.device.site_id)
        self.set(enabled=True, enlist=True)

    def set(self, *, api_key: str = KEY, **fields: Any) -> None:
        told = {"url": self.region.url, "authorities": self.region.certificate, **fields}
        self.site.refresh_from_db()
        services.set_region(self.site, told, api_key=api_key)

    @property
    def record(self) -> Record:
        return next(each for each in self.region.records.values() if self.machine.row.boot_mac in each.macs)

    def known(self, status: Status = Status.NEW, **fields: Any) -> Record:
        return self.region.add(self.machine.row.device.name, self.machine.row.boot_mac, status=status, **fields)

    def given(self) -> dict[str, Any]:
        """The cloud-init data that the machine was deployed with."""
        assert self.record.user_data.startswith("#cloud-config\n")
        told: dict[str, Any] = yaml.safe_load(self.record.user_data)
        return told

    def phones_home(self) -> int:
        """The installed system starts: it answers SSH with the key it was given, and reports."""
        given = self.given()
        self.machine.answer_ssh(given["ssh_keys"]["ed25519_private"])
        path = "/boot/" + given["phone_home"]["url"].partition("/boot/")[2]
        posted = {"pub_key_ed25519": given["ssh_keys"]["ed25519_public"], "hostname": given["hostname"]}
        return int(self.machine.client.post(path, posted).status_code)

    def close(self) -> None:
        self.loop.run(self._serving.__aexit__(None, None, None))
