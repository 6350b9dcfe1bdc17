"""Where a client may connect: what decides is given to it, and asked with the address of each connection.

Names are resolved once, and the connection goes to the address that was asked about.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from typing import Any, Protocol


class Gate(Protocol):
    """Decides about one address. A client that is given none goes where its caller says."""

    def check(self, address: str, port: int) -> None:
        """Raises OSError with the reason against this address."""


def socket_factory(gate: Gate | None) -> Callable[[Any], socket.socket] | None:
    """For aiohttp's connector: the socket of an address is made only when the gate lets it through."""
    if gate is None:
        return None

    def checked(found: Any) -> socket.socket:
        family, kind, protocol, _, where = found
        gate.check(where[0], where[1])
        return socket.socket(family, kind, protocol)

    return checked


async def resolved(host: str, port: int, gate: Gate | None) -> tuple[int, tuple[Any, ...]]:
    """Family and socket address of the first address of the host that may be reached. Raises OSError."""
    if not host:
        raise OSError("no host is named")
    found = _literal(host, port) or await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    refusal: OSError | None = None
    for family, _, _, _, where in found:
        try:
            if gate is not None:
                gate.check(str(where[0]), port)
        except OSError as error:
            refusal = error
        else:
            return family, where
    raise refusal or OSError(f"{host} has no address")


def is_address(host: str) -> bool:
    """Whether this is an address and no name: what it leads to stays the same."""
    return bool(_literal(host, 0))


def _literal(host: str, port: int) -> list[tuple[Any, ...]]:
    """What a resolver would say of an address, without the thread that one takes; empty for a name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return []
    if address.version == 4:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port))]
    return [] if "%" in host else [(socket.AF_INET6, socket.SOCK_STREAM, 0, "", (host, port, 0, 0))]


def path_of(path: str) -> str:
    """A path to append to a base address. One that does not begin with a slash would change the host: ValueError."""
    if not path.startswith("/"):
        raise ValueError(f"{path[:100]!r} is not a path at this address")
    return path
