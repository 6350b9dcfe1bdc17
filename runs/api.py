"""The routes of training runs, under /api/runs/: reports of launchers, the list, one run with its curve and ranks."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from django.urls import path
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.accounts.authentication import TokenAuthentication
from core.accounts.scope import request_roles
from core.http.parsers import refuse_large
from core.rest.lists import listed
from health.external.api import MOST_BYTES, JsonBody, SourceAuthentication, SourceOnly
from health.external.models import ReportSource
from health.machines.parameters import PAGE, SPAN, moment, number, page_of, paged
from health.schedulers import people
from runs import evidence_api, queries
from runs.causes.classes import CLASSES
from runs.fit import api as fit_api
from runs.found.api import RollCall, RunJobSerializer
from runs.hurt.api import running_on
from runs.losses.api import losses, losses_csv
from runs.metrics import api as metrics_api
from runs.metrics.api import MetricsActions
from runs.models import RunRank, TrainingRun
from runs.replacement.api import ReplacementActions
from runs.reports import NotReadable, report_of
from runs.services import intake
from runs.slowness.api import Slowness

POINTS = 600
OWNERS = sorted({row.owner for row in CLASSES.values() if row.owner})


# ---- what launchers report ----
class RunSerializer(serializers.Serializer):
    id = serializers.CharField(max_length=120, help_text="What the launcher calls the run: a job id, a run id.")
    attempt = serializers.IntegerField(min_value=0, required=False, help_text="Restarts before this one.")
    name = serializers.CharField(max_length=120, required=False)
    user = serializers.CharField(max_length=64, required=False)
    job = serializers.CharField(max_length=64, required=False, help_text="The scheduler's id.")
    launcher = serializers.CharField(max_length=32, required=False)
    world_size = serializers.IntegerField(min_value=1, required=False)
    parameters = serializers.FloatField(required=False, help_text="Of the model: a token takes 6 FLOPs for each.")
    flops_per_token = serializers.FloatField(required=False, help_text="Forward and backward, where known better.")
    expected_step_s = serializers.FloatField(required=False, help_text="A step as it should be.")
    settings = serializers.DictField(
        child=serializers.CharField(max_length=200), required=False, help_text="NCCL_* and versions: compared by runs."
    )
    logs = serializers.CharField(
        max_length=500, required=False, help_text="Where its logs are, such as `/logs/{job}/rank_{rank}.log`."
    )
    image = serializers.CharField(max_length=330, required=False, help_text="Of its containers, with registry and tag.")


class ReportedRankSerializer(serializers.Serializer):
    rank = serializers.IntegerField(min_value=0)
    local_rank = serializers.IntegerField(min_value=0, required=False)
    gpu = serializers.CharField(max_length=60, required=False, help_text="PCI address, or index of nvidia-smi.")
    clock_mhz = serializers.FloatField(required=False, help_text="Of the GPU, as read now.")
    power_w = serializers.FloatField(required=False)
    temperature_c = serializers.FloatField(required=False)


class ReportedStepsSerializer(serializers.Serializer):
    """Columns of equal length, one row a step."""

    rank = serializers.IntegerField(min_value=0)
    step = serializers.ListField(child=serializers.IntegerField())
    at = serializers.ListField(child=serializers.FloatField(), help_text="When each ended, seconds since 1970.")
    seconds = serializers.ListField(child=serializers.FloatField())
    loss = serializers.ListField(child=serializers.FloatField(allow_null=True), required=False)
    nan = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="Places whose loss is NaN or infinite; null there."
    )
    tokens = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="Of the step, over all ranks."
    )
    compute = serializers.ListField(child=serializers.FloatField(), required=False, help_text="Seconds of each step.")
    wait = serializers.ListField(child=serializers.FloatField(), required=False, help_text="In collectives, seconds.")


class ReportedEndSerializer(serializers.Serializer):
    rank = serializers.IntegerField(min_value=0)
    at = serializers.FloatField()
    error = serializers.CharField(required=False, allow_blank=True, help_text="The end of its traceback; empty: well.")


class ReportedCheckpointSerializer(serializers.Serializer):
    step = serializers.IntegerField(min_value=0)
    at = serializers.FloatField(help_text="When it was written, seconds since 1970.")


class RunReportSerializer(serializers.Serializer):
    """What the ranks of one machine have to say since the last time."""

    run = RunSerializer()
    machine = serializers.CharField(max_length=64)
    ranks = ReportedRankSerializer(many=True, required=False)
    steps = ReportedStepsSerializer(many=True, required=False)
    ended = ReportedEndSerializer(many=True, required=False)
    checkpoint = ReportedCheckpointSerializer(required=False, help_text="The newest one.")


class RunReportTakenSerializer(serializers.Serializer):
    run = serializers.IntegerField()
    steps = serializers.IntegerField(help_text="Of the curve, stored now; repeats are not counted.")
    too_old = serializers.IntegerField(help_text="Older than two hours, not stored.")


class RunReportsView(APIView):
    """A launcher's report of the ranks of one machine: who they are, their steps, how they ended.

    Sent with the token of a source of reports, which opens nothing else. What comes twice changes nothing.
    """

    authentication_classes = (SourceAuthentication, TokenAuthentication, SessionAuthentication)
    permission_classes = (SourceOnly,)
    parser_classes = (JsonBody,)

    @extend_schema(
        summary="Report a training run",
        request={"application/json": RunReportSerializer},
        responses={200: RunReportTakenSerializer},
    )
    def post(self, request: Request) -> Response:
        refuse_large(request, MOST_BYTES, f"At most {MOST_BYTES // 2**20} MB in a request.")
        source: ReportSource = request.auth  # type: ignore[assignment]  # the permission lets only those in
        try:
            report = report_of(request.data, timezone.now().timestamp())
        except NotReadable as error:
            raise ValidationError({"detail": [str(error)]}) from error
        taken = intake.take(source, report)
        return Response({"run": taken.run, "steps": taken.steps, "too_old": taken.too_old})


# ---- runs ----
class EvidenceLineSerializer(serializers.Serializer):
    source = serializers.CharField()  # type: ignore[assignment]
    line = serializers.IntegerField()
    rank = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()


class RunVerdictSerializer(serializers.Serializer):
    """Why it ended or is slow. `hardware_fault` null: cannot be told."""

    cause = serializers.ChoiceField(sorted(CLASSES), source="class")
    owner = serializers.ChoiceField(OWNERS, allow_null=True)
    hardware_fault = serializers.BooleanField(allow_null=True)
    sentence = serializers.CharField()
    first_step = serializers.CharField()
    confidence = serializers.FloatField()
    rank = serializers.IntegerField(allow_null=True)
    machine = serializers.IntegerField(allow_null=True)
    machine_name = serializers.CharField()
    slot = serializers.CharField()
    slot_text = serializers.CharField()
    lines = EvidenceLineSerializer(many=True)
    followers = serializers.IntegerField()
    ruled_out = serializers.ListField(child=serializers.CharField())


class TrainingRunSerializer(serializers.ModelSerializer[TrainingRun]):
    """One attempt of a training run. `speed` is its pace against its own baseline: 1 as fast, 0.5 half as fast."""

    machines = serializers.IntegerField(source="machines_count", read_only=True)
    ranks = serializers.IntegerField(source="ranks_count", read_only=True)
    speed = serializers.SerializerMethodField()
    verdict = serializers.SerializerMethodField()
    user = serializers.SerializerMethodField(help_text="Empty where it is not known, or not shown to who asks.")
    scheduler = RunJobSerializer(source="scheduler_job", read_only=True, allow_null=True)

    class Meta:
        model = TrainingRun
        fields: ClassVar = [
            "id", "site", "key", "attempt", "repeat", "found_by", "name", "user", "job", "launcher", "image",
            "world_size", "state", "since", "scheduler", "processes_seen_at",
            "started_at", "ended_at", "last_report_at", "steps", "last_step", "last_step_at", "baseline_s", "recent_s",
            "speed", "machines", "ranks", "verdict", "evaluated_at", "steps_from", "metrics_at", "metrics_to",
            "metrics_message",
        ]  # fmt: skip

    def get_user(self, run: TrainingRun) -> str:
        return run.user if people.sees_users(request_roles(self.context["request"]), run.site_id) else ""

    def get_speed(self, run: TrainingRun) -> float | None:
        if run.state == TrainingRun.State.HUNG:
            return 0.0
        return round(run.baseline_s / run.recent_s, 3) if run.baseline_s and run.recent_s else None

    @extend_schema_field(RunVerdictSerializer(allow_null=True))
    def get_verdict(self, run: TrainingRun) -> dict[str, Any] | None:
        return RunVerdictSerializer(run.verdict).data if run.verdict else None


class RunRankSerializer(serializers.ModelSerializer[RunRank]):
    class Meta:
        model = RunRank
        fields: ClassVar = [
            "rank", "machine", "machine_name", "local_rank", "slot", "serial", "slice", "gone_at",
            "step", "step_at", "step_s", "compute_s", "wait_s",
            "ended_at", "failed",
        ]  # fmt: skip

    failed = serializers.SerializerMethodField()

    def get_failed(self, rank: RunRank) -> bool:
        return bool(rank.error)


class SwitchPortSerializer(serializers.Serializer):
    port = serializers.IntegerField()
    name = serializers.CharField()
    device = serializers.CharField()
    place = serializers.CharField()


class RunCableSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class RankPlaceSerializer(RunRankSerializer):
    """A rank, and the way from it to the place: GPU, its nearest HCA, the cable and the switch port it leads to."""

    class Meta(RunRankSerializer.Meta):
        fields: ClassVar = [
            *RunRankSerializer.Meta.fields, "error", "pid", "container", "place", "gpu", "hca", "hca_port",
            "cable", "switch_port",
        ]  # fmt: skip

    place = serializers.CharField(allow_null=True, help_text="Where the machine stands and the slot in it.")
    gpu = serializers.CharField()
    hca = serializers.CharField()
    hca_port = serializers.IntegerField(allow_null=True)
    cable = RunCableSerializer(allow_null=True, help_text="The first cable from the port of the HCA.")
    switch_port = SwitchPortSerializer(allow_null=True)


class CurveSerializer(serializers.Serializer):
    """Columns of equal length; a point stands for `steps` steps that ended by `at`."""

    baseline_s = serializers.FloatField(allow_null=True)
    exact = serializers.BooleanField(help_text="Every step is a point of its own, or every piece of steps.")
    at = serializers.ListField(child=serializers.DateTimeField())
    median_s = serializers.ListField(child=serializers.FloatField())
    least_s = serializers.ListField(child=serializers.FloatField())
    most_s = serializers.ListField(child=serializers.FloatField())
    loss = serializers.ListField(child=serializers.FloatField(allow_null=True))
    steps = serializers.ListField(child=serializers.IntegerField())


class SparklineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    speed = serializers.ListField(child=serializers.FloatField(), help_text="Shares of the run's own baseline.")


class TrainingRunFilter(filters.FilterSet):
    live = filters.BooleanFilter(field_name="ended_at", lookup_expr="isnull")
    machine = filters.NumberFilter(method="on_machine")
    user = filters.CharFilter(method="of_user")

    class Meta:
        model = TrainingRun
        fields: ClassVar = ["site", "state", "live", "key", "job", "user", "machine"]

    def of_user(self, rows: QuerySet[TrainingRun], name: str, value: str) -> QuerySet[TrainingRun]:
        """Only at sites where users are shown to who asks: else the filter would tell them."""
        sites = people.sites_with_users(request_roles(self.request))
        rows = rows.filter(user=value)
        return rows if sites is None else rows.filter(site__in=sites)

    def on_machine(self, rows: QuerySet[TrainingRun], name: str, value: Any) -> QuerySet[TrainingRun]:
        return rows.filter(pk__in=RunRank.objects.filter(machine_id=int(value)).values("run_id"))


class TrainingRunViewSet(ReplacementActions, Slowness, RollCall, MetricsActions):
    """Training runs, the newest first: those that go on and those that ended."""

    queryset = TrainingRun.objects.select_related("scheduler_job")
    serializer_class = TrainingRunSerializer
    filterset_class = TrainingRunFilter
    ordering_fields: ClassVar = ["id", "started_at", "ended_at", "world_size"]
    search_fields: ClassVar = ["name", "key", "job"]

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if people.named_wherever_seen(request_roles(self.request)):
            vars(self)["search_fields"] = [*self.search_fields, "user"]  # of this request only
        return super().filter_queryset(queryset)

    def get_queryset(self) -> QuerySet[TrainingRun]:
        rows: QuerySet[TrainingRun] = super().get_queryset()
        return queries.with_sizes(rows)

    @extend_schema(
        summary="Curve of a training run",
        parameters=[*SPAN, OpenApiParameter("points", int, description=f"At most so many points; {POINTS}.")],
        responses={200: CurveSerializer},
        filters=False,
    )
    @action(detail=True, pagination_class=None, filterset_class=None, search_fields=())
    def curve(self, request: Request, pk: str) -> Response:
        """Step times and loss over a span, thinned; the slowest step of each point stays."""
        run = self.get_object()
        points = number(request, "points") or POINTS
        since, until = _moment(request, "from"), _moment(request, "to")
        return Response(queries.curve(run, since, until, min(points, queries.MOST_POINTS)))

    @extend_schema(
        summary="Ranks of a training run",
        parameters=[*PAGE],
        responses={200: page_of(RunRankSerializer, "RunRankPage")},
    )
    @action(detail=True, filterset_class=None, search_fields=())
    def ranks(self, request: Request, pk: str) -> Response:
        """Every rank with its machine, its GPU's slot and its pace."""
        rows = queries.ranks_of(self.get_object())
        page = paged(request, rows, self)  # type: ignore[arg-type]  # a queryset is a sequence to pages
        page["results"] = RunRankSerializer(page["results"], many=True).data
        return Response(page)

    @extend_schema(
        summary="One rank of a training run, with its place",
        parameters=[OpenApiParameter("rank", OpenApiTypes.INT, OpenApiParameter.PATH)],
        responses={200: RankPlaceSerializer},
        filters=False,
        operation_id="runs_rank_retrieve",
    )
    @action(detail=True, url_path=r"ranks/(?P<rank>[0-9]{1,7})", pagination_class=None, filterset_class=None)
    def rank(self, request: Request, pk: str, rank: str) -> Response:
        """From the rank to the machine, the GPU's slot, its HCA and the switch port, with places to walk to."""
        found = queries.rank_of(self.get_object(), int(rank))
        if found is None:
            raise Http404("no such rank")
        own = {"error": found.error, "pid": found.pid, "container": found.container}
        return Response(RunRankSerializer(found).data | own | queries.chain_of(found))

    @extend_schema(
        summary="Pace of training runs in a few points",
        parameters=[OpenApiParameter("id", str, description="Ids, separated by commas; at most 100.", required=True)],
        responses={200: SparklineSerializer(many=True)},
        filters=False,
    )
    @action(detail=False, pagination_class=None, filterset_class=None, search_fields=())
    def sparklines(self, request: Request) -> Response:
        """For a list of runs: the pace of each as shares of its own baseline."""
        told = request.query_params.get("id", "").split(",")
        if not all(each.isascii() and each.isdecimal() and len(each) < 19 for each in told) or len(told) > 100:
            raise ValidationError({"id": ["Give up to 100 ids, separated by commas."]})
        runs = list(self.get_queryset().filter(pk__in=[int(each) for each in told]))
        found = queries.sparklines(runs)
        return listed({"id": run.pk, "speed": found[run.pk]} for run in runs)


def _moment(request: Request, name: str) -> datetime | None:
    return moment(request, name, timezone.now()) if request.query_params.get(name) else None


urlpatterns = [
    path("runs/reports/", RunReportsView.as_view(), name="run-reports"),
    path("runs/logs/", evidence_api.RunLogsView.as_view(), name="run-logs"),
    path("runs/losses/", losses, name="run-losses"),
    path("runs/losses.csv", losses_csv, name="run-losses-csv"),
    *fit_api.urlpatterns,
    path("runs/running-on/", running_on, name="runs-running-on"),
]


def register(router: BaseRouter) -> None:
    router.register("runs", TrainingRunViewSet, basename="training-run")
    evidence_api.register(router)
    metrics_api.register(router)
