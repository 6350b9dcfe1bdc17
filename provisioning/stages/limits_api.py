"""The limits of each site over the API."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import SiteScopedViewSet
from core.models import Role, Site
from provisioning.conf import config
from provisioning.limits import queries, services
from provisioning.limits.models import ProvisioningLimits
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


class ProvisioningLimitsSerializer(serializers.ModelSerializer[ProvisioningLimits]):
    """How many machines of a site start at once, and how long its stages may take. Null: no limit of its own."""

    stages = StageLimitSerializer(many=True, required=False, help_text="Those that are not the usual ones.")
    usual_a_rack = serializers.SerializerMethodField(help_text="Of a rack, where the site says nothing else.")

    class Meta:
        model = ProvisioningLimits
        fields: ClassVar = ["site", "a_rack", "a_switch", "a_mirror", "usual_a_rack", "stages"]
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
