"""Writes of external desks. Each is one transaction but the calls to the other system, which come after."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from core.models import cipher
from core.work.queue import after_commit
from tickets.desks.models import ExternalDesk, ExternalItem

TELL, POLL, CHECK = "tickets.desks.tasks.tell", "tickets.desks.tasks.poll", "tickets.desks.tasks.check"


@transaction.atomic
def save(desk: ExternalDesk | None, fields: dict[str, Any]) -> ExternalDesk:
    """A desk. Its map is asked about at once, and what was refused is told again: the map may be right now."""
    row = desk or ExternalDesk()
    fields = dict(fields)
    password = fields.pop("password", None)
    if password is not None:
        row.seal(password)
    for name, value in fields.items():
        setattr(row, name, value)
    if set(fields) & {"url", "username", "field_map", "authorities"} or password is not None:
        row.checked_at, row.problems = None, []
    row.save()
    retry(row)
    after_commit(CHECK, row.pk, robust=True)
    return row


@transaction.atomic
def retry(desk: ExternalDesk) -> int:
    """Tell again what was refused, in its order; returns how many items."""
    rows = ExternalItem.objects.filter(link__desk=desk, status=ExternalItem.Status.FAILED)
    count = rows.update(status=ExternalItem.Status.WAITING, attempts=0, next_at=timezone.now())
    after_commit(TELL, desk.pk, robust=True)
    return count


@transaction.atomic
def rotate_secrets() -> int:
    """Re-encrypt every secret with the first configured key; returns how many rows."""
    count = 0
    for row in ExternalDesk.objects.select_for_update():
        if row.secret:
            row.secret = cipher().rotate(bytes(row.secret))
            row.save(update_fields=["secret"])
            count += 1
    return count
