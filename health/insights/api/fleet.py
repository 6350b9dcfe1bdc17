"""What a fleet as a whole shows: lemons, drift, the golden set and spares."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles
from core.api import SiteScopedViewSet
from core.errors import Conflict
from core.models import Role
from core.rest.lists import listed
from health.insights import lemons as rules
from health.insights import services as golden_services
from health.insights.models import GoldenMachine
from health.insights.queries import drift as drift_queries
from health.insights.queries import golden as golden_queries
from health.insights.queries import lemons as lemon_queries
from health.machines.models.machines import MachineHealth
from health.machines.parameters import (
    PAGE,
    SITE,
    MachineBriefSerializer,
    asked_sites,
    flag,
    number,
    page_of,
    paged,
    scope_of,
)
from health.monitoring.facts import FACTS
from inventory.models import Device

# ---- lemons ----


class TermSerializer(serializers.Serializer):
    title = serializers.CharField()
    count = serializers.IntegerField(allow_null=True, help_text="Null: nothing reports it.")
    weight = serializers.FloatField()
    points = serializers.FloatField()


class LemonSerializer(serializers.Serializer):
    """A machine's score; flagged above `limit`, the median of its model and three times its spread."""

    machine = MachineBriefSerializer()
    site = serializers.CharField()
    model = serializers.CharField()
    score = serializers.FloatField()
    median = serializers.FloatField()
    limit = serializers.FloatField()
    peers = serializers.IntegerField(help_text="Other machines of the model it is compared with.")
    events = serializers.IntegerField()
    flagged = serializers.BooleanField()
    terms = serializers.DictField(child=TermSerializer())


@extend_schema(
    summary="Machines that cause more trouble than their like",
    parameters=[
        SITE,
        OpenApiParameter("model", str, description="Slug of a device model."),
        OpenApiParameter("flagged", bool, description="Only those that are flagged."),
        OpenApiParameter("days", int, description=f"How far back, {rules.DAYS} by default, 365 at most."),
        *PAGE,
    ],
    responses={200: page_of(LemonSerializer, "PagedLemons")},
)
@api_view(["GET"])
def lemons(request: Request) -> Response:
    """The last weeks of each machine as a score, the worst first. Nothing acts on it."""
    sites, site = scope_of(request)
    days = min(max(number(request, "days") or rules.DAYS, 1), 365)
    found = lemon_queries.lemons(sites, since=timezone.now() - timedelta(days=days), site=site)
    model, flagged = request.query_params.get("model"), flag(request, "flagged")
    rows = [
        lemon_row(score, about)
        for score, about in found
        if (not model or score.model == model) and (not flagged or score.flagged)
    ]
    return Response(paged(request, rows))


def lemon_row(score: rules.Score, about: dict[str, Any]) -> dict[str, Any]:
    return {
        "machine": {"id": about["id"], "name": about["name"]},
        "site": about["site"],
        "model": score.model,
        "score": score.score,
        "median": score.median,
        "limit": score.limit,
        "peers": score.peers,
        "events": score.events,
        "flagged": score.flagged,
        "terms": {
            name: {"title": rules.TITLES[name], "points": term.points, **asdict(term)}
            for name, term in score.terms.items()
        },
    }


# ---- drift ----


class DeviantSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    value = serializers.CharField()


class DriftSerializer(serializers.Serializer):
    """One fact of one model; without a majority no machine counts as different and `values` says what there is."""

    model = serializers.CharField()
    what = serializers.CharField()
    title = serializers.CharField()
    reported = serializers.IntegerField(help_text="Machines that report it.")
    majority = serializers.CharField(allow_null=True)
    share = serializers.FloatField()
    values = serializers.DictField(child=serializers.IntegerField())
    golden = serializers.DictField(
        child=serializers.IntegerField(), help_text="What the golden machines of the model report; empty without one."
    )
    machines = DeviantSerializer(many=True)


@extend_schema(
    summary="Versions and settings that differ from most others of the model",
    parameters=[
        SITE,
        OpenApiParameter("model", str, description="Slug of a device model."),
        OpenApiParameter("drifting", bool, description="Only facts with machines that differ."),
        *PAGE,
    ],
    responses={200: page_of(DriftSerializer, "PagedDrift")},
)
@api_view(["GET"])
def drift(request: Request) -> Response:
    """Facts by model, those with machines that differ first."""
    found = drift_queries.drift(asked_sites(request), request.query_params.get("model") or None)
    if flag(request, "drifting"):
        found = [row for row in found if row.machines]
    names = dict(
        Device.objects.filter(pk__in={each.machine_id for row in found for each in row.machines}).values_list(
            "pk", "name"
        )
    )
    rows = [
        {
            "model": row.model,
            "what": row.fact,
            "title": FACTS.get(row.fact, row.fact),
            "reported": row.reported,
            "majority": row.majority,
            "share": row.share,
            "values": dict(row.values),
            "golden": dict(row.golden),
            "machines": [
                {"id": each.machine_id, "name": names.get(each.machine_id, ""), "value": each.value}
                for each in row.machines
            ],
        }
        for row in found
    ]
    return Response(paged(request, rows))


