"""Tablets that people of a site share: who may sign in there with a PIN, and what such a session may do.

A tablet and a PIN are less than a password: whoever picks the tablet up has the one and may have watched the other. So
a session of a tablet is one of a technician of its site, whatever the person may do elsewhere; who administers has no
PIN; and a few wrong ones end it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.accounts.scope import granted_roles, know_grants, role_on
from core.models import Pin, Role, Site, Tablet, User, cipher

COOKIE = "rackside_tablet"
SESSION_KEY = "tablet"
SHORTEST, LONGEST = 4, 8
MOST_MISSES = 5
"""Wrong ones in a row after which a PIN is worth nothing until its person sets another."""
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
    hidden = cipher().encrypt(make_password(pin).encode())
    Pin.objects.update_or_create(user=user, defaults={"secret": hidden, "misses": 0, "set_at": timezone.now()})


def forget_pin(user: User) -> None:
    Pin.objects.filter(user=user).delete()


def share(site: Site, name: str, *, by: User) -> str:
    """Make the device before which this person stands a tablet of the site; returns what its cookie is to hold. Raises
    Refused."""
    name = name.strip()
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
    """Who that is. Raises Refused; a wrong PIN is counted."""
    user = people_of(tablet).filter(pk=user_id).first()
    if user is None:
        raise Refused("Sign in with your password: there is no PIN for you here.")
    with transaction.atomic():
        row = Pin.objects.select_for_update().get(user=user)
        right = row.misses < MOST_MISSES and check_password(pin, cipher().decrypt(bytes(row.secret)).decode())
        row.misses = 0 if right else row.misses + 1
        row.save(update_fields=["misses"])
    if right:
        return user
    left = MOST_MISSES - row.misses
    if left <= 0:
        raise Refused("Wrong once too often. Sign in with your password and set another PIN.")
    raise Refused(f"That is not the PIN. {left} more {'try' if left == 1 else 'tries'}.")


def limit(user: User, session: Mapping[str, Any]) -> bool:
    """Let a session of a tablet do what a technician of its site does, and no more. False where the tablet is shared no
    more. Asks the database for such sessions only."""
    number = session.get(SESSION_KEY)
    if number is None:
        return True
    site_id = Tablet.objects.filter(pk=number).values_list("site_id", flat=True).first()
    if site_id is None or _administers(user):
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
