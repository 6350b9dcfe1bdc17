"""What the floor can be coloured by, and the values of one such layer."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from health.overview.api.floor import rendered, room_of
from health.overview.api.racks import WHOLE, columns_of, rows_of
from health.overview.queries import layers as queries

VALUE = {"type": ["number", "string"]}


class FloorLayerSerializer(serializers.Serializer):
    """One value of a machine that the floor can be coloured by."""

    key = serializers.CharField(help_text="As in `of`, such as temperature, fact:driver or field:owner.")
    title = serializers.CharField()
    kind = serializers.ChoiceField(["number", "word"])
    unit = serializers.CharField(help_text="Of a number, such as W.")
    order = serializers.ListField(child=serializers.CharField(), help_text="Words from the best to the worst.")
    absent = serializers.CharField(help_text="What it means that a machine has no row; empty: its value is unknown.")


class FloorLayersSerializer(serializers.Serializer):
    """Every layer, in the order a menu shows them."""

    layers = FloorLayerSerializer(many=True)


@extend_schema_field(columns_of(queries.COLUMNS))
class ValueColumnsField(serializers.ListField):
    """What the values of a row are, in their order."""


@extend_schema_field(rows_of(queries.COLUMNS, {"machine": WHOLE, "value": VALUE}))
class ValueRowsField(serializers.ListField):
    """One row per machine of which the value is known."""


class ValuesSerializer(serializers.Serializer):
    columns = ValueColumnsField()
    rows = ValueRowsField()


class FloorValuesSerializer(FloorLayerSerializer):
    """A layer with its values."""

    at = serializers.DateTimeField(help_text="When it was asked.")
    machines = ValuesSerializer()


@extend_schema(
    summary="What the floor can be coloured by",
    description="Measured values, tickets, versions and the custom fields of devices.",
    responses={200: FloorLayersSerializer},
)
@api_view(["GET"])
def floor_layers(request: Request) -> HttpResponse:
    return rendered({"layers": queries.layers()})


@extend_schema(
    summary="One value of every machine of a room",
    description="A machine of which the value is not known, or was last known too long ago, has no row.",
    parameters=[
        OpenApiParameter("room", int, description="Room id; without it the first room you may see."),
        OpenApiParameter("of", str, required=True, description="Key of a layer."),
    ],
    responses={200: FloorValuesSerializer},
)
@api_view(["GET"])
def floor_values(request: Request) -> HttpResponse:
    room, _ = room_of(request)
    known = queries.sources()
    source = known.get(request.query_params.get("of", ""))
    if source is None:
        raise ValidationError({"of": [f"Give one of {', '.join(known)}."]})
    return rendered(queries.values(source, room.id))
