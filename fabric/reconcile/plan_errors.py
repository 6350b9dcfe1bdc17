"""Lines of the plan that cannot be as they are written: a port the switch does not have, a device nobody saw. Pure.

A typing error in the plan looks like a cable in a wrong port, and whoever moves that cable breaks a good link. So no
move is made of such a line: it is told with the nearest name, and what hangs together with it waits for the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches

from fabric.facts import DeviceRole, NodeKind, PlannedCable, PlannedPort, Seen
from fabric.reconcile.clean import Book, Net, forms_of, machine_of, plain, ports_of
from fabric.reconcile.misnamed import reported_group
from fabric.reconcile.naming import Naming
from fabric.reconcile.wiring import Wiring

ALIKE = 0.6  # of the letters, where the wiring says so too
MUCH_ALIKE = 0.75  # where nothing else does
MOST_SEARCHED = 20
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class PlanError:
    """`port` is the end that cannot be. `meant`: what stands there by the wiring, so that the line can be read so;
    None where that is not known. `nearest`: a name that was seen and is written almost so. `has`: the ports that the
    device reports, 0 for a device that nobody saw."""

    cable: PlannedCable
    port: PlannedPort
    meant: PlannedPort | None = None
    nearest: str = ""
    has: int = 0

    @property
    def other(self) -> PlannedPort:
        return self.cable.b if self.port == self.cable.a else self.cable.a


def unread(net: Net, book: Book, naming: Naming) -> None:
    """Take the name from machines that got it by the wiring alone, while what they report is nearly that name and is
    missing from the plan: the plan's line is misspelled, and not the machine named wrongly."""
    for guid, device in misspelled(net, book, naming).items():
        if naming.names.get(guid) == device:
            naming.take(guid)


def misspelled(net: Net, book: Book, naming: Naming) -> dict[str, str]:
    """Such adapters, with the device of the plan in whose place they are. All of a machine, or none."""
    found: dict[str, dict[str, str]] = {}  # by machine
    for guid, device in naming.names.items():
        if guid in net.meant or not _is_adapter(book, device):
            continue
        group = book.group[device]
        if _is_missing(net, book, guid, group):
            found.setdefault(group, {})[guid] = device
    misread = {}
    for group, nodes in found.items():
        held = [name for name in book.members[group] if name in naming.holder and _is_adapter(book, name)]
        if len(nodes) == len(held):
            misread.update(nodes)
    return misread


def _is_adapter(book: Book, device: str) -> bool:
    return book.plan.devices[device].role is DeviceRole.ADAPTER


def _is_missing(net: Net, book: Book, guid: str, group: str) -> bool:
    """Whether a node reports an adapter that the plan does not have, of a machine that it has, named almost as this."""
    machine = reported_group(net, book, guid)
    if machine is None or machine == group:
        return False
    return _ratio(machine, group) >= ALIKE


def plan_errors(seen: Seen, net: Net, book: Book, naming: Naming, wiring: Wiring) -> list[PlanError]:
    """The lines of the plan that cannot be, at most one error for each, in the order of the plan."""
    judge = _Judge(seen, net, book, naming, wiring)
    return [error for cable in wiring.missing if (error := judge.of(cable)) is not None]


class _Judge:
    def __init__(self, seen: Seen, net: Net, book: Book, naming: Naming, wiring: Wiring) -> None:
        self.seen, self.net, self.book, self.naming, self.wiring = seen, net, book, naming, wiring
        self.absent: dict[str, list[PlannedCable]] = {}
        for cable in wiring.missing:
            for group in {group for end in cable.ends if not naming.is_present(group := book.group[end.device])}:
                self.absent.setdefault(group, []).append(cable)
        self._names: dict[tuple[str, ...], list[str]] | None = None
        self.searched = 0

    def of(self, cable: PlannedCable) -> PlanError | None:
        for port, other in (cable.ends, cable.ends[::-1]):
            error = self._beyond(cable, port, other) or self._absent(cable, port, other)
            if error is not None:
                return error
        return None

    def _beyond(self, cable: PlannedCable, port: PlannedPort, other: PlannedPort) -> PlanError | None:
        """A port that its device does not have."""
        guid = self.naming.holder.get(port.device)
        has = ports_of(self.seen, guid) if guid is not None else 0
        if not has or port.port <= has:
            return None
        found = self.wiring.found(other)
        unplanned = found is not None and self.book.far(*found) is None
        meant = found if found is not None and unplanned and found.device == port.device else None
        return PlanError(cable, port, meant, f"port {meant.port}" if meant else "", has)

    def _absent(self, cable: PlannedCable, port: PlannedPort, other: PlannedPort) -> PlanError | None:
        """A device that nobody saw, and that is not just switched off."""
        group = self.book.group[port.device]
        if self.naming.is_present(group):
            return None
        found = self.wiring.found(other)
        if found is not None and found.port == port.port and self.book.far(*found) is None:
            name = self._called(found)
            if _ratio(name, port.device) >= ALIKE:
                return PlanError(cable, port, found, name)
        dark = sum(self._is_dark(each) for each in self.absent[group])
        if dark > 1 or (dark and found is not None):
            return None  # it is off, whatever sits in its ports
        if found is not None and self.book.far(*found) is not None:
            return None  # a cable that belongs elsewhere sits in its port: that is a move, and not of this line
        if found is not None:
            return PlanError(cable, port, None, self._closest(port.device))
        nearest = self._same_number(port.device)
        return PlanError(cable, port, None, nearest) if nearest else None

    def _is_dark(self, cable: PlannedCable) -> bool:
        return self.wiring.found(cable.a) is None and self.wiring.found(cable.b) is None

    def _called(self, port: PlannedPort) -> str:
        """The planned name of a device, or what a stranger says of itself."""
        if not port.device.startswith("0x"):
            return port.device
        return forms_of(self.net.nodes[port.device[2:]].description)[0]

    def _closest(self, device: str) -> str:
        """The name that is most like it; not for one error after the other, for each compares with all names."""
        self.searched += 1
        close = get_close_matches(device, self._all(), 1, ALIKE) if self.searched <= MOST_SEARCHED else []
        return close[0] if close else ""

    def _same_number(self, device: str) -> str:
        """A name that was seen, with the same digits and nearly the same letters: neighbours in a row of machines
        differ in digits, typing errors mostly do not."""
        if self._names is None:
            self._names = {}
            for name in self._all():
                self._names.setdefault(tuple(_DIGITS.findall(name)), []).append(name)
        alike = self._names.get(tuple(_DIGITS.findall(device)), ())
        best = max(alike, key=lambda name: _ratio(name, device), default="")
        return best if best and _ratio(best, device) >= MUCH_ALIKE else ""

    def _all(self) -> Iterator[str]:
        yield from self.naming.holder
        for guid, node in self.net.nodes.items():
            if guid not in self.naming.names and (machine_of(node.description) or node.kind is NodeKind.SWITCH):
                yield forms_of(node.description)[0]


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, plain(one), plain(other)).ratio()
