"""Who may see whose run it is: as for jobs of the scheduler (`health/schedulers/people.py`)."""

from __future__ import annotations

from typing import Any

from core.accounts.scope import request_roles, visible_site_ids
from core.models import Site
from health.schedulers import people


def sees_users(request: Any, site_id: int) -> bool:
    """Whether users of runs of this site are shown to whoever asks."""
    return people.sees_users(request_roles(request), site_id)


def sees_users_at(request: Any) -> list[int] | None:
    """The sites of which users are shown; None: all that he sees. One query at most."""
    roles = request_roles(request)
    if people.least_role() is None:
        return []
    seen = visible_site_ids(roles)
    if seen is None and people.sees_users(roles, None):
        return None
    ids = list(Site.objects.values_list("pk", flat=True)) if seen is None else seen
    allowed = [pk for pk in ids if people.sees_users(roles, pk)]
    return None if seen is not None and allowed == seen else allowed
