"""The intended cables of a site as plain values: what the inventory says, in a fixed number of statements.

A switch goes by its name, an adapter as `MACHINE ADAPTER`. Ports are numbered as the subnet manager counts them; what
a hand looks for (name, cage, lane) and the ids of the inventory stand beside in `Planned`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from fabric.facts import NOWHERE, DeviceRole, Place, Plan, PlannedCable, PlannedDevice, PlannedPort
from inventory.cabling.facts import read as read_cabling
from inventory.cabling.walk import trace

DEVICES = """
SELECT d.id, d.name, d.kind, coalesce(s.tier, ''), coalesce(s.node_guid, ''), d.serial, m.slug,
    coalesce(parent.name, ''), rack.id, room.name, coalesce(line.name, ''), rack.name, lower(l.half_units),
    rack.x_mm, rack.y_mm, rack.width_mm, rack.depth_mm
FROM inventory_device d
JOIN inventory_devicemodel m ON m.id = d.model_id
LEFT JOIN inventory_switch s ON s.device_id = d.id
LEFT JOIN inventory_device parent ON parent.id = d.parent_id
LEFT JOIN LATERAL (
    SELECT * FROM inventory_placement WHERE device_id IN (d.id, d.parent_id) ORDER BY device_id <> d.id LIMIT 1
) l ON true
LEFT JOIN inventory_rack rack ON rack.id = l.rack_id
LEFT JOIN inventory_room room ON room.id = rack.room_id
LEFT JOIN inventory_row line ON line.id = rack.row_id
WHERE d.site_id = %(site)s AND d.status <> 'retired'
    AND (d.kind = 'machine' OR s.fabric = %(fabric)s)
"""
PORTS = """
SELECT p.id, p.device_id, p.name, p.cage, p.lane, p.slot, p.guid, p.rail, r.id IS NOT NULL, p.mac
FROM inventory_port p
JOIN inventory_device d ON d.id = p.device_id
LEFT JOIN inventory_switch s ON s.device_id = d.id
LEFT JOIN fabric_reservedport r ON r.port_id = p.id
WHERE d.site_id = %(site)s AND d.status <> 'retired' AND p.kind = %(fabric)s
    AND (d.kind = 'machine' OR s.fabric = %(fabric)s)
ORDER BY p.device_id, p.id
"""
LINKS = """
SELECT k.id, k.label, k.type, k.length_m, a.lane, a.number, a.serial, a.port_id, b.number, b.serial, b.port_id
FROM inventory_cable k
JOIN (
    SELECT c.cable_id, c.number, c.serial, e.lane, e.port_id, p.kind FROM inventory_connector c
    JOIN inventory_strandend e ON e.connector_id = c.id AND e.change_set_id IS NULL
    JOIN inventory_port p ON p.id = e.port_id WHERE c.side = 'A'
) a ON a.cable_id = k.id
JOIN (
    SELECT c.cable_id, c.number, c.serial, e.lane, e.port_id, p.kind FROM inventory_connector c
    JOIN inventory_strandend e ON e.connector_id = c.id AND e.change_set_id IS NULL
    JOIN inventory_port p ON p.id = e.port_id WHERE c.side = 'B'
) b ON b.cable_id = k.id AND b.lane = a.lane
WHERE k.site_id = %(site)s AND k.status <> 'removed'
    AND (a.kind = %(fabric)s OR b.kind = %(fabric)s) AND a.kind IN (%(fabric)s, 'front', 'rear')
    AND b.kind IN (%(fabric)s, 'front', 'rear')
