"""The sources of a site over the API: kept by administrators, seen with how they answer and which machines use them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from access.fields import checked_authorities, checked_url
from core.api import SiteScopedViewSet
from core.models import Credential, Role
from core.outgoing.binding import Purpose, Refused, hosts_from
from core.outgoing.permits import permit, permit_field
from provisioning.mirrors import queries, services
from provisioning.mirrors.models import Mirror


def _without_breaks(text: str) -> str:
    if any(ord(each) < 32 or ord(each) == 127 for each in text):
        raise serializers.ValidationError(["A line break or another control character is no part of a login."])
    return text


def _check_kept(kept: Credential, url: str, token_host: str, site_id: int | None) -> None:
    """A login that is kept goes to no other host. Raises ValidationError."""
    for host in (url, token_host):
        try:
            if host:
                permit(kept, Purpose.REGISTRY, host, site=site_id)
        except Refused as error:
            text = "Give the password again: the one that is kept is for the hosts before."
            raise serializers.ValidationError({"password": [text]}) from error


class MirrorMachineSerializer(serializers.Serializer):
    """A machine and a source. `reaches` is null where it is not known."""

    id = serializers.IntegerField(source="machine_id")
    name = serializers.CharField()
    rack = serializers.CharField(allow_blank=True)
    uses = serializers.BooleanField()
    reaches = serializers.BooleanField(allow_null=True)
    ms = serializers.IntegerField(allow_null=True)
    text = serializers.CharField(allow_blank=True)


class LatencySerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    ms = serializers.IntegerField(allow_null=True, help_text="Null: no answer.")


class MirrorSerializer(serializers.ModelSerializer[Mirror]):
    """A source. Where it is, is for administrators of the site: the workers and all machines of the site ask there."""

    latencies = serializers.SerializerMethodField()
    uses = serializers.SerializerMethodField()
    reaches = serializers.SerializerMethodField()
    not_reached = serializers.SerializerMethodField()
    unknown = serializers.SerializerMethodField()
    username = serializers.CharField(
        write_only=True, required=False, allow_blank=True, max_length=100,
        help_text="Of the login at a registry; empty: it is asked without one from now on.",
    )  # fmt: skip
    password = serializers.CharField(
        write_only=True, required=False, max_length=4000, trim_whitespace=False,
        help_text="Or its token. Kept encrypted, bound to the hosts of `url` and `token_host`; never told.",
    )  # fmt: skip
    has_password = serializers.SerializerMethodField()
    signs_in_as = serializers.SerializerMethodField()

    class Meta:
        model = Mirror
        fields: tuple[str, ...] = (
            "id", "site", "name", "kind", "url", "authorities", "token_host", "username", "password",
            "has_password", "signs_in_as", "enabled", "every_s", "state", "message", "version",
            "certificate_until", "latencies", "asked_at", "good_at", "uses", "reaches", "not_reached", "unknown",
        )  # fmt: skip
        read_only_fields: ClassVar = ["state", "message", "version", "certificate_until", "asked_at", "good_at"]
        extra_kwargs: ClassVar = {
            "authorities": {"max_length": 100_000},
            "every_s": {"min_value": 15, "max_value": 3600},
        }

    def validate_url(self, text: str) -> str:
        if not text.strip():
            raise serializers.ValidationError(["Where it is."])
        return checked_url(text.strip(), such_as="https://mirror.example/ubuntu", without="?#@")

    def validate_authorities(self, text: str) -> str:
        return checked_authorities(text)

    def validate_username(self, text: str) -> str:
        return _without_breaks(text)

    def validate_password(self, text: str) -> str:
        return _without_breaks(text)

    def validate_token_host(self, text: str) -> str:
        try:
            found = hosts_from([text]) if text.strip() else [""]
        except ValueError as error:
            raise serializers.ValidationError([f"{error}."]) from error
        return text.strip().lower().rstrip(".") if found[0] else ""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        site = attrs.get("site") or getattr(self.instance, "site", None)
        site_id = site.pk if site else None
        if "url" in attrs:
            permit_field("url", None, None, attrs["url"], site=site_id)
        if attrs.get("token_host"):
            permit_field("token_host", None, None, attrs["token_host"], site=site_id)
        if "password" in attrs and not attrs.get("username"):
            raise serializers.ValidationError({"username": ["Name and password are given together."]})
        if attrs.get("username") and "password" not in attrs:
            raise serializers.ValidationError({"password": ["Name and password are given together."]})
        kept = None if "username" in attrs else getattr(self.instance, "credential", None)
        if kept is not None:
            _check_kept(kept, self._now(attrs, "url"), self._now(attrs, "token_host"), site_id)
        kind = self._now(attrs, "kind")
        if (attrs.get("username") or kept is not None) and kind not in (Mirror.Kind.REGISTRY, Mirror.Kind.CACHE):
            raise serializers.ValidationError({"username": ["Only registries and their caches are given a login."]})
        return attrs

    def _now(self, attrs: dict[str, Any], name: str) -> Any:
        """What a field is after this request."""
        return attrs.get(name, getattr(self.instance, name, ""))

    def get_has_password(self, row: Mirror) -> bool:
        return row.credential_id is not None

    def get_signs_in_as(self, row: Mirror) -> str:
        return row.credential.username if row.credential is not None else ""

    def _machines(self, row: Mirror) -> list[queries.Seen]:
        """Those of a list come together, with the context; those of one are read once."""
        found: dict[int, list[queries.Seen]] = self.context["seen"]
        if row.pk not in found:
            found |= queries.seen_by_machines([row])
        return found[row.pk]

    @extend_schema_field(LatencySerializer(many=True))
    def get_latencies(self, row: Mirror) -> list[dict[str, Any]]:
        return [{"at": datetime.fromtimestamp(at, UTC), "ms": ms} for at, ms in row.latencies]

    def get_uses(self, row: Mirror) -> int:
        return sum(each.uses for each in self._machines(row))

    def get_reaches(self, row: Mirror) -> int:
        return sum(each.reaches is True for each in self._machines(row))

    def get_not_reached(self, row: Mirror) -> int:
        return sum(each.reaches is False for each in self._machines(row))

    def get_unknown(self, row: Mirror) -> int:
        return sum(each.reaches is None for each in self._machines(row))


class MirrorDetailSerializer(MirrorSerializer):
    machines = serializers.SerializerMethodField()

    class Meta(MirrorSerializer.Meta):
        fields: tuple[str, ...] = (*MirrorSerializer.Meta.fields, "machines")

    @extend_schema_field(MirrorMachineSerializer(many=True))
    def get_machines(self, row: Mirror) -> Any:
        return MirrorMachineSerializer(self._machines(row), many=True).data


class MirrorViewSet(viewsets.ModelViewSet, SiteScopedViewSet):
    """Mirrors, file servers, registries and peer-to-peer distributors of sites: everybody of the site sees them, its
    administrators set them."""

    queryset = Mirror.objects.select_related("credential").order_by("site_id", "name")
    serializer_class = MirrorDetailSerializer
    site_field = "site_id"
    write_role = Role.ADMIN
    filterset_fields: ClassVar = {"site": ["exact"], "kind": ["exact"], "state": ["exact"]}
    lookup_value_regex = r"\d{1,18}"

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return MirrorSerializer if self.action == "list" else MirrorDetailSerializer

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "seen": {}}

    @extend_schema(responses=MirrorSerializer(many=True))
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        context = {**self.get_serializer_context(), "seen": queries.seen_by_machines(rows)}
        return self.get_paginated_response(MirrorSerializer(rows, many=True, context=context).data)

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        self._save(serializer, Mirror())

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        assert serializer.instance is not None
        self._save(serializer, serializer.instance)

    def _save(self, serializer: serializers.BaseSerializer, mirror: Mirror) -> None:
        site = serializer.validated_data.get("site", mirror.site if mirror.pk else None)
        if site is not None and not self.may(Role.ADMIN, site.pk):
            self.permission_denied(self.request)
        fields = dict(serializer.validated_data)
        login = {name: fields.pop(name) for name in ("username", "password") if name in fields}
        serializer.instance = services.save_mirror(mirror, fields, **login)

    def perform_destroy(self, instance: Mirror) -> None:
        services.remove_mirror(instance)
