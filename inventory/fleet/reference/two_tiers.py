"""A second reference fleet in two tiers, for comparing with what was measured elsewhere on a site of these counts.

511 machines in 132 racks of 4 rows. Two tiers of 64-port switches: 128 leaves exceed the 64 that one spine can reach,
so rails 1 to 4 are one plane with 32 spines and rails 5 to 8 another; within a plane every leaf has one cable to every
spine, from one plane to the other one goes through a machine.

    devices      511 machines, 128 leaves, 64 spines, 128 rack switches, 6 + 3 aggregation switches,
                 132 management switches, 264 PDUs                                                       1,236
    cables       4,088 machine-leaf, 4,096 leaf-spine, 1,022 + 256 Ethernet, 511 BMC, 329 management of
                 switches, 264 of PDUs, 132 uplinks                                                     10,698
    ports        30,038 for data, 10,453 for power; with 4,088 GPUs by serial, ports and parts          44,579

No power cords. The models stand in the file, cut down to the parts that are counted.
"""

from __future__ import annotations

from collections.abc import Iterator

ROWS, PER_ROW, NETWORK = "ABCD", 33, 17
UNIT = 8  # racks that share eight leaves, one for each rail; each rack holds one of them
RAILS = 8
MISSING = "hgx-d33-04"  # the 512th

_HEAD = """\
# 511 machines of 8 GPUs in two tiers: 1,236 devices, 10,698 cables, 44,579 ports and parts.
# Written by `manage.py reference_fleet --shape netbox`; the format is described in docs/fleet-file.md.
rackside_fleet: 1
site: {slug: north, name: North campus, timezone: UTC}
"""

_MODELS = """\
device_models:
  - model: two-tier-machine
    vendor: Example
    name: Machine of 8 GPUs
    kind: machine
    u_height: 6
    power_w: 10200
    weight_kg: 114
    gpu: {count: 8, type: NVIDIA H100 80GB HBM3}
    slots:
      - {range: "GPU {0..7}", kind: gpu}
    ports:
      - {range: "rail{1..8}", kind: infiniband, speed_gbps: 400, face: rear}
      - {range: "eth{1..2}", kind: ethernet, speed_gbps: 100, face: rear}
      - {range: "PSU {1..6}", kind: power_in, face: rear}
      - {name: BMC, kind: bmc, speed_gbps: 1, face: rear}
  - model: two-tier-fabric
    vendor: Example
    name: InfiniBand switch, 32 cages of 2 ports
    kind: switch
    u_height: 1
    power_w: 1720
    ports:
      - {range: "{1..32}/{1..2}", kind: infiniband, speed_gbps: 400, cage: "{n}", lane: "{m}", face: rear}
      - {name: mgmt0, kind: ethernet, speed_gbps: 1, face: front}
      - {range: "PSU {1..2}", kind: power_in, face: front}
"""


def two_tier_file(seed: str = "reference") -> str:
    """The fleet file as text."""
    sections = (_rooms(), _models(), _tables(), _devices(), _cables())
    return f'{_HEAD}seed: "{seed}"\n\n' + "\n".join("\n".join(section) + "\n" for section in sections)


# ---- where things stand ----


def _units() -> list[list[str]]:
    """Racks of each scalable unit, in lower case. No unit reaches across a network rack."""
    racks = [f"{row.lower()}{at:02}" for row in ROWS for at in range(1, PER_ROW + 1) if at != NETWORK]
    return [racks[at : at + UNIT] for at in range(0, len(racks), UNIT)]


def _port(index: int) -> str:
    return f"{index // 2 + 1}/{index % 2 + 1}"


def _rooms() -> Iterator[str]:
    yield "rooms:"
    yield "  - name: Hall 1"
    yield "    width_mm: 24600"
    yield "    depth_mm: 15600"
    yield "    door: Door 2"
    yield "    rows:"
    for at, row in enumerate(ROWS):
        top = 1800 + at // 2 * 6000 + at % 2 * 3000
        facing = "up" if at % 2 else "down"
        yield (
            f'      - {{name: {row}, racks: "{row}{{01..{PER_ROW}}}", x_mm: 2400, y_mm: {top}, facing: {facing}, '
            f"power_limit_w: 48000, network: [{row}{NETWORK}]}}"
        )


# ---- models ----


