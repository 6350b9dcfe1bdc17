"""Faults with their evidence, pools and the catalogue of checks."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import ReadOnlyViewSet
from health.checks import CHECKS_VERSION, catalogue
from health.monitoring.models.faults import Fault, FaultEvidence
from health.monitoring.queries.policy import quiet_checks


class FaultFilter(filters.FilterSet):
    machine = filters.NumberFilter(field_name="machine_id")
    open = filters.BooleanFilter(method="only_open")
    leading = filters.BooleanFilter(field_name="led_by", lookup_expr="isnull")

    class Meta:
        model = Fault
        fields: tuple[str, ...] = ("status", "fault_class", "slot")

    def only_open(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        closed = Q(status=Fault.Status.CLEARED)
        return queryset.filter(~closed if value else closed)


class EvidenceSerializer(serializers.ModelSerializer):
    check = serializers.CharField(source="check_id")

    class Meta:
        model = FaultEvidence
        fields: ClassVar = ["id", "at", "check", "part", "verdict", "message", "command", "exit_status", "excerpt"]


class MachineOfFaultSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class FaultSerializer(serializers.ModelSerializer):
    machine = serializers.SerializerMethodField()

    class Meta:
        model = Fault
        fields: ClassVar = [
            "id", "machine", "slot", "fault_class", "precedence", "kind", "status", "led_by", "checks", "message",
            "action", "opened_at", "seen_at", "confirmed_at", "cleared_at", "cleared_by", "drain",
        ]  # fmt: skip

    @extend_schema_field(MachineOfFaultSerializer)
    def get_machine(self, fault: Fault) -> dict[str, Any]:
        return {"id": fault.machine_id, "name": fault.machine.device.name}


class QuietCheckSerializer(serializers.Serializer):
    """A check of the fault that is silenced there or in audit mode; the fault stays until verified or dismissed."""

    check = serializers.CharField()
    kind = serializers.ChoiceField(["silence", "audit_mode"])
    id = serializers.IntegerField()
    until = serializers.DateTimeField(allow_null=True)


class FaultDetailSerializer(FaultSerializer):
    evidence = serializers.SerializerMethodField()
    quiet = serializers.SerializerMethodField()

    class Meta(FaultSerializer.Meta):
        fields: ClassVar = [*FaultSerializer.Meta.fields, "evidence", "quiet"]

    @extend_schema_field(EvidenceSerializer(many=True))
    def get_evidence(self, fault: Fault) -> list[dict[str, Any]]:
        return list(EvidenceSerializer(fault.all_evidence(), many=True).data)

    @extend_schema_field(QuietCheckSerializer(many=True))
    def get_quiet(self, fault: Fault) -> list[dict[str, Any]]:
        found = quiet_checks(fault.machine_id, fault.slot, fault.checks)
        return list(QuietCheckSerializer(found, many=True).data)


class FaultViewSet(ReadOnlyViewSet):
    """Faults, newest first. A fault `led_by` another is evidence for it and has no ticket of its own."""

    queryset = Fault.objects.select_related("machine__device")
    site_field = "machine__device__site_id"
    filterset_class = FaultFilter
    ordering_fields = ("opened_at", "confirmed_at", "precedence")
    search_fields = ("machine__device__name", "slot", "fault_class", "message")

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return FaultDetailSerializer if self.action == "retrieve" else FaultSerializer


class CheckDeclarationSerializer(serializers.Serializer):
    id = serializers.CharField()
    title = serializers.CharField()
    part = serializers.CharField(help_text="A kind of part (one verdict for each), mount, or machine.")
    needs = serializers.CharField(help_text="The reading it is fed with.")
    kind = serializers.ChoiceField(["level", "event"])
    fault_classes = serializers.ListField(child=serializers.CharField())
    advice = serializers.CharField(allow_blank=True)
    where_from = serializers.CharField(help_text="Where its rule comes from.")
    thresholds = serializers.DictField(child=serializers.FloatField(), help_text="Its limits by name.")

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"where_from": "source"}  # DRF's fields have a source of their own
        return {words.get(name, name): field for name, field in super().get_fields().items()}


class ChecksSerializer(serializers.Serializer):
    version = serializers.CharField()
    checks = CheckDeclarationSerializer(many=True)


@extend_schema(summary="The catalogue of checks", responses={200: ChecksSerializer})
@api_view(["GET"])
def checks(request: Request) -> Response:
    """What is checked, of which part, with which thresholds, and from which source they come."""
    shown = ("id", "title", "part", "needs", "kind", "fault_classes", "advice", "source")
    rows = [
        {name: getattr(check, name) for name in shown} | {"thresholds": dict(check.thresholds)} for check in catalogue()
    ]
    return Response({"version": CHECKS_VERSION, "checks": rows})
