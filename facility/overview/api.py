"""Routes of measured power and cooling: a room's floor, a rack, feeds, and their history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any, get_args

from django.shortcuts import get_object_or_404
from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles, visible_sites
from core.models import Site
from core.rest.lists import listed
from core.rest.numbers import number_of
from facility.facts import Part, Quantity
from facility.history import charts
from facility.judgement.energy import Hour, pue
from facility.meters.api import history_of
from facility.meters.models import Meter
from facility.overview import feeds, floor, rack, what_if
from facility.shapes import (
    QUESTIONS,
    FeedDiagramSerializer,
    HistorySerializer,
    MeasuredFeedSerializer,
    MeasuredRackSerializer,
    PowerFloorSerializer,
    PueSerializer,
    RoomLeftSerializer,
    WhatIfSerializer,
    YearSerializer,
)
from facility.spans import Longest, SpanQuery
from inventory.models import DeviceModel, PowerFeed, Rack, Room
from inventory.power.graph import Together

SITE = OpenApiParameter("site", int, required=True, description="Id of the site.")
OF_RACKS = {
    "power_w": (Part.TOTAL, "", Quantity.POWER_W),
    "inlet_c": (Part.SENSOR, "inlet", Quantity.TEMPERATURE_C),
    "delta_t_c": (Part.SENSOR, "rise", Quantity.TEMPERATURE_C),
    "hottest_gpu_c": (Part.GPU, "hottest", Quantity.TEMPERATURE_C),
}
"""What has a history of each rack: its point in the sums of the rack."""
MOST_PUE = Longest(timedelta(days=35), "35 days")


@extend_schema(
    summary="Power and heat of a room's racks",
    parameters=[OpenApiParameter("room", int, required=True, description="Id of the room.")],
    responses={200: PowerFloorSerializer},
)
@api_view(["GET"])
def power_floor(request: Request) -> Response:
    """Each rack as it was measured in the last minute, with its limit, its warmest inlet and its slowed GPUs."""
    rooms = limit_to_sites(Room.objects.all(), request_roles(request), "site_id")
    return Response(floor.floor(get_object_or_404(rooms, pk=number_of(request, "room"))))


@extend_schema(summary="Measured power and heat of a rack", responses={200: MeasuredRackSerializer})
@api_view(["GET"])
def measured_rack(request: Request, pk: int) -> Response:
    """Its feeds with every machine on them, its phases, its temperatures by height, and what is wrong."""
    return Response(rack.rack_answer(_rack(request, pk)))


class RackHistoryQuery(SpanQuery):
    quantity = serializers.ChoiceField(list(OF_RACKS))


@extend_schema(summary="The history of a rack", parameters=[RackHistoryQuery], responses={200: HistorySerializer})
@api_view(["GET"])
def rack_history(request: Request, pk: int) -> Response:
    """Power, warmest inlet, rise of the air or hottest GPU over time. Null: not all of it was measured."""
    asked = RackHistoryQuery(data=request.query_params)
    asked.is_valid(raise_exception=True)
    told = asked.validated_data
    point = OF_RACKS[told["quantity"]]
    meter = Meter.objects.filter(kind=Meter.Kind.RACK, rack=_rack(request, pk)).first()
    answer = history_of(meter or Meter(), *point, told["begin"], told.get("end"))
    return Response(answer | {"quantity": told["quantity"]})


@extend_schema(summary="What every feed carries", parameters=[SITE], responses={200: MeasuredFeedSerializer(many=True)})
@api_view(["GET"])
def measured_feeds(request: Request) -> Response:
    """Measured by its PDUs, else by the machines on it; planned beside it."""
    site = get_object_or_404(visible_sites(request_roles(request)), pk=number_of(request, "site"))
    rows = PowerFeed.objects.filter(site=site, panel__isnull=False).values_list("id", "panel_id", "panel__name")
    return listed(feeds.feeds(site.pk, {feed: {"id": pk, "name": name} for feed, pk, name in rows}))


@extend_schema(summary="A feed as a one-line diagram", responses={200: FeedDiagramSerializer})
@api_view(["GET"])
def feed_diagram(request: Request, pk: int) -> Response:
    """From its panel to its machines with what each part carries, and what the others carry when it fails."""
    allowed = limit_to_sites(PowerFeed.objects.select_related("panel"), request_roles(request), "site_id")
    return Response(feeds.diagram(get_object_or_404(allowed, pk=pk)))


@extend_schema(summary="The history of a feed", parameters=[SpanQuery], responses={200: HistorySerializer})
@api_view(["GET"])
def feed_history(request: Request, pk: int) -> Response:
    """What it carried over time. Null: not all of it was measured."""
    asked = SpanQuery(data=request.query_params)
    asked.is_valid(raise_exception=True)
    feed = get_object_or_404(limit_to_sites(PowerFeed.objects.all(), request_roles(request), "site_id"), pk=pk)
    meter = Meter.objects.filter(kind=Meter.Kind.SITE, site=feed.site_id).first()
    return Response(history_of(meter or Meter(), Part.FEED, str(feed.pk), Quantity.POWER_W, **asked.validated_data))


class PueQuery(serializers.Serializer):
    site = serializers.IntegerField(min_value=1)
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField(required=False)


@extend_schema(summary="PUE by the hour", parameters=[PueQuery], responses={200: PueSerializer})
@api_view(["GET"])
def pue_by_hour(request: Request) -> Response:
    """What the site takes by what its machines draw; null for an hour of which less than 95 % of either is known."""
    asked = PueQuery(data=request.query_params)
    asked.is_valid(raise_exception=True)
    told, now = asked.validated_data, timezone.now()
    site = get_object_or_404(visible_sites(request_roles(request)), pk=told["site"])
    end = MOST_PUE.end_of(told["begin"], told.get("end"), now)
    meter = Meter.objects.filter(kind=Meter.Kind.SITE, site=site).first()
    return Response({"hours": _pue_hours(meter, told["begin"], end) if meter else []})


def _pue_hours(meter: Meter, begin: datetime, end: datetime) -> list[dict[str, Any]]:
    whole, machines = (
        charts.hourly(charts.layouts_with(meter.pk, Part.TOTAL, name, Quantity.POWER_W), begin, end)
        for name in ("site", "it")
    )
    return [
        {"at": at, "site_w": site.mean, "it_w": machines[at].mean, "pue": pue(_hour(at, site, machines[at]))}
        for at, site in whole.items()
    ]


def _hour(at: datetime, site: charts.Hour, machines: charts.Hour) -> Hour:
    site_kwh, it_kwh = (
        each.mean * each.coverage / 1000 if each.mean is not None else None for each in (site, machines)
    )
    return Hour(at, site_kwh, it_kwh, site.coverage, machines.coverage)


class YearQuery(serializers.Serializer):
    rack = serializers.IntegerField(min_value=1, required=False)
    site = serializers.IntegerField(min_value=1, required=False)
    quantity = serializers.ChoiceField(list(OF_RACKS), help_text="Of a site: `power_w`.")
    year = serializers.IntegerField(min_value=2020, max_value=2200)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "rack" not in attrs and "site" not in attrs:
            raise exceptions.ValidationError({"rack": ["Of which rack, or of which site?"]})
        if "rack" not in attrs and attrs["quantity"] != "power_w":
            raise exceptions.ValidationError({"quantity": ["Of a site there is `power_w` alone."]})
        return attrs


@extend_schema(summary="A year by hours", parameters=[YearQuery], responses={200: YearSerializer})
@api_view(["GET"])
def year(request: Request) -> Response:
    """The mean of every hour of a year, for a heat map. A day that is not over is not in it."""
    asked = YearQuery(data=request.query_params)
    asked.is_valid(raise_exception=True)
    told = asked.validated_data
    point = OF_RACKS[told["quantity"]]
    if "rack" in told:
        meter = Meter.objects.filter(kind=Meter.Kind.RACK, rack=_rack(request, told["rack"])).first()
    else:
        site: Site = get_object_or_404(visible_sites(request_roles(request)), pk=told["site"])
        meter, point = (
            Meter.objects.filter(kind=Meter.Kind.SITE, site=site).first(),
            (Part.TOTAL, "it", Quantity.POWER_W),
        )
    first = date(told["year"], 1, 1)
    count = (date(told["year"] + 1, 1, 1) - first).days
    days = charts.year(charts.layouts_with(meter.pk if meter else 0, *point), first, count)
    known = [value for day in days if day for value in day if value is not None]
    return Response(
        {
            "quantity": told["quantity"], "unit": "W" if told["quantity"] == "power_w" else "°C", "first_day": first,
            "days": days, "low": min(known, default=None), "high": max(known, default=None),
        }
    )  # fmt: skip


class WhatIfQuery(serializers.Serializer):
    question = serializers.ChoiceField(QUESTIONS)
    site = serializers.IntegerField(min_value=1, required=False, help_text="Of `inlet` and `full_load`.")
    feed = serializers.IntegerField(min_value=1, required=False, help_text="Of `feed_off`.")
    together = serializers.ChoiceField(list(get_args(Together)), default="feed", help_text="What dies with the feed.")
    rack = serializers.IntegerField(min_value=1, required=False, help_text="Of `more_machines`.")
    model = serializers.SlugField(required=False, help_text="Of `more_machines`.")
    count = serializers.IntegerField(min_value=1, max_value=100, default=1)
    by_c = serializers.FloatField(min_value=-20, max_value=30, default=3.0)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        needs = {"feed_off": ["feed"], "more_machines": ["rack", "model"]}.get(attrs["question"], ["site"])
        if missing := [name for name in needs if name not in attrs]:
            raise exceptions.ValidationError({missing[0]: ["This question needs it."]})
        return attrs


@extend_schema(summary="What if", parameters=[WhatIfQuery], responses={200: WhatIfSerializer})
@api_view(["GET"])
def ask_what_if(request: Request) -> Response:
    """A feed off now, more machines in a rack, warmer air, all GPUs at full load: which racks hold, and what trips.

    From what is measured now; what nobody measures counts as planned.
    """
    asked = WhatIfQuery(data=request.query_params)
    asked.is_valid(raise_exception=True)
    told, roles = asked.validated_data, request_roles(request)
    if told["question"] == "feed_off":
        feed = get_object_or_404(limit_to_sites(PowerFeed.objects.all(), roles, "site_id"), pk=told["feed"])
        return Response(what_if.feed_off(feed, told["together"]))
    if told["question"] == "more_machines":
        model = get_object_or_404(DeviceModel, slug=told["model"])
        with _known_draw():
            return Response(what_if.more_machines(_rack(request, told["rack"]), model, told["count"]))
    site = get_object_or_404(visible_sites(roles), pk=told["site"])
    if told["question"] == "inlet":
        return Response(what_if.inlet(site.pk, told["by_c"]))
    return Response(what_if.full_load(site.pk))


@extend_schema(
    summary="Room left for more machines",
    parameters=[
        OpenApiParameter("room", int, required=True, description="Id of the room."),
        OpenApiParameter("model", str, required=True, description="Slug of the device model."),
    ],
    responses={200: RoomLeftSerializer},
)
@api_view(["GET"])
def room_left(request: Request) -> Response:
    """How many more of a model fit by units, racks, PDUs and feeds, any side dead, and what trips with one more."""
    rooms = limit_to_sites(Room.objects.all(), request_roles(request), "site_id")
    room = get_object_or_404(rooms, pk=number_of(request, "room"))
    model = get_object_or_404(DeviceModel, slug=request.query_params.get("model", ""))
    with _known_draw():
        return Response(what_if.room_left(room, model))


@contextmanager
def _known_draw() -> Iterator[None]:
    try:
        yield
    except what_if.DrawNotKnown as error:
        raise exceptions.ValidationError({"model": [str(error)]}) from error


def _rack(request: Request, pk: int) -> Rack:
    allowed = limit_to_sites(Rack.objects.select_related("room", "row"), request_roles(request), "room__site_id")
    found: Rack = get_object_or_404(allowed, pk=pk)
    return found


urlpatterns = [
    path("facility/floor/", power_floor),
    path("facility/racks/<int:pk>/", measured_rack),
    path("facility/racks/<int:pk>/history/", rack_history),
    path("facility/feeds/", measured_feeds),
    path("facility/feeds/<int:pk>/", feed_diagram),
    path("facility/feeds/<int:pk>/history/", feed_history),
    path("facility/pue/", pue_by_hour),
    path("facility/year/", year),
    path("facility/what-if/", ask_what_if),
    path("facility/room-left/", room_left),
]