def _models() -> Iterator[str]:
    yield from _MODELS.rstrip().split("\n")
    yield from _switch("two-tier-rack", "Rack switch, 32 ports", 1, 32, 0, 2)
    yield from _switch("two-tier-aggregation", "Ethernet aggregation, 48 ports", 1, 48, 0, 2)
    yield from _switch("two-tier-management", "Management switch, 48 ports and 4 uplinks", 1, 48, 4, 1)
    yield "  - model: two-tier-pdu"
    yield "    vendor: Example"
    yield "    name: Zero-U PDU, 24 outlets"
    yield "    kind: pdu"
    yield "    u_height: 0"
    yield "    full_depth: false"
    yield "    ports:"
    yield '      - {range: "Outlet {1..24}", kind: power_outlet, face: rear}'
    yield "      - {name: Inlet, kind: power_in, face: rear}"
    yield "      - {name: Network, kind: ethernet, speed_gbps: 1, face: rear}"


def _switch(model: str, name: str, height: int, ports: int, uplinks: int, supplies: int) -> Iterator[str]:
    yield f"  - model: {model}"
    yield "    vendor: Example"
    yield f"    name: {name}"
    yield "    kind: switch"
    yield f"    u_height: {height}"
    yield "    ports:"
    yield f'      - {{range: "swp{{1..{ports + uplinks}}}", kind: ethernet, face: rear}}'
    yield "      - {name: eth0, kind: ethernet, speed_gbps: 1, face: front}"
    yield f'      - {{range: "PSU {{1..{supplies}}}", kind: power_in, face: front}}'


# ---- tables ----


