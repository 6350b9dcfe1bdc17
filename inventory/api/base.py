"""What all routes of the inventory share: rows of visible sites, writes through services, refusals as field errors."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework import exceptions, mixins, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import SiteScopedViewSet
from core.models import Role
from core.permissions import needed_role
from core.scope import limit_to_sites, request_roles
from inventory.services import Refused


class VisibleRelated(serializers.PrimaryKeyRelatedField):
    """The id of a record the user may see; another site's is as good as absent."""

    def __init__(self, *, site_field: str = "site_id", **options: Any) -> None:
        self.site_field = site_field
        super().__init__(**options)

    def get_queryset(self) -> QuerySet:
        queryset = super().get_queryset()
        assert queryset is not None
        request = self.context.get("request")
        return queryset.none() if request is None else limit_to_sites(queryset, request_roles(request), self.site_field)


class SiteName(serializers.Serializer):
    id = serializers.IntegerField()
    slug = serializers.CharField()
    name = serializers.CharField()


class Named(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class InventoryViewSet(
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    mixins.CreateModelMixin,
    mixins.UpdateModelMixin,
    mixins.DestroyModelMixin,
    SiteScopedViewSet,
):
    """List, retrieve, and by operators: create, change, remove.

    Subclasses say how a row is written (`save_row`, `remove_row`) and of which site the data is (`site_of_data`).
    """

    write_role = Role.OPERATOR
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]  # noqa: RUF012  (as Django has it)

    def site_of_data(self, data: dict[str, Any]) -> int | None:
        """The site a new row would be in; None when the data does not tell (a change that keeps its place)."""
        raise NotImplementedError

    def save_row(self, row: Any, data: dict[str, Any]) -> Any:
        raise NotImplementedError

    def remove_row(self, row: Any) -> None:
        raise NotImplementedError

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        data = serializer.validated_data
        if not self.may(needed_role(self.request, self), self.site_of_data(data)):
            raise exceptions.PermissionDenied("Your role on that site does not allow this.")
        serializer.instance = self.save_row(None, dict(data))

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        data, row = serializer.validated_data, serializer.instance
        moved_to = self.site_of_data(data)
        if moved_to is not None and moved_to != self.site_of(row):
            raise serializers.ValidationError({"site": ["A record stays at its site."]})
        serializer.instance = self.save_row(row, dict(data))

    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        self.remove_row(self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, Refused):
            exc = serializers.ValidationError({exc.field: [exc.reason]})
        return super().handle_exception(exc)

    @property
    def actor(self) -> str:
        return str(self.request.user.get_username())
