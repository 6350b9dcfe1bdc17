"""Where everything of the reference fleet stands: racks by row, scalable units, switches by rack and port."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count

MACHINES_PER_RACK = 4
RACKS_PER_UNIT = 8
RACKS_PER_ROW = 3 * RACKS_PER_UNIT
RAILS = ("mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11")
UPLINKS = 32  # of a leaf or spine: cages 17 to 32, both halves
POD = 32  # leaves, and spines, of one pod
TWO_TIER_LEAVES = 64
MAX_MACHINES = 16384
# Pods that one set of cores can join: a core has 64 ports, or 32 cages where a cable takes a whole cage.
MOST_PODS = {"fibre": 64, "twin": 32}

RACK_WIDTH_MM, RACK_DEPTH_MM = 600, 1200
COLD_MM, HOT_MM, SIDE_MM = 1800, 1200, 2400

# 415 V x 100 A x sqrt 3 x 80 % are 57,512 W: enough for the fullest rack, 32 spines at 1,720 W with five 2U switches.
FEED_V, FEED_A = 415, 100
PDU_LIMIT_W = RACK_LIMIT_W = 57_500

MANAGEMENT_U, LEAF_U, ETHERNET_U = 41, 39, 43
TWO_U_PLACES = (36, 38, 42, 44, 46)  # of a network rack, above its 32 InfiniBand switches


@dataclass(frozen=True)
class Rack:
    name: str
    role: str

    @property
    def low(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Unit:
    """Up to 8 racks whose machines share 8 leaves, one per rail; a bare one has no leaves yet."""

    racks: tuple[Rack, ...]
    has_leaves: bool

    @property
    def span(self) -> str:
        return span([rack.low for rack in self.racks])


@dataclass(frozen=True)
class SwitchPlace:
    """A switch, or a run of them (`spine-p1-{01..32}`) in one rack, with its outlets and management ports."""

    name: str
    rack: Rack
    u: int
    outlets: str
    ports: str


@dataclass
class Layout:
    machines: int
    bare: int
    cabling: str = "fibre"
    planes: int = 1
    rows: list[tuple[str, list[Rack]]] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    pods: int = 0
    spines: list[str] = field(default_factory=list)
    cores: list[str] = field(default_factory=list)
    _outlets: dict[Rack, count[int]] = field(default_factory=lambda: defaultdict(lambda: count(2)))
    _ports: dict[Rack, count[int]] = field(default_factory=lambda: defaultdict(lambda: count(7)))

    def racks(self, role: str) -> list[Rack]:
        return [rack for _, racks in self.rows for rack in racks if rack.role == role]

    @property
    def fabric_units(self) -> list[Unit]:
        return [unit for unit in self.units if unit.has_leaves]

    @property
    def leaves(self) -> int:
        return len(self.fabric_units) * len(RAILS)

    @property
    def pods_of_plane(self) -> int:
        return self.pods // self.planes

    def in_plane(self, leaf: int) -> tuple[int, int]:
        """Plane of a leaf, and its number in the plane: a unit's first rails are in the first plane."""
        unit, rail = divmod(leaf, len(RAILS))
        rails = len(RAILS) // self.planes
        return rail // rails, unit * rails + rail % rails

    def in_half(self, within: int) -> tuple[int, int]:
        """Half of its pod or plane that a leaf is in, by its rail, and its number in that half."""
        rails = len(RAILS) // self.planes
        unit, rail = divmod(within, rails)
        return rail // (rails // 2), unit * (rails // 2) + rail % (rails // 2)

    @property
    def labels(self) -> int:
        """Cable numbers set aside for each kind of cable: 10,000, or more where that would not do."""
        most = max(self.leaves * UPLINKS, len(self.spines) * UPLINKS, len(self.units) * RACKS_PER_UNIT * 12)
        step = 10_000
        while step <= most:
            step *= 10
        return step

    def place(self, name: str, rack: Rack, u: int, how_many: int = 1) -> SwitchPlace:
        """Take the next outlets of the rack's PDUs and the next ports of its management switch.

        Outlet 1 is the management switch's own; ports 1 to 6 are four BMCs and two PDUs.
        """
        outlets = [next(self._outlets[rack]) for _ in range(how_many)]
        ports = [next(self._ports[rack]) for _ in range(how_many)]
        return SwitchPlace(name, rack, u, numbers(outlets), numbers(ports))


