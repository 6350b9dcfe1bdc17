"""The client of a registry that is a source of a site, and the login that it asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from access.logins import opened
from core.outgoing.binding import Purpose, Refused
from core.outgoing.gate import Gate
from core.outgoing.permits import permit
from drivers.https import trust_of
from drivers.registry.client import RegistryClient
from provisioning.mirrors.models import Mirror


@dataclass(frozen=True, slots=True)
class RegistryLogin:
    """Who signs in at a registry. `hosts`: its own, and that of its token server where that is another."""

    username: str
    password: str = field(repr=False)
    hosts: tuple[str, ...]


def gate_of(mirror: Mirror) -> Gate:
    """Decides about the address of every connection; closed, with the reason, where its address is refused."""
    try:
        return permit(None, None, mirror.url, site=mirror.site_id)
    except Refused as error:
        return Gate(refusal=str(error))


def login_of(mirror: Mirror) -> RegistryLogin | None:
    """None: it asks nobody who they are. Raises Refused for a login that may not go to the hosts of the registry."""
    if mirror.credential is None:
        return None
    login = opened(mirror.credential, Purpose.REGISTRY, site=mirror.site_id)
    hosts = tuple(host for host in (urlsplit(mirror.url).hostname or "", mirror.token_host) if host)
    found = [login.at(host) for host in hosts]
    return RegistryLogin(found[0].username, found[0].secret, hosts)


def client_of(mirror: Mirror) -> RegistryClient:
    trust = trust_of(mirror.authorities) if mirror.url.startswith("https://") else None
    gate = gate_of(mirror)
    try:
        login = login_of(mirror)
    except Refused as error:
        return RegistryClient(mirror.url, trust=trust, gate=Gate(refusal=str(error)))
    if login is None:
        return RegistryClient(mirror.url, trust=trust, gate=gate)
    return RegistryClient(
        mirror.url, username=login.username, password=login.password, token_hosts=login.hosts, trust=trust, gate=gate
    )
