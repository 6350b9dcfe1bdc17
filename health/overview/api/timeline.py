"""What happened to one machine, on one axis."""

from __future__ import annotations

from datetime import timedelta

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles
from health.machines.models.machines import MachineHealth
from health.machines.parameters import SPAN, span
from health.overview.queries import timeline as queries

USUAL, MOST = timedelta(days=7), timedelta(days=2 * 366)


class TimelineItemSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    until = serializers.DateTimeField(allow_null=True, help_text="Null: at one moment, or it still lasts.")
    kind = serializers.CharField()
    title = serializers.CharField()
    detail = serializers.CharField()
    link = serializers.CharField(help_text="A page of the dashboard, or empty.")


class LaneSerializer(serializers.Serializer):
    lane = serializers.ChoiceField(queries.LANES)
    items = TimelineItemSerializer(many=True)
    more = serializers.BooleanField(help_text="There were more; ask for a shorter time.")


class TimelineSerializer(serializers.Serializer):
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField()
    lanes = LaneSerializer(many=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        return {"from": fields["begin"], "to": fields["end"], "lanes": fields["lanes"]}


@extend_schema(summary="A machine's timeline", parameters=list(SPAN), responses={200: TimelineSerializer})
@api_view(["GET"])
def timeline(request: Request, pk: int) -> Response:
    """Verdicts that changed, states, actions, tickets, parts and versions, the newest first; of one week by default."""
    rows = limit_to_sites(MachineHealth.objects.all(), request_roles(request), "machine__device__site_id")
    machine = get_object_or_404(rows, pk=pk)
    begin, end = span(request, usual=USUAL, most=MOST)
    return Response(queries.timeline(machine.machine_id, begin, end))
