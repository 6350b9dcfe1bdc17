"""Reads that join: who is on call, which channels people have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db.models import Q

from core.models import RoleGrant
from tickets.messages.models import Channel, Rota
from tickets.messages.rota import shifts as reading

OF_A_CLOSED_ACCOUNT = Q(channel__owner__is_active=False)
"""Messages to a person who may no longer sign in: they stay, and go out when the account is opened again."""


@dataclass(frozen=True)
class OnCall:
    """Who is on call by one rota. `problem`: why nobody can be told."""

    people: tuple[reading.Known, ...]
    shifts: tuple[reading.Shift, ...]
    problem: str = ""


class People:
    """Persons with an open account and a role at a site: read once, whatever is asked."""

    @cached_property
    def _known(self) -> list[tuple[int | None, reading.Known]]:
        rows = RoleGrant.objects.filter(user__is_active=True).select_related("user").order_by("user_id", "id")
        return [
            (row.site_id, reading.Known(row.user.pk, row.user.username, row.user.get_full_name(), row.user.email))
            for row in rows
        ]

    def of(self, site_id: int | None) -> list[reading.Known]:
        """Those of a site, or of any site where none is given."""
        return list(dict.fromkeys(known for site, known in self._known if site_id is None or site in (None, site_id)))


def on_call(rota: Rota, now: datetime, people: People) -> OnCall:
    """Nobody for a calendar that was never read, for an unreadable copy, and for a gap."""
    if not rota.calendar:
        return OnCall((), (), "The calendar was never read.")
    try:
        held = reading.shifts_at(rota.calendar, now, rota.timezone)
    except reading.Unreadable as error:
        return OnCall((), (), f"The calendar cannot be read: {error}.")
    found = reading.people_of(held, people.of(rota.site_id))
    if not held:
        return OnCall((), (), "Nobody is on call now.")
    problem = "" if found else "No account fits the names of the shifts."
    return OnCall(tuple(found), tuple(held), problem)


def on_call_of(rotas: Iterable[Rota], now: datetime) -> dict[int, OnCall]:
    people = People()
    return {rota.pk: on_call(rota, now, people) for rota in rotas}


def channels_of_people() -> dict[int, list[int]]:
    """Person to that person's own channels."""
    found: dict[int, list[int]] = defaultdict(list)
    rows = Channel.objects.filter(active=True, owner__isnull=False, owner__is_active=True).order_by("pk")
    for pk, owner in rows.values_list("pk", "owner_id"):
        found[owner].append(pk)
    return found
