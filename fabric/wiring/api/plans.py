"""What the comparison is held against besides the inventory: as-built plans, reserved ports, lengths; free ports."""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.exceptions import ValidationError as Refused
from django.db.models import Exists, OuterRef, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, mixins, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.http.parsers import MultiPartParser
from core.http.seen import SeenRecord
from core.models import Role, Site
from fabric.discovery.services import uploads
from fabric.wiring.models.plans import AsBuiltPlan, LengthRule, ReservedPort
from fabric.wiring.services import reservations
from fabric.wiring.services.as_built import keep_plan, remove_plan
from inventory.models import Device, Port, StrandEnd
from inventory.queries.place import port_place_text, with_place


class PlanSerializer(serializers.ModelSerializer[AsBuiltPlan]):
    class Meta:
        model = AsBuiltPlan
        fields: ClassVar = ["id", "site", "name", "filename", "cables", "devices", "note", "created_at", "created_by"]


class NewPlanSerializer(serializers.Serializer):
    """`cable,a_device,a_port,b_device,b_port` as CSV, or the plan format of NDT; gzipped or not."""

    site = SeenRecord(queryset=Site.objects.all())
    name = serializers.CharField(max_length=100)
    note = serializers.CharField(max_length=300, required=False, allow_blank=True, default="")
    file = serializers.FileField()


class PlanViewSet(mixins.DestroyModelMixin, ReadOnlyViewSet):
    """As-built plans: what a contractor says was laid. A source may be held against one instead of the inventory."""

    queryset = AsBuiltPlan.objects.defer("content").order_by("-id")
    serializer_class = PlanSerializer
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = ["site", "name"]
    search_fields: ClassVar = ["name", "filename"]
    parser_classes = (MultiPartParser,)

    @extend_schema(request={"multipart/form-data": NewPlanSerializer}, responses={201: PlanSerializer})
    def create(self, request: Request) -> Response:
        """Refused as a whole, with the lines that are wrong, when anything in the file is."""
        asked = NewPlanSerializer(data=request.data, context={"request": request})
        asked.is_valid(raise_exception=True)
        data = asked.validated_data
        if not self.may(Role.OPERATOR, data["site"].pk):
            raise exceptions.PermissionDenied("Your role on that site does not allow this.")
        try:
            plan = keep_plan(
                data["site"], name=data["name"], filename=data["file"].name,
                content=data["file"].read(uploads.MOST_BYTES + 1), note=data["note"], by=request.user.get_username(),
            )  # fmt: skip
        except uploads.FileRefused as error:
            raise exceptions.ValidationError({"file": [str(error)]}) from error
        return Response(PlanSerializer(plan).data, status=status.HTTP_201_CREATED)

    def perform_destroy(self, instance: AsBuiltPlan) -> None:
        try:
            remove_plan(instance)
        except Refused as error:
            raise exceptions.ValidationError({"plan": error.messages}) from error


