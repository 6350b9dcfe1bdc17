"""Interfaces, inlets, outlets, panel and console ports of NetBox's devices, and their addresses. Pure.

A device has the ports of its model. What a device has beyond it becomes a port of its own; what it lacks is told.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from inventory.device_types import words
from inventory.device_types.convert import LISTS, MAX_NAME
from inventory.netbox.findings import Findings
from inventory.netbox.mapping.devices import Devices
from inventory.netbox.mapping.labels import Labels
from inventory.netbox.mapping.types import mappings_of
from inventory.netbox.snapshot import Mapped, Row, Snapshot, plain, remains, value_of

KBPS_OF_GBPS = 1_000_000
KINDS = {
    "power-ports": "power_in",
    "power-outlets": "power_outlet",
    "front-ports": "front",
    "rear-ports": "rear",
    "console-ports": "console",
    "console-server-ports": "console",
}
_USED = {
    "device", "module", "label", "type", "enabled", "mgmt_only", "mac_address", "mac_addresses", "untagged_vlan",
    "maximum_draw", "allocated_draw", "power_port", "feed_leg", "positions", "rear_port", "rear_port_position",
    "rear_ports", "wwn", "speed",
}  # fmt: skip
_ADDRESS_USED = {
    "address", "family", "assigned_object_type", "assigned_object_id", "assigned_object", "dns_name", "status",
}  # fmt: skip


class PortName(NamedTuple):
    site: str
    device: str
    port: str
    kind: str


class Ports:
    """`names` leads from NetBox's list and id to our port, for cables and addresses."""

    def __init__(self, snapshot: Snapshot, findings: Findings, labels: Labels, devices: Devices) -> None:
        self.snapshot, self.findings, self.labels, self.devices = snapshot, findings, labels, devices
        self.names: dict[tuple[str, int], PortName] = {}
        self.bmc_ports: dict[int, int] = {}  # device -> interface
        self.bmc_macs: dict[int, str] = {}
        self.inlets_w: dict[int, int] = {}
        self._extra: list[tuple[str, Row, PortName, Row]] = []
        rows = {key: snapshot.of_device(f"dcim/{key}") for key in LISTS}
        for pk in devices.names:
            self._of_device(pk, {key: found.get(pk, []) for key, found in rows.items()})

    def _of_device(self, pk: int, rows: dict[str, list[Row]]) -> None:
        site, name = self.devices.names[pk]
        device = self.snapshot.get("dcim/devices", pk) or {}
        conversion = self.devices.conversion(device)
        assert conversion and conversion.model
        kinds = {port["name"]: port["kind"] for port in conversion.model["ports"]}
        free, taken = set(kinds), set(kinds)
        for key, found in rows.items():
            for row in found:
                ours = conversion.port_names.get((key, row["name"]))
                if ours is not None and ours in free:
                    free.discard(ours)
                    self._known(pk, key, row, PortName(site, name, ours, kinds[ours]))
                else:
                    self._beyond(pk, key, row, PortName(site, name, row["name"], ""), taken)
        if free:
            why = f"it lacks ports of its device type, which it has here: {', '.join(sorted(free)[:8])}"
            self.findings.changed("dcim/devices", device, why, "interfaces")

    def _known(self, pk: int, key: str, row: Row, port: PortName) -> None:
        self.names[f"dcim/{key}", row["id"]] = port
        if port.kind == "bmc":
            self.bmc_ports[pk] = row["id"]
            if row.get("mac_address"):
                self.bmc_macs[pk] = str(row["mac_address"])
        if key == "power-ports" and row.get("maximum_draw"):
            self.inlets_w[pk] = self.inlets_w.get(pk, 0) + int(row["maximum_draw"])
        self._tell(key, row)

    def _beyond(self, pk: int, key: str, row: Row, port: PortName, taken: set[str]) -> None:
        """A port that the device type does not have."""
        fields: Row = {}
        kind = KINDS.get(key, "")
        if key == "interfaces":
            socket = words.socket_of(str(value_of(row.get("type")) or ""))
            if isinstance(socket, str):
                self.findings.left("dcim/interfaces", row, socket, "type")
                return
            kind, fields["speed_gbps"] = socket.kind, socket.speed_gbps
            alone = self.devices.kinds[pk] == "machine" and pk not in self.bmc_ports and row.get("mgmt_only")
            if alone and words.is_bmc_name(row["name"]):
                kind = "bmc"
        name = row["name"] if row["name"] not in taken else f"{row['name']}{LISTS[key] or ' (network)'}"
        if len(name) > MAX_NAME or name in taken:
            why = "its name is taken" if name in taken else f"its name is longer than {MAX_NAME} characters"
            self.findings.left(f"dcim/{key}", row, why, "name")
            return
        taken.add(name)
        if key == "rear-ports":
            fields["positions"] = row.get("positions") or 1
        ours = port._replace(port=name, kind=kind)
        self._extra.append((key, row, ours, fields))
        self._known(pk, key, row, ours)

    def _tell(self, key: str, row: Row) -> None:
        self.labels.no_custom(f"dcim/{key}", row)
        for name in remains(row, _USED):
            self.findings.left(f"dcim/{key}", row, "a port has no such field here", name)
        if row.get("enabled") is False:
            self.findings.left(f"dcim/{key}", row, "a port is not switched off here", "enabled")

    # ---- rows of ours ----

    def rows(self) -> list[Mapped]:
        """Ports beyond the model, and what a device's own ports say: MAC, GUID and VLAN."""
        made = []
        beyond = {(key, row["id"]) for key, row, _, _ in self._extra}
        for key, row, port, fields in self._extra:
            said = _of(port) | {"kind": port.kind} | fields | self._own(row, port)
            made.append(Mapped("ports", f"dcim/{key}", row["id"], said))
        for row in self.snapshot.rows("dcim/interfaces"):
            found = self.names.get(("dcim/interfaces", row["id"]))
            own = self._own(row, found) if found and ("interfaces", row["id"]) not in beyond else {}
            if found and own:
                made.append(Mapped("ports", "dcim/interfaces", row["id"], _of(found) | own))
        return made

    def missing(self, there: set[tuple[str, str, str]], written: set[tuple[str, int, str]]) -> list[Mapped]:
        """Ports of the model that a device lacks here, because the model was changed after it was made."""
        made = []
        devices = {known[:2] for known in there}
        for (endpoint, pk), port in self.names.items():
            if port[:3] in there or port[:2] not in devices or (endpoint, pk, "") in written:
                continue
            made.append(Mapped("ports", endpoint, pk, _of(port) | {"kind": port.kind}))
        return made

    def _own(self, row: Row, port: PortName) -> Row:
        fields: Row = {}
        if row.get("mac_address") and port.kind != "bmc":
            fields["mac"] = str(row["mac_address"]).lower()
        if row.get("wwn") and port.kind == "infiniband":
            fields["guid"] = str(row["wwn"])
        if isinstance(row.get("speed"), int) and row["speed"] >= KBPS_OF_GBPS:
            fields["speed_gbps"] = row["speed"] // KBPS_OF_GBPS
        if isinstance(row.get("untagged_vlan"), dict):
            fields["vlan"] = row["untagged_vlan"].get("vid")
        if len(row.get("mac_addresses") or []) > 1:
            self.findings.left("dcim/interfaces", row, "one MAC address each; the primary one is kept", "mac_addresses")
        return fields

    def pass_throughs(self) -> list[Mapped]:
        """Front ports that are not of the model, with where they lead."""
        rears = {row["id"]: row["name"] for row in self.snapshot.rows("dcim/rear-ports")}
        by_name = {(row["device"]["id"], row["name"]): row["id"] for row in self.snapshot.rows("dcim/rear-ports")}
        made = []
        for key, row, port, _ in self._extra:
            if key != "front-ports":
                continue
            for pair in mappings_of(row, rears)[:1]:
                rear = self.names.get(("dcim/rear-ports", by_name[row["device"]["id"], pair["rear_port"]]))
                if rear:
                    said = {"site": port.site, "device": port.device, "front": port.port, "rear": rear.port}
                    said["position"] = pair["rear_port_position"]
                    made.append(Mapped("pass-throughs", "dcim/front-ports", row["id"], said, part="pass"))
        return made

    def addresses(self) -> list[Mapped]:
        """Addresses of interfaces that are not already the machine's primary or BMC address."""
        made = []
        for row in self.snapshot.rows("ipam/ip-addresses"):
            kind = row.get("assigned_object_type")
            if kind != "dcim.interface":
                why = f"it belongs to a {kind}" if kind else "it belongs to no device"
                self.findings.left("ipam/ip-addresses", row, why, "assigned_object")
                continue
            port = self.names.get(("dcim/interfaces", row["assigned_object_id"]))
            if port is None:
                if self.snapshot.get("dcim/interfaces", row["assigned_object_id"]):
                    self.findings.left("ipam/ip-addresses", row, "its interface was not imported", "assigned_object")
                continue  # of another site
            for name in remains(row, _ADDRESS_USED):
                self.findings.left("ipam/ip-addresses", row, "an address has no such field here", name)
            self.labels.no_custom("ipam/ip-addresses", row)
            if not self._is_own(row, port):
                made.append(self._address(row, port))
        return made

    def _is_own(self, row: Row, port: PortName) -> bool:
        """Whether it is an address that the machine's own row has."""
        interface: Any = self.snapshot.get("dcim/interfaces", row["assigned_object_id"])
        device: Any = self.snapshot.get("dcim/devices", interface["device"])
        if self.devices.kinds.get(device["id"]) != "machine":
            return False
        own = {(device.get(name) or {}).get("id") for name in ("primary_ip", "oob_ip")}
        return row["id"] in own or (port.kind == "bmc" and self.bmc_address(device["id"]) == row["id"])

    def bmc_address(self, device_id: int) -> int | None:
        """The id of the address on the BMC's port, for a machine whose `oob_ip` is not set."""
        device: Any = self.snapshot.get("dcim/devices", device_id)
        port = self.bmc_ports.get(device_id)
        if device.get("oob_ip") or port is None:
            return None
        return self._first_on.get(port)

    @property
    def _first_on(self) -> dict[int, int]:
        if not hasattr(self, "_first"):
            self._first: dict[int, int] = {}
            for row in self.snapshot.rows("ipam/ip-addresses"):
                if row.get("assigned_object_type") == "dcim.interface":
                    self._first.setdefault(row["assigned_object_id"], row["id"])
        return self._first

    def _address(self, row: Row, port: PortName) -> Mapped:
        address, _, length = str(row["address"]).partition("/")
        fields = {
            "site": port.site,
            "device": port.device,
            "port": port.port,
            "address": address,
            "prefix_length": int(length) if length else None,
            "dns_name": plain(row.get("dns_name"), 255),
        }
        return Mapped("ip-addresses", "ipam/ip-addresses", row["id"], fields)

    def complete(self, mapped: Mapped) -> None:
        """Give a machine's row the MAC of its BMC port, and its address where NetBox names no out-of-band one."""
        pk = mapped.netbox_id
        if self.devices.kinds.get(pk) != "machine":
            return
        mapped.fields["bmc_mac"] = self.bmc_macs.get(pk, "").lower()
        found = self.bmc_address(pk)
        row = self.snapshot.get("ipam/ip-addresses", found) if found else None
        if row:
            mapped.fields["bmc_ip"] = str(row["address"]).partition("/")[0]


def _of(port: PortName) -> Row:
    return {"site": port.site, "device": port.device, "name": port.port}
