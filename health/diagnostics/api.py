"""Active checks: what there is, runs and what came of them, and the windows of the weekly burn-in."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import exceptions, serializers, status
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import allows, limit_to_sites, request_roles
from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from core.rest.lists import listed
from health.checks import catalogue
from health.diagnostics import services
from health.diagnostics.catalogue import BURN_IN, KINDS, SINGLE, USUAL_BURN_IN
from health.diagnostics.models import ActiveMachine, ActiveRun, ActiveStep, ActiveWindow
from health.diagnostics.services.rounds import GROUPS
from health.diagnostics.shapes import NumberOrSwitchField, OutcomesSerializer, StepFindingSerializer
from health.diagnostics.ways import Way, WayRefused
from health.machines.models.machines import MachineHealth, Pool
from health.machines.parameters import LARGEST_ID, identity
from inventory.models import Machine

KIND_IDS = [*(kind.id for kind in KINDS), BURN_IN]


# ---- what there is ----


class ActiveOptionSerializer(serializers.Serializer):
    name = serializers.CharField()
    usual = NumberOrSwitchField(help_text="A whole number, or true or false.")
    least = serializers.IntegerField(allow_null=True)
    most = serializers.IntegerField(allow_null=True)


class ActiveKindSerializer(serializers.Serializer):
    """One active check. `checks` evaluate what it prints by `limits`, which overrides change as those of any check."""

    id = serializers.CharField()
    title = serializers.CharField()
    what = serializers.CharField()
    level = serializers.IntegerField(help_text="1 takes seconds, 4 hours.")
    minutes = serializers.FloatField()
    needs_idle = serializers.BooleanField()
    needs = serializers.ChoiceField(["machine", "pair", "group"])
    part = serializers.CharField()
    checks = serializers.ListField(child=serializers.CharField())
    limits = serializers.DictField(child=serializers.FloatField())
    options = ActiveOptionSerializer(many=True)
    source = serializers.CharField()  # type: ignore[assignment]


@extend_schema(responses={200: ActiveKindSerializer(many=True)}, filters=False)
@api_view(["GET"])
def active_checks(request: Request) -> Response:
    """All active checks. Each loads machines that run nothing else."""
    limits = {check.id: dict(check.thresholds) for check in catalogue()}
    rows = []
    for kind in KINDS:
        options = [
            {"name": name, "usual": int(usual), "least": int(low), "most": int(high)}
            for name, (usual, low, high) in kind.options.items()
        ]
        options += [{"name": name, "usual": on, "least": None, "most": None} for name, on in kind.switches.items()]
        rows.append({
            "id": kind.id, "title": kind.title, "what": kind.what, "level": kind.level, "minutes": kind.minutes,
            "needs_idle": True, "needs": kind.needs, "part": kind.part, "checks": list(kind.checks),
            "limits": {name: value for check in kind.checks for name, value in limits[check].items()},
            "options": options, "source": kind.source,
        })  # fmt: skip
    return listed(rows)


# ---- runs ----


class ActiveProgressSerializer(serializers.Serializer):
    done = serializers.IntegerField()
    total = serializers.IntegerField(help_text="Tests of the rounds begun so far.")
    stage = serializers.CharField()


class LeftOutSerializer(serializers.Serializer):
    machine_id = serializers.IntegerField()
    name = serializers.CharField()
    reason = serializers.CharField()


class ActiveRunSerializer(serializers.ModelSerializer[ActiveRun]):
    state = serializers.ChoiceField(ActiveRun.Status.values, source="status", read_only=True)
    progress = serializers.SerializerMethodField()
    results_count = serializers.IntegerField(read_only=True)
    machines = serializers.IntegerField(source="machine_count", read_only=True)
    result = serializers.SerializerMethodField(help_text="Tests by what came of them.")
    by = serializers.CharField(source="requested_by", read_only=True)
    options = serializers.DictField(read_only=True, help_text="All options, those that were not given as usual.")

    class Meta:
        model = ActiveRun
        fields: ClassVar = [
            "id", "site", "kind", "state", "options", "machines", "progress", "rounds", "result", "results_count",
            "window", "must_end_at", "reason", "by", "cancelled_by", "message", "created_at", "started_at",
            "finished_at",
        ]  # fmt: skip

    @extend_schema_field(ActiveProgressSerializer)
    def get_progress(self, run: Any) -> dict[str, Any]:
        stage = f"round {run.rounds}" if run.rounds else "not begun"
        return {"done": run.results_count, "total": run.step_count, "stage": stage}

    @extend_schema_field(OutcomesSerializer)
    def get_result(self, run: Any) -> dict[str, int]:
        return {"pass": run.passed, "fail": run.failed, "unknown": run.no_result}


class ConclusionSerializer(serializers.Serializer):
    """What the tests over groups say of one adapter."""

    bad = serializers.ListField(child=serializers.CharField())
    switches = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()), help_text="Bad ones, with those behind them."
    )
    undecided = serializers.DictField(child=serializers.CharField(), help_text="With the reason.")


@extend_schema_field(serializers.DictField(child=ConclusionSerializer(), help_text="By adapter and tool."))
class ConclusionsField(serializers.DictField):
    """Those that were stored, answered as they stand there."""


class ActiveRunDetailSerializer(ActiveRunSerializer):
    left_out = LeftOutSerializer(many=True, read_only=True)
    conclusion = ConclusionsField(read_only=True)
    machine_names = serializers.SerializerMethodField()
    way = serializers.SerializerMethodField(help_text="Of groups: how they are launched; else empty.")

    class Meta(ActiveRunSerializer.Meta):
        fields: ClassVar = [*ActiveRunSerializer.Meta.fields, "machine_names", "left_out", "conclusion", "way"]

    def get_way(self, run: ActiveRun) -> str:
        return str(run.launch.get("name", ""))

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_machine_names(self, run: ActiveRun) -> list[str]:
        return list(run.machines.order_by("machine__device__name").values_list("machine__device__name", flat=True))


class ActiveResultSerializer(serializers.ModelSerializer[ActiveStep]):
    """One test. `findings` are what the checks say of its parts; `about` which of a group it was to test."""

    machines = serializers.SerializerMethodField()
    repeats = serializers.IntegerField(source="repeats_id", read_only=True, allow_null=True)
    findings = StepFindingSerializer(many=True, read_only=True)

    class Meta:
        model = ActiveStep
        fields: ClassVar = [
            "id", "round", "number", "kind", "machines", "adapter", "about", "partners", "repeats", "status", "verdict",
            "message", "findings", "command", "output", "attempts", "started_at", "finished_at",
        ]  # fmt: skip

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_machines(self, step: ActiveStep) -> list[str]:
        names: dict[int, str] = self.context.get("names", {})
        return [names.get(pk, f"machine {pk}") for pk in step.machine_ids]


class NewActiveRunSerializer(serializers.Serializer):
    """Which machines: `machines`, `pairs`, all of a `pool`, or with `all_idle` all of a `site` that may be used."""

    kind = serializers.ChoiceField(KIND_IDS)
    machines = serializers.ListField(child=identity(), required=False, max_length=20_000)
    pairs = serializers.ListField(
        child=serializers.ListField(child=identity(), min_length=2, max_length=2), required=False, max_length=10_000
    )
    pool = identity(required=False)
    site = identity(required=False)
    all_idle = serializers.BooleanField(default=False)
    options = serializers.DictField(required=False)
    way = serializers.CharField(
        max_length=60, required=False, allow_blank=True, help_text="Of groups: how the site launches; empty: its first."
    )
    reason = serializers.CharField(max_length=300, required=False, allow_blank=True)


class PlannedMachineSerializer(serializers.Serializer):
    machine_id = serializers.IntegerField()
    name = serializers.CharField()
    taken_out = serializers.BooleanField(help_text="It is in service and idle, and would be taken out first.")


class ActivePlanSerializer(serializers.Serializer):
    kind = serializers.CharField()
    options = serializers.DictField(help_text="By the names of the options of the kind.")
    machines = PlannedMachineSerializer(many=True)
    left_out = LeftOutSerializer(many=True)
    rounds = serializers.IntegerField(help_text="At most.")
    minutes = serializers.FloatField(help_text="About, when nothing has to be taken apart or repeated.")


def _counted(rows: QuerySet) -> QuerySet:
    """Runs with the counts of their steps and machines, in one statement."""
    steps = ActiveStep.objects.filter(run=OuterRef("pk")).order_by().values("run")

    def of(only: Q) -> Coalesce:
        counted = steps.annotate(n=Count("pk", filter=only)).values("n")
        return Coalesce(Subquery(counted, output_field=IntegerField()), 0)

    machines = ActiveMachine.objects.filter(run=OuterRef("pk")).order_by().values("run")
    count = machines.annotate(n=Count("pk")).values("n")
    return rows.annotate(
        step_count=of(Q()),
        results_count=of(Q(status__in=["done", "cancelled"])),
        passed=of(Q(verdict="pass")),
        failed=of(Q(verdict="fail")),
        no_result=of(Q(verdict="unknown")),
        machine_count=Coalesce(Subquery(count, output_field=IntegerField()), 0),
    )


class ActiveRunFilter(filters.FilterSet):
    site = filters.NumberFilter(method="by_id")
    machine = filters.NumberFilter(method="by_machine")
    state = filters.ChoiceFilter(field_name="status", choices=ActiveRun.Status.choices)
    kind = filters.ChoiceFilter(choices=[(kind, kind) for kind in KIND_IDS])

    class Meta:
        model = ActiveRun
        fields: ClassVar[list[str]] = []

    def by_id(self, rows: QuerySet, name: str, value: float) -> QuerySet:
        return rows.filter(site_id=int(value)) if 0 <= value <= LARGEST_ID else rows.none()

    def by_machine(self, rows: QuerySet, name: str, value: float) -> QuerySet:
        return rows.filter(machines__machine_id=int(value)) if 0 <= value <= LARGEST_ID else rows.none()


@extend_schema_view(
    retrieve=extend_schema(responses={200: ActiveRunDetailSerializer}),
    create=extend_schema(request=NewActiveRunSerializer, responses={201: ActiveRunSerializer}),
)
class ActiveRunViewSet(ReadOnlyViewSet):
    """Runs of active checks, newest first. Reading needs viewer, starting one operator at the machines' site."""

    queryset = _counted(ActiveRun.objects.all()).order_by("-id")
    serializer_class = ActiveRunSerializer
    site_field = "site_id"
    filterset_class = ActiveRunFilter
    ordering_fields: ClassVar = ["id"]
    write_role = Role.OPERATOR

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return ActiveRunDetailSerializer if self.action == "retrieve" else ActiveRunSerializer

    def create(self, request: Request) -> Response:
        """Run active checks. Only machines that run nothing are used; the others are listed with the reason."""
        site_id, machines, body = self._asked(request)
        try:
            run = services.create(
                site_id, body["kind"], machines, by=self.person.get_username(), reason=body.get("reason", ""),
                options=body.get("options"), pairs=body.get("pairs", ()), way=self._way(site_id, body),
            )  # fmt: skip
        except services.ActiveRefused as error:
            raise Conflict(str(error)) from error
        return Response(ActiveRunSerializer(self.get_queryset().get(pk=run.pk)).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=NewActiveRunSerializer, responses={200: ActivePlanSerializer})
    @action(detail=False, methods=["post"])
    def plan(self, request: Request) -> Response:
        """What a run would do now. Nothing is written or begun."""
        site_id, machines, body = self._asked(request)
        way = self._way(site_id, body)
        try:
            seen = services.preview(
                body["kind"], machines, options=body.get("options"), pairs=body.get("pairs", ()), way=way
            )
        except services.ActiveRefused as error:
            raise Conflict(str(error)) from error
        by_slurm = way is not None and way.by_slurm
        answer = {
            "kind": body["kind"],
            "options": seen.options,
            "machines": [
                {"machine_id": each.machine_id, "name": each.name, "taken_out": each.in_service and not by_slurm}
                for each in seen.usable
            ],
            "left_out": [vars(each) for each in seen.left_out],
            "rounds": seen.rounds,
            "minutes": seen.minutes,
        }
        return Response(ActivePlanSerializer(answer).data)

    @extend_schema(request=None, responses={200: ActiveRunSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Begin nothing more and stop what runs; what ended is kept."""
        run = self.get_object()
        try:
            services.cancel(run.pk, by=self.person.get_username())
        except services.ActiveRefused as error:
            raise Conflict(str(error)) from error
        return Response(ActiveRunSerializer(self.get_queryset().get(pk=run.pk)).data)

    @extend_schema(responses={200: ActiveResultSerializer(many=True)}, filters=False)
    @action(detail=True, methods=["get"])
    def results(self, request: Request, pk: str) -> Response:
        """What came of each test, in the order they were run."""
        run = self.get_object()
        page = self.paginate_queryset(run.steps.order_by("round", "number")) or []
        names = dict(run.machines.values_list("machine_id", "machine__device__name"))
        rows = ActiveResultSerializer(page, many=True, context={"names": names}).data
        return self.get_paginated_response(rows)

    def _way(self, site_id: int, body: dict[str, Any]) -> Way | None:
        if body["kind"] != GROUPS:
            return None
        try:
            return services.way_of_site(site_id, body.get("way", ""))
        except WayRefused as error:
            raise exceptions.ValidationError({"way": [str(error)]}) from error

    def _asked(self, request: Request) -> tuple[int, list[int], dict[str, Any]]:
        """Site, machines and body of a request. Everything named must be one's own to act on, and of one site."""
        given = NewActiveRunSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        body = dict(given.validated_data)
        named = set(body.get("machines", ())) | {pk for pair in body.get("pairs", ()) for pk in pair}
        sites = {}
        if named:
            rows = limit_to_sites(Machine.objects.filter(pk__in=named), request_roles(request), "device__site_id")
            sites = dict(rows.values_list("pk", "device__site_id"))
            if lost := sorted(named - sites.keys()):
                raise exceptions.ValidationError({"machines": [f"There is no machine {lost[0]}."]})
        if "pool" in body:
            pool = limit_to_sites(Pool.objects.filter(pk=body["pool"]), request_roles(request), "site_id").first()
            if pool is None:
                raise exceptions.ValidationError({"pool": ["There is no such pool."]})
            sites |= dict.fromkeys(MachineHealth.objects.filter(pool=pool).values_list("pk", flat=True), pool.site_id)
        if body["all_idle"]:
            if "site" not in body:
                raise exceptions.ValidationError({"site": ["Say at which site."]})
            rows = limit_to_sites(MachineHealth.objects.filter(machine__device__site_id=body["site"]),
                                  request_roles(request), "machine__device__site_id")  # fmt: skip
            sites |= dict.fromkeys(rows.values_list("pk", flat=True), body["site"])
        if not sites:
            raise exceptions.ValidationError({"machines": ["No machine is named."]})
        if len(set(sites.values())) > 1:
            raise exceptions.ValidationError({"machines": ["Machines of two sites."]})
        site_id = next(iter(sites.values()))
        if not allows(request_roles(request), site_id, Role.OPERATOR):
            raise exceptions.PermissionDenied
        only_pairs = body.get("pairs") and not body.get("machines")
        return site_id, [] if only_pairs else sorted(sites), body


# ---- windows ----


class ActiveWindowSerializer(serializers.ModelSerializer[ActiveWindow]):
    """`from` and `to` are times of day in UTC; one that ends before it begins ends the next day."""

    kinds = serializers.ListField(
        child=serializers.ChoiceField(SINGLE), min_length=1, max_length=len(SINGLE), default=list(USUAL_BURN_IN)
    )

    # A word of Python cannot be an attribute by its name.
    vars()["from"] = serializers.TimeField(source="starts")
    to = serializers.TimeField(source="ends")

    class Meta:
        model = ActiveWindow
        fields: ClassVar = ["id", "site", "weekday", "from", "to", "kinds", "enabled", "started_at", "created_by"]
        read_only_fields: ClassVar = ["started_at", "created_by"]
        extra_kwargs: ClassVar = {"weekday": {"min_value": 0, "max_value": 6}}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        kinds = attrs.get("kinds")
        if kinds is not None and len(set(kinds)) != len(kinds):
            raise serializers.ValidationError({"kinds": ["Each kind once."]})
        starts = attrs.get("starts", getattr(self.instance, "starts", None))
        ends = attrs.get("ends", getattr(self.instance, "ends", None))
        if starts == ends:
            raise serializers.ValidationError({"to": ["It ends when it begins."]})
        return attrs


class ActiveWindowFilter(filters.FilterSet):
    site = filters.NumberFilter(method="by_id")

    class Meta:
        model = ActiveWindow
        fields: ClassVar = ["enabled", "weekday"]

    def by_id(self, rows: QuerySet, name: str, value: float) -> QuerySet:
        return rows.filter(site_id=int(value)) if 0 <= value <= LARGEST_ID else rows.none()


@extend_schema_view(
    create=extend_schema(request=ActiveWindowSerializer, responses={201: ActiveWindowSerializer}),
    partial_update=extend_schema(request=ActiveWindowSerializer(partial=True), responses={200: ActiveWindowSerializer}),
    destroy=extend_schema(responses={204: None}),
)
class ActiveWindowViewSet(ReadOnlyViewSet):
    """When idle machines of a site are burnt in by themselves."""

    queryset = ActiveWindow.objects.order_by("site", "weekday", "starts", "id")
    serializer_class = ActiveWindowSerializer
    site_field = "site_id"
    filterset_class = ActiveWindowFilter
    write_role = Role.OPERATOR

    def create(self, request: Request) -> Response:
        given = ActiveWindowSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        self._may_write(given.validated_data["site"].pk)
        window = services.save_window(ActiveWindow(created_by=self.person.get_username()), given.validated_data)
        return Response(ActiveWindowSerializer(window).data, status=status.HTTP_201_CREATED)

    def partial_update(self, request: Request, pk: str) -> Response:
        window = self.get_object()
        given = ActiveWindowSerializer(window, data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        if "site" in given.validated_data:
            self._may_write(given.validated_data["site"].pk)
        return Response(ActiveWindowSerializer(services.save_window(window, given.validated_data)).data)

    def destroy(self, request: Request, pk: str) -> Response:
        services.remove_window(self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _may_write(self, site_id: int) -> None:
        """A site that one may not see does not exist for one."""
        roles = request_roles(self.request)
        if not allows(roles, site_id, Role.VIEWER):
            raise exceptions.ValidationError({"site": ["There is no such site."]})
        if not allows(roles, site_id, Role.OPERATOR):
            raise exceptions.PermissionDenied


def register(router: BaseRouter) -> None:
    router.register("health/active-runs", ActiveRunViewSet, basename="active-run")
    router.register("health/active-windows", ActiveWindowViewSet, basename="active-window")
