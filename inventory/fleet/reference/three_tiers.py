"""The reference fleet: a site of XE9680 machines on a rail-optimised InfiniBand fabric, written as a fleet file.

Arithmetic of the full site, 511 machines:

    a scalable unit is 8 racks of 4 machines, with 8 leaves, one per rail: 16 units, 128 leaves
    machine-leaf: every machine has one cable to each of its unit's 8 leaves    511 x 8  = 4088
    leaf-spine:   a leaf has 32 ports down and 32 up; 4 pods of 32 leaves have
                  32 spines each, and each leaf one cable to each of them       128 x 32 = 4096
    spine-core:   a spine has 32 ports up; 64 cores take 16 from every pod      128 x 32 = 4096
                                                                             together  12,280

Up to 64 leaves two tiers do: the spines are then shared by all leaves, and there are no cores. Three tiers of 64-port
switches end at 64 pods, 8192 machines. Beyond, the rails are split into planes, as large sites do: rails 1 to 4 are one
fabric with pods, spines and cores of its own, rails 5 to 8 another, and a machine is on both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from inventory.fleet.reference import layout as layouts
from inventory.fleet.reference.layout import (
    ETHERNET_U,
    LEAF_U,
    MACHINES_PER_RACK,
    POD,
    RAILS,
    TWO_U_PLACES,
    UPLINKS,
    Layout,
    Rack,
    SwitchPlace,
    Unit,
    numbers,
    plan,
    port_of,
)

_PARTS = """\
parts:   # what the derived parts are; their serials follow from the seed
  gpu: {vendor: NVIDIA, part_number: 692-2G520-0200-000}
  hca: {vendor: NVIDIA, part_number: MCX75310AAS-NEAT}
  nvme: {vendor: Samsung, part_number: MZWLO3T8HCLS-00A07, attributes: {model: SAMSUNG MZWLO3T8HCLS-00A07}}
  psu: {vendor: Dell, part_number: 0CMPGM, attributes: {power_w: 2800}}
  dimm: {vendor: SK Hynix, part_number: HMCG94MEBRA109N, attributes: {size_gib: 64, speed_mts: 4800}}"""


@dataclass
class _Switches:
    """Every switch with its place, by what it does."""

    leaves: list[tuple[SwitchPlace, Unit, str]] = field(default_factory=list)
    ethernet: list[tuple[SwitchPlace, Unit, int]] = field(default_factory=list)
    spines: list[SwitchPlace] = field(default_factory=list)
    cores: list[SwitchPlace] = field(default_factory=list)
    ethernet_spines: list[SwitchPlace] = field(default_factory=list)
    aggregation: list[SwitchPlace] = field(default_factory=list)


def fleet_file(machines: int = 511, bare: int = 0, seed: str = "reference", cabling: str = "fibre") -> str:
    """The fleet file as text. `bare` machines are planned ones beyond `machines`; their rails are not cabled yet.

    With `cabling` twin a cable takes both ports of a cage: from a leaf to two machines, between switches to a cage.
    """
    layout = plan(machines, bare, cabling)
    switches = _place_switches(layout)
    links = machines * len(RAILS) + (layout.leaves + (len(layout.spines) if layout.cores else 0)) * UPLINKS
    tiers = f"{layout.leaves} leaves, {len(layout.spines)} spines, {len(layout.cores)} cores"
    lines = [
        f"# {machines} machines of 8 GPUs, {bare} bare machines; {tiers}; {links} InfiniBand links ({cabling}).",
        "# Written by `manage.py reference_fleet`; the format is described in docs/fleet-file.md.",
        "rackside_fleet: 1",
        "site: {slug: north, name: North campus, timezone: UTC}",
        f'seed: "{seed}"',
        "",
        *_rooms(layout),
        "",
        *_power(layout),
        "",
        _PARTS,
        "",
        *_tables(layout, switches),
        "",
        *_devices(layout, switches),
        "",
        *_cables(layout, switches),
    ]
    return "\n".join(lines) + "\n"


def _place_switches(layout: Layout) -> _Switches:
    found = _Switches()
    for unit in layout.units:
        for rail, hca in enumerate(RAILS if unit.has_leaves else ()):
            above, at = divmod(rail, len(unit.racks))
            rack = unit.racks[at]
            place = layout.place(f"leaf-{rack.low}-r{rail + 1}", rack, LEAF_U - above)
            found.leaves.append((place, unit, hca))
        for side in (1, 2):
            rack = unit.racks[min(2 + side, len(unit.racks) - 1)]
            u = ETHERNET_U + 2 * (side - 1)
            found.ethernet.append((layout.place(f"eth-{rack.low}-{side}", rack, u), unit, side))
    network = layout.racks("network")
    runs = [f"spine-p{pod}-{{01..{POD}}}" for pod in range(1, layout.pods + 1)]
    runs = runs or [f"spine-{{01..{len(layout.spines):02}}}"]
    size = len(layout.spines) // len(runs)
    found.spines = [layout.place(run, rack, 3, size) for run, rack in zip(runs, network, strict=False)]
    for rack, first in zip(network[len(runs) :], range(1, len(layout.cores), POD), strict=False):
        found.cores.append(layout.place(f"core-{{{first:02}..{first + POD - 1}}}", rack, 3, POD))
    _place_two_u(layout, found, network)
    return found


def _place_two_u(layout: Layout, found: _Switches, network: list[Rack]) -> None:
    """Ethernet spines (a group of them serves 64 leaves) and the aggregation of the management network."""
    places = ((rack, u) for u in TWO_U_PLACES for rack in network)
    groups = -(-len(found.ethernet) // 64)
    for group in range(1, groups + 1):
        for number in range(1, _ethernet_spines(layout) + 1):
            found.ethernet_spines.append(layout.place(f"eth-spine-{group}{number}", *next(places)))
    for number in range(1, -(-len(layout.rows) // 2) + 1):
        found.aggregation.append(layout.place(f"mgmt-agg-{number:02}", *next(places)))


def _ethernet_spines(layout: Layout) -> int:
    return 4 if len(layout.units) > 2 else 2


# ---- places ----


def _rooms(layout: Layout) -> Iterator[str]:
    longest = max(len(racks) for _, racks in layout.rows)
    width = longest * layouts.RACK_WIDTH_MM
    tops = [layouts.row_top_mm(index) for index in range(len(layout.rows))]
    yield "rooms:"
    yield "  - name: Hall 1"
    yield f"    width_mm: {2 * layouts.SIDE_MM + width}"
    yield f"    depth_mm: {tops[-1] + layouts.RACK_DEPTH_MM + layouts.COLD_MM}"
    yield "    door: Door 2"
    yield "    rows:   # the fronts of two rows face the cold aisle between them"
    for index, (name, racks) in enumerate(layout.rows):
        network = ", ".join(rack.name for rack in racks if rack.role == "network")
        yield (
            f'      - {{name: {name}, racks: "{layouts.span([rack.name for rack in racks])}", '
            f"x_mm: {layouts.SIDE_MM}, y_mm: {tops[index]}, facing: {'up' if index % 2 else 'down'}, "
            f"height_u: 48, power_limit_w: {layouts.RACK_LIMIT_W}, network: [{network}]}}"
        )
    yield "    aisles:"
    for index, (name, _) in enumerate(layout.rows):
        kind, depth = ("hot", layouts.HOT_MM) if index % 2 else ("cold", layouts.COLD_MM)
        following = layout.rows[index + 1][0] if index + 1 < len(layout.rows) else None
        if following is None and kind == "hot":
            break
        yield (
            f"      - {{name: {name}{f' · {following}' if following else ''}, kind: {kind}, x_mm: {layouts.SIDE_MM}, "
            f"y_mm: {tops[index] + layouts.RACK_DEPTH_MM}, width_mm: {width}, depth_mm: {depth}}}"
        )


def _power(layout: Layout) -> Iterator[str]:
    """Two boards to a row, one per side, with a breaker for every rack: either side carries a whole rack alone."""
    yield "power:"
    yield "  panels:"
    for name, _ in layout.rows:
        for side in ("A", "B"):
            yield f"    - {{name: Board {name}-{side}, room: Hall 1}}"
    yield "  feeds:"
    for name, racks in layout.rows:
        for side in ("A", "B"):
            feeds = f"{layouts.span([rack.low for rack in racks])}-{side.lower()}"
            yield (
                f'    - {{name: "{feeds}", panel: Board {name}-{side}, side: {side}, '
                f"voltage_v: {layouts.FEED_V}, current_a: {layouts.FEED_A}}}"
            )


# ---- tables ----


def _tables(layout: Layout, switches: _Switches) -> Iterator[str]:
    yield "tables:"
    yield "  units:   # racks of a scalable unit, and the Ethernet ports of its machines"
    for unit in layout.units:
        side = {place.name for place, of, _ in switches.ethernet if of is unit}
        first, second = sorted(side, key=lambda name: name[-1])
        ports = f"{{1..{len(unit.racks) * MACHINES_PER_RACK}}}"
        yield f'    - {{unit: "{unit.span}", first: {first}, second: {second}, ports: "{ports}"}}'
    yield "  leaves:  # a leaf takes one rail of its unit; `at` is its port on each spine of `spines`"
    for index, (place, unit, hca) in enumerate(switches.leaves):
        spines, at = _spine_ports(layout, index)
        yield (
            f'    - {{leaf: {place.name}, rack: {place.rack.low}, unit: "{unit.span}", hca: {hca}, '
            f'cages: "{{1..{len(unit.racks) * MACHINES_PER_RACK // 2}}}", spines: "{spines}", at: "{at}", '
            f'outlets: "{place.outlets}", ports: "{place.ports}"}}'
        )
    if layout.cores:
        yield "  spines:  # `at` is the spine's port on each of its 32 cores"
        for index, name in enumerate(layout.spines):
            cores, at = _core_ports(layout, index)
            yield f'    - {{spine: spine-{name}, cores: "{cores}", at: "{at}"}}'
    yield "  network: # the other switches: their outlet on both PDUs, their port on the management switch"
    for place, management in _other_switches(switches):
        yield (
            f'    - {{switch: "{place.name}", mgmt: {management}, rack: {place.rack.low}, '
            f'outlets: "{place.outlets}", ports: "{place.ports}"}}'
        )
    yield "  rows:    # racks of a row, and their ports on the management aggregation"
    for index, (_, racks) in enumerate(layout.rows):
        below = index % 2 * 32
        ports = numbers(list(range(below + 1, below + 1 + len(racks))))
        names = layouts.span([rack.low for rack in racks])
        yield f'    - {{row: "{names}", agg: mgmt-agg-{index // 2 + 1:02}, ports: "{ports}"}}'


def _other_switches(switches: _Switches) -> Iterator[tuple[SwitchPlace, str]]:
    for place in (*switches.spines, *switches.cores):
        yield place, "mgmt0"
    ethernet = [(place, unit.has_leaves) for place, unit, _ in switches.ethernet]
    others = [place for place, cabled in ethernet if cabled]
    others += [*switches.ethernet_spines, *switches.aggregation]
    others += [place for place, cabled in ethernet if not cabled]  # last, so that bare racks relabel nothing
    for place in others:
        yield place, "eth0"


def _spine_ports(layout: Layout, leaf: int) -> tuple[str, str]:
    """The spines a leaf goes to, and its port or ports on each, as patterns."""
    if layout.pods:
        plane, within = layout.in_plane(leaf)
        pod, at = divmod(within, POD)
        name = f"p{plane * layout.pods_of_plane + pod + 1}-"
        return _twin_spines(layout, name, at) if layout.cabling == "twin" else (f"{name}{{01..{POD}}}", port_of(at))
    links = UPLINKS // len(layout.spines)
    if layout.cabling == "twin" and links == 1:
        return _twin_spines(layout, "", leaf)
    first = leaf * links
    spines = f"{{01..{len(layout.spines):02}}}"
    if links == 1:
        return spines, port_of(first)
    return spines, f"{numbers(list(range(first // 2 + 1, (first + links) // 2 + 1)))}/{{1..2}}"


def _twin_spines(layout: Layout, name: str, within: int) -> tuple[str, str]:
    """A leaf has 16 cables of two links: half of the rails go to the first 16 spines, half to the others."""
    half, at = layout.in_half(within)
    return f"{name}{{{half * 16 + 1:02}..{half * 16 + 16}}}", f"{at + 1}/{{1..2}}"


def _core_ports(layout: Layout, spine: int) -> tuple[str, str]:
    """The cores a spine goes to, and its port on each: a pod's spines take turns over the groups of cores."""
    groups = layouts.core_groups(layout.pods_of_plane)
    pod, number = divmod(spine, POD)
    plane, pod = divmod(pod, layout.pods_of_plane)
    first = plane * groups * UPLINKS + 1
    twin = layout.cabling == "twin"  # a cable takes two ports of 16 cores, not one of 32
    size, groups = (UPLINKS // 2, 2 * groups) if twin else (UPLINKS, groups)
    group, at = number % groups, pod * (POD // groups) + number // groups
    cores = f"{{{first + group * size:02}..{first + group * size + size - 1}}}"
    return cores, f"{at + 1}/{{1..2}}" if twin else port_of(at)


# ---- devices ----


def _devices(layout: Layout, switches: _Switches) -> Iterator[str]:
    yield "devices:"
    for role, count, status, net in (("compute", layout.machines, "active", 10), ("bare", layout.bare, "planned", 11)):
        racks = layout.racks(role)
        if not racks:
            continue
        missing = _missing(racks, count)
        yield '  - name: "hgx-{rack}-{n:02}"'
        yield "    model: dell-xe9680-h100"
        yield f"    racks: [{_patterns(racks)}]"
        yield "    u: [5, 11, 17, 23]"
        if missing:
            yield f"    without: [{', '.join(missing)}]"
        yield f"    status: {status}"
        yield "    derive: true"
        yield f"    primary_ip: 10.{net}.0.1+"
        yield f"    bmc_ip: 10.{net + 10}.0.1+"
    for place, _, _ in switches.leaves:
        yield _switch(place.name, "nvidia-qm9700", place, "infiniband", "leaf")
    for tier, places in (("spine", switches.spines), ("core", switches.cores)):
        for place in places:
            yield _run(place, tier)
    for place in (*(place for place, _, _ in switches.ethernet), *switches.ethernet_spines):
        tier = "spine" if place.name.startswith("eth-spine") else "leaf"
        yield _switch(place.name, "nvidia-sn4600c", place, "ethernet", tier)
    for place in switches.aggregation:
        yield _switch(place.name, "nvidia-sn4600c", place, "management", "spine")
    every = _patterns([rack for _, racks in layout.rows for rack in racks])
    yield (
        f'  - {{name: "mgmt-{{rack}}", model: nvidia-sn2201, racks: [{every}], u: {layouts.MANAGEMENT_U}, '
        "fabric: management, tier: tor, derive: true}"
    )
    for side, side_slot in (("a", "rear-left"), ("b", "rear-right")):
        yield (
            f'  - {{name: "pdu-{{rack}}-{side}", model: pdu-zero-u-36c13-12c19, racks: [{every}], side: {side_slot}, '
            f'feed: "{{rack}}-{side}", limit_w: {layouts.PDU_LIMIT_W}, derive: true}}'
        )


def _missing(racks: list[Rack], machines: int) -> list[str]:
    """Machines that the last rack has no more: it may be partly filled."""
    there = machines - (len(racks) - 1) * MACHINES_PER_RACK
    return [f"hgx-{racks[-1].low}-{number:02}" for number in range(there + 1, MACHINES_PER_RACK + 1)] if racks else []


def _patterns(racks: list[Rack]) -> str:
    """Rack names as quoted patterns, one for each run of neighbours."""
    runs: list[list[str]] = []
    for rack in racks:
        last = runs[-1][-1] if runs else ""
        if last[:-2] == rack.name[:-2] and last and int(last[-2:]) + 1 == int(rack.name[-2:]):
            runs[-1].append(rack.name)
        else:
            runs.append([rack.name])
    return ", ".join(f'"{layouts.span(run)}"' for run in runs)


def _switch(name: str, model: str, place: SwitchPlace, fabric: str, tier: str) -> str:
    return (
        f"  - {{name: {name}, model: {model}, racks: {place.rack.name}, u: {place.u}, "
        f"fabric: {fabric}, tier: {tier}, derive: true}}"
    )


def _run(place: SwitchPlace, tier: str) -> str:
    """A run of switches filling one rack upwards; the numbers of the run are those of the names."""
    head, _, tail = place.name.partition("{")
    first, last = (int(number) for number in tail.rstrip("}").split(".."))
    units = f'"{place.u}..{place.u + last - first}"'
    if first == 1:
        return (
            f'  - {{name: "{head}{{n:02}}", model: nvidia-qm9700, racks: {place.rack.name}, u: {units}, '
            f"fabric: infiniband, tier: {tier}, derive: true}}"
        )
    names = (f"{head}{number:02}" for number in range(first, last + 1))
    return "\n".join(
        _switch(name, "nvidia-qm9700", replace(place, u=place.u + above), "infiniband", tier)
        for above, name in enumerate(names)
    )


# ---- cables ----


def _cables(layout: Layout, switches: _Switches) -> Iterator[str]:
    missing = _missing(layout.racks("compute"), layout.machines) + _missing(layout.racks("bare"), layout.bare)
    without = f"without: [{', '.join(missing)}]" if missing else ""
    tier = layout.labels
    yield "cables:"
    twin = layout.cabling == "twin"
    machines, cages = "hgx-$unit-{01..04} $hca", "$leaf $cages/{1..2}"
    legs = "OSFP to 2x OSFP, strands: 2, connectors_b: 2" if twin else "MPO-12 OM4"
    yield from _rule(
        "InfiniBand: a cage of the leaf to two machines" if twin else "InfiniBand: machine to leaf, one rail each",
        f'type: {legs}, colour: aqua, length_m: route, each: leaves, label: "C-{{n:05}}", first: 1',
        *((cages, machines) if twin else (machines, cages)), without,
    )  # fmt: skip
    trunk = "OSFP 2x400G, strands: 2" if twin else "MPO-12 OS2"
    yield from _rule(
        "InfiniBand: leaf to spine",
        f'type: {trunk}, colour: yellow, length_m: route, each: leaves, label: "C-{{n:05}}", first: {tier + 1}',
        "$leaf {17..32}/{1..2}", "spine-$spines $at",
    )  # fmt: skip
    if layout.cores:
        yield from _rule(
            "InfiniBand: spine to core",
            f'type: {trunk}, colour: violet, length_m: route, each: spines, label: "C-{{n:05}}", first: {2 * tier + 1}',
            "$spine {17..32}/{1..2}", "core-$cores $at",
        )  # fmt: skip
    yield from _ethernet_cables(layout, switches, without)
    yield from _management_cables(layout.labels, without)
    yield from _power_cables(layout.labels, without)


def _ethernet_cables(layout: Layout, switches: _Switches, without: str) -> Iterator[str]:
    for at, (adapter, side) in enumerate((("mlx5_1", "first"), ("mlx5_7", "second"))):
        yield from _rule(
            f"Ethernet: machine to the {side} leaf of its unit",
            f'type: QSFP28 AOC, colour: orange, length_m: route, each: units, label: "E-{{n:05}}", '
            f"first: {at * layout.labels + 1}",
            f"hgx-$unit-{{01..04}} {adapter}", f"${side} swp$ports", without,
        )  # fmt: skip
    spines = _ethernet_spines(layout)
    yield "  # Ethernet: leaf to spine"
    for index, (leaf, _, _) in enumerate(switches.ethernet):
        group, port = divmod(index, 64)
        yield (
            f'  - {{type: MPO-12 OM4, colour: orange, length_m: route, a: "{leaf.name} swp{{61..{60 + spines}}}", '
            f'b: "eth-spine-{group + 1}{{1..{spines}}} swp{port + 1}", label: "E-{{n:05}}", '
            f"first: {2 * layout.labels + index * 4 + 1}}}"
        )


def _management_cables(step: int, without: str) -> Iterator[str]:
    def rule(title: str, first: int, each: str, a: str, b: str, more: str = "") -> Iterator[str]:
        head = f'type: Cat6, colour: grey, length_m: route, each: {each}, label: "M-{{n:05}}", first: {first}'
        return _rule(f"Management: {title}", head, a, b, more)

    yield from rule("BMC", 1, "units", "hgx-$unit-{01..04} iDRAC", "mgmt-$unit swp{1..4}", without)
    yield from rule("leaf", step + 1, "leaves", "$leaf mgmt0", "mgmt-$rack swp$ports")
    yield from rule("other switches", 2 * step + 1, "network", "$switch $mgmt", "mgmt-$rack swp$ports")
    for feed, port in (("a", 5), ("b", 6)):
        first = (port - 2) * step + 1
        yield from rule(f"PDU {feed.upper()}", first, "rows", f"pdu-$row-{feed} Network", f"mgmt-$row swp{port}")
    yield from _rule(
        "Management: uplinks",
        f'type: QSFP28 AOC, colour: grey, length_m: route, each: rows, label: "M-{{n:05}}", first: {5 * step + 1}',
        "mgmt-$row swp49", "$agg swp$ports",
    )  # fmt: skip


def _power_cables(step: int, without: str) -> Iterator[str]:
    """Half of the supplies of a machine on each feed; a switch has one on each."""
    for feed, colour, first, supplies, supply in (("a", "red", 0, "{1..3}", 1), ("b", "blue", 5, "{4..6}", 2)):
        switch, outlets = f"PSU {supply}", f"pdu-$rack-{feed} C13 $outlets"
        rules = (
            ("machines", "C19-C20", "units", f"hgx-$unit-{{01..04}} PSU {supplies}", f"pdu-$unit-{feed} C19 {{1..12}}"),
            ("leaves", "C13-C14", "leaves", f"$leaf {switch}", outlets),
            ("other switches", "C13-C14", "network", f"$switch {switch}", outlets),
            ("management", "C13-C14", "rows", f"mgmt-$row {switch}", f"pdu-$row-{feed} C13 1"),
        )
        for number, (title, kind, each, a, b) in enumerate(rules, start=first):
            head = f'type: {kind}, colour: {colour}, length_m: 2, each: {each}, label: "P-{{n:06}}", '
            more = without if title == "machines" else ""
            yield from _rule(f"Power, feed {feed.upper()}: {title}", f"{head}first: {number * step + 1}", a, b, more)


def _rule(title: str, head: str, a: str, b: str, more: str = "") -> Iterator[str]:
    yield f"  # {title}"
    yield f'  - {{{head}, a: "{a}", b: "{b}"{", " + more if more else ""}}}'
