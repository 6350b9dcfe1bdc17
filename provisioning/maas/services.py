"""A site's region is set and tried, and what MAAS has of a machine is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from core.models import Credential, Site
from core.outgoing.binding import Purpose, hosts_from
from drivers.https import ApplianceError
from drivers.maas.shapes import Machine, Version
from provisioning.maas.models import MaasMachine, MaasRegion
from provisioning.maas.queries import target_of

TRY_S = 20.0
USER = "api key"


@transaction.atomic
def set_region(site: Site, fields: dict[str, Any], *, api_key: str = "") -> MaasRegion:
    """Change the region of a site. The key is kept encrypted, and bound to the host of the region's address."""
    region = MaasRegion.objects.select_for_update().filter(pk=site.pk).first() or MaasRegion(site=site)
    moved = "url" in fields and fields["url"] != region.url
    for name, value in fields.items():
        setattr(region, name, value)
    if api_key:
        region.credential = _credential(site, region.url, api_key)
    if moved:
        region.last_event_id, region.state, region.message = None, MaasRegion.State.NEVER, ""
    region.save()
    return region


def _credential(site: Site, url: str, api_key: str) -> Credential:
    name = f"maas of {site.slug}"
    made = Credential.objects.select_for_update().filter(name=name).first() or Credential(name=name)
    made.kind, made.username, made.purpose, made.site = Credential.Kind.PASSWORD, USER, Purpose.MAAS.value, site
    made.hosts = hosts_from([urlsplit(url).hostname or ""])
    made.set_secret(api_key.strip())
    made.save()
    return made


@dataclass(frozen=True, slots=True)
class Tried:
    """What a region answers, or why not."""

    good: bool
    message: str
    version: str = ""
    capabilities: tuple[str, ...] = ()
    user: str = ""


def try_region(region: MaasRegion) -> Tried:
    """Ask for its version, and whose key it is; nothing is written there."""
    tried = asyncio.run(_try(region))
    now = timezone.now()
    good = {"last_good_at": now} if tried.good else {}
    state = MaasRegion.State.GOOD if tried.good else MaasRegion.State.FAILED
    MaasRegion.objects.filter(pk=region.pk).update(state=state, message=tried.message[:500], tried_at=now, **good)
    return tried


async def _try(region: MaasRegion) -> Tried:
    version: Version | None = None
    try:
        async with asyncio.timeout(TRY_S), target_of(region).client() as client:
            version = await client.version()
            user = await client.who()
    except TimeoutError:
        return Tried(False, f"no answer within {TRY_S:g} s")
    except ApplianceError as error:
        return Tried(False, str(error), version.version if version else "")
    return Tried(True, "", version.version, version.capabilities, user)


def record(machine_id: int, region_id: int, seen: Machine) -> None:
    """Keep what MAAS has of a machine. Another machine's claim on the same record ends."""
    MaasMachine.objects.filter(region_id=region_id, system_id=seen.system_id).exclude(pk=machine_id).delete()
    told = {
        "region_id": region_id, "system_id": seen.system_id, "hostname": seen.hostname, "status": seen.status,
        "status_text": seen.said[:300], "seen_at": timezone.now(),
    }  # fmt: skip
    MaasMachine.objects.update_or_create(machine_id=machine_id, defaults=told)
