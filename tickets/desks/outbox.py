"""From the news of tickets to what their copies elsewhere are told: in the transaction that takes the news."""

from __future__ import annotations

from collections.abc import Mapping

from tickets.desks import changes
from tickets.desks.models import ExternalDesk, ExternalItem, ExternalLink, ExternalRemark
from tickets.messages.events import News
from tickets.models.tickets import Comment, Ticket, TicketChange


def note(news: Mapping[str, News], rows: Mapping[str, TicketChange | Comment]) -> int:
    """Write what each desk is told of these news, by their `ref`; returns how many items."""
    desks = list(ExternalDesk.objects.filter(active=True))
    if not desks or not news:
        return 0
    tickets = {row.ticket_id: row.ticket for row in rows.values()}
    links = {
        (link.desk_id, link.ticket_id): link for link in ExternalLink.objects.filter(ticket__in=tickets, desk__in=desks)
    }
    comments = [row.pk for row in rows.values() if isinstance(row, Comment)]
    there = set(ExternalRemark.objects.filter(comment__in=comments).values_list("link__desk_id", "comment_id"))
    items = []
    for ref, one in news.items():
        row = rows[ref]
        for desk in (desk for desk in desks if desk.site_id == one.site):
            link = links.get((desk.pk, row.ticket_id))
            if link is None:
                if one.event == "closed" or not changes.wants(desk.queues, desk.priorities, one):
                    continue
                link = links[desk.pk, row.ticket_id] = opened(desk, row.ticket)
                items.append(ExternalItem(link=link, ref="create", kind="create"))
            came = isinstance(row, Comment) and (desk.pk, row.pk) in there
            item = changes.item_of(one, text_of(row), came_from_there=came)
            if item is not None:
                items.append(ExternalItem(link=link, ref=ref, kind=item.kind, value=item.value))
    ExternalItem.objects.bulk_create(items, ignore_conflicts=True)
    return len(items)


def opened(desk: ExternalDesk, ticket: Ticket) -> ExternalLink:
    return ExternalLink.objects.get_or_create(desk=desk, ticket=ticket)[0]


def text_of(row: TicketChange | Comment) -> str:
    return f"{row.author.display_name()}: {row.text}" if isinstance(row, Comment) else ""
