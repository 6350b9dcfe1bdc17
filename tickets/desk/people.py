"""Who may work on tickets of a site."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from core.accounts.scope import allows, granted_roles
from core.models import Role, User

WORKS = [role.value for role in Role if role.rank >= Role.TECHNICIAN.rank]


def may_work_at(person: User, site_id: int) -> bool:
    return person.is_active and allows(granted_roles(person), site_id, Role.TECHNICIAN)


def workers(site_ids: Iterable[int] | None) -> QuerySet[User]:
    """Active people with at least a technician's role at one of these sites (None: at any)."""
    at: dict[str, Any] = {} if site_ids is None else {"grants__site__in": list(site_ids)}
    granted = Q(grants__role__in=WORKS, **at) | Q(grants__role__in=WORKS, grants__site=None)
    return User.objects.filter(granted, is_active=True).distinct().order_by("first_name", "username")
