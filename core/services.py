"""Writes of accounts and credentials."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction

from core.models import ApiToken, Credential, Role, RoleGrant, Site, User, cipher
from core.outgoing.binding import Purpose, hosts_from

DEFAULT_CREDENTIALS = ("ssh", "bmc")
"""Names that every machine's login and every BMC's have unless an endpoint says otherwise; each its own purpose."""


@transaction.atomic
def set_credential(
    name: str,
    *,
    kind: str,
    username: str,
    secret: str,
    purpose: str = "",
    hosts: Iterable[str] | None = None,
    site: Site | None = None,
) -> Credential:
    """Create or replace a credential; the secret is encrypted before it reaches the database.

    What is not said of its binding stays as it was; `ssh` and `bmc` are for SSH and BMCs by their names.
    Raises ValueError for a host that is none, a password without hosts and a new credential of no purpose.
    """
    credential = Credential.objects.select_for_update().filter(name=name).first() or Credential(name=name)
    credential.kind, credential.username = kind, username
    credential.set_secret(secret)
    _bind(credential, purpose, hosts, site)
    credential.save()
    return credential


@transaction.atomic
def bind_credential(
    name: str, *, purpose: str = "", hosts: Iterable[str] | None = None, site: Site | None = None
) -> Credential:
    """Change what a stored credential is bound to. Raises Credential.DoesNotExist, ValueError."""
    credential = Credential.objects.select_for_update().get(name=name)
    _bind(credential, purpose, hosts, site)
    credential.save()
    return credential


def _bind(credential: Credential, purpose: str, hosts: Iterable[str] | None, site: Site | None) -> None:
    by_name = credential.name if credential.name in DEFAULT_CREDENTIALS else ""
    credential.purpose = purpose or credential.purpose or by_name
    if credential.purpose not in list(Purpose):
        raise ValueError(f"say what the credential {credential.name} is for: one of {', '.join(Purpose)}")
    if hosts is not None:
        credential.hosts = hosts_from(hosts)
    if credential.kind == Credential.Kind.PASSWORD and not credential.hosts:
        raise ValueError(f"say where the password {credential.name} may be sent: --host 10.2.0.0/16, several times")
    credential.site = site or credential.site


OTHER_SECRETS: list[Callable[[], int]] = []
"""Of rooms that keep secrets under these keys in tables of their own: each re-encrypts them and returns how many."""


@transaction.atomic
def rotate_credentials() -> int:
    """Re-encrypt credentials, webhooks' secrets and second factors with the first configured key; says how many."""
    from core.accounts import second_factor, tablets  # of apps that are loaded after this one
    from core.webhooks.services import rotate_secrets  # that room is built on this one

    rows = list(Credential.objects.select_for_update())
    for row in rows:
        row.secret = cipher().rotate(bytes(row.secret))
    Credential.objects.bulk_update(rows, ["secret"])
    return (
        len(rows)
        + rotate_secrets()
        + second_factor.rotate_secrets()
        + tablets.rotate_secrets()
        + sum(re_encrypt() for re_encrypt in OTHER_SECRETS)
    )


@transaction.atomic
def ensure_user(
    username: str, *, role: str, password: str | None = None, hashed: str = "", site: Site | None = None, name: str = ""
) -> tuple[User, str | None]:
    """A user with this role; returns the password when one was set or made, None when the user already existed.

    `hashed` is the hash of `password` where the caller has it: making one takes a third of a second of a processor.
    """
    user, created = User.objects.get_or_create(username=username, defaults={"first_name": name})
    plain = None
    if created:
        plain = password or secrets.token_urlsafe(12)
        user.password = hashed or make_password(plain)
        user.is_staff = user.is_superuser = role == Role.ADMIN and site is None
        user.save()
    RoleGrant.objects.update_or_create(user=user, site=site, defaults={"role": role})
    return user, plain


@transaction.atomic
def save_user(user: User | None, fields: dict[str, Any]) -> User:
    """Create or change an account with its roles; `grants`, when given, replaces all its roles."""
    fields = dict(fields)
    grants = fields.pop("grants", None)
    password = fields.pop("password", None)
    user = user or User()
    for name, value in fields.items():
        setattr(user, name, value)
    if password:
        user.set_password(password)
    elif user.pk is None:
        user.set_unusable_password()
    if grants is not None:
        user.is_staff = user.is_superuser = any(g["role"] == Role.ADMIN and g.get("site") is None for g in grants)
    user.save()
    if grants is not None:
        user.grants.all().delete()
        RoleGrant.objects.bulk_create(RoleGrant(user=user, site=g.get("site"), role=g["role"]) for g in grants)
    return user


@transaction.atomic
def deactivate_user(user: User) -> None:
    """Close an account: it cannot sign in, its tokens are gone, its history stays."""
    user.is_active = False
    user.save(update_fields=["is_active"])
    user.auth_token_set.all().delete()


@transaction.atomic
def make_token(
    user: User, *, name: str = "", role: str = Role.ADMIN, expiry: datetime | None = None
) -> tuple[ApiToken, str]:
    """A new API token and its plain text, which is not kept."""
    token, plain = ApiToken.objects.create(user=user, expiry=None)
    token.name, token.role, token.expiry = name, role, expiry
    token.save()
    return token, plain
