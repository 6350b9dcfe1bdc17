"""Parts of a device now and before."""

from __future__ import annotations

from typing import Any

from inventory.models import Component, Device, Installation
from inventory.queries.slots import printed_label
from inventory.slot_text import slot_text


def device_components(device: Device) -> list[dict[str, Any]]:
    """The parts installed now, in the order of the model's slots; slots without a known part are left out."""
    slots = {slot["name"]: (order, slot.get("label") or "") for order, slot in enumerate(device.model.spec["slots"])}
    rows = Installation.objects.filter(device=device, during__endswith=None).select_related("component")
    return [
        {
            "slot": row.slot,
            "label": slots.get(row.slot, (0, ""))[1],
            "text": slot_text(row.slot, slots.get(row.slot, (0, ""))[1]),
            "component": row.component_id,
            "kind": row.component.kind,
            "vendor": row.component.vendor,
            "part_number": row.component.part_number,
            "serial": row.component.serial,
            "attributes": row.component.attributes,
            "installed_at": row.during.lower,
            "by": row.by,
            "ticket": row.ticket,
        }
        for row in sorted(rows, key=lambda row: (slots.get(row.slot, (len(slots), ""))[0], row.slot))
    ]


def component_history(component: Component, visible: list[int] | None = None) -> list[dict[str, Any]]:
    """Every place a part has been in at the visible sites (None: at all), the latest first. One query."""
    rows = Installation.objects.filter(component=component).select_related("device").order_by("-during")
    rows = rows.annotate(label=printed_label("device__model__spec", "slot"))
    if visible is not None:
        rows = rows.filter(device__site_id__in=visible)
    return [
        {
            "device": row.device_id,
            "device_name": row.device.name,
            "slot": row.slot,
            "slot_text": slot_text(row.slot, row.label),
            "from": row.during.lower,
            "to": row.during.upper,
            "by": row.by,
            "ticket": row.ticket,
        }
        for row in rows
    ]
