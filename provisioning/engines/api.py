"""What each engine can install, over the API."""

from __future__ import annotations

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.lists import listed
from provisioning.acceptance.choice import of_site
from provisioning.engines import ENGINES


class EngineOfferSerializer(serializers.Serializer):
    engine = serializers.ChoiceField([(engine.slug, engine.title) for engine in ENGINES.values()])
    images = serializers.ListField(
        child=serializers.CharField(), help_text="What it can install, the usual first; empty: there is no choice."
    )
    refusal = serializers.CharField(allow_blank=True, help_text="Why no run may use it; empty where one may.")
    software = serializers.ListField(
        child=serializers.CharField(), help_text="Roles of base software that a run has unless it says otherwise."
    )
    gpu_tests = serializers.CharField(allow_blank=True, help_text="The same of the check of GPUs; empty: none.")
    fabric = serializers.BooleanField(help_text="The same of tests of InfiniBand links.")


@extend_schema(
    summary="What each engine can install",
    responses={200: EngineOfferSerializer(many=True)},
    filters=False,
    operation_id="provisioning_engines_list",
)
@api_view(["GET"])
def engines(request: Request) -> Response:
    """As this instance is configured."""
    told = [
        {"engine": slug, "images": each.images(), "refusal": each.refusal(), **asdict(of_site(slug))}
        for slug, each in ENGINES.items()
    ]
    return listed(EngineOfferSerializer(told, many=True).data)
