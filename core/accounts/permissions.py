"""Role checks of the API. A view set says which role each action needs; reading needs viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from core.accounts.scope import allows, request_roles
from core.models import Role

if TYPE_CHECKING:  # DRF's views import this module through the settings
    from rest_framework.views import APIView


def needed_role(request: Request, view: Any) -> Role:
    """`roles` of the view maps action name to role; otherwise reads need viewer and writes `write_role`."""
    action = getattr(view, "action", None)
    declared: dict[str, Role] = getattr(view, "roles", {})
    if action in declared:
        return declared[action]
    if request.method in SAFE_METHODS:
        return Role.VIEWER
    write_role: Role = getattr(view, "write_role", Role.ADMIN)
    return write_role


class RolePermission(BasePermission):
    """Some role anywhere lets a request in; the object's own site decides when one is touched."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        needed = needed_role(request, view)
        return any(role.rank >= needed.rank for role in request_roles(request).values())

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        site_of = getattr(view, "site_of", None)
        site_id = site_of(obj) if site_of else None
        return allows(request_roles(request), site_id, needed_role(request, view))
