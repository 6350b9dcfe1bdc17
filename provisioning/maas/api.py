"""The MAAS region of each site over the API: set, tried, and what was or would be written to it."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from access.fields import checked_authorities, checked_url
from core.api import SiteScopedViewSet
from core.errors import Conflict
from core.models import Role, Site
from core.outgoing import rights
from core.outgoing.binding import Purpose
from core.outgoing.permits import permit_field
from drivers.maas.client import key_parts
from provisioning.maas import services
from provisioning.maas.models import MaasRegion, MaasWrite

WHERE_LOGINS_GO = ("url", "authorities", "enlist")
LATEST = 100
OTHER_HOST = "Give the key again: the one that is kept is for the host before."


class MaasRegionSerializer(serializers.ModelSerializer[MaasRegion]):
    """How a site's MAAS is reached, and what may be written to it. Enlisting gives MAAS the logins of BMCs, so where it
    is and whether it enlists is for administrators of every site."""

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
            "site", "enabled", "url", "api_key", "has_key", "authorities", "series", "commissioning_scripts", "enlist",
            "mark_broken", "release", "erase", "state", "message", "tried_at", "last_good_at",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["site", "state", "message", "tried_at", "last_good_at"]
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

    def validate_authorities(self, text: str) -> str:
        return checked_authorities(text)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What the parts need of each other."""

        def now(name: str) -> Any:
            return attrs.get(name, getattr(self.instance, name, None))

        site, key, url = now("site_id"), attrs.get("api_key"), now("url")
        if (now("enabled") or key) and not url:
            raise ValidationError({"url": ["Where it is."]})
        if now("enabled") and not key and now("credential") is None:
            raise ValidationError({"api_key": ["MAAS is asked with an API key."]})
        if url and "url" in attrs:
            kept = None if key else now("credential")
            try:
                permit_field("url", kept, Purpose.MAAS if kept is not None else None, url, site=site)
            except ValidationError as error:
                if kept is None:
                    raise
                raise ValidationError({"api_key": [OTHER_HOST]}) from error
        return attrs


class MaasTriedSerializer(serializers.Serializer):
    """What the region answered, or why not."""

    good = serializers.BooleanField()
    message = serializers.CharField(allow_blank=True)
    version = serializers.CharField(allow_blank=True)
    capabilities = serializers.ListField(child=serializers.CharField())
    user = serializers.CharField(allow_blank=True, help_text="Whose key it is.")


class MaasWriteMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class MaasWriteSerializer(serializers.ModelSerializer[MaasWrite]):
    """One thing written to MAAS because of the state of a machine, or that would have been."""

    machine = serializers.SerializerMethodField()

    class Meta:
        model = MaasWrite
        fields: ClassVar = ["id", "machine", "kind", "status", "message", "comment", "created_at", "done_at"]

    @extend_schema_field(MaasWriteMachineSerializer)
    def get_machine(self, row: MaasWrite) -> dict[str, Any]:
        return {"id": row.machine_id, "name": row.machine.device.name}


class MaasWritesSerializer(serializers.Serializer):
    writes = MaasWriteSerializer(many=True)


class MaasRegionViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """The MAAS region of each site, by the id of the site."""

    queryset = Site.objects.select_related("maas_region__credential").order_by("pk")
    serializer_class = MaasRegionSerializer
    site_field = "pk"
    write_role = Role.ADMIN
    lookup_value_regex = r"\d{1,18}"

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = [_region(site) for site in self.paginate_queryset(self.get_queryset()) or []]
        return self.get_paginated_response(MaasRegionSerializer(page, many=True).data)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(MaasRegionSerializer(_region(self.get_object())).data)

    @extend_schema(request=MaasRegionSerializer(partial=True), responses={200: MaasRegionSerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        site = self.get_object()
        region = _region(site)
        given = MaasRegionSerializer(region, data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        rights.check_reach(self, given, WHERE_LOGINS_GO, None, site.pk)
        fields = dict(given.validated_data)
        saved = services.set_region(site, fields, api_key=fields.pop("api_key", ""))
        return Response(MaasRegionSerializer(saved).data)

    @extend_schema(summary="Try a MAAS region", request=None, responses={200: MaasTriedSerializer})
    @action(detail=True, methods=["post"], url_path="try")
    def try_region(self, request: Request, pk: str) -> Response:
        """What it answers now (its version, whose key this is), or why not. Nothing is written there."""
        region = _region(self.get_object())
        if not region.url or region.credential is None:
            raise Conflict("Save an address and an API key first.", "refused")
        return Response(MaasTriedSerializer(services.try_region(region)).data)

    @extend_schema(responses={200: MaasWritesSerializer})
    @action(detail=True, methods=["get"])
    def writes(self, request: Request, pk: str) -> Response:
        """The newest 100 things that were written to it because of a machine's state, or would have been."""
        rows = MaasWrite.objects.filter(machine__device__site=self.get_object()).select_related("machine__device")
        return Response({"writes": MaasWriteSerializer(rows[:LATEST], many=True).data})


def _region(site: Site) -> MaasRegion:
    found: MaasRegion | None = getattr(site, "maas_region", None)
    return found or MaasRegion(site=site)
