"""The client of a registry that is a source of a site."""

from __future__ import annotations

from core.outgoing.binding import Refused
from core.outgoing.gate import Gate
from core.outgoing.permits import permit
from drivers.https import trust_of
from drivers.registry.client import RegistryClient
from provisioning.mirrors.models import Mirror


def gate_of(mirror: Mirror) -> Gate:
    """Decides about the address of every connection; closed, with the reason, where its address is refused."""
    try:
        return permit(None, None, mirror.url, site=mirror.site_id)
    except Refused as error:
        return Gate(refusal=str(error))


def client_of(mirror: Mirror) -> RegistryClient:
    trust = trust_of(mirror.authorities) if mirror.url.startswith("https://") else None
    return RegistryClient(mirror.url, trust=trust, gate=gate_of(mirror))
