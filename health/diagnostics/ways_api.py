"""The ways in which a site launches an all-reduce over machines."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import allows, request_roles
from core.api import ReadOnlyViewSet
from core.models import Role
from core.outgoing import rights
from health.diagnostics import ways
from health.diagnostics.models import LaunchWay
from health.diagnostics.services import launch_ways

RUN_ON_MACHINES = ("command", "mounts")
"""What an administrator of every site writes: the login of the machines, mostly root, runs it."""


class LaunchWaySerializer(serializers.ModelSerializer[LaunchWay]):
    """`command` is a template with {program} and others in braces; empty: the usual one, which `usual` shows."""

    usual = serializers.SerializerMethodField()

    class Meta:
        model = LaunchWay
        fields: ClassVar = [
            "id", "site", "name", "position", "enabled", "way", "program", "command", "usual", "partition", "account",
            "reservation", "image", "mounts",
        ]  # fmt: skip
        validators: ClassVar[list[Any]] = []

    def get_usual(self, row: LaunchWay) -> str:
        return ways.USUAL.get((row.way, row.program), "")


@extend_schema_view(
    create=extend_schema(request=LaunchWaySerializer, responses={201: LaunchWaySerializer}),
    partial_update=extend_schema(request=LaunchWaySerializer(partial=True), responses={200: LaunchWaySerializer}),
    destroy=extend_schema(responses={204: None}),
)
class LaunchWayViewSet(ReadOnlyViewSet):
    """Read by viewers; kept by administrators of the site, commands by those of every site."""

    queryset = LaunchWay.objects.order_by("site", "position", "id")
    serializer_class = LaunchWaySerializer
    site_field = "site_id"
    filterset_fields: ClassVar = ["site", "way", "enabled"]
    write_role = Role.ADMIN

    def create(self, request: Request) -> Response:
        given = LaunchWaySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        row = self._saved(LaunchWay(), given)
        return Response(LaunchWaySerializer(row).data, status=status.HTTP_201_CREATED)

    def partial_update(self, request: Request, pk: str) -> Response:
        row = self.get_object()
        given = LaunchWaySerializer(row, data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        return Response(LaunchWaySerializer(self._saved(row, given)).data)

    def destroy(self, request: Request, pk: str) -> Response:
        row = self.get_object()
        self._may_write(row.site_id)
        launch_ways.remove(row)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _saved(self, row: LaunchWay, given: LaunchWaySerializer) -> LaunchWay:
        site_id = given.validated_data["site"].pk if "site" in given.validated_data else row.site_id
        if row.pk and site_id != row.site_id:
            raise exceptions.ValidationError({"site": ["A way stays at its site."]})
        self._may_write(site_id)
        rights.check_reach(self, given, RUN_ON_MACHINES, None, site_id)
        try:
            return launch_ways.save(row, given.validated_data)
        except ways.WayRefused as error:
            raise exceptions.ValidationError({"command": [str(error)]}) from error

    def _may_write(self, site_id: int) -> None:
        """A site that one may not see does not exist for one."""
        roles = request_roles(self.request)
        if not allows(roles, site_id, Role.VIEWER):
            raise exceptions.ValidationError({"site": ["There is no such site."]})
        if not allows(roles, site_id, Role.ADMIN):
            raise exceptions.PermissionDenied


def register(router: BaseRouter) -> None:
    router.register("health/launch-ways", LaunchWayViewSet, basename="launch-way")
