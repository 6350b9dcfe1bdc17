"""The floor and a machine as they were. Only for reading: nothing in the past can be changed."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles
from health.machines.lifecycle import State
from health.machines.models.machines import VERDICTS, MachineHealth
from health.machines.parameters import SPAN, moment, span
from health.monitoring.services.sweeps import periods
from health.overview import past
from health.overview.api.answers import SiteOfMachineSerializer
from health.overview.api.floor import rendered, room_of
from health.overview.api.racks import (
    MACHINE_CELLS,
    TEXT,
    CellTotalsSerializer,
    FloorAisleSerializer,
    FloorRoomSerializer,
    RackTableSerializer,
    RoomChoiceSerializer,
    columns_of,
    maybe,
    rows_of,
    words,
)
from health.overview.queries import past as queries
from inventory.shapes import NamedSerializer

FARTHEST = timedelta(days=2 * 366)
DAY = timedelta(days=1)
WEEK = timedelta(days=7)
ROOM = OpenApiParameter("room", int, description="Room id; without it the first room you may see.")
AT = OpenApiParameter("at", OpenApiTypes.DATETIME, description="A time with its zone; now without it.")
STATES = (*(state.value for state in State), past.UNKNOWN_STATE)
CELLS_THEN = MACHINE_CELLS | {
    "state": words(STATES), "since": {"type": ["string", "null"], "format": "date-time"}, "job": maybe("string"),
}  # fmt: skip


@extend_schema_field(columns_of(queries.COLUMNS))
class ColumnsThenField(serializers.ListField):
    """What the values of a row are, in their order."""


@extend_schema_field(rows_of(queries.COLUMNS, CELLS_THEN))
class RowsThenField(serializers.ListField):
    """One row for each machine that stood in the room."""


class MachinesThenSerializer(serializers.Serializer):
    columns = ColumnsThenField()
    rows = RowsThenField()


class FloorThenSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    site = SiteOfMachineSerializer()
    room = FloorRoomSerializer()
    rooms = RoomChoiceSerializer(many=True)
    rows = NamedSerializer(many=True)
    aisles = FloorAisleSerializer(many=True)
    racks = RackTableSerializer(help_text="As they stand now.")
    machines = MachinesThenSerializer()
    totals = CellTotalsSerializer()


STRIP_CELLS = {name: {"type": "integer"} for name in past.STRIP_COLUMNS} | {"at": TEXT | {"format": "date-time"}}


@extend_schema_field(columns_of(tuple(past.STRIP_COLUMNS)))
class StripColumnsField(serializers.ListField):
    """What the values of a row are, in their order."""


@extend_schema_field(rows_of(tuple(past.STRIP_COLUMNS), STRIP_CELLS))
class StripRowsField(serializers.ListField):
    """One row for every step of time."""


class StripCountsSerializer(serializers.Serializer):
    columns = StripColumnsField()
    rows = StripRowsField()


class StripSerializer(serializers.Serializer):
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField()
    step_s = serializers.FloatField()
    counts = StripCountsSerializer()

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        rest = {name: fields[name] for name in ("step_s", "counts")}
        return {"from": fields["begin"], "to": fields["end"], **rest}


class CheckThenSerializer(serializers.Serializer):
    check = serializers.CharField()
    part = serializers.CharField()
    verdict = serializers.ChoiceField(VERDICTS)


class FaultThenSerializer(serializers.Serializer):
    slot = serializers.CharField()
    message = serializers.CharField()
    opened_at = serializers.DateTimeField()
    confirmed = serializers.BooleanField()


class PartThenSerializer(serializers.Serializer):
    slot = serializers.CharField()
    kind = serializers.CharField()
    serial = serializers.CharField(allow_blank=True)
    component = serializers.IntegerField()


class FactThenSerializer(serializers.Serializer):
    fact = serializers.CharField()
    then = serializers.CharField(allow_blank=True)
    now = serializers.CharField(allow_blank=True)


class MachineThenSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    state = serializers.CharField(help_text="A state of the lifecycle; unknown where none was recorded by then.")
    since = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    checked_at = serializers.DateTimeField(allow_null=True, help_text="Last check by then; null: none that counts.")
    answered = serializers.BooleanField(allow_null=True, help_text="Whether it answered that check.")
    checks = CheckThenSerializer(many=True, help_text="What was not ok at that check, the worst first.")
    faults = FaultThenSerializer(many=True)
    jobs = serializers.ListField(child=serializers.CharField())
    parts = PartThenSerializer(many=True, help_text="What sat in its slots.")
    changed_since = FactThenSerializer(many=True, help_text="Versions and settings that were others then.")


def _moment(request: Request) -> datetime:
    now = timezone.now()
    at = min(moment(request, "at", now), now)
    if at < now - FARTHEST:
        raise ValidationError({"at": [f"At most {FARTHEST.days} days back."]})
    return at


@extend_schema(
    summary="The floor of one room as it was",
    description=(
        "The rows of the live floor at a moment, from what was recorded: states, answers, confirmed faults, jobs, "
        "tickets, and where machines stood. What was not recorded is `no_signal`. Racks stand where they stand now."
    ),
    parameters=[ROOM, AT],
    responses={200: FloorThenSerializer},
)
@api_view(["GET"])
def floor_at(request: Request) -> HttpResponse:
    at = _moment(request)
    room, rooms = room_of(request)
    return rendered(queries.floor_at(room, rooms, at, period_s=periods.counted_s(), grace_s=settings.CONFIRM_DELAY_S))


@extend_schema(
    summary="How many machines of a room were out of service, every five minutes",
    description=f"Cells {', '.join(past.OUT)}; `not_recorded`: machines whose state nobody had recorded by then.",
    parameters=[ROOM, *SPAN],
    responses={200: StripSerializer},
)
@api_view(["GET"])
def floor_strip(request: Request) -> HttpResponse:
    begin, end = span(request, usual=DAY, most=WEEK)
    room, _ = room_of(request)
    return rendered(queries.strip(room.id, begin, end))


@extend_schema(summary="A machine as it was", parameters=[AT], responses={200: MachineThenSerializer})
@api_view(["GET"])
def machine_at(request: Request, pk: int) -> Response:
    """Its state, what was not ok at the last check, open faults, jobs and parts at a moment."""
    at = _moment(request)
    rows = limit_to_sites(MachineHealth.objects.all(), request_roles(request), "machine__device__site_id")
    health = get_object_or_404(rows, pk=pk)
    return Response(queries.machine_at(health, at, period_s=periods.counted_s(), grace_s=settings.CONFIRM_DELAY_S))
