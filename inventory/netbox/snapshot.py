"""The rows of one NetBox as they were read, and what of them a row of ours comes from. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

Row = dict[str, Any]


class Reading(NamedTuple):
    """One list of NetBox to read. `fields` limits large lists to what is looked at: the rest of a row costs NetBox
    several queries. `by_site` lists are asked for the chosen sites only. Devices come before what depends on them."""

    endpoint: str
    by_site: bool = False
    fields: str = ""
    optional: bool = False  # newer or older releases do not have it, or the token may not read it
    by_type: str = ""  # the filter that limits it to the device types in use
    filters: tuple[tuple[str, str], ...] = ()


_PORT = "id,url,display_url,display,device,module,name,label,type,description,mark_connected,tags,custom_fields"
READINGS = (
    Reading("dcim/sites"),
    Reading("dcim/locations", by_site=True),
    Reading("dcim/racks", by_site=True),
    Reading("dcim/rack-reservations", by_site=True),
    Reading("extras/tags"),
    Reading("extras/custom-fields"),
    Reading("extras/custom-field-choice-sets", optional=True),
    Reading("tenancy/contacts", optional=True),
    Reading("tenancy/contact-assignments", optional=True),
    Reading("dcim/devices", by_site=True, filters=(("exclude", "config_context"),)),
    Reading("dcim/device-types", by_type="id"),
    Reading("dcim/interface-templates", by_type="device_type_id"),
    Reading("dcim/power-port-templates", by_type="device_type_id"),
    Reading("dcim/power-outlet-templates", by_type="device_type_id"),
    Reading("dcim/front-port-templates", by_type="device_type_id"),
    Reading("dcim/rear-port-templates", by_type="device_type_id"),
    Reading("dcim/console-port-templates", by_type="device_type_id"),
    Reading("dcim/console-server-port-templates", by_type="device_type_id"),
    Reading("dcim/module-bay-templates", by_type="device_type_id"),
    Reading("dcim/device-bay-templates", by_type="device_type_id"),
    Reading("dcim/inventory-item-templates", by_type="device_type_id"),
    Reading(
        "dcim/interfaces",
        by_site=True,
        fields=f"{_PORT},enabled,mgmt_only,mac_address,mac_addresses,untagged_vlan,tagged_vlans,speed,wwn,lag,vrf,mtu",
    ),
    Reading("dcim/power-ports", by_site=True, fields=f"{_PORT},maximum_draw,allocated_draw"),
    Reading("dcim/power-outlets", by_site=True, fields=f"{_PORT},power_port,feed_leg,color"),
    Reading(
        "dcim/front-ports", by_site=True, fields=f"{_PORT},color,positions,rear_port,rear_port_position,rear_ports"
    ),
    Reading("dcim/rear-ports", by_site=True, fields=f"{_PORT},color,positions"),
    Reading("dcim/console-ports", by_site=True, fields=_PORT),
    Reading("dcim/console-server-ports", by_site=True, fields=_PORT),
    Reading("dcim/inventory-items", by_site=True),
    Reading("dcim/modules", by_site=True, optional=True),
    Reading("dcim/module-types", optional=True),
    Reading("dcim/power-panels", by_site=True),
    Reading("dcim/power-feeds", by_site=True),
    Reading("ipam/ip-addresses", filters=(("assigned_to_interface", "true"),)),
    Reading("dcim/cables", by_site=True),
    Reading("extras/journal-entries", optional=True),
)

COUNTED: dict[str, tuple[dict[str, str], str]] = {
    "ipam/ip-addresses": ({"assigned_to_interface": "false"}, "addresses that belong to no interface of a device"),
    "circuits/circuits": ({}, "circuits are not part of the inventory"),
    "ipam/prefixes": ({}, "there is no address management beyond the addresses of devices"),
    "ipam/vlans": ({}, "a VLAN is a number on a port"),
    "ipam/vrfs": ({}, "there is no address management beyond the addresses of devices"),
    "virtualization/virtual-machines": ({}, "virtual machines are not part of the inventory"),
    "virtualization/clusters": ({}, "clusters are not part of the inventory"),
    "tenancy/tenants": ({}, "there are no tenants"),
    "dcim/virtual-chassis": ({}, "switches of a stack are devices of their own"),
    "dcim/regions": ({}, "sites stand side by side"),
    "dcim/site-groups": ({}, "sites stand side by side"),
    "wireless/wireless-links": ({}, "wireless links are not part of the inventory"),
    "vpn/tunnels": ({}, "tunnels are not part of the inventory"),
    "extras/image-attachments": ({}, "pictures are not moved; attach them to the devices"),
}
"""Lists of which only the number is read, to say what stays behind: how they are asked, and why they stay."""


@dataclass(slots=True)
class Mapped:
    """One row of ours made from one of NetBox. `fields` follow NetBox at every import; `initial` ones are set when the
    record is made and are people's from then on. `part` tells several rows from one source apart."""

    kind: str
    endpoint: str
    netbox_id: int
    fields: Row
    initial: Row = field(default_factory=dict)
    part: str = ""

    @property
    def source(self) -> tuple[str, int, str]:
        return self.endpoint, self.netbox_id, self.part


