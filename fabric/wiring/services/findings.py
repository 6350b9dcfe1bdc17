"""The lives of findings: new, open at the second sighting, closed by the look that shows it right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.errors import Conflict
from fabric.discovery.models.sources import Discovery, FabricSource
from fabric.planned import Planned
from fabric.reconcile.diagnose import Diagnosis
from fabric.reconcile.diagnose import Finding as Diagnosed
from fabric.wiring.models.findings import Finding
from fabric.wiring.services.excuses import DARK_KINDS, excuse_of, kinds_of
from fabric.wiring.services.words import detail
from health.remediation.queries.darkness import expected_dark
from live.events import emit

COLUMNS = (
    "kind", "state", "severity", "title", "text", "devices", "device_ids", "rack_ids", "cables", "moves", "detail",
    "opened_at", "closed_at",
)  # fmt: skip
WHAT_MATTERS = ("kind", "severity", "title", "text", "devices", "cables", "moves", "detail")
State = Finding.State


def follow(
    source: FabricSource, discovery: Discovery, diagnosis: Diagnosis, planned: Planned, at: datetime
) -> dict[str, int]:
    """Bring the findings of a source up to a look that is believed; returns how many were new, opened and closed.

    A fixed number of statements, and one event for each finding that opened, changed or closed. What is dark because of
    what is being done to its machine does not open, and closes when it was open.
    """
    alive = {row.key: row for row in Finding.objects.select_for_update().filter(source=source).exclude(state="closed")}
    new, kept, changed, told = [], [], [], []
    expected = _expected(diagnosis, planned, alive.values())
    for found in diagnosis.findings:
        row = alive.pop(found.key, None)
        if row is None:
            row = Finding(
                source=source, site_id=source.site_id, key=found.key, first_seen_at=at, first_discovery=discovery
            )
            new.append(row)
            _describe(row, found, diagnosis, planned)
            row.last_seen_at, row.last_discovery = at, discovery
            continue
        kept.append(row.pk)
        before = _what_matters(row)
        _describe(row, found, diagnosis, planned)
        if why := expected(row):
            row.detail = {**row.detail, "expected": why}
            changed.append(row)
            if row.state == State.OPEN:
                row.state, row.closed_at = State.CLOSED, at
                told.append(("finding.closed", row))
            continue
        opened = _opens(row, source, at)
        if opened or before != _what_matters(row):
            changed.append(row)
            told += [("finding.opened" if opened else "finding.changed", row)] if row.state != State.NEW else []
    for row in alive.values():
        told += [("finding.closed", row)] if row.opened_at is not None else []
        row.state, row.closed_at = State.CLOSED, at
    Finding.objects.bulk_create(new)
    if changed or alive:
        Finding.objects.bulk_update([*changed, *alive.values()], COLUMNS, batch_size=2000)
    Finding.objects.filter(pk__in=kept).update(last_seen_at=at, last_discovery=discovery)
    for kind, row in told:
        announce(kind, row)
    opened_count = sum(kind == "finding.opened" for kind, _ in told)
    closed_count = len(alive) + sum(row.state == State.CLOSED for row in changed)
    return {"findings_new": len(new), "findings_opened": opened_count, "findings_closed": closed_count}


def _expected(
    diagnosis: Diagnosis, planned: Planned, alive: Iterable[Finding]
) -> Callable[[Finding], dict[str, str] | None]:
    """Says of a finding why its machines are dark and until when that is expected; None when it is not."""
    names = {name for found in diagnosis.findings if found.kind in DARK_KINDS for name in found.devices}
    ids = {planned.devices[name].id for name in names if name in planned.devices}
    ids |= {pk for row in alive if row.kind in DARK_KINDS for pk in row.device_ids}
    machines = expected_dark(ids, timezone.now()) if ids else {}
    kinds = kinds_of(ids) if machines else {}

    def expected(row: Finding) -> dict[str, str] | None:
        why = excuse_of(row, machines, kinds)
        return {"reason": why.reason, "until": why.until.isoformat()} if why is not None else None

    return expected


def _opens(row: Finding, source: FabricSource, at: datetime) -> bool:
    """A new finding opens when it was first seen long enough ago."""
    if row.state != State.NEW or at - row.first_seen_at < timedelta(seconds=source.confirm_after_s):
        return False
    row.state, row.opened_at = State.OPEN, at
    return True


def _describe(row: Finding, found: Diagnosed, diagnosis: Diagnosis, planned: Planned) -> None:
    row.kind, row.severity = found.kind, found.severity
    row.title, row.text = _clean(found.title)[:300], _clean(found.text)
    row.devices, row.cables = list(found.devices), list(found.cables)
    facts = [planned.devices[name] for name in found.devices if name in planned.devices]
    row.device_ids = sorted({each.id for each in facts})
    row.rack_ids = sorted({each.rack_id for each in facts if each.rack_id is not None})
    row.detail = detail(found, diagnosis, planned)
    row.moves = sum(move["put_into"] is not None for move in row.detail["moves"])


def _what_matters(row: Finding) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in WHAT_MATTERS)


def announce(kind: str, row: Finding) -> None:
    """`finding.opened`, `.changed` or `.closed`; the row is locked or new."""
    data = {
        "finding": row.pk,
        "kind": row.kind,
        "site": row.site_id,
        "source": row.source_id,
        "key": row.key,
        "state": row.state,
        "severity": row.severity,
        "title": row.title,
        "devices": row.devices[:20],
        "device_ids": row.device_ids[:20],
    }
    emit(kind, site_id=row.site_id, subject=f"finding:{row.pk}", data=data)


def _locked(finding_id: int) -> Finding:
    return Finding.objects.select_for_update().get(pk=finding_id)


@transaction.atomic
def accept(finding_id: int, *, reason: str, by: str) -> Finding:
    """Say that a finding may stay so. Raises Conflict when it is closed, Finding.DoesNotExist."""
    row = _locked(finding_id)
    if row.state == State.CLOSED:
        raise Conflict("This finding is closed.", "invalid_transition")
    row.state, row.accepted_at, row.accepted_by, row.accept_reason = State.ACCEPTED, timezone.now(), by, reason
    row.save(update_fields=["state", "accepted_at", "accepted_by", "accept_reason"])
    announce("finding.changed", row)
    return row


@transaction.atomic
def reopen(finding_id: int, *, by: str) -> Finding:
    """Take an acceptance back: it is open again. Raises Conflict when it is not accepted, Finding.DoesNotExist."""
    row = _locked(finding_id)
    if row.state != State.ACCEPTED:
        raise Conflict("This finding is not accepted.", "invalid_transition")
    first = row.opened_at is None
    row.state, row.opened_at = State.OPEN, row.opened_at or timezone.now()
    row.accepted_at, row.accepted_by, row.accept_reason = None, "", ""
    row.save(update_fields=["state", "opened_at", "accepted_at", "accepted_by", "accept_reason"])
    announce("finding.opened" if first else "finding.changed", row)
    return row


def _clean(text: str) -> str:
    return text.replace("\0", "�")


def still_evidence() -> QuerySet[Discovery]:
    """Discoveries that first or last showed a finding that is not closed."""
    alive = Finding.objects.exclude(state=Finding.State.CLOSED)
    return Discovery.objects.filter(
        Q(pk__in=alive.values("first_discovery")) | Q(pk__in=alive.values("last_discovery"))
    )
