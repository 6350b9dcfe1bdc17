"""Tickets that outside systems open by their own id: the same request again finds the same ticket."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection, transaction

from tickets.messages.models import TicketReference
from tickets.models.tickets import Ticket


def opened(site_id: int, reference: tuple[str, str], opening: Callable[[], Ticket]) -> tuple[Ticket, bool]:
    """The same for a pair of source and id, both empty where the request named none."""
    if not reference[1]:
        return opening(), True
    return opened_once(site_id, *reference, opening)


@transaction.atomic
def opened_once(site_id: int, source: str, external_id: str, opening: Callable[[], Ticket]) -> tuple[Ticket, bool]:
    """The ticket of an outside id at a site, and whether it was opened now. Raises what `opening` raises.

    Two requests at once wait for each other here, so that the second finds what the first has opened.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [f"{source} {external_id}", site_id])
    known = TicketReference.objects.filter(site_id=site_id, source=source, external_id=external_id)
    if (row := known.select_related("ticket").first()) is not None:
        return row.ticket, False
    ticket = opening()
    TicketReference.objects.create(site_id=site_id, ticket=ticket, source=source, external_id=external_id)
    return ticket, True