ORDER BY k.id, a.lane
"""
FEEDS = """
SELECT DISTINCT inlet.device_id, f.name
FROM inventory_pdu u
JOIN inventory_powerfeed f ON f.id = u.feed_id
JOIN inventory_port outlet ON outlet.device_id = u.device_id
JOIN inventory_strandend o ON o.port_id = outlet.id AND o.change_set_id IS NULL
JOIN inventory_connector oc ON oc.id = o.connector_id
JOIN inventory_connector ic ON ic.cable_id = oc.cable_id AND ic.side <> oc.side
JOIN inventory_strandend i ON i.connector_id = ic.id AND i.change_set_id IS NULL
JOIN inventory_port inlet ON inlet.id = i.port_id AND inlet.kind = 'power_in'
JOIN inventory_cable k ON k.id = oc.cable_id AND k.status <> 'removed'
WHERE f.site_id = %(site)s
ORDER BY inlet.device_id, f.name
"""
_HALF_U_FIRST = 1
_HEX = re.compile(r"[0-9a-f]+")
_LAST_NUMBER = re.compile(r"^(?P<adapter>.+?)(?:/|[ _-]?[pP](?:ort)?[ _]?)(?P<number>\d+)$")


class PortFacts(NamedTuple):
    """A port as the inventory knows it."""

    id: int
    device_id: int
    name: str
    cage: int | None
    lane: int | None
    slot: str
    guid: str
    rail: int | None
    reserved: bool
    mac: str


class DeviceFacts(NamedTuple):
    """A device as the inventory knows it, and where it stands."""

    id: int
    name: str
    kind: str
    tier: str
    node_guid: str
    serial: str
    model: str
    parent: str
    rack_id: int | None
    room: str | None
    row: str
    rack: str | None
    low: int | None
    x_mm: int | None
    y_mm: int | None
    width_mm: int | None
    depth_mm: int | None

    @property
    def place(self) -> Place:
        if self.rack is None or self.x_mm is None or self.y_mm is None:
            return NOWHERE
        u = None if self.low is None else (self.low + _HALF_U_FIRST) / 2
        x, y = self.x_mm + (self.width_mm or 0) / 2, self.y_mm + (self.depth_mm or 0) / 2
        return Place(self.room or "", self.row, self.rack, u, x / 1000, y / 1000)


@dataclass
class Planned:
    """A plan, and what of the inventory its devices, ports and cables are."""

    plan: Plan
    devices: dict[str, DeviceFacts] = field(default_factory=dict)
    ports: dict[PlannedPort, PortFacts] = field(default_factory=dict)
    cables: dict[str, int] = field(default_factory=dict)  # label of a link -> id of its cable
    left_out: list[str] = field(default_factory=list)  # links at a port that has one already
    feeds: dict[int, tuple[str, ...]] = field(default_factory=dict)  # of devices by id, where they are written down
    _lanes: Counter[tuple[str, int]] = field(default_factory=Counter)

    def lanes(self, device: str, cage: int) -> int:
        """How many ports share a cage."""
        if not self._lanes:
            self._lanes.update((end.device, port.cage) for end, port in self.ports.items() if port.cage is not None)
        return self._lanes[device, cage]

    @property
    def known(self) -> dict[str, str]:
        """GUIDs on record, with the device they belong to. One that two devices have tells nothing."""
        pairs = [(device.guid, name) for name, device in self.plan.devices.items() if device.guid]
        often = Counter(guid for guid, _ in pairs)
        return {guid: name for guid, name in pairs if often[guid] == 1}


def planned(site_id: int, fabric: str) -> Planned:
    """The live plan of a site's `infiniband` or `ethernet` fabric. Four statements; more where panels are passed."""
    asked = {"site": site_id, "fabric": fabric}
    devices = {row[0]: DeviceFacts(*row) for row in _rows(DEVICES, asked)}
    by_device: dict[int, list[PortFacts]] = defaultdict(list)
    for row in _rows(PORTS, asked):
        by_device[row[1]].append(PortFacts(*row))
    found = Planned(Plan({}, []))
    names: dict[int, PlannedPort] = {}
    for device_id, ports in by_device.items():
        for name, number, port in numbered(devices[device_id], ports):
            names[port.id] = PlannedPort(name, number)
            found.ports[PlannedPort(name, number)] = port
            found.devices[name] = devices[device_id]
    cables = []
    taken: set[PlannedPort] = set()
    for cable in _links(list(_rows(LINKS, asked)), names):
        if taken.isdisjoint(cable.planned.ends):
            taken.update(cable.planned.ends)
            cables.append(cable.planned)
            found.cables[cable.planned.label] = cable.id
        else:  # a splitter of one port: the fabric knows one link at a port
            found.left_out.append(cable.planned.label)
    for device_id, feed in _rows(FEEDS, asked):
        found.feeds[device_id] = (*found.feeds.get(device_id, ()), feed)
    rails = _rails(found, cables)
    found.plan = Plan(
        {name: _device(name, facts, found, rails) for name, facts in found.devices.items()},
        cables,
        frozenset(end for end, port in found.ports.items() if port.reserved),
    )
    return found


