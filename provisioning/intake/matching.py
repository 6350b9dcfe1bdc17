"""What a vendor says it sent, beside what the inventory plans. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from provisioning.intake.lists import Item

Place = tuple[str, float | None]
"""A rack, in small letters, and the lowest unit."""


class Match(StrEnum):
    """How a row of a list stands to the plan. Only what fits is taken over."""

    FITS = "fits"
    """A planned machine lacks what the row tells."""
    SAME = "same"
    """The inventory has it all."""
    MOVED = "moved"
    """The inventory has the machine in another place."""
    EXCHANGED = "exchanged"
    """Two machines of the list stand in each other's place."""
    TAKEN = "taken"
    """The place is planned for a machine with another serial."""
    DIFFERS = "differs"
    """Model or an address is another one."""
    UNKNOWN = "unknown"
    """Neither service tag nor place is planned."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A machine of the inventory. `rack` empty: it has no place."""

    id: int
    name: str
    serials: tuple[str, ...] = ()
    model: str = ""
    model_name: str = ""
    rack: str = ""
    u: float | None = None
    bmc_mac: str = ""
    boot_mac: str = ""
    service_tag: str = ""
    uuid: str = ""
    bmc_ip: str = ""
    model_id: int = 0

    @property
    def place(self) -> Place | None:
        return (self.rack.lower(), self.u) if self.rack else None

    @property
    def place_text(self) -> str:
        return place_text(self.rack, self.u)


@dataclass(frozen=True, slots=True)
class Matched:
    """`changes` are the fields that would be written, by name of the inventory."""

    item: Item
    match: Match
    planned: Planned | None = None
    text: str = ""
    changes: Mapping[str, str] = field(default_factory=dict)


def place_text(rack: str, u: float | None) -> str:
    return f"{rack} U{u:g}" if rack and u is not None else "no place"


def matched(items: Sequence[Item], plan: Iterable[Planned]) -> list[Matched]:
    """Each row with what it means, in the order of the list."""
    machines = list(plan)
    by_serial = {serial: machine for machine in machines for serial in machine.serials}
    by_place = {machine.place: machine for machine in machines if machine.place is not None}
    listed_at: dict[Place, Item] = {(item.rack.lower(), item.u): item for item in items if item.u is not None}
    return [_one(item, by_serial, by_place, listed_at) for item in items]


def _one(
    item: Item,
    by_serial: Mapping[str, Planned],
    by_place: Mapping[Place, Planned],
    listed_at: Mapping[Place, Item],
) -> Matched:
    place: Place | None = (item.rack.lower(), item.u) if item.u is not None else None
    known, there = by_serial.get(item.service_tag), by_place.get(place) if place else None
    if known is None and there is None:
        where = f", nor a machine at {place_text(item.rack, item.u)}" if place else ""
        return Matched(item, Match.UNKNOWN, None, f"no machine with this service tag is planned{where}")
    if known is None:
        assert there is not None
        if there.serials:
            return Matched(item, Match.TAKEN, there, f"{there.name} is planned there with {there.serials[0]}")
        return compared(item, there)
    if place is not None and known.place != place:
        return _elsewhere(item, known, there, listed_at)
    return compared(item, known)


def _elsewhere(item: Item, known: Planned, there: Planned | None, listed_at: Mapping[Place, Item]) -> Matched:
    other = listed_at.get(known.place) if known.place else None
    if there is not None and other is not None and other.service_tag in there.serials:
        return Matched(
            item, Match.EXCHANGED, known, f"exchanged with {there.name}: each is listed in the other's place"
        )
    said = f"listed at {place_text(item.rack, item.u)}, planned at {known.place_text}"
    return Matched(item, Match.MOVED, known, said)


def compared(item: Item, machine: Planned) -> Matched:
    """A row beside the machine that it is: what contradicts the plan, or what the plan lacks."""
    if item.model and not _is_model(item.model, machine):
        return Matched(item, Match.DIFFERS, machine, f"it is a {item.model}, planned is a {machine.model_name}")
    if item.bmc_mac and machine.bmc_mac and item.bmc_mac != machine.bmc_mac:
        return Matched(item, Match.DIFFERS, machine, f"its BMC has {item.bmc_mac}, planned is {machine.bmc_mac}")
    if item.macs and machine.boot_mac and machine.boot_mac not in item.macs:
        return Matched(item, Match.DIFFERS, machine, f"the planned boot MAC {machine.boot_mac} is none of its own")
    changes: dict[str, str] = {}
    if item.service_tag and item.service_tag not in machine.serials:
        changes["serial"] = item.service_tag
    if item.bmc_mac and not machine.bmc_mac:
        changes["bmc_mac"] = item.bmc_mac
    if item.macs and not machine.boot_mac:
        changes["boot_mac"] = item.macs[0]
    if not changes:
        return Matched(item, Match.SAME, machine)
    return Matched(item, Match.FITS, machine, "", changes)


def _is_model(told: str, machine: Planned) -> bool:
    """A list says `PowerEdge XE9680`, a model is called `dell-xe9680-h100` and `XE9680`: one names the other."""
    words = {word for word in _plain(told).split() if any(letter.isdigit() for letter in word)}
    known = f"{_plain(machine.model)} {_plain(machine.model_name)}"
    return _plain(told) in known or any(word in known.split() for word in words)


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())
