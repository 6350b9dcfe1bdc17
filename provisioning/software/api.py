"""Base software over the API: the roles, what they would mend, runs, what each task did, start and cancel."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action, api_view
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from core.rest.lists import listed
from health.machines.parameters import SITE, MachineBriefSerializer, asked_sites, number
from inventory.models import Machine
from provisioning.software import queries, services
from provisioning.software.catalogue import Role as SoftwareRole
from provisioning.software.drift import Remedy
from provisioning.software.models import SoftwareMachine, SoftwareRun, SoftwareTask
from provisioning.software.words import Outcome
from provisioning.waves.policy import MACHINE_STATES, RunState
from provisioning.waves.rows import RunRefused

OUTCOMES = [outcome.value for outcome in Outcome]


class SoftwareDiffersSerializer(MachineBriefSerializer):
    message = serializers.CharField(help_text="What the check says, such as the version found and the one expected.")


class SoftwareRoleSerializer(serializers.Serializer):
    """A role, and the machines that differ now from what it brings."""

    name = serializers.CharField()
    title = serializers.CharField()
    drained = serializers.BooleanField(help_text="It is done only on machines out of service.")
    of_site = serializers.BooleanField(help_text="From the site's own folder of roles.")
    problem = serializers.CharField(allow_blank=True, help_text="Why it cannot be chosen; empty where it can.")
    expected = serializers.ListField(
        child=serializers.CharField(), help_text="Expected values of the device model that it brings."
    )
    mends = serializers.ListField(child=serializers.CharField(), help_text="Checks that pass again after it.")
    differs = SoftwareDiffersSerializer(many=True, help_text="Machines that a check of these warns or fails about.")


class SoftwareTotalsSerializer(serializers.Serializer):
    """Machines of a software run, by status."""

    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    ok = serializers.IntegerField()
    failed = serializers.IntegerField()
    unreachable = serializers.IntegerField()
    refused = serializers.IntegerField()
    cancelled = serializers.IntegerField()


class SoftwareRunSerializer(serializers.ModelSerializer[SoftwareRun]):
    status = serializers.ChoiceField([state.value for state in RunState])
    totals = serializers.SerializerMethodField()

    class Meta:
        model = SoftwareRun
        fields: tuple[str, ...] = (
            "id", "site", "roles", "dry_run", "canary", "limit", "stop_share", "status", "message", "cancelled_by",
            "created_at", "created_by", "finished_at", "totals",
        )  # fmt: skip

    @extend_schema_field(SoftwareTotalsSerializer)
    def get_totals(self, run: Any) -> dict[str, int]:
        counts = Counter(row.status for row in run.statuses)
        return {state: counts[state] for state in MACHINE_STATES}


class SoftwareMachineSerializer(serializers.ModelSerializer[SoftwareMachine]):
    """A machine of a run; `outcomes` has the roles that ended there."""

    machine = serializers.SerializerMethodField()
    status = serializers.ChoiceField(MACHINE_STATES)
    outcomes = serializers.DictField(child=serializers.ChoiceField(OUTCOMES))

    class Meta:
        model = SoftwareMachine
        fields: ClassVar = [
            "id", "machine", "status", "wave", "outcomes", "message", "task_count", "started_at", "finished_at",
        ]  # fmt: skip

    @extend_schema_field(MachineBriefSerializer)
    def get_machine(self, row: SoftwareMachine) -> dict[str, Any]:
        return {"id": row.machine_id, "name": row.machine.device.name}


class SoftwareRunDetailSerializer(SoftwareRunSerializer):
    machines = SoftwareMachineSerializer(many=True, source="statuses")

    class Meta(SoftwareRunSerializer.Meta):
        fields: tuple[str, ...] = (*SoftwareRunSerializer.Meta.fields, "machines")


class SoftwareTaskSerializer(serializers.ModelSerializer[SoftwareTask]):
    outcome = serializers.ChoiceField(OUTCOMES)

    class Meta:
        model = SoftwareTask
        fields: ClassVar = ["n", "at", "role", "task", "outcome", "text", "duration_s"]


class SoftwareLogSerializer(serializers.Serializer):
    tasks = SoftwareTaskSerializer(many=True)


class NewSoftwareRunSerializer(serializers.Serializer):
    machines = serializers.ListField(
        child=serializers.IntegerField(min_value=1), allow_empty=False, max_length=services.MOST_MACHINES,
        help_text="In the order in which they go.",
    )  # fmt: skip
    roles = serializers.ListField(child=serializers.CharField(max_length=40), allow_empty=False, max_length=50)
    dry_run = serializers.BooleanField(default=True, help_text="Only say what would change.")
    canary = serializers.IntegerField(min_value=0, max_value=50, default=1, help_text="So many go first; 0: none.")
    limit = serializers.IntegerField(min_value=1, max_value=500, default=8, help_text="Machines of a wave.")
    stop_share = serializers.FloatField(
        min_value=0.01, max_value=1, default=0.2, help_text="Share of failed machines that stops the run."
    )


def _role(role: SoftwareRole, remedy: Remedy | None) -> dict[str, Any]:
    differs = remedy.machines if remedy else ()
    return {
        **role.model_dump(exclude={"order", "mends"}),
        "mends": list(role.mends),
        "differs": [{"id": each.machine_id, "name": each.name, "message": each.message} for each in differs],
    }


@extend_schema(
    summary="Roles of base software, and the machines that differ from what they bring",
    parameters=[SITE],
    responses={200: SoftwareRoleSerializer(many=True)},
    filters=False,
    operation_id="provisioning_software_roles_list",
)
@api_view(["GET"])
def roles(request: Request) -> Response:
    """In the order in which a run does them."""
    known = services.catalogue().roles
    remedies = {each.role.name: each for each in queries.remedies(asked_sites(request), known)}
    told = [_role(role, remedies.get(role.name)) for role in known]
    return listed(SoftwareRoleSerializer(told, many=True).data)


class SoftwareRunViewSet(ReadOnlyViewSet):
    """Runs of base software. Starting and cancelling need the operator's role at the run's site."""

    queryset = SoftwareRun.objects.none()
    serializer_class = SoftwareRunDetailSerializer
    site_field = "site_id"
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = {"status": ["exact"]}
    lookup_value_regex = r"\d{1,18}"

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.runs() if self.action == "list" else queries.runs_with_machines()
        return super().get_queryset()

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return SoftwareRunSerializer if self.action == "list" else SoftwareRunDetailSerializer

    def _answer(self, pk: int, status: int = 200) -> Response:
        return Response(SoftwareRunDetailSerializer(queries.runs_with_machines().get(pk=pk)).data, status=status)

    @extend_schema(request=NewSoftwareRunSerializer, responses={201: SoftwareRunDetailSerializer})
    def create(self, request: Request) -> Response:
        """Start roles on machines: a dry run, unless `dry_run` is false. Every reason against it is named."""
        asked = NewSoftwareRunSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        sites = set(Machine.objects.filter(pk__in=given["machines"]).values_list("device__site_id", flat=True))
        if not all(self.may(Role.OPERATOR, site) for site in sites):
            raise PermissionDenied
        try:
            run = services.start(
                given["machines"], given["roles"], actor=self.person.get_username(), dry_run=given["dry_run"],
                canary=given["canary"], limit=given["limit"], stop_share=given["stop_share"],
            )  # fmt: skip
        except RunRefused as error:
            raise serializers.ValidationError({"machines": [f"{k}: {v}" for k, v in error.reasons.items()]}) from error
        return self._answer(run.pk, 201)

    @extend_schema(request=None, responses=SoftwareRunDetailSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """No task begins any more; what one has begun may still end on its machine. 409 when the run has ended."""
        run = self.get_object()
        if not services.cancel(run.pk, actor=self.person.get_username()):
            raise Conflict(f"This run is {run.status} already.")
        return self._answer(run.pk)

    @extend_schema(
        parameters=[OpenApiParameter("after", OpenApiTypes.INT, description="Only tasks with a higher number.")],
        responses=SoftwareLogSerializer,
    )
    @action(detail=True, methods=["get"], url_path=r"machines/(?P<rm>\d{1,18})/log", url_name="machine-log")
    def log(self, request: Request, pk: str, rm: str) -> Response:
        """What each task did on one machine, oldest first, at most 500 a call; ask again with the last number."""
        run = self.get_object()
        if not SoftwareMachine.objects.filter(run=run, pk=int(rm)).exists():
            raise NotFound
        tasks = queries.tasks_after(int(rm), number(request, "after") or 0)
        return Response({"tasks": SoftwareTaskSerializer(tasks, many=True).data})