class ReservedPortSerializer(serializers.ModelSerializer[ReservedPort]):
    serializer_related_field = SeenRecord
    port_name = serializers.CharField(source="port.name", read_only=True)
    device = serializers.IntegerField(source="port.device_id", read_only=True)
    device_name = serializers.CharField(source="port.device.name", read_only=True)

    class Meta:
        model = ReservedPort
        fields: ClassVar = [
            "id", "port", "port_name", "device", "device_name", "owner", "reason", "until", "created_at", "created_by",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["created_at", "created_by"]


class ReservedPortViewSet(mixins.CreateModelMixin, mixins.UpdateModelMixin, mixins.DestroyModelMixin, ReadOnlyViewSet):
    """Ports that are kept free for something."""

    queryset = ReservedPort.objects.select_related("port__device").order_by("port__device__name", "port_id")
    serializer_class = ReservedPortSerializer
    named_records: ClassVar = {"port": "ports"}
    site_field = "port__device__site_id"
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = {
        "port": ["exact"], "port__device": ["exact"], "port__device__site": ["exact"], "until": ["gte", "lte"],
    }  # fmt: skip
    search_fields: ClassVar = ["owner", "reason", "port__device__name"]

    def _check(self, serializer: serializers.BaseSerializer[ReservedPort]) -> None:
        port = serializer.validated_data.get("port")
        if port is not None and not self.may(Role.OPERATOR, port.device.site_id):
            self.permission_denied(self.request, "Your role on that site does not allow this.")

    def perform_create(self, serializer: serializers.BaseSerializer[ReservedPort]) -> None:
        self._check(serializer)
        by = self.request.user.get_username()
        serializer.instance = reservations.reserve(None, serializer.validated_data, by=by)

    def perform_update(self, serializer: serializers.BaseSerializer[ReservedPort]) -> None:
        self._check(serializer)
        by = self.request.user.get_username()
        serializer.instance = reservations.reserve(serializer.instance, serializer.validated_data, by=by)

    def perform_destroy(self, instance: ReservedPort) -> None:
        reservations.release(instance)


class LengthRuleSerializer(serializers.ModelSerializer[LengthRule]):
    """Two racks or two rows; twice the same: within it."""

    serializer_related_field = SeenRecord
    length_m = serializers.DecimalField(max_digits=6, decimal_places=2, min_value=0)

    class Meta:
        model = LengthRule
        fields: ClassVar = ["id", "site", "a_rack", "b_rack", "a_row", "b_row", "length_m"]
        validators: ClassVar[list[Any]] = []  # the service settles which end is written first, and duplicates

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        def now(name: str) -> Any:
            return attrs.get(name, getattr(self.instance, name, None))

        site = now("site")
        if self.instance is not None and "site" in attrs and attrs["site"] != self.instance.site:
            raise serializers.ValidationError({"site": ["A rule stays at its site."]})
        for name in ("a_rack", "b_rack", "a_row", "b_row"):
            place = now(name)
            if place is not None and place.room.site_id != site.pk:
                raise serializers.ValidationError({name: ["This is at another site."]})
        racks, rows = [now("a_rack"), now("b_rack")], [now("a_row"), now("b_row")]
        if (None in racks) == (None in rows) or any(racks) == any(rows):
            raise serializers.ValidationError({"a_rack": ["Two racks or two rows are needed, and not both."]})
        if now("length_m") <= 0:
            raise serializers.ValidationError({"length_m": ["A length above 0 is needed."]})
        return attrs


class LengthRuleViewSet(mixins.CreateModelMixin, mixins.UpdateModelMixin, mixins.DestroyModelMixin, ReadOnlyViewSet):
    """The length of cable between two racks or rows; it decides which of several moves is cheaper, and what reaches."""

    queryset = LengthRule.objects.order_by("id")
    serializer_class = LengthRuleSerializer
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = ["site", "a_rack", "b_rack", "a_row", "b_row"]

    def _check(self, serializer: serializers.BaseSerializer[LengthRule]) -> None:
        site = serializer.validated_data.get("site")
        if site is not None and not self.may(Role.OPERATOR, site.pk):
            self.permission_denied(self.request, "Your role on that site does not allow this.")

    def perform_create(self, serializer: serializers.BaseSerializer[LengthRule]) -> None:
        self._check(serializer)
        serializer.instance = reservations.save_length(None, serializer.validated_data)

    def perform_update(self, serializer: serializers.BaseSerializer[LengthRule]) -> None:
        self._check(serializer)
        serializer.instance = reservations.save_length(serializer.instance, serializer.validated_data)

    def perform_destroy(self, instance: LengthRule) -> None:
        reservations.remove_length(instance)


class FreePortSerializer(serializers.ModelSerializer[Port]):
    """A switch port without a planned cable; `reserved` says who it is kept for."""

    device_name = serializers.CharField(source="device.name")
    site = serializers.IntegerField(source="device.site_id")
    tier = serializers.SerializerMethodField()
    place = serializers.SerializerMethodField()
    reserved = serializers.SerializerMethodField()

    class Meta:
        model = Port
        fields: ClassVar = [
            "id", "site", "device", "device_name", "tier", "name", "cage", "lane", "speed_gbps", "place", "reserved",
        ]  # fmt: skip

    def get_tier(self, port: Port) -> str:
        return str(port.device.switch.tier)

    def get_place(self, port: Port) -> str:
        return port_place_text(port.device, port.face)

    def get_reserved(self, port: Port) -> str | None:
        row = getattr(port, "reserved", None)
        return row.owner if row is not None else None


class FreePortFilter(filters.FilterSet):
    """`free`: spare ports are kept for nobody, reserved ones are."""

    free = filters.ChoiceFilter(choices=[("spare", "spare"), ("reserved", "reserved")], method="that_are")

    class Meta:
        model = Port
        fields: ClassVar = {"device": ["exact"], "device__site": ["exact"], "device__switch__tier": ["exact"]}

    def that_are(self, rows: QuerySet[Port], name: str, value: str) -> QuerySet[Port]:
        return rows.filter(reserved__isnull=value == "spare")


class FreePortViewSet(ReadOnlyViewSet):
    """Switch ports of the fabrics that no planned cable takes."""

    queryset = Port.objects.order_by("device__name", "cage", "lane", "id")
    serializer_class = FreePortSerializer
    site_field = "device__site_id"
    filterset_class = FreePortFilter
    search_fields: ClassVar = ["device__name", "name"]

    def get_queryset(self) -> QuerySet:
        taken = StrandEnd.objects.filter(port=OuterRef("pk"), change_set=None).exclude(
            connector__cable__status="removed"
        )
        switches = with_place(Device.objects.select_related("switch")).exclude(status="retired")
        rows = super().get_queryset().filter(
            device__switch__fabric__in=["infiniband", "ethernet"], kind__in=["infiniband", "ethernet"],
            device__in=switches.values("pk"), cage__isnull=False,
        )  # fmt: skip
        related = [
            "device__site", "device__model", "device__switch", "device__placement__rack__row",
            "device__placement__rack__room", "device__parent__placement__rack__row",
            "device__parent__placement__rack__room", "reserved",
        ]  # fmt: skip
        return rows.filter(~Exists(taken)).select_related(*related)


def register(router: BaseRouter) -> None:
    router.register("fabric/plans", PlanViewSet, basename="as-built-plan")
    router.register("fabric/reserved-ports", ReservedPortViewSet, basename="reserved-port")
    router.register("fabric/length-table", LengthRuleViewSet, basename="length-rule")
    router.register("fabric/ports", FreePortViewSet, basename="fabric-port")
