"""Tablets that people of a site share: who may sign in there with a PIN, and what such a session may do.

A tablet and a PIN are less than a password: whoever picks the tablet up has the one and may have watched the other. So
a session of a tablet is one of a technician of its site, whatever the person may do elsewhere, and reaches no page
about signing in; who administers has no PIN; a few wrong ones end it, and with it whoever it let in.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import structlog
from cryptography.fernet import InvalidToken
from django.contrib.auth import user_logged_in
from django.contrib.auth.hashers import check_password, make_password
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from core.accounts.scope import granted_roles, know_grants, role_on
from core.audit.actor import WITH_PIN
from core.models import Pin, Role, Site, Tablet, User, cipher

log = structlog.get_logger(__name__)

COOKIE = "rackside_tablet"
AT_TABLET_KEY = "at_tablet"
"""In every session that began at a tablet, with a password as well: when it is over, in seconds since 1970."""
SHORTEST, LONGEST = 4, 8
MOST_MISSES = 5
"""Wrong ones in a row after which a PIN is worth nothing until its person sets another."""
MOST_AT_A_TABLET, FOR_S = 20, 3600
"""Wrong ones of anybody at one tablet after which it takes none for a while: it lists everybody to guess at."""
SIGNED_IN_S = 10 * 3600
"""A shift: who forgot to lock it is signed out after that."""
FORWARDS, BACKWARDS = "01234567890", "09876543210"


class Refused(Exception):
    """Why not, in a sentence."""


def wrong_with(pin: str) -> str:
    """Why these digits are no PIN; empty when they are one. Pure."""
    if not (pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST):
        return f"A PIN has {SHORTEST} to {LONGEST} digits."
    if len(set(pin)) == 1 or pin in FORWARDS or pin in BACKWARDS:
        return "That is guessed at once. Take digits that do not follow each other."
    return ""


def set_pin(user: User, pin: str) -> None:
    """Raises Refused."""
    if why := wrong_with(pin):
        raise Refused(why)
    if _administers(user):
        raise Refused("An account that administers signs in with its password.")
    try:
        hidden = cipher().encrypt(make_password(pin).encode())
    except ImproperlyConfigured as error:
        raise Refused("This service has no key to keep a PIN under; see RACKSIDE_CREDENTIAL_KEYS.") from error
    Pin.objects.update_or_create(user=user, defaults={"secret": hidden, "misses": 0, "set_at": timezone.now()})


def forget_pin(user: User) -> None:
    Pin.objects.filter(user=user).delete()


def share(site: Site, name: str, *, by: User) -> str:
    """Make the device before which this person stands a tablet of the site; returns what its cookie is to hold. Raises
    Refused."""
    name = name.replace("\0", "").strip()
    if not name:
        raise Refused("Say how the tablet is called, as on its label.")
    secret = secrets.token_urlsafe(32)
    try:
        with transaction.atomic():
            Tablet.objects.create(site=site, name=name[:60], digest=_digest(secret), shared_by=by)
    except IntegrityError as error:
        raise Refused(f"{site} has a tablet {name} already.") from error
    return secret


def tablet_of(cookie: str) -> Tablet | None:
    """The tablet that a browser is; None for every other, and for one that is shared no more."""
    return Tablet.objects.select_related("site").filter(digest=_digest(cookie)).first() if cookie else None


def people_of(tablet: Tablet) -> QuerySet[User]:
    """Who may sign in there: technicians of the site and above, who have a PIN and do not administer."""
    able = [role for role in Role if role.rank >= Role.TECHNICIAN.rank]
    here = Q(grants__site=tablet.site_id) | Q(grants__site=None)
    people = User.objects.filter(here, grants__role__in=able, is_active=True, must_change_password=False)
    return (
        people.filter(is_staff=False, is_superuser=False, pin__misses__lt=MOST_MISSES).distinct().order_by("username")
    )


def open_with(tablet: Tablet, user_id: int, pin: str) -> User:
    """Who that is. Raises Refused; a wrong PIN is counted, for its person and at the tablet."""
    missed = f"tablet-misses:{tablet.pk}"
    if int(cache.get_or_set(missed, 0, FOR_S) or 0) >= MOST_AT_A_TABLET:
        raise Refused("Too many wrong PINs at this tablet. Sign in with a password, or wait for an hour.")
    user = people_of(tablet).filter(pk=user_id).first()
    if user is None:
        raise Refused("Sign in with your password: there is no PIN for you here.")
    try:
        misses = _counted(user, pin)
    except (Pin.DoesNotExist, InvalidToken, ImproperlyConfigured) as error:
        raise Refused("Your PIN cannot be read. Sign in with your password and set another.") from error
    if not misses:
        return user
    cache.incr(missed)
    log.warning("pin_refused", user=user.username, tablet=tablet.name, misses=misses)
    left = MOST_MISSES - misses
    if left <= 0:
        raise Refused("Wrong once too often. Sign in with your password and set another PIN.")
    raise Refused(f"That is not the PIN. {left} more {'try' if left == 1 else 'tries'}.")


def _counted(user: User, pin: str) -> int:
    """How often it was wrong by now; 0 when it is right."""
    with transaction.atomic():
        row = Pin.objects.select_for_update().get(user=user)
        right = row.misses < MOST_MISSES and check_password(pin, cipher().decrypt(bytes(row.secret)).decode())
        row.misses = 0 if right else row.misses + 1
        row.save(update_fields=["misses"])
        return row.misses


def begin(session: Any, tablet: Tablet, user: User) -> None:
    """Make the session of somebody who just typed the PIN one of the tablet."""
    session[WITH_PIN] = {"id": tablet.pk, "pin": Pin.objects.get(user=user).set_at.isoformat()}


@receiver(user_logged_in)
def _begins_at_a_tablet(request: HttpRequest | None, **_: Any) -> None:
    """Whichever way somebody signs in there: who walks away is signed out like everybody else."""
    if request is not None and tablet_of(request.COOKIES.get(COOKIE, "")) is not None:
        request.session[AT_TABLET_KEY] = time.time() + SIGNED_IN_S


def limit(user: User, session: Mapping[str, Any]) -> bool:
    """Let a session that a PIN opened do what a technician of the tablet's site does, and no more. False where a
    session at a tablet is over: the tablet is shared no more, the PIN ended or changed, a shift passed. Asks the
    database for such only."""
    if time.time() >= session.get(AT_TABLET_KEY, float("inf")):
        return False
    opened = session.get(WITH_PIN)
    if opened is None:
        return True
    pin = Pin.objects.filter(user=user, set_at=opened["pin"], misses__lt=MOST_MISSES)
    site_id = Tablet.objects.filter(pk=opened["id"]).values_list("site_id", flat=True).first()
    if site_id is None or _administers(user) or not pin.exists():
        return False
    role = role_on(granted_roles(user), site_id)
    know_grants(user, [(site_id, min(role, Role.TECHNICIAN, key=lambda r: r.rank))] if role is not None else [])
    return True


def rotate_secrets() -> int:
    """Re-encrypt with the first configured key; returns how many. In the caller's transaction."""
    rows = list(Pin.objects.select_for_update())
    for row in rows:
        row.secret = cipher().rotate(bytes(row.secret))
    Pin.objects.bulk_update(rows, ["secret"])
    return len(rows)


def _administers(user: User) -> bool:
    return user.is_staff or user.is_superuser


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
