"""API of access: endpoints, known hosts, pinned certificates and changed identities. No secret is ever shown."""

from __future__ import annotations

from typing import ClassVar

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from access import netbox_imports, services
from access.models import Endpoint, IdentityChange, KnownHost, PinnedCertificate
from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.http.seen import SeenRecord
from core.models import Credential, Role

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
    """Overrides of how a machine or its BMC is reached. Writing them is for administrators of every site."""

    queryset = Endpoint.objects.select_related("machine__device", "credential").order_by(
        "machine__device__name", "kind"
    )
    serializer_class = EndpointSerializer
    site_field = SITE
    write_role = Role.ADMIN
    filterset_fields: ClassVar = ["machine", "kind"]
    search_fields: ClassVar = ["machine__device__name"]

    def _check_reach(self, serializer: serializers.BaseSerializer[Endpoint]) -> None:
        """An address decides where a credential is sent, and credentials belong to every site: so must the role."""
        machine = serializer.validated_data.get("machine")
        in_sight = machine is None or self.may(Role.ADMIN, machine.device.site_id)
        if not in_sight or not self.may(Role.ADMIN, None):
            self.permission_denied(self.request, "Only an administrator of every site changes where a login is sent.")

    def perform_create(self, serializer: serializers.BaseSerializer[Endpoint]) -> None:
        self._check_reach(serializer)
        serializer.instance = services.save_endpoint(None, serializer.validated_data)

    def perform_update(self, serializer: serializers.BaseSerializer[Endpoint]) -> None:
        self._check_reach(serializer)
        serializer.instance = services.save_endpoint(serializer.instance, serializer.validated_data)

    def perform_destroy(self, instance: Endpoint) -> None:
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


class IdentityChangeViewSet(ReadOnlyViewSet):
    """Machines and BMCs that presented another identity than the known one."""

    queryset = IdentityChange.objects.select_related("machine__device").order_by("-last_seen_at", "-id")
    serializer_class = IdentityChangeSerializer
    site_field = SITE
    roles = {"accept": Role.ADMIN}  # noqa: RUF012  (read only)
    filterset_fields: ClassVar = {"machine": ["exact"], "kind": ["exact"], "resolved_at": ["isnull"]}
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
