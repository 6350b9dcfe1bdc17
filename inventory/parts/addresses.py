"""Routes of a machine's addresses, and of the warranty that ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import URLPattern, path
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import SiteScopedViewSet
from core.models import Role
from core.rest.lists import listed
from inventory.models import Device, IpAddress, Machine
from inventory.services import Refused
from inventory.services.addresses import add_address

SOON = timedelta(days=90)


class MachineAddressSerializer(serializers.Serializer):
    id = serializers.IntegerField(allow_null=True, help_text="Of an additional address.")
    # The first two are fields of the machine.
    source = serializers.ChoiceField(["primary", "bmc", "additional"])  # type: ignore[assignment]
    address = serializers.CharField()
    prefix_length = serializers.IntegerField(allow_null=True)
    vlan = serializers.IntegerField(allow_null=True)
    dns_name = serializers.CharField()
    mac = serializers.CharField(help_text="Of the port, or the machine's boot or BMC MAC.")
    port = serializers.IntegerField(allow_null=True)
    port_name = serializers.CharField(allow_null=True)


class AddressAddSerializer(serializers.Serializer):
    address = serializers.CharField(max_length=45)
    port = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=2**63 - 1)
    prefix_length = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=128)
    vlan = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=4094)
    dns_name = serializers.CharField(required=False, allow_blank=True, max_length=255)


class MachineAddressViewSet(SiteScopedViewSet):
    """All addresses of a machine: its own two, and more on its ports."""

    queryset = Machine.objects.select_related("device")
    site_field = "device__site_id"
    write_role = Role.OPERATOR
    serializer_class = MachineAddressSerializer
    named_records: ClassVar = {"port": "ports", "pk": "device"}
    pagination_class = None
    filter_backends = ()
    selects_fields = False

    @extend_schema(responses=MachineAddressSerializer(many=True))
    def addresses(self, request: Request, pk: int) -> Response:
        return listed(addresses_of(self.get_object()))

    @extend_schema(request=AddressAddSerializer, responses={201: MachineAddressSerializer(many=True)})
    def add(self, request: Request, pk: int) -> Response:
        """Give the machine one more address; answers with all of them."""
        machine = self.get_object()
        given = AddressAddSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        data = dict(given.validated_data)
        try:
            add_address(machine.device, data.pop("address"), port_id=data.pop("port", None), **data)
        except Refused as refused:
            raise serializers.ValidationError({refused.field: [refused.reason]}) from refused
        return Response(addresses_of(machine), status=status.HTTP_201_CREATED)


def addresses_of(machine: Machine) -> list[dict[str, Any]]:
    """Its own addresses first, then those on its ports in their order. One query."""
    nothing = {"id": None, "prefix_length": None, "vlan": None, "dns_name": "", "port": None, "port_name": None}
    own = [("primary", machine.primary_ip, machine.boot_mac), ("bmc", machine.bmc_ip, machine.bmc_mac)]
    rows = IpAddress.objects.filter(device_id=machine.pk).select_related("port").order_by("port_id", "address")
    return [nothing | {"source": source, "address": ip, "mac": mac} for source, ip, mac in own if ip] + [
        {
            "id": row.pk,
            "source": "additional",
            "address": row.address,
            "prefix_length": row.prefix_length,
            "vlan": row.vlan if row.vlan is not None else row.port.vlan if row.port else None,
            "dns_name": row.dns_name,
            "mac": row.port.mac if row.port else "",
            "port": row.port_id,
            "port_name": row.port.name if row.port else None,
        }
        for row in rows
    ]


# ---- warranty ----


class WarrantySerializer(serializers.ModelSerializer):
    site_name = serializers.CharField(source="site.slug")
    model = serializers.CharField(source="model.slug")
    support_vendor = serializers.SerializerMethodField(help_text="Who repairs it; else its vendor.")
    contact_name = serializers.CharField(source="contact.name", default="")
    days_left = serializers.SerializerMethodField(help_text="Negative when it has ended.")

    class Meta:
        model = Device
        fields = (
            "id", "name", "kind", "site", "site_name", "model", "serial", "service_tag", "support_vendor",
            "contact_name", "warranty_until", "days_left",
        )  # fmt: skip

    def get_support_vendor(self, device: Device) -> str:
        return device.support_vendor or device.model.vendor

    def get_days_left(self, device: Device) -> int:
        assert device.warranty_until is not None  # of the queryset
        return (device.warranty_until - timezone.now().date()).days


class WarrantyFilter(filters.FilterSet):
    before = filters.DateFilter(field_name="warranty_until", lookup_expr="lte", label="Ends on this day or earlier.")
    after = filters.DateFilter(field_name="warranty_until", lookup_expr="gte")

    class Meta:
        model = Device
        fields = ("site", "kind", "support_vendor")


class WarrantyViewSet(mixins.ListModelMixin, SiteScopedViewSet):
    """Devices whose warranty has ended or ends soon: within 90 days, unless `before` names another day."""

    queryset = Device.objects.exclude(warranty_until=None).exclude(status="retired")
    serializer_class = WarrantySerializer
    filterset_class = WarrantyFilter
    search_fields = ("name", "serial", "service_tag")
    ordering_fields = ("warranty_until", "name")
    ordering = ("warranty_until", "name", "id")

    def get_queryset(self) -> QuerySet:
        rows = super().get_queryset().select_related("site", "model", "contact").defer("model__spec")
        if "before" in self.request.query_params:
            return rows
        return rows.filter(warranty_until__lte=timezone.now().date() + SOON)


urlpatterns: list[URLPattern] = [
    path(
        "machines/<int:pk>/addresses/",
        MachineAddressViewSet.as_view({"get": "addresses", "post": "add"}),
        name="machine-addresses",
    ),
    path("warranty/", WarrantyViewSet.as_view({"get": "list"}), name="warranty"),
]
