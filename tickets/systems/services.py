"""Writes of ticket systems. Each is one transaction but the calls to the other system, which come after."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from core.models import cipher
from core.work.queue import after_commit
from tickets.systems.models import ExternalItem, TicketSystem

TELL, POLL, CHECK = "tickets.systems.tasks.tell", "tickets.systems.tasks.poll", "tickets.systems.tasks.check"


@transaction.atomic
def save(system: TicketSystem | None, fields: dict[str, Any]) -> TicketSystem:
    """A system. Its map is asked about at once, and what was refused is told again: the map may be right now."""
    row = system or TicketSystem()
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
def retry(system: TicketSystem) -> int:
    """Tell again what was refused, in its order; returns how many items."""
    rows = ExternalItem.objects.filter(link__system=system, status=ExternalItem.Status.FAILED)
    count = rows.update(status=ExternalItem.Status.WAITING, attempts=0, next_at=timezone.now())
    after_commit(TELL, system.pk, robust=True)
    return count


@transaction.atomic
def rotate_secrets() -> int:
    """Re-encrypt every secret with the first configured key; returns how many rows."""
    count = 0
    for row in TicketSystem.objects.select_for_update():
        if row.secret:
            row.secret = cipher().rotate(bytes(row.secret))
            row.save(update_fields=["secret"])
            count += 1
    return count
