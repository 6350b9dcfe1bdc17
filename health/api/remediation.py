"""Routes of automation: what it may do, what it would do, what it did, and the incidents it works on."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.http import Http404
from django_filters import rest_framework as filters
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
    extend_schema_view,
)
from rest_framework import exceptions, mixins, serializers, status
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role, Site
from core.scope import allows, request_roles, visible_site_ids, visible_sites
from health.api.remediation_answers import (
    AutomationSerializer,
    IncidentFaultSerializer,
    MachineNameSerializer,
    PlanRowSerializer,
    RemedySerializer,
    StuckSerializer,
)
from health.models import AllowedWindow, Incident, RemediationAction, RemedySwitch
from health.models.remediation import AUTOMATIC_RUNGS
from health.queries import remediation as queries
from health.services.remediating import acting, automation, incidents

LARGEST_ID = 2**63 - 1
SITE = OpenApiParameter("site", int, description="Site id; without it the first site you may see.")


def site_of(request: Request) -> Site:
    """The site that is asked for, of those one may see. Raises Http404 or ValidationError."""
    sites = visible_sites(request_roles(request)).order_by("pk")
    wanted = request.query_params.get("site")
    if wanted is not None and not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 19):
        raise serializers.ValidationError({"site": ["Give an id, a whole number."]})
    site = (sites if wanted is None else sites.filter(pk=int(wanted))).first()
    if site is None:
        raise Http404("no such site")
    return site


def needs(request: Request, site_id: int | None, role: Role) -> None:
    """Raises PermissionDenied without the role at the site (None: at every site)."""
    if not allows(request_roles(request), site_id, role):
        where = "every site" if site_id is None else "that site"
        raise exceptions.PermissionDenied(f"Your role on {where} does not allow this.")


# ---- what is asked ----


class WhySerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300)


class SiteWhySerializer(WhySerializer):
    site = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class LimitsSerializer(serializers.Serializer):
    """Any of the limits; those not named stay as they are."""

    site = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    drains_10min = serializers.IntegerField(min_value=0, max_value=1000, required=False)
    drains_1h = serializers.IntegerField(min_value=0, max_value=10000, required=False)
    same_cause = serializers.IntegerField(min_value=0, max_value=1000, required=False)
    power_1h = serializers.IntegerField(min_value=0, max_value=1000, required=False)
    power_spacing_s = serializers.IntegerField(min_value=0, max_value=86400, required=False)
    reboots_7d = serializers.IntegerField(min_value=0, max_value=1000, required=False)
    remediations_7d = serializers.IntegerField(min_value=0, max_value=1000, required=False)
    off_s = serializers.IntegerField(min_value=0, max_value=3600, required=False)
    patience_s = serializers.IntegerField(min_value=0, max_value=604800, required=False)


class ResolveSerializer(WhySerializer):
    outcome = serializers.ChoiceField(["confirmed", "failed", "cancelled"])


# ---- automation of a site ----


class SiteAction(APIView):
    """A write at one site, which the role at that site must allow."""

    write_role = Role.ADMIN
    asked: type[serializers.Serializer] = SiteWhySerializer

    def work(self, site_id: int, given: dict[str, Any], actor: str) -> None:
        raise NotImplementedError

    def change(self, request: Request) -> Response:
        serializer = self.asked(data=request.data)
        serializer.is_valid(raise_exception=True)
        given = dict(serializer.validated_data)
        site_id = given.pop("site")
        if not visible_sites(request_roles(request)).filter(pk=site_id).exists():
            raise serializers.ValidationError({"site": ["There is no such record, or you may not see it."]})
        needs(request, site_id, self.write_role)
        self.work(site_id, given, request.user.get_username())
        return Response(queries.automation(site_id))


class KillView(SiteAction):
    write_role = Role.OPERATOR

    @extend_schema(summary="Stop automation", request=SiteWhySerializer, responses={200: AutomationSerializer})
    def post(self, request: Request) -> Response:
        """Nothing is granted or sent from here on; what was sent before is followed to its end."""
        return self.change(request)

    def work(self, site_id: int, given: dict[str, Any], actor: str) -> None:
        automation.kill(site_id, reason=given["reason"], actor=actor)


class ReleaseView(SiteAction):
    @extend_schema(summary="Let automation go on", request=SiteWhySerializer, responses={200: AutomationSerializer})
    def post(self, request: Request) -> Response:
        return self.change(request)

    def work(self, site_id: int, given: dict[str, Any], actor: str) -> None:
        automation.release(site_id, reason=given["reason"], actor=actor)


class CloseBreakerView(SiteAction):
    @extend_schema(summary="Close the breaker", request=SiteWhySerializer, responses={200: AutomationSerializer})
    def post(self, request: Request) -> Response:
        """Its counts begin anew."""
        return self.change(request)

    def work(self, site_id: int, given: dict[str, Any], actor: str) -> None:
        automation.close_breaker(site_id, reason=given["reason"], actor=actor)


class LimitsView(SiteAction):
    asked = LimitsSerializer

    @extend_schema(summary="Change limits", request=LimitsSerializer, responses={200: AutomationSerializer})
    def patch(self, request: Request) -> Response:
        return self.change(request)

    def work(self, site_id: int, given: dict[str, Any], actor: str) -> None:
        automation.set_limits(site_id, given, actor=actor)


@extend_schema(summary="Automation of a site", parameters=[SITE], responses={200: AutomationSerializer})
@api_view(["GET"])
def automation_of_site(request: Request) -> Response:
    """Kill switch, breaker with its counts, budgets of the pools, limits, and what waits for which guard."""
    return Response(queries.automation(site_of(request).pk))


@extend_schema(summary="What automation would do now", parameters=[SITE], responses={200: PlanRowSerializer(many=True)})
@api_view(["GET"])
def plan(request: Request) -> Response:
    """One row per machine with an incident, in the order automation looks at them, with what stands in the way."""
    return Response(queries.plan(site_of(request).pk))


@extend_schema(summary="The remedies there are", responses={200: RemedySerializer(many=True)})
@api_view(["GET"])
def remedies(request: Request) -> Response:
    return Response(queries.remedies())


@extend_schema(
    summary="Machines longer in a state than that should take",
    parameters=[OpenApiParameter("site", int, description="Of this site only.")],
    responses={200: StuckSerializer(many=True)},
)
@api_view(["GET"])
def stuck(request: Request) -> Response:
    site = site_of(request).pk if "site" in request.query_params else None
    return Response(queries.stuck(visible_site_ids(request_roles(request)), site))


# ---- actions ----


class ActionSerializer(serializers.ModelSerializer):
    machine = serializers.SerializerMethodField()
    check = serializers.CharField(source="check_id")

    class Meta:
        model = RemediationAction
        fields: ClassVar = [
            "id", "key", "machine", "incident", "fault", "check", "rung", "remedy", "attempt", "params", "state",
            "planned_by", "reason", "refused_by", "refused_reason", "planned_at", "granted_at", "sent_at",
            "finished_at", "deadline", "report", "result", "verified", "evidence", "overridden_by",
        ]  # fmt: skip

    @extend_schema_field(MachineNameSerializer)
    def get_machine(self, row: RemediationAction) -> dict[str, Any]:
        return {"id": row.machine_id, "name": row.machine.device.name}


class ActionFilter(filters.FilterSet):
    site = filters.NumberFilter(field_name="machine__device__site_id")
    state = filters.MultipleChoiceFilter(choices=RemediationAction._meta.get_field("state").choices)
    open = filters.BooleanFilter(field_name="finished_at", lookup_expr="isnull")

    class Meta:
        model = RemediationAction
        fields: tuple[str, ...] = ("machine", "incident", "remedy")


class ActionViewSet(ReadOnlyViewSet):
    """What automation did, newest first."""

    queryset = RemediationAction.objects.select_related("machine__device").order_by("-id")
    serializer_class = ActionSerializer
    site_field = "machine__device__site_id"
    write_role = Role.OPERATOR
    filterset_class = ActionFilter
    ordering_fields = ("id", "sent_at", "finished_at")

    @extend_schema(request=ResolveSerializer, responses={200: ActionSerializer})
    @action(detail=True, methods=["post"])
    def resolve(self, request: Request, pk: str) -> Response:
        """Say of an ambiguous action whether it happened, had no effect, or never was sent."""
        row = self.get_object()
        given = ResolveSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            acting.resolve(row.pk, actor=self.person.get_username(), **given.validated_data)
        except acting.NotAmbiguous as error:
            raise Conflict(f"Only an ambiguous action is decided by a person: {error}.") from error
        return Response(self.get_serializer(self.get_queryset().get(pk=row.pk)).data)


# ---- incidents ----


@extend_schema_serializer(component_name="MachineIncident")
class IncidentSerializer(serializers.ModelSerializer):
    machine = serializers.SerializerMethodField()
    drained = serializers.SerializerMethodField()

    class Meta:
        model = Incident
        fields: ClassVar = [
            "id", "site", "kind", "machine", "cause_kind", "cause", "title", "drained", "automation_first",
            "needs_person_at", "needs_person_reason", "refused_by", "opened_at", "closed_at", "closed_by",
            "close_reason",
        ]  # fmt: skip

    @extend_schema_field(MachineNameSerializer(allow_null=True))
    def get_machine(self, row: Incident) -> dict[str, Any] | None:
        return {"id": row.machine_id, "name": row.machine.device.name} if row.machine is not None else None

    def get_drained(self, row: Incident) -> bool:
        return row.drained_at is not None


@extend_schema_serializer(component_name="MachineIncidentDetail")
class IncidentDetailSerializer(IncidentSerializer):
    faults = serializers.SerializerMethodField()
    actions = ActionSerializer(many=True)

    class Meta(IncidentSerializer.Meta):
        fields: ClassVar = [*IncidentSerializer.Meta.fields, "faults", "actions"]

    @extend_schema_field(IncidentFaultSerializer(many=True))
    def get_faults(self, row: Incident) -> list[dict[str, Any]]:
        return [
            {
                "id": fault.pk,
                "machine": {"id": fault.machine_id, "name": fault.machine.device.name},
                "slot": fault.slot,
                "fault_class": fault.fault_class,
                "message": fault.message,
                "status": fault.status,
            }
            for fault in row.faults.all()
        ]


class IncidentFilter(filters.FilterSet):
    open = filters.BooleanFilter(field_name="closed_at", lookup_expr="isnull")

    class Meta:
        model = Incident
        fields: tuple[str, ...] = ("site", "kind", "machine", "cause_kind")


class IncidentViewSet(ReadOnlyViewSet):
    """Incidents, newest first: of one machine, with one cause for several, or of a check."""

    queryset = queries.incidents()
    site_field = "site_id"
    write_role = Role.OPERATOR
    filterset_class = IncidentFilter
    ordering_fields = ("id", "opened_at", "closed_at")
    search_fields = ("title", "cause", "machine__device__name")

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.incidents() if self.action == "list" else queries.incidents_in_full()
        return super().get_queryset()

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return IncidentSerializer if self.action == "list" else IncidentDetailSerializer

    @extend_schema(request=WhySerializer, responses={200: IncidentDetailSerializer})
    @action(detail=True, methods=["post"])
    def close(self, request: Request, pk: str) -> Response:
        """End an incident. The machines of a shared one are looked at each for itself again."""
        row = self.get_object()
        given = WhySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        if row.closed_at is not None:
            raise Conflict("The incident is closed already.")
        incidents.close_by_person(row.pk, by=self.person.get_username(), reason=given.validated_data["reason"])
        return Response(self.get_serializer(self.get_queryset().get(pk=row.pk)).data)


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
    rungs = serializers.ListField(child=serializers.ChoiceField(AUTOMATIC_RUNGS), allow_empty=False, max_length=5)
    reason = serializers.CharField(max_length=300)

    class Meta:
        model = AllowedWindow
        fields: ClassVar = ["id", "site", "weekdays", "from_time", "to_time", "rungs", "by", "reason"]
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
    router.register("health/actions", ActionViewSet, basename="remediation-action")
    router.register("health/incidents", IncidentViewSet, basename="incident")
    router.register("health/remedy-switches", SwitchViewSet, basename="remedy-switch")
    router.register("health/windows", WindowViewSet, basename="allowed-window")