class Snapshot:
    """Rows by list and id."""

    def __init__(
        self,
        tables: dict[str, dict[int, Row]],
        counts: dict[str, int] | None = None,
        denied: dict[str, str] | None = None,
    ) -> None:
        """`counts` are of lists that were only counted (-1: not permitted), `denied` says why a list was not read."""
        self.tables = tables
        self.counts = counts or {}
        self.denied = denied or {}

    def rows(self, endpoint: str) -> Iterator[Row]:
        yield from self.tables.get(endpoint, {}).values()

    def get(self, endpoint: str, ref: Any) -> Row | None:
        """The whole row that a brief object or id refers to, if it was read."""
        number = ref.get("id") if isinstance(ref, dict) else ref
        return self.tables.get(endpoint, {}).get(number) if isinstance(number, int) else None

    def of_device(self, endpoint: str) -> dict[int, list[Row]]:
        return self._by(endpoint, "device")

    def of_type(self, endpoint: str) -> dict[int, list[Row]]:
        return self._by(endpoint, "device_type")

    def _by(self, endpoint: str, name: str) -> dict[int, list[Row]]:
        found: dict[int, list[Row]] = defaultdict(list)
        for row in self.rows(endpoint):
            if isinstance(owner := row.get(name), dict):
                found[owner["id"]].append(row)
        return found

    @cached_property
    def site_slugs(self) -> dict[int, str]:
        """NetBox's site id to our slug: lower case, no underscore."""
        return {row["id"]: slug_of(str(row["slug"])) for row in self.rows("dcim/sites")}


def slug_of(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def value_of(choice: Any) -> Any:
    """The value of a choice, which newer lists give as `{value, label}`."""
    return choice.get("value") if isinstance(choice, dict) else choice


def plain(text: Any, longest: int = 200) -> str:
    """One line without control characters, cut to a length."""
    return re.sub(r"[\x00-\x1f\x7f]+", " ", str(text or "")).strip()[:longest].rstrip()


NOISE = {
    "id", "url", "display_url", "display", "created", "last_updated", "tags", "custom_fields", "_occupied", "_depth",
    "cable", "cable_end", "link_peers", "link_peers_type", "connected_endpoints", "connected_endpoints_type",
    "connected_endpoints_reachable", "config_context", "slug", "name", "mark_connected", "unit_count",
}  # fmt: skip
"""What every row has and nobody misses, or what stands elsewhere."""


def remains(row: Row, used: set[str]) -> list[str]:
    """The fields of a row that say something and that nothing here uses."""
    empty: tuple[Any, ...] = (None, "", [], {}, False)
    return sorted(
        name for name, value in row.items()
        if name not in used and name not in NOISE and not name.endswith("_count") and value not in empty
    )  # fmt: skip
