"""Rails of a machine, and rails that are cabled to the wrong leaf."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles, visible_sites
from core.openapi.schema import ROWS
from inventory.models import Device
from inventory.queries import rails


@extend_schema(operation_id="machine_rails", summary="The rails of a machine", responses={200: ROWS})
@api_view(["GET"])
def machine_rails(request: Request, pk: int) -> Response:
    """Which adapter port serves which GPU, and the leaf at its far end through panels and breakouts."""
    machines = Device.objects.filter(kind="machine").select_related("model")
    machine = get_object_or_404(limit_to_sites(machines, request_roles(request), "site_id"), pk=pk)
    return Response(rails.machine_rails(machine))


@extend_schema(
    operation_id="rails_report",
    summary="Rails that are cabled to the wrong leaf",
    parameters=[OpenApiParameter("site", int, required=True, description="Id of the site.")],
    responses={200: OpenApiTypes.OBJECT},
)
@api_view(["GET"])
def rail_report(request: Request) -> Response:
    """Rail ports that end at a leaf most of whose cables are of another rail."""
    text = request.query_params.get("site", "")
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise exceptions.ValidationError({"site": ["A number is needed."]})
    site = get_object_or_404(visible_sites(request_roles(request)), pk=int(text))
    return Response(rails.rail_report(site.pk))


urlpatterns = [path("machines/<int:pk>/rails/", machine_rails), path("rails/report/", rail_report)]
