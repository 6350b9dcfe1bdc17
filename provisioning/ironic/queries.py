"""How a site's Ironic is reached: for many machines at once in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.outgoing.binding import Purpose
from core.outgoing.gate import Gate
from drivers.ironic.client import IronicClient
from provisioning.deployers.hardware import Expected
from provisioning.deployers.queries import expected_of, kept_trust_of, login_of, sites_of
from provisioning.ironic.models import IronicNode, IronicServer

AUTOMATED_CLEAN: dict[str, bool] = {IronicServer.Cleaning.ALWAYS: True, IronicServer.Cleaning.NEVER: False}


ERASES = {
    IronicServer.Cleaning.METADATA.value: ("erase_devices_metadata",),
    IronicServer.Cleaning.DISKS.value: ("erase_devices",),
}
"""What is ordered of Ironic in each run: clean steps of the agent's deploy interfaces."""


@dataclass(frozen=True, slots=True)
class IronicTarget:
    """What the client of a site's Ironic needs, and its node of one machine where it is known.

    `automated_clean` None: as Ironic and the node say. `erases`: the clean steps that each run orders.
    """

    server: int
    url: str
    username: str
    password: str = field(repr=False)
    authorities: str
    gate: Gate
    image: str = ""
    checksum: str = ""
    deploy_interface: str = ""
    inspects: bool = True
    automated_clean: bool | None = None
    enrolls: bool = False
    verifies_bmc: bool = True
    uuid: str = ""
    name: str = ""
    expected: Expected = field(default_factory=Expected)
    erases: tuple[str, ...] = ()

    def client(self, timeout_s: float = 8, total_s: float = 30) -> IronicClient:
        trust = kept_trust_of(self.authorities)
        return IronicClient(
            self.url, self.username, self.password, trust=trust, timeout_s=timeout_s, total_s=total_s, gate=self.gate
        )

    @property
    def instance_info(self) -> dict[str, Any]:
        """What is installed, in Ironic's words: the ramdisk interface boots an ISO, the others write an image."""
        if self.deploy_interface == IronicServer.DeployInterface.RAMDISK:
            return {"boot_iso": self.image}
        told = {"image_source": self.image}
        return told | ({"image_checksum": self.checksum} if self.checksum else {})


def enabled_servers() -> Sequence[int]:
    return list(IronicServer.objects.filter(enabled=True).order_by("pk").values_list("pk", flat=True))


def has_server(site_id: int) -> bool:
    return IronicServer.objects.filter(pk=site_id, enabled=True).exists()


def _interface(server: IronicServer) -> str:
    return "" if server.deploy_interface == IronicServer.DeployInterface.NODE else server.deploy_interface


def target_of(server: IronicServer) -> IronicTarget:
    """The server itself. One whose login may not be used has a closed gate, which says why."""
    login = login_of(server, Purpose.IRONIC)
    return IronicTarget(
        server.pk, server.url, login.username, login.secret, server.authorities, login.gate, server.image,
        server.checksum, _interface(server), server.inspect, AUTOMATED_CLEAN.get(server.cleaning), server.enroll,
        server.verify_bmc, erases=ERASES.get(server.cleaning, ()),
    )  # fmt: skip


def targets(machine_ids: Iterable[int], *, hardware: Iterable[int] = ()) -> dict[int, IronicTarget]:
    """By machine, of those whose site has one that is enabled; for `hardware` with what is expected of it."""
    machines = sites_of(machine_ids)
    rows = IronicServer.objects.filter(pk__in=set(machines.values()), enabled=True).select_related("credential")
    servers = {row.pk: target_of(row) for row in rows}
    known = {row.machine_id: row for row in IronicNode.objects.filter(machine_id__in=machines)}
    expected = expected_of(hardware)
    found = {}
    for pk, site_id in machines.items():
        if site_id in servers:
            node = known.get(pk)
            same = node is not None and node.server_id == site_id
            found[pk] = replace(
                servers[site_id],
                uuid=str(node.uuid) if node and same else "",
                name=node.name if node and same else "",
                expected=expected.get(pk, Expected()),
            )
    return found
