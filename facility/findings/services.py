"""Writes of findings and of the limits of a site."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction

from facility.findings.models import Finding, Policy
from facility.judgement.kinds import Finding as Found

ALWAYS_JUDGED = "value.unknown"
"""What is not known now is found without any meter."""


def policy_of(site_id: int) -> Policy:
    """That of the site, or the usual one."""
    return Policy.objects.filter(pk=site_id).first() or Policy(site_id=site_id)


@transaction.atomic
def set_policy(site_id: int, **told: Any) -> Policy:
    """Change what was told."""
    row, _ = Policy.objects.select_for_update().get_or_create(pk=site_id)
    for name, value in told.items():
        setattr(row, name, value)
    row.save()
    return row


class Followed(NamedTuple):
    """How many were opened and closed, and what stays open because nobody can tell whether it is still so."""

    opened: int
    closed: int
    kept: list[Found]


@transaction.atomic
def follow(
    site_id: int, found: Iterable[Found], now: datetime, *, of: Collection[str] = (), but: Collection[str] = (),
    not_judged: Collection[tuple[str, int]] = (), unclear: Callable[[Found], bool] = lambda _: False,
) -> Followed:  # fmt: skip
    """Open what is new, renew what is still so, close what is not seen any more.

    `of` are the only kinds that were looked for, `but` those that were not: theirs stay as they are. So does what is
    not seen of a subject that is `not_judged` (kind and id), and what is `unclear`: that nothing tells is a finding and
    mends nothing. Two findings of one kind, subject and part are one. Six statements, however many there are.
    """
    seen = {(each.kind, each.subject_kind, each.subject_id, each.part[:60]): each for each in found}
    rows = Finding.objects.select_for_update().filter(site_id=site_id, closed_at=None).exclude(kind__in=but)
    rows = rows.filter(kind__in=of) if of else rows
    before = {(row.kind, row.subject_kind, row.subject_id, row.part): row for row in rows}
    changed = []
    for key in before.keys() & seen.keys():
        row, each = before[key], seen[key]
        row.seen_at, row.text, row.values, row.severity = now, each.text[:500], dict(each.values), each.severity
        row.rack_id, row.room_id, row.subject_name = each.rack_id, each.room_id, each.subject_name[:120]
        changed.append(row)
    fields = ["seen_at", "text", "values", "severity", "rack", "room", "subject_name"]
    # As an insert that meets its own row: bulk_update writes a CASE for each field, which takes seconds for thousands.
    Finding.objects.bulk_create(
        changed, batch_size=500, update_conflicts=True, update_fields=fields, unique_fields=["id"]
    )
    missed = [row for key, row in before.items() if key not in seen]
    kept = [
        row
        for row in missed
        if row.kind != ALWAYS_JUDGED
        and ((row.subject_kind, row.subject_id) in not_judged or unclear(_as_found(row)))
    ]  # fmt: skip
    stays = {row.pk for row in kept}
    gone = [row.pk for row in missed if row.pk not in stays]
    if gone:
        Finding.objects.filter(pk__in=gone).update(closed_at=now)
    new = [
        Finding(
            site_id=site_id, room_id=each.room_id, rack_id=each.rack_id, kind=each.kind, severity=each.severity,
            subject_kind=each.subject_kind, subject_id=each.subject_id, subject_name=each.subject_name[:120],
            part=each.part[:60], text=each.text[:500], values=dict(each.values), since=now, seen_at=now,
        )
        for key, each in seen.items()
        if key not in before
    ]  # fmt: skip
    Finding.objects.bulk_create(new, batch_size=500)
    return Followed(len(new), len(gone), [_as_found(row) for row in kept])


def _as_found(row: Finding) -> Found:
    return Found(
        row.kind, row.subject_kind, row.subject_id, row.subject_name, row.text, row.values, row.rack_id, row.room_id,
        row.part,
    )  # fmt: skip


def prune(now: datetime) -> int:
    """Remove findings that have been over for long."""
    kept = settings.KEPT["power_findings"]
    return Finding.objects.filter(closed_at__lt=now - kept).delete()[0]
