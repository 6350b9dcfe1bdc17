"""Routes of parts: their life, what is done with them, and the spares."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.urls import URLPattern, path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles, visible_site_ids
from core.api import SiteScopedViewSet
from core.models import Role, Site
from core.rest.lists import listed
from inventory.models import Component, Device, Stock
from inventory.parts import addresses, life, schemas
from inventory.parts.queries import component_life, spares
from inventory.services import Refused
from inventory.services.stock import put_into_stock, take_from_stock


def acting(summary: str, body: type[serializers.Serializer], answer: type[serializers.Serializer]) -> Any:
    return extend_schema(summary=summary, request=body, responses={200: answer})


class PartViewSet(SiteScopedViewSet):
    """What happens to one part. Every action answers with its life after it."""

    queryset = Component.objects.select_related("storage__room")
    write_role = Role.OPERATOR
    selects_fields = False
    serializer_class = schemas.PartLifeSerializer

    @extend_schema(summary="Where a part was and is, and what happened to it", responses=schemas.PartLifeSerializer)
    def life(self, request: Request, pk: int) -> Response:
        return Response(self._life())

    @acting("Put a part into an empty slot", schemas.PartInstallSerializer, schemas.PartLifeSerializer)
    def install(self, request: Request, pk: int) -> Response:
        return self._do(life.install, schemas.PartInstallSerializer)

    @acting("Move an installed part to another slot", schemas.PartInstallSerializer, schemas.PartLifeSerializer)
    def move(self, request: Request, pk: int) -> Response:
        return self._do(life.move, schemas.PartInstallSerializer)

    @acting("Take a part out of its slot", schemas.PartRemoveSerializer, schemas.PartLifeSerializer)
    def remove(self, request: Request, pk: int) -> Response:
        return self._do(life.remove_to_storage, schemas.PartRemoveSerializer)

    @acting("Lay a part onto another shelf", schemas.PartStoreSerializer, schemas.PartLifeSerializer)
    def store(self, request: Request, pk: int) -> Response:
        return self._do(life.store, schemas.PartStoreSerializer)

    @acting(
        "Mark a part good, suspect, sent back or scrapped", schemas.PartConditionSerializer, schemas.PartLifeSerializer
    )
    def condition(self, request: Request, pk: int) -> Response:
        return self._do(life.set_condition, schemas.PartConditionSerializer)

    def _life(self) -> dict[str, Any]:
        return component_life(self.get_object(), visible_site_ids(request_roles(self.request)))

    def _do(self, work: Any, body: type[serializers.Serializer]) -> Response:
        part = self.get_object()
        given = body(data=self.request.data)
        given.is_valid(raise_exception=True)
        data = dict(given.validated_data)
        for name in ("device", "storage"):
            if name in data:
                data[f"{name}_id"] = data.pop(name)
        try:
            work(part.pk, **data, by=self.request.user.get_username())
        except Refused as refused:
            raise serializers.ValidationError({refused.field: [refused.reason]}) from refused
        except Device.DoesNotExist as missing:
            raise serializers.ValidationError({"device": ["The part's site has no such device."]}) from missing
        return Response(self._life())


class StockViewSet(SiteScopedViewSet):
    """Parts without a serial: so many are taken or come."""

    queryset = Stock.objects.select_related("storage")
    site_field = "storage__site_id"
    write_role = Role.OPERATOR
    serializer_class = schemas.StockLeftSerializer

    @acting("Take counted parts", schemas.StockMoveSerializer, schemas.StockLeftSerializer)
    def take(self, request: Request, pk: int) -> Response:
        return self._do(take_from_stock)

    @acting("Add counted parts", schemas.StockMoveSerializer, schemas.StockLeftSerializer)
    def put(self, request: Request, pk: int) -> Response:
        return self._do(put_into_stock)

    def _do(self, work: Any) -> Response:
        stock = self.get_object()
        given = schemas.StockMoveSerializer(data=self.request.data)
        given.is_valid(raise_exception=True)
        try:
            with life.noted(given.validated_data["reason"]):
                stock = work(stock.pk, quantity=given.validated_data["quantity"], by=self.request.user.get_username())
        except Refused as refused:
            raise serializers.ValidationError({refused.field: [refused.reason]}) from refused
        except Stock.DoesNotExist as missing:
            raise Http404 from missing
        return Response(schemas.StockLeftSerializer(stock).data)


SPARE_FILTERS = [
    OpenApiParameter("site", int, description="Id of a site."),
    OpenApiParameter("storage", int, description="Id of a storage place."),
    OpenApiParameter("kind", str),
    OpenApiParameter("part_number", str),
    OpenApiParameter("short", bool, description="Only what is below its minimum."),
]


class SpareQuery(serializers.Serializer):
    site = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    storage = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    kind = serializers.CharField(required=False, max_length=8)
    part_number = serializers.CharField(required=False, max_length=60)
    short = serializers.BooleanField(required=False, default=None, allow_null=True)


@extend_schema(
    summary="Spares by storage place and part number",
    parameters=SPARE_FILTERS,
    responses=schemas.SpareSerializer(many=True),
)
@api_view(["GET"])
def spare_list(request: Request) -> Response:
    query = SpareQuery(data=request.query_params)
    query.is_valid(raise_exception=True)
    wanted = dict(query.validated_data)
    short = wanted.pop("short", None)
    roles = request_roles(request)
    site = wanted.get("site")
    if site is not None and not limit_to_sites(Site.objects.filter(pk=site), roles, "id").exists():
        raise exceptions.NotFound
    rows = spares(visible_site_ids(roles), **wanted)
    return listed([row for row in rows if short is None or (row["short"] > 0) == short])


urlpatterns: list[URLPattern] = [
    path("components/<int:pk>/life/", PartViewSet.as_view({"get": "life"}), name="component-life"),
    *(
        path(f"components/<int:pk>/{action}/", PartViewSet.as_view({"post": action}), name=f"component-{action}")
        for action in ("install", "move", "remove", "store", "condition")
    ),
    *(
        path(f"stock/<int:pk>/{action}/", StockViewSet.as_view({"post": action}), name=f"stock-{action}")
        for action in ("take", "put")
    ),
    path("spares/", spare_list, name="spares"),
    *addresses.urlpatterns,
]
