"""What sits in which slot: the steps that every change of it is made of, and the swap.

Locks are taken in one order everywhere: the devices (by id), then the part.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from psycopg.types.range import TimestamptzRange

from inventory.models import Component, Device, Installation, Machine, Port, StoragePlace
from inventory.queries.place import place_text, with_place
from inventory.services.refusals import Refused, refusing
from inventory.services.stock import announce_if_short
from live.events import emit

IDENTITIES = ("uuid", "guid", "mac", "port_guid")  # attributes of one part, not of its kind
UNUSABLE = {Component.Condition.RMA: "was sent back", Component.Condition.SCRAPPED: "was scrapped"}


@dataclass(frozen=True)
class Returned:
    """What becomes of a part that is taken out: where it goes, and in which condition. None leaves that as it is."""

    storage: StoragePlace | None = None
    condition: str | None = None


def swap_component(
    machine_id: int,
    slot: str,
    new_serial: str,
    *,
    by: str,
    ticket: str = "",
    part_number: str | None = None,
    attributes: dict[str, Any] | None = None,
    old: Returned | None = None,
) -> Installation:
    """Record that another part sits in a slot from now on; the old one keeps its history and is in stock.

    A part in stock is taken from there; without `part_number` it is of the old one's kind. GUID and MAC of the ports
    on the slot follow `attributes`. Raises Refused for an unknown slot, a serial that is installed elsewhere or in
    this very slot or is out of use, and Device.DoesNotExist.
    """
    serial = new_serial.strip()
    if not serial:
        raise Refused("new_serial", "The serial of the new part is missing.")
    with refusing():
        device = locked_device(machine_id)
        spec_slot = slot_of(device, slot)
        sits = installed_in(device, slot)
        replaced = sits.component if sits else None
        new = _part_for(device, spec_slot["kind"], serial, replaced, part_number, attributes or {})
        taken_from = new.storage
        now = take_out(device, sits, old or Returned())
        installation = put_in(device, spec_slot, new, now, by=by, ticket=ticket, before=replaced)
        for part in (new, replaced):
            if part is not None:
                announce_component(part, by)
        if taken_from is not None and new.condition == Component.Condition.GOOD:
            announce_if_short(taken_from, new, by)
        return installation


# ---- finding ----


def locked_device(device_id: int) -> Device:
    """The device, locked. Raises Device.DoesNotExist."""
    devices = Device.objects.select_for_update(of=("self",), no_key=True)
    return with_place(devices).get(pk=device_id)


def slot_of(device: Device, slot: str) -> dict[str, Any]:
    """What the device's model says of a slot. Raises Refused."""
    found = next((row for row in device.model.spec.get("slots", []) if row["name"] == slot), None)
    if found is None:
        raise Refused("slot", f"A {device.model.name} has no slot {slot!r}.")
    return dict(found)


def installed_in(device: Device, slot: str) -> Installation | None:
    sits = Installation.objects.filter(device=device, slot=slot, during__endswith=None)
    return sits.select_related("component").first()


def need_usable(part: Component, field: str) -> None:
    """Refuse a part that was sent back or scrapped."""
    if part.condition in UNUSABLE:
        reason = UNUSABLE[Component.Condition(part.condition)]
        raise Refused(field, f"{part.serial or 'That part'} {reason}: mark it good before it is installed.")


def _part_for(
    device: Device, kind: str, serial: str, old: Component | None, part_number: str | None, attributes: dict[str, Any]
) -> Component:
    """The part of this serial: from stock, or a new one like the old. Locked, so that it goes into one slot only."""
    vendor = old.vendor if old else ""
    known = Component.objects.select_for_update(of=("self",)).filter(kind=kind, serial=serial, site_id=device.site_id)
    if part_number is not None:
        known = known.filter(part_number=part_number)
    found = list(known.select_related("storage"))
    part = next((row for row in found if row.vendor == vendor), None) or (found[0] if len(found) == 1 else None)
    if part is None:
        return _new_part(device, kind, serial, old, part_number, attributes)
    sits = Installation.objects.filter(component=part, during__endswith=None).select_related("device").first()
    if sits is not None:
        raise Refused("new_serial", f"{serial} is installed in {sits.device.name} {sits.slot}.")
    need_usable(part, "new_serial")
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


# ---- in and out ----


