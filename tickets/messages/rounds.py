"""One round: news become messages, tickets that nobody takes are called out, summaries that are due are made.

Each part is one transaction, and a message is unique by channel and `ref`: a round that is cut off, or runs twice,
leaves every message once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Prefetch
from django.utils import timezone

from core.accounts.scope import granted_roles, visible_site_ids
from core.models import Site, User
from core.work.alone import alone
from core.work.locks import only_here
from tickets.messages import escalation, queries
from tickets.messages.events import OF_CHANGE, WORDS, News
from tickets.messages.models import (
    Channel,
    EscalationLevel,
    EscalationPolicy,
    InboundMail,
    Message,
    MessageRule,
    QuietHours,
)
from tickets.messages.plan import Person, Planned, Route, plan
from tickets.models.tickets import Comment, Ticket, TicketChange
from tickets.workflow import Status

LOCK = 0x6D736773
BATCH = 500
MOST_OPEN = 5000
"""Tickets that wait for somebody, of which escalations are worked out at once."""
TAKE = """
    DELETE FROM tickets_newsrow WHERE id IN (
        SELECT id FROM tickets_newsrow ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
    RETURNING source, source_id
"""
MOST_IN_DIGEST = 200
Rows = dict[str, TicketChange | Comment]
OTHERS: list[Callable[[dict[str, News], Rows], object]] = []
"""Who else hears the news, by their `ref`, in the transaction that takes them."""


def run(now: datetime | None = None) -> int:
    """Everything that is due; one process at a time. Returns how many messages were made."""
    with only_here(LOCK, 0) as mine:
        if not mine:
            return 0
        made = 0
        with alone("news_not_planned"):
            while (count := plan_news(now)) is not None:
                made += count
        with alone("escalations_not_planned"):
            made += escalate(now)
        with alone("summaries_not_made"):
            made += sum_up(now)
        return made


# ---- news ----


@transaction.atomic
def plan_news(now: datetime | None = None, limit: int = BATCH) -> int | None:
    """Make messages of up to `limit` rows of news; None when there are none."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [limit])
        taken = cursor.fetchall()
    if not taken:
        return None
    rules = MessageRule.objects.filter(active=True, channel__active=True).select_related("channel")
    known = list(rules.select_related("channel__owner__quiet_hours"))
    changes = TicketChange.objects.filter(pk__in=[pk for source, pk in taken if source == "change"])
    comments = Comment.objects.filter(pk__in=[pk for source, pk in taken if source == "comment"])
    rows: list[TicketChange | Comment] = [
        *changes.select_related("ticket__device", "ticket__cable", "ticket__machine"),
        *comments.select_related("ticket__device", "ticket__cable", "ticket__machine", "author"),
    ]
    about = {ref_of(row): row for row in sorted(rows, key=lambda row: (row.at, row.pk))}
    news = [one for row in about.values() if (one := news_of(row)) is not None]
    for hear in OTHERS:
        hear({one.ref: one for one in news}, about)
    planned = plan(news, routes_of(known), now or timezone.now()) if known else []
    return make(message_of(each, about[each.news.ref]) for each in planned)


def ref_of(row: TicketChange | Comment) -> str:
    return f"{'comment' if isinstance(row, Comment) else 'change'}:{row.pk}"


def news_of(row: TicketChange | Comment) -> News | None:
    """None for a line that is no news."""
    ticket = row.ticket
    by: int | None
    if isinstance(row, Comment):
        event, by = "commented", row.author_id
    else:
        event, by = OF_CHANGE.get(row.event, ""), row.user_id
    if not event:
        return None
    return News(ref_of(row), event, row.at, ticket.site_id, ticket.queue, ticket.priority, by, ticket.assignee_id)


def routes_of(rules: Iterable[MessageRule]) -> list[Route]:
    """Rules as the planner reads them; those of persons whose account is closed are none."""
    zones = dict(Site.objects.values_list("pk", "timezone"))
    found = []
    for rule in rules:
        owner = rule.channel.owner
        if owner is not None and not owner.is_active:
            continue
        site = rule.channel.site_id if rule.channel.site_id is not None else rule.site_id
        found.append(
            Route(
                rule.channel_id, site, frozenset(rule.queues), frozenset(rule.events), frozenset(rule.priorities),
                rule.digest, zones.get(site or 0, "UTC"), rule.only_mine, person_of(owner) if owner else None,
            )
        )  # fmt: skip
    return found


def person_of(user: User) -> Person:
    ids = visible_site_ids(granted_roles(user))
    sites = None if ids is None else frozenset(ids)
    hours: QuietHours | None = getattr(user, "quiet_hours", None)
    if hours is None:
        return Person(user.pk, sites)
    quiet = (hours.starts_at, hours.ends_at) if hours.starts_at and hours.ends_at else None
    return Person(user.pk, sites, hours.timezone, quiet, hours.p1_breaks)


def message_of(planned: Planned, row: TicketChange | Comment) -> Message:
    ticket, news = row.ticket, planned.news
    who = row.author.display_name() if isinstance(row, Comment) else row.actor
    said = f"{who}: {row.text}" if isinstance(row, Comment) else f"{row.text} ({who})"
    return Message(
        channel_id=planned.channel,
        ticket=ticket,
        ref=news.ref,
        event=news.event,
        title=title_of(ticket, news.event),
        text=said[:4000],
        priority=ticket.priority,
        status=Message.Status.HELD if planned.held else Message.Status.WAITING,
        next_at=planned.at,
    )


def title_of(ticket: Ticket, event: str) -> str:
    return f"{ticket.key} {ticket.priority} {WORDS[event]}: {ticket.title}"[:300]


def make(messages: Iterable[Message]) -> int:
    """Write those that are not there yet; returns how many were given."""
    rows = list(messages)
    Message.objects.bulk_create(rows, ignore_conflicts=True, batch_size=1000)
    return len(rows)


# ---- escalation ----


@transaction.atomic
def escalate(now: datetime | None = None) -> int:
    """Call whoever is due for tickets that nobody took or acknowledged, and that are not snoozed."""
    now = now or timezone.now()
    levels = EscalationLevel.objects.select_related("channel", "rota").order_by("number")
    policies = list(EscalationPolicy.objects.filter(active=True).prefetch_related(Prefetch("levels", levels)))
    if not policies:
        return 0
    since = min(policy.active_since or now for policy in policies)
    waiting = Ticket.objects.filter(
        status=Status.OPEN.value, updated_at__gte=since, acknowledged_at=None, snoozed_until=None
    )  # fmt: skip
    tickets = list(waiting.select_related("device", "cable").order_by("opened_at")[:MOST_OPEN])
    waits = waiting_since(tickets)
    rotas = {level.rota.pk: level.rota for policy in policies for level in policy.levels.all() if level.rota}
    people, channels = queries.on_call_of(rotas.values(), now), queries.channels_of_people()
    called = calls_made(tickets)
    messages = []
    for policy in policies:
        resolved = [resolve(level, people, channels) for level in policy.levels.all()]
        for ticket in tickets:
            from_at = waits[ticket.pk]
            if not applies(policy, ticket, from_at[0]):
                continue
            done = called[policy.pk, from_at[1]]
            for call in escalation.due(resolved, from_at[0], now, done):
                messages += call_of(policy, ticket, from_at, call, now)
    return make(messages)


def applies(policy: EscalationPolicy, ticket: Ticket, since: datetime) -> bool:
    return (
        policy.site_id in (None, ticket.site_id)
        and (not policy.queues or ticket.queue in policy.queues)
        and (not policy.priorities or ticket.priority in policy.priorities)
        and policy.active_since is not None
        and since >= policy.active_since
    )


def waiting_since(tickets: Iterable[Ticket]) -> dict[int, tuple[datetime, int]]:
    """Ticket to since when it waits for somebody, and the line of its timeline that says so (0: its opening)."""
    found = {ticket.pk: (ticket.opened_at, -ticket.pk) for ticket in tickets}
    lines = TicketChange.objects.filter(ticket__in=found, event__in=("open", "release", "reopen"))
    for pk, ticket_id, at in lines.order_by("id").values_list("pk", "ticket_id", "at"):
        found[ticket_id] = (at, pk)
    return found


def resolve(
    level: EscalationLevel, people: dict[int, queries.OnCall], channels: dict[int, list[int]]
) -> escalation.Level:
    """A level with the channels of its target now."""
    if level.channel is not None:
        active = (level.channel.pk,) if level.channel.active else ()
        return escalation.Level(level.number, level.after_min, active, level.channel.name)
    place = 0 if level.target == EscalationLevel.Target.FIRST else 1
    found = people[level.rota_id].people if level.rota_id else ()
    if len(found) <= place:
        return escalation.Level(level.number, level.after_min, ())
    person = found[place]
    return escalation.Level(level.number, level.after_min, tuple(channels.get(person.id, ())), person.name)


def calls_made(tickets: Iterable[Ticket]) -> dict[tuple[int, int], set[int]]:
    """Policy and line since which a ticket waits, to the levels that were called."""
    found: dict[tuple[int, int], set[int]] = defaultdict(set)
    rows = Message.objects.filter(ticket__in=[ticket.pk for ticket in tickets], event="escalated")
    for ref in rows.values_list("ref", flat=True):
        _, policy, line, level = ref.split(":")
        found[int(policy), int(line)].add(int(level))
    return found


def call_of(
    policy: EscalationPolicy, ticket: Ticket, since: tuple[datetime, int], call: escalation.Call, now: datetime
) -> list[Message]:
    minutes = int((now - since[0]).total_seconds() // 60)
    text = f"Waiting for {minutes} minutes, level {call.level.number} of {policy.name}."
    if call.instead:
        text += f" Level {', '.join(map(str, call.instead))} reached nobody."
    return [
        Message(
            channel_id=channel,
            ticket=ticket,
            ref=f"escalation:{policy.pk}:{since[1]}:{call.level.number}",
            event="escalated",
            title=title_of(ticket, "escalated"),
            text=text,
            priority=ticket.priority,
        )
        for channel in call.level.channels
    ]


# ---- summaries ----


@transaction.atomic
def sum_up(now: datetime | None = None) -> int:
    """One message of all that was held for a channel until now; its parts are marked with it."""
    now = now or timezone.now()
    held = Message.objects.select_for_update(of=("self",), skip_locked=True).filter(
        ~queries.OF_A_CLOSED_ACCOUNT, status=Message.Status.HELD, next_at__lte=now
    )
    by_channel: dict[int, list[Message]] = defaultdict(list)
    for row in held.select_related("channel__owner__quiet_hours").order_by("id")[:BATCH]:
        by_channel[row.channel_id].append(row)
    for rows in by_channel.values():
        bundle = Message.objects.create(
            channel=rows[0].channel,
            ref=f"digest:{rows[-1].pk}",
            title=f"{len(rows)} news of tickets",
            text=digest_text(rows, zone_of(rows[0].channel)),
            priority=min((row.priority for row in rows if row.priority), default=""),
            next_at=now,
        )
        Message.objects.filter(pk__in=[row.pk for row in rows]).update(status=Message.Status.BUNDLED, bundle=bundle)
    return len(by_channel)


def zone_of(channel: Channel) -> str:
    hours = getattr(channel.owner, "quiet_hours", None) if channel.owner else None
    return hours.timezone if hours else "UTC"


def digest_text(rows: list[Message], zone: str) -> str:
    """A line each, oldest first, with the time there."""
    lines = [f"{row.created_at.astimezone(ZoneInfo(zone)):%d %b %H:%M} {row.title}" for row in rows[:MOST_IN_DIGEST]]
    more = len(rows) - MOST_IN_DIGEST
    return "\n".join([*lines, *([f"and {more} more: {settings.PUBLIC_URL}/tickets"] if more > 0 else [])])


def prune() -> int:
    """Delete messages that are over and mails that came in, once they are no longer kept; returns how many."""
    now = timezone.now()
    over = Message.objects.exclude(status__in=[Message.Status.WAITING, Message.Status.HELD])
    deleted, _ = over.filter(created_at__lt=now - settings.KEPT["messages"]).delete()
    mails, _ = InboundMail.objects.filter(at__lt=now - settings.KEPT["messages"]).delete()
    return deleted + mails
