"""What is wrong by what was measured, and the limits and prices of each site."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet, SiteScopedViewSet
from core.models import Role, Site
from facility.findings import services
from facility.findings.models import Finding, Policy
from facility.shapes import MeasuredFindingSerializer


class FindingViewSet(ReadOnlyViewSet):
    """What is wrong with power and cooling now, the worst first."""

    queryset = Finding.objects.filter(closed_at=None).select_related("rack").order_by("severity", "-since", "-id")
    serializer_class = MeasuredFindingSerializer
    filterset_fields: ClassVar = ["site", "room", "rack", "kind", "severity", "subject_kind"]


class PowerPriceSerializer(serializers.Serializer):
    """What a kWh costs from `start` to `end` by the clock of the site; the first that holds counts."""

    start = serializers.RegexField(r"^([01]\d|2[0-3]):[0-5]\d$")
    end = serializers.RegexField(r"^([01]\d|2[0-3]):[0-5]\d$", help_text="00:00 is midnight.")
    per_kwh = serializers.FloatField(min_value=0, max_value=9_999)
    weekdays = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=6), min_length=1, max_length=7,
        help_text="0 is Monday.",
    )  # fmt: skip


class PolicySerializer(serializers.ModelSerializer[Policy]):
    """What a site allows and pays."""

    load_percent = serializers.IntegerField(min_value=10, max_value=100, required=False)
    imbalance_percent = serializers.IntegerField(min_value=1, max_value=100, required=False)
    inlet_c = serializers.FloatField(min_value=10, max_value=60, required=False)
    rise_c_per_min = serializers.FloatField(min_value=0.05, max_value=60, required=False)
    gpu_great_c = serializers.FloatField(min_value=30, max_value=110, required=False)
    gpu_good_c = serializers.FloatField(min_value=30, max_value=110, required=False)
    port_c = serializers.FloatField(min_value=30, max_value=110, required=False)
    tariff_per_kwh = serializers.DecimalField(
        max_digits=8, decimal_places=4, min_value=0, allow_null=True, required=False, coerce_to_string=False
    )
    rates = PowerPriceSerializer(many=True, required=False, help_text="At other times `tariff_per_kwh` holds.")
    currency = serializers.RegexField(r"^[A-Z]{3}$", required=False)
    co2_g_per_kwh = serializers.IntegerField(min_value=0, max_value=5_000, allow_null=True, required=False)
    emergency_gpu_percent = serializers.IntegerField(min_value=20, max_value=100, allow_null=True, required=False)
    shut_down_at_once = serializers.IntegerField(min_value=1, max_value=1_000, required=False)

    class Meta:
        model = Policy
        fields: ClassVar = [
            "site", "load_percent", "imbalance_percent", "inlet_c", "rise_c_per_min", "gpu_great_c", "gpu_good_c",
            "port_c", "tariff_per_kwh", "rates", "currency", "co2_g_per_kwh", "acting", "emergency_gpu_percent",
            "shut_down_at_once",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["site"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        great = attrs.get("gpu_great_c", getattr(self.instance, "gpu_great_c", 0))
        good = attrs.get("gpu_good_c", getattr(self.instance, "gpu_good_c", 0))
        if great >= good:
            raise serializers.ValidationError({"gpu_good_c": ["It is warmer than what is great."]})
        return attrs


class PolicyViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """The limits and prices of each site, by the id of the site. Administrators change them."""

    queryset = Site.objects.select_related("power_policy").order_by("pk")
    serializer_class = PolicySerializer
    site_field = "pk"
    write_role = Role.ADMIN

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = [_policy(site) for site in self.paginate_queryset(self.get_queryset()) or []]
        return self.get_paginated_response(PolicySerializer(page, many=True).data)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(PolicySerializer(_policy(self.get_object())).data)

    @extend_schema(request=PolicySerializer(partial=True), responses={200: PolicySerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        row = _policy(self.get_object())
        given = PolicySerializer(row, data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        return Response(PolicySerializer(services.set_policy(row.pk, **given.validated_data)).data)


def _policy(site: Site) -> Policy:
    """That of the site; the usual one where nobody has set any."""
    found: Policy | None = getattr(site, "power_policy", None)
    return found or Policy(site=site)


def register(router: BaseRouter) -> None:
    router.register("facility/findings", FindingViewSet, basename="power-finding")
    router.register("facility/policies", PolicyViewSet, basename="power-policy")
