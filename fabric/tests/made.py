"""Made fabrics: a plan of any size, and what would be seen of it with any faults. Pure, and the same for the same seed.

A unit is half as many machines as a switch has ports, with a leaf for each rail; machine i of it is on port i of every
leaf of its unit, and the other half of the leaf's ports goes up. With more leaves than a switch has ports there are
pods of leaves and spines, and cores above them: 511 machines with 8 rails on 64-port switches give 128 leaves, 128
spines, 64 cores and 12,280 cables.

`made(shape)` is a fabric without faults, `made_faults.inject` makes some, `made_texts` is what the tools print of it.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fabric.facts import (
    DeviceRole,
    NodeKind,
    Place,
    Plan,
    PlannedCable,
    PlannedDevice,
    PlannedPort,
    Seen,
    SeenLink,
    SeenNode,
    SeenPort,
    SeenState,
)
from fabric.reconcile.cables import FoundCable, WantedCable

FACTORY_NAME = "Quantum-2 Mellanox Technologies"
EIGHT_RAILS = (0, 3, 4, 5, 6, 9, 10, 11)  # of an eight-GPU machine: the adapter's number is not the rail's
RACK_M, ROW_M = 0.8, 2.4

Plug = tuple[str, str]  # body, name of the plug
Socket = tuple[PlannedPort, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """What to make. `twins`: links between switches are twin DACs, two to a cable. `breakouts`: one plug in the leaf's
    cage for two machines."""

    machines: int = 32
    rails: int = 8
    radix: int = 64
    twins: bool = False
    breakouts: bool = False
    speed: str = "NDR"
    seed: int = 1

    @property
    def half(self) -> int:
        return self.radix // 2


@dataclass(frozen=True, slots=True)
class Fault:
    """What was done. The numbers are those of this fault alone."""

    kind: str
    text: str
    devices: tuple[str, ...] = ()
    cables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Truth:
    """The counts that a diagnosis must give."""

    moves: int
    unlit_links: int
    unlit_links_at_dead_devices: int
    unplanned_links: int
    renames: int


@dataclass(slots=True)
class Made:
    """A fabric: the plan, and how things really are. Devices are known by their planned place, links by their label."""

    shape: Shape
    plan: Plan
    guids: dict[str, str]  # of the box that stands at a planned device's place
    reports: dict[str, str]  # what the box with a GUID says it is called, as in the plan
    plugs: dict[Plug, Socket | None]  # None: loose
    lanes: dict[str, tuple[tuple[Plug, int], tuple[Plug, int]]]  # by label of the link
    random: random.Random
    bodies: dict[str, list[Plug]] = field(default_factory=dict)
    taken: dict[PlannedPort, Plug] = field(default_factory=dict)
    factory: set[str] = field(default_factory=set)  # GUIDs of switches that report the factory's name
    dead: set[str] = field(default_factory=set)
    strangers: dict[str, str] = field(default_factory=dict)  # device -> GUID
    rates: dict[str, tuple[str, str]] = field(default_factory=dict)  # label -> width, speed
    errors: dict[PlannedPort, dict[str, int]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)  # devices and bodies with a fault
    planned_at: dict[PlannedPort, PlannedCable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for plug, socket in self.plugs.items():
            self.bodies.setdefault(plug[0], []).append(plug)
            self.taken.update(dict.fromkeys(socket or (), plug))
        self.planned_at = {port: cable for cable in self.plan.cables for port in cable.ends}

    def put(self, plug: Plug, socket: Socket | None) -> None:
        """Pull a plug, and put it into a socket that is free."""
        for port in self.plugs.get(plug) or ():
            self.taken.pop(port)
        if plug not in self.plugs:
            self.bodies.setdefault(plug[0], []).append(plug)
        self.plugs[plug] = socket
        for port in socket or ():
            assert port not in self.taken, f"{port} is occupied"
            self.taken[port] = plug

    # How it is

    def links(self) -> Iterator[tuple[str, PlannedPort, PlannedPort]]:
        """All links that are lit, by place: label of the cable, its ends."""
        for label, ((one, i), (other, j)) in self.lanes.items():
            a, b = self.plugs[one], self.plugs[other]
            if a is not None and b is not None and a[i].device not in self.dead and b[j].device not in self.dead:
                yield label, a[i], b[j]

    def difference(self) -> tuple[list[FoundCable], list[WantedCable]]:
        """What lies wrong and what is missing, devices named by their place; those of wide plugs with all lanes."""
        planned = {frozenset(cable.ends): cable for cable in self.plan.cables}
        lit = {frozenset((a, b)): label for label, a, b in self.links()}
        wrong = {self._body(label) for ends, label in lit.items() if ends not in planned}
        missing = {
            cable.body or cable.label
            for ends, cable in planned.items()
            if ends not in lit or self._body(lit[ends]) in wrong
        }
        beside = {ends for ends, cable in planned.items() if (cable.body or cable.label) in missing}
        found = [
            FoundCable(label, self._ends(label), self._body(label), self._names(label), live=True)
            for ends, label in lit.items()
            if self._body(label) in wrong or ends in beside
        ]
        wanted = [WantedCable.of(cable) for cable in planned.values() if (cable.body or cable.label) in missing]
        return found, wanted

    def _body(self, label: str) -> str:
        return self.lanes[label][0][0][0]

    def _ends(self, label: str) -> tuple[PlannedPort, PlannedPort]:
        (one, i), (other, j) = self.lanes[label]
        a, b = self.plugs[one], self.plugs[other]
        assert a is not None and b is not None
        return a[i], b[j]

    def _names(self, label: str) -> tuple[str, str]:
        (one, _), (other, _) = self.lanes[label]
        return one[1], other[1]

    def truth(self) -> Truth:
        """The counts by what they mean. They hold where no dead device has a part in a wrong cabling, and of breakouts
        only the wide plugs were moved."""
        planned = {frozenset(cable.ends): cable.label for cable in self.plan.cables}
        lit = {frozenset((a, b)): label for label, a, b in self.links()}
        at_dead = {ends for ends in planned if any(port.device in self.dead for port in ends)}
        wrong = {ends: label for ends, label in lit.items() if ends not in planned}
        missing = {ends: label for ends, label in planned.items() if ends not in lit and ends not in at_dead}
        sizes = list(_components(wrong, missing))
        first_lanes = [[ends for ends, label in links.items() if self._first_lane(label)] for links in (wrong, missing)]
        by_plug = list(_components(*first_lanes))
        return Truth(
            moves=sum(min(k, m) for k, m in by_plug),
            unlit_links=sum(max(0, m - k) for k, m in sizes),
            unlit_links_at_dead_devices=len(at_dead),
            unplanned_links=sum(max(0, k - m) for k, m in sizes),
            renames=len(self.renames()),
        )

    def _first_lane(self, label: str) -> bool:
        """Whether it is the first lane of its cable: a wide plug is moved once, not once for each lane."""
        return all(lane == 0 for _, lane in self.lanes[label])

    def renames(self) -> set[str]:
        """Groups whose reported name is not that of the place where they stand."""
        wrong = set()
        for device in self.plan.devices.values():
            guid = self.guids[device.name]
            if device.name not in self.dead and (guid in self.factory or self.reports[guid] != device.name):
                wrong.add(device.group)
        return wrong

    def names(self) -> dict[str, str]:
        """GUID to planned device, of all switches that are on."""
        return {
            self.guids[name]: name
            for name, device in self.plan.devices.items()
            if device.role is DeviceRole.SWITCH and name not in self.dead
        }

    def guid(self, device: str) -> str:
        return self.strangers.get(device) or self.guids[device]

    def description(self, guid: str) -> str:
        name = self.reports[guid]
        if guid in self.factory:
            return FACTORY_NAME
        planned = self.plan.devices.get(name)
        return f"MF0;{name}:MQM9700/U1" if planned and planned.role is DeviceRole.SWITCH else name

    def seen(self) -> Seen:
        """What a good look at the fabric gives."""
        seen = Seen()
        roles = {name: device.role for name, device in self.plan.devices.items()}
        used: set[SeenPort] = set()
        for label, a, b in self.links():
            width, speed = self.rates.get(label, ("4x", self.shape.speed))
            one, other = sorted(SeenPort(self.guid(port.device), port.port) for port in (a, b))
            seen.links.append(SeenLink(one, other, width, speed))
            for port in (one, other):
                used.add(port)
                seen.states[port] = SeenState("Active", "LinkUp", width, speed, "4x", self.shape.speed)
        seen.links.sort()
        for lid, (name, guid) in enumerate(sorted({**self.guids, **self.strangers}.items()), start=1):
            switch = roles.get(name) is DeviceRole.SWITCH
            if name in self.dead or (not switch and SeenPort(guid, 1) not in used):
                continue  # an adapter without a lit link is not seen at all
            ports = self.shape.radix if switch else 1
            kind = NodeKind.SWITCH if switch else NodeKind.ADAPTER
            seen.nodes[guid] = SeenNode(guid, kind, self.description(guid), ports, guid, lid)
            for number in range(1, ports + 1):
                seen.states.setdefault(SeenPort(guid, number), SeenState("Down", "Polling"))
        for place, counters in self.errors.items():
            if place.device not in self.dead:
                seen.counters[SeenPort(self.guid(place.device), place.port)] = dict(counters)
        return seen


def made(shape: Shape | None = None) -> Made:
    """A fabric as planned."""
    return _Builder(shape or Shape()).build()


Ends = frozenset[PlannedPort]


def _components(wrong: Iterable[Ends], missing: Iterable[Ends]) -> Iterator[tuple[int, int]]:
    """How many wrong and how many missing links each knot of shared ports has."""
    at: dict[PlannedPort, list[tuple[int, Ends]]] = defaultdict(list)
    for side, links in enumerate((wrong, missing)):
        for ends in links:
            for port in ends:
                at[port].append((side, ends))
    left = {(side, ends) for links in at.values() for side, ends in links}
    while left:
        count: Counter[int] = Counter()
        waiting = [left.pop()]
        while waiting:
            side, ends = waiting.pop()
            count[side] += 1
            for other in {link for port in ends for link in at[port]} & left:
                left.discard(other)
                waiting.append(other)
        yield count[0], count[1]


class _Builder:
    """Lays out the switches and machines, then draws the cables."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.random = random.Random(shape.seed)
        self.devices: dict[str, PlannedDevice] = {}
        self.cables: list[PlannedCable] = []
        self.leaves: list[str] = []

    def build(self) -> Made:
        if self.shape.machines < 1 or self.shape.rails < 1 or self.shape.radix < 4 or self.shape.radix % 4:
            raise ValueError("a fabric needs machines, rails, and switches with ports in fours")
        self._machines()
        if len(self.leaves) > self.shape.radix:
            self._pods()
        else:
            spines = [self._switch("Y", "spine", f"s{at + 1:02}", at) for at in range((len(self.leaves) + 1) // 2)]
            self._fan([(leaf, self.shape.half) for leaf in self.leaves], spines, 0)
        plan = Plan(self.devices, self.cables)
        return self._made(plan)

    def _made(self, plan: Plan) -> Made:
        numbers = self.random.sample(range(1, 16**5), len(self.devices))
        guids = {
            name: (f"b8cef60300{n:05x}0" if device.role is DeviceRole.SWITCH else f"9c05910300{n:05x}0")
            for n, (name, device) in zip(numbers, self.devices.items(), strict=True)
        }
        lanes: dict[str, tuple[tuple[Plug, int], tuple[Plug, int]]] = {}
        ports: dict[Plug, list[PlannedPort]] = defaultdict(list)
        for cable in self.cables:
            ends = []
            for port, name in ((cable.a, cable.a_plug or "a"), (cable.b, cable.b_plug or "b")):
                plug = (cable.body or cable.label, name)
                ends.append((plug, len(ports[plug])))
                ports[plug].append(port)
            lanes[cable.label] = (ends[0], ends[1])
        plugs: dict[Plug, Socket | None] = {plug: tuple(sockets) for plug, sockets in ports.items()}
        reports = {guid: name for name, guid in guids.items()}
        return Made(self.shape, plan, guids, reports, plugs, lanes, self.random)

    def _switch(self, row: str, tier: str, tail: str, at: int, rail: int | None = None, rack: int = 0) -> str:
        rack = rack or at // 16 + 1
        u = 40 - at % 16
        place = Place("h1", row, f"{row}{rack:02}", u, rack * RACK_M, _row_number(row) * ROW_M)
        name = f"h1-{row}{rack:02}-u{u}-{tier}-{tail}"
        self.devices[name] = PlannedDevice(name, DeviceRole.SWITCH, name, tier, rail, place, faceplate="nvidia-qm9700")
        return name

    def _machines(self) -> None:
        shape = self.shape
        adapters = EIGHT_RAILS if shape.rails == 8 else range(shape.rails)
        for unit in range(-(-shape.machines // shape.half)):
            row = _row_name(unit)
            leaves = [
                self._switch(row, "leaf", f"u{unit + 1:02}r{rail + 1}", rail, rail, rack=9 + rail // 16)
                for rail in range(shape.rails)
            ]
            self.leaves += leaves
            for at in range(min(shape.half, shape.machines - unit * shape.half)):
                machine = f"gpu-{unit * shape.half + at + 1:04}"
                rack = at // 4 + 1
                rack += 2 if rack > 8 else 0
                place = Place("h1", row, f"{row}{rack:02}", 2 + at % 4 * 8, rack * RACK_M, unit * ROW_M)
                for rail, adapter in enumerate(adapters):
                    name = f"{machine} mlx5_{adapter}"
                    self.devices[name] = PlannedDevice(name, DeviceRole.ADAPTER, machine, "machine", rail, place)
                    self._to_machine(name, leaves[rail], at + 1)

    def _to_machine(self, adapter: str, leaf: str, port: int) -> None:
        label = f"C{len(self.cables) + 1:05}"
        ends = PlannedPort(adapter, 1), PlannedPort(leaf, port)
        if self.shape.breakouts:
            body = f"B-{leaf}-{(port + 1) // 2}"
            self.cables.append(PlannedCable(label, *ends, body, f"tail {2 - port % 2}", "head", type="breakout"))
        else:
            self.cables.append(PlannedCable(label, *ends, type="fibre"))

    def _fan(self, below: Sequence[tuple[str, int]], above: list[str], start: int) -> None:
        """Spread the upper ports of switches evenly over those above, cage by cage. `below` has each switch and how
        many of its ports look down; `start`, how many ports of those above are in use."""
        used = dict.fromkeys(above, start)
        step = 2 if self.shape.twins else 1
        at = 0
        for switch, first in below:
            for port in range(first + 1, self.shape.radix + 1, step):
                upper = above[at % len(above)]
                at += 1
                label = f"T{at:05}-{switch}" if self.shape.twins else ""
                for lane in range(step):
                    used[upper] += 1
                    ends = PlannedPort(switch, port + lane), PlannedPort(upper, used[upper])
                    number = f"C{len(self.cables) + 1:05}"
                    plugs = ("down", "up") if self.shape.twins else ("", "")
                    kind = "dac" if self.shape.twins else "fibre"
                    self.cables.append(PlannedCable(number, *ends, label, *plugs, type=kind))

    def _pods(self) -> None:
        half = self.shape.half
        uppers = []
        for pod in range(-(-len(self.leaves) // half)):
            spines = [self._switch("Y", "spine", f"p{pod + 1}s{at + 1:02}", pod * half + at) for at in range(half)]
            self._fan([(leaf, half) for leaf in self.leaves[pod * half : (pod + 1) * half]], spines, 0)
            uppers += spines
        cores = [self._switch("Z", "core", f"{at + 1:02}", at) for at in range(-(-len(uppers) // 2))]
        self._fan([(spine, half) for spine in uppers], cores, 0)


def _row_name(unit: int) -> str:
    """A to X for the machines; Y and Z are the rows of spines and cores."""
    return chr(ord("A") + unit) if unit < 24 else f"A{_row_name(unit - 24)}"


def _row_number(row: str) -> int:
    return sum(ord(letter) - ord("A") for letter in row)
