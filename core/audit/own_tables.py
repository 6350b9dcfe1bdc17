"""The tables of this room and of the packages below it: people and their rights are kept, sessions are not."""

from __future__ import annotations

from typing import Any

from core.audit.tables import audited, left_out
from core.models import Role

PEOPLE: dict[str, Any] = {"read": None}
"""Only an administrator of every site reads what was done to accounts."""

audited("core.Site", kind="sites", undo=Role.ADMIN)
audited(
    "core.User",
    kind="users",
    name=("username",),
    hidden=("password",),
    noise=("last_login",),
    undo=Role.ADMIN,
    **PEOPLE,
)
audited("core.RoleGrant", kind="role-grants", name=("user", "role"), undo=Role.ADMIN, **PEOPLE)
audited("core.ApiToken", kind="tokens", name=("name",), hidden=("digest", "token_key"), **PEOPLE)
audited("core.Pin", kind="pins", name=("user",), hidden=("secret",), noise=("misses",), **PEOPLE)
audited("core.Tablet", kind="tablets", name=("name",), hidden=("digest",), **PEOPLE)
audited("core.Credential", kind="credentials", hidden=("secret",), noise=("changed_at",), **PEOPLE)
audited("core.InstanceState", kind="instance", **PEOPLE)
# Not what rights come from, but the administration's pages can give them.
for label in ("core.User_groups", "core.User_user_permissions", "auth.Group", "auth.Group_permissions"):
    audited(label, **PEOPLE)
audited("account.EmailAddress", kind="email-addresses", name=("email",), **PEOPLE)
audited(
    "socialaccount.SocialAccount",
    kind="social-accounts",
    name=("user", "provider"),
    hidden=("extra_data",),
    noise=("last_login", "extra_data"),
    **PEOPLE,
)
audited("socialaccount.SocialApp", kind="social-apps", hidden=("secret", "key", "settings"), **PEOPLE)
audited(
    "mfa.Authenticator",
    kind="second-factors",
    name=("user", "type"),
    hidden=("data",),
    noise=("last_used_at",),
    **PEOPLE,
)

left_out("core.AuditChange", "the log itself")
left_out("core.AuditEntry", "the log itself")
left_out("admin.LogEntry", "the administration's own log of what is in this one")
left_out("auth.Permission", "made from the models by every migration; nothing here gives rights by them")
left_out("contenttypes.ContentType", "made from the models by every migration")
left_out("sessions.Session", "who is signed in, not a record")
left_out("account.EmailConfirmation", "one-time keys of mails being sent")
left_out("socialaccount.SocialToken", "tokens of the single sign-on, renewed with every sign-in")
left_out("live.Event", "news of changes that are in the log themselves; the outbox of the live feed")
left_out("live.HandlerFailure", "work to be tried again")
