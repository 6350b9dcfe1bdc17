"""What the audit log keeps of the inventory: everything, shown with the device, rack, cable or part it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.audit.tables import audited, left_out
from core.audit.undo import on_undone
from core.models import Role, Site
from inventory.queries.slots import slot_texts_by_device
from live.events import emit

OPERATOR: dict[str, Any] = {"undo": Role.OPERATOR}
SPAN = re.compile(r"\[(\d+),(\d+)\)")
FACES = {(0, 2): "front and rear", (0, 1): "front", (1, 2): "rear"}
COLUMNS = {(0, 2): "full width", (0, 1): "left", (1, 2): "right"}


def span(value: Any) -> tuple[int, int] | None:
    """`[17,29)` as (17, 29); None for what is no range."""
    found = SPAN.fullmatch(str(value))
    return (int(found[1]), int(found[2])) if found else None


def units(value: Any) -> Any:
    """Half units [17,29) are U9 to U14; a lower or upper half of a unit is said as such."""
    found = span(value)
    if found is None:
        return value
    first, last = found[0], found[1] - 1
    low, high = (f"U{(half + 1) // 2}" for half in (first, last))
    low += " upper half" if first % 2 == 0 else ""
    high += " lower half" if last % 2 else ""
    return low if low == high or first == last else f"{low} to {high}"


def faces(value: Any) -> Any:
    return FACES.get(span(value) or (0, 0), value)


def columns(value: Any) -> Any:
    return COLUMNS.get(span(value) or (0, 0), value)


def period(value: Any) -> Any:
    """`["2026-03-02 12:00:00+00",)` as a person says it."""
    start, _, end = str(value).strip('[]()"').partition(",")
    start, end = start.strip('"'), end.strip('"')
    if not start or value is None:
        return value
    return f"{start} to {end}" if end else f"since {start}"


def installations_retold(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    devices = {row["id"]: column_in(row, "device_id") for row, _ in pairs}
    slots_retold(pairs, devices)


def column_in(row: dict[str, Any], column: str) -> Any:
    """What a column of a row of the log holds, after the change where it was changed."""
    return next((row[side][column] for side in ("after", "is", "before") if column in (row.get(side) or {})), None)


def slots_retold(pairs: Iterable[tuple[dict[str, Any], dict[str, Any]]], device_of: Mapping[int, int | None]) -> None:
    """Tell slots as people read them, what is printed on the chassis first. `device_of`: row to its device."""
    named = slot_texts_by_device(pk for pk in device_of.values() if pk is not None)
    for row, told in pairs:
        texts = named.get(device_of[row["id"]] or 0, {})
        slot = column_in(row, "slot") or ""
        if slot in texts and told["name"].endswith(slot):
            told["name"] = told["name"].removesuffix(slot) + texts[slot]
        line = told["fields"].get("slot", {})
        line.update({side: texts.get(value, value) for side, value in line.items()})


for label, kind in (
    ("Room", "rooms"),
    ("Row", "rows"),
    ("Aisle", "aisles"),
    ("Landmark", "landmarks"),
    ("Rack", "racks"),
):
    audited(f"inventory.{label}", kind=kind, **OPERATOR)
audited("inventory.DeviceModel", kind="device-models", undo=Role.ADMIN)
audited("inventory.Device", kind="devices", belongs_to=("parent",), **OPERATOR)
audited("inventory.Machine", kind="machines", name=("device",), **OPERATOR)
audited("inventory.Switch", kind="switches", name=("device",), **OPERATOR)
audited("inventory.Pdu", kind="pdus", name=("device",), **OPERATOR)
audited(
    "inventory.Placement",
    kind="placements",
    name=("device", "rack"),
    belongs_to=("device", "rack"),
    shown={"half_units": ("units", units), "faces": ("faces", faces), "columns": ("columns", columns)},
    **OPERATOR,
)
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
    shown={"during": ("during", period)},
    retold=installations_retold,
    found_by_id=False,
    **OPERATOR,
)
audited("inventory.PassThrough", kind="pass-throughs", name=("front", "rear"), **OPERATOR)
audited("inventory.IpAddress", kind="ip-addresses", name=("address",), belongs_to=("device", "port"), **OPERATOR)
audited("inventory.NamingRule", kind="naming-rules", name=("kind", "pattern"), **OPERATOR)
audited("inventory.Annotation", kind="annotations", name=("text",))
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
left_out("inventory.NetBoxRun", "how far an import has come; what it wrote is in the log")
left_out("inventory.NetBoxRow", "rows of an import in progress")
left_out("inventory.NetBoxLink", "which record came from which of NetBox, for a repeated import")
left_out("inventory.PowerReading", "what was measured last")
for label in ("inventory.NetBoxRun", "inventory.NetBoxRow", "inventory.NetBoxLink"):
    left_out(label, "how far an import from NetBox has come; what it writes into the inventory is in the log")


def announce_undone(site_id: int, records: set[tuple[str, int]], actor: str) -> None:
    """What came back by an undo is news like any other write."""
    site = Site.objects.get(pk=site_id)
    emit(
        "inventory.reloaded",
        site_id=site_id,
        subject=f"site:{site_id}",
        actor=actor,
        data={"scope": {"site": site_id, "slug": site.slug}, "created_machines": 0, "retired_devices": 0},
    )


on_undone("inventory", announce_undone)
