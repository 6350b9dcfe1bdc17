"""Power inside one machine: connectors, leads from the supply, head-room. Pure.

The limits are those of the PCI Express card specifications and of ATX supplies: what the slot gives, and what one
connector of a kind may carry. A lead is one cable from one socket of the supply to one connector of one part: two
connectors on one lead (a daisy chain) carry twice what the lead is made for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from inventory.specs.device_model import DeviceModelSpec, Lead, Slot

Connector = Literal["6-pin", "8-pin", "12-pin", "12vhpwr", "12v-2x6", "eps-4", "eps-8"]
CONNECTOR_W: dict[str, int] = {
    "6-pin": 75,
    "8-pin": 150,
    "12-pin": 500,
    "12vhpwr": 600,
    "12v-2x6": 600,
    "eps-4": 150,
    "eps-8": 300,
}
SLOT_W = 75  # what a PCIe x16 slot gives a card beside its connectors
SAME_PLUG = ({"12vhpwr", "12v-2x6"},)  # the newer one takes the older one's plug
CARDS = ("gpu", "hca", "other")  # sit in PCIe slots; a CPU gets everything over its connectors

Severity = Literal["error", "warning", "unknown"]


class PowerFinding(NamedTuple):
    """`slot` is a slot or a socket of the supply, or empty for the machine as a whole."""

    severity: Severity
    code: str
    slot: str
    reason: str


class Budget(NamedTuple):
    """What the supplies must give at most, and may; `usable_w` keeps the head-room."""

    draw_w: float | None
    rated_w: int | None
    usable_w: float | None
    headroom_percent: int


def connector_w(connector: str, told_w: int | None = None) -> int:
    """What one connector may carry; a model may tell less (a 12-pin one whose sense pins say 300 W) or more."""
    return CONNECTOR_W[connector] if told_w is None else told_w


def is_planned(spec: DeviceModelSpec) -> bool:
    """Whether the model tells anything about power inside it."""
    return bool(spec.leads) or any(slot.power for slot in spec.slots)


def check(spec: DeviceModelSpec, installed_w: Mapping[str, float | None] | None = None) -> list[PowerFinding]:
    """What is wrong with the plan, worst first.

    `installed_w` tells for each slot with a part what that part draws at most (None: nobody knows); without it the
    model's own numbers count.
    """
    if not is_planned(spec):
        return []
    draws = slot_draws(spec, installed_w)
    found = [*_leads(spec), *_parts(spec, draws), *_budget(spec, draws)]
    order = ("error", "unknown", "warning")
    return sorted(found, key=lambda finding: order.index(finding.severity))


def slot_draws(spec: DeviceModelSpec, installed_w: Mapping[str, float | None] | None) -> dict[str, float | None]:
    """Watts at most by slot, of slots that have power connectors or a known draw."""
    if installed_w is None:
        return {slot.name: slot.max_w for slot in spec.slots if slot.power or slot.max_w is not None}
    return {slot.name: installed_w[slot.name] for slot in spec.slots if slot.name in installed_w}


# ---- leads ----


def _leads(spec: DeviceModelSpec) -> Iterator[PowerFinding]:
    """Each lead goes from a free socket to a free connector of its own kind."""
    sockets = {socket.name: socket for socket in spec.psus.sockets} if spec.psus else {}
    from_socket: dict[str, list[Lead]] = defaultdict(list)
    to_connector: dict[tuple[str, int], list[Lead]] = defaultdict(list)
    for lead in spec.leads:
        from_socket[lead.socket].append(lead)
        to_connector[lead.slot, lead.number].append(lead)
        socket, slot = sockets.get(lead.socket), spec.slot(lead.slot)
        if socket is None:
            yield PowerFinding("error", "no_socket", lead.slot, f"the supply has no socket {lead.socket}")
        elif not _fits(lead.connector, socket.connector):
            reason = f"a {lead.connector} lead does not come out of {lead.socket}, which is {socket.connector}"
            yield PowerFinding("error", "wrong_socket", lead.slot, reason)
        if slot is None or lead.number > len(slot.power):
            what = "no such slot" if slot is None else f"it has {len(slot.power)} power connectors"
            yield PowerFinding("error", "no_connector", lead.slot, f"connector {lead.number} of {lead.slot}: {what}")
        elif not _fits(lead.connector, slot.power[lead.number - 1].connector):
            wanted = slot.power[lead.number - 1].connector
            reason = f"a {lead.connector} lead does not fit connector {lead.number}, which is {wanted}"
            yield PowerFinding("error", "wrong_connector", lead.slot, reason)
    for name, leads in from_socket.items():
        if len(leads) > 1:
            ends = " and ".join(f"{lead.slot} connector {lead.number}" for lead in leads)
            reason = f"socket {name} feeds {ends}: one independent cable per connector, no daisy chain"
            yield PowerFinding("error", "daisy_chain", name, reason)
    for (slot_name, number), leads in to_connector.items():
        if len(leads) > 1:
            reason = f"connector {number} has leads from {' and '.join(lead.socket for lead in leads)}"
            yield PowerFinding("error", "connector_twice", slot_name, reason)


def _fits(one: str, other: str) -> bool:
    return one == other or any({one, other} <= group for group in SAME_PLUG)


# ---- parts ----


def _parts(spec: DeviceModelSpec, draws: Mapping[str, float | None]) -> Iterator[PowerFinding]:
    for slot in spec.slots:
        if not slot.power or slot.name not in draws:
            continue
        draw = draws[slot.name]
        if draw is None:
            yield PowerFinding("unknown", "draw_unknown", slot.name, "what the part draws is not known: give max_w")
        else:
            yield from _part(spec, slot, draw)
        leads = {lead.number for lead in spec.leads if lead.slot == slot.name}
        for number, inlet in enumerate(slot.power, start=1):
            if number not in leads:
                reason = f"{inlet.connector} connector {number} has no lead: one independent cable per connector"
                yield PowerFinding("error", "no_lead", slot.name, reason)


def _part(spec: DeviceModelSpec, slot: Slot, draw: float) -> Iterator[PowerFinding]:
    """The part against its connectors and slot, and its share of each lead against the lead's socket."""
    limits = [connector_w(inlet.connector, inlet.max_w) for inlet in slot.power]
    from_slot = slot_w(slot)
    total = sum(limits) + from_slot
    if draw > total:
        parts = " + ".join([*(f"{limit}" for limit in limits), *([f"{from_slot} of the slot"] if from_slot else [])])
        reason = f"draws {draw:g} W, but its connectors give {total} W ({parts})"
        yield PowerFinding("error", "over_connectors", slot.name, reason)
    sockets = {socket.name: socket for socket in spec.psus.sockets} if spec.psus else {}
    for lead in spec.leads:
        if lead.slot != slot.name or lead.number > len(limits) or lead.socket not in sockets:
            continue
        # At worst the slot gives nothing: cards differ in how they share their draw.
        carries = draw * limits[lead.number - 1] / sum(limits)
        socket = sockets[lead.socket]
        may = connector_w(socket.connector, socket.max_w)
        if carries - from_slot > may:
            reason = f"its lead from {lead.socket} carries up to {carries:.0f} W, the socket gives {may} W"
            yield PowerFinding("error", "over_socket", slot.name, reason)


