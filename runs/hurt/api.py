"""The route that says who is hurt by a drain, before it is pressed."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles
from inventory.models import Machine
from runs.hurt import queries

MOST = 1000


class HurtSerializer(serializers.Serializer):
    """A job, a training run, or both in one. `machines_here` of its machines are among those that were asked for."""

    job = serializers.IntegerField(allow_null=True)
    run = serializers.IntegerField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]  # the field's own word
    name = serializers.CharField()
    user = serializers.CharField(allow_null=True, help_text="Null where you may not read users.")
    account = serializers.CharField()
    gpus = serializers.IntegerField(allow_null=True)
    machines = serializers.IntegerField(allow_null=True)
    machines_here = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    ends_by = serializers.DateTimeField(allow_null=True, help_text="When its time limit ends it.")
    remaining_s = serializers.IntegerField(allow_null=True)


class HurtByDrainSerializer(serializers.Serializer):
    known = serializers.BooleanField(help_text="False: a scheduler does not say what runs there; more may be hurt.")
    as_of = serializers.DateTimeField(allow_null=True, help_text="The scheduler's last answer.")
    hurt = HurtSerializer(many=True)


@extend_schema(
    summary="Who is hurt by a drain",
    parameters=[
        OpenApiParameter(
            "on", str, description="Ids or names of machines, separated by commas; at most 1,000.", required=True
        )
    ],
    responses={200: HurtByDrainSerializer},
)
@api_view(["GET"])
def running_on(request: Request) -> Response:
    """Jobs and training runs on these machines, with whose they are, their size and what is left of their time."""
    told = [each.strip() for each in request.query_params.get("on", "").split(",") if each.strip()]
    if not told or len(told) > MOST:
        raise ValidationError({"on": [f"Give up to {MOST} machines, separated by commas."]})
    ids = [int(each) for each in told if each.isascii() and each.isdecimal() and len(each) < 19]
    roles = request_roles(request)
    rows = limit_to_sites(Machine.objects.all(), roles, "device__site_id")
    rows = rows.filter(Q(pk__in=ids) | Q(device__name__in=told))
    found = queries.hurt_by(list(rows.values_list("pk", flat=True)), roles, timezone.now())
    return Response(HurtByDrainSerializer(found).data)
