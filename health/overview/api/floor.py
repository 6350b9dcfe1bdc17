"""The floor map and the rack, answered straight from rows."""

from __future__ import annotations

from typing import Any

import orjson
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from core.accounts.scope import limit_to_sites, request_roles, visible_site_ids
from core.rest.renderers import JSONRenderer
from health.machines.parameters import number
from health.overview.api.racks import ElevationSerializer, ElevationsSerializer, FloorSerializer
from health.overview.queries import floor as floor_queries
from health.overview.queries import racks as rack_queries
from inventory.elevation import read
from inventory.elevation.svg import rack_svg
from inventory.models import Rack
from live import stream

FLOOR_EXAMPLE: dict[str, Any] = {
    "cursor": "3f2a9c1b77de:1700000000000-0",
    "site": {"id": 1, "slug": "ams1", "name": "Amsterdam 1"},
    "room": {"id": 1, "name": "Hall 1", "width_mm": 40000, "depth_mm": 22000},
    "racks": {
        "columns": list(floor_queries.RACK_COLUMNS),
        "rows": [[7, "A07", 1, 3600, 1200, 600, 1200, "up", 48, "compute"]],
    },
    "machines": {
        "columns": list(floor_queries.MACHINE_COLUMNS),
        "rows": [[12, "gpu-0012", 7, 9, 6, "available", "ready", "ok", "reachable", "2026-03-02T12:00:00Z", None, 0]],
    },
    "totals": {"available": 1},
}


def room_of(request: Request) -> tuple[floor_queries.FloorRoom, list[floor_queries.FloorRoom]]:
    """The room that `room` names, or the first, among all that one may see. Raises Http404 without one."""
    rooms = floor_queries.visible_rooms(visible_site_ids(request_roles(request)))
    wanted = number(request, "room")
    room = next((room for room in rooms if wanted in (None, room.id)), None)
    if room is None:
        raise Http404("no such room")
    return room, rooms


def rendered(data: Any) -> HttpResponse:
    return HttpResponse(orjson.dumps(data), content_type="application/json")


@extend_schema(
    summary="The floor map of one room",
    description="Positional rows under their `columns`. `cursor` is where to join the live stream.",
    parameters=[OpenApiParameter("room", int, description="Room id; without it the first room you may see.")],
    responses={200: FloorSerializer},
    examples=[OpenApiExample("One rack", FLOOR_EXAMPLE, response_only=True)],
)
@api_view(["GET"])
def floor(request: Request) -> HttpResponse:
    room, rooms = room_of(request)
    # The cursor is read before the rows: a change in between is delivered twice rather than lost.
    return rendered(floor_queries.floor(room, rooms, stream.head(room.site)))


class SvgRenderer(BaseRenderer):
    """Names the media type for content negotiation; the view writes the text itself."""

    media_type = "image/svg+xml"
    format = "svg"
    charset = "utf-8"


@extend_schema(
    summary="A rack from the front and the rear",
    description=(
        "What stands where on both faces and at the sides, with ports and their cables; `free` are the largest free "
        "boxes, `open_gaps` the units hot air returns through; `weight` and `power` are sums against the limits of the "
        "rack, lower bounds where `unknown` names devices. As SVG (`as=svg`, or by the Accept header) a page to print."
    ),
    parameters=[
        OpenApiParameter("as", str, enum=["json", "svg"], description="svg: a page to print, A4."),
        OpenApiParameter("ports", bool, description="false: without `ports` and their cables."),
    ],
    responses={(200, "application/json"): ElevationSerializer, (200, "image/svg+xml"): OpenApiTypes.STR},
)
@api_view(["GET"])
@renderer_classes([JSONRenderer, SvgRenderer])
def elevation(request: Request, pk: int) -> HttpResponse:
    accepted = request.accepted_media_type or ""
    rack = get_object_or_404(_racks(request), pk=pk)
    form = request.query_params.get("as", "")
    if form not in ("", "json", "svg"):
        raise ValidationError({"as": ["Give json or svg."]})
    ports = request.query_params.get("ports", "true")
    if ports not in ("true", "false"):
        raise ValidationError({"ports": ["Give true or false."]})
    if form == "svg" or (not form and accepted.startswith("image/svg")):
        drawn = rack_svg(read.elevation(rack.pk, ports=False))
        answer = HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8")
        answer["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
        return answer
    return rendered(rack_queries.elevation(rack.pk, ports=ports == "true"))


@extend_schema(
    summary="All racks of a row, room or site, small",
    description="Without a parameter all racks one may see. Items are those of a rack's elevation, without ports.",
    parameters=[
        OpenApiParameter("row", int, description="Row id."),
        OpenApiParameter("room", int, description="Room id."),
        OpenApiParameter("site", int, description="Site id."),
    ],
    responses={200: ElevationsSerializer},
)
@api_view(["GET"])
def elevations(request: Request) -> HttpResponse:
    racks = _racks(request)
    for name, field in (("row", "row_id"), ("room", "room_id"), ("site", "room__site_id")):
        wanted = request.query_params.get(name)
        if wanted is None:
            continue
        if not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 19):
            raise ValidationError({name: ["Give an id, a whole number."]})
        racks = racks.filter(**{field: int(wanted)})
    return rendered(rack_queries.elevations(list(racks.values_list("id", flat=True))))


def _racks(request: Request) -> QuerySet[Rack]:
    return limit_to_sites(Rack.objects.all(), request_roles(request), "room__site_id")
