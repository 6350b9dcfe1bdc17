"""A site's rows as the database holds them, in the form of `rows.py`, with their ids. One query a table."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from django.db import connection

from inventory.fleet.rows import (
    AisleRow,
    CableEnd,
    CableRow,
    DeviceRow,
    Installed,
    MachineRow,
    ModelRow,
    Owner,
    PartRow,
    PassThroughRow,
    PduRow,
    PlacementRow,
    Plug,
    PortRow,
    PowerFeedRow,
    PowerPanelRow,
    RackRow,
    RoomRow,
    RowRow,
    Span,
    Stored,
    SwitchRow,
    reservation_name,
)


def read_site(site_id: int) -> Stored:
    """Everything a fleet file may speak of, except retired devices' places and parts, which they have none of."""
    stored = Stored(site_id)
    _read_models(stored)
    _read_places(stored)
    _read_power(stored)
    _read_devices(stored)
    _read_ports(stored)
    _read_cables(stored)
    _read_parts(stored)
    return stored


def _select(sql: str, *params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def _read_models(stored: Stored) -> None:
    from inventory.models import DeviceModel

    for pk, *values in DeviceModel.objects.values_list("id", *ModelRow._fields):
        row = ModelRow(*values)
        stored.keep("models", row.slug, pk, row)


def _read_places(stored: Stored) -> None:
    for pk, *values in _select(
        "SELECT id, name, width_mm, depth_mm, door FROM inventory_room WHERE site_id = %s", stored.site
    ):
        stored.keep("rooms", values[0], pk, RoomRow(*values))
    for pk, *values in _select(
        "SELECT o.id, r.name, o.name, o.position FROM inventory_row o "
        "JOIN inventory_room r ON r.id = o.room_id WHERE r.site_id = %s",
        stored.site,
    ):
        row = RowRow(*values)
        stored.keep("rows", (row.room, row.name), pk, row)
    for pk, *values in _select(
        "SELECT a.id, r.name, a.name, a.kind, a.x_mm, a.y_mm, a.width_mm, a.depth_mm FROM inventory_aisle a "
        "JOIN inventory_room r ON r.id = a.room_id WHERE r.site_id = %s",
        stored.site,
    ):
        aisle = AisleRow(*values)
        stored.keep("aisles", (aisle.room, aisle.name), pk, aisle)
    for pk, *values in _select(
        "SELECT k.id, r.name, k.name, coalesce(o.name, ''), k.role, k.x_mm, k.y_mm, k.width_mm, k.depth_mm, k.facing, "
        "k.height_u, k.power_limit_w, k.numbering, k.outer_height_mm, k.weight_limit_kg, k.serial, k.asset_tag "
        "FROM inventory_rack k JOIN inventory_room r ON r.id = k.room_id "
        "LEFT JOIN inventory_row o ON o.id = k.row_id WHERE r.site_id = %s",
        stored.site,
    ):
        rack = RackRow(*values)
        stored.keep("racks", (rack.room, rack.name), pk, rack)


def _read_power(stored: Stored) -> None:
    for pk, *values in _select(
        "SELECT p.id, p.name, coalesce(r.name, ''), p.voltage_v, p.current_a, p.phases, p.derating_percent "
        "FROM inventory_powerpanel p LEFT JOIN inventory_room r ON r.id = p.room_id WHERE p.site_id = %s",
        stored.site,
    ):
        stored.keep("power_panels", values[0], pk, PowerPanelRow(*values))
    for pk, *values in _select(
        "SELECT f.id, f.name, coalesce(p.name, ''), f.side, f.voltage_v, f.current_a, f.phases, f.derating_percent "
        "FROM inventory_powerfeed f LEFT JOIN inventory_powerpanel p ON p.id = f.panel_id WHERE f.site_id = %s",
        stored.site,
    ):
        stored.keep("power_feeds", values[0], pk, PowerFeedRow(*values))


def _read_devices(stored: Stored) -> None:
    for pk, *values in _select(
        "SELECT d.id, d.name, m.slug, d.kind, d.status, d.serial, d.asset_tag, coalesce(p.name, ''), d.bay "
        "FROM inventory_device d JOIN inventory_devicemodel m ON m.id = d.model_id "
        "LEFT JOIN inventory_device p ON p.id = d.parent_id WHERE d.site_id = %s",
        stored.site,
    ):
        stored.keep("devices", values[0], pk, DeviceRow(*values))
    for pk, device, kind, room, rack, height, units, faces, columns, side, *why in _select(
        "SELECT p.id, d.name, p.kind, r.name, k.name, p.rack_height_u, p.half_units, p.faces, p.columns, p.side_slot, "
        "p.reason, p.owner FROM inventory_placement p JOIN inventory_rack k ON k.id = p.rack_id "
        "JOIN inventory_room r ON r.id = k.room_id LEFT JOIN inventory_device d ON d.id = p.device_id "
        "WHERE r.site_id = %s",
        stored.site,
    ):
        spans = (_span(units), _span(faces), _span(columns))
        what = device or reservation_name(room, rack, *(span or (0, 0) for span in spans))
        stored.keep("placements", what, pk, PlacementRow(what, kind, room, rack, height, *spans, side, *why))
    machines = (
        "SELECT m.device_id, d.name, m.role, coalesce(m.system_uuid::text, ''), coalesce(host(m.primary_ip), ''), "
        "coalesce(host(m.bmc_ip), ''), m.bmc_mac, m.boot_mac FROM inventory_machine m"
    )
    switches = "SELECT m.device_id, d.name, m.fabric, m.tier, m.node_guid FROM inventory_switch m"
    pdus = (
        "SELECT m.device_id, d.name, coalesce(f.name, ''), m.limit_w FROM inventory_pdu m "
        "LEFT JOIN inventory_powerfeed f ON f.id = m.feed_id"
    )
    of_kind: tuple[tuple[str, str, Any], ...] = (
        ("machines", machines, MachineRow),
        ("switches", switches, SwitchRow),
        ("pdus", pdus, PduRow),
    )
    for table, sql, kind in of_kind:
        where = " JOIN inventory_device d ON d.id = m.device_id WHERE d.site_id = %s"
        for pk, *values in _select(sql + where, stored.site):
            stored.keep(table, values[0], pk, kind(*values))


def _span(value: Any) -> Span | None:
    return None if value is None else (value.lower, value.upper)


def _read_ports(stored: Stored) -> None:
    for pk, *values in _select(
        "SELECT p.id, d.name, p.name, p.kind, p.speed_gbps, p.cage, p.lane, p.slot, p.face, p.guid, p.mac, "
        "p.positions, p.rail "
        "FROM inventory_port p JOIN inventory_device d ON d.id = p.device_id WHERE d.site_id = %s",
        stored.site,
    ):
        port = PortRow(*values)
        stored.keep("ports", (port.device, port.name), pk, port)
    for pk, *values in _select(
        "SELECT t.id, d.name, f.name, r.name, t.position FROM inventory_passthrough t "
        "JOIN inventory_device d ON d.id = t.device_id JOIN inventory_port f ON f.id = t.front_id "
        "JOIN inventory_port r ON r.id = t.rear_id WHERE d.site_id = %s",
        stored.site,
    ):
        row = PassThroughRow(*values)
        stored.keep("passes", (row.device, row.front), pk, row)


def _read_cables(stored: Stored) -> None:
    ends: dict[int, list[CableEnd]] = defaultdict(list)
    plugs: dict[int, list[Plug]] = defaultdict(list)
    for cable, *values in _select(
        "SELECT n.cable_id, n.side, n.number, n.serial FROM inventory_connector n "
        "JOIN inventory_cable c ON c.id = n.cable_id WHERE c.site_id = %s "
        "AND NOT EXISTS (SELECT FROM inventory_strandend e WHERE e.connector_id = n.id "
        "HAVING count(*) > 0 AND count(*) = count(e.change_set_id))",  # those only a change set knows
        stored.site,
    ):
        plugs[cable].append(Plug(*values))
    for cable, *values in _select(
        "SELECT n.cable_id, n.side, n.number, e.lane, d.name, p.name FROM inventory_strandend e "
        "JOIN inventory_connector n ON n.id = e.connector_id JOIN inventory_cable c ON c.id = n.cable_id "
        "JOIN inventory_port p ON p.id = e.port_id JOIN inventory_device d ON d.id = p.device_id "
        "WHERE c.site_id = %s AND e.change_set_id IS NULL",
        stored.site,
    ):
        ends[cable].append(CableEnd(*values))
    for pk, label, kind, status, length, *about in _select(
        "SELECT id, label, type, status, length_m, colour, vendor, part_number, bundle FROM inventory_cable "
        "WHERE site_id = %s",
        stored.site,
    ):
        length_m = None if length is None else Decimal(length).normalize()
        values = [label, kind, status, length_m, *about, *(tuple(sorted(rows.get(pk, ()))) for rows in (ends, plugs))]
        stored.keep("cables", label, pk, CableRow(*values))


def _read_parts(stored: Stored) -> None:
    from inventory.models import Installation

    fields = ("device__name", "slot", "component__kind", "component__vendor", "component__part_number",
              "component__serial", "component__attributes")  # fmt: skip
    open_now = Installation.objects.filter(device__site_id=stored.site, during__endswith=None)
    for pk, component, by, ticket, during, *values in open_now.values_list(
        "id", "component_id", "by", "ticket", "during", *fields
    ):
        part = PartRow(*values)
        key = (part.device, part.slot)
        stored.keep("parts", key, component, part)
        stored.installed[key] = Installed(pk, component, by, ticket, during.lower)


def owners_of_macs(column: str, values: list[str]) -> dict[str, Owner]:
    """Machines of any site by `boot_mac` or `bmc_mac`."""
    rows = _select(
        f"SELECT m.{column}, s.slug, d.name FROM inventory_machine m JOIN inventory_device d ON d.id = m.device_id "
        f"JOIN core_site s ON s.id = d.site_id WHERE m.{column} = ANY(%s)",
        values,
    )
    return {value: Owner(site, name, "", 0, "") for value, site, name in rows}


def owners_of_guids(values: list[str]) -> dict[str, Owner]:
    """Switches of any site by node GUID."""
    rows = _select(
        "SELECT m.node_guid, s.slug, d.name FROM inventory_switch m JOIN inventory_device d ON d.id = m.device_id "
        "JOIN core_site s ON s.id = d.site_id WHERE m.node_guid = ANY(%s)",
        values,
    )
    return {value: Owner(site, name, "", 0, "") for value, site, name in rows}


def known_components(identities: list[tuple[str, str, str]]) -> dict[tuple[str, str, str], Owner]:
    """Components of any site by (vendor, part number, serial), with the slot they sit in now, if any."""
    rows = _select(
        "SELECT c.vendor, c.part_number, c.serial, s.slug, coalesce(d.name, ''), coalesce(i.slot, ''), c.id, "
        "coalesce(i.by, '') "
        "FROM unnest(%s::text[], %s::text[], %s::text[]) AS w (vendor, part_number, serial) "
        "JOIN inventory_component c ON c.serial <> '' "
        "AND (c.vendor, c.part_number, c.serial) = (w.vendor, w.part_number, w.serial) "
        "JOIN core_site s ON s.id = c.site_id "
        "LEFT JOIN inventory_installation i ON i.component_id = c.id AND upper_inf(i.during) "
        "LEFT JOIN inventory_device d ON d.id = i.device_id",
        *([identity[at] for identity in identities] for at in range(3)),
    )  # fmt: skip
    return {(vendor, number, serial): Owner(*rest) for vendor, number, serial, *rest in rows}
