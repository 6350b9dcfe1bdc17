"""Tickets that other routes name, such as those of attachments: by their key, `REP-2041`, as well as by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.accounts.scope import limit_to_sites
from core.models import Role
from tickets.models import KEY_PREFIX, Ticket


def find(names: Sequence[str], roles: Mapping[int | None, Role], near: Mapping[str, Sequence[str]]) -> list[int]:
    """`core.openapi.references.Find` for tickets."""
    numbers = {name: name.upper().removeprefix(KEY_PREFIX) for name in names}
    asked = {int(number) for number in numbers.values() if number.isascii() and number.isdecimal() and len(number) < 19}
    rows = limit_to_sites(Ticket.objects.filter(number__in=asked), dict(roles), "site_id")
    found = {str(number): pk for pk, number in rows.values_list("pk", "number")}
    lost = [name for name, number in numbers.items() if number not in found]
    if lost:
        raise ValueError(f"There is no ticket {lost[0]!r}.")
    return [found[numbers[name]] for name in names]
