"""Sweeps: the last ones, how far a running one is, what one did not finish, and one more on request."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles
from core.api import ReadOnlyViewSet
from core.models import Role, Site
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.monitoring.models.sweeps import Sweep, SweepShard
from health.monitoring.queries import sweeps as queries
from health.monitoring.services.sweeps import sweep_runs


class SweepSerializer(serializers.ModelSerializer):
    """`checked` counts the machines of the shards that are done, `reachable` those of them that answered."""

    duration_s = serializers.SerializerMethodField()
    reachable = serializers.SerializerMethodField()
    checked = serializers.SerializerMethodField()
    shards_total = serializers.SerializerMethodField()
    shards_done = serializers.SerializerMethodField()
    shards_failed = serializers.SerializerMethodField()

    class Meta:
        model = Sweep
        fields: ClassVar = [
            "id", "site", "kind", "status", "slot_at", "started_at", "finished_at", "duration_s", "machines",
            "reachable", "checked", "shards_total", "shards_done", "shards_failed", "requested_by",
        ]  # fmt: skip

    def get_duration_s(self, sweep: Sweep) -> float | None:
        return (sweep.finished_at - sweep.started_at).total_seconds() if sweep.finished_at else None

    def get_reachable(self, sweep: Sweep) -> int:
        return sweep.reachable if sweep.finished_at else sum(shard.reachable for shard in sweep.shards.all())

    def get_checked(self, sweep: Sweep) -> int:
        return sum(len(shard.machine_ids) for shard in self._in_status(sweep, SweepShard.Status.DONE))

    def get_shards_total(self, sweep: Sweep) -> int:
        return len(sweep.shards.all())

    def get_shards_done(self, sweep: Sweep) -> int:
        return len(self._in_status(sweep, SweepShard.Status.DONE))

    def get_shards_failed(self, sweep: Sweep) -> int:
        return len(self._in_status(sweep, SweepShard.Status.FAILED))

    def _in_status(self, sweep: Sweep, status: str) -> list[SweepShard]:
        return [shard for shard in sweep.shards.all() if shard.status == status]


class ShardSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    status = serializers.ChoiceField(SweepShard.Status.choices)
    attempts = serializers.IntegerField(min_value=0)
    machines = serializers.IntegerField(min_value=0)
    reachable = serializers.IntegerField(min_value=0)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class SweptMachineSerializer(serializers.Serializer):
    """A machine as it is now."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.ChoiceField([state.value for state in State])
    reachability = serializers.ChoiceField(MachineHealth.Reachability.values)
    last_seen_at = serializers.DateTimeField(allow_null=True)


class SweepDetailSerializer(SweepSerializer):
    """With its shards, the machines that gave no answer, and those that were not checked."""

    shards = serializers.SerializerMethodField()
    unreachable = serializers.SerializerMethodField()
    unfinished = serializers.SerializerMethodField()

    class Meta(SweepSerializer.Meta):
        fields: ClassVar = [*SweepSerializer.Meta.fields, "shards", "unreachable", "unfinished"]

    @extend_schema_field(ShardSerializer(many=True))
    def get_shards(self, sweep: Sweep) -> list[dict[str, Any]]:
        return queries.shards(sweep)

    @extend_schema_field(SweptMachineSerializer(many=True))
    def get_unreachable(self, sweep: Sweep) -> list[dict[str, Any]]:
        return queries.unreachable(sweep)

    @extend_schema_field(SweptMachineSerializer(many=True))
    def get_unfinished(self, sweep: Sweep) -> list[dict[str, Any]]:
        return queries.unfinished(sweep)


class ReachabilityCountsSerializer(serializers.Serializer):
    """Machines by reachability."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {word: serializers.IntegerField(min_value=0) for word in MachineHealth.Reachability.values}


class SweepStateSerializer(serializers.Serializer):
    period_s = serializers.FloatField(help_text="Between the starts of two sweeps, as it is now.")
    set_period_s = serializers.FloatField(help_text="As it was set. The period is longer where sweeps take longer.")
    takes_s = serializers.FloatField(
        allow_null=True,
        help_text="Length of a sweep without its slow lane; null before two were measured.",
    )
    reachability = ReachabilityCountsSerializer()
    swept = serializers.IntegerField(min_value=0, help_text="Machines that sweeps check.")
    not_swept = serializers.IntegerField(min_value=0)


class NewSweepSerializer(serializers.Serializer):
    site = serializers.PrimaryKeyRelatedField(queryset=Site.objects.all())


class SweepViewSet(ReadOnlyViewSet):
    """Sweeps, newest first. Those of `kind=confirm` and `verification` check few machines."""

    queryset = Sweep.objects.prefetch_related("shards")
    serializer_class = SweepSerializer
    site_field = "site_id"
    filterset_fields = ("site", "kind", "status")
    ordering_fields = ("id", "started_at")

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return SweepDetailSerializer if self.action == "retrieve" else SweepSerializer

    @extend_schema(request=NewSweepSerializer, responses={200: SweepSerializer, 201: SweepSerializer})
    def create(self, request: Request) -> Response:
        """Check every machine of a site now. While such a sweep runs, the answer is that one (200)."""
        wanted = NewSweepSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        site: Site = wanted.validated_data["site"]
        if not self.may(Role.OPERATOR, site.pk):
            raise PermissionDenied
        sweep, is_new = sweep_runs.sweep_site(site.pk, actor=self.person.get_username())
        if sweep is None:
            raise serializers.ValidationError({"site": ["No machine of this site is swept yet."]})
        return Response(SweepSerializer(self.get_queryset().get(pk=sweep.pk)).data, status=201 if is_new else 200)

    @extend_schema(
        parameters=[OpenApiParameter("site", int, description="One site; otherwise all that you may see.")],
        responses={200: SweepStateSerializer},
    )
    @action(detail=False, pagination_class=None, filter_backends=[])
    def state(self, request: Request) -> Response:
        """How many machines are reachable, late, unreachable or were never reached, and how often sweeps start."""
        return Response(queries.state(self._sites(request)))

    def _sites(self, request: Request) -> QuerySet[Site]:
        sites = limit_to_sites(Site.objects.all(), request_roles(request), "id")
        wanted = request.query_params.get("site")
        if not wanted:
            return sites
        if not wanted.isdecimal() or len(wanted) > 18:
            raise serializers.ValidationError({"site": ["The number of a site."]})
        return sites.filter(pk=int(wanted))
