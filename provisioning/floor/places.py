"""What is known of each planned place, out of what a vendor says it sent and what discoveries found. Pure.

What was found goes before what is on a list, and the newest before the older.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from provisioning.discovery.matching import Finding, Found
from provisioning.discovery.states import BmcState
from provisioning.intake.matching import Match, Matched, Planned, place_text


class PlaceState(StrEnum):
    """Of a planned place or of a machine that has none; what is wrong first."""

    UNKNOWN = "unknown"
    """Somebody nobody planned stands there."""
    EXCHANGED = "exchanged"
    ELSEWHERE = "elsewhere"
    DIFFERS = "differs"
    PARTS = "parts"
    UNREAD = "unread"
    NOT_FOUND = "not_found"
    TO_ACCEPT = "to_accept"
    CONFIRMED = "confirmed"


OF_FINDING = {
    Finding.EXCHANGED: PlaceState.EXCHANGED,
    Finding.MOVED: PlaceState.ELSEWHERE,
    Finding.TAKEN: PlaceState.UNKNOWN,
    Finding.DIFFERS: PlaceState.DIFFERS,
    Finding.TWICE: PlaceState.DIFFERS,
    Finding.UNKNOWN: PlaceState.UNKNOWN,
    Finding.PARTS: PlaceState.PARTS,
    Finding.UNREAD: PlaceState.UNREAD,
    Finding.FITS: PlaceState.TO_ACCEPT,
    Finding.SAME: PlaceState.TO_ACCEPT,
}
OF_MATCH = {
    Match.EXCHANGED: PlaceState.EXCHANGED,
    Match.MOVED: PlaceState.ELSEWHERE,
    Match.TAKEN: PlaceState.UNKNOWN,
    Match.DIFFERS: PlaceState.DIFFERS,
    Match.UNKNOWN: PlaceState.UNKNOWN,
    Match.FITS: PlaceState.TO_ACCEPT,
    Match.SAME: PlaceState.TO_ACCEPT,
}
SETTLED = (PlaceState.TO_ACCEPT, PlaceState.UNREAD, PlaceState.NOT_FOUND)
"""What does not count where a machine was accepted or is past its first run."""
_ORDER = list(PlaceState)


class Source(StrEnum):
    DELIVERY = "delivery"
    DISCOVERY = "discovery"


@dataclass(frozen=True, slots=True)
class Seen:
    """A BMC as a discovery found it. `parts_differ`: in what, when it was read."""

    discovery: int
    state: BmcState
    found: Found
    parts_differ: str = ""
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of a delivery that nobody took over yet."""

    delivery: int
    matched: Matched


@dataclass(frozen=True, slots=True)
class Place:
    """`planned` None: a machine that nobody planned, with its serial or address as `name`. `rack`, in small letters, is
    where it stands as far as that is known."""

    state: PlaceState
    planned: Planned | None = None
    name: str = ""
    rack: str = ""
    place: str = ""
    text: str = ""
    source: Source | None = None
    source_id: int | None = None


@dataclass(frozen=True, slots=True)
class Floor:
    """Places that are not confirmed, by name; of those that are only the number. `sources`: whether there are any."""

    open: tuple[Place, ...] = ()
    counts: Mapping[PlaceState, int] = field(default_factory=dict)
    sources: bool = False


def floor_of(
    plan: Sequence[Planned], settled: Set[int], seen: Sequence[Seen], listed: Sequence[Listed], *, sources: bool
) -> Floor:
    """`settled` are machines that were accepted, or are past their first run; `seen` has the newest first."""
    known: dict[int, Place] = {}
    strangers: dict[str, Place] = {}
    for each in (*_of_discoveries(seen), *_of_deliveries(listed, {_serial(row) for row in seen})):
        if each.planned is None:
            strangers.setdefault(each.name, each)
        elif (held := known.get(each.planned.id)) is None or _leads(each, held):
            known[each.planned.id] = each
    places = [_place(machine, known.get(machine.id), machine.id in settled) for machine in plan]
    named = sorted((*strangers.values(), *places), key=lambda place: place.name)
    counts = {state: sum(place.state is state for place in named) for state in PlaceState}
    return Floor(tuple(p for p in named if p.state is not PlaceState.CONFIRMED), counts, sources)


def _leads(each: Place, held: Place) -> bool:
    """Among what one discovery found the worst leads; a list never does where something was found."""
    return each.source_id == held.source_id and each.source is held.source and (
        _ORDER.index(each.state) < _ORDER.index(held.state)
    )  # fmt: skip


def _place(machine: Planned, known: Place | None, settled: bool) -> Place:
    place = known or Place(PlaceState.NOT_FOUND, text="no delivery and no discovery shows it")
    if settled and place.state in SETTLED:
        place = Place(PlaceState.CONFIRMED)
    return replace(place, planned=machine, name=machine.name, rack=machine.rack.lower(), place=machine.place_text)


def _of_discoveries(seen: Sequence[Seen]) -> Iterator[Place]:
    for row in seen:
        found, planned = row.found, row.found.planned
        state = OF_FINDING[found.finding]
        if row.state is BmcState.UNREACHABLE:
            if planned is not None:
                yield Place(PlaceState.NOT_FOUND, planned, text=f"nothing answers at {found.bmc.address}",
                            source=Source.DISCOVERY, source_id=row.discovery)  # fmt: skip
            continue
        text = found.text
        if state is PlaceState.TO_ACCEPT and row.parts_differ:
            state, text = PlaceState.PARTS, row.parts_differ
        if row.accepted and state in (PlaceState.TO_ACCEPT, PlaceState.PARTS):
            state, text = PlaceState.CONFIRMED, ""
        name = _serial(row) or found.bmc.address
        yield Place(state, planned, name, text=text, source=Source.DISCOVERY, source_id=row.discovery)


def _of_deliveries(listed: Sequence[Listed], found: Set[str]) -> Iterator[Place]:
    """A stranger on a list that was found as well is told by what was found."""
    for row in listed:
        item, match = row.matched.item, row.matched.match
        if row.matched.planned is None and item.service_tag in found:
            continue
        yield Place(
            OF_MATCH[match], row.matched.planned, item.service_tag, item.rack.lower(),
            place_text(item.rack, item.u) if item.rack else "", row.matched.text, Source.DELIVERY, row.delivery,
        )  # fmt: skip


def _serial(row: Seen) -> str:
    return row.found.bmc.machine.serial if row.found.bmc.machine else ""


def newest(rows: Iterable[Seen]) -> list[Seen]:
    """Of a BMC that discoveries found at several addresses only what the newest of them says."""
    first: dict[str, int] = {}
    kept = []
    for row in sorted(rows, key=lambda each: -each.discovery):
        serial = _serial(row)
        if serial and first.setdefault(serial, row.discovery) != row.discovery:
            continue
        kept.append(row)
    return kept
