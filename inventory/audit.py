"""What the audit log keeps of the inventory: everything, shown with the device, rack, cable or part it belongs to."""

from __future__ import annotations

from core.audit.tables import audited, left_out
from core.models import Role

OPERATOR = {"undo": Role.OPERATOR}

for label, kind in (("Room", "rooms"), ("Row", "rows"), ("Aisle", "aisles"), ("Rack", "racks")):
    audited(f"inventory.{label}", kind=kind, **OPERATOR)
audited("inventory.DeviceModel", kind="device-models", undo=Role.ADMIN)
audited("inventory.Device", kind="devices", belongs_to=("parent",), **OPERATOR)
audited("inventory.Machine", kind="machines", name=("device",), **OPERATOR)
audited("inventory.Switch", kind="switches", name=("device",), **OPERATOR)
audited("inventory.Pdu", kind="pdus", name=("device",), **OPERATOR)
audited("inventory.Placement", kind="placements", name=("device", "kind"), belongs_to=("device", "rack"), **OPERATOR)
audited("inventory.Port", kind="ports", name=("device", "name"), **OPERATOR)
audited("inventory.ChangeSet", kind="change-sets", **OPERATOR)
audited("inventory.Cable", kind="cables", **OPERATOR)
audited("inventory.Connector", kind="connectors", name=("cable", "side", "number"), found_by_id=False, **OPERATOR)
audited(
    "inventory.StrandEnd",
    kind="cable-ends",
    name=("connector", "port"),
    belongs_to=("connector__cable", "port", "port__device"),
    found_by_id=False,
    **OPERATOR,
)
audited("inventory.Component", kind="components", name=("kind", "serial"), **OPERATOR)
audited(
    "inventory.Installation",
    kind="installations",
    name=("component", "device", "slot"),
    belongs_to=("component", "device"),
    found_by_id=False,
    **OPERATOR,
)
audited("inventory.PassThrough", kind="pass-throughs", name=("front", "rear"), **OPERATOR)
audited("inventory.IpAddress", kind="ip-addresses", name=("address",), belongs_to=("device", "port"), **OPERATOR)
audited("inventory.NamingRule", kind="naming-rules", name=("kind", "pattern"), **OPERATOR)
audited("inventory.Comment", kind="comments", name=("author",))
audited("inventory.Attachment", kind="attachments")
audited("inventory.StoragePlace", kind="storage-places", **OPERATOR)
audited("inventory.Stock", kind="stock", name=("vendor", "part_number", "storage"), belongs_to=("storage",))
for label, kind in (("PowerPanel", "power-panels"), ("PowerFeed", "power-feeds"), ("Contact", "contacts")):
    audited(f"inventory.{label}", kind=kind, **OPERATOR)
for label, kind in (("Tag", "tags"), ("CustomField", "custom-fields")):
    audited(f"inventory.{label}", kind=kind, undo=Role.ADMIN)
for label, kind in (("Device", "devices"), ("Cable", "cables"), ("Component", "components"), ("Rack", "racks")):
    audited(f"inventory.{label}_tags", kind=f"tags-of-{kind}", name=("tag",), found_by_id=False, **OPERATOR)

left_out("inventory.AddressClaim", "follows from the addresses; kept by triggers of its own")
left_out("inventory.PowerReading", "what was measured last")
