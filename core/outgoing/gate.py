"""A gate goes with a call into its driver, and is asked for the address itself, right before each connection."""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network

from core.outgoing.addresses import Address, parsed, reason_against

Networks = tuple[IPv4Network | IPv6Network, ...]


class ForbiddenAddress(OSError):
    """The address is one that this call does not go to."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EACCES, reason)  # aiohttp's errors show the text of an errno

    def __str__(self) -> str:
        return str(self.strerror)


@dataclass(frozen=True, slots=True)
class Gate:
    """What one call may connect to. `networks` None: any address that no rule forbids.

    `services` are host and port of this service's own PostgreSQL and Valkey; `refusal` closes the gate altogether.
    """

    networks: tuple[str, ...] | None = None
    local: bool = False
    services: tuple[tuple[str, int], ...] = ()
    refusal: str = ""

    def check(self, address: str, port: int) -> None:
        """Raises ForbiddenAddress for an address, as a resolver gave it, that this call must not connect to."""
        if self.refusal:
            raise ForbiddenAddress(self.refusal)
        try:
            reason = reason_against(address, local=self.local)
        except ValueError:
            reason = "not an address"
        if not reason and self.networks is not None and not inside(address, self.networks):
            reason = "outside the hosts of the credential"
        if not reason and self._is_own_service(address, port):
            reason = "a service of this server itself"
        if reason:
            raise ForbiddenAddress(f"{address} is refused: {reason}")

    def _is_own_service(self, address: str, port: int) -> bool:
        """An address has many spellings (IPv4 inside IPv6, zeros written out), so addresses are compared, not texts."""
        hosts = [host for host, known in self.services if known == port]
        own = parsed(address)
        return bool(hosts) and (is_here(str(own)) or any(own in addresses_of(host) for host in hosts))


@lru_cache(maxsize=256)
def compiled(networks: tuple[str, ...]) -> Networks:
    return tuple(ip_network(text, strict=False) for text in networks)


def inside(address: str, networks: tuple[str, ...]) -> bool:
    own = parsed(address)
    return any(own.version == network.version and own in network for network in compiled(networks))


def is_here(address: str) -> bool:
    """Whether this is an address of this machine: only those can be bound."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True


def addresses_of(host: str) -> set[Address]:
    try:
        return {parsed(str(found[4][0])) for found in socket.getaddrinfo(host, None)}
    except OSError:
        return set()
