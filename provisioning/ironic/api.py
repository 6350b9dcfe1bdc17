"""The Ironic of each site over the API."""

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
from provisioning.deployers.api import (
    COMMON,
    READ_ONLY,
    WRITE_FIELDS,
    DeployerSerializer,
    DeployerViewSet,
    TriedSerializer,
    WriteSerializer,
)
from provisioning.ironic import services
from provisioning.ironic.models import IronicServer, IronicWrite


class IronicServerSerializer(DeployerSerializer):
    """How a site's Ironic is reached, and what may be written to it. Enrolling gives Ironic the logins of BMCs, so
    where it is and whether it enrolls is for administrators of every site."""

    purpose, secret = Purpose.IRONIC, "password"
    other_host = "Give the password again: the one that is kept is for the host before."
    username = serializers.CharField(
        write_only=True, required=False, max_length=100, help_text="Empty where Ironic asks nobody who they are."
    )
    password = serializers.CharField(
        write_only=True, required=False, max_length=200,
        help_text="Kept encrypted, bound to the host of `url`; never told.",
    )  # fmt: skip
    has_password = serializers.SerializerMethodField()
    signs_in_as = serializers.SerializerMethodField()
    checksum = serializers.RegexField(
        r"^([0-9a-fA-F]{64}|[0-9a-fA-F]{128}|https?://\S+)$", required=False, allow_blank=True, max_length=500,
        error_messages={"invalid": "A SHA-256 or SHA-512 in hexadecimal, or the URL of a list of them."},
    )  # fmt: skip

    class Meta:
        model = IronicServer
        fields: ClassVar = [
            *COMMON, "username", "password", "has_password", "signs_in_as", "image", "checksum", "deploy_interface",
            "inspect", "cleaning", "enroll", "verify_bmc", "maintenance", "release",
        ]  # fmt: skip
        read_only_fields: ClassVar = READ_ONLY
        extra_kwargs: ClassVar = {"authorities": {"max_length": 100_000}}

    def get_has_password(self, row: IronicServer) -> bool:
        return row.credential_id is not None

    def get_signs_in_as(self, row: IronicServer) -> str:
        return row.credential.username if row.credential is not None else ""

    def validate_url(self, text: str) -> str:
        return checked_url(text, such_as="https://ironic.example:6385", without="?#@")

    def validate_image(self, text: str) -> str:
        if text and not text.startswith(("http://", "https://", "file://")):
            raise ValidationError(["An URL that Ironic fetches it from, such as http://images.example/jammy.qcow2."])
        return text

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs.get("username")) != bool(attrs.get("password")):
            missing = "password" if attrs.get("username") else "username"
            raise ValidationError({missing: ["Name and password are given together."]})
        if self.now(attrs, "enabled") and not self.now(attrs, "image"):
            raise ValidationError({"image": ["What is installed."]})
        return super().validate(attrs)


class IronicWriteSerializer(WriteSerializer):
    class Meta:
        model = IronicWrite
        fields: ClassVar = WRITE_FIELDS


class IronicWritesSerializer(serializers.Serializer):
    writes = IronicWriteSerializer(many=True)


class IronicServerViewSet(DeployerViewSet):
    """The Ironic of each site, by the id of the site."""

    queryset = Site.objects.select_related("ironic_server__credential").order_by("pk")
    serializer_class = IronicServerSerializer
    related = "ironic_server"
    kind, writes_model, write_serializer = IronicServer, IronicWrite, IronicWriteSerializer
    where_logins_go = ("url", "authorities", "enroll", "verify_bmc")

    def save(self, site: Site, fields: dict[str, Any]) -> IronicServer:
        username, password = fields.pop("username", ""), fields.pop("password", "")
        return services.set_server(site, fields, username=username, password=password)

    @extend_schema(request=IronicServerSerializer(partial=True), responses={200: IronicServerSerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.set_one(request)

    @extend_schema(summary="Try an Ironic", request=None, responses={200: TriedSerializer})
    @action(detail=True, methods=["post"], url_path="try")
    def try_server(self, request: Request, pk: str) -> Response:
        """What it answers now (its version, its drivers), or why not. Nothing is written there."""
        return self.try_one(services.try_server, "Save an address first.")

    @extend_schema(responses={200: IronicWritesSerializer})
    @action(detail=True, methods=["get"])
    def writes(self, request: Request, pk: str) -> Response:
        """The newest 100 things that were written to it because of a machine's state, or would have been."""
        return self.list_writes()
