"""Machines: list, detail, verdicts, history, parts and cables, and what an operator may do with one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from core.rest.lists import listed
from health.checks import catalogue
from health.machines.cells import CELLS
from health.machines.lifecycle import InvalidTransition, State
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import NotReady, hold_in_own_name, lift_hold, return_to_service, start_maintenance
from health.monitoring.models.sweeps import Sweep
from health.monitoring.services.accepted_parts import accept_swap
from health.monitoring.services.sweeps.sweep_runs import request_sweep
from health.overview.api import bulk
from health.overview.api.answers import (
    AcceptedPartSerializer,
    HoldSerializer,
    MachineDetailSerializer,
    MachineHistorySerializer,
    SummarySerializer,
    SweepStartedSerializer,
    VerdictsSerializer,
)
from health.overview.api.bodies import (
    MachineBulkSerializer,
    MachineOutcomesSerializer,
    MaintenanceSerializer,
    ReasonSerializer,
    ReturnSerializer,
    SlotSerializer,
)
from health.overview.queries import machines as queries
from health.overview.queries.verdicts import results
from inventory.queries import device_cables, device_components
from inventory.services import Refused
from inventory.shapes import DeviceCableSerializer, InstalledPartSerializer

MAX_HISTORY_HOURS = 24 * 30


class MachineFilter(filters.FilterSet):
    name = filters.CharFilter(field_name="machine__device__name")
    site = filters.NumberFilter(field_name="machine__device__site_id")
    cell = filters.MultipleChoiceFilter(choices=[(cell, cell) for cell in CELLS])
    state = filters.MultipleChoiceFilter(choices=[(state.value, state.value) for state in State])
    rack = filters.NumberFilter(field_name="machine__device__placement__rack_id")
    model = filters.CharFilter(field_name="machine__device__model__slug")
    pool = filters.NumberFilter(field_name="pool_id")

    class Meta:
        model = MachineHealth
        fields: tuple[str, ...] = ("worst", "reachability")


class MachineSerializer(SummarySerializer):
    """A machine as the list shows it; made by `health.overview.queries.machines.summary`."""

    def to_representation(self, instance: MachineHealth) -> dict[str, Any]:
        return queries.summary(instance)


def refused(error: Exception) -> Conflict:
    """The lifecycle or a hold says no: 409 with the reason in words."""
    if isinstance(error, NotReady):
        return Conflict(f"The machine cannot return to service: {error}.", code="not_ready")
    return Conflict(f"Not possible now: {error}.", code="invalid_transition")


@extend_schema_view(retrieve=extend_schema(responses={200: MachineDetailSerializer}))
class MachineViewSet(ReadOnlyViewSet):
    """Machines by their id. Reading needs viewer, acting on one operator."""

    serializer_class = MachineSerializer
    site_field = "machine__device__site_id"
    write_role = Role.OPERATOR
    filterset_class = MachineFilter
    search_fields = ("machine__device__name", "machine__device__serial", "machine__device__asset_tag")
    ordering_fields = ("name", "cell", "state", "state_since", "worst", "last_seen_at")
    ordering = ("name",)

    queryset = MachineHealth.objects.all()

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.listed() if self.action == "list" else queries.in_full()
        return super().get_queryset()

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(queries.detail(self.get_object()))

    @extend_schema(responses={200: InstalledPartSerializer(many=True)}, filters=False)
    @action(detail=True, pagination_class=None)
    def components(self, request: Request, pk: str) -> Response:
        return listed(device_components(self.get_object().machine.device))

    @extend_schema(responses={200: DeviceCableSerializer(many=True)}, filters=False)
    @action(detail=True, pagination_class=None)
    def cables(self, request: Request, pk: str) -> Response:
        return listed(device_cables(self.get_object().machine_id))

    @extend_schema(responses={200: VerdictsSerializer})
    @action(detail=True)
    def verdicts(self, request: Request, pk: str) -> Response:
        titles = {check.id: check.title for check in catalogue()}
        return Response(results(self.get_object().machine_id, titles))

    @extend_schema(
        parameters=[OpenApiParameter("hours", int, description="How far back, 24 by default, 720 at most.")],
        responses={200: MachineHistorySerializer},
    )
    @action(detail=True)
    def history(self, request: Request, pk: str) -> Response:
        try:
            hours = min(max(int(request.query_params.get("hours", 24)), 1), MAX_HISTORY_HOURS)
        except ValueError as error:
            raise serializers.ValidationError({"hours": "A whole number of hours."}) from error
        return Response(queries.history(self.get_object().machine_id, timezone.now() - timedelta(hours=hours)))

    @extend_schema(request=None, responses={202: SweepStartedSerializer})
    @action(detail=True, methods=["post"])
    def check(self, request: Request, pk: str) -> Response:
        """Check this machine now."""
        machine_id = self.get_object().machine_id
        (sweep,) = request_sweep([machine_id], Sweep.Kind.MANUAL, actor=request.user.get_username())
        return Response({"sweep": sweep.pk}, status=status.HTTP_202_ACCEPTED)

    @extend_schema(
        summary="Do one thing with many machines",
        operation_id="machines_many",
        request=MachineBulkSerializer,
        responses={200: MachineOutcomesSerializer},
    )
    @action(detail=False, methods=["post"], url_path="bulk")
    def many(self, request: Request) -> Response:
        """Each is done or refused by itself, and says why."""
        given = _valid(MachineBulkSerializer, request)
        machines = list(dict.fromkeys(given.pop("machines")))
        seen = self.get_queryset().filter(machine_id__in=machines)
        return Response({"outcomes": bulk.outcomes(seen, machines, request, **given)})

    @extend_schema(request=ReasonSerializer, responses={201: HoldSerializer})
    @action(detail=True, methods=["post"])
    def holds(self, request: Request, pk: str) -> Response:
        """Take the machine out of service and keep it out, in your name. No disruption budget binds a person."""
        machine_id = self.get_object().machine_id
        reason = _valid(ReasonSerializer, request)["reason"]
        hold = hold_in_own_name(machine_id, reason=reason, actor=request.user.get_username())
        return Response(_hold(hold), status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["delete"], url_path="holds/(?P<owner>[^/]+)")
    def lift_hold(self, request: Request, pk: str, owner: str) -> Response:
        user = request.user.get_username()
        machine_id = self.get_object().machine_id
        if not lift_hold(machine_id, owner=owner, reason="lifted by hand", actor=user):
            raise Conflict(f"{owner} does not hold this machine.", code="no_such_hold")
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=MaintenanceSerializer, responses={200: MachineDetailSerializer})
    @action(detail=True, methods=["post"])
    def maintenance(self, request: Request, pk: str) -> Response:
        machine_id = self.get_object().machine_id
        wanted = _valid(MaintenanceSerializer, request)
        try:
            start_maintenance(machine_id, actor=request.user.get_username(), **wanted)
        except (InvalidTransition, NotReady) as error:
            raise refused(error) from error
        return Response(queries.detail(self.get_object()))

    @extend_schema(request=SlotSerializer, responses={200: AcceptedPartSerializer})
    @action(detail=True, methods=["post"], url_path="accept-swap")
    def accept_swap(self, request: Request, pk: str) -> Response:
        """Accept the part that the last check saw in a slot as the one installed there; the machine is checked again.

        409 when nothing but the installed part was seen, 400 when the inventory has that part somewhere else.
        """
        machine_id = self.get_object().machine_id
        slot = _valid(SlotSerializer, request)["slot"]
        try:
            installed = accept_swap(machine_id, slot, actor=request.user.get_username())
        except LookupError as error:
            raise Conflict(f"Nothing to accept: {error}.", code="nothing_to_accept") from error
        except Refused as error:
            raise serializers.ValidationError({"slot": error.reason}) from error
        part = installed.component
        answer = {"slot": slot, "serial": part.serial, "part_number": part.part_number, "vendor": part.vendor}
        return Response(answer | {"installed_at": installed.during.lower})

    @extend_schema(request=ReturnSerializer, responses={200: MachineDetailSerializer})
    @action(detail=True, methods=["post"], url_path="return")
    def return_to_service(self, request: Request, pk: str) -> Response:
        machine_id = self.get_object().machine_id
        wanted = _valid(ReturnSerializer, request)
        try:
            return_to_service(machine_id, actor=request.user.get_username(), **wanted)
        except (InvalidTransition, NotReady) as error:
            raise refused(error) from error
        return Response(queries.detail(self.get_object()))


def _valid(serializer_class: type[serializers.Serializer], request: Request) -> dict[str, Any]:
    serializer = serializer_class(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _hold(hold: Any) -> dict[str, Any]:
    return {"owner": hold.owner, "reason": hold.reason, "placed_by": hold.placed_by, "placed_at": hold.placed_at}
