"""Sites, locations and racks of NetBox as sites, rooms, rows and racks. Pure.

A location's path becomes one room (`Building 1 / Hall 2`); only those that hold racks or panels do. NetBox has no floor
plan: racks are laid out side by side, row by row, and people move them; later imports leave their place alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import Decimal
from typing import Any

from inventory.device_types.words import KG
from inventory.netbox.findings import Findings
from inventory.netbox.mapping.labels import Labels
from inventory.netbox.options import Options
from inventory.netbox.snapshot import Mapped, Row, Snapshot, plain, remains, value_of

PITCH_MM, DEPTH_MM, AISLE_MM = 600, 1200, 1800
MM = {"mm": Decimal(1), "in": Decimal("25.4")}
_NETWORK = re.compile(r"net|switch|spine|core|mmr|meet.?me|\btor\b", re.IGNORECASE)
_STORAGE = re.compile(r"stor|disk|backup|tape", re.IGNORECASE)
_COMPUTE = re.compile(r"compute|gpu|server|node|host|machine", re.IGNORECASE)

SITE_USED = {"time_zone", "status", "device_count", "contacts"}
RACK_USED = {
    "site", "location", "group", "role", "serial", "asset_tag", "u_height", "starting_unit", "max_weight",
    "weight_unit", "desc_units", "outer_width", "outer_height", "outer_depth", "outer_unit", "status", "width",
    "rack_type",
}  # fmt: skip


class Places:
    """`rooms` leads from a rack or location to the name of its room, `racks` from a rack's id to (site, room, name)."""

    def __init__(self, snapshot: Snapshot, options: Options, findings: Findings, labels: Labels) -> None:
        self.snapshot, self.options, self.findings, self.labels = snapshot, options, findings, labels
        self.racks: dict[int, tuple[str, str, str]] = {}
        self._rooms: dict[tuple[int, int | None], str] = {}

    def sites(self) -> list[Mapped]:
        made = []
        for row in self.snapshot.rows("dcim/sites"):
            zone = row.get("time_zone") or "UTC"
            fields = {"slug": self.snapshot.site_slugs[row["id"]], "name": plain(row["name"], 100)}
            made.append(Mapped("sites", "dcim/sites", row["id"], fields, {"timezone": zone}))
            self.labels.no_custom("dcim/sites", row)
            for name in remains(row, SITE_USED):
                self.findings.left("dcim/sites", row, "a site has no such field here", name)
        return made

    def rooms(self) -> list[Mapped]:
        """Rooms that racks and panels stand in."""
        holders = [*self.snapshot.rows("dcim/racks"), *self.snapshot.rows("dcim/power-panels")]
        wanted = dict.fromkeys((row["site"]["id"], self._room_location(row)) for row in holders)
        racks = defaultdict(list)
        for row in self.snapshot.rows("dcim/racks"):
            racks[row["site"]["id"], self._room_location(row)].append(row)
        made = []
        for site, location in wanted:
            name = self._room_name(site, location)
            self._rooms[site, location] = name
            row = self.snapshot.get("dcim/locations", location) or {}
            rows = len({self._row_name(rack) for rack in racks[site, location]})
            longest = max((len(racks[site, location]) // max(rows, 1)) + 1, 8)
            initial = {
                "width_mm": longest * PITCH_MM * 2 + 2 * AISLE_MM,
                "depth_mm": max(rows, 1) * (DEPTH_MM + AISLE_MM) + AISLE_MM,
            }
            fields = {"site": self.snapshot.site_slugs[site], "name": name}
            if row:
                fields |= self.labels.of("rooms", "dcim/locations", row, tags=False)
            endpoint, number = ("dcim/locations", location) if location else ("dcim/sites", site)
            made.append(Mapped("rooms", endpoint, number, fields, initial, part="room"))
        self._locations_left()
        return made

    def _locations_left(self) -> None:
        used = {location for _, location in self._rooms}
        parents = {row["parent"]["id"] for row in self.snapshot.rows("dcim/locations") if row.get("parent")}
        for row in self.snapshot.rows("dcim/locations"):
            if row["id"] not in used | parents and self.options.rows_from != "location":
                self.findings.left("dcim/locations", row, "no rack or panel stands in it, so it is no room")
            for name in remains(row, {"site", "parent", "status"}):
                self.findings.left("dcim/locations", row, "a room has no such field here", name)

    def room(self, row: Row) -> str | None:
        """The room of a rack, panel or device by its site and location."""
        return self._rooms.get((row["site"]["id"], self._room_location(row)))

    def _room_location(self, row: Row) -> int | None:
        location = row.get("location")
        found = self.snapshot.get("dcim/locations", location) if location else None
        if found is None:
            return None
        if self.options.rows_from == "location" and found.get("parent"):
            return int(found["parent"]["id"])
        return int(found["id"])

    def _room_name(self, site: int, location: int | None) -> str:
        names: list[str] = []
        seen: set[int] = set()
        while location and location not in seen:
            seen.add(location)
            row = self.snapshot.get("dcim/locations", location)
            if row is None:
                break
            names.insert(0, plain(row["name"]))
            location = row["parent"]["id"] if row.get("parent") else None
        if not names:
            found = self.snapshot.get("dcim/sites", site) or {}
            return plain(found.get("name", "Room"), 50)
        return " / ".join(names)

    def _row_name(self, rack: Row) -> str:
        found: Any = None
        if self.options.rows_from == "location":
            location = self.snapshot.get("dcim/locations", rack.get("location"))
            found = location if location and location.get("parent") else None
        elif self.options.rows_from != "none":
            found = rack.get(self.options.rows_from)
        return plain(found.get("name"), 20) if isinstance(found, dict) else ""

    def rows(self) -> list[Mapped]:
        made, seen = [], set()
        positions: dict[tuple[int, str], int] = defaultdict(int)
        for rack in self._racks_in_order():
            site, room, name = rack["site"]["id"], self.room(rack) or "", self._row_name(rack)
            if not name or (site, room, name) in seen:
                continue
            seen.add((site, room, name))
            positions[site, room] += 1
            fields = {"site": self.snapshot.site_slugs[site], "room": room, "name": name}
            made.append(
                Mapped("rows", "dcim/racks", rack["id"], fields, {"position": positions[site, room]}, part="row")
            )
        return made

    def _racks_in_order(self) -> list[Row]:
        return sorted(self.snapshot.rows("dcim/racks"), key=lambda row: (self._row_name(row), natural(row["name"])))

    def rack_rows(self) -> list[Mapped]:
        made = []
        lines: dict[tuple[int, str], dict[str, int]] = defaultdict(dict)
        counts: dict[tuple[int, str, str], int] = defaultdict(int)
        for rack in self._racks_in_order():
            site, room, row = rack["site"]["id"], self.room(rack) or "", self._row_name(rack)
            line = lines[site, room].setdefault(row, len(lines[site, room]))
            column = counts[site, room, row]
            counts[site, room, row] += 1
            made.append(self._rack(rack, room, row, column, line))
        return made

    def _rack(self, rack: Row, room: str, row: str, column: int, line: int) -> Mapped:
        site, name = self.snapshot.site_slugs[rack["site"]["id"]], plain(rack["name"], 100)
        self.racks[rack["id"]] = (site, room, name)
        fields: Row = {
            "site": site,
            "room": room,
            "name": name,
            "row": row or None,
            "height_u": rack["u_height"],
            "numbering": "down" if rack.get("desc_units") else "up",
            "serial": plain(rack.get("serial")),
            "asset_tag": plain(rack.get("asset_tag")),
            **self.labels.of("racks", "dcim/racks", rack, leave={self.options.x_field, self.options.y_field}),
        }
        initial: Row = {
            "x_mm": AISLE_MM + column * PITCH_MM,
            "y_mm": AISLE_MM + line * (DEPTH_MM + AISLE_MM),
            "role": self._role(rack),
        }
        fields |= self._outer(rack)
        for axis, name_ in (("x_mm", self.options.x_field), ("y_mm", self.options.y_field)):
            found = (rack.get("custom_fields") or {}).get(name_) if name_ else None
            if isinstance(found, int | float) and found >= 0:
                initial.pop(axis)
                fields[axis] = int(found)
        if (start := rack.get("starting_unit") or 1) != 1:
            self.findings.changed(
                "dcim/racks", rack, f"its units count from {start} in NetBox and from 1 here", "starting_unit"
            )
        if (status := value_of(rack.get("status"))) not in ("active", None):
            self.findings.left("dcim/racks", rack, f"a rack has no state such as {status} here", "status")
        if value_of(rack.get("width")) not in (19, None):
            self.findings.left("dcim/racks", rack, "racks are 19 inches wide here", "width")
        for field in remains(rack, RACK_USED):
            self.findings.left("dcim/racks", rack, "a rack has no such field here", field)
        return Mapped("racks", "dcim/racks", rack["id"], fields, initial)

    def _outer(self, rack: Row) -> Row:
        scale = MM.get(value_of(rack.get("outer_unit")) or "")
        sizes = {"width_mm": "outer_width", "depth_mm": "outer_depth", "outer_height_mm": "outer_height"}
        found: Row = {}
        if scale:
            found = {ours: round(Decimal(rack[name]) * scale) for ours, name in sizes.items() if rack.get(name)}
        weight = KG.get(value_of(rack.get("weight_unit")) or "")
        if weight and rack.get("max_weight"):
            found["weight_limit_kg"] = round(float(rack["max_weight"]) * weight)
        return found

    def _role(self, rack: Row) -> str:
        role = rack.get("role")
        name = str(role.get("name") if isinstance(role, dict) else "")
        for word, pattern in (("network", _NETWORK), ("storage", _STORAGE), ("compute", _COMPUTE)):
            if pattern.search(name):
                return word
        if name:
            self.findings.changed(
                "dcim/racks", rack, f"its role {name!r} became compute; others are network and storage", "role"
            )
        return "compute"

    def unit(self, rack_id: int, position: float) -> float:
        """A position in NetBox as our unit: racks here begin at U1."""
        rack = self.snapshot.get("dcim/racks", rack_id) or {}
        return position - (rack.get("starting_unit") or 1) + 1


def natural(name: Any) -> list[tuple[int, str]]:
    """Sorts A2 before A10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(name or "")) if part]
