"""The wiring as it is beside the wiring as it is planned, link by link. Pure.

Links between the boards of one chassis are no cables: nobody lays, moves or misses them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from fabric.facts import DeviceRole, NodeKind, PlannedCable, PlannedPort, SeenLink, SeenPort
from fabric.reconcile.clean import Book, Net
from fabric.reconcile.naming import End, Naming


@dataclass(slots=True)
class Wiring:
    """The fabric beside its plan, in planned ports: what is not as planned. A node without a name is called 0x and its
    GUID."""

    net: Net = field(repr=False)
    naming: Naming = field(repr=False)
    missing: list[PlannedCable] = field(default_factory=list)
    unknown: list[PlannedCable] = field(default_factory=list)  # at ports with ends that disagree
    wrong: list[tuple[PlannedPort, PlannedPort, SeenLink]] = field(default_factory=list)
    off: dict[str, list[PlannedCable]] = field(default_factory=dict)  # missing, by the group that was not seen at all
    _ends: dict[str, dict[int, SeenPort]] = field(default_factory=dict, repr=False)  # of the GUIDs that were asked for
    _links: dict[SeenPort, SeenLink] = field(default_factory=dict, repr=False)

    def found(self, port: PlannedPort) -> PlannedPort | None:
        """What is at the far end of a port, for the few that are asked for."""
        guid = self._guid(port)
        if guid not in self._ends:
            self._ends[guid] = dict(self.net.ends.get(guid, ()))
        far = self._ends[guid].get(port.port)
        return None if far is None else called(self.naming, far)

    def seen_at(self, port: PlannedPort) -> SeenLink:
        """The link at a port where there is one."""
        if not self._links:
            self._links.update((end, link) for link in self.net.links for end in link[:2])
        return self._links[SeenPort(self._guid(port), port.port)]

    def _guid(self, port: PlannedPort) -> str:
        guid = self.naming.holder.get(port.device)
        return port.device.removeprefix("0x") if guid is None else guid

    def set_aside(self, book: Book, naming: Naming, labels: Collection[str], ends: Collection[PlannedPort]) -> None:
        """Leave out planned cables, and found links at these ports, that are told of otherwise."""
        self.missing = [cable for cable in self.missing if cable.label not in labels]
        self.wrong = [each for each in self.wrong if each[0] not in ends and each[1] not in ends]
        self.off = _off(book, naming, self.missing)

    @property
    def dark(self) -> list[PlannedCable]:
        """Missing cables with neither port lit: what is lit elsewhere is wrong, and did not vanish."""
        return [cable for cable in self.missing if self.found(cable.a) is None and self.found(cable.b) is None]

    @property
    def at_dead(self) -> set[str]:
        return {cable.label for cables in self.off.values() for cable in cables}


def called(naming: Naming, port: SeenPort) -> PlannedPort:
    return PlannedPort(naming.names.get(port.guid) or f"0x{port.guid}", port.port)


def compare(net: Net, book: Book, naming: Naming) -> Wiring:
    """Every planned cable and every seen link that is not as planned, in its class.

    Nearly all are: links by what `naming` knows of each, cables where both devices have not all of theirs as planned.
    """
    wiring, wrong = Wiring(net, naming), naming.all_wrong()
    beside = {SeenPort(guid, number) for guid, ends in wrong.items() for number, _ in ends}
    for link in [link for link in net.links if link.a in beside]:
        a, b = called(naming, link.a), called(naming, link.b)
        if not (a.device != b.device and _one_chassis(net, book, a, b, link.a.guid, link.b.guid)):
            wiring.wrong.append((a, b, link))
    doubtful = {called(naming, port) for port in net.doubtful}
    lacking = _lacking(book, naming, wrong)
    for cable in [cable for cable in book.plan.cables if cable.a.device in lacking and cable.b.device in lacking]:
        if wiring.found(cable.a) == cable.b:
            continue
        if doubtful and (cable.a in doubtful or cable.b in doubtful):
            wiring.unknown.append(cable)
        elif not boards_of_one(book, cable.a.device, cable.b.device):
            wiring.missing.append(cable)
    wiring.off = _off(book, naming, wiring.missing)
    return wiring


def _lacking(book: Book, naming: Naming, wrong: Mapping[str, Sequence[End]]) -> set[str]:
    """Devices with fewer links as planned than they are to have; all, where the plan has a port in two cables."""
    if sum(map(len, book.ports.values())) < 2 * len(book.plan.cables):
        return set(book.ports)
    holder, ends = naming.holder, naming.net.ends
    return {
        device
        for device, ports in book.ports.items()
        if (guid := holder.get(device)) is None or len(ends[guid]) - len(wrong.get(guid, ())) < len(ports)
    }


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
    off: dict[str, list[PlannedCable]] = {}
    for cable in missing:
        for group in {book.group[cable.a.device], book.group[cable.b.device]}:
            if not naming.is_present(group):
                off.setdefault(group, []).append(cable)
    return {group: cables for group, cables in off.items() if len(cables) > 1}


def link_id(link: SeenLink) -> str:
    return f"{link.a.guid}/{link.a.port}-{link.b.guid}/{link.b.port}"
