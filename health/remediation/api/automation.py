"""Routes of automation: what it may do and what it would do. What it did: `actions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import exceptions, mixins, serializers, status
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.accounts.scope import allows, request_roles, visible_site_ids, visible_sites
from core.api import ReadOnlyViewSet
from core.models import Role, Site
from core.rest.lists import listed
from health.machines.limits import TABLE
from health.machines.parameters import LARGEST_ID, number
from health.remediation.api.actions import WhySerializer
from health.remediation.api.answers import (
    AutomationSerializer,
    LimitSerializer,
    PlanRowSerializer,
    RemedySerializer,
    StuckSerializer,
    limit_field,
)
from health.remediation.models import AUTOMATIC_RUNGS, AllowedWindow, RemedySwitch
from health.remediation.queries import remediation as queries
from health.remediation.services import automation

SITE = OpenApiParameter("site", int, description="Site id; without it the first site you may see.")


def site_of(request: Request) -> Site:
    """The site that is asked for, of those one may see. Raises Http404 or ValidationError."""
    sites = visible_sites(request_roles(request)).order_by("pk")
    wanted = number(request, "site")
    site = (sites if wanted is None else sites.filter(pk=wanted)).first()
    if site is None:
        raise Http404("no such site")
    return site


def needs(request: Request, site_id: int | None, role: Role) -> None:
    """Raises PermissionDenied without the role at the site (None: at every site)."""
    if not allows(request_roles(request), site_id, role):
        where = "every site" if site_id is None else "that site"
        raise exceptions.PermissionDenied(f"Your role on {where} does not allow this.")


# ---- what is asked ----


class SiteWhySerializer(WhySerializer):
    site = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class LimitsSerializer(serializers.Serializer):
    """Any of the limits, by name; those not named stay as they are. A name that is no limit is refused."""

    site = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)

    def get_fields(self) -> dict[str, serializers.Field]:
        return super().get_fields() | {name: limit_field(name, required=False) for name in TABLE}

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if unknown := sorted(set(self.initial_data) - set(self.fields)):
            raise serializers.ValidationError({name: ["There is no such limit."] for name in unknown})
        return given


# ---- automation of a site ----


class SiteAction(APIView):
    """A write at one site, which the role at that site must allow."""

    write_role = Role.ADMIN

    def change(self, request: Request, asked: type[serializers.Serializer], work: Callable[..., object]) -> Response:
        """Do `work(site, actor=, **what was asked)` and answer with the site's automation."""
        serializer = asked(data=request.data)
        serializer.is_valid(raise_exception=True)
        given = dict(serializer.validated_data)
        site_id = given.pop("site")
        if not visible_sites(request_roles(request)).filter(pk=site_id).exists():
            raise serializers.ValidationError({"site": ["There is no such record, or you may not see it."]})
        needs(request, site_id, self.write_role)
        work(site_id, actor=request.user.get_username(), **given)
        return Response(queries.automation(site_id))


class KillView(SiteAction):
    write_role = Role.OPERATOR

    @extend_schema(summary="Stop automation", request=SiteWhySerializer, responses={200: AutomationSerializer})
    def post(self, request: Request) -> Response:
        """Nothing is granted or sent from here on; what was sent before is followed to its end."""
        return self.change(request, SiteWhySerializer, automation.kill)


class ReleaseView(SiteAction):
    @extend_schema(summary="Let automation go on", request=SiteWhySerializer, responses={200: AutomationSerializer})
    def post(self, request: Request) -> Response:
        return self.change(request, SiteWhySerializer, automation.release)


class CloseBreakerView(SiteAction):
    @extend_schema(
        summary="Close the circuit breaker", request=SiteWhySerializer, responses={200: AutomationSerializer}
    )
    def post(self, request: Request) -> Response:
        """Its counts start again."""
        return self.change(request, SiteWhySerializer, automation.close_breaker)


