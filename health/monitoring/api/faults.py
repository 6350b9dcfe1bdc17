"""Faults with their evidence, pools and the catalogue of checks."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.db import transaction
from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import ReadOnlyViewSet
from core.http.numbers import FloatField
from core.models import Role
from health.machines.budget import Budget
from health.machines.models.machines import Pool
from health.machines.services.pools import update_pool
from health.monitoring.models.faults import Fault, FaultEvidence
from health.monitoring.queries.policy import quiet_checks
from health.remediation.services.budgets_now import budgets_of


class FaultFilter(filters.FilterSet):
    machine = filters.NumberFilter(field_name="machine_id")
    open = filters.BooleanFilter(method="only_open")
    leading = filters.BooleanFilter(field_name="led_by", lookup_expr="isnull")

    class Meta:
        model = Fault
        fields: tuple[str, ...] = ("status", "fault_class", "slot")

    def only_open(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        closed = Q(status=Fault.Status.CLEARED)
        return queryset.filter(~closed if value else closed)


class EvidenceSerializer(serializers.ModelSerializer):
    check = serializers.CharField(source="check_id")

    class Meta:
        model = FaultEvidence
        fields: ClassVar = ["id", "at", "check", "part", "verdict", "message", "command", "exit_status", "excerpt"]


class FaultSerializer(serializers.ModelSerializer):
    machine = serializers.SerializerMethodField()

    class Meta:
        model = Fault
        fields: ClassVar = [
            "id", "machine", "slot", "fault_class", "precedence", "kind", "status", "led_by", "checks", "message",
            "action", "opened_at", "seen_at", "confirmed_at", "cleared_at", "cleared_by", "drain",
        ]  # fmt: skip

    def get_machine(self, fault: Fault) -> dict[str, Any]:
        return {"id": fault.machine_id, "name": fault.machine.device.name}


class QuietCheckSerializer(serializers.Serializer):
    """A check of the fault that is silenced there or only observed; the fault stays until verified or dismissed."""

    check = serializers.CharField()
    kind = serializers.ChoiceField(["silence", "observe_only"])
    id = serializers.IntegerField()
    until = serializers.DateTimeField(allow_null=True)


class FaultDetailSerializer(FaultSerializer):
    evidence = serializers.SerializerMethodField()
    quiet = serializers.SerializerMethodField()

    class Meta(FaultSerializer.Meta):
        fields: ClassVar = [*FaultSerializer.Meta.fields, "evidence", "quiet"]

    def get_evidence(self, fault: Fault) -> list[dict[str, Any]]:
        return list(EvidenceSerializer(fault.all_evidence(), many=True).data)

    @extend_schema_field(QuietCheckSerializer(many=True))
    def get_quiet(self, fault: Fault) -> list[dict[str, Any]]:
        found = quiet_checks(fault.machine_id, fault.slot, fault.checks)
        return list(QuietCheckSerializer(found, many=True).data)


class FaultViewSet(ReadOnlyViewSet):
    """Faults, newest first. A fault `led_by` another is evidence for it and has no ticket of its own."""

    queryset = Fault.objects.select_related("machine__device")
    site_field = "machine__device__site_id"
    filterset_class = FaultFilter
    ordering_fields = ("opened_at", "confirmed_at", "precedence")
    search_fields = ("machine__device__name", "slot", "fault_class", "message")

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return FaultDetailSerializer if self.action == "retrieve" else FaultSerializer


class PoolSerializer(serializers.ModelSerializer):
    """`size` and `unavailable` are counted now; `allowance` is how many more may be drained automatically, of the
    `max_unavailable` that may be out at all; `reason` is that sum in words."""

    model = serializers.CharField(source="model.slug", read_only=True)
    max_out_share = FloatField(min_value=0, max_value=1)
    size = serializers.SerializerMethodField()
    unavailable = serializers.SerializerMethodField()
    allowance = serializers.SerializerMethodField()
    max_unavailable = serializers.SerializerMethodField()
    reason = serializers.SerializerMethodField()

    class Meta:
        model = Pool
        fields: ClassVar = [
            "id", "site", "role", "model", "max_out_share", "automation", "no_scheduler", "no_scheduler_by",
            "no_scheduler_at", "size", "unavailable", "allowance", "max_unavailable", "reason",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["site", "role", "no_scheduler_by", "no_scheduler_at"]

    def get_size(self, pool: Pool) -> int:
        return self._budget(pool).size

    def get_unavailable(self, pool: Pool) -> int:
        return self._budget(pool).unavailable

    def get_allowance(self, pool: Pool) -> int:
        return self._budget(pool).left

    def get_max_unavailable(self, pool: Pool) -> int:
        return self._budget(pool).max_unavailable

    def get_reason(self, pool: Pool) -> str:
        return self._budget(pool).reason

    def _budget(self, pool: Pool) -> Budget:
        """Of a page of pools all are counted at once."""
        known: dict[int, Budget] = cast(dict[str, Any], self.context).setdefault("budgets", {})
        if pool.pk not in known:
            shown = self.parent.instance if isinstance(self.parent, serializers.ListSerializer) else [pool]
            known |= budgets_of(shown or [pool])
        return known[pool.pk]


class PoolViewSet(mixins.UpdateModelMixin, ReadOnlyViewSet):
    """Pools and their policy. Changing one needs admin and takes effect at once: waiting machines are drained.

    `no_scheduler` declares that no scheduler gives work to its machines; without that word, or a scheduler's, nobody
    knows what runs on them, and nothing that would stop work is done to them.
    """

    queryset = Pool.objects.select_related("model").order_by("site", "role", "model")
    serializer_class = PoolSerializer
    site_field = "site_id"
    write_role = Role.ADMIN
    http_method_names = ["get", "patch", "head", "options"]  # noqa: RUF012  (as Django has it)
    filterset_fields = ("site", "role")

    @transaction.atomic
    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        pool: Pool = serializer.instance  # type: ignore[assignment]
        update_pool(pool.pk, actor=self.request.user.get_username(), **serializer.validated_data)
        serializer.instance = self.get_queryset().get(pk=pool.pk)


@extend_schema(summary="The catalogue of checks", responses={200: OpenApiTypes.OBJECT})
@api_view(["GET"])
def checks(request: Request) -> Response:
    """What is checked, of which part, with which thresholds, and from which source they come."""
    from health.checks import CHECKS_VERSION, catalogue

    shown = ("id", "title", "part", "needs", "kind", "fault_classes", "advice", "source")
    rows = [
        {name: getattr(check, name) for name in shown} | {"thresholds": dict(check.thresholds)} for check in catalogue()
    ]
    return Response({"version": CHECKS_VERSION, "checks": rows})
