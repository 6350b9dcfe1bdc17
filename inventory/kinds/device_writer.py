"""Devices span tables: the device, what its kind has, its place, and the ports that its model brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inventory.kinds import sql
from inventory.kinds.batch import Line
from inventory.kinds.device_checks import check_addresses, check_bays, check_identities, check_places
from inventory.kinds.retirement import retire
from inventory.kinds.writer import Writer
from inventory.models import Device, DeviceModel

# What each kind of device has in a table of its own: the table, and its fields with what they are unless told.
OWN: dict[str, tuple[str, dict[str, Any]]] = {
    "machine": (
        "inventory_machine",
        {"role": "compute", "system_uuid": None, "primary_ip": None, "bmc_ip": None, "bmc_mac": "", "boot_mac": ""},
    ),
    "switch": ("inventory_switch", {"fabric": None, "tier": "tor", "node_guid": ""}),
    "pdu": ("inventory_pdu", {"feed": None, "limit_w": None}),
}
OWN_FIELDS = {name: kind for kind, (_, fields) in OWN.items() for name in fields}
PLACE = ("rack", "u", "face", "column", "side")
COLUMNS = {"feed": "feed_id"}
TRADED = ("bmc_mac", "boot_mac", "node_guid")

PORTS = """
INSERT INTO inventory_port (device_id, name, kind, speed_gbps, cage, lane, slot, face, guid, mac, rail, positions)
SELECT d.id, p.name, p.kind, p.speed_gbps, p.cage, p.lane, coalesce(p.slot, ''), coalesce(p.face, ''), '', '',
       (SELECT (s->>'rail')::smallint FROM jsonb_array_elements(m.spec->'slots') s
        WHERE p.slot <> '' AND s->>'name' = p.slot LIMIT 1),
       coalesce(p.positions, 1)
FROM inventory_device d
JOIN inventory_devicemodel m ON m.id = d.model_id
CROSS JOIN LATERAL ROWS FROM (
    jsonb_to_recordset(coalesce(m.spec->'ports', '[]'))
    AS (name text, kind text, speed_gbps int, cage smallint, lane smallint, slot text, face text, positions smallint)
) WITH ORDINALITY AS p (name, kind, speed_gbps, cage, lane, slot, face, positions, at)
WHERE d.id = ANY(%s)
ORDER BY d.id, p.at
"""
PASS_THROUGHS = """
INSERT INTO inventory_passthrough (device_id, front_id, rear_id, position)
SELECT d.id, f.id, r.id, coalesce(p.rear_position, 1)
FROM inventory_device d
JOIN inventory_devicemodel m ON m.id = d.model_id
CROSS JOIN LATERAL jsonb_to_recordset(coalesce(m.spec->'ports', '[]'))
    AS p (name text, rear text, rear_position smallint)
