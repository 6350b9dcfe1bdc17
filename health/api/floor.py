"""The floor map and the rack, answered straight from rows."""

from __future__ import annotations

from typing import Any

import orjson
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request

from core.scope import limit_to_sites, request_roles, visible_sites
from health.queries import floor as floor_queries
from health.queries import racks as rack_queries
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
        "rows": [[12, "gpu-0012", 7, 9, 6, "available", "ready", "ok", "heard", "2026-03-02T12:00:00Z", None, 0]],
    },
    "totals": {"available": 1},
}


def rendered(data: Any) -> HttpResponse:
    return HttpResponse(orjson.dumps(data), content_type="application/json")


@extend_schema(
    summary="The floor map of one room",
    description="Positional rows under their `columns`. `cursor` is where to join the live stream.",
    parameters=[OpenApiParameter("room", int, description="Room id; without it the first room you may see.")],
    responses={200: OpenApiTypes.OBJECT},
    examples=[OpenApiExample("One rack", FLOOR_EXAMPLE, response_only=True)],
)
@api_view(["GET"])
def floor(request: Request) -> HttpResponse:
    rooms = floor_queries.visible_rooms(visible_sites(request_roles(request)))
    wanted = request.query_params.get("room")
    room = next((room for room in rooms if wanted is None or str(room.pk) == wanted), None)
    if room is None:
        raise Http404("no such room")
    # The cursor is read before the rows: a change in between is delivered twice rather than lost.
    return rendered(floor_queries.floor(room, rooms, stream.head(room.site_id)))


@extend_schema(
    summary="A rack from the front and the rear",
    responses={200: OpenApiTypes.OBJECT},
)
@api_view(["GET"])
def elevation(request: Request, pk: int) -> HttpResponse:
    racks = limit_to_sites(Rack.objects.select_related("row", "room__site"), request_roles(request), "room__site_id")
    return rendered(rack_queries.elevation(get_object_or_404(racks, pk=pk)))
