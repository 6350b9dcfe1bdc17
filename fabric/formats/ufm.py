"""UFM's REST answers: systems, ports and links as one look at the fabric; readings of ports; events and alarms.

`read` takes the document of `drivers.ufm.UfmClient.capture` ({"systems", "ports", "links", "unhealthy"}, null for no
data) or one list of ports or links as a person saves it. Ports are known by GUID and number. What UFM shows a person is
read only where there is no number: `1/3/1` is the label on a switch (cage 3, half 1), `3/1` the same without the
chassis, `5` a number; `HCA-2/1` is port 1 of an adapter. Since about 6.20 labels stand where numbers stood before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Problem, Seen, SeenCable, SeenLink, SeenNode, SeenPort, SeenState
from fabric.formats.common import SPEEDS, Unreadable, complain, lower, padded, port
from fabric.formats.port_names import Counting, spelled

Row = Mapping[str, Any]

WHERE = "ufm"
HALVES = 2
"""Ports of one cage of a switch that labels them."""
COUNTERS = {
    "SymbolErrors": "SymbolErrorCounter",
    "LinkRecovers": "LinkErrorRecoveryCounter",
    "LinkDowned": "LinkDownedCounter",
    "RcvErrors": "PortRcvErrors",
    "RcvRemotePhysErrors": "PortRcvRemotePhysicalErrors",
    "RcvSwRelErrors": "PortRcvSwitchRelayErrors",
    "XmtDiscards": "PortXmitDiscards",
    "XmtConstraintErrors": "PortXmitConstraintErrors",
    "RcvConstraintErrors": "PortRcvConstraintErrors",
    "LinkIntegErrors": "LocalLinkIntegrityErrors",
    "ExcBufOverrunErrors": "ExcessiveBufferOverrunErrors",
    "VL15Dropped": "VL15Dropped",
    "MBOut": "PortXmitData",
    "MBIn": "PortRcvData",
    "PckOut": "PortXmitPkts",
    "PckIn": "PortRcvPkts",
    "XmitWait": "PortXmitWait",
}
"""UFM's names without their `Infiniband_`, to those of perfquery."""
KNOWN_COUNTERS = frozenset(COUNTERS.values())

