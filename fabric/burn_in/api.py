"""Burn-ins: plan one, look at what it would do, start it, stop it, and what came of each pair and link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import exceptions, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from fabric.burn_in.models import BurnIn, BurnInPair
from fabric.burn_in.queries import bad_links, counted, gaps
from fabric.burn_in.services import plans, runs
from fabric.burn_in.services.plans import BurnInRefused
from fabric.quality.models.quality import LinkQuality
from fabric.quality.shapes import EndRatesSerializer
from fabric.wiring.api.shapes import source_to_write
from health.diagnostics.shapes import OutcomesSerializer

BIGGEST = 2**63 - 1


class BurnInProgressSerializer(serializers.Serializer):
    """Stages."""

    done = serializers.IntegerField(min_value=0)
    total = serializers.IntegerField(min_value=0)


class UnusedMachineSerializer(serializers.Serializer):
    machine = serializers.CharField()
    reason = serializers.CharField()


class BurnInSerializer(serializers.ModelSerializer[BurnIn]):
    """`links` of the fabric, `covered` of them by some stage; `progress` in stages; `result` in pairs."""

    stages = serializers.IntegerField(source="stage_count", read_only=True)
    pairs = serializers.IntegerField(source="pair_count", read_only=True)
    uncovered_count = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    result = serializers.SerializerMethodField()

    class Meta:
        model = BurnIn
        fields: ClassVar = [
            "id", "site", "source", "status", "dry_run", "settings", "stages", "pairs", "links", "covered",
            "uncovered_count", "progress", "result", "message", "created_at", "created_by", "started_at", "started_by",
            "finished_at",
        ]  # fmt: skip

    def get_uncovered_count(self, run: BurnIn) -> int:
        return run.links - run.covered

    @extend_schema_field(BurnInProgressSerializer)
    def get_progress(self, run: Any) -> dict[str, int]:
        return {"done": run.stages_done, "total": run.stage_count}

    @extend_schema_field(OutcomesSerializer)
    def get_result(self, run: Any) -> dict[str, int]:
        return {"pass": run.passed, "fail": run.failed, "unknown": run.no_result}


class GapEndSerializer(serializers.Serializer):
    device = serializers.CharField()
    guid = serializers.CharField()
    port = serializers.IntegerField()


class GapSerializer(serializers.Serializer):
    """A link that no stage covers."""

    key = serializers.CharField()
    share = serializers.FloatField()
    reason = serializers.CharField()
    a = GapEndSerializer()
    b = GapEndSerializer()


class KnownOfLinkSerializer(serializers.Serializer):
    """A link as it was evaluated at one time, with the counts of the last minutes."""

    state = serializers.ChoiceField(LinkQuality.State.values)
    at = serializers.DateTimeField(allow_null=True)
    rates = EndRatesSerializer()
    ber = serializers.FloatField(allow_null=True)


class BadLinkSerializer(serializers.Serializer):
    """A link that a stage loaded and that is not ok now."""

    key = serializers.CharField()
    quality = serializers.ChoiceField(LinkQuality.State.values)
    reason = serializers.CharField(allow_blank=True)
    before = KnownOfLinkSerializer(allow_null=True)
    after = KnownOfLinkSerializer(allow_null=True)


class BurnInDetailSerializer(BurnInSerializer):
    left_out = UnusedMachineSerializer(many=True, read_only=True, help_text="Those that may not be used.")
    uncovered = serializers.SerializerMethodField()
    bad_links = serializers.SerializerMethodField()

    class Meta(BurnInSerializer.Meta):
        fields: ClassVar = [*BurnInSerializer.Meta.fields, "left_out", "uncovered", "bad_links"]

    @extend_schema_field(GapSerializer(many=True))
    def get_uncovered(self, run: BurnIn) -> list[dict[str, Any]]:
        return gaps(run)

    @extend_schema_field(BadLinkSerializer(many=True))
    def get_bad_links(self, run: BurnIn) -> list[dict[str, Any]]:
        return bad_links(run)


class BurnInPairSerializer(serializers.ModelSerializer[BurnInPair]):
    stage = serializers.IntegerField(source="stage.number", read_only=True)
    server = serializers.CharField(source="server.device.name", read_only=True)
    client = serializers.CharField(source="client.device.name", read_only=True)

    class Meta:
        model = BurnInPair
        fields: ClassVar = [
            "id", "stage", "adapter", "server", "server_guid", "client", "client_guid", "verdict", "gbps", "p99_us",
            "message",
        ]  # fmt: skip


class PlanBurnInSerializer(serializers.Serializer):
    """Without `machines` all of the site that may be used; of `settings` what shall not be as usual."""

    source = serializers.IntegerField(min_value=1, max_value=BIGGEST)  # type: ignore[assignment]
    machines = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=BIGGEST), required=False, max_length=20_000
    )
    settings = serializers.DictField(required=False)


class StartBurnInSerializer(serializers.Serializer):
    for_real = serializers.BooleanField(default=False, help_text="Without it nothing is run on any machine.")


class BurnInFilter(filters.FilterSet):
    site = filters.NumberFilter(method="by_id")
    source = filters.NumberFilter(method="by_id")

    class Meta:
        model = BurnIn
        fields: ClassVar = ["status", "dry_run"]

    def by_id(self, rows: QuerySet, name: str, value: float) -> QuerySet:
        return rows.filter(**{f"{name}_id": int(value)}) if 0 <= value < 2**63 else rows.none()


@extend_schema_view(
    retrieve=extend_schema(responses={200: BurnInDetailSerializer}),
    create=extend_schema(request=PlanBurnInSerializer, responses={202: BurnInSerializer}),
)
class BurnInViewSet(ReadOnlyViewSet):
    """Runs that load every link of a fabric, newest first."""

    queryset = counted(BurnIn.objects.all()).order_by("-id")
    serializer_class = BurnInSerializer
    site_field = "site_id"
    filterset_class = BurnInFilter
    ordering_fields: ClassVar = ["id"]
    write_role = Role.OPERATOR

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return BurnInDetailSerializer if self.action == "retrieve" else BurnInSerializer

    def create(self, request: Request) -> Response:
        """Plan a run. A worker makes the plan; nothing is run before it is started."""
        given = PlanBurnInSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        body = given.validated_data
        source = source_to_write(self, body["source"])
        try:
            run = plans.create(
                source, by=self.person.get_username(), machines=body.get("machines", ()), settings=body.get("settings")
            )
        except BurnInRefused as error:
            raise exceptions.ValidationError({"settings": [str(error)]}) from error
        return self.show(run, status=202)

    @extend_schema(request=StartBurnInSerializer, responses={200: BurnInSerializer})
    @action(detail=True, methods=["post"])
    def start(self, request: Request, pk: str) -> Response:
        """Begin a planned run; without `for_real` it writes down what it would run."""
        found = self.get_object()
        given = StartBurnInSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        return self.refusing(
            lambda: runs.start(found.pk, by=self.person.get_username(), for_real=given.validated_data["for_real"])
        )

    @extend_schema(request=None, responses={200: BurnInSerializer})
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, pk: str) -> Response:
        """No new stage begins; what runs ends by itself."""
        found = self.get_object()
        return self.refusing(lambda: runs.stop(found.pk, by=self.person.get_username()))

    @extend_schema(responses={200: BurnInPairSerializer(many=True)}, filters=False)
    @action(detail=True, methods=["get"])
    def pairs(self, request: Request, pk: str) -> Response:
        """What came of each pair of adapters, those that failed first."""
        rows = BurnInPair.objects.filter(stage__burn_in=self.get_object()).select_related(
            "stage", "server__device", "client__device"
        )
        page = self.paginate_queryset(rows.order_by("verdict", "stage__number", "id"))
        return self.get_paginated_response(BurnInPairSerializer(page, many=True).data)

    def refusing(self, work: Callable[[], BurnIn]) -> Response:
        try:
            return self.show(work())
        except BurnInRefused as error:
            raise Conflict(str(error)) from error

    def show(self, run: BurnIn, status: int = 200) -> Response:
        return Response(BurnInSerializer(self.get_queryset().get(pk=run.pk)).data, status=status)


def register(router: BaseRouter) -> None:
    router.register("fabric/burn-ins", BurnInViewSet, basename="burn-in")
