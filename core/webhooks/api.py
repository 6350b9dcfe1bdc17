"""Webhooks and their deliveries, for administrators of the hook's site."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import allows, limit_to_administered, request_roles
from core.http.conditional import ConditionalWrites
from core.http.seen import SeenRecord
from core.models import Role, Site
from core.outgoing.addresses import problem_of_url
from core.outgoing.binding import Refused
from core.outgoing.permits import permit
from core.rest.fields import FieldSelection
from core.rest.lists import listed
from core.webhooks import catalogue, services
from core.webhooks.models import Delivery, Webhook


class WebhookSerializer(serializers.ModelSerializer):
    serializer_related_field = SeenRecord
    events = serializers.ListField(child=serializers.CharField(max_length=100), allow_empty=False, max_length=100)
    timeout_s = serializers.IntegerField(min_value=1, max_value=30, required=False)
    pending = serializers.IntegerField(read_only=True, default=0, help_text="Deliveries that wait or are tried again.")
    dead = serializers.IntegerField(read_only=True, default=0, help_text="Deliveries that were given up.")

    class Meta:
        model = Webhook
        fields: ClassVar = [
            "id", "site", "name", "url", "events", "active", "inactive_reason", "timeout_s", "created_at", "created_by",
            "pending", "dead",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["inactive_reason", "created_at", "created_by"]

    def validate_site(self, site: Site | None) -> Site | None:
        """Another site's hook would hear what this user may not."""
        if not allows(request_roles(self.context["request"]), site.pk if site else None, Role.ADMIN):
            raise PermissionDenied("Your role on that site does not allow this.")
        return site

    def validate_url(self, url: str) -> str:
        problem = problem_of_url(url)
        if problem:
            raise serializers.ValidationError(problem)
        try:
            permit(None, None, url, site=None, local=settings.WEBHOOK_LOCAL_ADDRESSES)
        except Refused as error:
            raise serializers.ValidationError(str(error)) from error
        return url

    def validate_events(self, patterns: list[str]) -> list[str]:
        problems = [problem for problem in map(catalogue.problem_of_pattern, patterns) if problem]
        if problems:
            raise serializers.ValidationError(problems)
        return list(dict.fromkeys(patterns))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if self.instance is None:
            self.validate_site(attrs.get("site"))  # also when it is left out: that is every site
        return attrs


class NewWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(read_only=True, help_text="Shown once.")

    class Meta(WebhookSerializer.Meta):
        fields: ClassVar = [*WebhookSerializer.Meta.fields, "secret"]


class SecretSerializer(serializers.Serializer):
    secret = serializers.CharField(help_text="Shown once. The one before also signs for 24 hours.")


class ReplaySerializer(serializers.Serializer):
    status = serializers.ChoiceField(
        choices=["dead", "delivered", "pending", "all"],
        default="dead",
        help_text="Which deliveries; dead ones if left out.",
    )
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


class ReplayedSerializer(serializers.Serializer):
    replayed = serializers.IntegerField()


class EventsSerializer(serializers.Serializer):
    name = serializers.CharField()
    meaning = serializers.CharField()


class DeliverySerializer(serializers.ModelSerializer):
    class Meta:
        model = Delivery
        fields: ClassVar = [
            "id", "webhook", "message", "event", "status", "attempts", "next_at", "created_at", "tried_at",
            "response_status", "response_excerpt", "error", "duration_ms",
        ]  # fmt: skip


class DeliveryDetailSerializer(DeliverySerializer):
    class Meta(DeliverySerializer.Meta):
        fields: ClassVar = [*DeliverySerializer.Meta.fields, "body"]


WITH_COUNTS = Webhook.objects.annotate(
    pending=Count("deliveries", filter=Q(deliveries__status="pending")),
    dead=Count("deliveries", filter=Q(deliveries__status="dead")),
)


