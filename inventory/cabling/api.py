"""Routes that follow cables."""

from __future__ import annotations

from typing import Any

import orjson
from django.http import Http404, HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from core.accounts.scope import limit_to_sites, request_roles, visible_site_ids
from core.openapi.references import words
from core.rest.lists import envelope
from inventory.cabling.shapes import TraceSerializer
from inventory.cabling.trace import ports_of, trace_ports
from inventory.models import Device, Port

MOST_PORTS = 1000
ABOUT = (
    "Hops alternate between ports and cables; passing a patch panel is a hop between two of its ports. Where one end "
    "meets several, `hops` stops and `branches` go on, each in the same form. `complete` is false where a way is lost, "
    "and `why` says where. `planned` tells that a cable on the way is not laid yet. A port of a patch panel is walked "
    "both ways: `hops` by its cable, `back` through the panel."
)


@extend_schema(
    operation_id="trace_retrieve",
    summary="Where a port leads",
    description=ABOUT,
    responses={200: TraceSerializer},
)
@api_view(["GET"])
def trace_port(request: Request, pk: int) -> HttpResponse:
    found = trace_ports(_visible(request, [pk]))
    if not found:
        raise Http404("no such port")
    return HttpResponse(orjson.dumps(found[0]), content_type="application/json")


@extend_schema(
    operation_id="trace_list",
    summary="Where several ports lead",
    description=f"Every port of a device, or the ports that are named (at most {MOST_PORTS}). {ABOUT}",
    parameters=[
        OpenApiParameter("port", str, description="Ports, with commas: ids, or names such as `leaf-a01-r1 20/1`."),
        OpenApiParameter("device", int, description="A device, instead of ports."),
        OpenApiParameter("kind", str, description="With device: its ports of these kinds only, with commas."),
    ],
    responses={200: TraceSerializer(many=True)},
)
@api_view(["GET"])
def trace_many(request: Request) -> HttpResponse:
    query = request.query_params
    if ("port" in query) == ("device" in query):
        raise ValidationError({"port": ["Give either port, one or several, or device."]})
    if "device" in query:
        (device,) = _numbers(query["device"], "device", most=1)
        devices = limit_to_sites(Device.objects.all(), request_roles(request), "site_id")
        if not devices.filter(pk=device).exists():
            raise ValidationError({"device": ["There is no such device."]})
        ports = ports_of(device, _kinds(query.get("kind", "")))
    else:
        ports = _visible(request, _ports(request, query["port"]))
    return HttpResponse(orjson.dumps(envelope(trace_ports(ports))), content_type="application/json")


def _visible(request: Request, ports: list[int]) -> list[int]:
    """Those of them the user may see, each once, in their order. Ids of no port at all may be among them."""
    sites = visible_site_ids(request_roles(request))
    if sites is None:
        return list(dict.fromkeys(ports))
    seen = set(Port.objects.filter(pk__in=ports, device__site_id__in=sites).values_list("pk", flat=True))
    return [port for port in dict.fromkeys(ports) if port in seen]


def _numbers(text: str, field: str, most: int) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 19 for part in parts):
        raise ValidationError({field: ["Give ids as whole numbers, separated by commas."]})
    if len(parts) > most:
        raise ValidationError({field: [f"At most {most} at once."]})
    return [int(part) for part in parts]


def _ports(request: Request, text: str) -> list[int]:
    """Of several with commas, each an id or a name. Raises ValidationError."""
    parts = [part.strip() for part in text.split(",")]
    named = list(dict.fromkeys(part for part in parts if not part.isdecimal()))
    if not named:
        return _numbers(text, "port", most=MOST_PORTS)
    if len(parts) > MOST_PORTS:
        raise ValidationError({"port": [f"At most {MOST_PORTS} at once."]})
    try:
        found = dict(zip(named, words["ports"](named, request_roles(request), {}), strict=True))
    except ValueError as error:
        raise ValidationError({"port": [str(error)]}) from error
    return [found[part] if part in found else _numbers(part, "port", most=1)[0] for part in parts]


def _kinds(text: str) -> list[str]:
    kinds: list[Any] = [part.strip() for part in text.split(",") if part.strip()]
    unknown = [kind for kind in kinds if kind not in Port.Kind.values]
    if unknown:
        raise ValidationError({"kind": [f"{unknown[0]!r} is no kind of port."]})
    return kinds
