"""Writes of webhooks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.models import cipher
from core.webhooks.catalogue import PING
from core.webhooks.models import Delivery, Webhook

SECRET_OVERLAP = timedelta(hours=24)


@transaction.atomic
def create(fields: dict[str, Any], *, by: str) -> tuple[Webhook, str]:
    """A new hook and its secret, which is shown once."""
    hook = Webhook(**fields, created_by=by)
    plain = hook.make_secret()
    hook.save()
    return hook, plain


@transaction.atomic
def update(hook: Webhook, fields: dict[str, Any]) -> Webhook:
    for name, value in fields.items():
        setattr(hook, name, value)
    if fields.get("active"):
        hook.inactive_reason = ""
    hook.save(update_fields=[*fields, "inactive_reason"])
    return hook


@transaction.atomic
def new_secret(hook: Webhook) -> str:
    """Another secret; messages carry signatures of both for a day, so that a receiver can change over."""
    hook = Webhook.objects.select_for_update().get(pk=hook.pk)
    hook.previous_secret, hook.previous_until = hook.secret, timezone.now() + SECRET_OVERLAP
    plain = hook.make_secret()
    hook.save(update_fields=["secret", "previous_secret", "previous_until"])
    return plain


@transaction.atomic
def rotate_secrets() -> int:
    """Re-encrypt every secret with the first configured key; returns how many hooks."""
    hooks = list(Webhook.objects.select_for_update())
    for hook in hooks:
        hook.secret = cipher().rotate(bytes(hook.secret))
        if hook.previous_secret is not None:
            hook.previous_secret = cipher().rotate(bytes(hook.previous_secret))
    Webhook.objects.bulk_update(hooks, ["secret", "previous_secret"])
    return len(hooks)


def ping(hook: Webhook, *, by: str) -> Delivery:
    """A test message, sent as all others are."""
    data = {"site": hook.site.slug if hook.site else None, "webhook": hook.name, "actor": by}
    body = orjson.dumps({"type": PING, "timestamp": timezone.now(), "data": data}).decode()
    return Delivery.objects.create(webhook=hook, event=PING, body=body)


def replay(deliveries: QuerySet[Delivery]) -> int:
    """Send these again, from the first attempt, under their old ids, pending ones at once; returns how many."""
    return deliveries.update(status=Delivery.Status.PENDING, attempts=0, next_at=timezone.now(), error="")


def chosen(hook: Webhook, *, status: str, since: datetime | None, until: datetime | None) -> QuerySet[Delivery]:
    """Deliveries of a hook by status ("" for all) and time of the news; `until` is not included."""
    rows = Delivery.objects.filter(webhook=hook)
    if status:
        rows = rows.filter(status=status)
    if since:
        rows = rows.filter(created_at__gte=since)
    return rows.filter(created_at__lt=until) if until else rows


def prune() -> int:
    """Delete deliveries that arrived a week ago or died a month ago; returns how many."""
    now = timezone.now()
    rows, kept = Delivery.objects, settings.KEPT
    delivered = rows.filter(status=Delivery.Status.DELIVERED, created_at__lt=now - kept["webhooks_delivered"])
    dead = rows.filter(status=Delivery.Status.DEAD, created_at__lt=now - kept["webhooks_failed"])
    return delivered.delete()[0] + dead.delete()[0]
