"""What the tools print of a made fabric: ibnetdiscover, iblinkinfo, ibqueryerrors (infiniband-diags 44).

And the plan as CSV, and a topology that ibsim loads. `offset`: how far an adapter's port GUID is from its node's, 0 on
real ones and 1 in ibsim.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from fabric.facts import NodeKind, Plan, Seen, SeenLink, SeenNode, SeenPort
from fabric.tests.made import Made

LANE_RATES = {
    "FDR": "14.0625 Gbps",
    "EDR": "25.78125 Gbps",
    "HDR": "53.125 Gbps",
    "NDR": "106.25 Gbps",
    "XDR": "200 Gbps",
}


def plan_csv(plan: Plan) -> str:
    """The plan in the form of `fabric diagnose --plan`."""
    rows = [f"{c.label},{c.a.device},{c.a.port},{c.b.device},{c.b.port}" for c in plan.cables]
    return "\n".join(["cable,a_device,a_port,b_device,b_port", *rows, ""])


def ibnetdiscover(seen: Seen, offset: int = 0) -> str:
    far = _far_ends(seen)
    first = next(iter(sorted(seen.nodes)), "0" * 16)
    head = f"#\n# Topology file: generated on Mon Jan  5 08:00:00 2026\n#\n# Initiated from node {first} port {first}\n"
    blocks = [head]
    for node in _in_order(seen):
        switch = node.kind is NodeKind.SWITCH
        lines = ["vendid=0x2c9", f"devid=0x{'d2f2' if switch else '1021'}", f"sysimgguid=0x{node.system_guid}"]
        if switch:
            lines.append(f"switchguid=0x{node.guid}({node.guid.lstrip('0')})")
            lines.append(
                f'Switch\t{node.ports} "S-{node.guid}"\t\t# "{node.description}" enhanced port 0 lid {node.lid} lmc 0'
            )
        else:
            lines.append(f"caguid=0x{node.guid}")
            lines.append(f'Ca\t{node.ports} "H-{node.guid}"\t\t# "{node.description}"')
        lines += [_netdiscover_port(seen, node, at, far[node.guid, at], offset) for at in _lit(node, far)]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _netdiscover_port(seen: Seen, node: SeenNode, number: int, end: tuple[SeenPort, SeenLink], offset: int) -> str:
    port, link = end
    peer = seen.nodes[port.guid]
    rate = f"{link.width}{link.speed}"
    if node.kind is not NodeKind.SWITCH:
        return (
            f'[{number}]({_port_guid(node, offset)}) \t"S-{peer.guid}"[{port.port}]\t\t# lid {node.lid} lmc 0 '
            f'"{peer.description}" lid {peer.lid} {rate}'
        )
    is_switch = peer.kind is NodeKind.SWITCH
    far = f'"S-{peer.guid}"[{port.port}]' if is_switch else f'"H-{peer.guid}"[{port.port}]({_port_guid(peer, offset)}) '
    return f'[{number}]\t{far}\t\t# "{peer.description}" lid {peer.lid} {rate}'


def iblinkinfo(seen: Seen, offset: int = 0) -> str:
    """As with -l: one line for each port, down ones included."""
    far = _far_ends(seen)
    lines = [
        _linkinfo_port(seen, node, number, far.get((node.guid, number)), offset)
        for node in _in_order(seen)
        for number in range(1, node.ports + 1)
    ]
    return "\n".join([*lines, ""])


def _linkinfo_port(seen: Seen, node: SeenNode, number: int, end: tuple[SeenPort, SeenLink] | None, offset: int) -> str:
    state = seen.states[SeenPort(node.guid, number)]
    start = f'0x{_port_guid(node, offset)} "{node.description:>30}" {node.lid:>6} {number:>4}[  ] =='
    says = f"{state.logical:>6}/{state.physical:>8}"
    if end is None:
        return f'{start}({"":>3} {"":>9} {says})==>             [  ] "" ( )'
    port, link = end
    peer = seen.nodes[port.guid]
    could = f"Could be {state.best_width.upper()} " if state.width != state.best_width else ""
    could += f"Could be {LANE_RATES[state.best_speed]} " if state.speed != state.best_speed else ""
    return (
        f"{start}({link.width.upper():>3} {LANE_RATES[link.speed]:>18} {says})==>  "
        f'0x{_port_guid(peer, offset)} {peer.lid:>6} {port.port:>4}[  ] "{peer.description}" ({could or " "})'
    )


def _port_guid(node: SeenNode, offset: int) -> str:
    return node.guid if node.kind is NodeKind.SWITCH else f"{int(node.guid, 16) + offset:016x}"


def ibqueryerrors(seen: Seen) -> str:
    by_node: dict[str, list[tuple[int, dict[str, int]]]] = defaultdict(list)
    for port, counters in sorted(seen.counters.items()):
        by_node[port.guid].append((port.port, counters))
    lines = []
    for guid, ports in by_node.items():
        total: dict[str, int] = defaultdict(int)
        for _, counters in ports:
            for name, value in counters.items():
                total[name] += value
        lines.append(f'Errors for 0x{guid} "{seen.nodes[guid].description}"')
        for number, counters in [("ALL", dict(total)), *ports]:
            said = " ".join(f"[{name} == {value}]" for name, value in counters.items())
            lines.append(f"   GUID 0x{guid} port {number}: {said}")
    ports_checked = sum(node.ports for node in seen.nodes.values())
    lines += [
        "",
        f"## Summary: {len(seen.nodes)} nodes checked, {len(by_node)} bad nodes found",
        f"##          {ports_checked} ports checked, {len(seen.counters)} ports have errors beyond threshold",
        "## Thresholds: ",
        "## Suppressed:",
        "",
    ]
    return "\n".join(lines)


def ibsim(fabric: Made) -> str:
    """The fabric for ibsim 0.10. It knows speeds up to HDR: every link is HDR there, a slow one EDR.

    Adapters without a lit link stay out: a tool could not see them either.
    """
    seen = fabric.seen()
    far = _far_ends(seen)
    blocks = []
    for node in _in_order(seen):
        letter, word = ("S", "Switch") if node.kind is NodeKind.SWITCH else ("H", "Hca")
        lines = ["extspeed=7", f"{'switchguid' if letter == 'S' else 'caguid'}=0x{node.guid}"]
        lines.append(f'{word}\t{node.ports} "{letter}-{node.guid}"\t\t# "{node.description}"')
        for number in _lit(node, far):
            port, link = far[node.guid, number]
            peer = "S" if seen.nodes[port.guid].kind is NodeKind.SWITCH else "H"
            weak = " w=1" if link.width == "1x" else ""
            weak += " e=3" if link.speed != fabric.shape.speed else ""
            lines.append(f'[{number}]\t"{peer}-{port.guid}"[{port.port}]{weak}')
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _far_ends(seen: Seen) -> dict[tuple[str, int], tuple[SeenPort, SeenLink]]:
    far = {}
    for link in seen.links:
        far[link.a.guid, link.a.port] = (link.b, link)
        far[link.b.guid, link.b.port] = (link.a, link)
    return far


def _in_order(seen: Seen) -> list[SeenNode]:
    """Switches first, as the tools do."""
    return sorted(seen.nodes.values(), key=lambda node: (node.kind is not NodeKind.SWITCH, node.guid))


def _lit(node: SeenNode, far: dict[tuple[str, int], tuple[SeenPort, SeenLink]]) -> Iterator[int]:
    return (number for number in range(1, node.ports + 1) if (node.guid, number) in far)
