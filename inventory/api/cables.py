"""Ports and cables."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Prefetch
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import serializers

from core.models import Site
from core.scope import limit_to_sites, request_roles
from inventory import services
from inventory.api.base import InventoryViewSet, Named, VisibleRelated
from inventory.api.devices import GuidField, MacField
from inventory.models import Cable, Device, Port, StrandEnd

LIVE_ENDS = Prefetch(
    "strand_ends",
    queryset=StrandEnd.objects.filter(change_set=None).select_related("connector__cable"),
    to_attr="live_ends",
)


class PortSerializer(serializers.ModelSerializer):
    device = VisibleRelated(queryset=Device.objects.all())
    device_name = serializers.CharField(source="device.name", read_only=True)
    guid = GuidField(required=False, allow_blank=True)
    mac = MacField(required=False, allow_blank=True)
    cable = serializers.SerializerMethodField()

    class Meta:
        model = Port
        fields: ClassVar = [
            "id", "device", "device_name", "name", "kind", "speed_gbps", "cage", "lane", "slot", "face", "guid", "mac",
            "cable",
        ]  # fmt: skip
        validators: ClassVar[list[Any]] = []

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_cable(self, port: Port) -> dict[str, Any] | None:
        """The live cable in this port; a port just written has none that is not told by /cables/."""
        ends = getattr(port, "live_ends", None)
        if ends is None:
            ends = list(port.strand_ends.filter(change_set=None).select_related("connector__cable"))
        return {"id": ends[0].connector.cable_id, "label": ends[0].connector.cable.label} if ends else None


class PortFilter(filters.FilterSet):
    cabled = filters.BooleanFilter(method="filter_cabled", label="Has a live cable.")
    device_name = filters.CharFilter(field_name="device__name")
    site = filters.NumberFilter(field_name="device__site_id")

    class Meta:
        model = Port
        fields = ("device", "name", "kind", "cage", "slot", "guid", "mac")

    def filter_cabled(self, queryset: Any, name: str, value: bool) -> Any:
        live = StrandEnd.objects.filter(change_set=None).values("port_id")
        return queryset.filter(pk__in=live) if value else queryset.exclude(pk__in=live)


class PortViewSet(InventoryViewSet):
    """Sockets of devices. They come with the device's model; a port with a cable cannot be removed."""

    queryset = Port.objects.select_related("device").prefetch_related(LIVE_ENDS)
    serializer_class = PortSerializer
    site_field = "device__site_id"
    filterset_class = PortFilter
    search_fields = ("name", "device__name", "guid", "mac")
    ordering_fields = ("id", "name", "device__name", "kind", "speed_gbps")
    ordering = ("device__name", "id")

    def site_of_data(self, data: dict[str, Any]) -> int | None:
        return data["device"].site_id if "device" in data else None

    def save_row(self, row: Port | None, data: dict[str, Any]) -> Port:
        return services.save(row or Port(), data)

    def remove_row(self, row: Port) -> None:
        services.remove(row)


# ---- cables ----


class EndSerializer(serializers.Serializer):
    """Where an end of a cable is plugged in."""

    side = serializers.CharField(source="connector.side")
    connector = serializers.IntegerField(source="connector.number")
    lane = serializers.IntegerField()
    device = Named(source="port.device")
    port = serializers.SerializerMethodField()

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_port(self, end: StrandEnd) -> dict[str, Any]:
        port = end.port
        return {"id": port.pk, "name": port.name, "kind": port.kind, "cage": port.cage, "lane": port.lane}


class CableSerializer(serializers.ModelSerializer):
    """A cable as it is read."""

    ends = serializers.SerializerMethodField()

    class Meta:
        model = Cable
        fields: ClassVar = ["id", "site", "label", "type", "status", "length_m", "colour", "ends"]

    @extend_schema_field(EndSerializer(many=True))
    def get_ends(self, cable: Cable) -> Any:
        ends = [end for connector in cable.connectors.all() for end in connector.ends.all() if not end.change_set_id]
        return EndSerializer(ends, many=True).data


class PlugSerializer(serializers.Serializer):
    """A port by its id, or by its device (id or name) and its own name."""

    port = serializers.CharField()
    device = serializers.CharField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        request = self.context["request"]
        ports = limit_to_sites(Port.objects.select_related("device"), request_roles(request), "device__site_id")
        device, name = attrs.get("device"), attrs["port"]
        if device is None:
            ports = ports.filter(pk=int(name)) if name.isdecimal() else ports.none()
        elif device.isdecimal():
            ports = ports.filter(device_id=int(device), name=name)
        else:
            ports = ports.filter(device__name=device, name=name)
        found = list(ports[:2])
        if len(found) != 1:
            several = "Several sites have that port: give its id." if found else "There is no such port."
            raise serializers.ValidationError(several)
        return {"port": found[0]}


class CableWriteSerializer(serializers.ModelSerializer):
    """A cable as it is written: two ports, together or not at all."""

    site = VisibleRelated(queryset=Site.objects.all(), site_field="id")
    status = serializers.ChoiceField(choices=["planned", "connected", "to_move"], required=False)
    a = PlugSerializer(write_only=True, required=False)
    b = PlugSerializer(write_only=True, required=False)

    class Meta:
        model = Cable
        fields: ClassVar = ["site", "label", "type", "status", "length_m", "colour", "a", "b"]
        validators: ClassVar[list[Any]] = []

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        missing = [side for side in ("a", "b") if side not in attrs]
        if missing and (not self.instance or len(missing) == 1):
            raise serializers.ValidationError({side: ["Both ends are needed."] for side in missing})
        return attrs

    def to_representation(self, instance: Cable) -> dict[str, Any]:
        return CableSerializer(CABLES.get(pk=instance.pk), context=self.context).data


CABLES = Cable.objects.prefetch_related("connectors__ends__port__device")


class CableFilter(filters.FilterSet):
    device = filters.NumberFilter(field_name="connectors__ends__port__device_id", distinct=True)
    port = filters.NumberFilter(field_name="connectors__ends__port_id", distinct=True)

    class Meta:
        model = Cable
        fields = ("site", "label", "type", "status", "colour")


CABLE_WRITES: dict[str, Any] = {"request": CableWriteSerializer, "responses": CableSerializer}


@extend_schema_view(create=extend_schema(**CABLE_WRITES), partial_update=extend_schema(**CABLE_WRITES))
class CableViewSet(InventoryViewSet):
    """Cables with both ends."""

    queryset = CABLES
    filterset_class = CableFilter
    search_fields = ("label", "type")
    ordering_fields = ("label", "type", "length_m", "status")
    ordering = ("label", "id")

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return CableWriteSerializer if self.action in ("create", "partial_update") else CableSerializer

    def site_of_data(self, data: dict[str, Any]) -> int | None:
        return data["site"].pk if "site" in data else None

    def save_row(self, row: Cable | None, data: dict[str, Any]) -> Cable:
        a, b = (data.pop(side, {}).get("port") for side in ("a", "b"))
        if row is None:
            return services.create_cable(data.pop("site"), data, a, b)
        data.pop("site", None)
        return services.update_cable(row, data, a, b)

    def remove_row(self, row: Cable) -> None:
        services.remove_cable(row)
