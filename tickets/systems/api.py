"""Routes of ticket systems: Jira and ServiceNow, their maps, and what could not be told."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Count, Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import allows, granted_roles, limit_to_administered, request_roles
from core.api import SiteScopedViewSet
from core.http.seen import SeenRecord
from core.models import Role, Site, User
from core.rest.fields import FieldSelection
from drivers.https import trust_of
from tickets.messages.models import QUEUES
from tickets.messages.schemas import permitted_url, several
from tickets.models.tickets import PRIORITIES
from tickets.systems import exchange, maps, services
from tickets.systems.models import ExternalItem, ExternalLink, TicketSystem


class TicketSystemSerializer(serializers.ModelSerializer):
    serializer_related_field = SeenRecord
    url = serializers.CharField(max_length=500, validators=[permitted_url])
    password = serializers.CharField(
        max_length=2000, write_only=True, required=False, help_text="Or token. It is kept encrypted and never shown."
    )
    field_map = serializers.JSONField(help_text="How fields and states are called there.")
    queues = several(QUEUES, "Queues of tickets to open there")
    priorities = several(PRIORITIES, "Priorities of tickets to open there")
    waiting = serializers.IntegerField(read_only=True, default=0, help_text="What is still to be told.")
    failed = serializers.IntegerField(read_only=True, default=0, help_text="What it refused; see the items.")

    class Meta:
        model = TicketSystem
        fields: ClassVar = [
            "id", "site", "name", "kind", "url", "username", "password", "authorities", "field_map", "queues",
            "priorities", "acts_as", "active", "account", "problems", "checked_at", "polled_at", "waiting", "failed",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["account", "problems", "checked_at", "polled_at"]

    def validate_site(self, site: Site) -> Site:
        if not allows(request_roles(self.context["request"]), site.pk, Role.ADMIN):
            raise PermissionDenied("Your role on that site does not allow this.")
        return site

    def validate_authorities(self, text: str) -> str:
        try:
            trust_of(text)
        except ValueError as error:
            raise serializers.ValidationError(f"These are {error}.") from error
        return text

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        old: TicketSystem | None = self.instance
        kind = attrs.get("kind", old.kind if old else "")
        if old is not None and kind != old.kind:
            raise serializers.ValidationError({"kind": ["It stays of its kind: make another one."]})
        if "url" in attrs and old is not None and attrs["url"] != old.url and not attrs.get("password"):
            raise serializers.ValidationError({"password": ["Another address needs its password anew."]})
        if old is None and not attrs.get("password"):
            raise serializers.ValidationError({"password": ["Give the password or token."]})
        if "field_map" in attrs:
            try:
                attrs["field_map"] = maps.read(kind, attrs["field_map"]).model_dump()
            except ValueError as error:
                raise serializers.ValidationError({"field_map": [f"{error}."]}) from error
        user: User | None = attrs.get("acts_as", old.acts_as if old else None)
        site = attrs.get("site", old.site if old else None)
        if user is not None and site is not None and not allows(granted_roles(user), site.pk, Role.TECHNICIAN):
            raise serializers.ValidationError({"acts_as": ["This account is no technician of the site."]})
        return attrs


class ExternalItemSerializer(serializers.ModelSerializer):
    system = serializers.IntegerField(source="link.system_id")
    key = serializers.CharField(source="link.ticket.key", help_text="Of our ticket.")
    record = serializers.CharField(source="link.key", help_text="Of theirs; empty: not there yet.")

    class Meta:
        model = ExternalItem
        fields: ClassVar = [
            "id", "system", "key", "record", "kind", "value", "status", "attempts", "next_at", "error", "created_at",
        ]  # fmt: skip


class ExternalLinkSerializer(serializers.ModelSerializer):
    system_name = serializers.CharField(source="system.name")

    class Meta:
        model = ExternalLink
        fields: ClassVar = ["id", "system", "system_name", "ticket", "key", "status", "created_at"]


class SentAgainSerializer(serializers.Serializer):
    retried = serializers.IntegerField()


class TicketSystemViewSet(SiteScopedViewSet, viewsets.ModelViewSet):
    """Jira and ServiceNow. What a map gets wrong is kept with the system's own words, and told again after a save."""

    queryset = TicketSystem.objects.select_related("site", "acts_as").annotate(
        waiting=Count("links__items", filter=Q(links__items__status="waiting")),
        failed=Count("links__items", filter=Q(links__items__status="failed")),
    )
    serializer_class = TicketSystemSerializer
    named_records: ClassVar = {"acts_as": "assignee"}
    answer_is_secret = True
    limit = staticmethod(limit_to_administered)  # to see a site is not enough to see with whom it talks
    roles = dict.fromkeys(("list", "retrieve"), Role.ADMIN)
    write_role = Role.ADMIN
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]  # noqa: RUF012  (as Django has it)
    filterset_fields: ClassVar = ["site", "kind", "active", "name"]
    ordering_fields: ClassVar = ["name"]
    ordering: ClassVar = ["name", "id"]

    def perform_create(self, serializer: Any) -> None:
        serializer.instance = services.save(None, dict(serializer.validated_data))

    def perform_update(self, serializer: Any) -> None:
        serializer.instance = services.save(serializer.instance, dict(serializer.validated_data))

    @extend_schema(request=None, responses={200: TicketSystemSerializer})
    @action(detail=True, methods=["post"])
    def check(self, request: Request, pk: str) -> Response:
        """Ask it whether it has what the map names."""
        system = self.get_object()
        exchange.check(system)
        return Response(self.get_serializer(system).data)

    @extend_schema(request=None, responses={200: SentAgainSerializer})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: str) -> Response:
        """Tell again what it refused."""
        return Response({"retried": services.retry(self.get_object())})


class ExternalItemViewSet(SiteScopedViewSet, FieldSelection, mixins.ListModelMixin, viewsets.GenericViewSet):
    """What other systems hear, with what came of it."""

    queryset = ExternalItem.objects.select_related("link__ticket", "link__system")
    serializer_class = ExternalItemSerializer
    site_field = "link__system__site_id"
    limit = staticmethod(limit_to_administered)
    roles = {"list": Role.ADMIN}  # noqa: RUF012
    filterset_fields: ClassVar = ["link__system", "status", "kind"]
    ordering_fields: ClassVar = ["id"]
    ordering: ClassVar = ["-id"]


class ExternalLinkViewSet(SiteScopedViewSet, FieldSelection, mixins.ListModelMixin, viewsets.GenericViewSet):
    """Which ticket is which record elsewhere."""

    queryset: QuerySet = ExternalLink.objects.select_related("system")
    serializer_class = ExternalLinkSerializer
    site_field = "system__site_id"
    filterset_fields: ClassVar = ["system", "ticket"]
    ordering_fields: ClassVar = ["id"]
    ordering: ClassVar = ["-id"]


def register(router: BaseRouter) -> None:
    router.register("ticket-systems", TicketSystemViewSet, basename="ticket-system")
    router.register("external-items", ExternalItemViewSet, basename="external-item")
    router.register("external-links", ExternalLinkViewSet, basename="external-link")
