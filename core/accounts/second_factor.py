"""The second factor and passkeys of people (allauth.mfa): its secrets are kept under the keys of the credentials."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.dispatch import receiver
from django.http import HttpRequest

from core.accounts.scope import granted_roles
from core.audit.actor import WITH_PIN
from core.models import Role, User, cipher

SECRETS = {Authenticator.Type.TOTP: "secret", Authenticator.Type.RECOVERY_CODES: "seed"}
"""Of each kind with a secret, where in its data that stands. Of a passkey the service has the public key only."""
FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
"""What counts as a second factor; recovery codes only stand in for one."""
ADDED_KEY = "second_factor_added"


class SecondFactorAdapter(DefaultMFAAdapter):
    """Secrets are encrypted at rest, and the product is called by its name on keys and in apps."""

    def encrypt(self, text: str) -> str:
        return cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return cipher().decrypt(encrypted_text.encode()).decode()

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        return str(user.get_username())

    def _get_site_name(self) -> str:
        return "Rackside"


class Standing(Enum):
    """What a session lacks before it opens anything."""

    GOOD = "good"
    NO_FACTOR = "no factor"
    """The account has none: one is to be added."""
    WITHOUT_IT = "without it"
    """The account has one, which this session was never asked for: somebody else may have opened it."""


def standing(user: User, session: Mapping[str, Any]) -> Standing:
    """Asked of people only: a script's token is its own secret. Who came by single sign-on was asked there; who came by
    a shared tablet has the tablet and a PIN, and does what a technician does.

    One query at most, and none where no role needs a second factor.
    """
    least = settings.SECOND_FACTOR_FROM
    if not least or WITH_PIN in session or not _needs_it(user, Role(least)):
        return Standing.GOOD
    methods = {each.get("method") for each in session.get(AUTHENTICATION_METHODS_SESSION_KEY) or []}
    if "socialaccount" in methods:
        return Standing.GOOD
    if not Authenticator.objects.filter(user_id=user.pk, type__in=FACTORS).exists():
        return Standing.NO_FACTOR
    return Standing.GOOD if "mfa" in methods or session.get(ADDED_KEY) == user.pk else Standing.WITHOUT_IT


def _needs_it(user: User, least: Role) -> bool:
    """Django's own administrators reach every account, whatever their roles are."""
    if user.is_staff or user.is_superuser:
        return True
    return any(role.rank >= least.rank for role in granted_roles(user).values())


@receiver(authenticator_added)
def _remember_who_added(request: HttpRequest, user: User, **_: Any) -> None:
    """The session that adds a factor has shown it."""
    request.session[ADDED_KEY] = user.pk


def rotate_secrets() -> int:
    """Re-encrypt them with the first configured key; returns how many. In the caller's transaction."""
    rows = list(Authenticator.objects.select_for_update().filter(type__in=SECRETS))
    for row in rows:
        name = SECRETS[Authenticator.Type(row.type)]
        row.data[name] = cipher().rotate(row.data[name].encode()).decode()
    Authenticator.objects.bulk_update(rows, ["data"])
    return len(rows)
