"""Devices one by one: what an operator enters by hand. Whole sites come from fleet files."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from psycopg.types.range import Int4Range, TimestamptzRange

from core.models import Site
from inventory.models import Cable, Device, DeviceModel, Installation, Machine, Pdu, Placement, Port, Rack, Switch
from inventory.queries.place import place_text, with_place
from inventory.services.refusals import Refused, refusing
from live.events import emit

FACES = {"both": (0, 2), "front": (0, 1), "rear": (1, 2)}
COLUMNS = {"full": (0, 2), "left": (0, 1), "right": (1, 2)}
KINDS: dict[str, Any] = {"machine": Machine, "switch": Switch, "pdu": Pdu}


def create_device(
    site: Site, model: DeviceModel, fields: dict[str, Any], *, place: dict[str, Any] | None = None,
    own: dict[str, Any] | None = None, actor: str = "",
) -> Device:  # fmt: skip
    """A device with its ports, its place and what its kind has (`own`: addresses, fabric, feed). Raises Refused.

    `place` is {rack, u, face, column} or {rack, side}.
    """
    with refusing():
        device = Device.objects.create(site=site, model=model, kind=model.kind, **fields)
        _check_feed(device, own)
        if model.kind in KINDS:
            KINDS[model.kind].objects.create(device=device, **(own or {}))
        Port.objects.bulk_create(_ports(device, model))
        if place:
            _mount(device, place)
        _announce(device, actor, created=int(model.kind == "machine"))
    return device


def update_device(
    device: Device, fields: dict[str, Any], *, own: dict[str, Any] | None = None, actor: str = ""
) -> Device:
    """Change a device's own fields and those of its kind. Raises Refused."""
    with refusing():
        device = _locked(device.pk)
        for name, value in fields.items():
            setattr(device, name, value)
        device.save()
        _check_feed(device, own)
        if own and device.kind in KINDS:
            KINDS[device.kind].objects.filter(device=device).update(**own)
        _announce(device, actor)
    return device


def place_device(device: Device, place: dict[str, Any] | None, *, actor: str = "") -> Device:
    """Move a device to another place, or take it out of the rack with None. Raises Refused; then it stays."""
    with refusing():
        device = _locked(device.pk)
        Placement.objects.filter(device=device).delete()
        if place:
            _mount(device, place)
        _announce(device, actor)
    return device


def retire_device(device: Device, *, actor: str = "") -> Device:
    """Out for good: it frees its place, ports, parts and addresses; the row stays with its history. Raises Refused."""
    with refusing():
        device = _locked(device.pk)
        if device.children.exists():
            raise Refused("non_field_errors", "Other devices sit in its bays: retire or move them first.")
        stood = place_text(with_place(Device.objects.all()).get(pk=device.pk))
        Placement.objects.filter(device=device).delete()
        Cable.objects.filter(connectors__ends__port__device=device).delete()
        for installation in Installation.objects.filter(device=device, during__endswith=None):
            installation.during = TimestamptzRange(installation.during.lower, timezone.now())
            installation.place = stood
            installation.save(update_fields=["during", "place"])
        Machine.objects.filter(device=device).update(boot_mac="", bmc_mac="", primary_ip=None, bmc_ip=None)
        Switch.objects.filter(device=device).update(node_guid="")
        Pdu.objects.filter(device=device).update(feed=None)
        device.status, device.parent, device.bay = Device.Status.RETIRED, None, ""
        device.save()
        _announce(device, actor)
    return device


def _ports(device: Device, model: DeviceModel) -> list[Port]:
    """The ports of its model; one on an adapter serves the rail of the adapter's slot."""
    rails = {slot["name"]: slot.get("rail") for slot in model.spec.get("slots", [])}
    return [
        Port(
            device=device,
            rail=rails.get(row.get("slot")),
            positions=row.get("positions") or 1,
            **{name: row.get(name) or "" for name in ("name", "kind", "slot", "face")},
            **{name: row.get(name) for name in ("speed_gbps", "cage", "lane")},
        )
        for row in model.spec.get("ports", [])
    ]


def _check_feed(device: Device, own: dict[str, Any] | None) -> None:
    feed = (own or {}).get("feed")
    if feed is not None and feed.site_id != device.site_id:
        raise Refused("feed", "The feed is at another site.")


def _locked(device_id: int) -> Device:
    return Device.objects.select_for_update(of=("self",), no_key=True).select_related("model", "site").get(pk=device_id)


def _mount(device: Device, place: dict[str, Any]) -> None:
    rack: Rack = place["rack"]
    height = device.model.half_u_height
    if rack.room.site_id != device.site_id:
        raise Refused("rack", "The rack is at another site.")
    if (height == 0) != bool(place.get("side")):
        raise Refused("side" if height == 0 else "u", "A zero-U device hangs in a side slot, any other one at a unit.")
    spans: dict[str, Any] = {"side_slot": place.get("side") or ""}
    if height:
        if place.get("u") is None:
            raise Refused("u", "The unit is missing.")
        low = int(2 * place["u"] - 1)
        faces = FACES["both"] if device.model.full_depth else FACES[place.get("face") or "front"]
        spans |= {
            "half_units": Int4Range(low, low + height),
            "faces": Int4Range(*faces),
            "columns": Int4Range(*COLUMNS[place.get("column") or "full"]),
        }
    Placement.objects.create(device=device, rack=rack, rack_height_u=rack.height_u, **spans)


def _announce(device: Device, actor: str, created: int = 0) -> None:
    """The rooms above follow single changes as they follow a reload."""
    emit(
        "inventory.reloaded",
        site_id=device.site_id,
        subject=f"device:{device.pk}",
        actor=actor,
        data={
            "scope": {"site": device.site_id, "slug": device.site.slug, "devices": [device.pk]},
            "created_machines": created,
            "retired_devices": int(device.status == Device.Status.RETIRED),
        },
    )
