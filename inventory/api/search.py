"""One box that finds everything."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import request_roles, visible_site_ids
from inventory import search as finder

FOUND_KINDS = [
    "machine",
    "switch",
    "pdu",
    "panel",
    "shelf",
    "rack",
    "cable",
    "component",
    "port",
    "finding",
    "link",
    "ticket",
]


class FoundSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(FOUND_KINDS)
    id = serializers.IntegerField()
    title = serializers.CharField()
    subtitle = serializers.CharField()
    url = serializers.CharField(help_text="The dashboard's page for it.")


class SearchSerializer(serializers.Serializer):
    results = FoundSerializer(many=True)


@extend_schema(
    parameters=[OpenApiParameter("q", str, required=True, description="The first letters of what is printed on it.")],
    responses=SearchSerializer,
)
@api_view(["GET"])
def search(request: Request) -> Response:
    """Find machines, switches, PDUs, racks, cables, parts, ports, findings, links and tickets by what is on them."""
    sites = visible_site_ids(request_roles(request))
    return Response({"results": finder.search(request.query_params.get("q", ""), sites)})
