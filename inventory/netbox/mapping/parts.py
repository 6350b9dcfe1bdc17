"""Modules and inventory items of NetBox that say a serial or part number, as installed components. Pure."""

from __future__ import annotations

from inventory.netbox.findings import Findings
from inventory.netbox.mapping.devices import Devices
from inventory.netbox.snapshot import Mapped, Row, Snapshot, plain, remains, value_of

_ITEM_USED = {
    "device", "parent", "label", "role", "manufacturer", "part_id", "serial", "status", "component_type",
    "component_id", "component",
}  # fmt: skip
_MODULE_USED = {"device", "module_bay", "module_type", "status", "serial"}


class Parts:
    def __init__(self, snapshot: Snapshot, findings: Findings, devices: Devices) -> None:
        self.snapshot, self.findings, self.devices = snapshot, findings, devices

    def rows(self) -> list[Mapped]:
        taken: set[tuple[int, str]] = set()
        made = []
        for row in self.snapshot.rows("dcim/modules"):
            bay, type_ = row["module_bay"], self.snapshot.get("dcim/module-types", row["module_type"])
            whole = type_ or row["module_type"]
            said = {
                "vendor": (whole.get("manufacturer") or {}).get("name"),
                "part_number": whole.get("part_number") or whole.get("model"),
                "serial": row.get("serial"),
            }
            made.append(self._part("dcim/modules", row, "module-bays", str(bay.get("name") or ""), said, taken))
            self._tell("dcim/modules", row, _MODULE_USED)
        for row in self.snapshot.rows("dcim/inventory-items"):
            said = {
                "vendor": (row.get("manufacturer") or {}).get("name"),
                "part_number": row.get("part_id"),
                "serial": row.get("serial"),
            }
            made.append(self._part("dcim/inventory-items", row, "inventory-items", row["name"], said, taken))
            self._tell("dcim/inventory-items", row, _ITEM_USED)
        return [mapped for mapped in made if mapped is not None]

    def _part(
        self, endpoint: str, row: Row, key: str, name: str, said: Row, taken: set[tuple[int, str]]
    ) -> Mapped | None:
        """A component in its slot. An item that says nothing but its name is what the model has anyway."""
        pk = row["device"]["id"]
        if pk not in self.devices.names:
            return None
        conversion = self.devices.conversion(self.snapshot.get("dcim/devices", pk) or {})
        slot = conversion.slot_names.get((key, name)) if conversion else None
        if not any(said.values()):
            if slot is None:
                self.findings.left(endpoint, row, "its device type has no such bay, and it says no part", "name")
            return None
        if slot is None or (pk, slot) in taken:
            why = "its device type has no such bay" if slot is None else "another part is in its bay"
            self.findings.left(endpoint, row, why, "name")
            return None
        taken.add((pk, slot))
        site, device = self.devices.names[pk]
        fields = {
            "site": site,
            "vendor": plain(said["vendor"], 60),
            "part_number": plain(said["part_number"], 60),
            "serial": plain(said["serial"], 64),
            "device": device,
            "slot": slot,
        }
        return Mapped("components", endpoint, row["id"], fields)

    def _tell(self, endpoint: str, row: Row, used: set[str]) -> None:
        if (status := value_of(row.get("status"))) not in ("active", None):
            self.findings.left(endpoint, row, f"a part has no state such as {status} here", "status")
        for name in remains(row, used):
            self.findings.left(endpoint, row, "a part has no such field here", name)
