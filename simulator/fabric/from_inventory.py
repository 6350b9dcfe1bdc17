"""The fabric of the loaded fleet: its switches, the machines' adapters and every cable between them.

Needs Django's database, as `simulator.from_inventory` does; used by `manage.py hall --site` only. Adapters have the
GUIDs that their machines print.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import connection

from simulator.fabric.plan import CablePlan, End, FabricPlan, NodePlan, made_guid
from simulator.plan import HallPlan

SWITCHES = """
SELECT d.id, d.name, d.serial, m.slug, s.fabric, s.tier, s.node_guid, lower(l.half_units)
FROM inventory_switch s JOIN inventory_device d ON d.id = s.device_id JOIN inventory_devicemodel m ON m.id = d.model_id
LEFT JOIN inventory_placement l ON l.device_id = d.id JOIN core_site site ON site.id = d.site_id
WHERE site.slug = %(site)s AND d.status <> 'retired' AND s.fabric IN ('infiniband', 'ethernet') ORDER BY d.id
"""
PORTS = """
SELECT p.id, p.device_id, d.name, d.kind, p.name, p.kind, p.cage, p.lane, p.slot, p.guid, p.mac, p.speed_gbps
FROM inventory_port p JOIN inventory_device d ON d.id = p.device_id JOIN core_site site ON site.id = d.site_id
WHERE site.slug = %(site)s AND d.status <> 'retired' AND p.kind IN ('infiniband', 'ethernet')
  AND (d.kind = 'machine' OR EXISTS (
    SELECT 1 FROM inventory_switch s WHERE s.device_id = d.id AND s.fabric = p.kind))
ORDER BY p.device_id, p.id
"""
END = """
(SELECT c.cable_id, c.serial, e.lane, e.port_id FROM inventory_connector c
 JOIN inventory_strandend e ON e.connector_id = c.id AND e.change_set_id IS NULL WHERE c.side = '{side}')
"""
CABLES = f"""
SELECT k.label, k.type, k.length_m, a.lane, a.port_id, a.serial, b.port_id, b.serial
FROM inventory_cable k JOIN core_site site ON site.id = k.site_id
JOIN {END.format(side="A")} a ON a.cable_id = k.id
JOIN {END.format(side="B")} b ON b.cable_id = k.id AND b.lane = a.lane
WHERE site.slug = %(site)s AND k.status <> 'removed' ORDER BY k.id, a.lane
"""


def fabric_from_inventory(site: str, hall: HallPlan) -> FabricPlan:
    """Three statements. Cables that end at a panel, or at what is no port of the fabric, are left out."""
    nodes: list[NodePlan] = []
    ends: dict[int, End] = {}
    ports: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in _rows(PORTS, site):
        ports[row[1]].append(row)
    for row in _rows(SWITCHES, site):
        node, numbers = _switch(row, ports.pop(row[0], []))
        nodes.append(node)
        ends |= numbers
    for rows in ports.values():
        for row in rows:
            adapter = _adapter(row, hall)
            if adapter is not None:
                nodes.append(adapter)
                ends[row[0]] = End(adapter.guid, 1)
    cables = []
    lanes: dict[str, int] = defaultdict(int)
    for label, type_, length_m, _, a, a_serial, b, b_serial in _rows(CABLES, site):
        if a in ends and b in ends:
            lanes[label] += 1
            name = label if lanes[label] == 1 else f"{label}/{lanes[label]}"
            serials = (a_serial or made_guid(label, "a")[-10:].upper(), b_serial or made_guid(label, "b")[-10:].upper())
            cables.append(CablePlan(name, ends[a], ends[b], float(length_m or 5), type_ or "fibre", serials))
    return FabricPlan(tuple(nodes), tuple(cables))


def _rows(sql: str, site: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"site": site})
        return list(cursor.fetchall())


def _guid(text: str) -> str:
    return text.lower().removeprefix("0x").replace(":", "").rjust(16, "0")


def _switch(row: tuple[Any, ...], ports: list[tuple[Any, ...]]) -> tuple[NodePlan, dict[int, End]]:
    """A switch and where its ports are: cage by cage, lane by lane."""
    _, name, serial, model, fabric, tier, node_guid, low = row
    ports = [port for port in ports if port[6] is not None]
    lanes = max((port[7] or 1 for port in ports), default=1)
    numbers = {port[0]: (port[6] - 1) * lanes + (port[7] or 1) for port in ports}
    if fabric == "ethernet":
        guid = _guid(made_guid(name, vendor="1c7300")[-12:])
    else:
        guid = _guid(node_guid) if node_guid else made_guid(name, vendor="900a84")
    node = NodePlan(
        guid, "switch", name, max(numbers.values(), default=1), name, fabric, model=model, serial=serial, tier=tier,
        speed_gbps=max((port[11] or 0 for port in ports), default=400), lanes_a_cage=lanes,
        height_u=(low or 0) / 2,
    )  # fmt: skip
    return node, {port: End(guid, number) for port, number in numbers.items()}


def _adapter(row: tuple[Any, ...], hall: HallPlan) -> NodePlan | None:
    """A machine's adapter, with the GUID its machine prints; an Ethernet one is known by its MAC."""
    _, _, machine, _, name, kind, _, _, slot, guid, mac, speed = row
    if not slot:
        return None  # the BMC and the like
    plan = hall.by_name.get(machine)
    hca = next((hca for hca in plan.hcas if hca.slot == slot), None) if plan else None
    if kind == "ethernet":
        known = _guid(mac) if mac else _guid(made_guid(machine, name, vendor="946dae")[-12:])
    else:
        known = _guid(hca.guid if hca else guid) if hca or guid else made_guid(machine, name)
    return NodePlan(known, "ca", f"{machine} {name}", 1, machine, kind, slot=slot, device=name, speed_gbps=speed or 400)
