"""Silences and audit mode of checks that other systems report.

A reported verdict is shown by the decisions of the moment it is stored; when a decision begins, changes, ends or
expires, the machines it concerns are settled again, which shows their verdicts anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from core.work.queue import after_commit
from health.external.models import ReportedMachine
from health.machines.models.machines import MachineHealth
from health.monitoring.merge import Row
from health.monitoring.models.policy import ObserveOnly, Silence
from health.monitoring.models.verdicts import CurrentVerdict
from health.monitoring.policy import MachinePolicy, as_shown
from health.monitoring.queries.policy import policies_for
from health.monitoring.services.sweeps.observation_store import UPSERT_ROWS, columns, row_values

ENDED_LATELY = timedelta(hours=1)
"""After this at the latest every machine was settled since a silence ended."""
INSERT_TRANSITIONS = """
INSERT INTO health_transition (machine_id, at, check_id, part, from_verdict, to_verdict, message)
SELECT * FROM unnest(%s::bigint[], %s::timestamptz[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
ON CONFLICT DO NOTHING
"""


def policies_where_silenced(source: str, machine_ids: Sequence[int]) -> Mapping[int, MachinePolicy] | None:
    """Policies of these machines; None where nobody silenced a check of this source, nor did lately. One query then."""
    if not machine_ids:
        return None
    not_long_over = Q(ended_at=None) | Q(ended_at__gt=timezone.now() - ENDED_LATELY)
    if not Silence.objects.filter(not_long_over, check_id__startswith=f"{source}/").exists():
        return None
    return policies_for(machine_ids)


def show_again(health: MachineHealth, rows: Iterable[Row], policy: MachinePolicy, now: datetime) -> list[Row]:
    """The reported verdicts of a locked machine as they are shown now; what differs is written, with its counts."""
    shown, turned, history = [], [], []
    by = Counter[str]()
    for row in rows:
        as_of_now = as_shown(row, policy)
        shown.append(as_of_now)
        if as_of_now == row:
            continue
        turned.append(row_values(health.machine_id, as_of_now))
        if as_of_now.verdict != row.verdict:
            by[row.verdict] -= 1
            by[as_of_now.verdict] += 1
            words = (row.verdict, as_of_now.verdict, as_of_now.message)
            history.append((health.machine_id, now, *row.key, *words))
    if turned:
        with connection.cursor() as cursor:
            cursor.execute(UPSERT_ROWS, columns(turned, 15))
            cursor.execute(INSERT_TRANSITIONS, columns(history, 7))
    health.fail_count = max(0, health.fail_count + by["fail"])
    health.unknown_count = max(0, health.unknown_count + by["unknown"])
    health.warn_count = max(0, health.warn_count + by["warn"])
    return shown


def next_end(source: str, rows: Iterable[Row], policy: MachinePolicy) -> datetime | None:
    """When the first decision about what this source says is bad expires."""
    ends = [
        quiet.until
        for row in rows
        if row.check_id.startswith(f"{source}/")
        for quiet in (policy.silence_of(*row.key), policy.observe_only.get(row.check_id))
        if quiet is not None and quiet.until is not None
    ]
    return min(ends, default=None)


def follow_decision(decision: Silence | ObserveOnly) -> None:
    """Have the machines settled that this decision concerns, when it is of a reported check. In its transaction."""
    source, slash, _ = decision.check_id.partition("/")
    if not slash:
        return
    bad = CurrentVerdict.objects.filter(check_id=decision.check_id)
    rows = ReportedMachine.objects.filter(source__name=source, machine__in=bad.values("machine_id"))
    if decision.site_id is not None:
        rows = rows.filter(machine__device__site=decision.site_id)
    if isinstance(decision, Silence) and decision.model_id is not None:
        rows = rows.filter(machine__device__model=decision.model_id)
    if isinstance(decision, Silence) and decision.machine_id is not None:
        rows = rows.filter(machine=decision.machine_id)
    locked = list(rows.select_for_update(of=("self",)).order_by("machine_id", "pk").values_list("pk", flat=True))
    if locked:
        ReportedMachine.objects.filter(pk__in=locked).update(due_at=timezone.now())
        after_commit("health.external.tasks.follow_reports", robust=True)
