"""The power graph out of the database: six statements for a site, eight for a rack, whatever their size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils import timezone

from inventory.power.graph import Feed, Inlet, Panel, PduNode, PoweredDevice, PowerGraph
from inventory.power.readings import fresh_since

FEEDS = """
SELECT feed.id, feed.name, feed.side, feed.panel_id, feed.voltage_v, feed.current_a, feed.phases,
    feed.derating_percent, panel.id, panel.name, panel.voltage_v, panel.current_a, panel.phases, panel.derating_percent
FROM inventory_powerfeed feed LEFT JOIN inventory_powerpanel panel ON panel.id = feed.panel_id
WHERE feed.site_id = %s ORDER BY feed.name
"""
PDUS = """
SELECT device.id, device.name, placement.rack_id, pdu.feed_id, pdu.limit_w
FROM inventory_pdu pdu JOIN inventory_device device ON device.id = pdu.device_id
LEFT JOIN inventory_placement placement ON placement.device_id = device.id
WHERE device.site_id = %s AND device.status <> 'retired' ORDER BY device.name
"""
# `psus` of a device model says how many supplies may fail. Whole specs are large: they are read once per model.
MODELS = """
SELECT model.id, model.psu_count, (model.spec #>> '{psus,may_fail}')::int
FROM inventory_devicemodel model
"""
DEVICES = """
SELECT device.id, device.name, device.kind, coalesce(placement.rack_id, above.rack_id), device.parent_id,
    nullif(model.power_w, 0), reading.watts, device.model_id
FROM inventory_device device
JOIN inventory_devicemodel model ON model.id = device.model_id
LEFT JOIN inventory_placement placement ON placement.device_id = device.id
LEFT JOIN inventory_placement above ON above.device_id = device.parent_id
LEFT JOIN inventory_powerreading reading ON reading.device_id = device.id AND reading.at >= %s
WHERE device.site_id = %s AND device.status <> 'retired' AND device.kind <> 'pdu'
    AND (%s::bigint[] IS NULL OR device.id = ANY(%s))
ORDER BY device.name
"""
# A cord is a cable that is plugged in now: a planned or a removed one carries nothing.
INLETS = """
SELECT port.device_id, port.id, port.name, cord.device_id, coalesce(cord.name, '')
FROM inventory_port port
JOIN inventory_device device ON device.id = port.device_id
LEFT JOIN LATERAL (
    SELECT outlet.device_id, outlet.name
    FROM inventory_strandend near
    JOIN inventory_connector plug ON plug.id = near.connector_id
    JOIN inventory_cable cable ON cable.id = plug.cable_id AND cable.status IN ('connected', 'to_move')
    JOIN inventory_connector other ON other.cable_id = plug.cable_id AND other.side <> plug.side
    JOIN inventory_strandend far ON far.connector_id = other.id AND far.lane = near.lane AND far.change_set_id IS NULL
    JOIN inventory_port outlet ON outlet.id = far.port_id AND outlet.kind = 'power_outlet'
    WHERE near.port_id = port.id AND near.change_set_id IS NULL
    LIMIT 1
) cord ON true
WHERE device.site_id = %s AND device.status <> 'retired' AND port.kind = 'power_in'
    AND (%s::bigint[] IS NULL OR device.id = ANY(%s))
ORDER BY port.device_id, port.id
"""
CORD_PDUS = """
SELECT device.id, device.name, coalesce(feed.name, '')
FROM inventory_device device
LEFT JOIN inventory_pdu pdu ON pdu.device_id = device.id LEFT JOIN inventory_powerfeed feed ON feed.id = pdu.feed_id
WHERE device.id = ANY(%s)
"""
# Everything that matters to a rack: what stands in it, what is on its PDUs, and what else hangs on those feeds.
AROUND = """
SELECT device_id FROM inventory_placement WHERE rack_id = %s AND device_id IS NOT NULL
UNION
SELECT child.id FROM inventory_device child
JOIN inventory_placement placement ON placement.device_id = child.parent_id WHERE placement.rack_id = %s
UNION
SELECT inlet.device_id
FROM inventory_port outlet
JOIN inventory_strandend near ON near.port_id = outlet.id AND near.change_set_id IS NULL
JOIN inventory_connector plug ON plug.id = near.connector_id
JOIN inventory_connector other ON other.cable_id = plug.cable_id AND other.side <> plug.side
JOIN inventory_strandend far ON far.connector_id = other.id AND far.change_set_id IS NULL
JOIN inventory_port inlet ON inlet.id = far.port_id AND inlet.kind = 'power_in'
WHERE outlet.kind = 'power_outlet' AND outlet.device_id = ANY(%s)
"""
SERVING = """
SELECT DISTINCT outlet.device_id
FROM inventory_placement placement
JOIN inventory_port inlet ON inlet.device_id = placement.device_id AND inlet.kind = 'power_in'
JOIN inventory_strandend near ON near.port_id = inlet.id AND near.change_set_id IS NULL
JOIN inventory_connector plug ON plug.id = near.connector_id
JOIN inventory_connector other ON other.cable_id = plug.cable_id AND other.side <> plug.side
JOIN inventory_strandend far ON far.connector_id = other.id AND far.change_set_id IS NULL
JOIN inventory_port outlet ON outlet.id = far.port_id AND outlet.kind = 'power_outlet'
WHERE placement.rack_id = %s
"""


def site_graph(site_id: int) -> PowerGraph:
    """Everything of a site."""
    feeds, pdus, panels = _supply(site_id)
    return PowerGraph(feeds, pdus, _devices(site_id, None), panels)


def rack_graph(site_id: int, rack_id: int) -> PowerGraph:
    """Enough of a site for one rack: the rack's devices and all that shares a feed with them."""
    feeds, pdus, panels = _supply(site_id)
    supply = PowerGraph(feeds, pdus)
    near = {pdu for (pdu,) in _select(SERVING, rack_id)} | {pdu.id for pdu in pdus if pdu.rack_id == rack_id}
    on_feeds = {supply.way(pdu)[1] for pdu in near} - {None}
    sharing = [pdu.id for pdu in pdus if pdu.id in near or supply.way(pdu.id)[1] in on_feeds]
    around = [device for (device,) in _select(AROUND, rack_id, rack_id, sharing)]
    return PowerGraph(feeds, pdus, _devices(site_id, around), panels)


def _supply(site_id: int) -> tuple[list[Feed], list[PduNode], list[Panel]]:
    """All feeds and PDUs of a site, these with the PDUs their own cords go to, and the panels above feeds."""
    rows = _select(PDUS, site_id)
    inlets = _inlets(site_id, [row[0] for row in rows])
    pdus = [
        PduNode(pdu, name, rack, feed, limit_w, tuple(i.pdu_id for i in inlets[pdu] if i.pdu_id is not None))
        for pdu, name, rack, feed, limit_w in rows
    ]
    feeds, panels = [], {}
    for row in _select(FEEDS, site_id):
        feed, panel = Feed(*row[: len(Feed._fields)]), row[len(Feed._fields) :]
        feeds.append(feed)
        if feed.panel_id is not None:
            panels[feed.panel_id] = Panel(*panel)
    return feeds, pdus, list(panels.values())


def _devices(site_id: int, only: list[int] | None) -> list[PoweredDevice]:
    """Devices that draw power, or might: not patch panels and shelves."""
    inlets = _inlets(site_id, only)
    since = fresh_since(timezone.now())
    may_fail = {model: _may_fail(*rule) for model, *rule in _select(MODELS)}
    devices = (
        PoweredDevice(pk, name, kind, rack, parent, planned_w, watts, may_fail[model], tuple(inlets[pk]))
        for pk, name, kind, rack, parent, planned_w, watts, model in _select(DEVICES, since, site_id, only, only)
    )
    return [each for each in devices if each.inlets or each.planned_w]


def _inlets(site_id: int, only: list[int] | None) -> dict[int, list[Inlet]]:
    found: dict[int, list[Inlet]] = defaultdict(list)
    for device_id, *inlet in _select(INLETS, site_id, only, only):
        found[device_id].append(Inlet(*inlet))
    return found


def _may_fail(psu_count: int, told: int | None) -> int | None:
    """As its model tells; one supply cannot fail, of two one may; of more nobody can tell."""
    return told if told is not None else {1: 0, 2: 1}.get(psu_count)


def _select(sql: str, *params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


@dataclass(frozen=True)
class Cord:
    """Where one inlet of a device gets its power; empty where no cord is recorded."""

    inlet: str
    pdu: str = ""
    outlet: str = ""
    feed: str = ""

    def __str__(self) -> str:
        to = " ".join(filter(None, (self.pdu, self.outlet)))
        return f"{self.inlet}: {to or 'no cord recorded'}" + (f" (feed {self.feed})" if self.feed else "")


def pdus_of(site_id: int, device_ids: Collection[int]) -> dict[int, set[int]]:
    """Device to the PDUs that its cords go to. One statement."""
    found: dict[int, set[int]] = {}
    for device, _, _, pdu, _ in _select(INLETS, site_id, list(device_ids), list(device_ids)):
        if pdu is not None:
            found.setdefault(device, set()).add(pdu)
    return found


def cords_of(site_id: int, device_id: int) -> list[Cord]:
    """The cords of one device, by its inlets: what is pulled or locked out before hands go in. Two statements."""
    rows = _select(INLETS, site_id, [device_id], [device_id])
    pdus = _select(CORD_PDUS, [row[3] for row in rows if row[3] is not None])
    named = {pk: (name, feed) for pk, name, feed in pdus}
    return [
        Cord(inlet, named.get(pdu, ("", ""))[0], outlet, named.get(pdu, ("", ""))[1])
        for _, _, inlet, pdu, outlet in rows
    ]
