"""Writes the difference between a fleet file and the database, in bulk: a fixed number of statements a table.

New rows go in by COPY with ids taken from the sequence beforehand; changed ones through a temporary table. Rows that
stand under an exclusion or unique constraint and may trade places (placements, cable ends, MACs) are cleared first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db import connection
from psycopg.types.range import Range

from core.database.late_checks import checked_at_the_end
from inventory.fleet.diff import FleetDiff
from inventory.fleet.rows import FLEET_FILE, FleetRows, Span, Stored
from inventory.kinds import sql
from inventory.kinds.connectors import unplug
from inventory.kinds.retirement import take_away
from inventory.kinds.writer import remove
from inventory.models import Cable

ANALYZE_FROM = 1000  # new rows from which the planner's statistics would mislead

LARGE = ("inventory_device", "inventory_port", "inventory_passthrough", "inventory_cable", "inventory_connector",
         "inventory_strandend", "inventory_component", "inventory_installation")  # fmt: skip

Ids = dict[str, dict[Any, int]]


@dataclass(frozen=True)
class Table:
    """How the rows of one kind become columns; `values` gets (site id, ids of everything, row)."""

    name: str
    sql: str
    columns: tuple[str, ...]
    values: Callable[[int, Ids, Any], Sequence[Any]]
    key: str = "id"
    cleared: tuple[str, ...] = ()  # unique columns that changed rows may exchange


def _range(span: Span | None) -> Range[int] | None:
    return None if span is None else Range(*span)


def _json(value: dict[str, Any]) -> str:
    return orjson.dumps(value).decode()


TABLES = (
    Table("models", "inventory_devicemodel",
          ("slug", "vendor", "name", "kind", "half_u_height", "full_depth", "airflow", "air_class", "power_w",
           "gpu_count", "gpu_type", "psu_count", "spec"),
          lambda _, ids, r: (*r[:-1], _json(r.spec))),
    Table("rooms", "inventory_room", ("site_id", "name", "width_mm", "depth_mm", "door"),
          lambda site, ids, r: (site, *r)),
    Table("rows", "inventory_row", ("room_id", "name", "position"),
          lambda _, ids, r: (ids["rooms"][r.room], r.name, r.position)),
    Table("aisles", "inventory_aisle", ("room_id", "name", "kind", "x_mm", "y_mm", "width_mm", "depth_mm"),
          lambda _, ids, r: (ids["rooms"][r.room], *r[1:])),
    Table("racks", "inventory_rack",
          ("room_id", "name", "row_id", "role", "x_mm", "y_mm", "width_mm", "depth_mm", "facing", "height_u",
           "power_limit_w", "numbering", "outer_height_mm", "weight_limit_kg", "serial", "asset_tag"),
          lambda _, ids, r: (ids["rooms"][r.room], r.name, ids["rows"][r.room, r.row] if r.row else None, *r[3:])),
    Table("power_panels", "inventory_powerpanel",
          ("site_id", "name", "room_id", "voltage_v", "current_a", "phases", "derating_percent"),
          lambda site, ids, r: (site, r.name, ids["rooms"][r.room] if r.room else None, *r[2:])),
    Table("power_feeds", "inventory_powerfeed",
          ("site_id", "name", "panel_id", "side", "voltage_v", "current_a", "phases", "derating_percent"),
          lambda site, ids, r: (site, r.name, ids["power_panels"][r.panel] if r.panel else None, *r[2:])),
    Table("devices", "inventory_device",
          ("site_id", "name", "model_id", "kind", "status", "serial", "asset_tag", "parent_id", "bay"),
          lambda site, ids, r: (site, r.name, ids["models"][r.model], *r[2:6],
                                ids["devices"][r.parent] if r.parent else None, r.bay)),
    Table("placements", "inventory_placement",
          ("kind", "device_id", "rack_id", "rack_height_u", "half_units", "faces", "columns", "side_slot", "reason",
           "owner"),
          lambda _, ids, r: (r.kind, ids["devices"][r.what] if r.kind == "device" else None,
                             ids["racks"][r.room, r.rack], r.rack_height_u, _range(r.half_units), _range(r.faces),
                             _range(r.columns), *r[8:])),
    Table("machines", "inventory_machine",
          ("role", "system_uuid", "primary_ip", "bmc_ip", "bmc_mac", "boot_mac"),
          lambda _, ids, r: (r.role, r.system_uuid or None, r.primary_ip or None, r.bmc_ip or None, r.bmc_mac,
                             r.boot_mac),
          key="device_id", cleared=("bmc_mac", "boot_mac")),
    Table("switches", "inventory_switch", ("fabric", "tier", "node_guid"), lambda _, ids, r: r[1:],
          key="device_id", cleared=("node_guid",)),
    Table("pdus", "inventory_pdu", ("feed_id", "limit_w"),
          lambda _, ids, r: (ids["power_feeds"][r.feed], r.limit_w), key="device_id"),
    Table("ports", "inventory_port",
          ("device_id", "name", "kind", "speed_gbps", "cage", "lane", "slot", "face", "guid", "mac",
           "positions", "rail"),
          lambda _, ids, r: (ids["devices"][r.device], *r[1:])),
    Table("passes", "inventory_passthrough", ("device_id", "front_id", "rear_id", "position"),
          lambda _, ids, r: (ids["devices"][r.device], ids["ports"][r.device, r.front], ids["ports"][r.device, r.rear],
                             r.position)),
    Table("cables", "inventory_cable",
          ("site_id", "label", "type", "status", "length_m", "colour", "vendor", "part_number", "bundle"),
          lambda site, ids, r: (site, *r[:8])),
)  # fmt: skip


# Their rows stand under constraints of several columns, and may trade places.
CLEARED = tuple(table for table in TABLES if table.name in ("placements", "passes"))


class Writer:
    """One load: the site, and the ids of everything stored or just made."""

    def __init__(
        self, file: FleetRows, stored: Stored, diff: FleetDiff, now: datetime, installed_at: datetime | None = None
    ) -> None:
        self.file, self.stored, self.diff, self.now = file, stored, diff, now
        self.installed_at = installed_at or now
        self.ids: Ids = stored.ids
        self.many = sum(len(table.created) for table in diff.tables.values()) >= ANALYZE_FROM

    def write(self, *, prune: bool) -> None:
        """Apply the whole difference. Must run inside a transaction."""
        with checked_at_the_end(LARGE) if self.many else nullcontext():
            self._write(prune=prune)

    def _write(self, *, prune: bool) -> None:
        self._clear_the_way()
        if prune:
            self._retire()
        for table in TABLES:
            self._write_table(table)
        self._write_ends()
        self._write_parts()
        if prune:
            self._remove_the_rest()

    # ---- statements ----

    def _copy(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        names = ", ".join(map(sql.quoted, columns))
        with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:  # type: ignore[attr-defined]
            for row in rows:
                copy.write_row(row)
        if self.many and table.startswith("inventory_"):
            # At once: the triggers of the tables that follow join with this one.
            sql.execute(f"ANALYZE {table}")

    def _ids_of(self, table: str, keys: Iterable[Any]) -> list[int]:
        return [self.ids[table][key] for key in keys]

    # ---- in order ----

    def _clear_the_way(self) -> None:
        """Take out what changed rows may exchange: places and cable ends. They are written again further down."""
        for table in CLEARED:
            sql.delete(table.sql, "id", self._ids_of(table.name, self.diff.tables[table.name].changed))
        self.kept_connectors = unplug(self._ids_of("cables", self.diff.tables["cables"].changed))

    def _write_table(self, table: Table) -> None:
        rows = getattr(self.file, table.name)
        diff = self.diff.tables[table.name]
        created, changed = diff.created, diff.changed
        if table in CLEARED:  # the changed ones were taken out
            created, changed = created + [key for key in changed if key in rows], []
        if created:
            if table.key == "id":
                self.ids[table.name].update(zip(created, sql.new_ids(table.sql, len(created)), strict=True))
            else:
                self.ids[table.name].update((key, self.ids["devices"][key]) for key in created)
            self._copy(table.sql, (table.key, *table.columns), self._lines(table, rows, created))
        if changed:
            self._update(table, self._lines(table, rows, changed), self._ids_of(table.name, changed))

    def _lines(self, table: Table, rows: dict[Any, Any], keys: list[Any]) -> Iterable[Sequence[Any]]:
        ids = self.ids[table.name]
        return ((ids[key], *table.values(self.stored.site, self.ids, rows[key])) for key in keys)

    def _update(self, table: Table, lines: Iterable[Sequence[Any]], ids: list[int]) -> None:
        columns = [sql.quoted(column) for column in table.columns]
        for column in table.cleared:
            sql.execute(f"UPDATE {table.sql} SET {column} = '' WHERE {table.key} = ANY(%s)", ids)
        sql.execute(
            f"CREATE TEMP TABLE fleet_changes ON COMMIT DROP AS "
            f"SELECT {table.key}, {', '.join(columns)} FROM {table.sql} WHERE false"
        )
        self._copy("fleet_changes", (table.key, *table.columns), lines)
        assignments = ", ".join(f"{column} = n.{column}" for column in columns)
        sql.execute(f"UPDATE {table.sql} t SET {assignments} FROM fleet_changes n WHERE t.{table.key} = n.{table.key}")
        sql.execute("DROP TABLE fleet_changes")

    def _write_ends(self) -> None:
        diff = self.diff.tables["cables"]
        labels = diff.created + diff.changed
        cables, ports, kept = self.ids["cables"], self.ids["ports"], self.kept_connectors
        plugs = {(cables[label], side, number): serial
                 for label in labels for side, number, serial in self.file.cables[label].plugs}  # fmt: skip
        if not plugs:
            return
        fresh = [key for key in plugs if key not in kept]
        connectors = kept | dict(zip(fresh, sql.new_ids("inventory_connector", len(fresh)), strict=True))
        sql.update("inventory_connector", ["serial"],
               [{"id": kept[key], "serial": plugs[key]} for key in plugs if key in kept])  # fmt: skip
        self._copy(
            "inventory_connector",
            ("id", "cable_id", "side", "number", "serial"),
            ((connectors[key], *key, plugs[key]) for key in fresh),
        )
        self._copy(
            "inventory_strandend",
            ("connector_id", "lane", "port_id"),
            (
                (connectors[cables[label], end.side, end.number], end.lane, ports[end.device, end.port])
                for label in labels
                for end in self.file.cables[label].ends
            ),
        )

    # ---- parts ----

    def _write_parts(self) -> None:
        diff = self.diff.tables["parts"]
        parts = self.file.parts
        swapped = [key for key in diff.changed if self._is_swap(key)]
        self._update_parts([key for key in diff.changed if not self._is_swap(key)])
        out = [self.stored.installed[key].installation for key in swapped]
        self._close(out)
        coming = diff.created + swapped
        fresh = [key for key in coming if key not in self.diff.reused]
        if not coming:
            return
        components = dict(self.diff.reused)
        components |= zip(fresh, sql.new_ids("inventory_component", len(fresh)), strict=True)
        self._copy(
            "inventory_component",
            ("id", "site_id", "kind", "vendor", "part_number", "serial", "attributes"),
            ((components[key], self.stored.site, *parts[key][2:6], _json(parts[key].attributes)) for key in fresh),
        )
        during = f"[{self.installed_at.isoformat()},)"
        devices = self.ids["devices"]
        self._copy(
            "inventory_installation",
            ("component_id", "device_id", "slot", "during", "by", "ticket"),
            ((components[key], devices[key[0]], key[1], during, FLEET_FILE, "") for key in coming),
        )

    def _is_swap(self, key: Any) -> bool:
        there, part = self.stored.rows.parts[key], self.file.parts[key]
        return key in self.diff.reused or (there.identity is not None and there.identity != part.identity)

    def _update_parts(self, keys: list[Any]) -> None:
        """What the file says of a part is set; what only the database knows of it stays."""
        if not keys:
            return
        sql.execute(
            "CREATE TEMP TABLE fleet_parts (id bigint, kind text, vendor text, part_number text, serial text, "
            "attributes jsonb) ON COMMIT DROP"
        )
        parts = self.file.parts
        self._copy(
            "fleet_parts",
            ("id", "kind", "vendor", "part_number", "serial", "attributes"),
            ((self.ids["parts"][key], *parts[key][2:6], _json(parts[key].attributes)) for key in keys),
        )
        sql.execute(
            "UPDATE inventory_component c SET kind = n.kind, vendor = n.vendor, part_number = n.part_number, "
            "serial = n.serial, attributes = c.attributes || n.attributes FROM fleet_parts n WHERE c.id = n.id"
        )

    def _close(self, installations: list[int]) -> None:
        if installations:
            sql.execute(
                "UPDATE inventory_installation SET during = tstzrange(lower(during), %s) WHERE id = ANY(%s)",
                self.now,
                installations,
            )

    # ---- what is not in the file ----

    def _retire(self) -> None:
        """Devices that leave: they free their place, cables, parts and addresses; the row stays, with its history."""
        remove(Cable, self._ids_of("cables", self.diff.tables["cables"].missing))
        devices = self._ids_of("devices", self.diff.tables["devices"].missing)
        if devices:
            take_away(devices, self.now)
        sql.delete("inventory_placement", "id", self._ids_of("placements", self.diff.tables["placements"].missing))

    def _remove_the_rest(self) -> None:
        """Ports a model no longer has, and places that are empty now."""
        sql.delete("inventory_port", "id", self._ids_of("ports", self.diff.tables["ports"].missing))
        for table in ("power_feeds", "power_panels", "aisles", "racks", "rows", "rooms"):
            missing = self._ids_of(table, self.diff.tables[table].missing)
            if table == "rooms":
                sql.delete("inventory_landmark", "room_id", missing)  # the fleet file has none
            sql.delete(f"inventory_{table[:-1].replace('_', '')}", "id", missing)
