"""One place that answers: which sites may this user see, and with which role.

API, search, sockets and pages all ask here; nothing else reads `RoleGrant`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from core.models import ApiToken, Role, Site, User


def granted_roles(user: User | AnonymousUser, token: ApiToken | None = None) -> dict[int | None, Role]:
    """Site id (None: every site) to role, capped by the token's own role. One query, kept on the user object."""
    if not user.is_authenticated or not user.is_active:
        return {}
    cached: dict[int | None, Role] | None = getattr(user, "_granted_roles", None)
    if cached is None:
        cached = know_grants(user, user.grants.values_list("site_id", "role"))
    if token is None:
        return cached
    cap = Role(token.role)
    return {site: min(role, cap, key=lambda r: r.rank) for site, role in cached.items()}


def know_grants(user: User, grants: Iterable[tuple[int | None, str]]) -> dict[int | None, Role]:
    """Keep on the user object what it may do: site id (None: every site) and role of each grant."""
    known = {site: Role(role) for site, role in grants}
    vars(user)["_granted_roles"] = known
    return known


def request_roles(request: Any) -> dict[int | None, Role]:
    token = request.auth if isinstance(getattr(request, "auth", None), ApiToken) else None
    return granted_roles(request.user, token)


def role_on(roles: dict[int | None, Role], site_id: int | None) -> Role | None:
    """The best role on a site; `site_id` None asks for a right on every site."""
    candidates = [roles[key] for key in {None, site_id} if key in roles]
    return max(candidates, key=lambda r: r.rank, default=None)


def allows(roles: dict[int | None, Role], site_id: int | None, needed: Role) -> bool:
    role = role_on(roles, site_id)
    return role is not None and role.rank >= needed.rank


def is_administrator(roles: dict[int | None, Role]) -> bool:
    """Whether these are the roles of an administrator of every site."""
    return allows(roles, None, Role.ADMIN)


def visible_site_ids(roles: dict[int | None, Role]) -> list[int] | None:
    """Ids of the sites that may be read; None means all of them."""
    return None if None in roles else sorted(key for key in roles if key is not None)


def limit_to_sites(queryset: QuerySet, roles: dict[int | None, Role], site_field: str) -> QuerySet:
    """Only rows of visible sites; `site_field` is the path to the site's id, such as `device__site_id`."""
    ids = visible_site_ids(roles)
    return queryset if ids is None else queryset.filter(**{f"{site_field}__in": ids})


def administered_site_ids(roles: dict[int | None, Role]) -> list[int] | None:
    """Ids of the sites of which these are an administrator's roles; None means all of them."""
    if is_administrator(roles):
        return None
    return [site for site in roles if site is not None and allows(roles, site, Role.ADMIN)]


def limit_to_administered(queryset: QuerySet, roles: dict[int | None, Role], site_field: str) -> QuerySet:
    """Rows of administered sites only; what belongs to every site needs that role everywhere."""
    ids = administered_site_ids(roles)
    return queryset if ids is None else queryset.filter(**{f"{site_field}__in": ids})


def visible_sites(roles: dict[int | None, Role]) -> QuerySet[Site]:
    return limit_to_sites(Site.objects.all(), roles, "id")
