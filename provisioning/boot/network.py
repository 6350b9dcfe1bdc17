"""The network of an installed system and of its installer, by the address that the inventory has. Pure.

A machine whose planned address lies in a network that the site has described gets it as it is; any other asks by DHCP.
Its card is named by its MAC address, never by a name such as eth0, which changes from kernel to kernel.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

IPv4Interface = ipaddress.IPv4Interface


class BadNetwork(ValueError):
    """A description of a network that is none; the text says where."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network of a site. `vlan`: its tag on the machines' ports; 0 where they carry it untagged."""

    network: ipaddress.IPv4Network
    router: str = ""
    resolvers: tuple[str, ...] = ()
    vlan: int = 0


@dataclass(frozen=True, slots=True)
class Static:
    """The fixed address of one machine."""

    mac: str
    address: IPv4Interface
    router: str
    resolvers: tuple[str, ...]
    vlan: int


def networks_of(rows: object) -> tuple[Network, ...]:
    """Networks as a site writes them: mappings with `network`, and maybe `router`, `resolvers`, `vlan`."""
    if not isinstance(rows, list):
        raise BadNetwork("want a list of networks")
    return tuple(_network(number, row) for number, row in enumerate(rows, 1))


def _network(number: int, row: object) -> Network:
    keys = {"network", "router", "resolvers", "vlan"}
    if not isinstance(row, dict) or set(row) - keys:
        raise BadNetwork(f"network {number}: want a mapping of {', '.join(sorted(keys))}")
    resolvers = row.get("resolvers") or []
    try:
        network = ipaddress.IPv4Network(str(row.get("network")))
        router = str(ipaddress.IPv4Address(str(row["router"]))) if row.get("router") else ""
        servers = tuple(str(ipaddress.ip_address(str(each))) for each in resolvers)
        vlan = int(row.get("vlan") or 0)
    except (TypeError, ValueError) as error:
        raise BadNetwork(f"network {number}: {error}") from error
    if router and ipaddress.IPv4Address(router) not in network:
        raise BadNetwork(f"network {number}: router {router} is not in {network}")
    if not 0 <= vlan <= 4094:
        raise BadNetwork(f"network {number}: vlan {vlan} is not in 1 to 4094")
    return Network(network, router, servers, vlan)


def static_of(address: str | None, mac: str, networks: Sequence[Network]) -> Static | None:
    """None where the address or the card is not known, or the network is not described: then DHCP."""
    if not address or not mac:
        return None
    known = ipaddress.ip_address(address)
    found = [each for each in networks if known in each.network]
    if not found:
        return None
    best = max(found, key=lambda each: each.network.prefixlen)
    return Static(mac, IPv4Interface(f"{known}/{best.network.prefixlen}"), best.router, best.resolvers, best.vlan)


def netplan(mac: str, static: Static | None) -> dict[str, Any]:
    """Netplan's version 2, which cloud-init and subiquity read as well."""
    match = {"macaddress": mac} if mac else {"name": "e*"}
    if static is None:
        return {"version": 2, "ethernets": {"boot": {"match": match, "dhcp4": True}}}
    own: dict[str, Any] = {"addresses": [str(static.address)]}
    if static.router:
        own["routes"] = [{"to": "default", "via": static.router}]
    if static.resolvers:
        own["nameservers"] = {"addresses": list(static.resolvers)}
    if not static.vlan:
        return {"version": 2, "ethernets": {"boot": {"match": match, **own}}}
    tagged = {f"boot.{static.vlan}": {"id": static.vlan, "link": "boot", **own}}
    return {"version": 2, "ethernets": {"boot": {"match": match}}, "vlans": tagged}
