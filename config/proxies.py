"""Who a request comes from: the peer of the connection, unless a proxy that the site trusts says otherwise.

Limits by address (sign-ins, `ACCOUNT_RATE_LIMITS`) and the logs go by the answer. `X-Forwarded-For` of anybody else is
removed: a neighbour that writes another address with each try would never be limited. Of a trusted proxy's header the
right-most hop counts that is no trusted proxy itself, because whatever stands further left was written by the client.
`X-Forwarded-Proto`, by which Django tells HTTPS, passes from a trusted proxy only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

Network = IPv4Network | IPv6Network
Scope = MutableMapping[str, Any]
FROM_PROXIES = (b"x-forwarded-for", b"forwarded", b"x-real-ip", b"x-client-ip", b"true-client-ip", b"cf-connecting-ip")
PROTOCOL = b"x-forwarded-proto"


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Raises ValueError for what is no address and no network."""
    return tuple(ip_network(text.strip(), strict=False) for text in texts if text.strip())


def plain(text: str) -> IPv4Address | IPv6Address | None:
    """The address of a hop, with or without a port; None for anything else."""
    host = text.strip().strip('"')
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_trusted(address: IPv4Address | IPv6Address | None, trusted: tuple[Network, ...]) -> bool:
    return address is not None and any(address.version == network.version and address in network for network in trusted)


def client_of(peer: str, forwarded: str, trusted: tuple[Network, ...]) -> str:
    """The address that a request comes from, by the peer and the header's hops. Pure."""

    found = peer
    if not is_trusted(plain(peer), trusted):
        return found
    for hop in reversed([hop for hop in forwarded.split(",") if hop.strip()]):
        address = plain(hop)
        if address is None:
            break
        found = str(address)
        if not is_trusted(address, trusted):
            break
    return found


class TrustedProxies:
    """ASGI around the application."""

    def __init__(self, app: Any, trusted: Iterable[str]) -> None:
        self.app, self.trusted = app, networks(trusted)

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        if scope["type"] in ("http", "websocket"):
            host, port = scope.get("client") or ("", 0)
            lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
            scope["client"] = (client_of(host, ",".join(lines), self.trusted), port)
            unheard = FROM_PROXIES if is_trusted(plain(host), self.trusted) else (*FROM_PROXIES, PROTOCOL)
            scope["headers"] = [(name, value) for name, value in scope["headers"] if name not in unheard]
        await self.app(scope, receive, send)
