"""API of provisioning runs: list, start, look, cancel, retry, read the log."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from inventory.models import Machine
from provisioning import queries, services
from provisioning.acceptance.choice import GPU_TESTS, of_site
from provisioning.alike import Alike
from provisioning.bmc import api as bmc
from provisioning.boot.api import dnsmasq
from provisioning.discovery.api import BmcDiscoveryViewSet, LeaseSourceViewSet
from provisioning.engines import ENGINES, way_of_run
from provisioning.engines.api import engines
from provisioning.failures.owners import OWNERS, Owner
from provisioning.floor.api import intake_floor
from provisioning.images.api import PlacementViewSet
from provisioning.images.api import plan as placement_plan
from provisioning.intake.api import DeliveryViewSet
from provisioning.ironic.api import IronicServerViewSet
from provisioning.maas.api import MaasRegionViewSet
from provisioning.mirrors.api import MirrorViewSet
from provisioning.models import FailureEvidence, LogLine, Run, RunMachine, Step
from provisioning.returns.api import VendorReturnViewSet
from provisioning.software.api import SoftwareRunViewSet, roles
from provisioning.stages.api import deliveries, stages
from provisioning.stages.limits_api import ProvisioningLimitsViewSet
from provisioning.steps import BY_NAME, FailureClass, Status, StepName

MOST_MACHINES = 2000


class StepSerializer(serializers.ModelSerializer):
    class Meta:
        model = Step
        fields: ClassVar = ["number", "name", "title", "status", "started_at", "finished_at", "attempt", "detail"]


class MachineOfRunSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class RunMachineSerializer(serializers.ModelSerializer):
    """A machine of a run at the step where it stands; `detail`, `since` and `attempt` are of that step."""

    machine = serializers.SerializerMethodField()
    step = serializers.ChoiceField([each.value for each in StepName])
    detail = serializers.SerializerMethodField()
    since = serializers.SerializerMethodField()
    attempt = serializers.SerializerMethodField()
    failure_class = serializers.SerializerMethodField()
    owner = serializers.SerializerMethodField(help_text="Who has to act on its failure first.")
    ticket = serializers.SerializerMethodField()

    class Meta:
        model = RunMachine
        fields: ClassVar = [
            "id",
            "machine",
            "status",
            "failure_class",
            "failure_text",
            "owner",
            "ticket",
            "step",
            "detail",
            "since",
            "attempt",
            "started_at",
            "finished_at",
        ]

    @staticmethod
    def _current(row: Any) -> Step | None:
        """From `current`, which holds that step alone, or from all of them."""
        steps = row.current if hasattr(row, "current") else [step for step in row.steps.all() if step.name == row.step]
        return steps[0] if steps else None

    def get_detail(self, row: RunMachine) -> str:
        current = self._current(row)
        return current.detail if current else ""

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_since(self, row: RunMachine) -> datetime | None:
        current = self._current(row)
        return current.started_at if current else None

    def get_attempt(self, row: RunMachine) -> int:
        current = self._current(row)
        return current.attempt if current else 0

    @extend_schema_field(MachineOfRunSerializer)
    def get_machine(self, row: RunMachine) -> dict[str, Any]:
        return {"id": row.machine_id, "name": row.machine.device.name}

    @extend_schema_field(serializers.ChoiceField([each.value for each in FailureClass], allow_null=True))
    def get_failure_class(self, row: RunMachine) -> str | None:
        return row.failure_class or None

    @extend_schema_field(serializers.ChoiceField([each.value for each in Owner], allow_null=True))
    def get_owner(self, row: RunMachine) -> str | None:
        return OWNERS[FailureClass(row.failure_class)].value if row.failure_class else None

    def get_ticket(self, row: RunMachine) -> str | None:
        return row.ticket or None


class FailureEvidenceSerializer(serializers.ModelSerializer):
    class Meta:
        model = FailureEvidence
        fields: ClassVar = ["kind", "attempt", "at", "text"]


class RunMachineDetailSerializer(RunMachineSerializer):
    steps = StepSerializer(many=True)
    evidence = FailureEvidenceSerializer(many=True, help_text="What shows why its attempts failed, oldest first.")

    class Meta(RunMachineSerializer.Meta):
        fields: ClassVar = [*RunMachineSerializer.Meta.fields, "steps", "evidence"]


class RunTotalsSerializer(serializers.Serializer):
    """Machines of a run, by status."""

    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()


class RunSerializer(serializers.ModelSerializer):
    totals = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields: ClassVar = [
            "id",
            "site",
            "name",
            "engine",
            "image",
            "software",
            "gpu_tests",
            "fabric",
            "status",
            "created_at",
            "created_by",
            "finished_at",
            "limit",
            "totals",
        ]

    @extend_schema_field(RunTotalsSerializer)
    def get_totals(self, run: Any) -> dict[str, int]:
        counts = Counter(row.status for row in run.statuses)
        return {status.value: counts[status.value] for status in Status}


class AlikeSerializer(serializers.Serializer):
    """Machines that fail or hang alike, and where to look first."""

    step = serializers.CharField()
    failure_class = serializers.ChoiceField([each.value for each in FailureClass], source="failure")
    machines = serializers.SerializerMethodField()
    cause = serializers.CharField()

    @extend_schema_field(MachineOfRunSerializer(many=True))
    def get_machines(self, group: Alike) -> list[dict[str, Any]]:
        return [{"id": trouble.machine_id, "name": trouble.name} for trouble in group.troubles]


class StepOfTheWaySerializer(serializers.Serializer):
    name = serializers.ChoiceField([each.value for each in StepName])
    title = serializers.CharField()


class RunDetailSerializer(RunSerializer):
    way = serializers.SerializerMethodField(help_text="The steps that each of its machines goes, in order.")
    machines = RunMachineSerializer(many=True, source="shown")
    alike = serializers.SerializerMethodField(
        help_text="Machines of this site's runs that fail or hang alike: each group is likely one cause."
    )

    class Meta(RunSerializer.Meta):
        fields: ClassVar = [*RunSerializer.Meta.fields, "way", "machines", "alike"]

    @extend_schema_field(StepOfTheWaySerializer(many=True))
    def get_way(self, run: Any) -> list[dict[str, str]]:
        way = way_of_run(run)
        return [{"name": step.value, "title": BY_NAME[step].title} for step in way.steps]

    @extend_schema_field(AlikeSerializer(many=True))
    def get_alike(self, run: Any) -> Any:
        """Only groups in which a machine of this run is."""
        mine = {row.pk for row in run.shown}
        groups = queries.troubles_alike(run.site_id)
        concerned = [group for group in groups if any(trouble.run_machine in mine for trouble in group.troubles)]
        return AlikeSerializer(concerned, many=True).data


class LogLineSerializer(serializers.ModelSerializer):
    class Meta:
        model = LogLine
        fields: ClassVar = ["n", "at", "step", "text"]


class LogAnswerSerializer(serializers.Serializer):
    lines = LogLineSerializer(many=True)


class NewRunSerializer(serializers.Serializer):
    machines = serializers.ListField(
        child=serializers.IntegerField(min_value=1), allow_empty=False, max_length=MOST_MACHINES
    )
    name = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")
    limit = serializers.IntegerField(min_value=1, max_value=MOST_MACHINES, required=False, default=8)
    engine = serializers.ChoiceField(
        choices=[(engine.slug, engine.title) for engine in ENGINES.values()], required=False, default="redfish"
    )
    image = serializers.CharField(
        max_length=40, required=False, allow_blank=True, default="",
        help_text="What is installed, of the engine's images; empty: the first of them.",
    )  # fmt: skip
    software = serializers.ListField(
        child=serializers.CharField(max_length=40), required=False, allow_null=True, default=None, max_length=50,
        help_text="Roles of base software for installed machines; null: those that the site has by default.",
    )  # fmt: skip
    gpu_tests = serializers.ChoiceField(
        GPU_TESTS, required=False, allow_null=True, allow_blank=True, default=None,
        help_text="The active check of their GPUs; empty: none, null: as the site has it.",
    )  # fmt: skip
    fabric = serializers.BooleanField(
        required=False, allow_null=True, default=None,
        help_text="Whether their InfiniBand links are tested between pairs of them; null: as the site has it.",
    )  # fmt: skip


class RunViewSet(ReadOnlyViewSet):
    """Provisioning runs. Starting, cancelling and retrying need the operator role at the run's site."""

    queryset = Run.objects.all()
    serializer_class = RunDetailSerializer
    site_field = "site_id"
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = {"status": ["exact"], "machines__machine": ["exact"]}
    search_fields: ClassVar = ["name", "created_by"]
    ordering_fields: ClassVar = ["id", "created_at", "status"]

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.runs() if self.action == "list" else queries.runs_with_machines()
        return super().get_queryset()

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return RunSerializer if self.action == "list" else RunDetailSerializer

    def _answer(self, run_id: int, status: int = 200) -> Response:
        run = queries.runs_with_machines().get(pk=run_id)
        return Response(RunDetailSerializer(run).data, status=status)

    def _machine_answer(self, run_machine_id: int) -> Response:
        row = queries.machines_of_runs().get(pk=run_machine_id)
        return Response(RunMachineDetailSerializer(row).data)

    def _run_machine(self, rm: str) -> RunMachine:
        run = self.get_object()
        found = RunMachine.objects.filter(run=run, pk=int(rm)).first()
        if found is None:
            raise NotFound
        return found

    @extend_schema(request=NewRunSerializer, responses={201: RunDetailSerializer})
    def create(self, request: Request) -> Response:
        """Start a run over the chosen machines, at most `limit` of them at a time."""
        wanted = NewRunSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        fields = wanted.validated_data
        sites = set(Machine.objects.filter(pk__in=fields["machines"]).values_list("device__site_id", flat=True))
        if not all(self.may(Role.OPERATOR, site) for site in sites):
            raise PermissionDenied
        said = {name: fields[name] for name in ("software", "gpu_tests", "fabric") if fields[name] is not None}
        try:
            run = services.create_run(
                fields["machines"],
                actor=request.user.get_username(),
                name=fields["name"],
                limit=fields["limit"],
                engine=fields["engine"],
                image=fields["image"],
                acceptance=replace(of_site(fields["engine"]), **said),
            )
        except services.RunRefused as error:
            raise serializers.ValidationError({"machines": [f"{k}: {v}" for k, v in error.reasons.items()]}) from error
        return self._answer(run.pk, 201)

    @extend_schema(request=None, responses=RunDetailSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel every machine of the run that has not ended."""
        run = self.get_object()
        services.cancel_run(run.pk, actor=request.user.get_username())
        return self._answer(run.pk)

    @extend_schema(request=None, responses=RunMachineDetailSerializer)
    @action(detail=True, methods=["post"], url_path=r"machines/(?P<rm>\d+)/cancel", url_name="machine-cancel")
    def cancel_machine(self, request: Request, pk: str, rm: str) -> Response:
        """Cancel one machine of the run; 409 when it has already ended."""
        row = self._run_machine(rm)
        if not services.cancel_machine(row.pk, actor=request.user.get_username()):
            raise Conflict(f"This machine is {row.status} already.")
        return self._machine_answer(row.pk)

    @extend_schema(request=None, responses=RunMachineDetailSerializer)
    @action(detail=True, methods=["post"], url_path=r"machines/(?P<rm>\d+)/retry", url_name="machine-retry")
    def retry_machine(self, request: Request, pk: str, rm: str) -> Response:
        """Queue a machine that failed or was cancelled for another attempt; 409 when it cannot be."""
        row = self._run_machine(rm)
        try:
            services.retry_machine(row.pk, actor=request.user.get_username())
        except services.RunRefused as error:
            raise Conflict(str(error)) from error
        return self._machine_answer(row.pk)

    @extend_schema(
        parameters=[OpenApiParameter("after", OpenApiTypes.INT, description="Only lines with a higher number.")],
        responses=LogAnswerSerializer,
    )
    @action(detail=True, methods=["get"], url_path=r"machines/(?P<rm>\d+)/log", url_name="machine-log")
    def log(self, request: Request, pk: str, rm: str) -> Response:
        """Log lines of one machine, oldest first, at most 500 a call; ask again with `after` = the last number."""
        row = self._run_machine(rm)
        try:
            after = int(request.query_params.get("after", 0))
        except ValueError:
            raise serializers.ValidationError({"after": "want a number"}) from None
        return Response({"lines": LogLineSerializer(queries.log_after(row.pk, after), many=True).data})

    @extend_schema(responses=RunMachineDetailSerializer)
    @action(detail=True, methods=["get"], url_path=r"machines/(?P<rm>\d+)", url_name="machine")
    def machine(self, request: Request, pk: str, rm: str) -> Response:
        """One machine of the run: all of its steps, and what shows why its attempts failed."""
        return self._machine_answer(self._run_machine(rm).pk)


urlpatterns = [
    path("provisioning/stages/", stages, name="stages"),
    path("provisioning/intake/floor/", intake_floor, name="intake-floor"),
    path("provisioning/stages/deliveries/", deliveries, name="stages-deliveries"),
    path("provisioning/dnsmasq/", dnsmasq, name="dnsmasq"),
    path("provisioning/engines/", engines, name="engines"),
    path("provisioning/bmc/profiles/", bmc.profiles, name="bmc-profiles"),
    path("provisioning/bmc/profiles/<slug:slug>/", bmc.BmcProfileView.as_view(), name="bmc-profile"),
    path("provisioning/bmc/versions/", bmc.versions, name="bmc-versions"),
    path("provisioning/bmc/machines/", bmc.machines, name="bmc-machines"),
    path("provisioning/bmc/machines/read/", bmc.BmcReadView.as_view(), name="bmc-machines-read"),
    path("provisioning/bmc/machines/<int:pk>/", bmc.machine, name="bmc-machine"),
    path("provisioning/bmc/machines/<int:pk>/password/", bmc.BmcPasswordView.as_view(), name="bmc-machine-password"),
    path("provisioning/software/roles/", roles, name="software-roles"),
    path("provisioning/placements/plan/", placement_plan, name="placement-plan"),
]


def register(router: BaseRouter) -> None:
    router.register("provisioning/runs", RunViewSet, basename="run")
    router.register("provisioning/ironic", IronicServerViewSet, basename="ironic-server")
    router.register("provisioning/maas", MaasRegionViewSet, basename="maas-region")
    router.register("provisioning/bmc/runs", bmc.BmcRunViewSet, basename="bmc-run")
    router.register("provisioning/limits", ProvisioningLimitsViewSet, basename="provisioning-limits")
    router.register("provisioning/software/runs", SoftwareRunViewSet, basename="software-run")
    router.register("provisioning/placements", PlacementViewSet, basename="image-placement")
    router.register("provisioning/mirrors", MirrorViewSet, basename="mirror")
    router.register("provisioning/deliveries", DeliveryViewSet, basename="delivery")
    router.register("provisioning/returns", VendorReturnViewSet, basename="vendor-return")
    router.register("provisioning/discoveries", BmcDiscoveryViewSet, basename="bmc-discovery")
    router.register("provisioning/lease-sources", LeaseSourceViewSet, basename="lease-source")
