"""Events of the fabric, every one of them, and the incidents they belong to."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from fabric.quality.models.events import FabricEvent, Incident
from fabric.quality.services import events


class FabricEventSerializer(serializers.ModelSerializer[FabricEvent]):
    """`at_is_reported` false: the source's time could not be read, `at` is when it was met."""

    kind = serializers.CharField(source="name", read_only=True)
    device = serializers.SerializerMethodField()

    class Meta:
        model = FabricEvent
        fields: ClassVar = [
            "id", "site", "source", "number", "at", "at_is_reported", "code", "kind", "severity", "group",
            "never_dropped", "device", "guid", "port", "text", "incident",
        ]  # fmt: skip

    def get_device(self, event: FabricEvent) -> str:
        return (event.incident.name if event.incident is not None else "") or event.device_name or event.guid


class FabricEventFilter(filters.FilterSet):
    since = filters.IsoDateTimeFilter(field_name="at", lookup_expr="gte")
    until = filters.IsoDateTimeFilter(field_name="at", lookup_expr="lt")
    device = filters.CharFilter(method="of_device")
    incident = filters.NumberFilter(method="by_id")
    site = filters.NumberFilter(method="by_id")
    source = filters.NumberFilter(method="by_id")

    class Meta:
        model = FabricEvent
        fields: ClassVar = ["code", "severity", "group", "never_dropped", "guid", "port"]

    def by_id(self, rows: QuerySet, name: str, value: float) -> QuerySet:
        return rows.filter(**{f"{name}_id": int(value)}) if 0 <= value < 2**63 else rows.none()

    def of_device(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        return rows.filter(Q(device_name__icontains=value) | Q(incident__name__icontains=value) | Q(guid=value))


class FabricEventViewSet(ReadOnlyViewSet):
    """Every event that a source reported, newest first."""

    queryset = FabricEvent.objects.select_related("incident")
    serializer_class = FabricEventSerializer
    site_field = "site_id"
    filterset_class = FabricEventFilter
    ordering_fields: ClassVar = ["id", "at"]
    search_fields: ClassVar = ["name", "text", "device_name", "guid"]


class IncidentSerializer(serializers.ModelSerializer[Incident]):
    device = serializers.CharField(source="name", read_only=True)
    device_id = serializers.IntegerField(read_only=True, allow_null=True)
    events = serializers.IntegerField(source="events_count", read_only=True)
    first_at = serializers.DateTimeField(source="began_at", read_only=True)
    grave = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="Kinds in it that are never dropped."
    )

    class Meta:
        model = Incident
        fields: ClassVar = [
            "id", "site", "source", "title", "device", "device_id", "severity", "grave", "events", "first_at",
            "last_at", "waits_for", "closed_at", "closed_by", "close_reason",
        ]  # fmt: skip


class IncidentFilter(filters.FilterSet):
    open = filters.BooleanFilter(field_name="closed_at", lookup_expr="isnull")
    site = filters.NumberFilter(method="by_id")
    source = filters.NumberFilter(method="by_id")
    device = filters.CharFilter(field_name="name", lookup_expr="icontains")

    class Meta:
        model = Incident
        fields: ClassVar = ["severity"]

    def by_id(self, rows: QuerySet, name: str, value: float) -> QuerySet:
        return rows.filter(**{f"{name}_id": int(value)}) if 0 <= value < 2**63 else rows.none()


class CloseIncidentSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300)


class IncidentViewSet(ReadOnlyViewSet):
    """Bursts of events of one device, newest first."""

    queryset = Incident.objects.all()
    serializer_class = IncidentSerializer
    site_field = "site_id"
    filterset_class = IncidentFilter
    ordering_fields: ClassVar = ["id", "began_at", "last_at"]
    search_fields: ClassVar = ["title", "name"]
    write_role = Role.OPERATOR

    @extend_schema(request=CloseIncidentSerializer, responses={200: IncidentSerializer})
    @action(detail=True, methods=["post"])
    def close(self, request: Request, pk: str) -> Response:
        """Close an incident that waits for something that will not come back."""
        found = self.get_object()
        given = CloseIncidentSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            closed = events.close(found.pk, by=request.user.get_username(), reason=given.validated_data["reason"])
        except events.IncidentOver as error:
            raise Conflict("It is closed already.") from error
        return Response(IncidentSerializer(closed).data)


def register(router: BaseRouter) -> None:
    router.register("fabric/events", FabricEventViewSet, basename="fabric-event")
    router.register("fabric/incidents", IncidentViewSet, basename="fabric-incident")