def slot_w(slot: Slot) -> int:
    """What the slot itself gives a part: a PCIe slot up to 75 W, unless the model tells otherwise."""
    return slot.slot_w if slot.slot_w is not None else SLOT_W if slot.kind in CARDS else 0


# ---- the supplies ----


def budget(spec: DeviceModelSpec, draws: Mapping[str, float | None]) -> Budget:
    """The larger of the sum of the parts and the model's own `power_w`, and what the supplies that must live give."""
    psus = spec.psus
    headroom = psus.headroom_percent if psus else 20
    told = [watts for watts in draws.values() if watts is not None]
    parts = sum(told) + (psus.other_w if psus else 0)
    draw = max(parts, spec.power_w) if told or spec.power_w else None
    if psus is None or psus.rated_w is None:
        return Budget(draw, None, None, headroom)
    living = max(1, max(1, spec.psu_count) - (psus.may_fail or 0))
    rated = psus.rated_w * living
    return Budget(draw, rated, rated * (100 - headroom) / 100, headroom)


def _budget(spec: DeviceModelSpec, draws: Mapping[str, float | None]) -> Iterator[PowerFinding]:
    draw_w, rated_w, usable_w, headroom = budget(spec, draws)
    if draw_w is None or rated_w is None or usable_w is None:
        yield PowerFinding("unknown", "supply_unknown", "", "what the supply gives or the machine draws is not known")
    elif draw_w > rated_w:
        yield PowerFinding("error", "over_supply", "", f"draws up to {draw_w:g} W, its supply gives {rated_w} W")
    elif draw_w > usable_w:
        reason = f"draws up to {draw_w:g} W of {rated_w} W: less than {headroom} % head-room ({usable_w:g} W usable)"
        yield PowerFinding("warning", "no_headroom", "", reason)


# ---- what is really installed ----


def watts_of(attributes: Mapping[str, Any]) -> float | None:
    """The power limit of a part from its attributes, as a number or as the tools print it (`450.00 W`); else None."""
    for name in ("power_limit_w", "max_w", "power_w"):
        value = attributes.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value) if value > 0 else None
        if isinstance(value, str):
            number = value.upper().removesuffix("W").strip()
            try:
                watts = float(number)
            except ValueError:
                continue
            return watts if 0 < watts < float("inf") else None
    return None


def installed_watts(spec: DeviceModelSpec, parts: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, float | None]:
    """Slot to watts of what is installed: slot and attributes of each part. One that tells nothing is as planned."""
    found: dict[str, float | None] = {}
    for name, attributes in parts:
        slot = spec.slot(name)
        if slot is not None and (slot.power or slot.max_w is not None):
            told = watts_of(attributes)
            found[name] = slot.max_w if told is None else told
    return found
