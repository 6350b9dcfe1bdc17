"""The wiring as it is beside the wiring as it is planned, link by link. Pure.

Links between the boards of one chassis are no cables: nobody lays, moves or misses them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from fabric.facts import DeviceRole, NodeKind, PlannedCable, PlannedPort, SeenLink, SeenPort
from fabric.reconcile.clean import Book, Net
from fabric.reconcile.naming import Naming


@dataclass(slots=True)
class Wiring:
    """The fabric beside its plan, in planned ports. A node without a name is called 0x and its GUID."""

    found: dict[PlannedPort, PlannedPort]
    seen_at: dict[PlannedPort, SeenLink]
    right: list[PlannedCable]
    missing: list[PlannedCable]
    unknown: list[PlannedCable]  # at ports with ends that disagree
    wrong: list[tuple[PlannedPort, PlannedPort, SeenLink]]
    off: dict[str, list[PlannedCable]]  # missing cables by the group that was not seen at all

    def set_aside(self, book: Book, naming: Naming, labels: Collection[str], ends: Collection[PlannedPort]) -> None:
        """Leave out planned cables, and found links at these ports, that are told of otherwise."""
        self.missing = [cable for cable in self.missing if cable.label not in labels]
        self.wrong = [each for each in self.wrong if each[0] not in ends and each[1] not in ends]
        self.off = _off(book, naming, self.missing)

    @property
    def dark(self) -> list[PlannedCable]:
        """Missing cables with neither port lit: what is lit elsewhere is wrong, and did not vanish."""
        return [cable for cable in self.missing if cable.a not in self.found and cable.b not in self.found]

    @property
    def at_dead(self) -> set[str]:
        return {cable.label for cables in self.off.values() for cable in cables}


def called(naming: Naming, port: SeenPort) -> PlannedPort:
    return PlannedPort(naming.names.get(port.guid) or f"0x{port.guid}", port.port)


def compare(net: Net, book: Book, naming: Naming) -> Wiring:
    """Every planned cable and every seen link in its class."""
    found: dict[PlannedPort, PlannedPort] = {}
    seen_at: dict[PlannedPort, SeenLink] = {}
    wrong = []
    names, ports = naming.names, book.ports
    for link in net.links:
        (a_guid, a_number), (b_guid, b_number) = link.a, link.b
        a = PlannedPort(names.get(a_guid) or f"0x{a_guid}", a_number)
        planned = ports[a.device].get(a_number) if a.device in ports else None
        if planned is not None and planned.port == b_number and planned.device == names.get(b_guid):
            b = planned  # as nearly all are
        else:
            b = PlannedPort(names.get(b_guid) or f"0x{b_guid}", b_number)
            if not (a.device != b.device and _one_chassis(net, book, a, b, a_guid, b_guid)):
                wrong.append((a, b, link))
        found[a], found[b] = b, a
        seen_at[a] = seen_at[b] = link
    doubtful = {called(naming, port) for port in net.doubtful}
    right, missing, unknown = [], [], []
    for cable in book.plan.cables:
        if found.get(cable.a) == cable.b:
            right.append(cable)
        elif doubtful and (cable.a in doubtful or cable.b in doubtful):
            unknown.append(cable)
        elif not boards_of_one(book, cable.a.device, cable.b.device):
            missing.append(cable)
    return Wiring(found, seen_at, right, missing, unknown, wrong, _off(book, naming, missing))


def boards_of_one(book: Book, one: str, other: str) -> bool:
    """Whether two planned devices are boards of one chassis."""
    a, b = book.plan.devices.get(one), book.plan.devices.get(other)
    if a is None or b is None or one == other or a.group != b.group:
        return False
    return a.role is DeviceRole.SWITCH and b.role is DeviceRole.SWITCH


def _one_chassis(net: Net, book: Book, a: PlannedPort, b: PlannedPort, a_guid: str, b_guid: str) -> bool:
    """By the plan, or where it does not know them by what they report: switches of one system."""
    if boards_of_one(book, a.device, b.device):
        return True
    one, other = net.nodes[a_guid], net.nodes[b_guid]
    switches = one.kind is NodeKind.SWITCH and other.kind is NodeKind.SWITCH
    return switches and bool(one.system_guid) and one.system_guid == other.system_guid


def _off(book: Book, naming: Naming, missing: list[PlannedCable]) -> dict[str, list[PlannedCable]]:
    """Groups of which nothing was seen, with their cables. One single cable may be all that is wrong: that is dark."""
    present = {book.group[device] for device in naming.holder}
    off: dict[str, list[PlannedCable]] = {}
    for cable in missing:
        for group in {book.group[cable.a.device], book.group[cable.b.device]}:
            if group not in present:
                off.setdefault(group, []).append(cable)
    return {group: cables for group, cables in off.items() if len(cables) > 1}


def link_id(link: SeenLink) -> str:
    return f"{link.a.guid}/{link.a.port}-{link.b.guid}/{link.b.port}"
