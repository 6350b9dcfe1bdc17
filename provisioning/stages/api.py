"""The board of stages over the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.lists import listed
from health.machines.parameters import SITE, asked_sites, number
from provisioning.limits.queries import stage_limits
from provisioning.stages import batches, board, queries
from provisioning.stages.board import Mark, Stage, Standing
from provisioning.steps import FailureClass

STAGES = [stage.value for stage in Stage]
CLASSES = [each.value for each in FailureClass]


class StageColumnSerializer(serializers.Serializer):
    """One stage: machines that stand there, how many of them failed or are past its limit, and ages in seconds."""

    stage = serializers.ChoiceField(STAGES)
    count = serializers.IntegerField()
    failed = serializers.IntegerField()
    late = serializers.IntegerField()
    oldest_s = serializers.FloatField(allow_null=True)
    usual_s = serializers.FloatField(allow_null=True, help_text="The median.")
    limit_s = serializers.FloatField(allow_null=True)


class StageMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    stage = serializers.ChoiceField(STAGES)
    mark = serializers.ChoiceField([mark.value for mark in Mark])
    since = serializers.DateTimeField()
    run = serializers.IntegerField(allow_null=True)
    failure_class = serializers.ChoiceField(CLASSES, allow_null=True)
    text = serializers.CharField(allow_blank=True)
    ticket = serializers.CharField(allow_null=True)


class StageStuckSerializer(serializers.Serializer):
    """Machines that failed alike at a stage; `failure_class` null: nothing failed, they are past its limit."""

    stage = serializers.ChoiceField(STAGES)
    failure_class = serializers.ChoiceField(CLASSES, allow_null=True)
    machines = serializers.ListField(child=serializers.IntegerField())
    longest_s = serializers.FloatField()


class FirstBootClassSerializer(serializers.Serializer):
    failure_class = serializers.ChoiceField(CLASSES)
    open = serializers.IntegerField()
    mended = serializers.IntegerField()


class FirstBootsSerializer(serializers.Serializer):
    of = serializers.IntegerField(help_text="Machines whose first run ended, or failed once.")
    failed = serializers.IntegerField()
    classes = FirstBootClassSerializer(many=True)


class CurvePointSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    count = serializers.IntegerField()


class StagesSerializer(serializers.Serializer):
    stages = StageColumnSerializer(many=True)
    machines = StageMachineSerializer(many=True, help_text="On the way to service, the longest at its stage first.")
    stuck = StageStuckSerializer(many=True)
    in_service = serializers.IntegerField()
    rate_an_hour = serializers.FloatField(help_text="Machines that came to service an hour, over the last six.")
    done_at = serializers.DateTimeField(
        allow_null=True, help_text="When those that are not stuck will be in service at this rate; null: none came."
    )
    curve = CurvePointSerializer(many=True, help_text="How many were in service when, over the last three days.")
    first_boots = FirstBootsSerializer()
    evaluated_at = serializers.DateTimeField()


class DeliveryBatchSerializer(serializers.Serializer):
    """Machines of one model that were taken over of one delivery."""

    delivery = serializers.IntegerField()
    order = serializers.CharField(help_text="The purchase order, or the vendor's name of it.")
    vendor = serializers.CharField(allow_blank=True)
    model = serializers.CharField()
    machines = serializers.IntegerField()
    in_service = serializers.IntegerField()
    stuck = serializers.IntegerField(help_text="Failed, or past the limit of their stage.")
    rate_an_hour = serializers.FloatField(help_text="That came to service an hour, over the last six.")
    done_at = serializers.DateTimeField(
        allow_null=True, help_text="When those that are not stuck will be in service at this rate; null: none came."
    )
    first_boots = FirstBootsSerializer()


@extend_schema(
    summary="Machines on their way to service, by the stage they reached",
    parameters=[SITE, OpenApiParameter("delivery", int, description="Only machines that came with this delivery.")],
    responses={200: StagesSerializer},
    filters=False,
    operation_id="provisioning_stages_retrieve",
)
@api_view(["GET"])
def stages(request: Request) -> Response:
    """Counts, ages and limits of each stage, what is stuck and why, the rate, and how first boots failed."""
    sites = asked_sites(request)
    delivery, now = number(request, "delivery"), timezone.now()
    only = None if delivery is None else list(queries.came_with(sites, delivery))
    limits = board.limits_with(stage_limits(sites))
    arrived = [at for _, at in queries.arrivals(sites, now, only)]
    found = board.board_of(queries.machines(sites, only), arrived, now, limits)
    boots = queries.first_boots(sites, only)
    answer = {
        "stages": found.columns,
        "machines": [_machine(each) for each in found.standings],
        "stuck": [
            {
                "stage": each.stage,
                "failure_class": each.failure or None,
                "machines": [machine.id for machine in each.machines],
                "longest_s": each.longest_s,
            }
            for each in found.stuck
        ],
        "in_service": found.in_service,
        "rate_an_hour": found.rate_an_hour,
        "done_at": found.done_at,
        "curve": [{"at": at, "count": count} for at, count in found.curve],
        "first_boots": _first_boots(list(boots.values())),
        "evaluated_at": now,
    }
    return Response(StagesSerializer(answer).data)


@extend_schema(
    summary="Deliveries side by side: how far, how fast, and how first boots failed",
    parameters=[SITE],
    responses={200: DeliveryBatchSerializer(many=True)},
    filters=False,
    operation_id="provisioning_stages_deliveries_list",
)
@api_view(["GET"])
def deliveries(request: Request) -> Response:
    """The machines that were taken over of each delivery, by model; the hundred newest, the newest first."""
    sites, now = asked_sites(request), timezone.now()
    came_with = queries.came_with(sites)
    only = list(came_with)
    limits = board.limits_with(stage_limits(sites))
    found = batches.batches(
        came_with,
        queries.machines(sites, only),
        queries.arrivals(sites, now, only),
        queries.first_boots(sites, only),
        now,
        limits,
    )
    return listed(DeliveryBatchSerializer([_batch(each) for each in found], many=True).data)


def _batch(each: batches.Batch) -> dict[str, Any]:
    return {
        **each.key._asdict(),
        "machines": each.machines,
        "in_service": each.board.in_service,
        "stuck": each.stuck,
        "rate_an_hour": each.board.rate_an_hour,
        "done_at": each.board.done_at,
        "first_boots": _first_boots(each.boots),
    }


def _first_boots(boots: Sequence[board.FirstBoot]) -> dict[str, Any]:
    return {
        "of": len(boots),
        "failed": sum(bool(boot.failure) for boot in boots),
        "classes": [
            {"failure_class": kind.value, "open": still, "mended": mended}
            for kind, still, mended in board.first_boots_by_class(boots)
        ],
    }


def _machine(each: Standing) -> dict[str, Any]:
    machine = each.machine
    return {
        "id": machine.id,
        "name": machine.name,
        "stage": each.stage,
        "mark": each.mark,
        "since": each.since,
        "run": machine.run,
        "failure_class": machine.failure or None,
        "text": machine.failure_text,
        "ticket": machine.ticket or None,
    }
