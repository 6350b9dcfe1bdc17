"""The rows of UFM's lists, as UFM Enterprise 6.19 to 6.24 writes them (REST API Guide: Systems, Ports, Links, Events).

GUIDs without 0x; a machine's adapters are one system, whose GUID is that of its first adapter, and the source or
destination GUID of a link is the system's; the port's own stands in its name.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

from simulator.fabric.plan import SPEEDS_GBPS, CablePlan, End, NodePlan
from simulator.fabric.wiring import PortNow, Wiring

Row = dict[str, Any]

IB = "infiniband"
_ORDER = tuple(SPEEDS_GBPS.values())
_COUNTERS = {
    "Infiniband_SymbolErrors": "SymbolErrorCounter", "Infiniband_LinkRecovers": "LinkErrorRecoveryCounter",
    "Infiniband_LinkDowned": "LinkDownedCounter", "Infiniband_RcvErrors": "PortRcvErrors",
    "Infiniband_RcvRemotePhysErrors": "PortRcvRemotePhysicalErrors",
    "Infiniband_RcvSwRelErrors": "PortRcvSwitchRelayErrors", "Infiniband_XmtDiscards": "PortXmitDiscards",
    "Infiniband_XmtConstraintErrors": "PortXmitConstraintErrors",
    "Infiniband_RcvConstraintErrors": "PortRcvConstraintErrors",
    "Infiniband_LinkIntegErrors": "LocalLinkIntegrityErrors",
    "Infiniband_ExcBufOverrunErrors": "ExcessiveBufferOverrunErrors", "Infiniband_VL15Dropped": "VL15Dropped",
    "Infiniband_XmitWait": "PortXmitWait", "Infiniband_MBOut": "PortXmitData", "Infiniband_MBIn": "PortRcvData",
    "Infiniband_PckOut": "PortXmitPkts", "Infiniband_PckIn": "PortRcvPkts",
}  # fmt: skip


class Rows:
    """All lists of one moment. `labels`: whether this release shows cage labels (since about 6.20)."""

    def __init__(self, wiring: Wiring, now: float, *, labels: bool = True) -> None:
        self.wiring = wiring
        self.now = now
        self.labels = labels
        self._groups: dict[str, list[NodePlan]] = defaultdict(list)
        for node in wiring.plan.of_layer(IB):
            self._groups[node.group].append(node)

    def system_guid(self, node: NodePlan) -> str:
        return self._groups[node.group][0].guid

    def dname(self, node: NodePlan, port: int) -> str:
        if node.kind == "ca":
            return f"HCA-{self._groups[node.group].index(node) + 1}/{port}"
        return node.label(port) if self.labels else str(port)

    def port_description(self, node: NodePlan, port: int) -> str:
        """`leaf-01:1/3/1`; of an adapter its node description alone."""
        said = self.wiring.description(node.guid)
        return said if node.kind == "ca" else f"{said}:{self.dname(node, port)}"

    # ---- systems ----

    def systems(self) -> list[Row]:
        return [
            self._system(group, nodes)
            for group, nodes in self._groups.items()
            if any(self.wiring.health(node.guid) != "off" for node in nodes)
        ]

    def _system(self, group: str, nodes: list[NodePlan]) -> Row:
        first, is_switch = nodes[0], nodes[0].kind == "switch"
        name = self.wiring.description(first.guid) if is_switch else group
        return {
            "system_guid": first.guid, "guid": first.guid, "name": first.guid, "system_name": name,
            "description": "MSX" if is_switch else "Server", "type": "switch" if is_switch else "host",
            "model": first.model.removeprefix("nvidia-").upper() if is_switch else "Computer",
            "technical_name": "Quantum-2" if is_switch else "NA", "role": first.tier or "endpoint",
            "vendor": "NVIDIA", "state": "active", "severity": "Info", "ip": "0.0.0.0",
            "serial_number": first.serial, "is_managed": is_switch, "url": "", "script": "",
            "total_alarms": 0, "modules": [],
            "ports": [End(node.guid, at).name for node in nodes for at in range(1, node.ports + 1)],
        }  # fmt: skip

    # ---- ports ----

    def ports(self, *, show_disabled: bool = True, cable_info: bool = False) -> list[Row]:
        return [
            self._port(node, port, cable_info)
            for nodes in self._groups.values()
            for node in nodes
            if self.wiring.health(node.guid) != "off"
            for port in self.wiring.ports(node)
            if show_disabled or port.up
        ]

    def _port(self, node: NodePlan, port: PortNow, cable_info: bool) -> Row:
        wiring, end = self.wiring, port.end
        at = _ORDER.index(node.speed)
        row: Row = {
            "name": end.name, "guid": node.guid, "number": end.port, "external_number": end.port,
            "systemID": self.system_guid(node), "system_name": wiring.description(node.guid)
            if node.kind == "switch" else node.group, "dname": self.dname(node, end.port),
            "lid": wiring.plan.lids[node.guid], "physical_state": "Link Up" if port.up else port.physical,
            "logical_state": port.logical, "node_description": self.port_description(node, end.port),
            "active_width": port.width or None, "enabled_width": ["1x", "4x"], "supported_width": ["1x", "4x"],
            "active_speed": port.speed or None, "enabled_speed": list(_ORDER[: at + 1]),
            "supported_speed": list(_ORDER[: at + 1]), "high_ber_severity": "N/A", "severity": "Info",
            "tier": 1 if node.kind == "ca" else 2, "path": f"default / {wiring.description(node.guid)} / {end.port}",
            "peer_guid": None, "peer": None, "peer_node_description": "N/A", "peer_lid": None, "mirror": "disable",
            "fec_mode": {"NDR": "RS_FEC_544_514", "HDR": "RS_FEC_271_257"}.get(port.speed, "N/A"),
        }  # fmt: skip
        if port.up and port.far is not None:
            far = wiring.plan.by_guid[port.far.guid]
            row |= {
                "peer_guid": far.guid, "peer": port.far.name, "peer_lid": wiring.plan.lids[far.guid],
                "peer_node_description": self.port_description(far, port.far.port),
                "symbol_ber": f"{wiring.bit_error_ratio(end, self.now):.1e}",
            }  # fmt: skip
        counted = wiring.counters(end, self.now)
        row |= {name: counted[own] for name, own in _COUNTERS.items()}
        if cable_info and port.cable is not None:
            row["cable_info"] = self._memory(port.cable, end)
        return row

    # ---- links ----

    def links(self, *, system: str = "", cable_info: bool = False) -> list[Row]:
        found = []
        for label in self.wiring.cables:
            a, b = self.wiring.plugs(label)
            if a is None or b is None:
                continue
            near, far = self.wiring.plan.by_guid[a.guid], self.wiring.plan.by_guid[b.guid]
            if near.layer != IB or not self.wiring.port(a).up:
                continue
            if {a.name, b.name} & set(self.wiring.changes.undiscovered):
                continue  # the subnet manager did not look beyond
            if system and system not in (near.group, far.group, self.system_guid(near), self.system_guid(far)):
                continue
            found.append(self._link(label, a, b, cable_info))
        return found

    def _link(self, label: str, a: End, b: End, cable_info: bool) -> Row:
        row: Row = {}
        for side, end in (("source", a), ("destination", b)):
            node = self.wiring.plan.by_guid[end.guid]
            row |= {
                f"{side}_guid": self.system_guid(node), f"{side}_port": str(end.port),
                f"{side}_port_dname": self.dname(node, end.port), f"{side}_port_name": end.name,
                f"{side}_port_node_description": self.port_description(node, end.port),
            }  # fmt: skip
        port = self.wiring.port(a)
        row |= {"width": port.width, "severity": "Info", "name": f"{a.name}:{b.name}",
                "capabilities": ["collect_system_dump"]}  # fmt: skip
        if cable_info:
            row["cable_info"] = self._memory(self.wiring.cables[label], a)
        return row

    def _memory(self, cable: CablePlan, end: End) -> Row:
        """What the plug in a port says of itself; that of a fibre is an optic with its own serial, and no length."""
        at = 0 if end == self.wiring.plugs(cable.label)[0] else 1
        warm = self.wiring.temperature_c(end)
        return {
            "serial_number": cable.serials[at if cable.is_fibre else 0] or "N/A",
            "part_number": "MMA4Z00-NS400" if cable.is_fibre else "MCP4Y10-N001",
            "technology": "850 nm VCSEL" if cable.is_fibre else "Copper cable- unequalized",
            "identifier": "OSFP", "vendor": "NVIDIA", "revision": "A2",
            "length": "N/A" if cable.is_fibre else f"{cable.length_m:g} m",
            "temperature": "N/A" if warm is None else f"{warm:g}C",
        }  # fmt: skip

    # ---- events ----

    def events(self) -> list[Row]:
        return [self._event(event) for event in self.wiring.changes.events]

    def _event(self, event: Row) -> Row:
        node = self.wiring.plan.by_guid.get(event["guid"])
        name = f"{event['guid']}_{event['port']}" if event["port"] else event["guid"]
        path = f"default / {self.wiring.description(node.guid) if node else 'NA'} / {event['port'] or 'NA'}"
        return {
            "id": event["id"], "name": event["name"], "type": "Port" if event["port"] else "Switch",
            "event_type": event["event_type"], "severity": event["severity"],
            "timestamp": time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(event["at"])), "counter": "N/A",
            "category": "Hardware", "object_name": name, "object_path": path, "write_to_syslog": False,
            "description": event["text"],
        }  # fmt: skip

    def alarms(self) -> list[Row]:
        """Events that are not over: of ports that are still down, switches still off, plugs still hot."""
        return [
            {
                "id": row["id"], "name": row["name"], "severity": row["severity"], "timestamp": row["timestamp"],
                "reason": row["description"], "related_object_name": row["object_name"],
                "related_object_path": row["object_path"], "event_type": row["event_type"], "event_count": 1,
            }
            for event, row in zip(self.wiring.changes.events, self.events(), strict=True)
            if row["severity"] != "Info" and self._lasts(event)
        ]  # fmt: skip

    def _lasts(self, event: Row) -> bool:
        end = End(event["guid"], event["port"])
        if not end.port:
            return self.wiring.health(end.guid) == "off"
        if event["event_type"] == "920":
            return (self.wiring.temperature_c(end) or 0) >= 65
        return not self.wiring.port(end).up

    def unhealthy(self) -> list[Row]:
        rows = []
        changes = self.wiring.changes
        told = {**dict.fromkeys(changes.isolated, "isolated"), **dict.fromkeys(changes.undiscovered, "no_discover")}
        for name, state in told.items():
            guid, _, number = name.partition("_")
            node = self.wiring.plan.by_guid[guid]
            rows.append({
                "name": name, "guid": guid, "number": int(number), "dname": self.dname(node, int(number)),
                "system_name": self.wiring.description(guid), "state": state, "condition": "MANUAL",
                "node_description": self.port_description(node, int(number)), "status_time": "",
            })  # fmt: skip
        return rows
