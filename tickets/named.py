"""What other routes name instead of giving its id: tickets by key (`REP-2041`), people by user name, and settings of
sites (channels, rotas, ticket systems) by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import QuerySet

from core.accounts.scope import limit_to_sites, visible_site_ids
from core.models import Role
from core.openapi.references import Find, called, fits, named_at_sites, the_one, words
from tickets.desk import people
from tickets.messages.models import Channel, Rota
from tickets.models import KEY_PREFIX, Ticket
from tickets.systems.models import TicketSystem

Roles = Mapping[int | None, Role]
Near = Mapping[str, Sequence[str]]


def find(names: Sequence[str], roles: Roles, near: Near) -> list[int]:
    """`core.openapi.references.Find` for tickets."""
    numbers = {name: name.upper().removeprefix(KEY_PREFIX) for name in names}
    asked = {int(number) for number in numbers.values() if number.isascii() and number.isdecimal() and len(number) < 19}
    rows = limit_to_sites(Ticket.objects.filter(number__in=asked), dict(roles), "site_id")
    found = {str(number): pk for pk, number in rows.values_list("pk", "number")}
    lost = [name for name, number in numbers.items() if number not in found]
    if lost:
        raise ValueError(f"There is no ticket {lost[0]!r}.")
    return [found[numbers[name]] for name in names]


def workers(names: Sequence[str], roles: Roles, near: Near) -> list[int]:
    """The same for people who may work at a site that the caller sees, as /api/tickets/people/ lists them."""
    rows = people.workers(visible_site_ids(dict(roles))).filter(username__in=set(names)).order_by()
    found = dict(rows.values_list("username", "pk"))
    return [the_one("person", name, [found[name]] if name in found else [], "id") for name in names]


def of_sites_or_all(rows: QuerySet, one: str) -> Find:
    """The same for what is of one site or of every site: somebody sees that of his own and that of all."""

    def find_named(texts: Sequence[str], roles: Roles, near: Near) -> list[int]:
        ids = visible_site_ids(dict(roles))
        found = [
            (pk, name, site)
            for pk, name, *site in rows.filter(name__in=set(texts))
            .order_by()
            .values_list("pk", "name", "site_id", "site__slug")
            if ids is None or site[0] is None or site[0] in ids
        ]
        sites = near.get("site", ())
        return [the_one(one, text, nearest(text, found, sites), "site") for text in texts]

    return find_named


def nearest(text: str, found: Sequence[tuple[int, str, list[int | str | None]]], sites: Sequence[str]) -> list[int]:
    """Those of that name at the site told, else those of every site."""
    named = [(pk, site) for pk, name, site in found if name == text]
    at_site = [pk for pk, site in named if fits(site, sites)]
    return at_site or [pk for pk, site in named if site[0] is None]


def register() -> None:
    """Safe to call again."""
    words["ticket"], called["ticket"] = find, "key (`REP-2041`)"
    words["assignee"], called["assignee"] = workers, "user name"
    words["channel"] = of_sites_or_all(Channel.objects.filter(owner=None), "channel")
    words["rota"] = of_sites_or_all(Rota.objects.all(), "rota")
    words["system"] = named_at_sites(TicketSystem.objects.all(), "ticket system", Role.ADMIN)
