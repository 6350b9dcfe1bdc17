"""Writes of accounts and credentials."""

from __future__ import annotations

import secrets

from django.db import transaction

from core.models import Credential, Role, RoleGrant, Site, User, cipher


@transaction.atomic
def set_credential(name: str, *, kind: str, username: str, secret: str) -> Credential:
    """Create or replace a credential; the secret is encrypted before it reaches the database."""
    credential = Credential.objects.select_for_update().filter(name=name).first() or Credential(name=name)
    credential.kind, credential.username = kind, username
    credential.set_secret(secret)
    credential.save()
    return credential


@transaction.atomic
def rotate_credentials() -> int:
    """Re-encrypt every credential with the first configured key; returns how many."""
    rows = list(Credential.objects.select_for_update())
    for row in rows:
        row.secret = cipher().rotate(bytes(row.secret))
    Credential.objects.bulk_update(rows, ["secret"])
    return len(rows)


@transaction.atomic
def ensure_user(
    username: str, *, role: str, password: str | None = None, site: Site | None = None, name: str = ""
) -> tuple[User, str | None]:
    """A user with this role; returns the password when one was set or made, None when the user already existed."""
    user, created = User.objects.get_or_create(username=username, defaults={"first_name": name})
    plain = None
    if created:
        plain = password or secrets.token_urlsafe(12)
        user.set_password(plain)
        user.is_staff = user.is_superuser = role == Role.ADMIN and site is None
        user.save()
    RoleGrant.objects.update_or_create(user=user, site=site, defaults={"role": role})
    return user, plain
