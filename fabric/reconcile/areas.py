"""Racks, rows and feeds all of whose devices are off: one cause, not one for each device. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from fabric.reconcile.clean import Book

LEAST_DEVICES = 2
LEAST_RACKS = 2  # of a row that is told as a row


@dataclass(frozen=True, slots=True)
class DarkArea:
    """`kind` is rack, row or feed. `also`: others that are exactly these devices, such as the feed of the rack."""

    kind: str
    name: str
    groups: tuple[str, ...]
    also: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.kind} {self.name}"


def dark_areas(book: Book, off: Collection[str]) -> list[DarkArea]:
    """The areas without one device that was seen, the largest first; each device is in one of them at most.

    A device on two feeds is in neither: it runs on as long as one of them does.
    """
    if len(off) < LEAST_DEVICES:
        return []
    by_groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for area, members in _areas(book).items():
        if len(members) >= LEAST_DEVICES and members <= set(off):
            by_groups.setdefault(tuple(sorted(members)), []).append(area)
    found: list[DarkArea] = []
    told: set[str] = set()
    for groups, areas in sorted(by_groups.items(), key=lambda item: (-len(item[0]), item)):
        if told.isdisjoint(groups):
            told.update(groups)
            (kind, name), *others = sorted(areas, key=lambda area: (_ORDER.index(area[0]), area[1]))
            found.append(DarkArea(kind, name, groups, tuple(" ".join(other) for other in others)))
    return found


_ORDER = ("rack", "row", "feed")


def _areas(book: Book) -> Mapping[tuple[str, str], set[str]]:
    """Every rack, row and feed with the devices that have cables of the plan."""
    cabled = {book.group[end.device] for cable in book.plan.cables for end in cable.ends}
    areas: dict[tuple[str, str], set[str]] = {}
    racks: dict[tuple[str, str], set[str]] = {}
    for group in cabled:
        device = book.plan.devices[book.members[group][0]]
        place = device.place
        room = f" in {place.room}" if place.room else ""
        if place.rack:
            areas.setdefault(("rack", f"{place.rack}{room}"), set()).add(group)
        if place.row:
            row = ("row", f"{place.row}{room}")
            areas.setdefault(row, set()).add(group)
            racks.setdefault(row, set()).add(place.rack)
        if len(device.feeds) == 1:
            areas.setdefault(("feed", device.feeds[0]), set()).add(group)
    few = {row for row, names in racks.items() if len(names) < LEAST_RACKS}
    return {area: groups for area, groups in areas.items() if area not in few}
