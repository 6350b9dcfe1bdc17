"""What sits in which slot."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from psycopg.types.range import TimestamptzRange

from inventory.models import Component, Device, Installation, Machine, Port
from inventory.services.refusals import Refused, refusing

IDENTITIES = ("uuid", "guid", "mac", "port_guid")  # attributes of one part, not of its kind


def swap_component(
    machine_id: int,
    slot: str,
    new_serial: str,
    *,
    by: str,
    ticket: str = "",
    part_number: str | None = None,
    attributes: dict[str, Any] | None = None,
) -> Installation:
    """Record that another part sits in a slot from now on; the old one keeps its history and is in stock.

    A part in stock is taken from there; without `part_number` it is of the old one's kind. GUID and MAC of the ports
    on the slot follow `attributes`. Raises Refused for an unknown slot, a serial that is installed elsewhere or in
    this very slot, and Device.DoesNotExist.
    """
    serial = new_serial.strip()
    if not serial:
        raise Refused("new_serial", "The serial of the new part is missing.")
    with refusing():
        device = Device.objects.select_for_update(of=("self",), no_key=True).select_related("model").get(pk=machine_id)
        spec_slot = next((row for row in device.model.spec.get("slots", []) if row["name"] == slot), None)
        if spec_slot is None:
            raise Refused("slot", f"A {device.model.name} has no slot {slot!r}.")
        sits = Installation.objects.filter(device=device, slot=slot, during__endswith=None)
        old = sits.select_related("component").first()
        replaced = old.component if old else None
        new = _part_for(device, spec_slot["kind"], serial, replaced, part_number, attributes or {})
        now = _close(old)
        installation = Installation.objects.create(
            component=new, device=device, slot=slot, during=TimestamptzRange(now, None), by=by, ticket=ticket
        )
        _follow_ports(device, slot, replaced.attributes if replaced else {}, new.attributes)
        _follow_card(device, spec_slot, installation)
        return installation


def _part_for(
    device: Device, kind: str, serial: str, old: Component | None, part_number: str | None, attributes: dict[str, Any]
) -> Component:
    """The part of this serial: from stock, or a new one like the old. Locked, so that it goes into one slot only."""
    vendor = old.vendor if old else ""
    known = Component.objects.select_for_update(of=("self",)).filter(kind=kind, serial=serial, site_id=device.site_id)
    if part_number is not None:
        known = known.filter(part_number=part_number)
    found = list(known)
    part = next((row for row in found if row.vendor == vendor), None) or (found[0] if len(found) == 1 else None)
    if part is None:
        return _new_part(device, kind, serial, old, part_number, attributes)
    sits = Installation.objects.filter(component=part, during__endswith=None).select_related("device").first()
    if sits is not None:
        raise Refused("new_serial", f"{serial} is installed in {sits.device.name} {sits.slot}.")
    if attributes:
        part.attributes = part.attributes | attributes
        part.save(update_fields=["attributes"])
    return part


def _new_part(
    device: Device, kind: str, serial: str, old: Component | None, part_number: str | None, attributes: dict[str, Any]
) -> Component:
    """A part nobody knew; one of the same part number has what the old one's kind has in common."""
    vendor, number = "", part_number or ""
    carried: dict[str, Any] = {}
    if old is not None:
        vendor, number = old.vendor, old.part_number if part_number is None else part_number
        if number == old.part_number:
            carried = {key: value for key, value in old.attributes.items() if key not in IDENTITIES}
    return Component.objects.create(
        site_id=device.site_id,
        kind=kind,
        vendor=vendor,
        part_number=number,
        serial=serial,
        attributes=carried | attributes,
    )


def _follow_card(device: Device, spec_slot: dict[str, Any], made: Installation) -> None:
    """The other ports of a swapped card went with it: parts without a serial of their own, a GUID further on."""
    card, _, function = (spec_slot.get("pci") or "").rpartition(".")
    guid = made.component.attributes.get("guid")
    for other in device.model.spec.get("slots", []):
        beside, _, number = (other.get("pci") or "").rpartition(".")
        if not card or beside != card or other["name"] == spec_slot["name"]:
            continue
        sits = Installation.objects.filter(device=device, slot=other["name"], during__endswith=None)
        old = sits.filter(component__serial="").select_related("component").first()
        if old is None:
            continue
        known = {"guid": f"0x{int(guid, 16) + int(number, 16) - int(function, 16):016x}"} if guid else {}
        part = Component.objects.create(
            site_id=device.site_id, kind=other["kind"], vendor=made.component.vendor,
            part_number=made.component.part_number, attributes=known,
        )  # fmt: skip
        during = TimestamptzRange(max(_close(old), made.during.lower), None)
        Installation.objects.create(
            component=part, device=device, slot=other["name"], during=during, by=made.by, ticket=made.ticket
        )
        _follow_ports(device, other["name"], old.component.attributes, known)


def _close(installation: Installation | None) -> datetime:
    """End an installation now; returns the instant, which is later than its start."""
    now = timezone.now()
    if installation is not None:
        now = max(now, installation.during.lower + timedelta(microseconds=1))
        installation.during = TimestamptzRange(installation.during.lower, now)
        installation.save(update_fields=["during"])
    return now


def _follow_ports(device: Device, slot: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Ports on a swapped adapter have its GUID and MAC; a boot MAC on it moves along when the new one is known."""
    guid, mac = str(after.get("guid", "")), str(after.get("mac", ""))
    Port.objects.filter(device=device, slot=slot, kind__in=[Port.Kind.INFINIBAND, Port.Kind.ETHERNET]).update(
        guid=guid, mac=mac
    )
    if mac and before.get("mac"):
        Machine.objects.filter(device=device, boot_mac=before["mac"]).update(boot_mac=mac)