def take_out(device: Device, sits: Installation | None, goes: Returned) -> datetime:
    """End an installation now; returns the instant, which is later than its start."""
    if sits is None:
        return timezone.now()
    now = _close(device, sits)
    part = sits.component
    part.storage = goes.storage or part.storage
    part.condition = goes.condition or part.condition
    part.save(update_fields=["storage", "condition"])
    return now


def put_in(
    device: Device, spec_slot: dict[str, Any], part: Component, at: datetime, *, by: str, ticket: str,
    before: Component | None = None,
) -> Installation:  # fmt: skip
    """Start an installation; the ports of the slot, and the other ports of a card, follow."""
    installation = Installation.objects.create(
        component=part, device=device, slot=spec_slot["name"], during=TimestamptzRange(at, None), by=by, ticket=ticket
    )
    part.storage = None  # the database took it from the shelf
    _follow_ports(device, spec_slot["name"], before.attributes if before else {}, part.attributes)
    _follow_card(device, spec_slot, installation)
    return installation


def clear_card(device: Device, spec_slot: dict[str, Any]) -> None:
    """After a part was taken out and nothing put in: its ports have no identity, and a card's other ports went too."""
    _follow_ports(device, spec_slot["name"], {}, {})
    for other in _rest_of_card(device, spec_slot):
        sits = installed_in(device, other["name"])
        if sits is not None and not sits.component.serial:
            _close(device, sits)
            _follow_ports(device, other["name"], {}, {})


def _rest_of_card(device: Device, spec_slot: dict[str, Any]) -> list[dict[str, Any]]:
    """The slots that are other PCI functions of the same card."""
    card, _, _ = (spec_slot.get("pci") or "").rpartition(".")
    slots: list[dict[str, Any]] = device.model.spec.get("slots", [])
    return [
        other
        for other in slots
        if card and (other.get("pci") or "").rpartition(".")[0] == card and other["name"] != spec_slot["name"]
    ]


def _follow_card(device: Device, spec_slot: dict[str, Any], made: Installation) -> None:
    """The other ports of a card came with it: parts without a serial of their own, a GUID further on."""
    function = (spec_slot.get("pci") or "").rpartition(".")[2]
    guid = made.component.attributes.get("guid")
    for other in _rest_of_card(device, spec_slot):
        number = other["pci"].rpartition(".")[2]
        old = installed_in(device, other["name"])
        if old is not None and old.component.serial:
            continue
        known = {"guid": f"0x{int(guid, 16) + int(number, 16) - int(function, 16):016x}"} if guid else {}
        part = Component.objects.create(
            site_id=device.site_id, kind=other["kind"], vendor=made.component.vendor,
            part_number=made.component.part_number, attributes=known,
        )  # fmt: skip
        start = made.during.lower if old is None else max(_close(device, old), made.during.lower)
        Installation.objects.create(
            component=part,
            device=device,
            slot=other["name"],
            during=TimestamptzRange(start, None),
            by=made.by,
            ticket=made.ticket,
        )
        _follow_ports(device, other["name"], old.component.attributes if old else {}, known)


def _close(device: Device, installation: Installation) -> datetime:
    now = max(timezone.now(), installation.during.lower + timedelta(microseconds=1))
    installation.during = TimestamptzRange(installation.during.lower, now)
    installation.place = place_text(device)
    installation.save(update_fields=["during", "place"])
    return now


def _follow_ports(device: Device, slot: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Ports on a swapped adapter have its GUID and MAC; a boot MAC on it moves along when the new one is known."""
    guid, mac = str(after.get("guid", "")), str(after.get("mac", ""))
    Port.objects.filter(device=device, slot=slot, kind__in=[Port.Kind.INFINIBAND, Port.Kind.ETHERNET]).update(
        guid=guid, mac=mac
    )
    if mac and before.get("mac"):
        Machine.objects.filter(device=device, boot_mac=before["mac"]).update(boot_mac=mac)


# ---- news ----


def announce_component(part: Component, actor: str) -> None:
    """Tell the dashboard where a part is and how it is. The caller holds its lock."""
    emit(
        "component.changed",
        site_id=part.site_id,
        subject=f"component:{part.pk}",
        data={"id": part.pk, "serial": part.serial, "condition": part.condition, "storage": part.storage_id},
        actor=actor,
    )
