"""A source of a site is kept; of another address nothing is known yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core.work.queue import after_commit
from provisioning.mirrors.models import Mirror
from provisioning.mirrors.watch import WORK


@transaction.atomic
def save_mirror(mirror: Mirror, fields: Mapping[str, Any]) -> Mirror:
    """Write the given fields, and have it asked at once."""
    if mirror.pk is not None:
        mirror = Mirror.objects.select_for_update().get(pk=mirror.pk)
    moved = any(name in fields and fields[name] != getattr(mirror, name) for name in ("url", "kind"))
    for name, value in fields.items():
        setattr(mirror, name, value)
    if moved:
        mirror.state, mirror.message, mirror.version = Mirror.State.UNKNOWN, "", ""
        mirror.failures, mirror.latencies, mirror.certificate_until = 0, [], None
    mirror.asked_at = None  # at once
    mirror.save()
    if mirror.enabled:
        after_commit(WORK.task, mirror.pk, robust=True)
    return mirror
