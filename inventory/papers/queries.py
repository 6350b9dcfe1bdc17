"""The smaller reads of the papers: racks and adapters, each one query."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from inventory.models import Device, Port, Rack
from inventory.papers.devices import natural


def racks(
    visible: list[int] | None, *, site: int | None = None, room: int | None = None, row: int | None = None,
    rack: int | None = None, tag: str | None = None, ids: list[int] | None = None,
) -> list[tuple[str, str, str, str, str]]:  # fmt: skip
    """(name, room, row, site, address of its page) of racks in walking order."""
    rows = _at(Rack.objects.select_related("room__site", "row"), visible, "room__site_id")
    wanted = {"room__site_id": site, "room_id": room, "row_id": row, "pk": rack, "tags__name": tag, "pk__in": ids}
    found = rows.filter(**{name: value for name, value in wanted.items() if value is not None})
    return [
        (
            one.name,
            one.room.name,
            one.row.name if one.row else "",
            one.room.site.name,
            f"{settings.PUBLIC_URL}/racks/{one.pk}",
        )
        for one in sorted(found, key=_walk)
    ]


def _walk(rack: Rack) -> tuple[Any, ...]:
    row = rack.row.position if rack.row else 0
    return (natural(rack.room.site.slug), natural(rack.room.name), row, rack.x_mm, natural(rack.name))


def adapters(visible: list[int] | None, site: int | None = None) -> list[tuple[str, str]]:
    """(GUID, machine and port) of every InfiniBand port of a machine whose GUID is known."""
    ports = Port.objects.filter(kind=Port.Kind.INFINIBAND, device__kind="machine").exclude(guid="")
    ports = _at(ports.exclude(device__status=Device.Status.RETIRED), visible, "device__site_id")
    if site is not None:
        ports = ports.filter(device__site_id=site)
    return [(guid, f"{name} {port}") for guid, name, port in ports.values_list("guid", "device__name", "name")]


def _at(rows: QuerySet[Any], visible: list[int] | None, path: str) -> QuerySet[Any]:
    return rows if visible is None else rows.filter(**{f"{path}__in": visible})
