"""Base classes of every API room: rows of visible sites only, writes by role, writes through services."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from rest_framework import mixins
from rest_framework.request import Request

from core.accounts.scope import allows, limit_to_sites, request_roles
from core.http.conditional import ConditionalWrites
from core.models import Role, User
from core.rest.fields import FieldSelection


class SiteScopedViewSet(ConditionalWrites, FieldSelection):
    """Limits every action to the sites its user may see.

    `site_field` is the path from the model to the site's id, such as `device__site_id`. `limit` picks the rows that one
    may see. `write_role` is needed for unsafe methods, `roles` overrides it by action name.
    """

    site_field: str = "site_id"
    limit: Callable[..., QuerySet] = staticmethod(limit_to_sites)
    write_role: Role = Role.OPERATOR
    roles: dict[str, Role] = {}  # noqa: RUF012  (read only, replaced by subclasses)
    request: Request

    def get_queryset(self) -> QuerySet:
        queryset = super().get_queryset()
        if getattr(self, "swagger_fake_view", False):
            return queryset.none()
        return self.limit(queryset, request_roles(self.request), self.site_field)

    def site_of(self, obj: Any) -> int | None:
        for name in self.site_field.split("__"):
            obj = getattr(obj, name)
        return int(obj) if obj is not None else None

    @property
    def person(self) -> User:
        """Who asks."""
        user = self.request.user
        assert isinstance(user, User)  # the permission class lets nobody else in
        return user

    def may(self, role: Role, site_id: int | None) -> bool:
        return allows(request_roles(self.request), site_id, role)


class ReadOnlyViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """List and retrieve."""
