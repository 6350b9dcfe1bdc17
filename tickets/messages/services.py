"""Writes of channels, rules, rotas and policies. Each is one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.db import models, transaction
from django.utils import timezone

from core.models import User, cipher
from core.work.queue import after_commit
from tickets.messages import formats
from tickets.messages.models import (
    Channel,
    EscalationLevel,
    EscalationPolicy,
    Message,
    MessageRule,
    QuietHours,
    Rota,
    Sealed,
)

Fields = dict[str, Any]
SEND = "tickets.messages.tasks.send"
MAIL, PUSH = "Mail", "ntfy"
"""Names of the two channels that a person has."""


def _set(row: models.Model, fields: Fields) -> None:
    for name, value in fields.items():
        setattr(row, name, value)


def _address(row: Channel | Rota, fields: Fields) -> None:
    """Seal a new URL and keep its host to be shown."""
    url = fields.pop("url", None)
    if url is not None:
        row.seal(url)
        row.host = urlsplit(url).hostname or ""


@transaction.atomic
def save_channel(channel: Channel | None, fields: Fields, *, by: str = "") -> tuple[Channel, str]:
    """A channel, and the key of a signed webhook where one was just made: it is shown this once."""
    row = channel or Channel(created_by=by)
    fields = dict(fields)
    _address(row, fields)
    _set(row, fields)
    key = row.make_signing_key() if row.kind == Channel.Kind.WEBHOOK and not row.signing_key else ""
    row.save()
    return row, key


@transaction.atomic
def test_channel(channel: Channel, *, by: str) -> Message:
    """A test message, sent as all others are."""
    row = Message.objects.create(
        channel=channel, ref=f"test:{uuid4()}", title="Test message from Rackside", text=f"Sent by {by}."
    )
    after_commit(SEND, channel.pk, robust=True)
    return row


@transaction.atomic
def retry(message: Message) -> Message:
    """Send a message that failed again, from the first attempt; any other stays as it is."""
    row = Message.objects.select_for_update().get(pk=message.pk)
    if row.status == Message.Status.FAILED:
        row.status, row.attempts, row.next_at, row.error = Message.Status.WAITING, 0, timezone.now(), ""
        row.save(update_fields=["status", "attempts", "next_at", "error"])
        after_commit(SEND, row.channel_id, robust=True)
    return row


@transaction.atomic
def save_rota(rota: Rota | None, fields: Fields) -> Rota:
    """A rota. A new address is read at once, and the copy of the old one is forgotten."""
    row = rota or Rota()
    fields = dict(fields)
    if "url" in fields:
        row.calendar, row.etag, row.read_at, row.tried_at = "", "", None, None
        row.status, row.message = Rota.Status.NEVER, ""
        row.lease_until = None  # who reads the old address now must not write what comes of it
    _address(row, fields)
    _set(row, fields)
    row.save()
    if row.tried_at is None:
        after_commit("tickets.messages.tasks.read_calendar", row.pk, robust=True)
    return row


@transaction.atomic
def save_policy(policy: EscalationPolicy | None, fields: Fields) -> EscalationPolicy:
    """A policy with its levels, which replace those before. Turned on, it leaves tickets alone that wait already."""
    row = policy or EscalationPolicy()
    fields = dict(fields)
    levels: Sequence[Fields] | None = fields.pop("levels", None)
    if fields.get("active") and not row.active:
        row.active_since = timezone.now()
    _set(row, fields)
    row.save()
    if levels is not None:
        row.levels.all().delete()
        EscalationLevel.objects.bulk_create(
            EscalationLevel(policy=row, number=number, **level) for number, level in enumerate(levels, start=1)
        )
    return row


@transaction.atomic
def save_personal(user: User, fields: Fields) -> None:
    """How one person is told: quiet hours, by mail, by a topic of one of the shared ntfy channels, and about what.

    `fields`: timezone, starts_at, ends_at, p1_breaks, mail, ntfy (a shared Channel or None), topic (empty: as it was),
    rules. Raises ValueError where a topic is missing.
    """
    User.objects.select_for_update().get(pk=user.pk)
    hours = {name: fields[name] for name in ("timezone", "starts_at", "ends_at", "p1_breaks")}
    QuietHours.objects.update_or_create(user=user, defaults=hours)
    mail, _ = Channel.objects.get_or_create(owner=user, name=MAIL, defaults={"kind": Channel.Kind.EMAIL})
    mail.active = fields["mail"]
    push, _ = Channel.objects.get_or_create(owner=user, name=PUSH, defaults={"kind": Channel.Kind.NTFY})
    server: Channel | None = fields["ntfy"]
    push.active = server is not None
    if server is not None:
        kept = formats.split_topic(push.unsealed())[1] if push.secret and push.host == server.host else ""
        if not (topic := fields["topic"] or kept):
            raise ValueError("Eight letters or more that nobody guesses.")
        parts = urlsplit(formats.split_topic(server.unsealed())[0])
        push.seal(parts._replace(path=parts.path + topic).geturl())
        push.host = server.host
    for channel in (mail, push):
        channel.save()
        channel.rules.all().delete()
        MessageRule.objects.bulk_create(MessageRule(channel=channel, **rule) for rule in fields["rules"])


@transaction.atomic
def rotate_secrets() -> int:
    """Re-encrypt every secret of this package with the first configured key; returns how many rows."""
    count = 0
    kinds: Iterable[tuple[type[Sealed], tuple[str, ...]]] = ((Channel, ("secret", "signing_key")), (Rota, ("secret",)))
    for model, names in kinds:
        for row in model._default_manager.select_for_update():
            for name in names:
                if sealed := getattr(row, name):
                    setattr(row, name, cipher().rotate(bytes(sealed)))
            row.save(update_fields=list(names))
            count += 1
    return count
