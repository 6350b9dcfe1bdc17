"""The view sets that add something to what every kind has, and what kinds there are."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import request_roles, visible_site_ids
from core.rest.lists import listed
from inventory import queries
from inventory.api.filters import LOOKUPS, filters_of, orderings
from inventory.api.kinds import KindViewSet, view_of
from inventory.kinds import KINDS, Field, Kind, Scope
from inventory.kinds.custom import declared
from inventory.shapes import (
    DeviceCableSerializer,
    DeviceFaceSerializer,
    InstallationSerializer,
    InstalledPartSerializer,
    KindDescriptionSerializer,
    WayToSerializer,
)


class DeviceActions(KindViewSet):
    """All that is mounted. DELETE retires: the device frees its place, cables, parts and addresses; its row stays."""

    @extend_schema(responses={200: InstalledPartSerializer(many=True)})
    @action(detail=True, filter_backends=(), pagination_class=None)
    def components(self, request: Request, pk: str) -> Response:
        """The parts installed now."""
        return listed(queries.device_components(self.get_object()))

    @extend_schema(responses={200: DeviceCableSerializer(many=True)})
    @action(detail=True, filter_backends=(), pagination_class=None)
    def cables(self, request: Request, pk: str) -> Response:
        """What is plugged in, with the far ends."""
        return listed(queries.device_cables(self.get_object().pk))

    @extend_schema(responses={200: DeviceFaceSerializer})
    @action(detail=True, filter_backends=(), pagination_class=None)
    def face(self, request: Request, pk: str) -> Response:
        """Its ports, and where on its front they are."""
        return Response(queries.face_of(self.get_object().pk))

    @extend_schema(
        parameters=[OpenApiParameter("slot", str, description="A slot of its model, such as GPU 5.")],
        responses={200: WayToSerializer},
    )
    @action(detail=True, filter_backends=(), pagination_class=None)
    def place(self, request: Request, pk: str) -> Response:
        """The way to the device, or to one of its slots, as a ticket draws it."""
        return Response(queries.place_of(self.get_object().pk, request.query_params.get("slot", "")))


class ComponentActions(KindViewSet):
    """Parts by serial. A new one is in stock or in a slot; one that was ever installed is kept for its history."""

    @extend_schema(responses={200: InstallationSerializer(many=True)})
    @action(detail=True, filter_backends=(), pagination_class=None)
    def history(self, request: Request, pk: str) -> Response:
        """Every place the part has been in, the latest first."""
        return listed(queries.component_history(self.get_object(), visible_site_ids(request_roles(request))))


class DeviceModelActions(KindViewSet):
    """Products, the same for every site. An id or a name leads to one."""

    lookup_value_regex = r"[0-9]{1,18}|[a-z0-9][a-z0-9-]*"

    def wanted(self) -> int:
        if self.kwargs["pk"].isdecimal() and len(self.kwargs["pk"]) < 19:
            return super().wanted()
        rows = self.get_queryset().filter(slug=self.kwargs["pk"]).values_list("pk", flat=True)
        return int(get_object_or_404(rows))

    def get_object(self) -> Any:
        return get_object_or_404(self.get_queryset(), pk=self.wanted())


BASES = {
    "devices": DeviceActions,
    "switches": DeviceActions,
    "pdus": DeviceActions,
    "components": ComponentActions,
    "device-models": DeviceModelActions,
}


def register(router: Any) -> None:
    for name in KINDS:
        router.register(name, view_of(name, BASES.get(name, KindViewSet)), basename=name)


# ---- what kinds there are ----


@extend_schema(
    operation_id="kinds_list",
    summary="The kinds of records, with their fields",
    description="For tables and forms: what can be read and written, how it is called, what it may say.",
    responses={200: KindDescriptionSerializer(many=True)},
)
@api_view(["GET"])
def kinds(request: Request) -> Response:
    scope = Scope.of_request(request)
    sites = visible_site_ids(dict(scope.roles))
    return listed([describe(kind, scope, sites) for kind in KINDS.values() if not kind.part_of])


def describe(kind: Kind, scope: Scope, sites: list[int] | None) -> dict[str, Any]:
    everywhere = scope.may(kind.role, None)
    somewhere = bool(kind.site) and any(scope.may(kind.role, site) for site in sites or ())
    fields = [described(field) for field in kind.fields.values()]
    for name, computed in kind.computed.items():
        fields.append(
            {
                "name": name, "type": computed.type, "title": name.replace("_", " "), "help": computed.help,
                "required": False, "read_only": True, "nullable": computed.nullable,
            }
        )  # fmt: skip
    filters, ordered = filters_of(kind.name), orderings(kind.name)
    for told in fields:
        name = told["name"]
        told["lookups"] = [
            word for word in LOOKUPS.get(told["type"], ()) if f"{name}__{word}".removesuffix("__") in filters
        ]
        told["ordered"] = name in ordered
    return {
        "name": kind.name,
        "title": kind.title,
        "key": list(kind.key),
        "fields": fields + (custom_fields(kind) if kind.custom else []),
        "may_write": everywhere or somewhere,
    }


def described(field: Field) -> dict[str, Any]:
    told = {
        "name": field.name, "type": field.type, "title": field.title, "help": field.help, "required": field.required,
        "read_only": False, "nullable": field.nullable,
    }  # fmt: skip
    if field.choices:
        told["choices"] = list(field.choices)
    if field.references:
        told["references"] = field.references
    if field.unit:
        told["unit"] = field.unit
    return told


CUSTOM_ORDERED = ("integer", "number", "date")


def custom_fields(kind: Kind) -> list[dict[str, Any]]:
    words = {"url": "text", "choices": "list"}
    return [
        {
            "name": f"cf_{each.name}", "type": words.get(each.type, each.type), "title": each.name.replace("_", " "),
            "help": "", "required": each.required, "read_only": False, "nullable": True, "ordered": False,
            "lookups": ["", "in", "isnull", *(("gt", "gte", "lt", "lte") if each.type in CUSTOM_ORDERED else ())],
            **({"choices": list(each.choices)} if each.choices else {}),
        }
        for each in declared(kind.name)
    ]  # fmt: skip
