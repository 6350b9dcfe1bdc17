"""The route of energy: what was used by whom, what it cost and what it emitted."""

from __future__ import annotations

from datetime import timedelta

from django.shortcuts import get_object_or_404
from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import request_roles, visible_sites
from facility.energy import queries
from facility.energy.slowed import slowed_hours
from facility.findings.services import policy_of
from facility.shapes import ENERGY_BY, EnergySerializer, SlowedHoursSerializer
from facility.spans import Longest

LONGEST, USUAL = Longest(timedelta(days=1100), "three years"), timedelta(days=30)


class EnergyQuery(serializers.Serializer):
    site = serializers.IntegerField(min_value=1)
    by = serializers.ChoiceField(ENERGY_BY)
    begin = serializers.DateField(
        required=False, help_text="The first day, in UTC. Without it: of running jobs since their start, else 30 days."
    )
    end = serializers.DateField(required=False, help_text="The day after the last; tomorrow, if it is not given.")


@extend_schema(summary="Energy, cost and CO₂", parameters=[EnergyQuery], responses={200: EnergySerializer})
@api_view(["GET"])
def energy(request: Request) -> Response:
    """Of machines, by run, group, pool, rack or month, or of those that nobody used; with how it was worked out.

    The last hour is written down a quarter of an hour after it is over.
    """
    asked = EnergyQuery(data=request.query_params)
    asked.is_valid(raise_exception=True)
    told = asked.validated_data
    site = get_object_or_404(visible_sites(request_roles(request)), pk=told["site"])
    end = told.get("end") or timezone.now().date() + timedelta(days=1)
    running = told["by"] == "run" and "begin" not in told
    begin = told.get("begin") or end - (LONGEST.time if running else USUAL)
    LONGEST.check(begin, end)
    policy = policy_of(site.pk)
    asked_for = (site.pk, told["by"], begin, end, policy.currency)
    return Response(
        {
            "by": told["by"], "begin": begin, "end": end, **queries.prices(policy),
            "rows": queries.energy_by(*asked_for, running=running),
            "total": queries.total(*asked_for, running=running),
        }
    )  # fmt: skip


class SlowedQuery(serializers.Serializer):
    site = serializers.IntegerField(min_value=1)
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField(required=False)


@extend_schema(summary="GPU-hours slowed", parameters=[SlowedQuery], responses={200: SlowedHoursSerializer})
@api_view(["GET"])
def slowed(request: Request) -> Response:
    """How many GPU-hours clocks were held down, by cause, up to the last quarter of an hour that is made.

    Where it begins before the quarters that are kept (18 days): by whole hours.
    """
    asked = SlowedQuery(data=request.query_params)
    asked.is_valid(raise_exception=True)
    told, now = asked.validated_data, timezone.now()
    site = get_object_or_404(visible_sites(request_roles(request)), pk=told["site"])
    end = LONGEST.end_of(told["begin"], told.get("end"), now)
    return Response(slowed_hours(site.pk, told["begin"], end, now)._asdict())


urlpatterns = [path("facility/energy/", energy), path("facility/slowed/", slowed)]
