"""Writes of schedulers: configure, remove."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from core.errors import Conflict
from core.work.queue import after_commit
from health.schedulers.models import SchedulerSource, SchedulerWish

WHAT_IS_READ = (
    "url", "api_version", "credential", "ca", "user_label", "partition", "roles", "names", "kind", "machine",
    "ssh_address",
)  # fmt: skip


@transaction.atomic
def save(source: SchedulerSource | None, fields: dict[str, Any]) -> SchedulerSource:
    """Create the scheduler of a site (None) or change it. Raises Conflict when the site has one.

    With another address what was pinned of the old one is forgotten; when what is read changes, all is read anew.
    """
    row = SchedulerSource() if source is None else SchedulerSource.objects.select_for_update().get(pk=source.pk)
    for address, pin in (("url", "certificate"), ("ssh_address", "ssh_identity")):
        if source is not None and fields.get(address, getattr(row, address)) != getattr(row, address):
            fields = {pin: "", **fields}
    if any(name in fields and fields[name] != getattr(row, name) for name in WHAT_IS_READ if source is not None):
        row.since, row.tried_at = None, None
    for name, value in fields.items():
        setattr(row, name, value)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise Conflict("This site has a scheduler already.", "duplicate") from error
    if row.kind == SchedulerSource.Kind.NONE:
        _let_go(row)
    return row


@transaction.atomic
def delete(source: SchedulerSource) -> None:
    """Remove a scheduler with what it said. Machines that drain are drained where a person declared that nothing else
    schedules them; the others wait for that word."""
    row = SchedulerSource.objects.select_for_update().get(pk=source.pk)
    _let_go(row)
    row.delete()


def _let_go(source: SchedulerSource) -> None:
    """Have the wishes of the site looked at once more: in pools declared to have no scheduler they are fulfilled."""
    wishes = SchedulerWish.objects.filter(machine__device__site_id=source.site_id)
    for machine_id in list(wishes.values_list("pk", flat=True)):
        after_commit("health.schedulers.tasks.send_to_scheduler", machine_id)
