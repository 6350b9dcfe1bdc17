"""Findings: what is wrong with the wiring, with its moves in words and pictures; accept one, or take that back."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.models import Role
from fabric.shapes import EndSerializer, MoveSerializer
from fabric.wiring.models.findings import Finding
from fabric.wiring.queries import pictures
from fabric.wiring.queries.tickets import ticket_of
from fabric.wiring.services import findings as services


class FindingSerializer(serializers.ModelSerializer[Finding]):
    """A finding in a list."""

    source_name = serializers.CharField(source="source.name", read_only=True)
    devices = serializers.ListField(child=serializers.CharField())
    device_ids = serializers.ListField(child=serializers.IntegerField())
    rack_ids = serializers.ListField(child=serializers.IntegerField())
    cables = serializers.ListField(child=serializers.CharField())
    move_count = serializers.IntegerField(source="moves", help_text="Connector insertions that put it right.")

    class Meta:
        model = Finding
        fields: ClassVar = [
            "id", "site", "source", "source_name", "kind", "key", "state", "severity", "title", "text", "devices",
            "device_ids", "rack_ids", "cables", "move_count", "first_seen_at", "last_seen_at", "opened_at",
            "closed_at", "accepted_at", "accepted_by", "accept_reason",
        ]  # fmt: skip


class PictureSerializer(serializers.Serializer):
    """A front that move `n` touches: what to pull and what to plug into, marked."""

    n = serializers.IntegerField()
    device = serializers.CharField()
    svg = serializers.CharField()


class FindingTicketSerializer(serializers.Serializer):
    """The work order that puts a finding right."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(["open", "in_work", "verifying", "closed"])


class FindingDetailSerializer(FindingSerializer):
    """A finding with its steps in order, a picture of each switch front they touch, checks and evidence."""

    moves = serializers.SerializerMethodField()
    ports = EndSerializer(many=True, source="detail.ports")
    pictures = serializers.SerializerMethodField()
    checks = serializers.ListField(child=serializers.CharField(), source="detail.checks")
    evidence = serializers.DictField(source="detail.evidence")

    ticket = serializers.SerializerMethodField()

    class Meta(FindingSerializer.Meta):
        fields: ClassVar = [
            *FindingSerializer.Meta.fields, "moves", "ports", "pictures", "checks", "evidence", "ticket",
            "first_discovery", "last_discovery",
        ]  # fmt: skip

    @extend_schema_field(FindingTicketSerializer(allow_null=True))
    def get_ticket(self, row: Finding) -> dict[str, Any] | None:
        return ticket_of(row.pk)

    @extend_schema_field(MoveSerializer(many=True))
    def get_moves(self, row: Finding) -> list[dict[str, Any]]:
        moves: list[dict[str, Any]] = row.detail["moves"]
        return moves

    @extend_schema_field(PictureSerializer(many=True))
    def get_pictures(self, row: Finding) -> list[dict[str, Any]]:
        return pictures.of_moves(row.detail["moves"])


class AcceptFindingSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=500)


class FindingFilter(filters.FilterSet):
    """`device`, `rack` and `cable` are those of the inventory; `state` may name several, with commas."""

    state = filters.BaseInFilter(field_name="state")
    kind = filters.BaseInFilter(field_name="kind")
    device = filters.NumberFilter(field_name="device_ids", lookup_expr="contains", method="has")
    rack = filters.NumberFilter(field_name="rack_ids", method="has")
    cable = filters.CharFilter(field_name="cables", method="has_cable")

    class Meta:
        model = Finding
        fields: ClassVar = ["site", "source", "state", "kind", "severity", "device", "rack", "cable"]

    def has(self, rows: QuerySet[Finding], name: str, value: float) -> QuerySet[Finding]:
        return rows.filter(**{f"{name}__contains": [int(value)]}) if 0 <= value < 2**63 else rows.none()

    def has_cable(self, rows: QuerySet[Finding], name: str, value: str) -> QuerySet[Finding]:
        return rows.filter(**{f"{name}__contains": [value]})


class FindingViewSet(ReadOnlyViewSet):
    """What is wrong with the wiring. Accepting needs the operator role and a reason."""

    queryset = Finding.objects.select_related("source").order_by("-id")
    serializer_class = FindingDetailSerializer
    write_role = Role.OPERATOR
    filterset_class = FindingFilter
    search_fields: ClassVar = ["title", "key"]
    ordering_fields: ClassVar = ["id", "kind", "severity", "first_seen_at", "last_seen_at", "moves"]

    def get_queryset(self) -> QuerySet:
        rows = super().get_queryset()
        return rows.defer("detail") if self.action == "list" else rows

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return FindingSerializer if self.action == "list" else FindingDetailSerializer

    def _answer(self, pk: int) -> Response:
        return Response(FindingDetailSerializer(Finding.objects.select_related("source").get(pk=pk)).data)

    @extend_schema(request=AcceptFindingSerializer, responses={200: FindingDetailSerializer})
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str = "") -> Response:
        """It may stay so, for this reason. It is followed further; the discovery run that shows it right closes it."""
        finding = self.get_object()
        asked = AcceptFindingSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        services.accept(finding.pk, reason=asked.validated_data["reason"], by=request.user.get_username())
        return self._answer(finding.pk)

    @extend_schema(request=None, responses={200: FindingDetailSerializer})
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, pk: str = "") -> Response:
        """Take an acceptance back."""
        finding = self.get_object()
        services.reopen(finding.pk, by=request.user.get_username())
        return self._answer(finding.pk)


def register(router: BaseRouter) -> None:
    router.register("fabric/findings", FindingViewSet, basename="finding")