def _tables() -> Iterator[str]:
    yield "tables:"
    yield "  leaves:   # a leaf takes one rail of its unit, and one port on every spine of its plane"
    for number, racks in enumerate(_units()):
        unit = f"{racks[0][0]}{{{racks[0][1:]}..{racks[-1][1:]}}}"
        for rail in range(RAILS):
            plane, within = divmod(rail, RAILS // 2)
            at = _port(number * RAILS // 2 + within)
            yield (
                f'    - {{leaf: leaf-{racks[rail]}, unit: "{unit}", rail: rail{rail + 1}, '
                f'plane: "{plane + 1}", at: {at}}}'
            )
    yield "  racks:    # a rack's switch goes to two of the six aggregation switches"
    compute = [rack for racks in _units() for rack in racks]
    for number, rack in enumerate(compute):
        first = number % 3 * 2 + 1
        yield f'    - {{rack: {rack}, pair: "{{{first}..{first + 1}}}", port: "{number // 3 + 1}"}}'
    yield "  network:  # what stands in the network racks, with its port on the management switch there"
    for number, row in enumerate(ROWS):
        plane, half = divmod(number, 2)
        spines = f"spine-{plane + 1}-{{{half * 16 + 1:02}..{half * 16 + 16}}}"
        yield f'    - {{switch: "{spines}", mgmt: mgmt0, rack: {row.lower()}{NETWORK}, ports: "{{7..22}}"}}'
    for name, rack, port in _aggregation():
        yield f'    - {{switch: {name}, mgmt: eth0, rack: {rack.lower()}, ports: "{port}"}}'


def _aggregation() -> Iterator[tuple[str, str, int]]:
    """Name, rack and management port: two for Ethernet and one for management in each of three network racks."""
    for at, row in enumerate(ROWS[:3]):
        for number in (1, 2):
            yield f"agg-{2 * at + number}", f"{row}{NETWORK}", 22 + number
        yield f"mgmt-agg-{at + 1}", f"{row}{NETWORK}", 25


# ---- devices and cables ----


def _devices() -> Iterator[str]:
    compute = ", ".join(f'"{row}{{01..{NETWORK - 1:02}}}", "{row}{{{NETWORK + 1:02}..{PER_ROW}}}"' for row in ROWS)
    every = ", ".join(f'"{row}{{01..{PER_ROW}}}"' for row in ROWS)
    yield "devices:"
    yield (
        f'  - {{name: "hgx-{{rack}}-{{n:02}}", model: two-tier-machine, racks: [{compute}], u: [5, 11, 17, 23], '
        f"without: [{MISSING}], derive: true, primary_ip: 10.10.0.1+, bmc_ip: 10.20.0.1+}}"
    )
    yield _group('"leaf-{rack}"', "fabric", compute, 39, "infiniband, tier: leaf")
    for number, row in enumerate(ROWS):
        plane, half = divmod(number, 2)
        for at in range(16):
            spine = f"spine-{plane + 1}-{half * 16 + at + 1:02}"
            yield _group(spine, "fabric", f"{row}{NETWORK}", 3 + at, "infiniband, tier: spine")
    yield _group('"tor-{rack}"', "rack", compute, 43, "ethernet, tier: tor")
    for at, (name, rack, _) in enumerate(_aggregation()):
        if name.startswith("mgmt"):
            yield _group(name, "management", rack, 30 + at % 3, "management, tier: spine")
        else:
            yield _group(name, "aggregation", rack, 30 + at % 3, "ethernet, tier: spine")
    yield _group('"mgmt-{rack}"', "management", every, 41, "management, tier: tor")
    for feed, side in (("A", "rear-left"), ("B", "rear-right")):
        yield (
            f'  - {{name: "pdu-{{rack}}-{feed.lower()}", model: two-tier-pdu, racks: [{every}], side: {side}, '
            f"feed: {feed}, limit_w: 48000, derive: true}}"
        )


def _group(name: str, model: str, racks: str, u: int, fabric: str) -> str:
    return f"  - {{name: {name}, model: two-tier-{model}, racks: [{racks}], u: {u}, fabric: {fabric}, derive: true}}"


def _cables() -> Iterator[str]:
    yield "cables:"
    aqua, yellow = "MPO-12 OM4, colour: aqua", "MPO-12 OS2, colour: yellow"
    without = f"without: [{MISSING}]"
    yield _rule("C", 1, aqua, "leaves", "hgx-$unit-{01..04} $rail", "$leaf {1..16}/{1..2}", without)
    yield _rule("C", 10001, yellow, "leaves", "$leaf {17..32}/{1..2}", "spine-$plane-{01..32} $at")
    yield _rule("E", 1, "QSFP28 AOC", "racks", "hgx-$rack-{01..04} eth{1..2}", "tor-$rack swp{1..8}", without)
    yield _rule("E", 2001, "QSFP28 AOC", "racks", "tor-$rack swp{31..32}", "agg-$pair swp$port")
    yield _rule("M", 1, "Cat6", "racks", "hgx-$rack-{01..04} BMC", "mgmt-$rack swp{1..4}", without)
    yield _rule("M", 1001, "Cat6", "racks", "leaf-$rack mgmt0", "mgmt-$rack swp7")
    yield _rule("M", 2001, "Cat6", "racks", "tor-$rack eth0", "mgmt-$rack swp8")
    yield _rule("M", 3001, "Cat6", "network", "$switch $mgmt", "mgmt-$rack swp$ports")
    for at, row in enumerate(ROWS.lower()):
        racks = f"{row}{{01..{PER_ROW}}}"
        for feed, port in (("a", 5), ("b", 6)):
            first = 4001 + 100 * (2 * at + port - 5)
            yield _rule("M", first, "Cat6", "", f"pdu-{racks}-{feed} Network", f"mgmt-{racks} swp{port}")
        yield from _uplinks(at, row)


def _uplinks(at: int, row: str) -> Iterator[str]:
    """A row's management switches go to its aggregation switch; those of the fourth row to all three."""
    if at < 3:
        racks, ports = f"{row}{{01..33}}", f"mgmt-agg-{at + 1} swp{{1..33}}"
        yield _rule("M", 5001 + 100 * at, "QSFP28 AOC", "", f"mgmt-{racks} swp49", ports)
        return
    for part in range(3):
        racks, ports = f"{row}{{{part * 11 + 1:02}..{part * 11 + 11}}}", f"mgmt-agg-{part + 1} swp{{34..44}}"
        yield _rule("M", 5301 + 11 * part, "QSFP28 AOC", "", f"mgmt-{racks} swp49", ports)


def _rule(letter: str, first: int, kind: str, each: str, a: str, b: str, more: str = "") -> str:
    parts = [f"type: {kind}", "length_m: route", f'label: "{letter}-{{n:05}}"', f"first: {first}"]
    parts += [f"each: {each}"] * bool(each) + [f'a: "{a}"', f'b: "{b}"'] + [more] * bool(more)
    return f"  - {{{', '.join(parts)}}}"
