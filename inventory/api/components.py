"""Parts by serial, wherever they are."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Prefetch
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.models import Site
from inventory import queries, services
from inventory.api.base import InventoryViewSet, VisibleRelated
from inventory.models import Component, Installation

INSTALLED = Prefetch(
    "installations",
    queryset=Installation.objects.filter(during__endswith=None).select_related("device"),
    to_attr="installed_now",
)


class ComponentSerializer(serializers.ModelSerializer):
    site = VisibleRelated(queryset=Site.objects.all(), site_field="id")
    attributes = serializers.DictField(required=False)
    installed = serializers.SerializerMethodField()

    class Meta:
        model = Component
        fields: ClassVar = ["id", "site", "kind", "vendor", "part_number", "serial", "attributes", "installed"]
        validators: ClassVar[list[Any]] = []

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_installed(self, component: Component) -> dict[str, Any] | None:
        """Where it sits now; null in stock."""
        rows = getattr(component, "installed_now", None)
        if rows is None:
            rows = list(component.installations.filter(during__endswith=None).select_related("device"))
        if not rows:
            return None
        row = rows[0]
        return {
            "device": row.device_id,
            "device_name": row.device.name,
            "slot": row.slot,
            "since": row.during.lower,
            "by": row.by,
            "ticket": row.ticket,
        }


class ComponentFilter(filters.FilterSet):
    device = filters.NumberFilter(method="filter_device", label="Installed in this device now.")
    in_stock = filters.BooleanFilter(method="filter_stock", label="Installed nowhere.")
    uuid = filters.CharFilter(field_name="attributes__uuid")
    guid = filters.CharFilter(field_name="attributes__guid")

    class Meta:
        model = Component
        fields = ("site", "kind", "vendor", "part_number", "serial")

    def filter_device(self, queryset: Any, name: str, value: Any) -> Any:
        return queryset.filter(installations__device_id=value, installations__during__endswith=None)

    def filter_stock(self, queryset: Any, name: str, value: bool) -> Any:
        now = Installation.objects.filter(during__endswith=None).values("component_id")
        return queryset.exclude(pk__in=now) if value else queryset.filter(pk__in=now)


class ComponentViewSet(InventoryViewSet):
    """Parts. A new one is in stock; one that was ever installed is kept for its history."""

    queryset = Component.objects.prefetch_related(INSTALLED)
    serializer_class = ComponentSerializer
    filterset_class = ComponentFilter
    search_fields = ("=serial", "part_number")
    ordering_fields = ("id", "kind", "serial", "part_number")
    ordering = ("id",)

    def site_of_data(self, data: dict[str, Any]) -> int | None:
        return data["site"].pk if "site" in data else None

    def save_row(self, row: Component | None, data: dict[str, Any]) -> Component:
        return services.save(row or Component(), data)

    def remove_row(self, row: Component) -> None:
        services.remove(row)

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    @action(detail=True)
    def history(self, request: Request, pk: str) -> Response:
        """Every place the part has been in, the latest first."""
        return Response(queries.component_history(self.get_object()))
