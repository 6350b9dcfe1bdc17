"""Checks of how network cards are set up in the kernel: device nodes, partition keys, the MTU of their interfaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from health.checks.card_kinds import kind_of, said_of
from health.checks.context import Context
from health.checks.levels import Rung
from health.checks.model import CheckDeclaration, Outcome, check, fail, ok, unknown, warn
from health.checks.parsers.card_files import CardFiles
from inventory.specs.device_model import Slot

Cards = Mapping[str, CardFiles]


@check(
    "hca.nodes",
    family="InfiniBand",
    title="Programs can open each network card",
    part="hca",
    needs="card_files",
    classes=("hca.driver",),
    source="Linux kernel documentation, InfiniBand userspace verbs and MAD access",
)
def nodes(slot: Slot, cards: Cards, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Each card has a node for verbs (uverbs), without which no job can use it; those of InfiniBand have one to ask the
    fabric (umad) as well. A card that is not there at all is told by its own check."""
    card = cards.get(slot.device or "")
    if card is None or card.link_layer is None:
        yield unknown(f"{slot.device}: the kernel shows no port of this card")
        return
    needed = [("uverbs", card.verbs), *([("umad", card.mad)] if slot.link_layer == "InfiniBand" else [])]
    for kind, there in needed:
        if not there:
            said, action = f"{slot.device} has no {kind} node", f"Load the module ib_{kind}; read the kernel log."
            yield fail(said, "hca.driver", excerpt=said, action=action)
    yield ok(f"{slot.device}: {' and '.join(kind for kind, _ in needed)}")


@check(
    "hca.place",
    family="InfiniBand",
    title="Each network card has the name of its slot",
    part="hca",
    needs="card_files",
    classes=("hca.config",),
    source="device model: `device` and `pci` of the slot",
)
def place(slot: Slot, cards: Cards, x: Context, me: CheckDeclaration) -> Outcome:
    """Programs pick a card by its name (mlx5_3). When the kernel gave the names in another order a GPU talks through a
    card far away from it, and cables are looked for at the wrong port."""
    card = cards.get(slot.device or "")
    if card is None or card.pci is None:
        return unknown(f"{slot.device}: where it is in the machine is not reported")
    wanted = (slot.pci or "").lower()
    if wanted and card.pci != wanted:
        other = x.spec.slot_by_pci(card.pci)
        where = f"{card.pci} ({other.name})" if other else card.pci
        return fail(
            f"{slot.device} is at {where}, the model has it at {wanted}",
            "hca.config",
            action="Have the names of the cards given by address (udev or rdma rename rules), then reboot.",
            excerpt=f"{slot.device} {card.pci}",
            rung=Rung.TICKET,
        )
    return ok(f"{slot.device} is at {card.pci}")


@check(
    "ib.pkeys",
    family="InfiniBand",
    title="Network cards are in the same partitions",
    part="hca",
    needs="card_files",
    classes=("hca.config",),
    source="InfiniBand Architecture Specification, partitioning; device model",
)
def pkeys(slot: Slot, cards: Cards, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The partition keys of the model's `pkeys` (by link layer), or those that most cards of its kind have. Rails in
    different partitions cannot reach each other, and nothing but a job that hangs says so. Read are the first eight."""
    own = _keys(cards.get(slot.device or ""))
    if own is None:
        yield unknown(f"{slot.device}: its partition keys are not reported")
        return
    told = (x.spec.expected.get("pkeys") or {}).get(slot.link_layer)
    wanted = tuple(sorted(int(str(key), 0) for key in told)) if told else None
    if wanted is None:
        alike = _kind(slot, x)
        kin = x.once(
            (pkeys, *(other.name for other in alike)), lambda: [_keys(cards.get(other.device or "")) for other in alike]
        )
        if None in kin:
            yield unknown(f"{slot.device}: the keys of the other cards of its kind are not all reported")
        counts = Counter(keys for keys in kin if keys is not None)
        wanted = max(counts, key=lambda keys: (counts[keys], len(keys), keys))
    shown = _shown(own)
    if own != wanted:
        yield fail(
            f"{slot.device}: partition keys {shown}, not {_shown(wanted)}",
            "hca.config",
            action="Correct the subnet manager's partitions for this port's GUID; leave the card.",
            excerpt=f"{slot.device}: {shown}",
            rung=Rung.TICKET,
        )
    yield ok(f"partition keys {shown}")


def _keys(card: CardFiles | None) -> tuple[int, ...] | None:
    return tuple(sorted(card.pkeys)) if card and card.pkeys is not None else None


def _shown(keys: Sequence[int]) -> str:
    return ", ".join(f"0x{key:04x}" for key in keys) or "none"


@check(
    "hca.mtu",
    family="InfiniBand",
    title="Interfaces of the network cards have their MTU",
    part="hca",
    needs="card_files",
    source="device model; the cards of one kind beside each other",
)
def mtu(slot: Slot, cards: Cards, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """As the model's `mtu` (by slot, kind of card or link layer, in bytes) or as most interfaces of cards of its kind
    and purpose (rail or not); one that is down does not count. With one that is too small a transfer is slow, with one
    that is too large its packets vanish."""
    card = cards.get(slot.device or "")
    if card is None or card.link_layer is None or (not card.mtus and slot.link_layer != "InfiniBand"):
        yield unknown(f"{slot.device}: no network interface of this card is reported")
        return
    everywhere = x.once((mtu, _purpose(slot, x)), lambda: _mtus_of_kind(slot, cards, x))
    wanted = said_of(slot, "mtu", x)
    if everywhere and not card.mtus:
        yield unknown(f"{slot.device}: no network interface of this card is reported, others of its kind have one")
    counts = Counter(everywhere)
    usual = int(wanted) if wanted else max(counts, key=lambda each: (counts[each], each), default=None)
    for name, own in card.mtus_in_use.items():
        if own != usual:
            whose = "the model has" if wanted else "most of its kind have"
            yield warn(
                f"{slot.device}: {name} has MTU {own}, {whose} {usual}",
                action="Set the MTU in the network's configuration (netplan, nmcli), on both ends of the link.",
                excerpt=f"{name} {own}",
                value=own,
            )
    shown = ", ".join(f"{name} {found}" for name, found in card.mtus_in_use.items())
    yield ok(f"MTU: {shown}" if shown else "no interface of this card is up", value=usual)


def _mtus_of_kind(slot: Slot, cards: Cards, x: Context) -> list[int]:
    own = _purpose(slot, x)
    alike = [other for other in x.spec.slots_of("hca") if _purpose(other, x) == own]
    kin = [found for other in alike if (found := cards.get(other.device or ""))]
    return [each for found in kin for each in found.mtus_in_use.values()]


def _purpose(slot: Slot, x: Context) -> tuple[object, ...]:
    """Cards of one kind that carry rails have one network's MTU, those in front another's."""
    return (mtu, slot.link_layer, kind_of(slot, x), slot.rail is not None)


def _kind(slot: Slot, x: Context) -> list[Slot]:
    """The cards that are in one fabric with this one."""
    own = slot.link_layer, slot.rail is not None
    return [other for other in x.spec.slots_of("hca") if (other.link_layer, other.rail is not None) == own]