_PORT_NAME = re.compile(r"^(?:0x)?([0-9a-fA-F]{1,16})_(\d+)$")
_LABEL = re.compile(r"^(?:(\d+)/)?(\d+)/([12])$")
_SUFFIX = re.compile(r":(?:\d+(?:/\d+){0,3}|[A-Z]\d+/[A-Z]\d+:\d+)$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PHYSICAL = {"linkup": "LinkUp", "up": "LinkUp", "polling": "Polling", "disabled": "Disabled", "sleep": "Sleep"}
_NOTHING = {"", "n/a", "na", "none", "null", "unknown", "0x0"}


def read(text: str) -> Seen:
    """A whole capture, or one list. Raises Unreadable for JSON that is not UFM's; text that breaks off is TRUNCATED."""
    if not text.strip():
        return Seen(completeness=Completeness.EMPTY)
    try:
        document = json.loads(text)
    except ValueError as error:
        line = text.count("\n", 0, getattr(error, "pos", 0)) + 1
        seen = Seen(completeness=Completeness.TRUNCATED)
        seen.problems.append(Problem(WHERE, line, f"the JSON cannot be read, or breaks off: {error}"))
        return seen
    return read_capture(_as_capture(document))


def _as_capture(document: Any) -> Row:
    if isinstance(document, dict) and isinstance(document.get("data"), list):
        document = document["data"]
    if isinstance(document, list):
        first = next((row for row in document if isinstance(row, dict)), {})
        return {"links" if "source_guid" in first or "source_port" in first else "ports": document}
    if document == {}:
        return {}
    if isinstance(document, dict) and {"ports", "links"} & document.keys():
        return document
    raise Unreadable([Problem(WHERE, 0, "not an answer of UFM: neither ports nor links are in it")])


def read_capture(capture: Row) -> Seen:
    """Systems, ports and links. Without links, or without anything, it is EMPTY: no data, not a fabric without cables.

    A port that is up and in no link, and a list that UFM did not give, make it PARTIAL.
    """
    seen = Seen()
    ports, links, systems = (_rows(seen, capture, name) for name in ("ports", "links", "systems"))
    kinds = {padded(str(row.get("system_guid") or row.get("guid") or "")): _kind(row) for row in systems or ()}
    for row in ports or ():
        _port(seen, row, kinds)
    for row in links or ():
        _link(seen, row, kinds)
    _best(seen)
    if not seen.links:
        lower(seen, Completeness.EMPTY)
        return seen
    if ports is None:
        complain(seen, "resources/ports", 0, "UFM gave no ports: states and temperatures are not known")
        if "ports" in capture:
            lower(seen, Completeness.PARTIAL)
    unhealthy = {end for row in _rows(seen, capture, "unhealthy") or () if (end := port_of(row)) is not None}
    _check(seen, unhealthy)
    return seen


def _rows(seen: Seen, capture: Row, name: str) -> list[Row] | None:
    """A list of the capture; None for no data. Rows that are not objects are told and left out."""
    value = capture.get(name)
    if value in (None, {}):
        return None
    if not isinstance(value, list):
        raise Unreadable([Problem(f"resources/{name}", 0, "the answer is not a list")])
    rows: list[Row] = [row for row in value if isinstance(row, dict)]
    if len(rows) < len(value):
        complain(
            seen,
            f"resources/{name}",
            0,
            f"{counted(len(value) - len(rows), 'row is no object', 'rows are no objects')}",
        )
        lower(seen, Completeness.PARTIAL)
    return rows


def _check(seen: Seen, unhealthy: Collection[SeenPort]) -> None:
    """Each port at most once; no port up without a link, but those that the subnet manager is told to pass over."""
    ends: dict[SeenPort, int] = {}
    for link in seen.links:
        for end in (link.a, link.b):
            ends[end] = ends.get(end, 0) + 1
    for end, count in ends.items():
        if count > 1:
            complain(seen, "resources/links", 0, f"{end.guid}_{end.port} is in {count} links")
            lower(seen, Completeness.PARTIAL)
    inner = {node.guid for node in seen.nodes.values() if node.kind is NodeKind.AGGREGATION}
    lone = [
        end
        for end, state in seen.states.items()
        if state.logical == "Active"
        and end not in ends
        and end not in unhealthy
        and end.guid not in inner
        and not _sharp(seen, end)
    ]
    if lone:
        first = ", ".join(f"{end.guid}_{end.port}" for end in lone[:3])
        complain(
            seen,
            "resources/links",
            0,
            f"{counted(len(lone), 'port is', 'ports are')} up and in no link, such as {first}",
        )
        lower(seen, Completeness.PARTIAL)


def _sharp(seen: Seen, end: SeenPort) -> bool:
    """The last port of a switch with an odd count leads to the aggregation node inside."""
    node = seen.nodes.get(end.guid)
    return node is not None and node.kind is NodeKind.SWITCH and node.ports % 2 == 1 and end.port == node.ports


# ---- ports ----


def _kind(row: Row) -> NodeKind:
    word = str(row.get("type") or row.get("system_type") or "").lower()
    if "aggregation node" in str(row.get("description") or row.get("system_name") or "").lower():
        return NodeKind.AGGREGATION
    return {"switch": NodeKind.SWITCH, "router": NodeKind.ROUTER, "gateway": NodeKind.ROUTER}.get(
        word, NodeKind.ADAPTER
    )


def _port(seen: Seen, row: Row, kinds: Mapping[str, NodeKind]) -> None:
    end = port_of(row)
    if end is None:
        complain(seen, "resources/ports", 0, f"a port without GUID and number: {str(row.get('name'))[:60]}")
        lower(seen, Completeness.PARTIAL)
        return
    system = padded(str(row.get("systemID") or "")) if row.get("systemID") else ""
    _node(seen, end, str(row.get("node_description") or ""), str(row.get("dname") or ""), kinds.get(system), system,
          _whole(row.get("lid")))  # fmt: skip
    physical = str(row.get("physical_state") or "")
    seen.states[end] = SeenState(
        str(row.get("logical_state") or ""),
        _PHYSICAL.get(physical.lower().replace(" ", ""), physical),
        width=_width(row.get("active_width")),
        speed=_speed(row.get("active_speed")),
        best_width=_widest(row.get("enabled_width") or row.get("supported_width")),
        best_speed=_fastest(row.get("enabled_speed") or row.get("supported_speed")),
    )
    counters = _counters(row)
    if counters:
        seen.counters[end] = counters
    cable = _cable(row.get("cable_info"), row)
    if cable is not None:
        seen.cables[end] = cable


def port_of(row: Row) -> SeenPort | None:
    """The port a row of `resources/ports` is about, from its name `GUID_NUMBER` or its GUID and number or label."""
    match = _PORT_NAME.match(str(row.get("name") or ""))
    if match:
        return port(padded(match[1]), int(match[2]))
    guid = str(row.get("guid") or "")
    number = number_of(str(row.get("number") or row.get("external_number") or row.get("dname") or ""))
    return port(padded(guid), number) if guid and number else None


def number_of(label: str) -> int | None:
    """`1/3/1` and `3/1` -> 5, `5` -> 5, `HCA-2/1` -> 1; None for anything else."""
    if label.startswith("HCA-"):
        tail = label.rpartition("/")[2]
        return int(tail) if tail.isdecimal() else None
    name = spelled(label)
    known = name is not None and name.counts in ("number", "halves", "quarters")
    return Counting().number(name) or None if name is not None and known else None


def _node(
    seen: Seen, end: SeenPort, said: str, label: str, kind: NodeKind | None, system: str = "", lid: int | None = None
) -> None:
    """Note the node of a port; a later row may tell more ports, never another kind."""
    known = seen.nodes.get(end.guid)
    if known is None:
        shown = bool(_SUFFIX.search(said)) or bool(_LABEL.match(label))
        guessed = NodeKind.SWITCH if (shown or end.port > HALVES) and not label.startswith("HCA") else NodeKind.ADAPTER
        kind = kind or guessed
        description = _SUFFIX.sub("", said) if kind is NodeKind.SWITCH else said
        if "aggregation node" in said.lower():
            kind = NodeKind.AGGREGATION
        seen.nodes[end.guid] = SeenNode(end.guid, kind, description.rstrip(), end.port, system, lid)
    elif end.port > known.ports:
        seen.nodes[end.guid] = SeenNode(
            known.guid, known.kind, known.description, end.port, known.system_guid, known.lid
        )


def _counters(row: Row) -> dict[str, int]:
    found = {}
    for key, value in row.items():
        plain = key.removeprefix("Infiniband_")
        name = COUNTERS.get(plain, plain if plain in KNOWN_COUNTERS else "")
        number = _whole(value)
        if name and number is not None and number >= 0:
            found[name] = number
    return found


def _best(seen: Seen) -> None:
    """Width and speed of a link from its ports, and the most that both ends enable."""
    states = seen.states
    for at, link in enumerate(seen.links):
        a, b = states.get(link.a), states.get(link.b)
        told = a or b
        if told is None:
            continue
        seen.links[at] = link._replace(width=link.width or told.width, speed=told.speed)
        if a is None or b is None:
            continue
        width = min(a.best_width, b.best_width, key=_lanes) if a.best_width and b.best_width else ""
        speed = min(a.best_speed, b.best_speed, key=_rank) if a.best_speed and b.best_speed else ""
        for end, state in ((link.a, a), (link.b, b)):
            states[end] = SeenState(state.logical, state.physical, state.width, state.speed, width, speed)


# ---- links ----


def _link(seen: Seen, row: Row, kinds: Mapping[str, NodeKind]) -> None:
    source, destination = _ends(row)
    if source is None or destination is None or source == destination:
        complain(seen, "resources/links", 0, f"a link without two ports: {str(row.get('name'))[:80]}")
        lower(seen, Completeness.PARTIAL)
        return
    for end, side in ((source, "source"), (destination, "destination")):
        system = padded(str(row.get(f"{side}_guid") or ""))
        said, label = (str(row.get(f"{side}_port_{what}") or "") for what in ("node_description", "dname"))
        _node(seen, end, said, label, kinds.get(system))
    seen.links.append(SeenLink(min(source, destination), max(source, destination), _width(row.get("width"))))
    cable = _cable(row.get("cable_info"), {})
    if cable is not None:
        seen.cables.setdefault(source, cable)
        if not _is_optic(cable):  # the plug of a fibre is told at one end only; a DAC or AOC is one part
            seen.cables.setdefault(destination, cable)


def _ends(row: Row) -> tuple[SeenPort | None, SeenPort | None]:
    """Both ports. The GUID of a machine's end is that of its system; the port's own stands in the name of the port or
    of the link, whose halves come in either order."""
    halves = [match for half in str(row.get("name") or "").split(":") if (match := _PORT_NAME.match(half))]
    parts = [port(padded(match[1]), int(match[2])) for match in halves]
    found: list[SeenPort | None] = []
    for side in ("source", "destination"):
        named = _PORT_NAME.match(str(row.get(f"{side}_port_name") or ""))
        if named:
            found.append(port(padded(named[1]), int(named[2])))
            continue
        guid = padded(str(row.get(f"{side}_guid") or "")) if row.get(f"{side}_guid") else ""
        number = number_of(str(row.get(f"{side}_port") or "")) or number_of(str(row.get(f"{side}_port_dname") or ""))
        found.append(port(guid, number) if guid and number else None)
    a, b = found
    if len(parts) == 2 and (a is None or b is None or {a, b} != set(parts)):
        straight, crossed = _likeness((a, b), parts), _likeness((b, a), parts)
        if not row.get("source_port_name"):
            return (parts[0], parts[1]) if straight >= crossed else (parts[1], parts[0])
    return a, b


def _likeness(ends: tuple[SeenPort | None, SeenPort | None], parts: list[SeenPort]) -> int:
    pairs = [(end, part) for end, part in zip(ends, parts, strict=True) if end is not None]
    return sum(2 * (end.guid == part.guid) + (end.port == part.port) for end, part in pairs)


# ---- cables ----


def _cable(info: Any, row: Row) -> SeenCable | None:
    """What the plug's memory says; None when nothing of it was told. Keys are spelled differently by release."""
    told = {re.sub(r"[^a-z]", "", str(key).lower()): value for key, value in (info or {}).items()} if info else {}
    if not isinstance(info, dict | None):
        return None
    temperature = next(
        (
            _decimal(value)
            for value in (told.get("temperature"), row.get("cable_temperature"), row.get("module_temperature"))
            if _decimal(value) is not None
        ),
        None,
    )
    length = _decimal(told.get("length") or told.get("lengthcopperoractive"))
    cable = SeenCable(
        serial=_word(told.get("serialnumber")),
        part_number=_word(told.get("partnumber")),
        vendor=_word(told.get("vendor") or told.get("vendorname")),
        length_m=length or None,
        technology=_word(told.get("technology")),
        temperature_c=temperature,
    )
    return None if cable == SeenCable() else cable


def _is_optic(cable: SeenCable) -> bool:
    word = cable.technology.lower()
    return bool(word) and "copper" not in word and "active" not in word and "dac" not in word


# ---- small things ----


def _word(value: Any) -> str:
    text = str(value if value is not None else "").strip()
    return "" if text.lower() in _NOTHING else text


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return int(value) if isinstance(value, float) and value.is_integer() else None
    text = str(value).strip()
    return int(text) if text.lstrip("-").isdecimal() and text.isascii() else None


def _decimal(value: Any) -> float | None:
    """`52`, `"52C"`, `"52.5 C"`, `"3 m"`; None for N/A."""
    match = _NUMBER.match(str(value).strip()) if value is not None and not isinstance(value, bool) else None
    return float(match[0]) if match else None


def _width(value: Any) -> str:
    """`IB_4x` and `4x` -> `4x`."""
    text = str(value or "").lower().removeprefix("ib_")
    return text if re.fullmatch(r"\d+x", text) else ""


def _lanes(width: str) -> int:
    return int(width.removesuffix("x") or 0)


def _speed(value: Any) -> str:
    text = str(value or "").upper().removeprefix("IB_").partition(" ")[0]
    return text if text in SPEEDS else ""


def _rank(speed: str) -> int:
    return SPEEDS.index(speed) if speed in SPEEDS else -1


def _several(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else re.split(r"[,\s]+", str(value or ""))


def _widest(value: Any) -> str:
    return max((_width(each) for each in _several(value)), key=_lanes, default="")


def _fastest(value: Any) -> str:
    return max((_speed(each) for each in _several(value)), key=_rank, default="")
