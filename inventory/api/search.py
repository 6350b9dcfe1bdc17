"""One box that finds everything."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import request_roles, visible_site_ids
from core.rest.lists import listed
from inventory import search as finder

FOUND_KINDS = [
    "machine",
    "switch",
    "pdu",
    "panel",
    "shelf",
    "rack",
    "row",
    "room",
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


class SearchQuery(serializers.Serializer):
    q = serializers.CharField(
        default="", allow_blank=True, help_text="The first letters of what is printed on it, or several words."
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=100, default=finder.LIMIT, help_text="Results of each kind, at most."
    )


@extend_schema(parameters=[SearchQuery], responses=FoundSerializer(many=True))
@api_view(["GET"])
def search(request: Request) -> Response:
    """Find rooms, racks, devices, cables, parts, ports, findings, links and tickets by what is on them."""
    query = SearchQuery(data=request.query_params)
    query.is_valid(raise_exception=True)
    asked = query.validated_data
    sites = visible_site_ids(request_roles(request))
    return listed(finder.search(asked["q"], sites, asked["limit"]))
