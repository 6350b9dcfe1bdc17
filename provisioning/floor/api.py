"""The floor of a site over the API: the places that deliveries and discoveries do not confirm, and why."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from health.machines.parameters import MachineBriefSerializer, asked_sites, number
from provisioning.floor import queries
from provisioning.floor.places import Place, PlaceState, Source

STATES = [state.value for state in PlaceState]


class IntakePlaceSerializer(serializers.Serializer):
    """A planned place that is not confirmed, or a machine that nobody planned."""

    state = serializers.ChoiceField(STATES)
    machine = MachineBriefSerializer(allow_null=True, help_text="Null: nobody planned it.")
    name = serializers.CharField(help_text="Of the machine; of one that nobody planned its serial or address.")
    rack = serializers.CharField(allow_blank=True, help_text="In small letters.")
    place = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)
    shown_by = serializers.ChoiceField([each.value for each in Source], allow_null=True)
    shown_by_id = serializers.IntegerField(allow_null=True, help_text="The delivery or discovery that says so.")


class IntakeCountSerializer(serializers.Serializer):
    state = serializers.ChoiceField(STATES)
    count = serializers.IntegerField()


class IntakeFloorSerializer(serializers.Serializer):
    has_sources = serializers.BooleanField(help_text="Whether the site had a delivery or a discovery at all.")
    counts = IntakeCountSerializer(many=True, help_text="Every state, what is wrong first.")
    places = IntakePlaceSerializer(many=True, help_text="By name; those that are confirmed are only counted.")


@extend_schema(
    summary="Places of the floor that deliveries and discoveries do not confirm, and why",
    parameters=[OpenApiParameter("site", int, required=True, description="Id of the site.")],
    responses={200: IntakeFloorSerializer},
    filters=False,
    operation_id="provisioning_intake_floor_retrieve",
)
@api_view(["GET"])
def intake_floor(request: Request) -> Response:
    """What was found goes before what is on a list, the newest discovery before the older ones."""
    if number(request, "site") is None:
        raise ValidationError({"site": ["Give the id of a site."]})
    [site] = asked_sites(request)
    found = queries.floor(site)
    answer = {
        "has_sources": found.sources,
        "counts": [{"state": state.value, "count": found.counts[state]} for state in PlaceState],
        "places": [_place(each) for each in found.open],
    }
    return Response(IntakeFloorSerializer(answer).data)


def _place(place: Place) -> dict[str, Any]:
    planned = place.planned
    return {
        "state": place.state.value, "machine": {"id": planned.id, "name": planned.name} if planned else None,
        "name": place.name, "rack": place.rack, "place": place.place, "text": place.text,
        "shown_by": place.source.value if place.source else None, "shown_by_id": place.source_id,
    }  # fmt: skip
