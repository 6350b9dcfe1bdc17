"""From the news of tickets to what their copies elsewhere are told: in the transaction that takes the news."""

from __future__ import annotations

from collections.abc import Mapping

from tickets.messages.events import News
from tickets.models.tickets import Comment, Ticket, TicketChange
from tickets.systems import changes
from tickets.systems.models import ExternalItem, ExternalLink, ExternalRemark, TicketSystem


def note(news: Mapping[str, News], rows: Mapping[str, TicketChange | Comment]) -> int:
    """Write what each system is told of these news, by their `ref`; returns how many items."""
    systems = list(TicketSystem.objects.filter(active=True))
    if not systems or not news:
        return 0
    tickets = {row.ticket_id: row.ticket for row in rows.values()}
    links = {
        (link.system_id, link.ticket_id): link
        for link in ExternalLink.objects.filter(ticket__in=tickets, system__in=systems)
    }
    comments = [row.pk for row in rows.values() if isinstance(row, Comment)]
    there = set(ExternalRemark.objects.filter(comment__in=comments).values_list("link__system_id", "comment_id"))
    items = []
    for ref, one in news.items():
        row = rows[ref]
        for system in (system for system in systems if system.site_id == one.site):
            link = links.get((system.pk, row.ticket_id))
            if link is None:
                if one.event == "closed" or not changes.wants(system.queues, system.priorities, one):
                    continue
                link = links[system.pk, row.ticket_id] = opened(system, row.ticket)
                items.append(ExternalItem(link=link, ref="create", kind="create"))
            came = isinstance(row, Comment) and (system.pk, row.pk) in there
            item = changes.item_of(one, text_of(row), came_from_there=came)
            if item is not None:
                items.append(ExternalItem(link=link, ref=ref, kind=item.kind, value=item.value))
    ExternalItem.objects.bulk_create(items, ignore_conflicts=True)
    return len(items)


def opened(system: TicketSystem, ticket: Ticket) -> ExternalLink:
    return ExternalLink.objects.get_or_create(system=system, ticket=ticket)[0]


def text_of(row: TicketChange | Comment) -> str:
    return f"{row.author.display_name()}: {row.text}" if isinstance(row, Comment) else ""
