"""A site's MAAS or Ironic is set and tried."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from core.models import Credential, Site
from core.outgoing.binding import Purpose, hosts_from
from drivers.https import ApplianceError
from provisioning.deployers.models import Deployer

TRY_S = 20.0


@dataclass(frozen=True, slots=True)
class Login:
    """What opens it, to be kept encrypted and bound to the host of its address."""

    purpose: Purpose
    username: str
    secret: str


D = TypeVar("D", bound=Deployer)


@transaction.atomic
def set_deployer(kind: type[D], site: Site, fields: dict[str, Any], login: Login | None) -> D:
    """Change it for a site. Another address is another service: what was read of the one before is forgotten."""
    found = kind._default_manager.select_for_update().filter(pk=site.pk).first() or kind(site=site)
    moved = "url" in fields and fields["url"] != found.url
    for name, value in fields.items():
        setattr(found, name, value)
    if login is not None:
        found.credential = _credential(site, found.url, login)
    if moved:
        found.state, found.message = kind.State.NEVER, ""
        if hasattr(found, "last_event_id"):
            found.last_event_id = None
    found.save()
    return found


def _credential(site: Site, url: str, login: Login) -> Credential:
    name = f"{login.purpose.value} of {site.slug}"
    made = Credential.objects.select_for_update().filter(name=name).first() or Credential(name=name)
    made.kind, made.username, made.site = Credential.Kind.PASSWORD, login.username, site
    made.purpose = login.purpose.value
    made.hosts = hosts_from([urlsplit(url).hostname or ""])
    made.set_secret(login.secret.strip())
    made.save()
    return made


@dataclass(frozen=True, slots=True)
class Tried:
    """What it answers, or why not."""

    good: bool
    message: str
    version: str = ""
    capabilities: tuple[str, ...] = ()
    user: str = ""


Ask = Callable[[Callable[[Tried], None]], Awaitable[Tried]]
"""Asks it; whatever is known half-way is told to the callback."""


def try_deployer(row: Deployer, ask: Ask) -> Tried:
    """Ask for its version, and who we are to it; nothing is written there."""
    tried = asyncio.run(_try(ask))
    now = timezone.now()
    good = {"last_good_at": now} if tried.good else {}
    state = row.State.GOOD if tried.good else row.State.FAILED
    told = type(row)._default_manager.filter(pk=row.pk)
    told.update(state=state, message=tried.message[:500], tried_at=now, **good)
    return tried


async def _try(ask: Ask) -> Tried:
    known = Tried(False, "")

    def half_way(tried: Tried) -> None:
        nonlocal known
        known = tried

    try:
        async with asyncio.timeout(TRY_S):
            return await ask(half_way)
    except TimeoutError:
        return replace(known, message=f"no answer within {TRY_S:g} s")
    except ApplianceError as error:
        return replace(known, message=str(error))
