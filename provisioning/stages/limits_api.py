"""The limits of each site over the API."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import SiteScopedViewSet
from core.models import Role, Site
from health.machines.parameters import number
from provisioning.conf import config
from provisioning.limits import queries, services
from provisioning.limits.models import ProvisioningLimits
from provisioning.limits.starts import Kind
from provisioning.limits.use import use_at
from provisioning.stages.board import LIMITS, Stage

STAGES = [stage.value for stage in Stage]
LONGEST_S = 90 * 86_400


class StageLimitSerializer(serializers.Serializer):
    """How long a machine may stand at a stage before it is late; null: as usual."""

    stage = serializers.ChoiceField(STAGES)
    seconds = serializers.IntegerField(min_value=60, max_value=LONGEST_S, allow_null=True)

    def validate_stage(self, stage: str) -> str:
        if LIMITS[Stage(stage)] is None:
            raise serializers.ValidationError("A machine may stand there for as long as it likes.")
        return stage


class UsualStageSerializer(serializers.Serializer):
    stage = serializers.ChoiceField(STAGES)
    seconds = serializers.FloatField()


class ProvisioningLimitsSerializer(serializers.ModelSerializer[ProvisioningLimits]):
    """How many machines of a site start at once, and how long its stages may take. Null: no limit of its own."""

    stages = StageLimitSerializer(many=True, required=False, help_text="Those that are not the usual ones.")
    usual_a_rack = serializers.SerializerMethodField(help_text="Of a rack, where the site says nothing else.")
    usual_stages = serializers.SerializerMethodField(help_text="How long a stage may take where the site says nothing.")

    class Meta:
        model = ProvisioningLimits
        fields: ClassVar = ["site", "a_rack", "a_switch", "a_mirror", "usual_a_rack", "stages", "usual_stages"]
        read_only_fields: ClassVar = ["site"]
        extra_kwargs: ClassVar = {
            name: {"min_value": 1, "max_value": 10_000} for name in ("a_rack", "a_switch", "a_mirror")
        }

    def to_representation(self, row: ProvisioningLimits) -> dict[str, Any]:
        told = super().to_representation(row)
        return {**told, "stages": [{"stage": stage, "seconds": s} for stage, s in row.stages_s.items()]}

    @extend_schema_field(serializers.IntegerField())
    def get_usual_a_rack(self, row: ProvisioningLimits) -> int:
        return config().limit_a_rack

    @extend_schema_field(UsualStageSerializer(many=True))
    def get_usual_stages(self, row: ProvisioningLimits) -> list[dict[str, Any]]:
        return [{"stage": stage.value, "seconds": limit.total_seconds()} for stage, limit in LIMITS.items() if limit]


class HeldMachineSerializer(serializers.Serializer):
    run_machine = serializers.IntegerField()
    run = serializers.IntegerField()
    id = serializers.IntegerField(source="machine")
    name = serializers.CharField()


class StartLimitSerializer(serializers.Serializer):
    """A limit on machines under way: how many it has, how many it bears, and who waits for it."""

    kind = serializers.ChoiceField([kind.value for kind in Kind], source="share.kind")
    id = serializers.IntegerField(source="share.id", help_text="Of the run, rack, switch or site; 0 of all runs.")
    name = serializers.CharField(allow_blank=True)
    under_way = serializers.IntegerField()
    most = serializers.IntegerField(source="share.most")
    waiting = HeldMachineSerializer(many=True, help_text="A machine may wait for several limits.")


class StartLimitsSerializer(serializers.Serializer):
    limits = StartLimitSerializer(many=True, help_text="Those that hold most machines first.")


class ProvisioningLimitsViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """The limits of each site, by the id of the site."""

    queryset = Site.objects.select_related("provisioning_limits").order_by("pk")
    serializer_class = ProvisioningLimitsSerializer
    site_field = "pk"
    write_role = Role.ADMIN
    lookup_value_regex = r"\d{1,18}"

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = [_limits(site) for site in self.paginate_queryset(self.get_queryset()) or []]
        return self.get_paginated_response(ProvisioningLimitsSerializer(page, many=True).data)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(ProvisioningLimitsSerializer(_limits(self.get_object())).data)

    @extend_schema(
        parameters=[OpenApiParameter("run", int, description="Only what holds machines of this run.")],
        responses={200: StartLimitsSerializer},
        filters=False,
    )
    @action(detail=True, pagination_class=None)
    def use(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """How full each limit is now, and which machines wait for it."""
        found = use_at(self.get_object(), number(request, "run"))
        return Response(StartLimitsSerializer({"limits": found}).data)

    @extend_schema(request=ProvisioningLimitsSerializer(partial=True), responses={200: ProvisioningLimitsSerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change some of them; of `stages` those that are named, the others stay."""
        site = self.get_object()
        given = ProvisioningLimitsSerializer(_limits(site), data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        fields = dict(given.validated_data)
        stages: dict[str, int | None] = {row["stage"]: row["seconds"] for row in fields.pop("stages", ())}
        return Response(ProvisioningLimitsSerializer(services.set_limits(site, fields, stages)).data)


def _limits(site: Site) -> ProvisioningLimits:
    found: ProvisioningLimits | None = getattr(site, "provisioning_limits", None)
    return found or queries.none_of(site.pk)
