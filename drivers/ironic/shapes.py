"""What Ironic answers, as typed values. Pure; whatever cannot be read raises NotJson with the field that is wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from drivers.https import Reader, Row, number, text
from drivers.ironic.states import Means, meaning

_IRONIC = Reader("Ironic")


@dataclass(frozen=True, slots=True)
class Disk:
    """`size` in bytes. A BMC names a disk in its own words, the agent by its device (/dev/nvme0n1)."""

    name: str
    serial: str
    size: int


@dataclass(frozen=True, slots=True)
class Node:
    """A node as Ironic has it. `bmc` is the address of its BMC without a scheme, empty when it has none; `changed_at`
    is when its state changed last, `inspected_at` when it was inspected last. `cpus` and `memory_mib` are its
    properties, 0 when nobody set them."""

    uuid: str
    name: str
    state: str
    changed_at: str
    power_state: str
    maintenance: bool
    maintenance_reason: str
    protected: bool
    retired: bool
    last_error: str
    bmc: str
    inspects: bool
    inspected_at: str
    cpus: int
    memory_mib: int

    @property
    def means(self) -> Means:
        return meaning(self.state)

    @property
    def said(self) -> str:
        """Its state in Ironic's words, with its last error and its maintenance."""
        parts = [self.state + (f": {self.last_error}" if self.last_error else "")]
        if self.maintenance:
            parts.append(f"maintenance: {self.maintenance_reason}" if self.maintenance_reason else "in maintenance")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Hardware:
    """What an inspection read of a node; `read` says whether there is an inventory at all. `cpus` are threads, whether
    the agent or the BMC counts them (sushy's `processors.summary`)."""

    serial: str = ""
    uuid: str = ""
    macs: frozenset[str] = frozenset()
    cpus: int = 0
    memory_mib: int = 0
    disks: tuple[Disk, ...] = ()
    read: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a node's history."""

    at: str
    severity: str
    text: str


def node_of(value: Any) -> Node:
    row = _IRONIC.row(value, "node")
    told = row.get("properties")
    properties: Row = told if isinstance(told, dict) else {}
    told = row.get("driver_info")
    info: Row = told if isinstance(told, dict) else {}
    return Node(
        uuid=_IRONIC.needed(row, "uuid", str, "node"),
        name=text(row, "name"),
        state=_IRONIC.needed(row, "provision_state", str, "node"),
        changed_at=text(row, "provision_updated_at"),
        power_state=text(row, "power_state"),
        maintenance=row.get("maintenance") is True,
        maintenance_reason=text(row, "maintenance_reason"),
        protected=row.get("protected") is True,
        retired=row.get("retired") is True,
        last_error=text(row, "last_error").strip(),
        bmc=_bmc(info),
        inspects=text(row, "inspect_interface") not in ("", "no-inspect"),
        inspected_at=text(row, "inspection_finished_at"),
        cpus=number(properties, "cpus"),
        memory_mib=number(properties, "memory_mb"),
    )


def _bmc(info: Row) -> str:
    """Of the drivers that a site may use: `redfish_address`, `ipmi_address`, `drac_address`, ..."""
    found = next((value for key, value in sorted(info.items()) if key.endswith("_address")), "")
    if not isinstance(found, str):
        return ""
    return urlsplit(found).netloc.rpartition("@")[2] if "://" in found else found


def nodes_of(value: Any) -> tuple[list[Node], bool]:
    """A page of nodes, and whether there are more."""
    row = _IRONIC.row(value, "list of nodes")
    return [node_of(each) for each in _IRONIC.rows(row.get("nodes"), "nodes")], bool(row.get("next"))


def owners_of(value: Any) -> list[str]:
    """The UUIDs of the nodes that these ports are of."""
    ports = _IRONIC.rows(_IRONIC.row(value, "list of ports").get("ports"), "ports")
    return [_IRONIC.needed(each, "node_uuid", str, "port") for each in ports]


def hardware_of(value: Any) -> Hardware:
    row = _IRONIC.row(_IRONIC.row(value, "inventory").get("inventory"), "inventory")
    cpu, memory, vendor = (part if isinstance(part := row.get(key), dict) else {}
                           for key in ("cpu", "memory", "system_vendor"))  # fmt: skip
    interfaces = _IRONIC.rows(row.get("interfaces") or [], "interfaces")
    disks = _IRONIC.rows(row.get("disks") or [], "disks")
    return Hardware(
        serial=text(vendor, "serial_number"),
        uuid=text(vendor, "system_uuid"),
        macs=frozenset(text(each, "mac_address").lower() for each in interfaces) - {""},
        cpus=number(cpu, "count"),
        memory_mib=number(memory, "physical_mb"),
        disks=tuple(Disk(text(each, "name"), text(each, "serial"), number(each, "size")) for each in disks),
        read=True,
    )


def of_properties(node: Node) -> Hardware:
    """What is known of a node without an inventory."""
    return replace(Hardware(), cpus=node.cpus, memory_mib=node.memory_mib)


def history_of(value: Any) -> list[Event]:
    rows = _IRONIC.rows(_IRONIC.row(value, "history").get("history"), "events")
    events = [Event(text(each, "created_at"), text(each, "severity"), text(each, "event")) for each in rows]
    return sorted(events, key=lambda event: event.at)


def newest_version(value: Any) -> tuple[int, int]:
    """The newest microversion of an API root, such as 1.115."""
    row = _IRONIC.row(_IRONIC.row(value, "version").get("version"), "version")
    told = _IRONIC.needed(row, "version", str, "version").partition(".")
    major, minor = (int(part) if part.isascii() and part.isdigit() and len(part) < 9 else 0 for part in told[::2])
    return major, minor


def fault_in(body: Any) -> str:
    """The sentence in an error of Ironic: JSON in the JSON. Empty when there is none."""
    inner = body.get("error_message") if isinstance(body, dict) else None
    if isinstance(inner, str):
        try:
            inner = json.loads(inner)
        except (ValueError, RecursionError):
            return inner[:300]
    if not isinstance(inner, dict):
        return ""
    return (text(inner, "faultstring") or text(inner, "description"))[:300]
