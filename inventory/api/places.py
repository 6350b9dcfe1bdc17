"""Sites, rooms, rows, aisles and racks."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Count, Model, Q
from rest_framework import serializers

from core.models import Role, Site
from inventory import services
from inventory.api.base import InventoryViewSet, VisibleRelated
from inventory.models import Aisle, Rack, Room, Row


class SiteSerializer(serializers.ModelSerializer):
    class Meta:
        model = Site
        fields: ClassVar = ["id", "slug", "name", "timezone"]


class RoomSerializer(serializers.ModelSerializer):
    site = VisibleRelated(queryset=Site.objects.all(), site_field="id")

    class Meta:
        model = Room
        fields: ClassVar = ["id", "site", "name", "width_mm", "depth_mm", "door"]
        validators: ClassVar[list[Any]] = []  # the constraints of the database judge


class InRoomSerializer(serializers.ModelSerializer):
    room = VisibleRelated(queryset=Room.objects.all())


class RowSerializer(InRoomSerializer):
    class Meta:
        model = Row
        fields: ClassVar = ["id", "room", "name", "position"]
        validators: ClassVar[list[Any]] = []


class AisleSerializer(InRoomSerializer):
    class Meta:
        model = Aisle
        fields: ClassVar = ["id", "room", "name", "kind", "x_mm", "y_mm", "width_mm", "depth_mm"]
        validators: ClassVar[list[Any]] = []


class RackSerializer(InRoomSerializer):
    row = VisibleRelated(queryset=Row.objects.all(), site_field="room__site_id", allow_null=True, required=False)
    room_name = serializers.CharField(source="room.name", read_only=True)
    row_name = serializers.CharField(source="row.name", read_only=True, default="")
    site = serializers.IntegerField(source="room.site_id", read_only=True)
    devices = serializers.IntegerField(read_only=True, default=0)
    machines = serializers.IntegerField(read_only=True, default=0)

    class Meta:
        model = Rack
        fields: ClassVar = [
            "id", "site", "room", "room_name", "row", "row_name", "name", "role", "x_mm", "y_mm", "width_mm",
            "depth_mm", "facing", "height_u", "power_limit_w", "devices", "machines",
        ]  # fmt: skip
        validators: ClassVar[list[Any]] = []


class PlaceViewSet(InventoryViewSet):
    """A place is written as a whole row and removed only when empty."""

    def save_row(self, row: Model | None, data: dict[str, Any]) -> Model:
        return services.save(row or self.get_queryset().model(), data)

    def remove_row(self, row: Model) -> None:
        services.remove(row)


class SiteViewSet(PlaceViewSet):
    """Sites. Only an admin of every site makes a new one."""

    queryset = Site.objects.all()
    serializer_class = SiteSerializer
    site_field = "id"
    write_role = Role.ADMIN
    filterset_fields = ("slug", "name")
    search_fields = ("slug", "name")
    ordering_fields = ("slug", "name")

    def site_of_data(self, data: dict[str, Any]) -> int | None:
        return None


class RoomViewSet(PlaceViewSet):
    queryset = Room.objects.all()
    serializer_class = RoomSerializer
    filterset_fields = ("site", "name")
    search_fields = ("name",)
    ordering_fields = ("name", "site")

    def site_of_data(self, data: dict[str, Any]) -> int | None:
        return data["site"].pk if "site" in data else None


class InRoomViewSet(PlaceViewSet):
    site_field = "room__site_id"
    filterset_fields: tuple[str, ...] = ("room", "name")
    search_fields: tuple[str, ...] = ("name",)
    ordering_fields: tuple[str, ...] = ("name", "room")

    def site_of_data(self, data: dict[str, Any]) -> int | None:
        return data["room"].site_id if "room" in data else None


class RowViewSet(InRoomViewSet):
    queryset = Row.objects.select_related("room")
    serializer_class = RowSerializer
    ordering_fields = ("name", "room", "position")


class AisleViewSet(InRoomViewSet):
    queryset = Aisle.objects.select_related("room")
    serializer_class = AisleSerializer
    filterset_fields = ("room", "name", "kind")


class RackViewSet(InRoomViewSet):
    """Racks with how many devices and machines stand in them."""

    queryset = Rack.objects.select_related("room", "row").annotate(
        devices=Count("placements__device"),
        machines=Count("placements__device", filter=Q(placements__device__kind="machine")),
    )
    serializer_class = RackSerializer
    filterset_fields = ("room", "row", "name", "role", "room__site")
    ordering = ("room", "name", "id")
    search_fields = ("name", "room__name")
    ordering_fields = ("name", "room", "height_u", "power_limit_w", "devices", "machines")
