"""Fills the fake NetBox as people fill a real one: device types with templates, devices with their ports, cables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from inventory.netbox.tests.fake_netbox import Choice, FakeNetBox, To

TYPES = Path(__file__).parents[2] / "device_types" / "tests" / "types"
COMPONENTS = {
    "console-ports": "dcim/console-ports",
    "console-server-ports": "dcim/console-server-ports",
    "power-ports": "dcim/power-ports",
    "power-outlets": "dcim/power-outlets",
    "interfaces": "dcim/interfaces",
    "rear-ports": "dcim/rear-ports",
    "front-ports": "dcim/front-ports",
    "module-bays": "dcim/module-bays",
    "device-bays": "dcim/device-bays",
    "inventory-items": "dcim/inventory-items",
}
PLAIN = {"tags": [], "custom_fields": {}, "description": "", "comments": ""}


def choice(value: Any) -> Choice | None:
    return None if value is None else Choice(value, str(value).replace("-", " ").title())


class Content:
    """Helpers that add rows with the fields NetBox gives them, and remember what belongs together."""

    def __init__(self, netbox: FakeNetBox) -> None:
        self.netbox = netbox
        self.types: dict[str, To] = {}
        self.templates: dict[To, dict[str, Any]] = {}
        self.named: dict[tuple[str, str], To] = {}

    # ---- places and words ----

    def word(self, endpoint: str, name: str, **fields: Any) -> To:
        """A role, manufacturer, tag and the like: name and slug; the same one when asked twice."""
        if (endpoint, name) not in self.named:
            slug = name.lower().replace(" ", "-")
            self.named[endpoint, name] = self.netbox.add(endpoint, **PLAIN | {"name": name, "slug": slug} | fields)
        return self.named[endpoint, name]

    def site(self, name: str, **fields: Any) -> To:
        usual = {"status": choice("active"), "region": None, "time_zone": "Europe/Amsterdam", "physical_address": ""}
        return self.word("dcim/sites", name, **usual | fields)

    def location(self, site: To, name: str, parent: To | None = None, **fields: Any) -> To:
        usual = {"site": site, "parent": parent, "status": choice("active"), "_depth": 1 if parent else 0}
        return self.netbox.add("dcim/locations", **PLAIN | {"name": name, "slug": name.lower()} | usual | fields)

    def rack(self, site: To, location: To | None, name: str, **fields: Any) -> To:
        usual = {
            "name": name, "facility_id": None, "site": site, "location": location, "group": None, "tenant": None,
            "status": choice("active"), "role": None, "serial": "", "asset_tag": None, "rack_type": None,
            "form_factor": None, "width": Choice(19, "19 inches"), "u_height": 42, "starting_unit": 1,
            "weight": None, "max_weight": None, "weight_unit": None, "desc_units": False, "outer_width": None,
            "outer_height": None, "outer_depth": None, "outer_unit": None, "mounting_depth": None, "airflow": None,
        }  # fmt: skip
        return self.netbox.add("dcim/racks", **PLAIN | usual | fields)

    # ---- device types ----

    def type_file(self, name: str) -> To:
        return self.device_type(yaml.safe_load((TYPES / name).read_text()))

    def device_type(self, data: dict[str, Any]) -> To:
        """A device type as its import would make it, with a row for each template."""
        own = {key: value for key, value in data.items() if key not in (*COMPONENTS, "port-mappings")}
        maker = self.word("dcim/manufacturers", own.pop("manufacturer"))
        for key in ("airflow", "weight_unit", "subdevice_role"):
            own[key] = choice(own.get(key))
        pictures = {"front_image": None, "rear_image": None}
        usual = {"default_platform": None, "part_number": "", "weight": None, "exclude_from_utilization": False}
        ref = self.netbox.add("dcim/device-types", **PLAIN | usual | own | pictures, manufacturer=maker)
        self.templates[ref] = data
        rears: dict[str, To] = {}
        for key, rows in ((key, data.get(key) or []) for key in COMPONENTS):
            endpoint = f"dcim/{key.removesuffix('s')}-templates"
            inlets: dict[str, To] = self._named(ref, "dcim/power-port-templates") if key == "power-outlets" else {}
            for row in rows:
                made = self.netbox.add(
                    endpoint, **self._component(key, row, data, rears, inlets), device_type=ref, module_type=None
                )
                if key == "rear-ports":
                    rears[row["name"]] = made
        return ref

    def _named(self, owner: To, endpoint: str) -> dict[str, To]:
        rows = self.netbox.tables.get(endpoint, {}).items()
        return {
            row["name"]: To(endpoint, pk) for pk, row in rows if owner in (row.get("device_type"), row.get("device"))
        }

    def _component(
        self, key: str, row: dict[str, Any], data: dict[str, Any], rears: dict[str, To], inlets: dict[str, To]
    ) -> dict[str, Any]:
        said = {"label": "", "description": ""} | row
        for name in ("type", "feed_leg", "poe_mode"):
            if name in said:
                said[name] = choice(said[name])
        if key == "interfaces":
            said = {"enabled": True, "mgmt_only": False, "poe_mode": None, "poe_type": None, "rf_role": None} | said
        if key == "power-ports":
            said = {"maximum_draw": None, "allocated_draw": None} | said
        if key == "power-outlets":
            said["power_port"] = inlets.get(row.get("power_port", ""))
        if key == "rear-ports":
            said = {"positions": 1, "color": ""} | said
        if key == "front-ports":
            said = {"positions": 1, "color": ""} | said | {"rear_ports": self._mappings(row, data, rears)}
            said.pop("rear_port", None), said.pop("rear_port_position", None)
        if key == "inventory-items":
            maker = row.get("manufacturer")
            said["manufacturer"] = self.word("dcim/manufacturers", maker) if maker else None
            role = row.get("role")
            said["role"] = self.word("dcim/inventory-item-roles", role) if role else None
            said = {"parent": None, "part_id": ""} | said
        return said

    def _mappings(self, row: dict[str, Any], data: dict[str, Any], rears: dict[str, To]) -> list[dict[str, Any]]:
        """NetBox 4.5 and later: a list of positions, the rear port as its id."""
        pairs = [
            (m.get("front_port_position", 1), m["rear_port"], m.get("rear_port_position", 1))
            for m in data.get("port-mappings", [])
            if m["front_port"] == row["name"]
        ]
        if "rear_port" in row:
            pairs.append((1, row["rear_port"], row.get("rear_port_position", 1)))
        return [{"position": at, "rear_port": rears[rear].id, "rear_port_position": to} for at, rear, to in pairs]

    # ---- devices ----

    def device(self, name: str | None, device_type: To, role: str, site: To, **fields: Any) -> To:
        """A device with a port for each template of its type, as NetBox makes them."""
        usual = {
            "name": name, "device_type": device_type, "role": self.word("dcim/device-roles", role), "tenant": None,
            "platform": None, "serial": "", "asset_tag": None, "site": site, "location": None, "rack": None,
            "position": None, "face": None, "parent_device": None, "status": choice("active"), "airflow": None,
            "primary_ip": None, "primary_ip4": None, "primary_ip6": None, "oob_ip": None, "cluster": None,
            "virtual_chassis": None, "local_context_data": None, "display": name or f"Unnamed #{device_type.id}",
        }  # fmt: skip
        if fields.get("rack"):
            fields.setdefault("location", self.netbox.row(fields["rack"])["location"])
        fields["face"] = choice(fields.get("face"))
        ref = self.netbox.add("dcim/devices", **PLAIN | usual | fields)
        data = self.templates[device_type]
        rears: dict[str, Any] = {}
        for key, endpoint in COMPONENTS.items():
            inlets = self._named(ref, "dcim/power-ports") if key == "power-outlets" else {}
            for row in data.get(key) or []:
                said = self._component(key, row, data, rears, inlets)
                made = self.netbox.add(
                    endpoint, **PLAIN | said, device=ref, module=None, cable=None, _occupied=False, **self._own(key)
                )
                self.named[f"{endpoint}:{ref.id}", row["name"]] = made
                if key == "rear-ports":
                    rears[row["name"]] = made
        return ref

    def _own(self, key: str) -> dict[str, Any]:
        if key == "interfaces":
            return {"mac_address": None, "mac_addresses": [], "untagged_vlan": None, "tagged_vlans": [], "mtu": None,
                    "speed": None, "wwn": None, "lag": None, "parent": None, "vrf": None, "mode": None}  # fmt: skip
        if key == "inventory-items":
            return {"serial": "", "asset_tag": None, "discovered": False, "component": None}
        if key == "module-bays":
            return {"installed_module": None}
        return {"installed_device": None} if key == "device-bays" else {}

    def port(self, device: To, name: str, key: str = "interfaces") -> To:
        return self.named[f"{COMPONENTS[key]}:{device.id}", name]

    def into_bay(self, child: To, parent: To, bay: str) -> None:
        place = self.named[f"dcim/device-bays:{parent.id}", bay]
        self.netbox.row(place)["installed_device"] = child
        brief = {"id": parent.id, "url": "", "display": "", "name": self.netbox.row(parent)["name"]}
        brief["device_bay"] = {"id": place.id, "url": "", "display": bay, "name": bay}
        self.netbox.row(child)["parent_device"] = brief

    # ---- cables, power, addresses ----

    def cable(self, a: To | list[To], b: To | list[To], **fields: Any) -> To:
        usual = {
            "type": "", "status": choice("connected"), "profile": None, "tenant": None, "label": "", "color": "",
            "length": None, "length_unit": None, "bundle": None,
        }  # fmt: skip
        sides = [side if isinstance(side, list) else [side] for side in (a, b)]
        fields["length_unit"] = choice(fields.get("length_unit"))
        ref = self.netbox.add("dcim/cables", **PLAIN | usual | fields, a_terminations=sides[0], b_terminations=sides[1])
        for end in (*sides[0], *sides[1]):
            self.netbox.row(end).update(cable=ref, _occupied=True)
        return ref

    def address(self, text: str, port: To | None = None, **fields: Any) -> To:
        usual = {
            "address": text, "family": Choice(6 if ":" in text else 4, "IPv"), "vrf": None, "tenant": None,
            "status": choice("active"), "role": None, "dns_name": "", "nat_inside": None, "nat_outside": [],
            "assigned_object_type": "dcim.interface" if port else None, "assigned_object_id": port.id if port else None,
            "assigned_object": port,
        }  # fmt: skip
        return self.netbox.add("ipam/ip-addresses", **PLAIN | usual | fields)

    def feed(self, panel: To, name: str, rack: To | None = None, **fields: Any) -> To:
        usual = {
            "power_panel": panel, "rack": rack, "name": name, "status": choice("active"), "type": choice("primary"),
            "supply": choice("ac"), "phase": choice("three-phase"), "voltage": 400, "amperage": 32,
            "max_utilization": 80, "tenant": None, "cable": None, "_occupied": False,
        }  # fmt: skip
        return self.netbox.add("dcim/power-feeds", **PLAIN | usual | fields)

    def module(self, device: To, bay: str, maker: str, model: str, **fields: Any) -> To:
        place = self.named[f"dcim/module-bays:{device.id}", bay]
        kind = self.word("dcim/module-types", model, model=model, manufacturer=self.word("dcim/manufacturers", maker),
                         part_number=fields.pop("part_number", ""))  # fmt: skip
        usual = {"device": device, "module_bay": place, "module_type": kind, "status": choice("active"), "serial": "",
                 "asset_tag": None}  # fmt: skip
        made = self.netbox.add("dcim/modules", **PLAIN | usual | fields)
        self.netbox.row(place)["installed_module"] = made
        return made
