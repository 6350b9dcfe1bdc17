"""Checks of the network interfaces a model says must be up: storage, front, IPoIB, bonds and their slaves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from health.checks.context import Context
from health.checks.engine import lead
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, ok, unknown, warn
from health.parsers.interfaces import Interface

Interfaces = Mapping[str, Interface]
_SET_MTU = "Set the MTU in the network's configuration (netplan, nmcli), on both ends of the link."
_JOIN = "Read the kernel log for why it left; put it back into the bond in the network's configuration."


@check(
    "net.interfaces",
    family="InfiniBand",
    title="Network interfaces the model names are up",
    needs="interfaces",
    each=False,
    classes=("net.down", "net.slow"),
    source="device model: `expected.interfaces`; Linux kernel documentation, operational states and bonding",
)
def interfaces(found: Interfaces, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Each interface of `expected.interfaces` is up at its speed and MTU; each slave of a bond is up and in it."""
    named: Mapping[str, Any] = x.spec.expected.get("interfaces") or {}
    said: dict[str, list[Outcome]] = defaultdict(list)
    for name, wanted in named.items():
        said[_part(name, named)].extend(_one(name, found.get(name), wanted))
        for slave in wanted.get("slaves") or ():
            said[_part(slave, named, of=name)].extend(_slave(slave, name, found))
    for part in dict.fromkeys([MACHINE, *said]):
        yield part, lead([*said[part], ok(f"{len(named)} interfaces are up as the model says")])


def _part(name: str, named: Mapping[str, Any], of: str = "") -> str:
    """The slot that the model puts an interface on, its own or its bond's; the machine otherwise."""
    return str((named.get(name) or {}).get("slot") or (named.get(of) or {}).get("slot") or MACHINE)


def _one(name: str, own: Interface | None, wanted: Mapping[str, Any]) -> Iterator[Outcome]:
    if own is None:
        yield fail(f"{name} is not there", "net.down", excerpt=f"{name}: no such interface")
        return
    if own.state is None:
        yield unknown(f"{name}: its state is not told")
    elif own.state not in ("up", "unknown"):  # drivers that tell no state leave it unknown; the link then works
        yield fail(f"{name} is {own.state}", "net.down", excerpt=f"{name}: {own.state}")
        return
    speed = wanted.get("speed_gbps")
    if speed and own.speed_mbps is None:
        yield unknown(f"{name}: its speed is not told")
    elif speed and own.speed_mbps is not None and own.speed_mbps < float(speed) * 1000:
        gbps = own.speed_mbps / 1000
        yield fail(f"{name}: {gbps:g} Gb/s, the model has {speed}", "net.slow", value=gbps, excerpt=f"{name}: {gbps:g}")
    mtu = wanted.get("mtu")
    if mtu and own.mtu is not None and own.mtu != int(mtu):
        yield warn(f"{name} has MTU {own.mtu}, the model has {mtu}", value=own.mtu, action=_SET_MTU)


def _slave(name: str, bond: str, found: Interfaces) -> Iterator[Outcome]:
    own, master = found.get(name), found.get(bond)
    if own is None:
        yield fail(f"{name}, a slave of {bond}, is not there", "net.down", excerpt=f"{name}: no such interface")
    elif own.state not in ("up", "unknown", None) or own.in_bond not in ("up", None):
        words = f"{own.state}, in the bond {own.in_bond or 'not told'}"
        yield fail(f"{name}, a slave of {bond}, is {words}", "net.down", excerpt=f"{name}: {words}")
    if master is not None and master.slaves is None:
        yield unknown(f"{bond}: its slaves are not told")
    elif own is not None and master is not None and name not in (master.slaves or ()):
        shown = f"{bond}: {' '.join(master.slaves or ())}"
        yield fail(f"{name} is not in {bond}", "net.down", excerpt=shown, action=_JOIN)
