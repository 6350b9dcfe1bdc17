"""A site's Ironic is set and tried, and what it has of a machine is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from core.models import Site
from core.outgoing.binding import Purpose
from drivers.ironic.shapes import Node
from provisioning.deployers.services import Login, Tried, set_deployer, try_deployer
from provisioning.ironic.models import IronicNode, IronicServer
from provisioning.ironic.queries import target_of


def set_server(site: Site, fields: dict[str, Any], *, username: str = "", password: str = "") -> IronicServer:
    """Change the Ironic of a site. The password is kept encrypted, and bound to the host of the address."""
    return set_deployer(IronicServer, site, fields, Login(Purpose.IRONIC, username, password) if password else None)


def try_server(server: IronicServer) -> Tried:
    """Ask for its version, and as who we are for its drivers; nothing is written there."""

    async def ask(half_way: Callable[[Tried], None]) -> Tried:
        target = target_of(server)
        async with target.client() as client:
            version = await client.version()
            half_way(Tried(False, "", version))
            return Tried(True, "", version, tuple(await client.drivers()), target.username)

    return try_deployer(server, ask)


def record(machine_id: int, server_id: int, seen: Node) -> None:
    """Keep what Ironic has of a machine. Another machine's claim on the same node ends."""
    IronicNode.objects.filter(server_id=server_id, uuid=seen.uuid).exclude(pk=machine_id).delete()
    told = {
        "server_id": server_id, "uuid": seen.uuid, "name": seen.name[:255], "state": seen.state[:40],
        "maintenance": seen.maintenance, "status_text": seen.said[:300], "seen_at": timezone.now(),
    }  # fmt: skip
    IronicNode.objects.update_or_create(machine_id=machine_id, defaults=told)
