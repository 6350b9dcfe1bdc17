"""What the API of a site's MAAS and of its Ironic share: set, tried, and what was or would be written to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from access.fields import checked_authorities
from core.api import SiteScopedViewSet
from core.errors import Conflict
from core.models import Role, Site
from core.outgoing import rights
from core.outgoing.binding import Purpose
from core.outgoing.permits import permit_field
from provisioning.deployers.services import Tried

COMMON = ("site", "enabled", "url", "authorities", "state", "message", "tried_at", "last_good_at")
READ_ONLY = ("site", "state", "message", "tried_at", "last_good_at")
LATEST = 100


class DeployerSerializer(serializers.ModelSerializer[Any]):
    """`secret` is the field that brings what opens it."""

    purpose: ClassVar[Purpose]
    secret: ClassVar[str]
    other_host: ClassVar[str]

    def validate_authorities(self, text: str) -> str:
        return checked_authorities(text)

    def now(self, attrs: dict[str, Any], name: str) -> Any:
        """What a field is after this request."""
        return attrs.get(name, getattr(self.instance, name, None))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What the parts need of each other; a secret that is kept goes to no other host."""
        given, url = attrs.get(self.secret), self.now(attrs, "url")
        if (self.now(attrs, "enabled") or given) and not url:
            raise ValidationError({"url": ["Where it is."]})
        if url and "url" in attrs:
            kept = None if given else self.now(attrs, "credential")
            purpose = self.purpose if kept is not None else None
            try:
                permit_field("url", kept, purpose, url, site=self.now(attrs, "site_id"))
            except ValidationError as error:
                if kept is None:
                    raise
                raise ValidationError({self.secret: [self.other_host]}) from error
        return attrs


class TriedSerializer(serializers.Serializer):
    """What it answered, or why not."""

    good = serializers.BooleanField()
    message = serializers.CharField(allow_blank=True)
    version = serializers.CharField(allow_blank=True)
    capabilities = serializers.ListField(child=serializers.CharField())
    user = serializers.CharField(allow_blank=True, help_text="Who we are to it.")


class WriteMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class WriteSerializer(serializers.ModelSerializer[Any]):
    """One thing written to it because of the state of a machine, or that would have been."""

    machine = serializers.SerializerMethodField()

    @extend_schema_field(WriteMachineSerializer)
    def get_machine(self, row: Any) -> dict[str, Any]:
        return {"id": row.machine_id, "name": row.machine.device.name}


WRITE_FIELDS = ("id", "machine", "kind", "status", "message", "comment", "created_at", "done_at")


class DeployerViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """One of each site, by the id of the site. `where_logins_go` are the fields for administrators of every site."""

    site_field = "pk"
    write_role = Role.ADMIN
    lookup_value_regex = r"\d{1,18}"
    where_logins_go: ClassVar[tuple[str, ...]]
    kind: ClassVar[Any]
    related: ClassVar[str]
    """How a site leads to its own."""
    writes_model: ClassVar[Any]
    write_serializer: ClassVar[type[WriteSerializer]]

    def of(self, site: Site) -> Any:
        """That of a site, or an empty one."""
        return getattr(site, self.related, None) or self.kind(site=site)

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = [self.of(site) for site in self.paginate_queryset(self.get_queryset()) or []]
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(self.get_serializer(self.of(self.get_object())).data)

    def save(self, site: Site, fields: dict[str, Any]) -> Any:
        raise NotImplementedError

    def set_one(self, request: Request) -> Response:
        site = self.get_object()
        given = self.get_serializer(self.of(site), data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        rights.check_reach(self, given, self.where_logins_go, None, site.pk)
        return Response(self.get_serializer(self.save(site, dict(given.validated_data))).data)

    def try_one(self, ask: Callable[[Any], Tried], problem: str) -> Response:
        found = self.of(self.get_object())
        if not self.ready(found):
            raise Conflict(problem, "refused")
        return Response(TriedSerializer(ask(found)).data)

    def ready(self, found: Any) -> bool:
        return bool(found.url)

    def list_writes(self) -> Response:
        rows = self.writes_model._default_manager.filter(machine__device__site=self.get_object())
        rows = rows.select_related("machine__device")[:LATEST]
        return Response({"writes": self.write_serializer(rows, many=True).data})
