"""Who may see whose run it is: the role that the site's operators set, or nobody."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from core.accounts.scope import allows, request_roles, visible_site_ids
from core.models import Role, Site

NOBODY = "nobody"


def sees_users(request: Any, site_id: int) -> bool:
    """Whether users of runs of this site are shown to whoever asks."""
    needed = settings.RUN_USERS_SHOWN_TO
    return needed != NOBODY and allows(request_roles(request), site_id, Role(needed))


def sees_users_at(request: Any) -> list[int] | None:
    """The sites of which users are shown; None: all that he sees. One query at most."""
    needed, roles = settings.RUN_USERS_SHOWN_TO, request_roles(request)
    if needed == NOBODY:
        return []
    seen = visible_site_ids(roles)
    if seen is None and allows(roles, None, Role(needed)):
        return None
    ids = list(Site.objects.values_list("pk", flat=True)) if seen is None else seen
    allowed = [pk for pk in ids if allows(roles, pk, Role(needed))]
    return None if seen is not None and allowed == seen else allowed
