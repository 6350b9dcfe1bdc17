"""A site's region is set and tried, and what MAAS has of a machine is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from core.models import Site
from core.outgoing.binding import Purpose
from drivers.maas.shapes import Machine
from provisioning.deployers.services import Login, Tried, set_deployer, try_deployer
from provisioning.maas.models import MaasMachine, MaasRegion
from provisioning.maas.queries import target_of

USER = "api key"


def set_region(site: Site, fields: dict[str, Any], *, api_key: str = "") -> MaasRegion:
    """Change the region of a site. The key is kept encrypted, and bound to the host of the region's address."""
    return set_deployer(MaasRegion, site, fields, Login(Purpose.MAAS, USER, api_key) if api_key else None)


def try_region(region: MaasRegion) -> Tried:
    """Ask for its version, and whose key it is; nothing is written there."""

    async def ask(half_way: Callable[[Tried], None]) -> Tried:
        async with target_of(region).client() as client:
            version = await client.version()
            half_way(Tried(False, "", version.version))
            return Tried(True, "", version.version, version.capabilities, await client.who())

    return try_deployer(region, ask)


def record(machine_id: int, region_id: int, seen: Machine) -> None:
    """Keep what MAAS has of a machine. Another machine's claim on the same record ends."""
    MaasMachine.objects.filter(region_id=region_id, system_id=seen.system_id).exclude(pk=machine_id).delete()
    told = {
        "region_id": region_id, "system_id": seen.system_id, "hostname": seen.hostname, "status": seen.status,
        "status_text": seen.said[:300], "seen_at": timezone.now(),
    }  # fmt: skip
    MaasMachine.objects.update_or_create(machine_id=machine_id, defaults=told)
