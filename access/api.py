"""API of access: endpoints, known hosts, pinned certificates and changed identities. No secret is ever shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.urls import path
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from access import netbox_imports, services
from access.models import Endpoint, IdentityChange, KnownHost, PinnedCertificate
from access.queries import PURPOSE, default_credential
from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.http.seen import SeenRecord
from core.models import Credential, Role
from core.outgoing import rights
from core.outgoing.binding import Refused, check_kind
from core.outgoing.permits import binding_of, permit_field

SITE = "machine__device__site_id"


class EndpointSerializer(serializers.ModelSerializer[Endpoint]):
    serializer_related_field = SeenRecord
    machine_name = serializers.CharField(source="machine.device.name", read_only=True)
    credential = serializers.SlugRelatedField(
        slug_field="name", queryset=Credential.objects.all(), allow_null=True, required=False
    )

    class Meta:
        model = Endpoint
        fields: ClassVar = ["id", "machine", "machine_name", "kind", "address", "port", "credential"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The login that would be used may be sent to the address that would be called."""
        now: dict[str, Any] = {
            name: attrs.get(name, getattr(self.instance, name, None)) for name in ("machine", "kind", "address")
        }
        credential = attrs.get("credential", getattr(self.instance, "credential", None))
        credential = credential or default_credential(now["kind"])
        site = now["machine"].device.site_id
        if now["address"]:
            permit_field("address", credential, PURPOSE[now["kind"]], now["address"], site=site)
        elif attrs.get("credential"):
            try:
                check_kind(binding_of(attrs["credential"]), PURPOSE[now["kind"]], site)
            except Refused as error:
                raise serializers.ValidationError({"credential": [str(error)]}) from error
        return attrs


class KnownHostSerializer(serializers.ModelSerializer[KnownHost]):
    machine_name = serializers.CharField(source="machine.device.name", read_only=True)

    class Meta:
        model = KnownHost
        fields: ClassVar = [
            "id",
            "machine",
            "machine_name",
            "key",
            "fingerprint",
            "source",
            "recorded_at",
            "recorded_by",
            "replaced_at",
        ]


class PinnedCertificateSerializer(serializers.ModelSerializer[PinnedCertificate]):
    machine_name = serializers.CharField(source="machine.device.name", read_only=True)

    class Meta:
        model = PinnedCertificate
        fields: ClassVar = [
            "id",
            "machine",
            "machine_name",
            "fingerprint",
            "source",
            "recorded_at",
            "recorded_by",
            "replaced_at",
        ]


class IdentityChangeSerializer(serializers.ModelSerializer[IdentityChange]):
    machine_name = serializers.CharField(source="machine.device.name", read_only=True)

    class Meta:
        model = IdentityChange
        fields: ClassVar = [
            "id",
            "machine",
            "machine_name",
            "kind",
            "known",
            "presented_fingerprint",
            "first_seen_at",
            "last_seen_at",
            "times_seen",
            "resolved_at",
            "resolved_by",
            "resolution",
        ]


class EndpointViewSet(mixins.CreateModelMixin, mixins.UpdateModelMixin, mixins.DestroyModelMixin, ReadOnlyViewSet):
    """Overrides of how a machine or its BMC is reached. Writing them is for those who may use the login."""

    queryset = Endpoint.objects.select_related("machine__device", "credential").order_by(
        "machine__device__name", "kind"
    )
    serializer_class = EndpointSerializer
    site_field = SITE
    write_role = Role.ADMIN
    filterset_fields: ClassVar = ["machine", "kind"]
    search_fields: ClassVar = ["machine__device__name"]

    def _check_reach(self, fields: Mapping[str, Any], row: Endpoint | None) -> None:
        """An address decides where a credential is sent: who changes one may use the other."""
        machine, kind = (fields.get(name) or getattr(row, name) for name in ("machine", "kind"))
        credential = fields.get("credential", getattr(row, "credential", None)) or default_credential(kind)
        if not rights.may_use(self, credential, machine.device.site_id):
            raise PermissionDenied(rights.REACH_REFUSAL)

    def perform_create(self, serializer: serializers.BaseSerializer[Endpoint]) -> None:
        self._check_reach(serializer.validated_data, None)
        serializer.instance = services.save_endpoint(None, serializer.validated_data)

    def perform_update(self, serializer: serializers.BaseSerializer[Endpoint]) -> None:
        self._check_reach(serializer.validated_data, serializer.instance)
        serializer.instance = services.save_endpoint(serializer.instance, serializer.validated_data)

    def perform_destroy(self, instance: Endpoint) -> None:
        self._check_reach({}, instance)
        services.delete_endpoint(instance)


class KnownHostViewSet(ReadOnlyViewSet):
    """Host keys, those in force and those of the past."""

    queryset = KnownHost.objects.select_related("machine__device").order_by("-id")
    serializer_class = KnownHostSerializer
    site_field = SITE
    filterset_fields: ClassVar = {"machine": ["exact"], "source": ["exact"], "replaced_at": ["isnull"]}
    search_fields: ClassVar = ["machine__device__name", "fingerprint"]


class PinnedCertificateViewSet(ReadOnlyViewSet):
    """BMC certificates, those in force and those of the past."""

    queryset = PinnedCertificate.objects.select_related("machine__device").order_by("-id")
    serializer_class = PinnedCertificateSerializer
    site_field = SITE
    filterset_fields: ClassVar = {"machine": ["exact"], "source": ["exact"], "replaced_at": ["isnull"]}
    search_fields: ClassVar = ["machine__device__name", "fingerprint"]


class IdentityChangeFilter(filters.FilterSet):
    open = filters.BooleanFilter(field_name="resolved_at", lookup_expr="isnull", label="Not decided yet.")

    class Meta:
        model = IdentityChange
        fields: ClassVar = {"machine": ["exact"], "kind": ["exact"], "resolved_at": ["isnull"]}


class IdentityChangeViewSet(ReadOnlyViewSet):
    """Machines and BMCs that presented another identity than the known one."""

    queryset = IdentityChange.objects.select_related("machine__device").order_by("-last_seen_at", "-id")
    serializer_class = IdentityChangeSerializer
    site_field = SITE
    roles = {"accept": Role.ADMIN}  # noqa: RUF012  (read only)
    filterset_class = IdentityChangeFilter
    search_fields: ClassVar = ["machine__device__name", "presented_fingerprint"]

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Trust the presented identity from now on."""
        change = self.get_object()
        try:
            change = services.accept_change(change.pk, actor=request.user.get_username())
        except IdentityChange.DoesNotExist:
            raise Conflict("This change was already resolved.") from None
        return Response(self.get_serializer(change).data)


urlpatterns = [
    path("imports/netbox/", netbox_imports.imports),
    path("imports/netbox/<int:pk>/", netbox_imports.import_),
    path("imports/netbox/<int:pk>/findings.csv", netbox_imports.findings),
]


def register(router: BaseRouter) -> None:
    router.register("endpoints", EndpointViewSet, basename="endpoint")
    router.register("known-hosts", KnownHostViewSet, basename="known-host")
    router.register("pinned-certificates", PinnedCertificateViewSet, basename="pinned-certificate")
    router.register("identity-changes", IdentityChangeViewSet, basename="identity-change")