def numbered(device: DeviceFacts, ports: list[PortFacts]) -> Iterator[tuple[str, int, PortFacts]]:
    """Planned device, number and facts of each port of a device.

    Of a switch, cages count on: port N of one with two lanes a cage is cage (N + 1) // 2. A machine's adapters are
    devices of their own, each with ports from 1.
    """
    if device.kind == "machine":
        for port in ports:
            split = _LAST_NUMBER.match(port.name)
            if split and port.slot and sum(other.slot == port.slot for other in ports) > 1:
                yield f"{device.name} {split['adapter']}", int(split["number"]), port
            else:
                yield f"{device.name} {port.name}", 1, port
        return
    lanes = max((port.lane or 1 for port in ports), default=1)
    taken: set[int] = set()
    for at, port in enumerate(ports, start=1):
        number = at
        if port.cage is not None:
            number = (port.cage - 1) * lanes + (port.lane or 1)
        elif port.name.isascii() and port.name.isdecimal():
            number = int(port.name)
        if number not in taken:
            taken.add(number)
            yield device.name, number, port


class _Link(NamedTuple):
    id: int
    planned: PlannedCable


def _links(rows: list[tuple[Any, ...]], names: Mapping[int, PlannedPort]) -> Iterator[_Link]:
    """Links between two ports of the fabric. One that runs through panels is named after the cable at its first end,
    and each of its ends moves alone."""
    lanes = Counter(row[0] for row in rows)
    through: dict[int, tuple[Any, ...]] = {}
    for row in rows:
        cable, label, type_, length, lane, a_number, a_serial, a_port, b_number, b_serial, b_port = row
        a, b = names.get(a_port), names.get(b_port)
        if a is None or b is None:
            through.update({port: row for port, end in ((a_port, a), (b_port, b)) if end is not None})
            continue
        several = lanes[cable] > 1
        yield _Link(
            cable,
            PlannedCable(
                f"{label}/{lane}" if several else label, a, b,
                label if several else "", f"A{a_number}" if several else "", f"B{b_number}" if several else "",
                None if length is None else float(length), type_, (a_serial, b_serial),
            ),
        )  # fmt: skip
    yield from _through_panels(through, names)


def _through_panels(starts: Mapping[int, tuple[Any, ...]], names: Mapping[int, PlannedPort]) -> Iterator[_Link]:
    if not starts:
        return
    cabling = read_cabling(list(starts))
    done: set[int] = set()
    for port, row in starts.items():
        ends = list(trace(port, cabling.facts).out.ends())
        if port in done or len(ends) != 1 or ends[0] not in names or ends[0] == port:
            continue
        done.update((port, ends[0]))
        cable, label, type_, lane = row[0], row[1], row[2], row[4]
        unique = label if sum(other[0] == cable for other in starts.values()) == 1 else f"{label}/{lane}"
        yield _Link(cable, PlannedCable(unique, names[port], names[ends[0]], type=type_))


def _device(name: str, facts: DeviceFacts, found: Planned, rails: Mapping[str, int]) -> PlannedDevice:
    if facts.kind == "machine":
        port = found.ports.get(PlannedPort(name, 1))
        return PlannedDevice(
            name, DeviceRole.ADAPTER, facts.name, "machine", port.rail if port else None, facts.place,
            plain_guid(port.guid or port.mac) if port else "", facts.serial, facts.model, found.feeds.get(facts.id, ()),
        )  # fmt: skip
    return PlannedDevice(
        name, DeviceRole.SWITCH, facts.parent or name, facts.tier, rails.get(name), facts.place,
        plain_guid(facts.node_guid), facts.serial, facts.model, found.feeds.get(facts.id, ()),
    )  # fmt: skip


def _rails(found: Planned, cables: Iterable[PlannedCable]) -> dict[str, int]:
    """The rail of a leaf: that of most adapters planned on it."""
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    for cable in cables:
        for near, far in (cable.ends, cable.ends[::-1]):
            rail = found.ports[near].rail
            if rail is not None and found.devices[near.device].kind == "machine":
                seen[far.device][rail] += 1
    return {device: rails.most_common(1)[0][0] for device, rails in seen.items()}


def plain_guid(text: str) -> str:
    """16 hex digits of a GUID, or of a MAC, however it is written; empty when it is none."""
    digits = text.lower().removeprefix("0x").replace(":", "")
    return digits.zfill(16) if _HEX.fullmatch(digits) and len(digits) <= 16 else ""


def _rows(sql: str, params: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        yield from cursor.fetchall()
