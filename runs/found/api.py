"""How a run was found, and its roll call: what the API says of runs that nobody had to report."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import ReadOnlyViewSet
from health.schedulers.models import SchedulerJob
from runs.found.queries import roll_of


class RunJobSerializer(serializers.ModelSerializer[SchedulerJob]):
    """What the scheduler says of the job of a run."""

    class Meta:
        model = SchedulerJob
        fields = (
            "job_id", "label", "state", "started_at", "ended_at", "exit_status", "signal", "why", "partition",
            "account", "restarts", "gpus", "machine_count",
        )  # fmt: skip


class DoubledRankSerializer(serializers.Serializer):
    rank = serializers.IntegerField()
    at = serializers.ListField(child=serializers.CharField(), help_text="Machine and slot of each process.")


class SharedGpuSerializer(serializers.Serializer):
    machine_name = serializers.CharField()
    slot = serializers.CharField()
    ranks = serializers.ListField(child=serializers.IntegerField())


class UnknownMachineSerializer(serializers.Serializer):
    machine = serializers.IntegerField()
    name = serializers.CharField()
    why = serializers.CharField()


class RollCallSerializer(serializers.Serializer):
    """Which ranks are there. Spans are pairs of first and last; at most 100 rows of each list."""

    counted = serializers.BooleanField(help_text="Its processes were seen; else nothing can be missing.")
    world_size = serializers.IntegerField()
    seen = serializers.IntegerField()
    missing = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    gone = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    doubled = DoubledRankSerializer(many=True)
    shared = SharedGpuSerializer(many=True)
    unknown = UnknownMachineSerializer(many=True)
    sentences = serializers.ListField(child=serializers.CharField())


class RollCall(ReadOnlyViewSet):
    """The routes of a run that was found."""

    @extend_schema(
        summary="Roll call of a training run",
        responses={200: RollCallSerializer},
        filters=False,
        operation_id="runs_roll_call_retrieve",
    )
    @action(detail=True, url_path="roll-call", pagination_class=None, filterset_class=None, search_fields=())
    def roll_call(self, request: Request, pk: str) -> Response:
        """Ranks that are missing, gone or there twice, GPUs that ranks share, machines that were not asked."""
        told: dict[str, Any] = roll_of(self.get_object())
        return Response(RollCallSerializer(told).data)