class LimitsView(SiteAction):
    @extend_schema(summary="The limits of a site", parameters=[SITE], responses={200: LimitSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """Each with its value here, its default, its range and what it is about."""
        return listed(queries.limits(site_of(request).pk))

    @extend_schema(summary="Change limits", request=LimitsSerializer, responses={200: AutomationSerializer})
    def patch(self, request: Request) -> Response:
        return self.change(request, LimitsSerializer, _set_limits)


def _set_limits(site_id: int, *, actor: str, **wanted: float) -> None:
    automation.set_limits(site_id, wanted, actor=actor)


@extend_schema(summary="Automation of a site", parameters=[SITE], responses={200: AutomationSerializer})
@api_view(["GET"])
def automation_of_site(request: Request) -> Response:
    """Kill switch, circuit breaker with its counts, budgets of the pools, limits, and what waits for which guard."""
    return Response(queries.automation(site_of(request).pk))


@extend_schema(
    summary="Planned actions of automation", parameters=[SITE], responses={200: PlanRowSerializer(many=True)}
)
@api_view(["GET"])
def plan(request: Request) -> Response:
    """One row per machine with an incident, in the order automation handles them, with what stands in the way."""
    return listed(queries.plan(site_of(request).pk))


@extend_schema(summary="The remedies there are", responses={200: RemedySerializer(many=True)})
@api_view(["GET"])
def remedies(request: Request) -> Response:
    return listed(queries.remedies())


@extend_schema(
    summary="Machines longer in a state than that should take",
    parameters=[OpenApiParameter("site", int, description="Of this site only.")],
    responses={200: StuckSerializer(many=True)},
)
@api_view(["GET"])
def stuck(request: Request) -> Response:
    site = site_of(request).pk if "site" in request.query_params else None
    return listed(queries.stuck(visible_site_ids(request_roles(request)), site))


# ---- switches and windows ----


class SwitchSerializer(serializers.ModelSerializer):
    check = serializers.CharField(source="check_id", max_length=60)
    mode = serializers.ChoiceField(RemedySwitch.Mode.choices)
    reason = serializers.CharField(max_length=300)

    class Meta:
        model = RemedySwitch
        fields: ClassVar = ["id", "check", "remedy", "site", "mode", "by", "reason", "at"]
        read_only_fields: ClassVar = ["by", "at"]
        validators: ClassVar[list[Any]] = []  # a second one for the same remedy changes the first


@extend_schema_view(create=extend_schema(request=SwitchSerializer, responses={201: SwitchSerializer}))
class SwitchViewSet(ReadOnlyViewSet):
    """Which remedies may be carried out for which check, at a site or at all (`site` null). Others are dry runs."""

    queryset = RemedySwitch.objects.all()
    serializer_class = SwitchSerializer
    write_role = Role.ADMIN
    filterset_fields = ("site", "remedy", "mode", "check_id")
    ordering_fields = ("check_id", "remedy", "at")

    def get_queryset(self) -> QuerySet:
        rows = RemedySwitch.objects.order_by("check_id", "remedy", "site_id")
        if getattr(self, "swagger_fake_view", False):
            return rows.none()
        ids = visible_site_ids(request_roles(self.request))
        return rows if ids is None else rows.filter(Q(site=None) | Q(site__in=ids))

    def create(self, request: Request) -> Response:
        given = self.get_serializer(data=request.data)
        given.is_valid(raise_exception=True)
        return Response(self._set(given.validated_data), status=status.HTTP_201_CREATED)

    def _set(self, wanted: dict[str, Any]) -> Any:
        site = wanted.get("site")
        site_id = site.pk if site is not None else None
        if site_id is not None and not visible_sites(request_roles(self.request)).filter(pk=site_id).exists():
            raise serializers.ValidationError({"site": ["There is no such record, or you may not see it."]})
        needs(self.request, site_id, Role.ADMIN)
        try:
            row = automation.set_switch(
                wanted["check_id"],
                wanted["remedy"],
                site_id=site_id,
                mode=wanted["mode"],
                reason=wanted["reason"],
                actor=self.person.get_username(),
            )
        except automation.Unknown as error:
            field = "remedy" if "remedy" in str(error) else "check"
            raise serializers.ValidationError({field: [f"{error}."]}) from error
        return self.get_serializer(row).data

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Back to a dry run, or to what holds at every site."""
        row = self.get_object()
        automation.remove_switch(row.pk, actor=self.person.get_username())
        return Response(status=status.HTTP_204_NO_CONTENT)


class WindowSerializer(serializers.ModelSerializer):
    weekdays = serializers.IntegerField(min_value=1, max_value=127, help_text="Sum of 1 Monday, 2 Tuesday .. 64.")
    levels = serializers.ListField(
        source="rungs", child=serializers.ChoiceField(AUTOMATIC_RUNGS), allow_empty=False, max_length=5
    )
    reason = serializers.CharField(max_length=300)

    class Meta:
        model = AllowedWindow
        fields: ClassVar = ["id", "site", "weekdays", "from_time", "to_time", "levels", "by", "reason"]
        read_only_fields: ClassVar = ["by"]

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        begin = given.get("from_time", getattr(self.instance, "from_time", None))
        if begin == given.get("to_time", getattr(self.instance, "to_time", None)):
            raise serializers.ValidationError({"to_time": ["The window has no length."]})
        return given


class WindowViewSet(mixins.CreateModelMixin, mixins.UpdateModelMixin, mixins.DestroyModelMixin, ReadOnlyViewSet):
    """Weekly hours, by the site's clock, for what takes a machine down that is not known to be empty."""

    queryset = AllowedWindow.objects.order_by("site", "id")
    serializer_class = WindowSerializer
    write_role = Role.ADMIN
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]  # noqa: RUF012  (as Django has it)
    filterset_fields = ("site",)

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        self._save(serializer)

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        self._save(serializer)

    def _save(self, serializer: serializers.BaseSerializer) -> None:
        site = serializer.validated_data.get("site") or serializer.instance.site  # type: ignore[union-attr]
        if not visible_sites(request_roles(self.request)).filter(pk=site.pk).exists():
            raise serializers.ValidationError({"site": ["There is no such record, or you may not see it."]})
        needs(self.request, site.pk, Role.ADMIN)
        serializer.instance = automation.save_window(
            serializer.validated_data, actor=self.person.get_username(), window=serializer.instance
        )

    def perform_destroy(self, instance: AllowedWindow) -> None:
        automation.remove_window(instance, actor=self.person.get_username())


def register(router: BaseRouter) -> None:
    router.register("health/remedy-switches", SwitchViewSet, basename="remedy-switch")
    router.register("health/windows", WindowViewSet, basename="allowed-window")