def numbers(run: list[int]) -> str:
    return f"{{{run[0]}..{run[-1]}}}" if len(run) > 1 else str(run[0])


def span(names: list[str]) -> str:
    """A run of rack names as one pattern."""
    return f"{names[0][:-2]}{{{names[0][-2:]}..{names[-1][-2:]}}}" if len(names) > 1 else names[0]


def row_name(index: int) -> str:
    """A, B, .. Z, AA, AB, .."""
    name, index = "", index + 1
    while index:
        index, letter = divmod(index - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def row_top_mm(index: int) -> int:
    """Rows in pairs, front to front over a cold aisle; pairs back to back over a hot one."""
    pairs, second = divmod(index, 2)
    return COLD_MM + pairs * (2 * RACK_DEPTH_MM + COLD_MM + HOT_MM) + second * (RACK_DEPTH_MM + COLD_MM)


def port_of(index: int) -> str:
    """Port number `index` (from 0) of an InfiniBand switch as cage/half."""
    return f"{index // 2 + 1}/{index % 2 + 1}"


def core_groups(pods: int) -> int:
    """A spine has 32 uplinks, so cores come in groups of 32; one group has room for two pods."""
    groups = 1
    while groups * 2 < pods:
        groups *= 2
    return groups


def plan(machines: int, bare: int, cabling: str = "fibre") -> Layout:
    """Racks and switches for so many machines. Raises ValueError for a number that makes no site."""
    if not 1 <= machines <= MAX_MACHINES or not 0 <= bare <= MAX_MACHINES:
        raise ValueError(f"a site has 1 to {MAX_MACHINES} machines, and at most as many bare ones")
    layout = Layout(machines, bare, cabling)
    compute, spare = (-(-number // MACHINES_PER_RACK) for number in (machines, bare))
    leaves = -(-compute // RACKS_PER_UNIT) * len(RAILS)
    _plan_fabric(layout, leaves)
    _plan_rows(layout, compute, spare)
    for role, has_leaves in (("compute", True), ("bare", False)):
        for _, row in layout.rows:  # a unit ends with its row: bare racks begin where others left room
            racks = [rack for rack in row if rack.role == role]
            for first in range(0, len(racks), RACKS_PER_UNIT):
                layout.units.append(Unit(tuple(racks[first : first + RACKS_PER_UNIT]), has_leaves))
    return layout


def _plan_fabric(layout: Layout, leaves: int) -> None:
    if leaves <= TWO_TIER_LEAVES:
        spines = 4
        while spines * 2 < leaves:
            spines *= 2
        layout.spines = [f"{number:02}" for number in range(1, spines + 1)]
        return
    while -(-leaves // layout.planes // POD) > MOST_PODS[layout.cabling]:
        layout.planes *= 2
    layout.pods = layout.planes * -(-leaves // layout.planes // POD)
    layout.spines = [f"p{pod}-{number:02}" for pod in range(1, layout.pods + 1) for number in range(1, POD + 1)]
    cores = layout.planes * UPLINKS * core_groups(layout.pods_of_plane)
    layout.cores = [f"{number:02}" for number in range(1, cores + 1)]


def _plan_rows(layout: Layout, compute: int, spare: int) -> None:
    """Rows of three units; the network rack of a row stands behind its first unit, racks of bare machines come last."""
    rows: list[list[str]] = []
    network = -(-(len(layout.spines) + len(layout.cores)) // POD)
    for first in range(0, compute, RACKS_PER_ROW):
        roles = ["compute"] * min(RACKS_PER_ROW, compute - first)
        roles.insert(RACKS_PER_UNIT, "network")
        network -= 1
        rows.append(roles)
    all_rows = -(-(compute + spare) // RACKS_PER_ROW) + 1
    units = -(-compute // RACKS_PER_UNIT) + -(-spare // RACKS_PER_UNIT) + all_rows
    switches = 4 * -(-2 * units // 64) + -(-all_rows // 2)  # Ethernet spines and aggregation, at the most
    network = max(network, -(-switches // len(TWO_U_PLACES)) - len(rows))
    further = ["network"] * network + ["bare"] * spare
    while further:
        free = RACKS_PER_ROW + 1 - len(rows[-1])
        rows[-1] += further[:free]
        further = further[free:]
        if further:
            rows.append([])
    for index, roles in enumerate(rows):
        name = row_name(index)
        layout.rows.append((name, [Rack(f"{name}{at:02}", role) for at, role in enumerate(roles, start=1)]))
