"""Checks of network interfaces that must be up: those the model names, and those of rail cards on Ethernet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.counts import counted
from health.checks.context import Context
from health.checks.engine import lead
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.one_link import data_of
from health.checks.parsers.card_files import CardFiles
from health.checks.parsers.state_files import Interface, StateFiles
from health.checks.probes.state import required_interfaces, roce_rails

_HALF = "half"
_SET_MTU = "Set the MTU in the network's configuration (netplan, nmcli), on both ends of the link."
_JOIN = "Read the kernel log for why it left; put it back into the bond in the network's configuration."


def carrier_changes(found: StateFiles) -> dict[str, int]:
    """What `Earlier` keeps of a look: how often each interface lost or found its carrier since the kernel has it."""
    told = (found.interfaces or {}).values()
    return {_counter(each.name): each.carrier_changes for each in told if each.carrier_changes is not None}


def _counter(name: str) -> str:
    return f"carrier changes of {name}"


@check(
    "net.interface",
    family="network",
    title="Interfaces that must be up are up, at their speed, and stay up",
    needs="state_files",
    each=False,
    classes=("net.down", "net.slow"),
    source="Linux kernel documentation, sysfs class net; device model `interfaces`",
    fields=("interfaces",),
    limits={"carrier_changes_warn": 2, "carrier_changes_fail": 6},
)
def interface(found: StateFiles, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """The interfaces the model names (`expected.interfaces`), the members of bonds among them, and those of rail cards
    on Ethernet: up with carrier, full duplex, as fast and with the MTU that the model says; a bond has the slaves that
    the model gives it. A carrier that was lost and came back is two changes; limits are for the changes since the look
    before."""
    told = found.interfaces or {}
    wanted = [name for name in required_interfaces(x.spec) if name in told or not found.of_one_part]
    names = [*wanted, *(n for n, each in told.items() if each.master or _on_rail(each, x))]
    said: dict[str, list[Outcome]] = {}
    for name in dict.fromkeys(names):
        one = told.get(name)
        part = _part_of(one, x)
        if one is not None and _members_tell(one, told):
            said.setdefault(part, []).append(info(f"{name} is {one.state}, as its members explain"))
            continue
        said.setdefault(part, []).extend(_missing(name) if one is None else _judged(one, found, x, me))
    for card in roce_rails(x.spec):
        if not found.of_one_part and not any(each.card == card for each in told.values()):
            slot = x.spec.slot_by_device(card)
            said.setdefault(slot.name if slot else MACHINE, []).append(
                unknown(f"{card}: its interface is not reported")
            )
    for bond, slave in _slaves(x) if "members" not in found.untold else ():
        if (bond in told or not found.of_one_part) and (told.get(slave) or Interface(slave)).master != bond:
            said.setdefault(MACHINE, []).append(fail(f"{slave} is not in {bond}", "net.down", action=_JOIN))
    for part, outcomes in said.items():
        # A bond that lost a member is slower as well: the member that is down is what somebody has to see to.
        yield part, lead(sorted(outcomes, key=lambda outcome: outcome.fault_class != "net.down"))
    if MACHINE not in said:
        yield MACHINE, _all_well(names, found)


def _all_well(names: list[str], found: StateFiles) -> Outcome:
    idle = [each.name for each in (found.interfaces or {}).values() if found.of_one_part and _is_down(each)]
    if idle and not names:
        return info(f"{', '.join(idle)} has no link; the model does not say that it must have one")
    return ok(
        f"{counted(len(names), 'interface is', 'interfaces are')} up" if names else "the model names no interface"
    )


def _slaves(x: Context) -> Iterator[tuple[str, str]]:
    """(bond, slave) as the model has them."""
    for bond, wanted in (x.spec.expected.get("interfaces") or {}).items():
        yield from ((bond, slave) for slave in (wanted or {}).get("slaves") or ())


def _on_rail(one: Interface, x: Context) -> bool:
    return one.card in roce_rails(x.spec)


def _members_tell(one: Interface, told: Mapping[str, Interface]) -> bool:
    """Whether a bond is down because all of its members are, which are told by themselves."""
    members = [each for each in told.values() if each.master == one.name]
    return bool(members) and _is_down(one) and all(_is_down(each) for each in members)


def _is_down(one: Interface) -> bool:
    return one.carrier is False or one.state in ("down", "lowerlayerdown", "notpresent", "dormant")


def _part_of(one: Interface | None, x: Context) -> str:
    """The slot of the card that an interface is of, by itself or by the list of the cards' interfaces."""
    if one is not None and not one.card:
        cards: Mapping[str, CardFiles] = data_of("card_files", x) or {}
        owner = next((name for name, card in cards.items() if one.name in card.mtus), "")
        slot = x.spec.slot_by_device(owner) if owner else None
        return slot.name if slot else MACHINE
    slot = x.spec.slot_by_device(one.card) if one and one.card else None
    return slot.name if slot else MACHINE


