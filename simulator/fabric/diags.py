"""What infiniband-diags print on a machine of the fabric: ibnetdiscover, iblinkinfo, ibqueryerrors, perfquery.

Written as infiniband-diags 44.0 writes it; a test lays the output beside that of the real tools on ibsim.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from simulator.fabric.plan import LANES_GBPS, SPEEDS_GBPS, End, NodePlan
from simulator.fabric.wiring import LIMITS, TRAFFIC, PortNow, Wiring

IB = "infiniband"
_SHORT = {"switch": "SW", "ca": "CA"}
_UNITS = ("", "K", "M", "G", "T", "P")
_ORDER = tuple(SPEEDS_GBPS.values())


def _letter(node: NodePlan) -> str:
    return "S" if node.kind == "switch" else "H"


def _plain(guid: str) -> str:
    """As the tools write it in most places: without leading zeros."""
    return guid.lstrip("0") or "0"


def _nodes(wiring: Wiring) -> list[NodePlan]:
    """Switches first, as ibnetdiscover groups them."""
    return sorted(wiring.seen_nodes(IB), key=lambda node: node.kind != "switch")


# ---- ibnetdiscover ----


def ibnetdiscover(wiring: Wiring, start: NodePlan, now: float) -> str:
    head = (
        f"#\n# Topology file: generated on {time.asctime(time.gmtime(now))}\n#\n"
        f"# Initiated from node {start.guid} port {start.guid_of_port()}\n\n"
    )
    return head + "\n".join(_block(wiring, node) for node in _nodes(wiring))


def _block(wiring: Wiring, node: NodePlan) -> str:
    guid, lid, name = _plain(node.guid), wiring.plan.lids[node.guid], wiring.description(node.guid)
    if node.kind == "switch":
        head = (
            f"vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{guid}\nswitchguid=0x{guid}({guid})\n"
            f'Switch\t{node.ports} "S-{node.guid}"\t\t# "{name}" enhanced port 0 lid {lid} lmc 0\n'
        )
    else:
        head = (
            f"vendid=0x2c9\ndevid=0x1021\nsysimgguid=0x{guid}\ncaguid=0x{guid}\n"
            f'Ca\t{node.ports} "H-{node.guid}"\t\t# "{name}"\n'
        )
    return head + "".join(_port_line(wiring, node, port) for port in wiring.ports(node) if port.up)


def _port_line(wiring: Wiring, node: NodePlan, port: PortNow) -> str:
    assert port.far is not None
    far, lids = wiring.plan.by_guid[port.far.guid], wiring.plan.lids
    rate, said = f"{port.width}{port.speed}", wiring.description(far.guid)
    peer = f'"{_letter(far)}-{far.guid}"[{port.far.port}]'
    if node.kind == "ca":
        own = f"({_plain(node.guid_of_port())}) "
        return f'[{port.end.port}]{own}\t{peer}\t\t# lid {lids[node.guid]} lmc 0 "{said}" lid {lids[far.guid]} {rate}\n'
    theirs = f"({_plain(far.guid_of_port())}) " if far.kind == "ca" else ""
    return f'[{port.end.port}]\t{peer}{theirs}\t\t# "{said}" lid {lids[far.guid]} {rate}\n'


def ibnetdiscover_ports(wiring: Wiring) -> str:
    """`ibnetdiscover -p`: one line a port."""
    return "".join(_flat_line(wiring, node, port) for node in _nodes(wiring) for port in wiring.ports(node))


def _flat_line(wiring: Wiring, node: NodePlan, port: PortNow) -> str:
    lids, name = wiring.plan.lids, wiring.description(node.guid)
    guid = node.guid_of_port() if node.kind == "ca" else node.guid
    rate = f"{port.width or '4x'} {port.speed or 'SDR'}"
    near = f"{_SHORT[node.kind]} {lids[node.guid]:5} {port.end.port:2} 0x{guid} {rate}"
    if not port.up or port.far is None:
        return f"{near}{'':36}'{name}'\n"
    far = wiring.plan.by_guid[port.far.guid]
    theirs = far.guid_of_port() if far.kind == "ca" else far.guid
    return (
        f"{near} - {_SHORT[far.kind]} {lids[far.guid]:5} {port.far.port:2} 0x{theirs} "
        f"( '{name}' - '{wiring.description(far.guid)}' )\n"
    )


# ---- iblinkinfo ----


def iblinkinfo(wiring: Wiring, *, line: bool, only: str = "") -> str:
    """Every port, up or down: in blocks, or with `line` (`-l`) each line for itself; of one switch with `only`."""
    chosen = [node for node in _nodes(wiring) if only in ("", node.guid)]
    return "".join(_link_block(wiring, node, line) for node in chosen)


def _link_block(wiring: Wiring, node: NodePlan, line: bool) -> str:
    name, lid = wiring.description(node.guid), wiring.plan.lids[node.guid]
    guid = f"0x{node.guid_of_port() if node.kind == 'ca' else node.guid}"
    head = "" if line else f"Switch: {guid} {name}:\n" if node.kind == "switch" else f"CA: {name}:\n"
    if line:
        lead = f'{guid} "{name:>30}" {lid:6} '
    else:
        lead = f"      {guid} {lid:6} " if node.kind == "ca" else f"      {lid:6} "
    rows = (
        f"{lead}{port.end.port:4}[  ] =={_state(port)}==>{_far(wiring, port, line)}\n" for port in wiring.ports(node)
    )
    return head + "".join(rows)


def _state(port: PortNow) -> str:
    if not port.up:
        return f"({'Down':>20}/{port.physical:>8})"
    return f"({port.width.upper():>3} {LANES_GBPS[port.speed] + ' Gbps':>18} Active/{port.physical:>8})"


def _far(wiring: Wiring, port: PortNow, line: bool) -> str:
    if not port.up or port.far is None:
        return '             [  ] "" ( )'
    far = wiring.plan.by_guid[port.far.guid]
    guid = far.guid_of_port() if far.kind == "ca" else far.guid
    lead = f"  0x{guid} " if line else "  "
    return (
        f"{lead}{wiring.plan.lids[far.guid]:6} {port.far.port:4}[  ] "
        f'"{wiring.description(far.guid)}" ({_could(wiring, port, far)})'
    )


def _could(wiring: Wiring, port: PortNow, far: NodePlan) -> str:
    """What both ends could do and do not."""
    near = wiring.plan.by_guid[port.end.guid]
    best = min(near.speed, far.speed, key=_ORDER.index)
    width = "Could be 4X" if port.width != "4x" else ""
    speed = f"Could be {LANES_GBPS[best]} Gbps" if port.speed != best else ""
    return f"{width} {speed}"


# ---- ibqueryerrors ----


THRESHOLDS = {"SymbolErrorCounter": 10, "LinkErrorRecoveryCounter": 10, "LinkDownedCounter": 10, "PortRcvErrors": 10,
              "PortRcvRemotePhysicalErrors": 100, "PortRcvSwitchRelayErrors": 100, "PortXmitDiscards": 100,
              "PortXmitConstraintErrors": 100, "PortRcvConstraintErrors": 100, "LocalLinkIntegrityErrors": 10,
              "ExcessiveBufferOverrunErrors": 10, "VL15Dropped": 100, "PortXmitWait": 1000}  # fmt: skip
"""Those that the tool's own file proposes, here switched on: what is not above them is not printed."""


