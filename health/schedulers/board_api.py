"""What a scheduler runs: jobs, what waits, partitions, reservations, and the floor by job."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

import orjson
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action, api_view
from rest_framework.filters import OrderingFilter, SearchFilter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import request_roles, visible_sites
from core.api import ReadOnlyViewSet
from core.http.seen import SeenFilterBackend
from core.rest.lists import listed
from health.machines.cells import CELLS
from health.machines.parameters import SITE, number, scope_of
from health.schedulers import board, people
from health.schedulers.models import SchedulerChange, SchedulerJob, SchedulerReservation, SchedulerSource, WaitingJob
from inventory.queries.rails import rails_crossed


class UserField(serializers.CharField):
    """Whose it is, as `health.schedulers.people` gives it out: null where it may not be read."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, allow_null=True, **options)

    def get_attribute(self, instance: Any) -> str | None:
        return people.shown(instance.user, request_roles(self.context["request"]), instance.source.site_id)


class Search(SearchFilter):
    """Finds by user too, for those who may read users at every site that they see."""

    def get_search_fields(self, view: Any, request: Request) -> list[str]:
        fields = list(super().get_search_fields(view, request) or ())
        return [*fields, "user"] if people.named_wherever_seen(request_roles(request)) else fields


class OfSource(filters.FilterSet):
    site = filters.NumberFilter(field_name="source__site")
    user = filters.CharFilter(method="of_user", help_text="Only where you may read users.")

    def of_user(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        named = people.sites_with_users(request_roles(self.request))
        rows = rows.filter(user=value)
        return rows if named is None else rows.filter(source__site__in=named)


# ---- jobs ----
class SchedulerJobSerializer(serializers.ModelSerializer[SchedulerJob]):
    """A run of a job. `ends_by`: when its time limit ends it; null where it has none, or ended."""

    site = serializers.IntegerField(source="source.site_id", read_only=True)
    label = serializers.SerializerMethodField()  # type: ignore[assignment]  # the field's own word
    user = UserField()
    ends_by = serializers.SerializerMethodField()
    machines = serializers.IntegerField(source="machine_count", read_only=True)

    class Meta:
        model = SchedulerJob
        fields: ClassVar = [
            "id", "site", "job_id", "label", "component", "name", "user", "account", "partition", "qos", "reservation",
            "state", "why", "exit_status", "signal", "restarts", "gpus", "machines", "submitted_at", "started_at",
            "ended_at", "time_limit_s", "ends_by",
        ]  # fmt: skip

    def get_label(self, job: SchedulerJob) -> str:
        return job.label or job.job_id

    def get_ends_by(self, job: SchedulerJob) -> datetime | None:
        return board.ends_by(job)


class JobMachineSerializer(serializers.Serializer):
    machine = serializers.IntegerField()
    name = serializers.CharField()
    cell = serializers.ChoiceField(CELLS)
    state = serializers.CharField()
    ticket = serializers.CharField()
    rack = serializers.IntegerField(allow_null=True)
    rack_name = serializers.CharField(allow_null=True)
    room = serializers.IntegerField(allow_null=True)


class CrossedLeafSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    machines = serializers.IntegerField(help_text="Of the job's machines, those whose port of this rail ends here.")


class CrossedRailSerializer(serializers.Serializer):
    rail = serializers.IntegerField()
    leaves = CrossedLeafSerializer(many=True)
    uncabled = serializers.IntegerField(help_text="Ports of this rail whose way ends nowhere.")


class JobChangeSerializer(serializers.ModelSerializer[SchedulerChange]):
    name = serializers.CharField(source="machine.device.name", read_only=True)

    class Meta:
        model = SchedulerChange
        fields: ClassVar = ["machine", "name", "at", "kind", "ours", "reason"]


class JobStepSerializer(serializers.Serializer):
    id = serializers.CharField(help_text="0, 1, .. of a call of srun, or batch for the script.")
    name = serializers.CharField()
    state = serializers.CharField(help_text="The scheduler's word.")
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    exit_status = serializers.IntegerField(allow_null=True)
    signal = serializers.IntegerField(allow_null=True)
    machines = serializers.IntegerField(allow_null=True)
    gpus = serializers.IntegerField(allow_null=True)


class JobHistorySerializer(serializers.Serializer):
    """Runs of the same job, what happened at the scheduler to the machines of this run meanwhile, and its steps as the
    accounting tells them; none without accounting."""

    runs = SchedulerJobSerializer(many=True)
    changes = JobChangeSerializer(many=True)
    steps = JobStepSerializer(many=True)


class SchedulerJobFilter(OfSource):
    live = filters.BooleanFilter(field_name="ended_at", lookup_expr="isnull")
    machine = filters.NumberFilter(method="on_machine")

    class Meta:
        model = SchedulerJob
        fields: ClassVar = ["site", "live", "state", "partition", "account", "user", "job_id", "label", "machine"]

    def on_machine(self, rows: QuerySet[SchedulerJob], name: str, value: Any) -> QuerySet[SchedulerJob]:
        return rows.filter(machine_ids__contains=[int(value)])


class SchedulerJobViewSet(ReadOnlyViewSet):
    """Jobs that run on machines of ours, or ran in the last year; the newest first."""

    queryset = SchedulerJob.objects.select_related("source").order_by("-started_at", "-id")
    serializer_class = SchedulerJobSerializer
    site_field = "source__site_id"
    filter_backends = (SeenFilterBackend, Search, OrderingFilter)
    filterset_class = SchedulerJobFilter
    ordering_fields: ClassVar = ["id", "started_at", "ended_at", "machine_count", "gpus"]
    search_fields: ClassVar = ["name", "job_id", "label", "account"]

    @extend_schema(summary="Machines of a job", responses={200: JobMachineSerializer(many=True)}, filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None, search_fields=())
    def machines(self, request: Request, pk: str) -> Response:
        """Ours among them, by name, with their state and rack."""
        return listed(JobMachineSerializer(board.machines_of(self.get_object()), many=True).data)

    @extend_schema(summary="Rails of a job", responses={200: CrossedRailSerializer(many=True)}, filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None, search_fields=())
    def rails(self, request: Request, pk: str) -> Response:
        """By rail, the leaves that its machines are cabled to: with more than one, its traffic crosses the spines."""
        return listed(CrossedRailSerializer(rails_crossed(self.get_object().machine_ids), many=True).data)

    @extend_schema(summary="History of a job", responses={200: JobHistorySerializer}, filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None, search_fields=())
    def history(self, request: Request, pk: str) -> Response:
        """Its other runs, and drains, resumes and failures of its machines while it ran."""
        found = board.history_of(self.get_object())
        return Response(JobHistorySerializer(found, context=self.get_serializer_context()).data)


# ---- what waits ----
class WaitingJobSerializer(serializers.ModelSerializer[WaitingJob]):
    site = serializers.IntegerField(source="source.site_id", read_only=True)
    user = UserField()
    machines = serializers.IntegerField(source="machine_count", read_only=True, allow_null=True)

    class Meta:
        model = WaitingJob
        fields: ClassVar = [
            "id", "site", "job_id", "label", "component", "name", "user", "account", "partition", "qos", "reservation",
            "priority", "why", "gpus", "machines", "submitted_at", "expected_at", "time_limit_s",
        ]  # fmt: skip


class WaitingJobFilter(OfSource):
    class Meta:
        model = WaitingJob
        fields: ClassVar = ["site", "partition", "account", "user", "why"]


class WaitingJobViewSet(ReadOnlyViewSet):
    """Jobs that wait, the first to start first, as of the scheduler's last answer."""

    queryset = WaitingJob.objects.select_related("source")
    serializer_class = WaitingJobSerializer
    site_field = "source__site_id"
    filter_backends = (SeenFilterBackend, Search, OrderingFilter)
    filterset_class = WaitingJobFilter
    ordering_fields: ClassVar = ["id", "priority", "submitted_at", "gpus"]
    search_fields: ClassVar = ["name", "job_id", "label", "account"]


# ---- partitions and reservations ----
class PartitionSerializer(serializers.Serializer):
    """`busy` and `closed` are machines that run a job, and that start none."""

    id = serializers.IntegerField()
    site = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.CharField(help_text="The scheduler's word; empty: it does not say.")
    default = serializers.BooleanField()  # type: ignore[assignment]  # the field's own word
    max_time_s = serializers.IntegerField(allow_null=True)
    priority_tier = serializers.IntegerField(allow_null=True)
    machines = serializers.IntegerField()
    busy = serializers.IntegerField()
    closed = serializers.IntegerField()
    gpus = serializers.IntegerField()
    running = serializers.IntegerField(help_text="Jobs.")
    waiting = serializers.IntegerField(help_text="Jobs.")


@extend_schema(summary="Partitions", parameters=[SITE], responses={200: PartitionSerializer(many=True)})
@api_view(["GET"])
def partitions(request: Request) -> Response:
    """Partitions of schedulers with their machines, what runs in each and what waits."""
    sites, site = scope_of(request)
    return listed(PartitionSerializer(board.partitions(sites, site), many=True).data)


class ReservationSerializer(serializers.ModelSerializer[SchedulerReservation]):
    site = serializers.IntegerField(source="source.site_id", read_only=True)
    holders = serializers.SerializerMethodField(help_text="Users or accounts; null where you may not read users.")
    machines = serializers.IntegerField(source="machine_count", read_only=True)

    class Meta:
        model = SchedulerReservation
        fields: ClassVar = ["id", "site", "name", "holders", "starts_at", "ends_at", "machines"]

    def get_holders(self, row: SchedulerReservation) -> str | None:
        return people.shown(row.holders, request_roles(self.context["request"]), row.source.site_id)


class ReservationFilter(filters.FilterSet):
    site = filters.NumberFilter(field_name="source__site")

    class Meta:
        model = SchedulerReservation
        fields: ClassVar = ["site"]


class ReservationViewSet(ReadOnlyViewSet):
    """Reservations at schedulers, present and to come."""

    queryset = SchedulerReservation.objects.select_related("source")
    serializer_class = ReservationSerializer
    site_field = "source__site_id"
    filterset_class = ReservationFilter
    search_fields: ClassVar = ["name"]

    def get_queryset(self) -> QuerySet[SchedulerReservation]:
        rows: QuerySet[SchedulerReservation] = super().get_queryset()
        return board.unended(rows, timezone.now())


# ---- the floor ----
class FloorSchedulerSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(SchedulerSource.Kind.choices)
    enabled = serializers.BooleanField()
    state = serializers.ChoiceField(SchedulerSource.State.choices)
    last_read_at = serializers.DateTimeField(allow_null=True)


class FloorJobsSerializer(serializers.Serializer):
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField()))


