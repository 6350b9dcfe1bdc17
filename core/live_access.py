"""Who may listen to a site's live feed (named by `settings.LIVE_ACCESS`)."""

from __future__ import annotations

from typing import Any

from channels.db import database_sync_to_async
from django.contrib.sessions.backends.db import SessionStore

from core.models import Role, User
from core.scope import allows, granted_roles


@database_sync_to_async
def may_listen(scope: dict[str, Any], site_id: int) -> str:
    """Asked at connection and again at every heartbeat, so that a sign-out or a lost role ends the feed."""
    session = scope.get("session")
    user = scope.get("user")
    if user is None or not user.is_authenticated or session is None:
        return "signed_out"
    if not SessionStore().exists(session.session_key):
        return "signed_out"
    fresh = User.objects.filter(pk=user.pk, is_active=True).first()
    if fresh is None:
        return "signed_out"
    return "yes" if allows(granted_roles(fresh), site_id, Role.VIEWER) else "forbidden"
