"""Places for a new device."""

from __future__ import annotations

from typing import Any, cast

import orjson
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from core.accounts.scope import limit_to_sites, request_roles
from inventory.elevation.placement import free_for
from inventory.elevation.shapes import RoomInRackSerializer
from inventory.elevation.spans import Face
from inventory.models import DeviceModel, Rack


@extend_schema(
    operation_id="racks_free_retrieve",
    summary="Where in a rack a device of a model would fit",
    description=(
        "`spans` are free and high enough; `suggestions` are at most five places in them: one it fills exactly first, "
        "then the nearest to the floor. `sides` are the free side slots for a zero-U model. `weight` and `power` tell "
        "what the rack would carry then; `fits` is null where a figure is not known."
    ),
    parameters=[
        OpenApiParameter("model", str, required=True, description="Slug of the device model."),
        OpenApiParameter("face", str, enum=["front", "rear"], description="For models that are not full depth."),
    ],
    responses={200: RoomInRackSerializer},
)
@api_view(["GET"])
def free(request: Request, pk: int) -> HttpResponse:
    racks = limit_to_sites(Rack.objects.all(), request_roles(request), "room__site_id")
    rack = get_object_or_404(racks, pk=pk)
    slug: Any = request.query_params.get("model", "")
    model = DeviceModel.objects.filter(slug=slug).first() if slug and "\x00" not in slug else None
    if model is None:
        raise ValidationError({"model": [f"There is no device model {slug!r}." if slug else "Which device model?"]})
    face = request.query_params.get("face", "")
    if face not in ("", "front", "rear"):
        raise ValidationError({"face": ["Give front or rear."]})
    answer = free_for(rack.pk, model, cast(Face, face) if face else None)
    return HttpResponse(orjson.dumps(answer), content_type="application/json")
