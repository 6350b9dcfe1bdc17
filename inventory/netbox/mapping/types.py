"""Device types of NetBox with their templates, brought into the form of a type file and then into ours. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from inventory.device_types import Conversion, device_model_from_netbox_type
from inventory.netbox.findings import Findings
from inventory.netbox.options import Options
from inventory.netbox.snapshot import Mapped, Row, Snapshot, remains, value_of
from inventory.specs.device_model import DeviceModelSpec

TEMPLATES = {
    "interfaces": "dcim/interface-templates",
    "power-ports": "dcim/power-port-templates",
    "power-outlets": "dcim/power-outlet-templates",
    "front-ports": "dcim/front-port-templates",
    "rear-ports": "dcim/rear-port-templates",
    "console-ports": "dcim/console-port-templates",
    "console-server-ports": "dcim/console-server-port-templates",
    "module-bays": "dcim/module-bay-templates",
    "device-bays": "dcim/device-bay-templates",
    "inventory-items": "dcim/inventory-item-templates",
}
_OWN = (
    "model", "slug", "part_number", "u_height", "is_full_depth", "exclude_from_utilization", "subdevice_role",
    "airflow", "cooling_method", "weight", "weight_unit", "description", "comments",
)  # fmt: skip
_COMPONENT = (
    "name", "label", "description", "type", "enabled", "mgmt_only", "poe_mode", "poe_type", "rf_role",
    "maximum_draw", "allocated_draw", "feed_leg", "positions", "position", "color", "part_id",
)  # fmt: skip
_OWN_USED = {*_OWN, "manufacturer", "default_platform", "front_image", "rear_image"}


class Types:
    """`conversions` leads from a NetBox device type's id to what it became."""

    def __init__(self, snapshot: Snapshot, options: Options, findings: Findings, taken: Mapping[str, Any]) -> None:
        """`taken` are device models (name to spec) that are here already and did not come from this NetBox."""
        self.snapshot, self.options, self.findings, self.taken = snapshot, options, findings, taken
        self.conversions: dict[int, Conversion] = {}
        self._kinds = self._kinds_by_role()

    def models(self) -> list[Mapped]:
        """The types that devices are of; a library of thousands is not taken along."""
        wanted = {row["device_type"]["id"] for row in self.snapshot.rows("dcim/devices")}
        by_type = {key: self.snapshot.of_type(endpoint) for key, endpoint in TEMPLATES.items()}
        made = []
        for row in self.snapshot.rows("dcim/device-types"):
            if row["id"] not in wanted:
                continue
            data = type_file(row, {key: rows.get(row["id"], []) for key, rows in by_type.items()})
            conversion = device_model_from_netbox_type(data, kind=self._kinds.get(row["id"]))
            self.conversions[row["id"]] = conversion
            for field, reason, _ in conversion.problems:
                self.findings.add("refused", "dcim/device-types", row, reason, field)
            for field, reason, lost in conversion.remarks:
                self.findings.add("left" if lost else "changed", "dcim/device-types", row, reason, field)
            if conversion.model:
                self._stand_aside(row, conversion.model)
            for name in remains(row, _OWN_USED):
                self.findings.left("dcim/device-types", row, "a device model has no such field here", name)
            if conversion.model and not conversion.blanking:
                made.append(Mapped("device-models", "dcim/device-types", row["id"], {"spec": conversion.model}))
        return made

    def _stand_aside(self, row: Row, model: Row) -> None:
        """A model of this name that says otherwise stays as it is; this one takes another name. Their ports differ, and
        the cables of NetBox go to the ports of NetBox."""
        slug = model["model"]
        stored = self.taken.get(slug)
        if stored is None or stored == DeviceModelSpec.from_dict(model).model_dump(mode="json"):
            return
        model["model"] = f"{slug[:47]}-nb"
        why = f"a device model {slug} is here already and says otherwise: this one became {model['model']}"
        self.findings.changed("dcim/device-types", row, why, "slug")

    def _kinds_by_role(self) -> dict[int, str]:
        """What the devices of a type are used as, by their roles: the most frequent one says what the type is."""
        votes: dict[int, Counter[str]] = defaultdict(Counter)
        for row in self.snapshot.rows("dcim/devices"):
            role = row.get("role") or row.get("device_role") or {}
            kind = self.options.kind_of(str(role.get("slug") or ""), str(role.get("name") or ""))
            if kind and kind != "blanking":
                votes[row["device_type"]["id"]][kind] += 1
        return {type_id: counter.most_common(1)[0][0] for type_id, counter in votes.items()}


def type_file(row: Row, templates: dict[str, list[Row]]) -> Row:
    """A device type as NetBox would export it to a file."""
    data: Row = {"manufacturer": row["manufacturer"]["name"]}
    data |= {name: value_of(row[name]) for name in _OWN if row.get(name) not in (None, "", False)}
    data["is_full_depth"] = bool(row.get("is_full_depth"))
    data["u_height"] = float(row.get("u_height") or 0)
    if row.get("default_platform"):
        data["default_platform"] = row["default_platform"]["name"]
    data |= {name: True for name in ("front_image", "rear_image") if row.get(name)}
    rears = {each["id"]: each["name"] for each in templates.get("rear-ports", [])}
    for key, rows in templates.items():
        if rows:
            data[key] = [_component(each) for each in sorted(rows, key=lambda each: each["id"])]
    mappings = [each for front in templates.get("front-ports", []) for each in mappings_of(front, rears)]
    if mappings:
        data["port-mappings"] = mappings
    return data


def _component(row: Row) -> Row:
    said = {name: value_of(row[name]) for name in _COMPONENT if row.get(name) not in (None, "")}
    for name in ("power_port", "manufacturer", "role"):
        if isinstance(row.get(name), dict):
            said[name] = row[name]["name"]
    return said


def mappings_of(front: Row, rears: dict[int, str]) -> list[Row]:
    """Where a front port goes: a list of positions since NetBox 4.5, one rear port and position before."""
    pairs = front.get("rear_ports")
    if pairs is None and isinstance(front.get("rear_port"), dict):
        pairs = [{"rear_port": front["rear_port"]["id"], "rear_port_position": front.get("rear_port_position")}]
    found = []
    for pair in pairs or []:
        rear = pair["rear_port"]["id"] if isinstance(pair["rear_port"], dict) else pair["rear_port"]
        if rear in rears:
            found.append(
                {
                    "front_port": front["name"],
                    "front_port_position": pair.get("position") or 1,
                    "rear_port": rears[rear],
                    "rear_port_position": pair.get("rear_port_position") or 1,
                }
            )
    return found
