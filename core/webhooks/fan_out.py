"""From the outbox to deliveries: one for each active hook that wants the news and may hear it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db import connection, transaction

from core.audit import tables
from core.models import Site
from core.webhooks.catalogue import is_told, matches
from core.webhooks.models import Delivery, Webhook
from live.models import Event

BATCH = 500
MOST_BODY_BYTES = 256 * 1024
TAKE = """
    DELETE FROM core_webhook_outbox WHERE id IN (
        SELECT id FROM core_webhook_outbox ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
    RETURNING source, source_id
"""
CHANGES = """
    SELECT e.id, e.site_id, e.table_name, e.action, e.size, e.rows, c.id, c.at, c.actor
    FROM core_auditentry e JOIN core_auditchange c ON c.id = e.change_id WHERE e.id = ANY(%s) ORDER BY e.id
"""


@dataclass(frozen=True)
class News:
    """Something that happened at a site."""

    name: str
    site_id: int
    at: datetime
    data: dict[str, Any]


def body_of(news: News, site: str) -> str:
    """The message as Standard Webhooks has it: type, timestamp, data. One too large says so instead of its rows."""
    message = {"type": news.name, "timestamp": news.at, "data": {"site": site, **news.data}}
    packed = orjson.dumps(message, default=str)
    if len(packed) > MOST_BODY_BYTES:
        small = {name: value for name, value in news.data.items() if name not in ("details", "records")}
        ids = {"ids": [row["id"] for row in news.data["records"]]} if "records" in news.data else {}
        message["data"] = {"site": site, **small, **ids, "truncated": True}
        packed = orjson.dumps(message, default=str)
    return packed.decode()


def news_of_events(ids: list[int]) -> Iterator[News]:
    for event in Event.objects.filter(pk__in=ids, site_id__isnull=False).order_by("pk"):
        assert event.site_id is not None
        data = {"id": event.pk, "subject": event.subject, "actor": event.actor, "details": event.data}
        yield News(event.kind, event.site_id, event.at, data)


def news_of_changes(ids: list[int]) -> Iterator[News]:
    """One message for the rows of one table that one statement changed at one site; fields as the history has them."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGES, [ids])
        found = cursor.fetchall()
    known = tables.by_name()
    for pk, site_id, table_name, action, size, rows, change, at, actor in found:
        table = known.get(table_name)
        if table is None or not is_told(table):
            continue
        records = orjson.loads(rows) if isinstance(rows, str) else rows
        data = {"id": pk, "change": change, "actor": actor, "count": size, "records": records}
        yield News(f"{table.kind}.{action}", site_id, at, data)


@transaction.atomic
def fan_out(limit: int = BATCH) -> int:
    """Turn up to `limit` rows of the outbox into deliveries; returns how many rows there were."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [limit])
        taken = cursor.fetchall()
    if not taken:
        return 0
    hooks = list(Webhook.objects.filter(active=True))
    sites = dict(Site.objects.values_list("pk", "slug"))
    news = [
        *news_of_events([pk for source, pk in taken if source == "event"]),
        *news_of_changes([pk for source, pk in taken if source == "change"]),
    ]
    deliveries = []
    for item in sorted(news, key=lambda item: item.at):
        wanting = [hook for hook in hooks if hears(hook, item)]
        body = body_of(item, sites.get(item.site_id, "")) if wanting else ""
        deliveries += [Delivery(webhook=hook, event=item.name, body=body) for hook in wanting]
    Delivery.objects.bulk_create(deliveries, batch_size=1000)
    return len(taken)


def hears(hook: Webhook, news: News) -> bool:
    at_home = hook.site_id is None or hook.site_id == news.site_id
    return at_home and any(matches(pattern, news.name) for pattern in hook.events)
