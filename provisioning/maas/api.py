"""The MAAS region of each site over the API."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from access.fields import checked_url
from core.models import Site
from core.outgoing.binding import Purpose
from drivers.maas.client import key_parts
from provisioning.deployers.api import (
    COMMON,
    READ_ONLY,
    WRITE_FIELDS,
    DeployerSerializer,
    DeployerViewSet,
    TriedSerializer,
    WriteSerializer,
)
from provisioning.maas import services
from provisioning.maas.models import MaasRegion, MaasWrite


class MaasRegionSerializer(DeployerSerializer):
    """How a site's MAAS is reached, and what may be written to it. Enlisting gives MAAS the logins of BMCs, so where it
    is and whether it enlists is for administrators of every site."""

    purpose, secret = Purpose.MAAS, "api_key"
    other_host = "Give the key again: the one that is kept is for the host before."
    api_key = serializers.CharField(
        write_only=True, required=False, max_length=200, trim_whitespace=True,
        help_text="consumer:token:secret, as MAAS shows it. Kept encrypted, bound to the host of `url`; never told.",
    )  # fmt: skip
    has_key = serializers.SerializerMethodField()
    commissioning_scripts = serializers.ListField(
        child=serializers.RegexField(r"^[\w.\-]+$", max_length=60), required=False, max_length=50
    )
    series = serializers.RegexField(r"^[a-z][a-z0-9._\-]*$", max_length=20, required=False)

    class Meta:
        model = MaasRegion
        fields: ClassVar = [
            *COMMON, "api_key", "has_key", "series", "commissioning_scripts", "enlist", "mark_broken", "release",
            "erase",
        ]  # fmt: skip
        read_only_fields: ClassVar = READ_ONLY
        extra_kwargs: ClassVar = {"authorities": {"max_length": 100_000}}

    def get_has_key(self, row: MaasRegion) -> bool:
        return row.credential_id is not None

    def validate_url(self, text: str) -> str:
        return checked_url(text, such_as="https://maas.example:5443/MAAS", without="?#@")

    def validate_api_key(self, text: str) -> str:
        try:
            key_parts(text)
        except ValueError as error:
            raise ValidationError([str(error)]) from error
        return text

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        has_key = bool(attrs.get("api_key")) or self.now(attrs, "credential") is not None
        if self.now(attrs, "url") and self.now(attrs, "enabled") and not has_key:
            raise ValidationError({"api_key": ["MAAS is asked with an API key."]})
        return super().validate(attrs)


class MaasWriteSerializer(WriteSerializer):
    class Meta:
        model = MaasWrite
        fields: ClassVar = WRITE_FIELDS


class MaasWritesSerializer(serializers.Serializer):
    writes = MaasWriteSerializer(many=True)


class MaasRegionViewSet(DeployerViewSet):
    """The MAAS region of each site, by the id of the site."""

    queryset = Site.objects.select_related("maas_region__credential").order_by("pk")
    serializer_class = MaasRegionSerializer
    related = "maas_region"
    kind, writes_model, write_serializer = MaasRegion, MaasWrite, MaasWriteSerializer
    where_logins_go = ("url", "authorities", "enlist")

    def save(self, site: Site, fields: dict[str, Any]) -> MaasRegion:
        return services.set_region(site, fields, api_key=fields.pop("api_key", ""))

    def ready(self, found: MaasRegion) -> bool:
        return bool(found.url) and found.credential is not None

    @extend_schema(request=MaasRegionSerializer(partial=True), responses={200: MaasRegionSerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.set_one(request)

    @extend_schema(summary="Try a MAAS region", request=None, responses={200: TriedSerializer})
    @action(detail=True, methods=["post"], url_path="try")
    def try_region(self, request: Request, pk: str) -> Response:
        """What it answers now (its version, whose key this is), or why not. Nothing is written there."""
        return self.try_one(services.try_region, "Save an address and an API key first.")

    @extend_schema(responses={200: MaasWritesSerializer})
    @action(detail=True, methods=["get"])
    def writes(self, request: Request, pk: str) -> Response:
        """The newest 100 things that were written to it because of a machine's state, or would have been."""
        return self.list_writes()
