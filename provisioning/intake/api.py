"""Deliveries over the API: upload a list, see it beside the plan, take over what fits."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import request_roles, visible_sites
from core.api import SiteScopedViewSet
from core.errors import Conflict
from core.http.parsers import JSONParser, MultiPartParser, refuse_large
from core.models import Role, Site
from inventory.kinds import Scope
from provisioning.intake import lists, queries, services
from provisioning.intake.matching import Match, Matched
from provisioning.intake.models import Delivery, DeliveryItem


class VendorDeliveryUploadSerializer(serializers.Serializer):
    """A vendor's list as CSV or XLSX. With passwords of BMCs on it the administrator's role is needed."""

    file = serializers.FileField()
    site = serializers.IntegerField(min_value=1)
    order = serializers.CharField(max_length=60, help_text="The purchase order, or the vendor's name of it.")
    vendor = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")


class VendorDeliverySerializer(serializers.ModelSerializer[Delivery]):
    machines = serializers.IntegerField(help_text="On the list.")
    accepted = serializers.IntegerField(help_text="Taken over into the inventory.")
    in_service = serializers.IntegerField()

    class Meta:
        model = Delivery
        fields: tuple[str, ...] = (
            "id", "site", "order", "vendor", "filename", "received_at", "received_by", "machines", "accepted",
            "in_service",
        )  # fmt: skip


class VendorDeliveryMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    place = serializers.CharField()


class VendorDeliveryItemSerializer(serializers.Serializer):
    """A row of the list, and what it means beside the plan; `changes` would be written, field by field."""

    number = serializers.IntegerField()
    service_tag = serializers.CharField()
    model = serializers.CharField(allow_blank=True)
    bmc_mac = serializers.CharField(allow_blank=True)
    macs = serializers.ListField(child=serializers.CharField())
    rack = serializers.CharField(allow_blank=True)
    u = serializers.FloatField(allow_null=True)
    has_password = serializers.BooleanField(help_text="Kept encrypted; never told.")
    match = serializers.ChoiceField([each.value for each in Match])
    text = serializers.CharField(allow_blank=True)
    changes = serializers.DictField(child=serializers.CharField())
    planned = VendorDeliveryMachineSerializer(allow_null=True)
    accepted_at = serializers.DateTimeField(allow_null=True)
    accepted_by = serializers.CharField(allow_blank=True)


class VendorDeliveryDetailSerializer(VendorDeliverySerializer):
    items = serializers.SerializerMethodField()

    class Meta(VendorDeliverySerializer.Meta):
        fields: tuple[str, ...] = (*VendorDeliverySerializer.Meta.fields, "items")

    @extend_schema_field(VendorDeliveryItemSerializer(many=True))
    def get_items(self, delivery: Delivery) -> Any:
        rows = list(delivery.items.all())
        told = [_row(row, found) for row, found in zip(rows, queries.matches(delivery, rows), strict=True)]
        return VendorDeliveryItemSerializer(told, many=True).data


class VendorDeliveryAcceptSerializer(serializers.Serializer):
    rows = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, allow_empty=False, max_length=lists.MOST_ROWS,
        help_text="Numbers of rows; without it all that fit.",
    )  # fmt: skip


def _row(row: DeliveryItem, found: Matched) -> dict[str, Any]:
    planned = found.planned
    return {
        "number": row.number, "service_tag": row.service_tag, "model": row.model, "bmc_mac": row.bmc_mac,
        "macs": row.macs, "rack": row.rack, "u": row.u, "has_password": row.credential_id is not None,
        "match": found.match.value, "text": found.text, "changes": dict(found.changes),
        "planned": {"id": planned.id, "name": planned.name, "place": planned.place_text} if planned else None,
        "accepted_at": row.accepted_at, "accepted_by": row.accepted_by,
    }  # fmt: skip


class DeliveryViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.CreateModelMixin, mixins.DestroyModelMixin,
    SiteScopedViewSet,
):  # fmt: skip
    """Deliveries of vendors. Taking one in needs the operator's role, with passwords on it the administrator's."""

    queryset = Delivery.objects.none()
    serializer_class = VendorDeliverySerializer
    site_field = "site_id"
    write_role = Role.OPERATOR
    parser_classes = (MultiPartParser, JSONParser)
    lookup_value_regex = r"\d{1,18}"

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.deliveries()
        return super().get_queryset()

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return VendorDeliverySerializer if self.action == "list" else VendorDeliveryDetailSerializer

    def _answer(self, pk: int, status: int = 200) -> Response:
        return Response(VendorDeliveryDetailSerializer(queries.deliveries().get(pk=pk)).data, status=status)

    @extend_schema(
        request={"multipart/form-data": VendorDeliveryUploadSerializer},
        responses={201: VendorDeliveryDetailSerializer},
    )
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Take a list in: nothing of the inventory changes. Bad rows are all named, and nothing is kept."""
        refuse_large(request, lists.MOST_BYTES + 64 * 1024, f"At most {lists.MOST_BYTES // 1024**2} MB are read.")
        asked = VendorDeliveryUploadSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        site = get_object_or_404(visible_sites(request_roles(request)), pk=given["site"])
        if not self.may(Role.OPERATOR, site.pk):
            self.permission_denied(request)
        name = str(given["file"].name)
        try:
            told = lists.read_list(name, given["file"].read())
        except lists.ListRefused as error:
            told_problems = [f"row {p.row}, {p.field}: {p.reason}" if p.row else p.reason for p in error.problems]
            raise serializers.ValidationError({"file": told_problems}) from error
        if any(item.bmc_password for item in told.items) and not self.may(Role.ADMIN, site.pk):
            self.permission_denied(request, "Passwords of BMCs are for administrators: leave the column out.")
        return self._received(site, told, name, given)

    def _received(self, site: Site, told: lists.DeliveryList, name: str, given: dict[str, Any]) -> Response:
        delivery = services.receive(
            site, told, order=given["order"], vendor=given["vendor"], filename=name, actor=self.person.get_username()
        )
        return self._answer(delivery.pk, 201)

    @extend_schema(request=VendorDeliveryAcceptSerializer, responses={200: VendorDeliveryDetailSerializer})
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Take over the chosen rows, or all that fit: the plan gets serials and addresses. 409 when one may not."""
        delivery = self.get_object()
        asked = VendorDeliveryAcceptSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        numbers = asked.validated_data.get("rows")
        try:
            services.accept(delivery.pk, numbers, scope=Scope.of_request(request), actor=self.person.get_username())
        except services.AcceptRefused as error:
            raise Conflict(f"Nothing was taken over: {error}.") from error
        return self._answer(delivery.pk)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Forget a list of which nothing was taken over; 409 otherwise."""
        try:
            services.discard(self.get_object().pk)
        except services.AcceptRefused as error:
            raise Conflict(f"It is not forgotten: {error}.") from error
        return Response(status=204)