# ---- the golden set ----


class GoldenSerializer(serializers.ModelSerializer[GoldenMachine]):
    machine = serializers.SerializerMethodField()
    site = serializers.IntegerField(source="machine.device.site_id")
    model = serializers.CharField(source="machine.device.model.slug")

    class Meta:
        model = GoldenMachine
        fields: ClassVar = ["id", "machine", "site", "model", "promoted_at", "promoted_by", "reason"]

    @extend_schema_field(MachineBriefSerializer)
    def get_machine(self, row: GoldenMachine) -> dict[str, Any]:
        return {"id": row.machine_id, "name": row.machine.device.name}


class GoldenReasonSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300)


class CandidateSerializer(serializers.Serializer):
    machine = MachineBriefSerializer()
    model = serializers.CharField()
    clean_since = serializers.DateTimeField()


class SparePartSerializer(serializers.Serializer):
    kind = serializers.CharField()
    part_number = serializers.CharField()
    good = serializers.IntegerField()


class SparesOfModelSerializer(serializers.Serializer):
    model = serializers.CharField()
    machines = serializers.IntegerField()
    golden = serializers.IntegerField()
    spare_machines = serializers.IntegerField(help_text="In service, healthy, and idle by the scheduler's word.")
    not_reported = serializers.IntegerField(help_text="In service, and no scheduler says whether they are idle.")
    parts = SparePartSerializer(many=True)


class GoldenViewSet(SiteScopedViewSet, viewsets.GenericViewSet):
    """Machines that others are compared with: clean for long enough, or chosen by a person."""

    queryset = GoldenMachine.objects.none()
    serializer_class = GoldenSerializer
    site_field = "machine__device__site_id"
    write_role = Role.OPERATOR
    lookup_value_regex = r"\d{1,18}"

    def get_queryset(self) -> QuerySet:
        self.queryset = golden_queries.golden()
        return super().get_queryset()

    def _machine(self, pk: str) -> MachineHealth:
        """The machine asked for, at a site where the caller may write. Raises Http404 or PermissionDenied."""
        rows = limit_to_sites(
            MachineHealth.objects.select_related("machine__device"),
            request_roles(self.request),
            "machine__device__site_id",
        )
        health = get_object_or_404(rows, pk=pk)
        if not self.may(Role.OPERATOR, health.machine.device.site_id):
            self.permission_denied(self.request)
        return health

    @extend_schema(parameters=[SITE, *PAGE], responses={200: GoldenSerializer(many=True)})
    def list(self, request: Request) -> Response:
        _, site = scope_of(request)
        rows = self.get_queryset()
        rows = rows if site is None else rows.filter(machine__device__site_id=site)
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(parameters=[SITE, *PAGE], responses={200: page_of(CandidateSerializer, "PagedCandidates")})
    @action(detail=False)
    def candidates(self, request: Request) -> Response:
        """Machines that were clean for long enough; the next daily run takes them in."""
        sites, site = scope_of(request)
        found = golden_services.candidates([site] if site is not None else sites)
        rows = [
            {
                "machine": {"id": each.machine_id, "name": each.name},
                "model": each.model,
                "clean_since": each.clean_since,
            }
            for each in found
        ]
        return Response(paged(request, rows))

    @extend_schema(parameters=[SITE], responses={200: SparesOfModelSerializer(many=True)})
    @action(detail=False, pagination_class=None)
    def spares(self, request: Request) -> Response:
        """Replacement candidates by model: golden machines, idle ones, parts in store."""
        return listed(golden_queries.by_model(*scope_of(request)))

    @extend_schema(request=GoldenReasonSerializer, responses={200: GoldenSerializer})
    @action(detail=True, methods=["post"])
    def promote(self, request: Request, pk: str = "") -> Response:
        """Take a machine in by hand; the id is the machine's."""
        return self._changed(golden_services.promote, pk)

    @extend_schema(request=GoldenReasonSerializer, responses={200: GoldenSerializer})
    @action(detail=True, methods=["post"])
    def demote(self, request: Request, pk: str = "") -> Response:
        """Take a machine out by hand; it comes back after as many clean days again."""
        return self._changed(golden_services.demote, pk)

    def _changed(self, change: Any, pk: str) -> Response:
        machine = self._machine(pk)
        asked = GoldenReasonSerializer(data=self.request.data)
        asked.is_valid(raise_exception=True)
        try:
            row = change(machine.pk, reason=asked.validated_data["reason"], actor=self.person.get_username())
        except golden_services.NotPossible as error:
            raise Conflict(f"Not possible: {error}.") from error
        return Response(self.get_serializer(row).data)