def _missing(name: str) -> Iterator[Outcome]:
    yield fail(f"{name} is not there", "net.down", action="Find the card it belongs to; compare the interface's name.")


def _judged(one: Interface, found: StateFiles, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    who = f"{one.name} of {one.master}" if one.master else one.name
    wanted = (x.spec.expected.get("interfaces") or {}).get(one.name) or {}
    shown = f"{who}: {one.state}, carrier {one.carrier}, {one.speed_mbps} Mb/s, {one.duplex}"
    if one.state is None:
        yield unknown(f"{who}: its state is not reported")
        return
    if _is_down(one):
        yield fail(f"{who} is {one.state}{', no carrier' if one.carrier is False else ''}", "net.down", excerpt=shown)
        return
    if one.state not in ("up", "unknown") or (one.state == "unknown" and one.carrier is None):
        yield unknown(f"{who} is {one.state}")
    if one.duplex == _HALF:
        yield fail(f"{who}: half duplex", "net.slow", excerpt=shown)
    if "speed" not in found.untold:
        yield from _speed(one, who, wanted.get("speed_gbps"), found.interfaces or {}, shown, x)
    if "mtu" not in found.untold:
        yield from _mtu(one, who, wanted.get("mtu"))
    yield from _flaps(one, who, x, me)
    yield ok(f"{who} is up")


def _speed(
    one: Interface, who: str, wanted: float | None, told: Mapping[str, Interface], shown: str, x: Context
) -> Iterator[Outcome]:
    slot = x.spec.slot_by_device(one.card) if one.card else None
    wanted = wanted or (slot.speed_gbps if slot else None)
    if wanted and one.speed_mbps is None:
        yield unknown(f"{who}: its speed is not reported")
    elif wanted and one.speed_mbps is not None and one.speed_mbps < wanted * 1000:
        said = f"{who}: {one.speed_mbps / 1000:g} Gb/s, the model has {wanted}"
        yield fail(said, "net.slow", excerpt=shown, value=one.speed_mbps)
    others = [each.speed_mbps or 0 for each in told.values() if one.master and each.master == one.master]
    if not wanted and one.speed_mbps and one.speed_mbps < max(others, default=0):
        said = f"{who}: {one.speed_mbps / 1000:g} Gb/s, another member of the bond has {max(others) / 1000:g}"
        yield warn(said, "net.slow", excerpt=shown, value=one.speed_mbps)


def _mtu(one: Interface, who: str, wanted: int | None) -> Iterator[Outcome]:
    if wanted and one.mtu is None:
        yield unknown(f"{who}: its MTU is not reported")
    elif wanted and one.mtu != wanted:
        yield warn(f"{who}: MTU {one.mtu}, the model has {wanted}", value=one.mtu, action=_SET_MTU)


def _flaps(one: Interface, who: str, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    if one.carrier_changes is None:
        return
    grown = x.grown(MACHINE, {_counter(one.name): one.carrier_changes})
    changes = grown[0].get(_counter(one.name), 0) if grown and not x.restarted else 0
    if changes < x.limit(me, "carrier_changes_warn"):
        return
    said = f"{who}: its carrier came or went {changes} times since the last check"
    if changes >= x.limit(me, "carrier_changes_fail"):
        yield fail(said, "net.down", value=changes, action="Reseat and clean both ends of the cable; then swap it.")
    else:
        yield warn(said, value=changes, action="Watch it; when it goes on reseat and clean both ends of the cable.")
