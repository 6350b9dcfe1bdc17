"""Devices of NetBox as devices, and as reserved units or blanking panels where that is what they are. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from inventory.device_types import Conversion
from inventory.netbox.findings import Findings
from inventory.netbox.mapping.labels import Labels
from inventory.netbox.mapping.places import Places, natural
from inventory.netbox.mapping.types import Types
from inventory.netbox.options import Options
from inventory.netbox.snapshot import Mapped, Row, Snapshot, plain, remains, value_of

STATUS = {
    "active": "active", "planned": "planned", "staged": "planned", "inventory": "planned", "offline": "active",
    "failed": "active", "decommissioning": "active",
}  # fmt: skip
SAME = {"active", "planned"}
SIDES = ("rear-left", "rear-right", "front-left", "front-right")
"""Where zero-U devices hang, in the order they are given out; NetBox only says which rack."""
TIERS = (("spine", r"spine"), ("core", r"core|border|super.?spine"), ("leaf", r"leaf"))
_MANAGEMENT = re.compile(r"mgmt|management|oob|out.?of.?band|ipmi|bmc", re.IGNORECASE)
USED = {
    "device_type", "role", "device_role", "serial", "asset_tag", "site", "location", "rack", "position", "face",
    "parent_device", "status", "primary_ip", "primary_ip4", "primary_ip6", "oob_ip", "airflow", "comments",
    "description",
}  # fmt: skip


class Devices:
    """`names` leads from a NetBox device's id to (site, our name), for those that become devices."""

    def __init__(
        self, snapshot: Snapshot, options: Options, findings: Findings, labels: Labels, places: Places, types: Types
    ) -> None:
        self.snapshot, self.options, self.findings = snapshot, options, findings
        self.labels, self.places, self.types = labels, places, types
        self.names: dict[int, tuple[str, str]] = {}
        self.kinds: dict[int, str] = {}
        self._blank: set[int] = set()
        self._name_all()

    # ---- names ----

    def _name_all(self) -> None:
        taken: set[tuple[str, str]] = set()
        for row in self.snapshot.rows("dcim/devices"):
            if self._is_blanking(row):
                self._blank.add(row["id"])
                continue
            conversion = self.conversion(row)
            if conversion is None or conversion.model is None:
                self.findings.add("refused", "dcim/devices", row, "its device type was not imported", "device_type")
                continue
            site, name = self.snapshot.site_slugs[row["site"]["id"]], self._name(row)
            if (site, name) in taken:
                name = f"{name[:50]}-nb{row['id']}"
                self.findings.changed("dcim/devices", row, f"its name is taken at this site: it became {name}", "name")
            taken.add((site, name))
            self.names[row["id"]] = (site, name)
            self.kinds[row["id"]] = conversion.model["kind"]

    def _name(self, row: Row) -> str:
        said = plain(row.get("name"), 64)
        if not said:
            name = f"{row['device_type'].get('slug') or 'device'}-nb{row['id']}"
            self.findings.changed("dcim/devices", row, f"it has no name: it became {name}", "name")
            return name
        name = re.sub(r"[\s/]+", "-", said)
        if name != said:
            self.findings.changed("dcim/devices", row, f"a name has no blank and no slash: it became {name}", "name")
        return name

    def conversion(self, row: Row) -> Conversion | None:
        return self.types.conversions.get(row["device_type"]["id"])

    def _role(self, row: Row) -> Row:
        role: Row = row.get("role") or row.get("device_role") or {}
        return role

    def _is_blanking(self, row: Row) -> bool:
        conversion = self.conversion(row)
        told = self.options.roles.get(str(self._role(row).get("slug")))
        return told == "blanking" or bool(told is None and conversion and conversion.blanking)

    # ---- devices ----

    def rows(self, feeds: dict[int, str], inlets_w: dict[int, int]) -> list[Mapped]:
        """Parents before what sits in their bays. `feeds` and `inlets_w` are by PDU."""
        sides = self._sides()
        children = [row for row in self.snapshot.rows("dcim/devices") if row.get("parent_device")]
        others = [row for row in self.snapshot.rows("dcim/devices") if not row.get("parent_device")]
        made = []
        for row in [*others, *children]:
            if row["id"] in self.names:
                made.append(self._device(row, sides, feeds, inlets_w))
        return made

    def _device(self, row: Row, sides: dict[int, str], feeds: dict[int, str], inlets_w: dict[int, int]) -> Mapped:
        site, name = self.names[row["id"]]
        conversion = self.conversion(row)
        assert conversion and conversion.model
        fields: Row = {
            "site": site,
            "name": name,
            "model": conversion.model["model"],
            "status": self._status(row),
            "serial": plain(row.get("serial"), 64),
            "asset_tag": plain(row.get("asset_tag"), 64),
            **self.labels.of("devices", "dcim/devices", row),
        }
        initial: Row = {}
        self._place(row, conversion.model, fields, initial, sides)
        kind = conversion.model["kind"]
        if kind == "machine":
            self._machine(row, fields)
        elif kind == "switch":
            initial |= self._switch(row, conversion.model)
        elif kind == "pdu":
            fields["feed"] = feeds.get(row["id"])
            if inlets_w.get(row["id"]):
                fields["limit_w"] = inlets_w[row["id"]]
        self._tell(row, conversion.model, kind)
        return Mapped("devices", "dcim/devices", row["id"], fields, initial)

    def _status(self, row: Row) -> str:
        status = str(value_of(row.get("status")) or "active")
        ours = STATUS.get(status, "active")
        if status not in SAME:
            self.findings.changed("dcim/devices", row, f"{status} became {ours}: checks say how it does", "status")
        return ours

    def _place(self, row: Row, model: Row, fields: Row, initial: Row, sides: dict[int, str]) -> None:
        parent = row.get("parent_device")
        if parent:
            if parent["id"] in self.names:
                fields["parent"] = self.names[parent["id"]][1]
                fields["bay"] = plain((parent.get("device_bay") or {}).get("name"), 30)
            else:
                self.findings.left("dcim/devices", row, "the device it sits in was not imported", "parent_device")
            return
        rack = row.get("rack")
        if not rack or rack["id"] not in self.places.racks:
            self.findings.left("dcim/devices", row, "it stands in no rack, so it has no place here", "rack")
            return
        _, room, name = self.places.racks[rack["id"]]
        if row.get("position") is not None:
            fields |= {"room": room, "rack": name, "u": self.places.unit(rack["id"], float(row["position"]))}
            if not model["full_depth"]:
                fields["face"] = value_of(row.get("face")) or "front"
        elif row["id"] in sides:
            fields |= {"room": room, "rack": name}
            initial["side"] = sides[row["id"]]
        else:
            self.findings.left("dcim/devices", row, f"it is in rack {name}, but at no unit", "position")

    def _sides(self) -> dict[int, str]:
        """Sides for zero-U devices, rack by rack in the order of their names."""
        by_rack: dict[int, list[Row]] = defaultdict(list)
        for row in self.snapshot.rows("dcim/devices"):
            conversion = self.conversion(row)
            hangs = row.get("rack") and row.get("position") is None and not row.get("parent_device")
            if not hangs or row["id"] not in self.names or not conversion or not conversion.model:
                continue
            if conversion.model["u_height"] == 0:
                by_rack[row["rack"]["id"]].append(row)
        sides = {}
        for rows in by_rack.values():
            for at, row in enumerate(sorted(rows, key=lambda row: natural(row.get("name")))):
                sides[row["id"]] = SIDES[at] if at < len(SIDES) else f"side-{at + 1}"
        return sides

    def _machine(self, row: Row, fields: Row) -> None:
        role = self._role(row)
        if own := self.options.machine_roles.get(str(role.get("slug"))):
            fields["role"] = own
        for name in ("primary_ip", "oob_ip"):
            address = row.get(name)
            ours = "bmc_ip" if name == "oob_ip" else name
            fields[ours] = str(address["address"]).partition("/")[0] if address else None

    def _switch(self, row: Row, model: Row) -> Row:
        """Fabric and tier, from the role's words and the ports. People may correct them: later imports keep theirs."""
        role = self._role(row)
        words = f"{role.get('name')} {role.get('slug')} {row.get('name')}"
        tier = next((tier for tier, pattern in TIERS if re.search(pattern, words, re.IGNORECASE)), "tor")
        kinds = [port["kind"] for port in model["ports"] if port["kind"] in ("infiniband", "ethernet")]
        if kinds.count("infiniband") * 2 > len(kinds):
            return {"fabric": "infiniband", "tier": tier}
        return {"fabric": "management" if _MANAGEMENT.search(words) else "ethernet", "tier": tier}

    def _tell(self, row: Row, model: Row, kind: str) -> None:
        role = self._role(row)
        wanted = self.options.kind_of(str(role.get("slug") or ""), str(role.get("name") or ""))
        if wanted and wanted != kind:
            why = f"its role says {wanted}, but other devices of its type make it a {kind}"
            self.findings.changed("dcim/devices", row, why, "role")
        elif wanted is None:
            why = f"the role {role.get('name')!r} says nothing: its type makes it a {kind}"
            self.findings.changed("dcim/devices", row, why, "role")
        for name in ("description", "comments"):
            if row.get(name):
                self.findings.left("dcim/devices", row, "a device has no such field here", name)
        airflow = value_of(row.get("airflow"))
        if airflow and airflow != model.get("airflow"):
            self.findings.left("dcim/devices", row, "the airflow is that of the model", "airflow")
        for name in remains(row, USED):
            self.findings.left("dcim/devices", row, "a device has no such field here", name)

    # ---- units without a device ----

    def reservations(self) -> list[Mapped]:
        """Rack reservations, as spans of neighbouring units, and blanking panels."""
        made = []
        for row in self.snapshot.rows("dcim/rack-reservations"):
            if row["rack"]["id"] not in self.places.racks:
                continue
            owner = (row.get("user") or {}).get("username") or (row.get("user") or {}).get("display")
            reason = plain(row.get("description"), 200)
            for low, high in spans([float(unit) for unit in row.get("units") or []]):
                fields = self._span(row["rack"]["id"], low, high - low + 1)
                fields |= {"kind": "reserved", "reason": reason, "owner": plain(owner, 100)}
                made.append(
                    Mapped("reservations", "dcim/rack-reservations", row["id"], fields, {"face": "both"}, f"{low:g}")
                )
            self.labels.no_custom("dcim/rack-reservations", row)
            for name in remains(row, {"rack", "units", "user", "description", "status"}):
                self.findings.left("dcim/rack-reservations", row, "a reservation has no such field here", name)
        made += [mapped for pk in sorted(self._blank) if (mapped := self._blanking(pk))]
        return made

    def _blanking(self, pk: int) -> Mapped | None:
        row: Any = self.snapshot.get("dcim/devices", pk)
        conversion = self.conversion(row)
        rack = row.get("rack")
        if not rack or rack["id"] not in self.places.racks or row.get("position") is None or not conversion:
            self.findings.left("dcim/devices", row, "a blanking panel in no unit of a rack", "position")
            return None
        height = conversion.model["u_height"] if conversion.model else 1
        fields = self._span(rack["id"], float(row["position"]), height or 1)
        fields |= {"kind": "blanking", "reason": plain(row.get("name"), 200), "owner": ""}
        return Mapped("reservations", "dcim/devices", pk, fields, {"face": value_of(row.get("face")) or "front"})

    def _span(self, rack_id: int, low: float, height: float) -> Row:
        site, room, rack = self.places.racks[rack_id]
        return {
            "site": site, "room": room, "rack": rack, "u": self.places.unit(rack_id, low), "height_u": height,
        }  # fmt: skip


def spans(units: list[float]) -> list[tuple[float, float]]:
    """Runs of neighbouring units as (lowest, highest). NetBox lists each unit, halves where racks have them."""
    found: list[tuple[float, float]] = []
    for unit in sorted(set(units)):
        if found and unit - found[-1][1] <= 1:
            found[-1] = (found[-1][0], unit)
        else:
            found.append((unit, unit))
    return found
