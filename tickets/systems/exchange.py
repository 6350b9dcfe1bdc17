"""Tells the other system what waits, in the order of each ticket, and takes in what was written there.

Before a record is made, it is looked for by our mark: an answer that was lost makes no second one. What the system
refuses is failed with its words and stays; once the map is right, `retry` sends all of it again in its order. What does
not answer is tried again for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from core.outgoing.binding import Refused
from core.outgoing.permits import permit
from core.work.kinds import Lease, Work
from core.work.locks import only_here
from core.work.rules import Backoff
from drivers.https import ApplianceError, trust_of
from drivers.ticket_systems.jira import JiraClient
from drivers.ticket_systems.records import Remark, System, Wrong
from drivers.ticket_systems.servicenow import ServiceNowClient
from tickets.desk.people import may_work_on
from tickets.models.tickets import Comment
from tickets.services.work import comment
from tickets.systems import maps, states
from tickets.systems.models import ExternalItem, ExternalLink, ExternalRemark, TicketSystem

LOCK = 0x6465736B
OPEN = Q(status=ExternalItem.Status.WAITING)
_BEFORE = ExternalItem.objects.filter(link=OuterRef("link"), pk__lt=OuterRef("pk")).filter(
    Q(status="waiting") | Q(kind="create") & ~Q(status="done")
)
"""An item waits for those before it. One that was refused holds up nothing, but the record must be there."""
MOST_AT_ONCE = 50
MOST_POLLED = 200


def _systems_with_work() -> list[int]:
    rows = WORK.due_rows().filter(link__system__active=True).order_by()
    return list(rows.values_list("link__system_id", flat=True).distinct())


WORK = Work(
    name="item for an ticket system",
    model=ExternalItem,
    open=OPEN,
    hold=Lease(120, column="lease_until"),
    due="next_at",
    attempts="attempts",
    retry=Backoff(15, 1800, factor=3, jitter=0.2),
    reason="error",
    task="tickets.systems.tasks.tell",
    every_s=5,
    follow=_systems_with_work,
)


def client_of(system: TicketSystem) -> System:
    """Raises InvalidToken, Refused or ValueError where it cannot be reached as it is stored."""
    gate = permit(None, None, system.url, site=system.site_id, local=settings.WEBHOOK_LOCAL_ADDRESSES)
    make: Any = JiraClient if system.kind == TicketSystem.Kind.JIRA else ServiceNowClient
    client: System = make(system.url, system.username, system.unsealed(), trust=trust_of(system.authorities), gate=gate)
    return client


async def _with(client: System, ask: Any) -> Any:
    async with client:
        return await ask(client)


def asked(system: TicketSystem, ask: Any) -> Any:
    """One conversation. Raises Wrong for a refusal, Away for everything that may be otherwise later."""
    try:
        work: Coroutine[Any, Any, Any] = _with(client_of(system), ask)
        return asyncio.run(work)
    except InvalidToken as error:
        raise Away("its password was encrypted with a key that is gone: store it again") from error
    except (ApplianceError, Refused, ValueError, OSError) as error:
        raise Away(str(error)) from error


class Away(Exception):
    """It cannot be told now; the text says why."""


# ---- out ----


def tell(system_id: int) -> int:
    """Tell a system what waits, until it does not answer; returns how many items arrived."""
    with only_here(LOCK, system_id) as mine:
        system = TicketSystem.objects.filter(pk=system_id, active=True).first()
        if not mine or system is None:
            return 0
        done = 0
        for _ in range(MOST_AT_ONCE):
            rows = ExternalItem.objects.filter(~Exists(_BEFORE), link__system=system)
            row = next(iter(WORK.claim(rows)), None)
            if row is None:
                break
            try:
                _send(system, row)
            except Wrong as error:
                WORK.finish(row, status=ExternalItem.Status.FAILED, error=str(error)[:500])
            except Away as error:
                WORK.fail(row, str(error)[:500])
                break
            else:
                done += WORK.finish(row, status=ExternalItem.Status.DONE, error="")
        return done


def _send(system: TicketSystem, row: ExternalItem) -> None:
    link = ExternalLink.objects.select_related("ticket").get(pk=row.link_id)
    try:
        known = maps.read(system.kind, system.field_map)
    except ValueError as error:
        raise Wrong(f"The map is wrong: {error}") from error
    if row.kind == ExternalItem.Kind.CREATE:
        _create(system, link, known)
    elif row.kind == ExternalItem.Kind.COMMENT:
        _comment(system, link, row)
    elif status := known.status.get(row.value):
        asked(system, lambda client: client.move(link.record, status, known.on_move(row.value)))
        ExternalLink.objects.filter(pk=link.pk).update(status=status)


def _create(system: TicketSystem, link: ExternalLink, known: maps.AnyMap) -> None:
    ticket = link.ticket
    url = f"{settings.PUBLIC_URL}/tickets/{ticket.key}"
    told = maps.Told(
        key=ticket.key, title=ticket.title, text=f"{ticket.summary}\n\n{url}".strip(), priority=ticket.priority
    )

    async def ask(client: System) -> Any:
        return await client.find(ticket.key) or await client.create(ticket.key, known.fields(told))

    record = asked(system, ask)
    ExternalLink.objects.filter(pk=link.pk).update(record=record.id, key=record.key, status=record.status)


def _comment(system: TicketSystem, link: ExternalLink, row: ExternalItem) -> None:
    """Write a comment unless it is there: its first line carries a mark that a repeat is known by."""
    mark = f"[{link.ticket.key} #{row.pk}]"

    async def ask(client: System) -> str:
        if row.attempts > 1:
            written = [each.id for each in await client.remarks(link.record) if mark in each.text]
            if written:
                return str(written[0])
        return await client.comment(link.record, f"{row.value}\n{mark}")

    if remark := asked(system, ask):
        ExternalRemark.objects.get_or_create(link=link, remark=remark)


# ---- in ----


def poll(system_id: int) -> int:
    """Read what was written there on records of open tickets; returns how many comments came in."""
    system = TicketSystem.objects.select_related("acts_as").filter(pk=system_id, active=True).first()
    if system is None:
        return 0
    TicketSystem.objects.filter(pk=system.pk).update(polled_at=timezone.now())
    links = ExternalLink.objects.filter(system=system).exclude(record="").exclude(ticket__status="closed")
    came = 0
    for link in links.select_related("ticket").order_by("?")[:MOST_POLLED]:  # of more than that, others in each round
        try:
            came += take_in(system, link)
        except Away:  # also a password that is refused: to ask for the others as well would lock the account
            break
    return came


def take_in(system: TicketSystem, link: ExternalLink) -> int:
    """Comments that are new there become comments here, and a state that somebody set there is followed. Ours are known
    by the account, the mark or their id.

    Raises Away.
    """

    async def ask(client: System) -> tuple[Sequence[Remark], str]:
        return await client.remarks(link.record), await client.state(link.record)

    try:
        remarks, state = asked(system, ask)
    except Wrong:
        return 0  # the next round reads it again; what was told wrongly stands with the items
    known = set(link.remarks.values_list("remark", flat=True))
    came = 0
    for remark in remarks:
        if remark.id in known or remark.author == system.account or f"[{link.ticket.key} #" in remark.text:
            continue
        came += _write(system, link, remark.id, f"{link.key}, {remark.author}: {remark.text}"[:10_000])
    states.follow(system, link, state)
    return came


@transaction.atomic
def _write(system: TicketSystem, link: ExternalLink, remark: str, text: str) -> int:
    """The comment and that it is known, together: two polls at once make one."""
    if not may_work_on(system.acts_as, link.ticket):  # asked again with the next round: its queue may be another one
        return 0
    row, fresh = ExternalRemark.objects.get_or_create(link=link, remark=remark)
    if not fresh:
        return 0
    comment(link.ticket.number, by=system.acts_as, text=text)
    row.comment = Comment.objects.filter(ticket=link.ticket, author=system.acts_as, text=text).order_by("-pk").first()
    row.save(update_fields=["comment"])
    return 1


# ---- the map ----


def check(system: TicketSystem) -> TicketSystem:
    """Ask the system whether it has what the map names, and who we are there. What it does not have is written down."""

    async def ask(client: System) -> tuple[str, list[str]]:
        return await client.myself(), await client.problems(known.to_check(), known.states())

    try:
        known = maps.read(system.kind, system.field_map)
        system.account, system.problems = asked(system, ask)
    except (Away, Wrong, ValueError) as error:
        system.problems = [str(error)[:500]]
    system.checked_at = timezone.now()
    system.save(update_fields=["account", "problems", "checked_at"])
    return system