JOIN inventory_port f ON f.device_id = d.id AND f.name = p.name
JOIN inventory_port r ON r.device_id = d.id AND r.name = p.rear
WHERE d.id = ANY(%s) AND d.kind = 'panel' AND p.rear <> ''
"""


class DeviceWriter(Writer):
    only = ""  # the kind of device that a route is for, all if empty

    # ---- the plan ----

    def gather(self) -> None:
        ids = {line.given.get("model") or line.before.get("model") for line in self.batch.good}
        models = DeviceModel.objects.filter(pk__any=[pk for pk in ids if pk])
        # Only the bays of a new device stand in its model's file, which takes longer to decode than the rest to write.
        self.models = (models if self.batch.new else models.defer("spec")).in_bulk()

    def model_of(self, line: Line) -> DeviceModel:
        return self.models[line.after["model"]]

    def merge(self, line: Line) -> None:
        if not line.new and line.given.get("model", line.before["model"]) != line.before["model"]:
            line.refuse("model", "a device stays what it is: retire it and make a new one")
            return
        self._choose_place(line)
        super().merge(line)
        model = self.model_of(line)
        if self.only and model.kind != self.only:
            line.refuse("model", f"that is a {model.kind}, not a {self.only}")
        self._settle_kind(line, model.kind)
        self._settle_place(line, model)
        self._settle_status(line)
        if not line.new:
            fields = [name for name, field in self.kind.fields.items() if not field.where]
            line.changed = [name for name in fields if line.after[name] != line.before[name]]

    def _choose_place(self, line: Line) -> None:
        """A device stands in a rack or sits in a bay: saying the one takes it out of the other."""
        given = line.given
        if given.get("rack") is not None and given.get("parent") is not None:
            line.refuse("rack", "it stands in a rack or in a bay, not in both")
        elif given.get("parent") is not None and "rack" not in given:
            given["rack"] = None
        elif given.get("rack") is not None and line.before.get("parent") and "parent" not in given:
            given |= {"parent": None, "bay": ""}
        if "parent" in given and given["parent"] is None:
            given.setdefault("bay", "")
        if "rack" in given and given["rack"] is None:
            given |= {name: None for name in PLACE if name not in given or given[name] is None}

    def _settle_kind(self, line: Line, kind: str) -> None:
        own = OWN.get(kind, ("", {}))[1]
        for name, of in OWN_FIELDS.items():
            if name in own:
                if line.after[name] is None:
                    line.after[name] = own[name]
                continue
            if line.given.get(name) not in (None, ""):
                line.refuse(name, f"a {kind} has none: this is of a {of}")
            line.after[name] = line.before.get(name)
        if kind == "switch" and line.after["fabric"] is None:
            line.refuse("fabric", "this is needed for a switch: infiniband, ethernet or management", "required")

    def _settle_place(self, line: Line, model: DeviceModel) -> None:
        after = line.after
        if after["rack"] is None:
            lost = [name for name in ("u", "side", "face", "column", "room") if line.given.get(name) is not None]
            if lost:
                line.refuse("rack", f"{lost[0]} is given: in which rack?", "required")
            after |= dict.fromkeys(PLACE)
            return
        room = line.given.get("room")
        if room is not None and "rack" not in line.refs and room != line.before.get("room"):
            line.refuse("room", "its rack is in another room")
        if model.half_u_height == 0:
            after |= {"u": None, "face": None, "column": None}
            if not after["side"]:
                line.refuse("side", "a zero-U device hangs in a side slot, such as rear-left", "required")
            return
        if line.given.get("side"):
            line.refuse("side", "only a zero-U device hangs in a side slot")
        after["side"] = None
        if after["u"] is None:
            line.refuse("u", "the unit is missing", "required")
        if model.full_depth:
            after["face"] = "both"
        elif after["face"] == "both":
            line.refuse("face", "it is not as deep as the rack: front or rear")
        after["face"] = after["face"] or "front"
        after["column"] = after["column"] or "full"

    def _settle_status(self, line: Line) -> None:
        if line.after["status"] != Device.Status.RETIRED:
            return
        if not line.new and line.before["status"] != Device.Status.RETIRED:
            line.refuse("status", "delete it to retire it: that also frees its place, cables, parts and addresses")
        elif line.after["rack"] or line.after["parent"]:
            line.refuse("status", "a retired device stands nowhere")

    def check(self) -> None:
        super().check()
        check_bays(self)
        check_places(self)
        check_identities(self)
        check_addresses(self)

    # ---- the statements ----

    def row(self, line: Line) -> dict[str, Any]:
        return super().row(line) | {"kind": self.model_of(line).kind}

    def defaults(self) -> dict[str, Any]:
        return {}

    def insert(self, lines: Sequence[Line]) -> None:
        super().insert(lines)
        ids = [line.id for line in lines]
        for kind, (table, fields) in OWN.items():
            mine = [line for line in lines if self.model_of(line).kind == kind]
            sql.insert(table, ["device_id", *map(column, fields)], [own_row(line, fields) for line in mine])
        ports = sql.written(PORTS, ids)
        if len(ids) >= sql.ANALYZE_FROM:  # by devices: a few with many ports take as many statements as one
            sql.analyze_if_grown("inventory_port", ports)
        if any(self.model_of(line).kind == "panel" for line in lines):
            sql.execute(PASS_THROUGHS, ids)
        self._place(lines)

    def update(self, lines: Sequence[Line]) -> None:
        super().update(lines)
        for kind, (table, fields) in OWN.items():
            mine = [line for line in lines if self.model_of(line).kind == kind and set(line.changed) & fields.keys()]
            changed = [name for name in fields if any(name in line.changed for line in mine)]
            self._free_traded(table, mine, changed)
            sql.update(table, [column(name) for name in changed], [own_row(line, fields) for line in mine], "device_id")
        moved = [line for line in lines if set(line.changed) & set(PLACE)]
        sql.delete("inventory_placement", "device_id", [line.id for line in moved if line.id])
        self._place(moved)

    def _free_traded(self, table: str, lines: Sequence[Line], changed: Sequence[str]) -> None:
        """Identities that rows of one write exchange are taken away first."""
        for name in set(changed) & set(TRADED):
            left = {line.before[name] for line in lines if name in line.changed}
            if any(line.after[name] and line.after[name] in left for line in lines):
                ids = [line.id for line in lines if name in line.changed]
                sql.execute(f"UPDATE {table} SET {name} = '' WHERE device_id = ANY(%s)", ids)

    def _place(self, lines: Sequence[Line]) -> None:
        rows = [line.extra["place"] | {"device_id": line.id} for line in lines if line.after["rack"] is not None]
        names = [
            "device_id", "kind", "rack_id", "rack_height_u", "half_units", "faces", "columns", "side_slot", "reason",
            "owner",
        ]  # fmt: skip
        if rows:
            sql.execute(
                f"INSERT INTO inventory_placement ({', '.join(names)}) SELECT {', '.join(names)} "
                "FROM jsonb_populate_recordset(NULL::inventory_placement, %s::jsonb)",
                sql.as_json(rows),
            )

    def delete(self, lines: Sequence[Line]) -> None:
        retire(lines)

    def event_data(self, lines: Sequence[Line]) -> dict[str, Any]:
        new = [line for line in lines if line.new]
        return {
            "created_machines": sum(self.model_of(line).kind == "machine" for line in new),
            "retired_devices": len(lines) if self.batch.mode == "delete" else 0,
        }


def column(name: str) -> str:
    return COLUMNS.get(name, name)


def own_row(line: Line, fields: dict[str, Any]) -> dict[str, Any]:
    return {"device_id": line.id} | {column(name): line.after[name] for name in fields}
