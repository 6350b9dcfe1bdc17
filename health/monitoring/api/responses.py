"""Routes of the responses to classes of fault: the table as it holds at a site, and what people put in its place."""

from __future__ import annotations

from typing import Any, ClassVar

from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response as Answer
from rest_framework.routers import BaseRouter

from core.accounts.scope import request_roles, visible_sites
from core.rest.lists import listed
from health.checks.faults import FAULT_CLASSES, PRIORITIES
from health.checks.levels import Severity
from health.checks.responses import Response
from health.machines.parameters import identity
from health.monitoring.api.policy import (
    ChangeSerializer,
    DecisionFilter,
    DecisionViewSet,
    WhySerializer,
    activity,
    why_fields,
)
from health.monitoring.models.policy import ResponseOverride
from health.monitoring.queries.responses import decided_at
from health.monitoring.services import decisions as services

CHOICES = [response.value for response in Response]


class EscalationSerializer(serializers.Serializer):
    count = serializers.IntegerField(min_value=2, help_text="Confirmed faults of the class on one machine.")
    then = serializers.ChoiceField(CHOICES)


class FaultClassSerializer(serializers.Serializer):
    """`response` is what holds at the site, `usual` what would hold without the decision of the site itself, which is
    `override`. Without a site: what holds at all, what the table says, and the decision for all sites."""

    fault_class = serializers.CharField()
    title = serializers.CharField()
    severity = serializers.ChoiceField([severity.value for severity in Severity])
    priority = serializers.ChoiceField(PRIORITIES)
    response = serializers.ChoiceField(CHOICES)
    usual = serializers.ChoiceField(CHOICES)
    escalation = EscalationSerializer(allow_null=True)
    hot = serializers.BooleanField(help_text="It can be repaired while jobs run.")
    override = serializers.IntegerField(allow_null=True)


@extend_schema(
    summary="What follows a confirmed fault, by its class",
    parameters=[OpenApiParameter("site", int, description="As it holds at this site; without it as at all of them.")],
    responses=FaultClassSerializer(many=True),
)
@api_view(["GET"])
def fault_classes(request: Request) -> Answer:
    """Every class of fault with its response: note, ticket, cordon, drain or drain_now."""
    given = request.query_params.get("site", "")
    is_id = given.isascii() and given.isdecimal() and len(given) < 19
    if given and not (is_id and visible_sites(request_roles(request)).filter(pk=int(given)).exists()):
        raise serializers.ValidationError({"site": ["There is no such site, or you may not see it."]})
    found, usual, own = decided_at(int(given) if given else None)
    rows = [
        {
            "fault_class": name,
            "title": known.title,
            "severity": known.severity,
            "priority": known.priority,
            "response": found[name].response,
            "usual": usual[name].response,
            "escalation": found[name].escalation,
            "hot": known.hot,
            "override": own.get(name),
        }
        for name, known in FAULT_CLASSES.items()
    ]
    return listed(FaultClassSerializer(rows, many=True).data)


class ResponseOverrideSerializer(serializers.ModelSerializer):
    active = serializers.SerializerMethodField(help_text="Neither ended nor expired.")

    class Meta:
        model = ResponseOverride
        fields: ClassVar = ["id", "fault_class", "response", "site", *why_fields]

    def get_active(self, row: ResponseOverride) -> bool:
        return activity(row)


class NewResponseSerializer(WhySerializer):
    fault_class = serializers.CharField(max_length=60)
    response = serializers.ChoiceField(CHOICES)
    site = identity(required=False, allow_null=True)


class ChangeResponseSerializer(ChangeSerializer):
    response = serializers.ChoiceField(CHOICES, required=False)


class ResponseFilter(DecisionFilter):
    check = None
    fault_class = filters.CharFilter()


@extend_schema_view(
    create=extend_schema(request=NewResponseSerializer, responses={201: ResponseOverrideSerializer}),
    partial_update=extend_schema(request=ChangeResponseSerializer, responses={200: ResponseOverrideSerializer}),
)
class ResponseOverrideViewSet(DecisionViewSet):
    """Other responses to classes of fault than the table has, at a site or at all of them (`site` null)."""

    queryset = ResponseOverride.objects.select_related("site")
    serializer_class = ResponseOverrideSerializer
    filterset_class = ResponseFilter
    ordering_fields = ("id", "fault_class", "expires_at", "created_at")
    search_fields = ("fault_class", "reason", "owner")
    asked, changed = NewResponseSerializer, ChangeResponseSerializer

    def make(self, body: dict[str, Any], why: dict[str, Any]) -> ResponseOverride:
        site_id = self.asked_site(body)
        return services.override_response(body["fault_class"], site_id, body["response"], **why)


def register(router: BaseRouter) -> None:
    router.register("health/responses", ResponseOverrideViewSet, basename="response-override")
