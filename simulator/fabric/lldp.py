"""LLDP neighbours of the Ethernet ports, as lldpd tells them on a machine and switches over their own interfaces.

Shapes as lldpd 1.0 writes them: `json` puts one interface as an object and several as a list of objects with one key,
`json0` always lists; a neighbour that sends no name has its chassis fields without the name above them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.fabric.plan import End, NodePlan
from simulator.fabric.wiring import Wiring

ETHERNET = "ethernet"


@dataclass(frozen=True)
class Neighbour:
    """Who is at the other end. An adapter sends its MAC as port id (its firmware does), a switch its port's name."""

    chassis_mac: str
    name: str
    port_id: str
    port_id_type: str  # ifname or mac
    port_description: str
    text: str


def port_name(node: NodePlan, port: int) -> str:
    """What the device itself calls a port."""
    if node.kind == "ca":
        return node.device
    prefix = "Ethernet" if "arista" in node.model else "swp"
    cage, lane = (port - 1) // node.lanes_a_cage + 1, (port - 1) % node.lanes_a_cage
    if node.lanes_a_cage == 1:
        return f"{prefix}{cage}"
    return f"Ethernet{cage}/{lane + 1}" if prefix == "Ethernet" else f"swp{cage}s{lane}"


def neighbour(wiring: Wiring, end: End) -> Neighbour | None:
    """None where the port is down or nobody speaks."""
    port = wiring.port(end)
    if not port.up or port.far is None:
        return None
    far = wiring.plan.by_guid[port.far.guid]
    name = wiring.changes.descriptions.get(far.guid) or far.group
    if far.kind == "ca":
        chassis = min(n.mac for n in wiring.plan.nodes if n.group == far.group and n.layer == ETHERNET)
        return Neighbour(chassis, name, far.mac, "mac", far.device, "Ubuntu 22.04.4 LTS Linux 5.15.0-105-generic")
    return Neighbour(far.mac, name, port_name(far, port.far.port), "ifname", port_name(far, port.far.port), far.model)


def lldpctl(wiring: Wiring, machine: str, now: float, *, always_lists: bool, empty: bool) -> dict[str, Any]:
    """What `lldpctl -f json0` (or json) prints on a machine."""
    own = [node for node in wiring.plan.nodes if node.group == machine and node.layer == ETHERNET]
    found = [(node, said) for node in own if (said := neighbour(wiring, End(node.guid, 1))) is not None]
    if empty or not found:
        return {"lldp": [{}]} if always_lists else {"lldp": {}}
    age = "4 days, 02:11:37"
    if always_lists:
        return {"lldp": [{"interface": [_listed(node, said, age) for node, said in found]}]}
    plain = [{node.device: _plain(said, age)} for node, said in found]
    return {"lldp": {"interface": plain[0] if len(plain) == 1 else plain}}


def _value(text: str) -> list[dict[str, str]]:
    return [{"value": text}]


def _listed(node: NodePlan, said: Neighbour, age: str) -> dict[str, Any]:
    return {
        "name": node.device, "via": "LLDP", "rid": "1", "age": age,
        "chassis": [{"id": [{"type": "mac", "value": said.chassis_mac}], "name": _value(said.name),
                     "descr": _value(said.text), "mgmt-ip": _value("10.0.0.9")}],
        "port": [{"id": [{"type": said.port_id_type, "value": said.port_id}], "descr": _value(said.port_description),
                  "ttl": _value("120")}],
    }  # fmt: skip


def _plain(said: Neighbour, age: str) -> dict[str, Any]:
    chassis = {"id": {"type": "mac", "value": said.chassis_mac}, "descr": said.text, "mgmt-ip": "10.0.0.9"}
    return {
        "via": "LLDP", "rid": "1", "age": age,
        "chassis": {said.name: chassis} if said.name else chassis,
        "port": {"id": {"type": said.port_id_type, "value": said.port_id}, "descr": said.port_description,
                 "ttl": "120"},
    }  # fmt: skip
