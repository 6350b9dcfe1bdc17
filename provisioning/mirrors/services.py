"""A source of a site is kept; of another address nothing is known yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction

from core.models import Credential
from core.outgoing.binding import Purpose, hosts_from
from core.work.queue import after_commit
from provisioning.mirrors.models import Mirror
from provisioning.mirrors.watch import WORK


@transaction.atomic
def save_mirror(
    mirror: Mirror, fields: Mapping[str, Any], *, username: str | None = None, password: str = ""
) -> Mirror:
    """Write the given fields, and have it asked at once. A login is kept encrypted, and bound to the registry's hosts;
    one that is kept goes to no other host. An empty `username`: it is asked without one from now on, and nothing of the
    login is kept."""
    if mirror.pk is not None:
        mirror = Mirror.objects.select_for_update().get(pk=mirror.pk)
    moved = any(name in fields and fields[name] != getattr(mirror, name) for name in ("url", "kind"))
    for name, value in fields.items():
        setattr(mirror, name, value)
    if moved:
        mirror.state, mirror.message, mirror.version = Mirror.State.UNKNOWN, "", ""
        mirror.failures, mirror.latencies, mirror.certificate_until = 0, [], None
    mirror.asked_at = None  # at once
    forgotten = mirror.credential if username == "" else None
    if forgotten is not None:
        mirror.credential = None
    mirror.save()
    if forgotten is not None:
        forgotten.delete()
    if username:
        mirror.credential = _login(mirror, username, password)
        mirror.save(update_fields=["credential"])
    if mirror.enabled:
        after_commit(WORK.task, mirror.pk, robust=True)
    return mirror


def _login(mirror: Mirror, username: str, password: str) -> Credential:
    name = f"{Purpose.REGISTRY.value} {mirror.pk}"
    made = Credential.objects.select_for_update().filter(name=name).first() or Credential(name=name)
    made.kind, made.username, made.site = Credential.Kind.PASSWORD, username, mirror.site
    made.purpose = Purpose.REGISTRY.value
    made.hosts = hosts_from(host for host in (urlsplit(mirror.url).hostname or "", mirror.token_host) if host)
    made.set_secret(password)
    made.save()
    return made


@transaction.atomic
def remove_mirror(mirror: Mirror) -> None:
    """The source is gone, with its login."""
    login = mirror.credential
    mirror.delete()
    if login is not None:
        login.delete()
