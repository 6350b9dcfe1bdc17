"""The sources of a site over the API: kept by administrators, seen with how they answer and which machines use them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from access.fields import checked_authorities, checked_url
from core.api import SiteScopedViewSet
from core.models import Role
from core.outgoing.permits import permit_field
from provisioning.mirrors import queries, services
from provisioning.mirrors.models import Mirror


class MirrorMachineSerializer(serializers.Serializer):
    """A machine and a source. `reaches` is null where it is not known."""

    id = serializers.IntegerField(source="machine_id")
    name = serializers.CharField()
    rack = serializers.CharField(allow_blank=True)
    uses = serializers.BooleanField()
    reaches = serializers.BooleanField(allow_null=True)
    ms = serializers.IntegerField(allow_null=True)
    text = serializers.CharField(allow_blank=True)


class LatencySerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    ms = serializers.IntegerField(allow_null=True, help_text="Null: no answer.")


class MirrorSerializer(serializers.ModelSerializer[Mirror]):
    """A source. Where it is, is for administrators of the site: the workers and all machines of the site ask there."""

    latencies = serializers.SerializerMethodField()
    uses = serializers.SerializerMethodField()
    reaches = serializers.SerializerMethodField()
    not_reached = serializers.SerializerMethodField()
    unknown = serializers.SerializerMethodField()

    class Meta:
        model = Mirror
        fields: tuple[str, ...] = (
            "id", "site", "name", "kind", "url", "authorities", "enabled", "every_s", "state", "message", "version",
            "certificate_until", "latencies", "asked_at", "good_at", "uses", "reaches", "not_reached", "unknown",
        )  # fmt: skip
        read_only_fields: ClassVar = ["state", "message", "version", "certificate_until", "asked_at", "good_at"]
        extra_kwargs: ClassVar = {
            "authorities": {"max_length": 100_000},
            "every_s": {"min_value": 15, "max_value": 3600},
        }

    def validate_url(self, text: str) -> str:
        if not text.strip():
            raise serializers.ValidationError(["Where it is."])
        return checked_url(text.strip(), such_as="https://mirror.example/ubuntu", without="?#@")

    def validate_authorities(self, text: str) -> str:
        return checked_authorities(text)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "url" in attrs:
            site = attrs.get("site") or getattr(self.instance, "site", None)
            permit_field("url", None, None, attrs["url"], site=site.pk if site else None)
        return attrs

    def _machines(self, row: Mirror) -> list[queries.Seen]:
        """Those of a list come together, with the context; those of one are read once."""
        found: dict[int, list[queries.Seen]] = self.context["seen"]
        if row.pk not in found:
            found |= queries.seen_by_machines([row])
        return found[row.pk]

    @extend_schema_field(LatencySerializer(many=True))
    def get_latencies(self, row: Mirror) -> list[dict[str, Any]]:
        return [{"at": datetime.fromtimestamp(at, UTC), "ms": ms} for at, ms in row.latencies]

    def get_uses(self, row: Mirror) -> int:
        return sum(each.uses for each in self._machines(row))

    def get_reaches(self, row: Mirror) -> int:
        return sum(each.reaches is True for each in self._machines(row))

    def get_not_reached(self, row: Mirror) -> int:
        return sum(each.reaches is False for each in self._machines(row))

    def get_unknown(self, row: Mirror) -> int:
        return sum(each.reaches is None for each in self._machines(row))


class MirrorDetailSerializer(MirrorSerializer):
    machines = serializers.SerializerMethodField()

    class Meta(MirrorSerializer.Meta):
        fields: tuple[str, ...] = (*MirrorSerializer.Meta.fields, "machines")

    @extend_schema_field(MirrorMachineSerializer(many=True))
    def get_machines(self, row: Mirror) -> Any:
        return MirrorMachineSerializer(self._machines(row), many=True).data


class MirrorViewSet(viewsets.ModelViewSet, SiteScopedViewSet):
    """Mirrors, file servers, registries and peer-to-peer distributors of sites: everybody of the site sees them, its
    administrators set them."""

    queryset = Mirror.objects.order_by("site_id", "name")
    serializer_class = MirrorDetailSerializer
    site_field = "site_id"
    write_role = Role.ADMIN
    filterset_fields: ClassVar = {"site": ["exact"], "kind": ["exact"], "state": ["exact"]}
    lookup_value_regex = r"\d{1,18}"

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return MirrorSerializer if self.action == "list" else MirrorDetailSerializer

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "seen": {}}

    @extend_schema(responses=MirrorSerializer(many=True))
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        context = {**self.get_serializer_context(), "seen": queries.seen_by_machines(rows)}
        return self.get_paginated_response(MirrorSerializer(rows, many=True, context=context).data)

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        self._save(serializer, Mirror())

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        assert serializer.instance is not None
        self._save(serializer, serializer.instance)

    def _save(self, serializer: serializers.BaseSerializer, mirror: Mirror) -> None:
        site = serializer.validated_data.get("site", mirror.site if mirror.pk else None)
        if site is not None and not self.may(Role.ADMIN, site.pk):
            self.permission_denied(self.request)
        serializer.instance = services.save_mirror(mirror, serializer.validated_data)