def ibqueryerrors(
    wiring: Wiring, now: float, *, data: bool = False, only: str = "", thresholds: Mapping[str, int] = THRESHOLDS
) -> tuple[int, str]:
    """Exit status (1 when there are errors) and output. `data` adds the traffic of ports with errors."""
    chosen = [node for node in _nodes(wiring) if only in ("", node.guid)]
    text, bad_nodes, bad_ports, ports = [], 0, 0, 0
    for node in chosen:
        ports += node.ports
        rows = list(_errors(wiring, node, now, data, thresholds))
        if rows:
            bad_nodes += 1
            bad_ports += len(rows) - (node.kind == "switch")
            text += [f'Errors for 0x{_plain(node.guid)} "{wiring.description(node.guid)}"\n', *rows]
    told = "".join(f"[{name} = {thresholds[name]}]" for name in sorted(thresholds) if thresholds[name])
    summary = (
        f"\n## Summary: {len(chosen)} nodes checked, {bad_nodes} bad nodes found\n"
        f"##          {ports} ports checked, {bad_ports} ports have errors beyond threshold\n"
        f"## Thresholds: {told}\n## Suppressed:\n"
    )
    return int(bad_nodes > 0), "".join(text) + summary


def _errors(wiring: Wiring, node: NodePlan, now: float, data: bool, thresholds: Mapping[str, int]) -> Iterator[str]:
    counted = {number: wiring.counters(End(node.guid, number), now) for number in range(1, node.ports + 1)}
    bad = {
        number: each for number, each in counted.items() if any(each[name] > thresholds.get(name, 0) for name in LIMITS)
    }
    if not bad:
        return
    if node.kind == "switch":
        total = {name: sum(each[name] for each in counted.values()) for name in (*LIMITS, *TRAFFIC)}
        capped = {name: min(total[name], LIMITS.get(name, total[name])) for name in total}
        yield _error_line(node, "ALL", capped, data, thresholds)
    for number, each in bad.items():
        yield _error_line(node, str(number), each, data, thresholds)


