"""Who may listen to a site's live feed (named by `settings.LIVE_ACCESS`)."""

from __future__ import annotations

from typing import Any

from channels.db import database_sync_to_async
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.utils.crypto import constant_time_compare

from core.accounts import second_factor, tablets
from core.accounts.scope import allows, granted_roles
from core.models import Role, User


@database_sync_to_async
def may_listen(scope: dict[str, Any], site_id: int) -> str:
    """Asked at connection and every few seconds: a sign-out, a new password or a lost role ends the feed."""
    session = scope.get("session")
    user = scope.get("user")
    if user is None or not user.is_authenticated or session is None:
        return "signed_out"
    stored = SessionStore(session.session_key).load()  # empty when it was ended or has expired
    fresh = User.objects.filter(pk=user.pk, is_active=True, must_change_password=False).first()
    if fresh is None or not constant_time_compare(stored.get(HASH_SESSION_KEY, ""), fresh.get_session_auth_hash()):
        return "signed_out"
    if second_factor.standing(fresh, stored) is not second_factor.Standing.GOOD:
        return "forbidden"
    if not tablets.limit(fresh, stored):
        return "signed_out"
    return "yes" if allows(granted_roles(fresh), site_id, Role.VIEWER) else "forbidden"
