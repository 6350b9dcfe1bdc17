"""Devices that leave for good: they free their place, cables, parts and addresses; the row stays with its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.utils import timezone

from inventory.kinds import sql
from inventory.kinds.batch import Line
from inventory.kinds.writer import remove
from inventory.models import Cable, Device, IpAddress, StrandEnd
from inventory.queries.place import place_text, with_place


def standing(devices: Sequence[int]) -> dict[int, str]:
    """Where devices stand now, in words: what is kept of a stay that ends."""
    rows = with_place(Device.objects.filter(pk__any=list(devices)), models=False)
    return {device.pk: place_text(device) for device in rows}


def close_installations(column: str, places: Mapping[int, str], at: datetime | None = None) -> None:
    """End what is installed now, by `device_id` or `component_id`; each stay keeps where its device stood."""
    rows = [{"key": key, "place": place} for key, place in places.items()]
    sql.execute(
        "UPDATE inventory_installation i SET place = n.place, during = tstzrange(lower(i.during), "
        "greatest(%s, lower(i.during) + interval '1 microsecond')) "
        "FROM jsonb_to_recordset(%s::jsonb) AS n (key bigint, place text) "
        f"WHERE i.{column} = n.key AND upper_inf(i.during)",
        at or timezone.now(),
        sql.as_json(rows),
    )


def retire(lines: Sequence[Line]) -> None:
    """A fixed number of statements. A device with others in its bays is refused, unless those leave too."""
    ids = [line.id for line in lines if line.id is not None]
    by_id = {line.id: line for line in lines}
    seated = Device.objects.filter(parent_id__any=ids).exclude(pk__in=ids).values_list("parent_id", "name")
    for parent, name in seated:
        if not by_id[parent].errors:  # type: ignore[index]
            by_id[parent].refuse("row", f"{name} sits in its bays: retire or move it first", "in_use")  # type: ignore[index]
    if any(line.errors for line in lines):
        return
    take_away(ids)


def take_away(devices: Sequence[int], at: datetime | None = None) -> None:
    """Free what devices hold and mark them retired. Parts in them lie nowhere then; each stay keeps where it was."""
    ids = list(devices)
    stood = standing(ids)
    sql.delete("inventory_placement", "device_id", ids)
    ends = StrandEnd.objects.filter(port__device_id__any=ids).order_by()
    remove(Cable, list(ends.filter(change_set=None).values_list("connector__cable_id", flat=True).distinct()))
    remove(StrandEnd, list(ends.values_list("pk", flat=True)))  # plans that lead here are no plans any more
    remove(IpAddress, list(IpAddress.objects.filter(device_id__any=ids).values_list("pk", flat=True)))
    close_installations("device_id", {pk: stood[pk] for pk in ids}, at)
    sql.execute(
        "UPDATE inventory_machine SET boot_mac = '', bmc_mac = '', primary_ip = NULL, bmc_ip = NULL "
        "WHERE device_id = ANY(%s)",
        ids,
    )
    sql.execute("UPDATE inventory_pdu SET feed_id = NULL WHERE device_id = ANY(%s)", ids)
    sql.execute("UPDATE inventory_switch SET node_guid = '' WHERE device_id = ANY(%s)", ids)
    sql.execute("UPDATE inventory_device SET status = 'retired', parent_id = NULL, bay = '' WHERE id = ANY(%s)", ids)
