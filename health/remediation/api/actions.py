"""Routes of what was done about faults: actions, of automation or started by hand, and the incidents they belong to."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_serializer, extend_schema_view
from rest_framework import exceptions, serializers, status
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import limit_to_sites, request_roles
from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from core.rest.lists import listed
from health.machines.models.machines import MachineHealth
from health.machines.parameters import LARGEST_ID
from health.remediation.api.answers import IncidentFaultSerializer, MachineNameSerializer, OfferSerializer
from health.remediation.cause_words import cause_words
from health.remediation.models import Incident, RemediationAction
from health.remediation.queries import remediation as queries
from health.remediation.services import actions as acting
from health.remediation.services import by_hand, incidents
from health.remediation.services.causes import mass
from health.remediation.types import Cause
from inventory.models import Device
from inventory.queries import printed_label
from inventory.slot_text import slot_text

# ---- actions ----


class WhySerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300)


class ResolveSerializer(WhySerializer):
    outcome = serializers.ChoiceField(["confirmed", "failed", "cancelled"])


class StartSerializer(WhySerializer):
    machine = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    remedy = serializers.ChoiceField(list(by_hand.BY_NAME))
    part = serializers.CharField(
        max_length=90, required=False, default="", allow_blank=True, help_text="What to do it to; see its remedies."
    )


class ActionSerializer(serializers.ModelSerializer):
    machine = serializers.SerializerMethodField()
    check = serializers.CharField(source="check_id")
    level = serializers.IntegerField(source="rung")

    class Meta:
        model = RemediationAction
        fields: ClassVar = [
            "id", "key", "machine", "incident", "fault", "check", "level", "remedy", "attempt", "params", "state",
            "planned_by", "reason", "refused_by", "refused_reason", "planned_at", "granted_at", "sent_at",
            "finished_at", "deadline", "report", "result", "verified", "evidence",
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


@extend_schema_view(create=extend_schema(request=StartSerializer, responses={201: ActionSerializer}))
class ActionViewSet(ReadOnlyViewSet):
    """What automation did, and what people started by hand, newest first."""

    queryset = RemediationAction.objects.select_related("machine__device").order_by("-id")
    serializer_class = ActionSerializer
    site_field = "machine__device__site_id"
    write_role = Role.OPERATOR
    filterset_class = ActionFilter
    ordering_fields = ("id", "sent_at", "finished_at")

    def create(self, request: Request) -> Response:
        """Start a remedy by hand, now. 409 with the guard's words when it may not begin.

        The answer is its record. A worker checks the machine once more before it sends anything: when a job runs or
        somebody is logged in, the action ends `cancelled` and says so in `refused_by` and `refused_reason`.
        """
        asked = StartSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = dict(asked.validated_data)
        machine = self._machine(given.pop("machine"))
        by = self.person.get_username()
        try:
            row = by_hand.start(machine.machine_id, given["remedy"], part=given["part"], reason=given["reason"], by=by)
        except by_hand.UnknownPart as error:
            raise serializers.ValidationError({"part": [str(error)]}) from error
        except by_hand.NotNow as error:
            raise Conflict(f"Not now: {error}. It can be done {error.refusal.frees}.") from error
        answer = self.get_serializer(self.get_queryset().get(pk=row.pk)).data
        return Response(answer, status=status.HTTP_201_CREATED)

    def _machine(self, pk: int) -> MachineHealth:
        """Raises ValidationError for a machine that may not be seen, PermissionDenied without the role at its site."""
        rows = limit_to_sites(MachineHealth.objects.all(), request_roles(self.request), "machine__device__site_id")
        found = rows.select_related("machine__device").filter(pk=pk).first()
        if found is None:
            raise serializers.ValidationError({"machine": ["There is no such record, or you may not see it."]})
        if not self.may(self.write_role, found.machine.device.site_id):
            raise exceptions.PermissionDenied("Your role on that site does not allow this.")
        return found

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


class IncidentMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    rack = serializers.CharField(allow_null=True)
    joined_at = serializers.DateTimeField()
    recovered_at = serializers.DateTimeField(allow_null=True)


def rack_name(device: Device) -> str | None:
    placement = getattr(device, "placement", None)
    return placement.rack.name if placement is not None else None


@extend_schema_serializer(component_name="MachineIncident")
class IncidentSerializer(serializers.ModelSerializer):
    machine = serializers.SerializerMethodField()
    drained = serializers.SerializerMethodField()
    cause_words = serializers.SerializerMethodField()

    class Meta:
        model = Incident
        fields: ClassVar = [
            "id", "site", "kind", "machine", "cause_kind", "cause", "cause_words", "fault_class", "code", "title",
            "text", "drained", "cause_stands",
            "automation_first", "suspect_until", "lifted_by", "lift_reason", "verify_by", "needs_person_at",
            "needs_person_reason", "refused_by", "opened_at", "closed_at", "closed_by", "close_reason",
        ]  # fmt: skip

    @extend_schema_field(MachineNameSerializer(allow_null=True))
    def get_machine(self, row: Incident) -> dict[str, Any] | None:
        return {"id": row.machine_id, "name": row.machine.device.name} if row.machine is not None else None

    def get_drained(self, row: Incident) -> bool:
        return row.drained_at is not None

    def get_cause_words(self, row: Incident) -> str:
        """What the machines share, such as `Rack A17`; empty of an incident of one machine."""
        words = cause_words(Cause(row.cause_kind, row.cause)) if row.cause_kind else ""
        return words[:1].upper() + words[1:]


@extend_schema_serializer(component_name="MachineIncidentDetail")
class IncidentDetailSerializer(IncidentSerializer):
    faults = serializers.SerializerMethodField()
    actions = ActionSerializer(many=True)
    machines = serializers.SerializerMethodField()

    class Meta(IncidentSerializer.Meta):
        fields: ClassVar = [*IncidentSerializer.Meta.fields, "faults", "actions", "machines"]

    @extend_schema_field(IncidentMachineSerializer(many=True))
    def get_machines(self, row: Incident) -> list[dict[str, Any]]:
        """Of a shared incident, by name."""
        return [
            {
                "id": member.machine_id,
                "name": member.machine.device.name,
                "rack": rack_name(member.machine.device),
                "joined_at": member.joined_at,
                "recovered_at": member.recovered_at,
            }
            for member in row.members.all()
        ]

    @extend_schema_field(IncidentFaultSerializer(many=True))
    def get_faults(self, row: Incident) -> list[dict[str, Any]]:
        return [
            {
                "id": fault.pk,
                "machine": {"id": fault.machine_id, "name": fault.machine.device.name},
                "slot": fault.slot,
                "slot_text": slot_text(fault.slot, fault.slot_label),
                "fault_class": fault.fault_class,
                "message": fault.message,
                "status": fault.status,
            }
            for fault in row.faults.annotate(slot_label=printed_label("machine__device__model__spec", "slot"))
        ]


class IncidentFilter(filters.FilterSet):
    open = filters.BooleanFilter(field_name="closed_at", lookup_expr="isnull")

    class Meta:
        model = Incident
        fields: tuple[str, ...] = ("site", "kind", "machine", "cause_kind")


class IncidentViewSet(ReadOnlyViewSet):
    """Incidents, newest first: of one machine, or of several that fail alike."""

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
        """End an incident. Faults of a shared one that still stand become incidents of their machines."""
        row = self.get_object()
        given = WhySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        if row.closed_at is not None:
            raise Conflict("The incident is closed already.")
        incidents.close_by_person(row.pk, by=self.person.get_username(), reason=given.validated_data["reason"])
        return Response(self.get_serializer(self.get_queryset().get(pk=row.pk)).data)

    @extend_schema(request=WhySerializer, responses={200: IncidentDetailSerializer})
    @action(detail=True, methods=["post"])
    def lift(self, request: Request, pk: str) -> Response:
        """Trust faults of this kind again: automation may act by those that open from now on.

        The machines of the incident are left alone until it is closed.
        """
        row = self.get_object()
        given = WhySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        if row.closed_at is not None or row.suspect_until is None:
            raise Conflict("Nothing is suspected by this incident.")
        mass.lift(row.pk, by=self.person.get_username(), reason=given.validated_data["reason"])
        return Response(self.get_serializer(self.get_queryset().get(pk=row.pk)).data)


@extend_schema(summary="Remedies that can be started by hand", responses={200: OfferSerializer(many=True)})
@api_view(["GET"])
def remedies_of_machine(request: Request, pk: int) -> Response:
    """Each remedy there is for people, whether it may be started on this machine now, and what stands in the way."""
    rows = limit_to_sites(MachineHealth.objects.all(), request_roles(request), "machine__device__site_id")
    machine = get_object_or_404(rows.select_related("machine__device__model"), pk=pk)
    return listed(queries.offers(machine))


def register(router: BaseRouter) -> None:
    router.register("health/actions", ActionViewSet, basename="remediation-action")
    router.register("health/incidents", IncidentViewSet, basename="incident")
