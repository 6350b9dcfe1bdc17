"""The network of an installed system and of its installer, by the address that the inventory has. Pure.

A machine whose planned address lies in a network that the site has described gets it as it is; any other asks by DHCP.
Its card is named by its MAC address, never by a name such as eth0, which changes from kernel to kernel. Where a machine
has a second card in the network, both are one bond: active-backup takes the second when the first has no link.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

IPv4Interface = ipaddress.IPv4Interface


BONDS: dict[str, dict[str, Any]] = {
    "active-backup": {"mode": "active-backup", "mii-monitor-interval": 100, "primary": "boot"},
    "802.3ad": {
        "mode": "802.3ad", "mii-monitor-interval": 100, "lacp-rate": "fast", "transmit-hash-policy": "layer3+4",
    },
}  # fmt: skip
"""By the kernel's names of their modes, with netplan's parameters. 802.3ad is LACP: the switch speaks it too."""


class BadNetwork(ValueError):
    """A description of a network that is none; the text says where."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network of a site. `vlan`: its tag on the machines' ports; 0 where they carry it untagged. `bond`: how two
    cards of a machine work together in it; empty: it has one."""

    network: ipaddress.IPv4Network
    router: str = ""
    resolvers: tuple[str, ...] = ()
    vlan: int = 0
    bond: str = ""


@dataclass(frozen=True, slots=True)
class Static:
    """The fixed address of one machine. `second`: the MAC of the other card of its bond; empty without a bond."""

    mac: str
    address: IPv4Interface
    router: str
    resolvers: tuple[str, ...]
    vlan: int
    second: str = ""
    bond: str = ""


def networks_of(rows: object) -> tuple[Network, ...]:
    """Networks as a site writes them: mappings with `network`, and maybe `router`, `resolvers`, `vlan`, `bond`."""
    if not isinstance(rows, list):
        raise BadNetwork("want a list of networks")
    return tuple(_network(number, row) for number, row in enumerate(rows, 1))


def _network(number: int, row: object) -> Network:
    keys = {"network", "router", "resolvers", "vlan", "bond"}
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
    bond = str(row.get("bond") or "")
    if bond and bond not in BONDS:
        raise BadNetwork(f"network {number}: bond {bond} is none of {', '.join(BONDS)}")
    return Network(network, router, servers, vlan, bond)


def static_of(address: str | None, mac: str, networks: Sequence[Network], second: str = "") -> Static | None:
    """None where the address or the card is not known, or the network is not described: then DHCP."""
    if not address or not mac:
        return None
    known = ipaddress.ip_address(address)
    found = [each for each in networks if known in each.network]
    if not found:
        return None
    best = max(found, key=lambda each: each.network.prefixlen)
    own = IPv4Interface(f"{known}/{best.network.prefixlen}")
    pair = (second, best.bond) if second and best.bond else ("", "")
    return Static(mac, own, best.router, best.resolvers, best.vlan, *pair)


def netplan(mac: str, static: Static | None, second: str = "") -> dict[str, Any]:
    """Netplan's version 2, which cloud-init and subiquity read as well. `second`: another card that may ask by DHCP."""
    cards: dict[str, dict[str, Any]] = {"boot": {"match": {"macaddress": mac} if mac else {"name": "e*"}}}
    if static is None:
        cards["boot"]["dhcp4"] = True
        if mac and second:  # whichever has a link; a start waits for neither alone
            cards["boot"]["optional"] = True
            later = {"dhcp4": True, "dhcp4-overrides": {"route-metric": 200}, "optional": True}
            cards["second"] = {"match": {"macaddress": second}, **later}
        return {"version": 2, "ethernets": cards}
    plan: dict[str, Any] = {"version": 2, "ethernets": cards}
    holder, link = cards["boot"], "boot"
    if static.bond:
        cards["second"] = {"match": {"macaddress": static.second}, "optional": True}
        cards["boot"]["optional"] = True
        holder, link = {"interfaces": ["boot", "second"], "macaddress": mac, "parameters": BONDS[static.bond]}, "bond0"
        plan["bonds"] = {link: holder}
    own: dict[str, Any] = {"addresses": [str(static.address)]}
    if static.router:
        own["routes"] = [{"to": "default", "via": static.router}]
    if static.resolvers:
        own["nameservers"] = {"addresses": list(static.resolvers)}
    if static.vlan:
        plan["vlans"] = {f"{link}.{static.vlan}": {"id": static.vlan, "link": link, **own}}
    else:
        holder.update(own)
    return plan
