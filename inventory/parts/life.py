"""What happens to one part: into a slot, out of it, to another machine, onto a shelf, back to its vendor.

Each is one transaction. The reason stands in the audit log beside the change itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime

from django.db.models import Max, Q
from django.utils import timezone

from core.audit.actor import noting
from inventory.models import Component, Device, Installation, StoragePlace
from inventory.services.components import (
    Returned,
    announce_component,
    clear_card,
    installed_in,
    locked_device,
    need_usable,
    put_in,
    slot_of,
    take_out,
)
from inventory.services.refusals import Refused, refusing
from inventory.services.stock import announce_if_short

OUT_OF_USE = (Component.Condition.RMA, Component.Condition.SCRAPPED)


def noted(reason: str) -> AbstractContextManager[None]:
    """Write as whoever writes now, with a reason for the audit log if there is one."""
    return noting(note=reason) if reason else nullcontext()


@contextmanager
def _changing(reason: str) -> Iterator[None]:
    with noted(reason), refusing():
        yield


def install(
    component_id: int, device_id: int, slot: str, *, by: str, ticket: str = "", reason: str = ""
) -> Installation:
    """Put a part that is installed nowhere into an empty slot. Raises Refused, and DoesNotExist of either."""
    with _changing(reason):
        device = locked_device(device_id)
        part = _locked(component_id)
        sits = _sits(part)
        if sits is not None:
            raise Refused("component", f"It is installed in {sits.device.name} {sits.slot}: move it instead.")
        return _install(part, device, slot, by=by, ticket=ticket)


def move(component_id: int, device_id: int, slot: str, *, by: str, ticket: str = "", reason: str = "") -> Installation:
    """Take a part out of its machine and put it into an empty slot of another (or another slot), in one step."""
    with _changing(reason):
        found = _sits(Component.objects.get(pk=component_id))
        ids = sorted({device_id} | ({found.device_id} if found else set()))
        devices = {pk: locked_device(pk) for pk in ids}
        part = _locked(component_id)
        sits = _sits(part)
        if sits is None or sits.device_id not in devices:
            raise Refused("component", "It is installed nowhere." if sits is None else "It was moved meanwhile.")
        if (sits.device_id, sits.slot) == (device_id, slot):
            raise Refused("slot", "It sits there already.")
        at = _take_out(devices[sits.device_id], sits, part, Returned())
        return _install(part, devices[device_id], slot, by=by, ticket=ticket, at=at)


def remove_to_storage(
    component_id: int, storage_id: int | None, *, by: str, condition: str | None = None, reason: str = ""
) -> Component:
    """Take a part out of its slot and lay it on a shelf (or nowhere in particular)."""
    with _changing(reason):
        found = _sits(Component.objects.get(pk=component_id))
        if found is None:
            raise Refused("component", "It is installed nowhere.")
        device = locked_device(found.device_id)
        part = _locked(component_id)
        sits = _sits(part)
        if sits is None or sits.device_id != device.pk:
            raise Refused("component", "It was moved meanwhile.")
        if condition in OUT_OF_USE and storage_id is not None:
            raise Refused("storage", "What was sent back or scrapped lies nowhere.")
        _take_out(device, sits, part, Returned(_storage(part, storage_id), condition))
        announce_component(part, by)
        return part


def store(component_id: int, storage_id: int | None, *, by: str, reason: str = "") -> Component:
    """Lay a part that is installed nowhere onto another shelf."""
    with _changing(reason):
        part = _locked(component_id)
        if part.condition in OUT_OF_USE and storage_id is not None:
            raise Refused("storage", "What was sent back or scrapped lies nowhere: mark it good first.")
        before = part.storage
        part.storage = _storage(part, storage_id)
        part.save(update_fields=["storage"])
        _tell(part, before, part.condition, by)
        return part


def set_condition(component_id: int, condition: str, *, by: str, reason: str = "") -> Component:
    """Mark a part good, suspect, sent back (RMA) or scrapped. What left the site lies on no shelf and sits nowhere."""
    if condition not in Component.Condition.values:
        raise Refused("condition", f"One of {', '.join(Component.Condition.values)}.")
    with _changing(reason):
        part = _locked(component_id)
        sits = _sits(part)
        if condition in OUT_OF_USE and sits is not None:
            raise Refused("condition", f"It is installed in {sits.device.name} {sits.slot}: take it out first.")
        before, was = part.storage, part.condition
        part.condition = condition
        if condition in OUT_OF_USE:
            part.storage = None
        part.save(update_fields=["condition", "storage"])
        _tell(part, before, was, by)
        return part


# ---- steps ----


def _locked(component_id: int) -> Component:
    return Component.objects.select_for_update(of=("self",)).select_related("storage").get(pk=component_id)


def _sits(part: Component) -> Installation | None:
    rows = Installation.objects.filter(component=part, during__endswith=None)
    return rows.select_related("device").first()


def _storage(part: Component, storage_id: int | None) -> StoragePlace | None:
    if storage_id is None:
        return None
    found = StoragePlace.objects.filter(pk=storage_id, site_id=part.site_id).first()
    if found is None:
        raise Refused("storage", "The part's site has no such storage place.")
    return found


def _take_out(device: Device, sits: Installation, part: Component, goes: Returned) -> datetime:
    sits.component = part
    at = take_out(device, sits, goes)
    clear_card(device, slot_of(device, sits.slot))
    return at


def _install(
    part: Component, device: Device, slot: str, *, by: str, ticket: str, at: datetime | None = None
) -> Installation:
    if device.site_id != part.site_id:
        raise Refused("device", "The part's site has no such device.")
    if device.status == Device.Status.RETIRED:
        raise Refused("device", f"{device.name} is retired.")
    need_usable(part, "component")
    spec_slot = slot_of(device, slot)
    if spec_slot["kind"] != part.kind:
        raise Refused("slot", f"{slot} takes a part of kind {spec_slot['kind']}, this is one of kind {part.kind}.")
    there = installed_in(device, slot)
    if there is not None:
        raise Refused("slot", f"{there.component.serial or 'A part'} sits in {slot}: take it out first.")
    before = part.storage
    installation = put_in(device, spec_slot, part, _start(part, device, slot, at), by=by, ticket=ticket)
    _tell(part, before, part.condition, by)
    return installation


def _start(part: Component, device: Device, slot: str, at: datetime | None) -> datetime:
    """`at` or now, or when the part's or the slot's last stay ends: clocks of two servers differ a little."""
    stays = Installation.objects.filter(Q(component=part) | Q(device=device, slot=slot))
    ended: datetime | None = stays.aggregate(at=Max("during__endswith"))["at"]
    start = at or timezone.now()
    return max(start, ended) if ended else start


def _tell(part: Component, before: StoragePlace | None, was: str, by: str) -> None:
    """News of the part, and of the shelf when a good one left it."""
    announce_component(part, by)
    good = Component.Condition.GOOD
    if before is not None and was == good and (before != part.storage or part.condition != good):
        announce_if_short(before, part, by)
