"""Routes of power: a rack, a floor when a feed dies, a site."""

from __future__ import annotations

from typing import Any, get_args

from django.shortcuts import get_object_or_404
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles, visible_sites
from core.openapi.schema import ErrorSerializer
from core.rest.numbers import number_of
from inventory.models import Device, DeviceModel, Installation, PowerFeed, Rack, Room
from inventory.power import answers
from inventory.power.graph import Together
from inventory.power.inside import device_power, model_power
from inventory.power.queries import rack_graph, site_graph
from inventory.power.shapes import (
    DevicePowerSerializer,
    FeedFailureSerializer,
    ModelPowerSerializer,
    PowerSummarySerializer,
    RackPowerSerializer,
)

TOGETHER = OpenApiParameter(
    "together",
    enum=list(get_args(Together)),
    description="What dies with a feed: all of its side (as is usual), all of its panel, or it alone.",
)


@extend_schema(summary="The power of a rack", parameters=[TOGETHER], responses={200: RackPowerSerializer})
@api_view(["GET"])
def rack_power(request: Request, pk: int) -> Response:
    """Its feeds with what they carry, what each carries when another dies, and how safe each device is."""
    racks = limit_to_sites(Rack.objects.select_related("room"), request_roles(request), "room__site_id")
    rack = get_object_or_404(racks, pk=pk)
    return Response(answers.rack_power(rack_graph(rack.room.site_id, rack.pk), rack, _together(request)))


@extend_schema(
    summary="The floor when a feed dies",
    parameters=[
        OpenApiParameter("feed", int, required=True, description="Id of the feed."),
        OpenApiParameter("room", int, description="Only racks of this room; without it the feed's whole site."),
        TOGETHER,
    ],
    responses={200: FeedFailureSerializer},
)
@api_view(["GET"])
def feed_failure(request: Request) -> Response:
    """Which devices lose power, which only their redundancy, of which nobody knows, and which breakers trip."""
    roles = request_roles(request)
    feed = get_object_or_404(limit_to_sites(PowerFeed.objects.all(), roles, "site_id"), pk=number_of(request, "feed"))
    racks = Rack.objects.filter(room__site_id=feed.site_id).order_by("room__name", "name")
    room = None
    if request.query_params.get("room"):
        room = get_object_or_404(Room, pk=number_of(request, "room"), site_id=feed.site_id).pk
        racks = racks.filter(room=room)
    graph = site_graph(feed.site_id)
    named = dict(racks.values_list("id", "name"))
    return Response(answers.feed_failure(graph, graph.feeds[feed.pk], named, _together(request), room))


@extend_schema(
    summary="The power of a site",
    parameters=[OpenApiParameter("site", int, required=True, description="Id of the site."), TOGETHER],
    responses={200: PowerSummarySerializer},
)
@api_view(["GET"])
def summary(request: Request) -> Response:
    """Every feed with its load and what its death does; what is over its limit; how much is not known."""
    site = get_object_or_404(visible_sites(request_roles(request)), pk=number_of(request, "site"))
    limits = Rack.objects.filter(room__site=site).order_by("room__name", "name")
    racks = {pk: (name, limit) for pk, name, limit in limits.values_list("id", "name", "power_limit_w")}
    return Response(answers.site_summary(site_graph(site.pk), racks, _together(request)))


@extend_schema(summary="Power inside a device model", responses={200: ModelPowerSerializer, 409: ErrorSerializer})
@api_view(["GET"])
def inside_model(request: Request, slug: str) -> Response:
    """Its plan of connectors and leads, the budget of its supply, and what is wrong with them."""
    if not visible_sites(request_roles(request)).exists():
        raise exceptions.PermissionDenied
    return Response(model_power(get_object_or_404(DeviceModel, slug=slug)))


@extend_schema(summary="Power inside a device", responses={200: DevicePowerSerializer, 409: ErrorSerializer})
@api_view(["GET"])
def inside_device(request: Request, pk: int) -> Response:
    """The same with the parts that are really installed."""
    devices = limit_to_sites(Device.objects.select_related("model"), request_roles(request), "site_id")
    device = get_object_or_404(devices, pk=pk)
    now = Installation.objects.filter(device=device, during__endswith=None)
    return Response(device_power(device, list(now.values_list("slot", "component__attributes"))))


def _together(request: Request) -> Together:
    word: Any = request.query_params.get("together") or "side"
    if word not in get_args(Together):
        raise exceptions.ValidationError({"together": [f"One of {', '.join(get_args(Together))}."]})
    return word


urlpatterns = [
    path("racks/<int:pk>/power/", rack_power),
    path("floor/feed-failure/", feed_failure),
    path("power/summary/", summary),
    path("device-models/<slug:slug>/power/", inside_model),
    path("devices/<int:pk>/power/", inside_device),
]