class FloorPartitionSerializer(serializers.Serializer):
    name = serializers.CharField()
    state = serializers.CharField()
    machines = serializers.ListField(child=serializers.IntegerField())


class FloorOfSchedulerSerializer(serializers.Serializer):
    """Which machines run what. `named`: the machines that the scheduler knows; it says nothing of the others."""

    scheduler = FloorSchedulerSerializer(allow_null=True)
    jobs = FloorJobsSerializer(help_text="Positional rows under their `columns`; `machines` are ids.")
    partitions = FloorPartitionSerializer(many=True)
    named = serializers.ListField(child=serializers.IntegerField())


@extend_schema(
    summary="The floor by job, account and partition",
    parameters=[OpenApiParameter("site", int, description="Site id; without it the first that you may see.")],
    responses={200: FloorOfSchedulerSerializer},
)
@api_view(["GET"])
def floor(request: Request) -> HttpResponse:
    """What runs on which machine now, for colours of the floor map; small beside the floor itself."""
    roles, wanted = request_roles(request), number(request, "site")
    sites = visible_sites(roles) if wanted is None else visible_sites(roles).filter(pk=wanted)
    site = sites.order_by("name", "pk").values_list("pk", flat=True).first()
    if site is None:
        raise Http404("no such site")
    found = board.floor(site, users=people.sees_users(roles, site))
    return HttpResponse(orjson.dumps(found), content_type="application/json")


def register(router: BaseRouter) -> None:
    router.register("scheduler/jobs", SchedulerJobViewSet, basename="scheduler-job")
    router.register("scheduler/waiting", WaitingJobViewSet, basename="waiting-job")
    router.register("scheduler/reservations", ReservationViewSet, basename="scheduler-reservation")