@extend_schema_view(create=extend_schema(request=WebhookSerializer, responses={201: NewWebhookSerializer}))
class WebhookViewSet(ConditionalWrites, FieldSelection, viewsets.ModelViewSet):
    """Where news is sent. A hook of a site hears that site only; one without a site hears all."""

    queryset = WITH_COUNTS
    serializer_class = WebhookSerializer
    roles: ClassVar = dict.fromkeys(("list", "retrieve", "events"), Role.ADMIN)
    write_role = Role.ADMIN
    answer_is_secret = True
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]  # noqa: RUF012  (as Django has it)
    filterset_fields: ClassVar = ["site", "active", "name"]
    search_fields: ClassVar = ["name", "url"]
    ordering_fields: ClassVar = ["name", "created_at"]
    ordering: ClassVar = ["name", "id"]

    def get_queryset(self) -> QuerySet:
        if getattr(self, "swagger_fake_view", False):
            return Webhook.objects.none()
        return limit_to_administered(super().get_queryset(), request_roles(self.request), "site_id")

    def site_of(self, hook: Webhook) -> int | None:
        return hook.site_id

    @property
    def actor(self) -> str:
        return str(self.request.user.get_username())

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        hook, secret = services.create(dict(serializer.validated_data), by=self.actor)
        return Response({**self.get_serializer(hook).data, "secret": secret}, status=status.HTTP_201_CREATED)

    def perform_update(self, serializer: Any) -> None:
        serializer.instance = services.update(serializer.instance, dict(serializer.validated_data))

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"])
    def ping(self, request: Request, pk: str) -> Response:
        """Send a test message; look at the delivery a moment later to see what came of it."""
        row = services.ping(self.get_object(), by=self.actor)
        return Response(DeliverySerializer(row).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=None, responses={200: SecretSerializer})
    @action(detail=True, methods=["post"])
    def secret(self, request: Request, pk: str) -> Response:
        """Make another secret."""
        return Response({"secret": services.new_secret(self.get_object())})

    @extend_schema(request=ReplaySerializer, responses={200: ReplayedSerializer})
    @action(detail=True, methods=["post"])
    def replay(self, request: Request, pk: str) -> Response:
        """Send deliveries of this hook again: all dead ones, or those of a span of time."""
        wanted = ReplaySerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        data = wanted.validated_data
        rows = services.chosen(
            self.get_object(),
            status="" if data["status"] == "all" else data["status"],
            since=data.get("since"),
            until=data.get("until"),
        )
        return Response({"replayed": services.replay(rows)})

    @extend_schema(responses=EventsSerializer(many=True), filters=False)
    @action(detail=False, pagination_class=None)
    def events(self, request: Request) -> Response:
        """Everything a hook can hear. `*` is all of it, `ticket.*` all of one subject."""
        meanings = catalogue.EVENTS
        return listed([{"name": name, "meaning": meanings.get(name, "records changed")} for name in catalogue.names()])


class DeliveryFilter(filters.FilterSet):
    since = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="gte")
    until = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="lt")

    class Meta:
        model = Delivery
        fields = ("webhook", "status", "event", "message")


class DeliveryViewSet(FieldSelection, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Messages with what came of them. Delivered ones are kept for a week, dead ones for a month."""

    queryset = Delivery.objects.select_related("webhook")
    roles: ClassVar = {"list": Role.ADMIN, "retrieve": Role.ADMIN}
    write_role = Role.ADMIN
    filterset_class = DeliveryFilter
    search_fields: ClassVar = ["event", "message", "error"]
    ordering_fields: ClassVar = ["id", "next_at", "attempts"]
    ordering: ClassVar = ["-id"]

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return DeliverySerializer if self.action == "list" else DeliveryDetailSerializer

    def get_queryset(self) -> QuerySet:
        if getattr(self, "swagger_fake_view", False):
            return Delivery.objects.none()
        rows = limit_to_administered(super().get_queryset(), request_roles(self.request), "webhook__site_id")
        return rows.defer("body") if self.action == "list" else rows

    def site_of(self, row: Delivery) -> int | None:
        return row.webhook.site_id

    @extend_schema(request=None, responses={200: DeliverySerializer})
    @action(detail=True, methods=["post"])
    def replay(self, request: Request, pk: str) -> Response:
        """Send this message again, under its old id."""
        row = self.get_object()
        services.replay(Delivery.objects.filter(pk=row.pk))
        return Response(DeliverySerializer(self.get_queryset().get(pk=row.pk)).data)


def register(router: BaseRouter) -> None:
    router.register("webhooks", WebhookViewSet, basename="webhook")
    router.register("webhook-deliveries", DeliveryViewSet, basename="webhook-delivery")
