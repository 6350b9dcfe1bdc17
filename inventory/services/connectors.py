"""What sits in a port and hangs on it: optics, which are parts with a serial, and cables, whose connectors have theirs.

An optic is installed in a slot named after its cage, which no device model lists: an optic goes with the cable, not
with the device.
"""

from __future__ import annotations

from django.utils import timezone
from psycopg.types.range import TimestamptzRange

from core.audit.actor import noting
from inventory.models import Cable, Component, Connector, Installation, Port
from inventory.services.components import (
    Returned,
    announce_component,
    installed_in,
    locked_device,
    need_usable,
    take_out,
)
from inventory.services.refusals import Refused, refusing

SERIAL = 64


def optic_slot(port: Port) -> str:
    """Where the optic of a port sits: two ports may share a cage, and then its optic."""
    return f"Optic {port.cage}" if port.cage is not None else f"Optic {port.name}"[:40]


def swap_optic(
    port_id: int, new_serial: str, *, by: str, ticket: str = "", part_number: str | None = None,
    old: Returned | None = None,
) -> tuple[Installation, Component | None]:  # fmt: skip
    """Record another optic at a port from now on; returns it and the one it replaces, where that was known.

    A part number that is not given is the old one's. Raises Refused for a serial that is installed or out of use, and
    Port.DoesNotExist.
    """
    serial = _serial("new_serial", new_serial)
    port = Port.objects.get(pk=port_id)
    with refusing():
        device = locked_device(port.device_id)
        slot = optic_slot(port)
        sits = installed_in(device, slot)
        replaced = sits.component if sits else None
        new = _optic(device.site_id, serial, replaced, part_number)
        at = take_out(device, sits, old or Returned())
        made = Installation.objects.create(
            component=new, device=device, slot=slot, during=TimestamptzRange(at, None), by=by, ticket=ticket
        )
        new.storage = None
        for part in (new, replaced):
            if part is not None:
                announce_component(part, by)
        return made, replaced


def _optic(site_id: int, serial: str, old: Component | None, part_number: str | None) -> Component:
    optics = Component.objects.select_for_update(of=("self",)).filter(kind=Component.Kind.OPTIC, site_id=site_id)
    known = list(optics.filter(serial=serial)[:2])
    if not known:
        return Component.objects.create(
            site_id=site_id, kind=Component.Kind.OPTIC, serial=serial, vendor=old.vendor if old else "",
            part_number=part_number or (old.part_number if old else ""),
        )  # fmt: skip
    if len(known) > 1:
        raise Refused("new_serial", f"Several optics have the serial {serial}: give the part number.")
    sits = Installation.objects.filter(component=known[0], during__endswith=None).select_related("device").first()
    if sits is not None:
        raise Refused("new_serial", f"{serial} is installed in {sits.device.name} {sits.slot}.")
    need_usable(known[0], "new_serial")
    return known[0]


def swap_cable(cable_id: int, serials: tuple[str, str], *, by: str, ticket: str) -> tuple[str, str]:
    """Record that another cable of the same kind lies in the place of this one: its label stays, its plugs have other
    serials (side A, side B). Returns the old ones.

    The cable's history keeps both, with the ticket as the reason. Raises Refused, and Cable.DoesNotExist.
    """
    new = tuple(_serial(field, serial) for field, serial in zip(("new_serial", "new_serial_b"), serials, strict=True))
    with refusing(), noting(note=f"{ticket}: the cable was swapped by {by}, {timezone.now():%Y-%m-%d}"):
        cable = Cable.objects.select_for_update(of=("self",)).get(pk=cable_id)
        plugs = list(Connector.objects.select_for_update(of=("self",)).filter(cable=cable).order_by("side", "number"))
        first = {side: next((plug for plug in plugs if plug.side == side), None) for side in "AB"}
        old = tuple(plug.serial if plug else "" for plug in (first["A"], first["B"]))
        if new == old:
            raise Refused("new_serial", f"{new[0]} is the serial of the cable that lay there before.")
        other = Connector.objects.filter(serial__in=set(new), cable__site_id=cable.site_id).exclude(cable=cable)
        if (taken := other.select_related("cable").first()) is not None:
            raise Refused("new_serial", f"{taken.serial} is a connector of cable {taken.cable.label}.")
        for plug in plugs:
            plug.serial = new[0] if plug.side == "A" else new[1]
        Connector.objects.bulk_update(plugs, ["serial"])
        return old[0], old[1]


def _serial(field: str, serial: str) -> str:
    found = serial.strip()
    if not found:
        raise Refused(field, "The serial of the new part is missing.")
    if len(found) > SERIAL:
        raise Refused(field, f"A serial has at most {SERIAL} letters.")
    return found
