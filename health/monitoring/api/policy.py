"""Routes of what people decide about checks: other thresholds, silences, checks that only observe."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import allows, limit_to_sites, request_roles, visible_site_ids, visible_sites
from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from core.rest.numbers import FloatField
from health.machines.parameters import identity
from health.monitoring.models.policy import SCOPES, ObserveOnly, Silence, ThresholdOverride
from health.monitoring.queries.policy import live
from health.monitoring.services import decisions as services
from inventory.models import DeviceModel, Machine


class ThresholdsField(serializers.DictField):
    """Name of a threshold to its number."""

    child = FloatField()

    def __init__(self, **more: Any) -> None:
        super().__init__(allow_empty=False, **more)


# ---- what is answered ----


class DecisionSerializer(serializers.ModelSerializer):
    check = serializers.CharField(source="check_id")
    active = serializers.SerializerMethodField(help_text="Neither ended nor expired.")

    def get_active(self, row: Any) -> bool:
        return activity(row)


def activity(row: Any) -> bool:
    return row.ended_at is None and (row.expires_at is None or row.expires_at > timezone.now())


why_fields = ["reason", "owner", "expires_at", "created_by", "created_at", "ended_at", "ended_by", "active"]


class ScopedSerializer(DecisionSerializer):
    about = serializers.SerializerMethodField(help_text="Name of the site, model or machine.")

    def get_about(self, row: Any) -> str:
        if row.scope == "machine":
            return str(row.machine.device.name)
        if row.scope == "site":
            return str(row.site.name)
        return f"{row.model.name} at {row.site.name}" if row.site else str(row.model.name)


class OverrideSerializer(ScopedSerializer):
    thresholds = ThresholdsField()

    class Meta:
        model = ThresholdOverride
        fields: ClassVar = ["id", "check", "scope", "site", "model", "machine", "about", "thresholds", *why_fields]


class SilenceSerializer(ScopedSerializer):
    class Meta:
        model = Silence
        fields: ClassVar = ["id", "check", "part", "scope", "site", "model", "machine", "about", *why_fields]


class AuditModeSerializer(DecisionSerializer):
    class Meta:
        model = ObserveOnly
        fields: ClassVar = ["id", "check", "site", *why_fields]


# ---- what is asked ----


class WhySerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300)
    owner = serializers.CharField(
        max_length=150,
        required=False,
        help_text="User name of who answers for it, with a role there; by default whoever asks.",
    )
    expires_at = serializers.DateTimeField(required=False, allow_null=True)


class NewScopedSerializer(WhySerializer):
    check = serializers.CharField(max_length=60)
    scope = serializers.ChoiceField(SCOPES)
    site = identity(required=False, allow_null=True)
    model = identity(required=False, allow_null=True)
    machine = identity(required=False, allow_null=True)


class NewOverrideSerializer(NewScopedSerializer):
    thresholds = ThresholdsField()


class NewSilenceSerializer(NewScopedSerializer):
    part = serializers.CharField(
        max_length=60, allow_blank=True, default="", help_text="A slot, a mount point or machine; empty: every part."
    )
    expires_at = serializers.DateTimeField()


class NewAuditModeSerializer(WhySerializer):
    check = serializers.CharField(max_length=60)
    site = identity(required=False, allow_null=True)


class ChangeSerializer(WhySerializer):
    """What may change of a live decision."""

    reason = serializers.CharField(max_length=300, required=False)


class ChangeOverrideSerializer(ChangeSerializer):
    thresholds = ThresholdsField(required=False)


class ChangeSilenceSerializer(ChangeSerializer):
    expires_at = serializers.DateTimeField(required=False)


# ---- routes ----


class DecisionFilter(filters.FilterSet):
    check = filters.CharFilter(field_name="check_id")
    site = filters.NumberFilter(field_name="site_id")
    active = filters.BooleanFilter(method="only_active", label="Neither ended nor expired.")

    def only_active(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        return live(queryset) if value else queryset.exclude(pk__in=live(queryset).values("pk"))


class ScopedFilter(DecisionFilter):
    model = filters.NumberFilter(field_name="model_id")
    machine = filters.NumberFilter(field_name="machine_id")
    scope = filters.ChoiceFilter(choices=[(word, word) for word in SCOPES])


class DecisionViewSet(ReadOnlyViewSet, ABC):
    """A decision for all sites is seen by everybody, and made and ended by who has the role at every site."""

    site_field = "site_id"
    write_role = Role.OPERATOR
    filterset_class: type[DecisionFilter] = DecisionFilter
    ordering_fields = ("id", "check_id", "expires_at", "created_at")
    search_fields = ("check_id", "reason", "owner")
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]  # noqa: RUF012  (as Django has it)
    asked: type[WhySerializer]
    changed: type[ChangeSerializer]

    def get_queryset(self) -> QuerySet:
        queryset: QuerySet = vars(type(self))["queryset"]
        if getattr(self, "swagger_fake_view", False):
            return queryset.none()
        ids = visible_site_ids(request_roles(self.request))
        return queryset.all() if ids is None else queryset.filter(Q(site=None) | Q(site__in=ids))

    def create(self, request: Request) -> Response:
        given = self.asked(data=request.data)
        given.is_valid(raise_exception=True)
        actor = self.person.get_username()
        body = {"owner": actor, "expires_at": None, **given.validated_data}
        why = {"actor": actor, **{name: body[name] for name in ("reason", "owner", "expires_at")}}
        row = self.refusing(lambda: self.make(body, why))
        return Response(self.shown(row.pk), status=status.HTTP_201_CREATED)

    @abstractmethod
    def make(self, body: dict[str, Any], why: dict[str, Any]) -> Any:
        """The decision that is asked for; `why` are who, for what reason and until when."""

    def partial_update(self, request: Request, pk: str) -> Response:
        """Change reason, owner, expiry, thresholds or response of a decision that is live."""
        row = self.get_object()
        given = self.changed(data=request.data)
        given.is_valid(raise_exception=True)
        actor = self.person.get_username()
        if "owner" in given.validated_data:
            self.needs_owner(given.validated_data["owner"], row.site_id)
        if given.validated_data:
            self.refusing(lambda: services.change(row, actor=actor, **given.validated_data))
        return Response(self.shown(row.pk))

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """End it; the row stays as the record of it."""
        row = self.get_object()
        self.refusing(lambda: services.end(row, actor=self.person.get_username()))
        return Response(status=status.HTTP_204_NO_CONTENT)

    def shown(self, pk: int) -> Any:
        return self.get_serializer(self.get_queryset().get(pk=pk)).data

    def refusing(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except services.PolicyRefused as refused:
            raise serializers.ValidationError({name: [text] for name, text in refused.fields.items()}) from refused
        except services.AlreadyDecided as error:
            raise Conflict("It is decided already: there is a live one, or this one has ended.") from error

    def needs_site(self, site_id: int | None) -> None:
        if not allows(request_roles(self.request), site_id, self.write_role):
            where = "every site" if site_id is None else "that site"
            raise exceptions.PermissionDenied(f"Your role on {where} does not allow this.")

    def needs_owner(self, name: str, site_id: int | None) -> None:
        if not services.is_person(name, site_id):
            raise serializers.ValidationError({"owner": [services.NOBODY]})

    def asked_site(self, body: dict[str, Any]) -> int | None:
        """The site that a decision is asked for, None for all. Raises ValidationError or PermissionDenied."""
        site_id: int | None = body.get("site")
        if site_id is not None and not visible_sites(request_roles(self.request)).filter(pk=site_id).exists():
            raise serializers.ValidationError({"site": ["There is no such record, or you may not see it."]})
        self.needs_site(site_id)
        self.needs_owner(body["owner"], site_id)
        return site_id

    def where(self, body: dict[str, Any]) -> services.Where:
        """The scope that is asked for, of records that may be seen. Raises ValidationError or PermissionDenied."""
        roles = request_roles(self.request)
        found = services.Where(body["scope"], body.get("site"), body.get("model"), body.get("machine"))
        machines = limit_to_sites(Machine.objects.all(), roles, "device__site_id")
        for name, pk, rows in (
            ("site", found.site_id, visible_sites(roles)),
            ("model", found.model_id, DeviceModel.objects.all()),
            ("machine", found.machine_id, machines),
        ):
            if pk is not None and not rows.filter(pk=pk).exists():
                raise serializers.ValidationError({name: ["There is no such record, or you may not see it."]})
        site_id = self.refusing(found.columns)["site_id"]
        self.needs_site(site_id)
        self.needs_owner(body["owner"], site_id)
        return found


@extend_schema_view(
    create=extend_schema(request=NewOverrideSerializer, responses={201: OverrideSerializer}),
    partial_update=extend_schema(request=ChangeOverrideSerializer, responses={200: OverrideSerializer}),
)
class OverrideViewSet(DecisionViewSet):
    """Checks with other limits at a site, on a device model or on a machine. The nearest scope wins."""

    queryset = ThresholdOverride.objects.select_related("site", "model", "machine__device")
    serializer_class = OverrideSerializer
    filterset_class = ScopedFilter
    asked, changed = NewOverrideSerializer, ChangeOverrideSerializer

    def make(self, body: dict[str, Any], why: dict[str, Any]) -> ThresholdOverride:
        return services.override_thresholds(body["check"], self.where(body), body["thresholds"], **why)


@extend_schema_view(
    create=extend_schema(request=NewSilenceSerializer, responses={201: SilenceSerializer}),
    partial_update=extend_schema(request=ChangeSilenceSerializer, responses={200: SilenceSerializer}),
)
class SilenceViewSet(DecisionViewSet):
    """Checks that turn nothing red until a time, on one part or on all."""

    queryset = Silence.objects.select_related("site", "model", "machine__device")
    serializer_class = SilenceSerializer
    filterset_class = ScopedFilter
    asked, changed = NewSilenceSerializer, ChangeSilenceSerializer

    def make(self, body: dict[str, Any], why: dict[str, Any]) -> Silence:
        return services.silence(body["check"], self.where(body), part=body["part"], **why)


@extend_schema_view(
    create=extend_schema(request=NewAuditModeSerializer, responses={201: AuditModeSerializer}),
    partial_update=extend_schema(request=ChangeSerializer, responses={200: AuditModeSerializer}),
)
class AuditModeViewSet(DecisionViewSet):
    """Checks in audit mode: they evaluate and show, but open no fault, at a site or at all of them (`site` null)."""

    queryset = ObserveOnly.objects.select_related("site")
    serializer_class = AuditModeSerializer
    asked, changed = NewAuditModeSerializer, ChangeSerializer

    def make(self, body: dict[str, Any], why: dict[str, Any]) -> ObserveOnly:
        return services.observe_only(body["check"], self.asked_site(body), **why)


def register(router: BaseRouter) -> None:
    router.register("health/overrides", OverrideViewSet, basename="threshold-override")
    router.register("health/silences", SilenceViewSet, basename="silence")
    router.register("health/audit-mode", AuditModeViewSet, basename="audit-mode")
