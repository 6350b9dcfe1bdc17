"""Sends what is due of one channel, in a task of its own: a channel that fails or hangs holds up no other.

A message is leased before it leaves and marked when it has. A worker that is lost in between leaves it to the next one,
which sends it under the same id (`webhook-id`, `Message-ID`), by which webhooks and mail programs know a repeat.
"""

from __future__ import annotations

import asyncio
import smtplib
import time
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import structlog
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db.models import Q
from django.utils import timezone

from core.outgoing.gate import Gate
from core.outgoing.permits import open_gate
from core.webhooks import signatures
from core.webhooks.delivery import Outcome, new_session, post
from core.work.kinds import Lease, Work
from core.work.locks import only_here
from core.work.rules import Backoff
from tickets.messages import formats, queries
from tickets.messages.mail import tokens
from tickets.messages.models import Channel, Message

LOCK = 0x6D736368
TIMEOUT_S = 10.0
BUDGET_S = 20.0
log = structlog.get_logger(__name__)


def _give_up(row: Message, reason: str, **told: Any) -> bool:
    return WORK.finish(row, status=Message.Status.FAILED, error=reason[:300], **told)


def _channels_with_work() -> list[int]:
    due = WORK.due_rows().filter(~queries.OF_A_CLOSED_ACCOUNT, channel__active=True).order_by()
    return list(due.values_list("channel_id", flat=True).distinct())


WORK = Work(
    name="message",
    model=Message,
    open=Q(status=Message.Status.WAITING),
    hold=Lease(60, column="lease_until"),
    due="next_at",
    attempts="attempts",
    most=8,
    retry=Backoff(15, 3600, factor=3, jitter=0.2),
    reason="error",
    give_up=_give_up,
    task="tickets.messages.tasks.send",
    every_s=5,
    follow=_channels_with_work,
)


def send_due(channel_id: int) -> int:
    """Send what is due of a channel, oldest first, until something fails or time is up; returns how many arrived."""
    with only_here(LOCK, channel_id) as mine:
        channel = Channel.objects.select_related("owner").filter(pk=channel_id, active=True).first()
        if not mine or channel is None or (channel.owner and not channel.owner.is_active):
            return 0
        sent, until = 0, time.monotonic() + BUDGET_S
        rows = Message.objects.filter(channel=channel)
        while time.monotonic() < until:
            row = next(iter(WORK.claim(rows)), None)
            if row is None or not send(channel, row):
                break
            sent += 1
        return sent


def send(channel: Channel, row: Message) -> bool:
    """One attempt, and what came of it written down; whether it arrived."""
    outcome = _attempt(channel, row)
    if outcome.ok:
        return WORK.finish(
            row, status=Message.Status.SENT, sent_at=timezone.now(), error="", response_status=outcome.status
        )
    log.info("message_not_sent", channel=channel.pk, message=row.pk, error=outcome.error)
    WORK.fail(row, outcome.error, at_least_s=outcome.retry_after_s or 0.0, response_status=outcome.status)
    return False


def _attempt(channel: Channel, row: Message) -> Outcome:
    if channel.kind == Channel.Kind.EMAIL:
        return _mail(channel, row)
    try:
        url, signing = channel.unsealed(), channel.signing()
    except InvalidToken:
        return _failed("its address was encrypted with a key that is gone: store it again")
    return asyncio.run(post_message(channel.kind, url, content_of(row), f"msg_rackside_{row.pk}", signing))


def _failed(reason: str) -> Outcome:
    return Outcome(None, "", reason, 0)


def gate_of_hooks() -> Gate:
    return open_gate(local=settings.WEBHOOK_LOCAL_ADDRESSES)


async def post_message(
    kind: str, url: str, content: formats.Content, message: str, signing: str = "", gate: Gate | None = None
) -> Outcome:
    """Bring one message to a hook; never raises for what the receiver does."""
    request = formats.post_of(kind, url, content)
    headers = {"user-agent": "Rackside/1"}
    if kind == Channel.Kind.WEBHOOK and signing:
        headers |= signatures.headers([signing], message, int(time.time()), request.body)
    async with new_session(gate or gate_of_hooks()) as session:
        outcome = await post(session, request.url, request.body, headers, TIMEOUT_S)
    error = outcome.error or formats.problem_of_answer(kind, outcome.status or 0, outcome.excerpt)
    return replace(outcome, error=without_path(error, url))


def without_path(text: str, url: str) -> str:
    """An error that may be shown: the path of a hook or a calendar is its password."""
    parts = urlsplit(url)
    for secret in (url, f"{parts.path}?{parts.query}", parts.path, parts.query):
        if len(secret) > 1:
            text = text.replace(secret, "/…")
    return text


def content_of(row: Message) -> formats.Content:
    ticket = row.ticket
    url = f"{settings.PUBLIC_URL}/tickets" + (f"/{ticket.key}" if ticket else "")
    site = ticket.site.slug if ticket else ""
    return formats.Content(row.title, row.text, url, row.priority, row.event, ticket.key if ticket else "", site)


# ---- mail ----


@dataclass(frozen=True)
class Letter:
    """A mail as it leaves."""

    to: tuple[str, ...]
    subject: str
    text: str
    headers: dict[str, str]
    reply_to: str = ""


def letter_of(channel: Channel, row: Message) -> Letter | None:
    """None when nobody has an address. Mails of one ticket are one thread, and an answer finds its way back."""
    owner = channel.owner
    to = tuple(channel.recipients) or ((owner.email,) if owner is not None and owner.email else ())
    if not to:
        return None
    domain = tokens.mail_domain()
    headers = {"Message-ID": f"<rackside.{row.pk}@{domain}>", "Auto-Submitted": "auto-generated"}
    reply_to = ""
    if row.ticket is not None:
        token = tokens.token_of(row.ticket.number)
        headers["Message-ID"] = f"<rackside.{token}.{row.pk}@{domain}>"
        headers["References"] = headers["In-Reply-To"] = f"<rackside.{token}@{domain}>"
        reply_to = tokens.reply_address(row.ticket.number)
    content = content_of(row)
    text = f"{content.text}\n\n{content.url}\n" if content.text else f"{content.url}\n"
    if reply_to:
        text = f"{tokens.REPLY_ABOVE}\n\n{text}"
    return Letter(to, " ".join(content.title.split()), text, headers, reply_to)


def _mail(channel: Channel, row: Message) -> Outcome:
    letter = letter_of(channel, row)
    if letter is None:
        return _failed("the account of its owner has no mail address")
    began = time.monotonic()
    mail = EmailMessage(
        letter.subject, letter.text, to=letter.to, headers=letter.headers,
        reply_to=[letter.reply_to] if letter.reply_to else None,
        connection=get_connection(timeout=TIMEOUT_S),
    )  # fmt: skip
    error = ""
    try:
        if not mail.send():
            error = "the instance is paused: no mail leaves"
    except (smtplib.SMTPException, OSError) as failure:
        error = (str(failure) or type(failure).__name__)[:300]
    return Outcome(None, "", error, round((time.monotonic() - began) * 1000))
