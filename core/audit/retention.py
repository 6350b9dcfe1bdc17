"""Removing what is old from the log, for sites that must not keep it for ever."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from core.audit import actor
from core.models import AuditChange, AuditEntry

BATCH = 2000
"""Changes removed in one transaction: few enough that a task cut off by its time limit has made progress."""


def prune(days: int) -> int:
    """Remove changes older than so many days, with their entries; returns how many. ValueError below one day."""
    if days < 1:
        raise ValueError("The audit log keeps at least a day.")
    who = actor.current()
    assert who is not None, "nobody is named"
    old = AuditChange.objects.filter(at__lt=timezone.now() - timedelta(days=days)).order_by("id")
    removed = 0
    with actor.acting(replace(who, prune=True)):
        while ids := list(old.values_list("pk", flat=True)[:BATCH]):
            with transaction.atomic():
                AuditEntry.objects.filter(change_id__in=ids)._raw_delete("default")
                removed += AuditChange.objects.filter(pk__in=ids)._raw_delete("default")
    return removed
