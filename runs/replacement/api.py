"""Routes of replacing a machine of a run, under /api/runs/ID/: what could be done, and doing it."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import SiteScopedViewSet
from core.errors import Conflict
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.machines.parameters import number
from health.services import stands_against_taking_out
from inventory.models import Machine
from inventory.queries.place import place_of
from runs.machines.hostlists import forms
from runs.machines.spares import ORDER, shortage
from runs.models import HandOver, TrainingRun
from runs.replacement import queries, services

MOST_SPARES = 20


class TakingOutSerializer(serializers.Serializer):
    """Whether the guards let it be taken out now: disruption budget, audit mode, kill switch and the others."""

    in_service = serializers.BooleanField()
    allowed = serializers.BooleanField()
    guard = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)
    frees = serializers.CharField(allow_blank=True, help_text="What would change the answer.")


class LeavingMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    leaf = serializers.CharField(allow_blank=True)
    state = serializers.CharField(allow_blank=True)
    taking_out = TakingOutSerializer()


class SpareMachineSerializer(serializers.Serializer):
    machine = serializers.IntegerField()
    name = serializers.CharField()
    where = serializers.ChoiceField(ORDER)
    leaf = serializers.CharField(allow_blank=True)
    golden = serializers.BooleanField()
    idle = serializers.BooleanField(help_text="The scheduler says so.")
    place = serializers.CharField(allow_blank=True, help_text="Of the nearest only.")


class RunFaultSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    machine = serializers.IntegerField()
    status = serializers.CharField()
    ticket = serializers.CharField(allow_null=True)


class HandOverSerializer(serializers.ModelSerializer[HandOver]):
    class Meta:
        model = HandOver
        fields = ("at", "by", "left", "left_name", "came", "came_name", "taken_out", "reason")


class HostListSerializer(serializers.Serializer):
    """The run's machines in the order of their ranks, each with the one that came for it."""

    slurm = serializers.CharField()
    mpi = serializers.CharField()
    torchrun = serializers.CharField()
    json = serializers.CharField()


class ReplacementSerializer(serializers.Serializer):
    fault = RunFaultSerializer(allow_null=True)
    machine = LeavingMachineSerializer(allow_null=True)
    spares = SpareMachineSerializer(many=True)
    spares_count = serializers.IntegerField()
    shortage = serializers.CharField(allow_blank=True)
    hand_overs = HandOverSerializer(many=True)
    machines = serializers.IntegerField(help_text="In the host list.")
    hosts = HostListSerializer()


class HandOverRequestSerializer(serializers.Serializer):
    machine = serializers.IntegerField(min_value=1)
    replacement = serializers.IntegerField(min_value=1, allow_null=True, default=None)
    take_out = serializers.BooleanField(default=True)
    reason = serializers.CharField(max_length=200)


class ReplacementActions(SiteScopedViewSet):
    """Of the view set of runs."""

    named_records: ClassVar[dict[str, str]] = {"replacement": "machine"}

    @extend_schema(
        summary="Replace a machine of a training run",
        parameters=[OpenApiParameter("machine", int, description="Of the run; the one its verdict names without it.")],
        responses={200: ReplacementSerializer},
        filters=False,
    )
    @action(detail=True, pagination_class=None, filterset_class=None, search_fields=())
    def replacement(self, request: Request, pk: str) -> Response:
        """Whether it may be taken out, replacement candidates, the host list to go on with, and the hand-overs."""
        run = self.get_object()
        asked = number(request, "machine")
        if asked is None and run.verdict and run.verdict["hardware_fault"] is not False:
            asked = run.verdict["machine"]
        machine = queries.machine_of_run(run, asked) if asked is not None else None
        return Response(ReplacementSerializer(answer(run, machine)).data)

    @extend_schema(
        summary="Hand a training run over to another machine",
        request=HandOverRequestSerializer,
        responses={200: ReplacementSerializer},
    )
    @action(detail=True, methods=["post"], url_path="hand-overs", pagination_class=None, filterset_class=None)
    def hand_overs(self, request: Request, pk: str) -> Response:
        """Note that a machine left and which came; `take_out` also takes it out of service, where the guards agree.

        409 with the guard's reason where one does not; nothing is changed then.
        """
        run = self.get_object()
        wanted = HandOverRequestSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        said = wanted.validated_data
        try:
            row = services.hand_over(
                run.pk, left=said["machine"], came=said["replacement"], take_out=said["take_out"],
                reason=said["reason"], by=request.user.get_username(),
            )  # fmt: skip
        except services.NotPossible as error:
            raise Conflict(str(error), code="refused") from error
        return Response(ReplacementSerializer(answer(run, row.left)).data)


def answer(run: TrainingRun, machine: Machine | None) -> dict[str, Any]:
    hosts = queries.hosts_of(run)
    found: dict[str, Any] = {
        "fault": queries.fault_of(run),
        "machine": None,
        "spares": [],
        "spares_count": 0,
        "shortage": "",
        "hand_overs": list(run.hand_overs.order_by("at", "pk")),
        "machines": len(hosts),
        "hosts": forms(hosts, run=run.key),
    }
    if machine is None:
        return found
    standing, spares = queries.spares_for(run, machine)
    state = MachineHealth.objects.filter(pk=machine.pk).values_list("state", flat=True).first()
    return found | {
        "machine": {
            "id": machine.pk,
            "name": machine.device.name,
            "leaf": standing.leaf,
            "state": state or "",
            "taking_out": _taking_out(machine.pk, state),
        },
        "spares": [
            {name: getattr(one.standing, name) for name in ("machine", "name", "leaf", "golden", "idle")}
            | {"where": one.where, "place": place_of(one.standing.machine, "")["text"] if at == 0 else ""}
            for at, one in enumerate(spares[:MOST_SPARES])
        ],
        "spares_count": len(spares),
        "shortage": shortage(standing, spares),
    }


def _taking_out(machine_id: int, state: str | None) -> dict[str, Any]:
    refusal = stands_against_taking_out(machine_id) if state == State.READY else None
    return {
        "in_service": state == State.READY,
        "allowed": refusal is None and state is not None,
        "guard": refusal.guard.value if refusal else "",
        "reason": refusal.reason if refusal else "",
        "frees": refusal.frees if refusal else "",
    }
