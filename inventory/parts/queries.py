"""Reads of the parts room: the life of one part, and the spares of a site. A fixed number of queries each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db import connection

from core.models import AuditEntry
from inventory.models import Component, Device, Installation, StoragePlace
from inventory.queries.place import place_text, with_place
from inventory.queries.slots import printed_label
from inventory.slot_text import slot_text

# What rooms above know of a part: called with its id and the sites the reader may see (None: all of them), rows of
# `tickets` and of `swaps` come back.
Sites = list[int] | None
Provider = Callable[[int, Sites], dict[str, list[dict[str, Any]]]]
_providers: dict[str, Provider] = {}


def register_life(name: str, provider: Provider) -> None:
    """Add what a room above knows: {"tickets": [{key, title, status, opened_at, closed_at}], "swaps": [...]}."""
    _providers[name] = provider


def component_life(component: Component, visible: Sites = None) -> dict[str, Any]:
    """Where a part has been, in what condition, and which tickets saw it; the latest first.

    What happened at a site that is not `visible` (ids; None: all) is left out. `place` of a stay that ended is where
    its device stood then; the present one's is where it stands now.
    """
    stays = _stays(component, visible)
    life: dict[str, Any] = {"tickets": [], "swaps": []}
    for provider in _providers.values():
        for name, rows in provider(component.pk, visible).items():
            life[name] += rows
    now = next((stay for stay in stays if stay["to"] is None), None)
    storage = component.storage
    return {
        "id": component.pk,
        "kind": component.kind,
        "vendor": component.vendor,
        "part_number": component.part_number,
        "serial": component.serial,
        "condition": component.condition,
        "installed": now,
        "storage": _storage(storage),
        "text": _now_text(component, now, storage),
        "stays": stays,
        "changes": _changes(component, visible),
        **life,
    }


def _now_text(component: Component, now: dict[str, Any] | None, storage: StoragePlace | None) -> str:
    if now is not None:
        return f"{now['place']} › {now['device_name']} › {now['slot_text']}"
    if storage is not None:
        return f"{storage.room.name} › {storage.name}" if storage.room else storage.name
    return {"rma": "sent back", "scrapped": "scrapped"}.get(
        component.condition, "not installed, no storage place known"
    )


def _storage(storage: StoragePlace | None) -> dict[str, Any] | None:
    if storage is None:
        return None
    return {"id": storage.pk, "name": storage.name, "room": storage.room.name if storage.room else ""}


def _stays(component: Component, visible: Sites) -> list[dict[str, Any]]:
    seen = Installation.objects.filter(component=component)
    if visible is not None:
        seen = seen.filter(device__site_id__in=visible)
    rows = list(seen.annotate(label=printed_label("device__model__spec", "slot")).order_by("-during"))
    devices = with_place(Device.objects.all()).in_bulk({row.device_id for row in rows})
    return [
        {
            "device": row.device_id,
            "device_name": devices[row.device_id].name,
            "slot": row.slot,
            "slot_text": slot_text(row.slot, row.label),
            "place": (row.during.upper and row.place) or place_text(devices[row.device_id]),
            "from": row.during.lower,
            "to": row.during.upper,
            "by": row.by,
            "ticket": row.ticket,
        }
        for row in rows
    ]


def _changes(component: Component, visible: Sites) -> list[dict[str, Any]]:
    """When it was marked otherwise or laid elsewhere, by whom and why: from the audit log."""
    entries = (
        AuditEntry.objects.filter(
            table_name="inventory_component", about__contains={"inventory_component": [component.pk]}
        )
        .select_related("change")
        .order_by("-id")
    )
    if visible is not None:
        entries = entries.filter(site_id__in=visible)
    found = []
    for entry in entries:
        row = next((row for row in entry.rows if row["id"] == component.pk), None)
        fields = {} if row is None else _told(entry.action, row)
        if row is not None and (fields or entry.action == AuditEntry.Action.CREATED):
            change = entry.change
            found.append(
                {"at": change.at, "by": change.actor, "reason": change.note, "action": entry.action, "fields": fields}
            )
    _name_storages(found)
    return found


def _told(action: str, row: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Of a changed part only condition and storage; of a new one what it began as."""
    before, after = row.get("before") or {}, row.get("after") or {}
    return {
        name: {"before": before.get(column), "after": after.get(column)}
        for name, column in (("condition", "condition"), ("storage", "storage_id"))
        if before.get(column) != after.get(column) and (column in before or column in after)
    }


def _name_storages(changes: Iterable[dict[str, Any]]) -> None:
    """Storage places by name; one that is gone keeps its number."""
    pairs = [change["fields"]["storage"] for change in changes if "storage" in change["fields"]]
    ids = {pair[side] for pair in pairs for side in pair if pair[side] is not None}
    names = dict(StoragePlace.objects.filter(pk__in=ids).values_list("pk", "name")) if ids else {}
    for pair in pairs:
        for side, pk in pair.items():
            pair[side] = None if pk is None else names.get(pk, f"storage place {pk}, since removed")


# ---- spares ----

SPARES = """
WITH lying AS (
    SELECT c.storage_id, c.kind, c.vendor, c.part_number,
        count(*) FILTER (WHERE c.condition = 'good') AS good,
        count(*) FILTER (WHERE c.condition = 'suspect') AS suspect
    FROM inventory_component c WHERE c.storage_id IS NOT NULL
    GROUP BY c.storage_id, c.kind, c.vendor, c.part_number
)
SELECT s.id AS storage, s.name AS storage_name, r.name AS room, site.id AS site, site.slug AS site_name,
    coalesce(k.kind, l.kind) AS kind, coalesce(k.vendor, l.vendor) AS vendor,
    coalesce(k.part_number, l.part_number) AS part_number, k.id AS stock, coalesce(l.good, 0) AS with_serial,
    coalesce(k.quantity, 0) AS counted, coalesce(l.suspect, 0) AS suspect, coalesce(k.minimum, 0) AS minimum
FROM lying l
FULL JOIN inventory_stock k ON k.storage_id = l.storage_id AND k.kind = l.kind AND k.vendor = l.vendor
    AND k.part_number = l.part_number
JOIN inventory_storageplace s ON s.id = coalesce(k.storage_id, l.storage_id)
JOIN core_site site ON site.id = s.site_id
LEFT JOIN inventory_room r ON r.id = s.room_id
WHERE (%(visible)s::bigint[] IS NULL OR s.site_id = ANY(%(visible)s::bigint[]))
    AND (%(site)s::bigint IS NULL OR s.site_id = %(site)s) AND (%(storage)s::bigint IS NULL OR s.id = %(storage)s)
    AND (%(kind)s::text IS NULL OR coalesce(k.kind, l.kind) = %(kind)s)
    AND (%(part_number)s::text IS NULL OR coalesce(k.part_number, l.part_number) = %(part_number)s)
ORDER BY site.slug, kind, vendor, part_number, s.name, s.id
"""


def spares(
    visible: list[int] | None,
    *,
    site: int | None = None,
    storage: int | None = None,
    kind: str | None = None,
    part_number: str | None = None,
) -> list[dict[str, Any]]:
    """What lies where: good parts with a serial, counted ones without, suspect ones beside them. One query.

    `short` is how many are missing to the minimum; suspect parts do not help.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            SPARES,
            {"visible": visible, "site": site, "storage": storage, "kind": kind, "part_number": part_number},
        )
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for row in rows:
        row["have"] = row["with_serial"] + row["counted"]
        row["short"] = max(0, row["minimum"] - row["have"])
    return rows