def _error_line(node: NodePlan, port: str, counted: dict[str, int], data: bool, thresholds: Mapping[str, int]) -> str:
    words = [f"[{name} == {counted[name]}]" for name in LIMITS if counted[name] > thresholds.get(name, 0)]
    if data:
        words += [f"[{name} == {counted[name]} ({_scaled(name, counted[name])})]" for name in TRAFFIC]
    return f"   GUID 0x{_plain(node.guid)} port {port}: {' '.join(words)}\n"


def _scaled(name: str, value: int) -> str:
    """Data counters are words of four bytes."""
    is_data = name.endswith("Data")
    number, unit = float(value * 4 if is_data else value), 0
    while number >= 1024 and unit < len(_UNITS) - 1:
        number, unit = number / 1024, unit + 1
    return f"{number:.3f}{_UNITS[unit]}{'B' if is_data else ''}"


# ---- perfquery ----

_FIELDS = (
    "SymbolErrorCounter", "LinkErrorRecoveryCounter", "LinkDownedCounter", "PortRcvErrors",
    "PortRcvRemotePhysicalErrors", "PortRcvSwitchRelayErrors", "PortXmitDiscards", "PortXmitConstraintErrors",
    "PortRcvConstraintErrors", "CounterSelect2", "LocalLinkIntegrityErrors", "ExcessiveBufferOverrunErrors",
    "QP1Dropped", "VL15Dropped", "PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts", "PortXmitWait",
)  # fmt: skip
_EXTENDED = ("PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts", "PortUnicastXmitPkts",
             "PortUnicastRcvPkts", "PortMulticastXmitPkts", "PortMulticastRcvPkts")  # fmt: skip
ALL_PORTS = 255


def perfquery(wiring: Wiring, node: NodePlan, port: int, now: float, *, extended: bool = False) -> str:
    """The counters of a port, or of all ports together (255)."""
    numbers = range(1, node.ports + 1) if port == ALL_PORTS else (port,)
    each = [wiring.counters(End(node.guid, number), now) for number in numbers]
    counted = {name: sum(row[name] for row in each) for name in (*LIMITS, *TRAFFIC)}
    counted = {name: min(value, LIMITS.get(name, value)) for name, value in counted.items()}
    lid = wiring.plan.lids[node.guid]
    if extended:
        counted |= {"PortUnicastXmitPkts": counted["PortXmitPkts"], "PortUnicastRcvPkts": counted["PortRcvPkts"]}
        head = f"# Port extended counters: Lid {lid} port {port} (CapMask: 0x5A00 CapMask2: 0x0000000)\n"
        fields: tuple[str, ...] = _EXTENDED
    else:
        mask = "0x1300" if node.kind == "switch" else "0x1200"
        head = f"# Port counters: Lid {lid} port {port} (CapMask: {mask})\n"
        fields = _FIELDS
    shown = {name: str(counted.get(name, 0)) for name in fields} | {"CounterSelect2": "0x00"}
    rows = [("PortSelect", str(port)), ("CounterSelect", "0x0000"), *((name, shown[name]) for name in fields)]
    return head + "".join(f"{name + ':':.<33}{value}\n" for name, value in rows)


# ---- ibswitches, ibhosts ----


def ibswitches(wiring: Wiring) -> str:
    return "".join(
        f'Switch\t: 0x{node.guid} ports {node.ports} "{wiring.description(node.guid)}" enhanced port 0 '
        f"lid {wiring.plan.lids[node.guid]} lmc 0\n"
        for node in _nodes(wiring)
        if node.kind == "switch"
    )


def ibhosts(wiring: Wiring) -> str:
    return "".join(
        f'Ca\t: 0x{node.guid} ports {node.ports} "{wiring.description(node.guid)}"\n'
        for node in _nodes(wiring)
        if node.kind == "ca"
    )
