"""Device models, and devices of every kind with their place. Machines with their health are in `health`."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.models import Site
from inventory import queries, services
from inventory.api.base import InventoryViewSet, Named, SiteName, VisibleRelated
from inventory.fleet.format import normalise_guid, normalise_mac
from inventory.models import Device, DeviceModel, Machine, Pdu, PowerFeed, Rack, Switch


class DeviceModelSerializer(serializers.ModelSerializer):
    u_height = serializers.SerializerMethodField()

    class Meta:
        model = DeviceModel
        fields: ClassVar = [
            "id", "slug", "vendor", "name", "kind", "u_height", "full_depth", "airflow", "power_w", "gpu_count",
            "gpu_type", "psu_count", "spec",
        ]  # fmt: skip

    def get_u_height(self, model: DeviceModel) -> float:
        return model.half_u_height / 2


class DeviceModelViewSet(viewsets.ReadOnlyModelViewSet):
    """Products, the same for every site. They come with Rackside or with a fleet file."""

    queryset = DeviceModel.objects.all()
    serializer_class = DeviceModelSerializer
    lookup_field = "slug"
    filterset_fields = ("vendor", "kind", "gpu_count")
    search_fields = ("slug", "vendor", "name")
    ordering_fields = ("slug", "vendor", "name", "gpu_count")

    def check_object_permissions(self, request: Request, obj: Any) -> None:
        """Whoever may see any site may see what products there are."""


# ---- what one kind of device has ----


class MacField(serializers.CharField):
    """A MAC in any spelling; kept lower case with colons."""

    def to_internal_value(self, data: Any) -> str:
        return _normal(normalise_mac, super().to_internal_value(data))


class GuidField(serializers.CharField):
    """A GUID in any spelling; kept as 0x and 16 digits."""

    def to_internal_value(self, data: Any) -> str:
        return _normal(normalise_guid, super().to_internal_value(data))


def _normal(normalise: Any, text: str) -> str:
    try:
        return str(normalise(text))
    except ValueError as error:
        raise serializers.ValidationError(str(error)) from error


class MachineOwnSerializer(serializers.ModelSerializer):
    bmc_mac = MacField(required=False, allow_blank=True)
    boot_mac = MacField(required=False, allow_blank=True)

    class Meta:
        model = Machine
        fields: ClassVar = ["role", "system_uuid", "primary_ip", "bmc_ip", "bmc_mac", "boot_mac"]
        validators: ClassVar[list[Any]] = []


class SwitchOwnSerializer(serializers.ModelSerializer):
    node_guid = GuidField(required=False, allow_blank=True)

    class Meta:
        model = Switch
        fields: ClassVar = ["fabric", "tier", "node_guid"]
        validators: ClassVar[list[Any]] = []


class PduOwnSerializer(serializers.ModelSerializer):
    feed = VisibleRelated(queryset=PowerFeed.objects.all(), allow_null=True, required=False)
    feed_name = serializers.CharField(source="feed.name", read_only=True, default=None)

    class Meta:
        model = Pdu
        fields: ClassVar = ["feed", "feed_name", "limit_w"]


# ---- devices ----


class ModelName(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    vendor = serializers.CharField()


class PlaceSerializer(serializers.Serializer):
    """Where a device is to stand: a rack and either a unit or a side slot."""

    rack = VisibleRelated(queryset=Rack.objects.select_related("room"), site_field="room__site_id")
    u = serializers.FloatField(required=False, min_value=1, max_value=60)
    face = serializers.ChoiceField(choices=["front", "rear"], required=False)
    column = serializers.ChoiceField(choices=["full", "left", "right"], required=False)
    side = serializers.CharField(required=False, max_length=20)

    def validate_u(self, value: float) -> float:
        if value * 2 != int(value * 2):
            raise serializers.ValidationError("A whole or half unit.")
        return value


class DeviceSerializer(serializers.ModelSerializer):
    """A device as it is read."""

    site = SiteName()
    model = ModelName()
    place = serializers.SerializerMethodField()
    parent = Named(allow_null=True)
    machine = MachineOwnSerializer(allow_null=True, default=None)
    switch = SwitchOwnSerializer(allow_null=True, default=None)
    pdu = PduOwnSerializer(allow_null=True, default=None)

    class Meta:
        model = Device
        fields: ClassVar = [
            "id", "name", "kind", "status", "serial", "asset_tag", "site", "model", "place", "parent", "bay",
            "machine", "switch", "pdu",
        ]  # fmt: skip

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_place(self, device: Device) -> dict[str, Any] | None:
        return queries.place_dict(device)


class DeviceWriteSerializer(serializers.ModelSerializer):
    """A device as it is written: its model by slug, its place, and the fields of its kind."""

    site = VisibleRelated(queryset=Site.objects.all(), site_field="id")
    model = serializers.SlugRelatedField(slug_field="slug", queryset=DeviceModel.objects.all())
    status = serializers.ChoiceField(choices=["planned", "active"], required=False)
    place = PlaceSerializer(required=False, allow_null=True)
    parent = VisibleRelated(queryset=Device.objects.all(), required=False, allow_null=True)  # type: ignore[assignment]
    machine = MachineOwnSerializer(required=False)
    switch = SwitchOwnSerializer(required=False)
    pdu = PduOwnSerializer(required=False)

    class Meta:
        model = Device
        fields: ClassVar = [
            "site", "model", "name", "status", "serial", "asset_tag", "place", "parent", "bay", "machine", "switch",
            "pdu",
        ]  # fmt: skip
        validators: ClassVar[list[Any]] = []

    def validate_name(self, value: str) -> str:
        if any(letter.isspace() or letter == "/" for letter in value):
            raise serializers.ValidationError("A name has no blank and no slash.")
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        model = attrs.get("model") or (self.instance.model if self.instance else None)
        if self.instance and model != self.instance.model:
            raise serializers.ValidationError({"model": ["A device stays what it is: retire it and make a new one."]})
        kind = model.kind if model else ""
        wrong = [name for name in KINDS if name in attrs and name != kind]
        if wrong:
            raise serializers.ValidationError({wrong[0]: [f"This device is a {kind}."]})
        if not self.instance and kind in ("switch", "pdu") and kind not in attrs:
            raise serializers.ValidationError({kind: ["This is needed for a device of that kind."]})
        if not self.instance and attrs.get("place") and attrs.get("parent"):
            raise serializers.ValidationError({"place": ["It stands in a rack or in a bay, not in both."]})
        parent = attrs.get("parent")
        site = attrs.get("site") or (self.instance.site if self.instance else None)
        if parent and (parent.site_id != (site.pk if site else None) or not attrs.get("bay")):
            raise serializers.ValidationError({"parent": ["The parent stands at the same site; name the bay."]})
        return attrs

    def to_representation(self, instance: Device) -> dict[str, Any]:
        return DeviceSerializer(queries.with_place(DEVICES).get(pk=instance.pk), context=self.context).data


KINDS = ("machine", "switch", "pdu")
DEVICES = Device.objects.select_related("machine", "switch", "pdu__feed")


class DeviceFilter(filters.FilterSet):
    rack = filters.NumberFilter(field_name="placement__rack_id")
    room = filters.NumberFilter(field_name="placement__rack__room_id")
    model = filters.CharFilter(field_name="model__slug")
    fabric = filters.CharFilter(field_name="switch__fabric")
    tier = filters.CharFilter(field_name="switch__tier")
    feed = filters.CharFilter(field_name="pdu__feed__name")
    boot_mac = filters.CharFilter(field_name="machine__boot_mac", lookup_expr="iexact")
    node_guid = filters.CharFilter(field_name="switch__node_guid", lookup_expr="iexact")

    class Meta:
        model = Device
        fields = ("site", "name", "kind", "status", "serial", "asset_tag")


WRITES: dict[str, Any] = {"request": DeviceWriteSerializer, "responses": DeviceSerializer}


@extend_schema_view(create=extend_schema(**WRITES), partial_update=extend_schema(**WRITES))
class DeviceViewSet(InventoryViewSet):
    """All that is mounted. DELETE retires: the device frees its place, cables, parts and addresses; its row stays."""

    queryset = queries.with_place(DEVICES)
    kind = ""
    filterset_class = DeviceFilter
    search_fields = ("name", "serial", "asset_tag")
    ordering_fields = ("name", "kind", "status", "serial", "model__slug")
    ordering = ("name", "id")

    def get_queryset(self) -> QuerySet:
        queryset = super().get_queryset()
        return queryset.filter(kind=self.kind) if self.kind else queryset

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return DeviceWriteSerializer if self.action in ("create", "partial_update") else DeviceSerializer

    def site_of_data(self, data: dict[str, Any]) -> int | None:
        return data["site"].pk if "site" in data else None

    def save_row(self, row: Device | None, data: dict[str, Any]) -> Device:
        own = next((data.pop(name) for name in KINDS if name in data), None)
        has_place, place = "place" in data, data.pop("place", None)
        if row is None:
            site, model = data.pop("site"), data.pop("model")
            if self.kind and model.kind != self.kind:
                raise services.Refused("model", f"That is a {model.kind}, not a {self.kind}.")
            return services.create_device(site, model, data, place=place, own=own, actor=self.actor)
        for name in ("site", "model"):
            data.pop(name, None)
        row = services.update_device(row, data, own=own, actor=self.actor)
        return services.place_device(row, place, actor=self.actor) if has_place else row

    def remove_row(self, row: Device) -> None:
        services.retire_device(row, actor=self.actor)

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    @action(detail=True)
    def components(self, request: Request, pk: str) -> Response:
        """The parts installed now."""
        return Response(queries.device_components(self.get_object()))

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    @action(detail=True)
    def cables(self, request: Request, pk: str) -> Response:
        """What is plugged in, with the far ends."""
        return Response(queries.device_cables(self.get_object().pk))

    @extend_schema(
        parameters=[OpenApiParameter("slot", str, description="A slot of its model, such as GPU 5.")],
        responses={200: OpenApiTypes.OBJECT},
    )
    @action(detail=True)
    def place(self, request: Request, pk: str) -> Response:
        """The way to the device, or to one of its slots, as a ticket draws it."""
        return Response(queries.place_of(self.get_object().pk, request.query_params.get("slot", "")))


class SwitchViewSet(DeviceViewSet):
    """Devices that are switches."""

    kind = "switch"


class PduViewSet(DeviceViewSet):
    """Devices that are PDUs."""

    kind = "pdu"
