"""The one place where the name of the user of a job or a training run is given out."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings

from core.accounts.scope import allows, visible_site_ids
from core.models import Role


def least_role() -> Role | None:
    """Who may read names of users, from this role up (`RACKSIDE_JOB_USERS`); None: nobody may."""
    word = settings.JOB_USERS
    return Role(word) if word in Role.values else None


def sees_users(roles: Mapping[int | None, Role], site_id: int | None) -> bool:
    """Whether somebody with these roles may read names of users at that site."""
    least = least_role()
    return least is not None and allows(dict(roles), site_id, least)


def shown(user: str, roles: Mapping[int | None, Role], site_id: int | None) -> str | None:
    """The name as it is given out: None where it may not be read, empty where nobody says."""
    return user if sees_users(roles, site_id) else None


def sites_with_users(roles: Mapping[int | None, Role]) -> list[int] | None:
    """The sites of whose users the names may be read, for filters; None: all of them."""
    if sees_users(roles, None):
        return None
    return [site for site in roles if site is not None and sees_users(roles, site)]


def named_wherever_seen(roles: Mapping[int | None, Role]) -> bool:
    """Whether users may be read at every site that somebody sees: else a search would tell their names."""
    seen, named = visible_site_ids(dict(roles)), sites_with_users(roles)
    return named is None or (seen is not None and set(seen) <= set(named))
