"""Write what a shard saw: first everything in bulk, then one short transaction per machine whose faults change.

The bulk transaction locks the machines in the order of their ids and holds verdicts, the packed report and history; two
shards that meet on a machine wait for each other and the older look loses. Machines of which only a column changes
(they answer again, the worst verdict is another) are in it too. What else the dashboard and other rooms react to
(faults, holds, state) follows machine by machine, in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import orjson
import structlog
from django.db import connection, transaction

from core.work.alone import NOT_OF_ONE, alone
from health.checks.model import Finding
from health.checks.verdicts import Verdict
from health.machines.models.machines import MachineHealth
from health.monitoring import hooks
from health.monitoring.events import is_event, key_of
from health.monitoring.merge import CODES, WHY, WORDS, Before, Key, Merged, Row, merge, without
from health.monitoring.models.faults import Fault
from health.monitoring.models.verdicts import CurrentVerdict, MachineReport
from health.monitoring.policy import (
    MAX_MUTED_EVENTS,
    muted_events,
    remembering,
    unveiled,
    veiled,
)
from health.monitoring.samples import pack
from health.monitoring.services import fault_changes, kernel_triage
from health.monitoring.services.sweeps import carryover
from health.monitoring.services.sweeps.clean_text import clean_finding
from health.monitoring.services.sweeps.stored import Observation, Stored, layout_id, load, read_layouts, row_of
from inventory.power.readings import store_readings

log = structlog.get_logger(__name__)
MOST_REASON = 1000


def without_verdicts(seen: Observation, reason: str) -> Observation:
    """The same look when it could not be judged, or not be stored: not heard, and the one thing it tells is why."""
    why = Finding(*WHY, Verdict.UNKNOWN, reason[:MOST_REASON])
    layout = seen.layout if WHY in seen.layout else (WHY, *seen.layout)
    return Observation(
        machine_id=seen.machine_id,
        at=seen.at,
        heard=False,
        boot_id="",
        findings=(why,),
        layout=layout,
        model=seen.model,
        checks_version=seen.checks_version,
        slots=seen.slots,
        policy=seen.policy,
    )


def record(observations: Iterable[Observation], *, sweep_id: int | None = None, actor: str = "sweep") -> int:
    """Store the observations of a shard; returns how many machines changed visibly or in their faults.

    An observation older than what is stored is dropped. Machines without a health row are skipped. What one machine's
    look holds that cannot be stored makes that machine unknown, with the reason; the others are stored as ever.
    """
    seen = sorted(observations, key=lambda o: o.machine_id)
    try:
        return _record(seen, sweep_id, actor)
    except NOT_OF_ONE:
        raise
    except Exception:
        log.exception("shard_not_stored", machines=len(seen))
        return sum(_record_alone(each, sweep_id, actor) for each in seen)


def _record_alone(seen: Observation, sweep_id: int | None, actor: str) -> int:
    try:
        return _record([seen], sweep_id, actor)
    except NOT_OF_ONE:
        raise
    except Exception as error:
        log.exception("look_not_stored", machine=seen.machine_id)
        reason = f"what it answered could not be stored ({type(error).__name__})"
        return _record([without_verdicts(seen, reason)], sweep_id, actor)


def _record(seen: Sequence[Observation], sweep_id: int | None, actor: str) -> int:
    """All of them in one transaction, then what follows machine by machine."""
    seen = [replace(o, findings=tuple(clean_finding(f) for f in o.findings)) for o in seen]
    layouts = {(o.checks_version, o.model, o.layout): 0 for o in seen}
    for key in layouts:
        layouts[key] = layout_id(*key)
    with transaction.atomic():
        stored = load([o.machine_id for o in seen])
        seen = [o for o in seen if o.machine_id in stored and _is_newer(o, stored[o.machine_id])]
        results: list[tuple[Observation, Merged]] = []
        for observation in seen:
            held = stored[observation.machine_id]
            effective = settle(observation, held)
            sticky = sticky_places(held.faults)
            merged = merge(
                unveiled(held.before),
                observation.layout,
                effective,
                heard=observation.heard,
                at=observation.at,
                sticky=sticky,
            )
            merged = remembering(merged, _muted(observation, held, sticky))
            results.append((observation, veiled(merged, held.before, observation.layout, observation.policy)))
        _write(results, stored, layouts, sweep_id)
        measured = [(o.machine_id, o.at, o.measured) for o in seen if o.measured]
        for take in hooks.measured if measured else ():
            transaction.on_commit(partial(take, measured), robust=True)
        by_id = {o.machine_id: stored[o.machine_id].worst_with(merged) for o, merged in results}
        changed = [o for o, _ in results if fault_changes.concerns(o, by_id[o.machine_id], stored[o.machine_id])]
        shown = _show(changed, by_id, stored, actor)
    for observation in changed:
        if observation.machine_id not in shown:
            _follow(observation, by_id[observation.machine_id], actor)
    kernel_triage.list_unjudged([observation for observation, _ in results], sweep_id=sweep_id)
    return len(changed)


def _show(changed: Sequence[Observation], worst: dict[int, str], stored: dict[int, Stored], actor: str) -> set[int]:
    """What shows of machines whose faults stay as they are, together. Returns those that are done by it."""
    looks = {o.machine_id: (o, worst[o.machine_id]) for o in changed}
    if not looks:
        return set()
    with alone("looks_not_shown_together", machines=len(looks)), transaction.atomic():
        return fault_changes.show(looks, stored, actor=actor)
    return set()


def _follow(observation: Observation, worst: str, actor: str) -> None:
    """Faults, holds and state of one machine. What goes wrong there is logged and done again with its next look."""
    with alone("look_not_followed", machine=observation.machine_id):
        fault_changes.apply(observation, worst, actor=actor)


def _is_newer(observation: Observation, held: Stored) -> bool:
    return held.checked_at is None or observation.at > held.checked_at


def settle(observation: Observation, held: Stored) -> list[Any]:
    """The findings as they count: an event read before, whose fault was verified as gone, is only information."""
    open_events = {(fault.slot, fault.fault_class) for fault in held.faults if fault.kind == "event"}
    effective = []
    for finding in observation.findings:
        old = is_event(finding) and not fault_changes.is_fresh(finding, observation, held)
        if old and str(finding.verdict) == "fail" and (finding.part, finding.fault_class) not in open_events:
            message = f"{finding.message} (before the last verification)"
            effective.append(replace(finding, verdict="info", message=message, action=""))
        else:
            effective.append(finding)
    return effective


def _muted(observation: Observation, held: Stored, sticky: frozenset[Key]) -> dict[Key, list[str]]:
    """Keys of events by place that nothing may come of yet, those of earlier looks too.

    They stay with their row until the decision ends and a fault is opened.
    """
    found: dict[Key, list[str]] = {}
    for key, row in held.before.rows.items():
        if muted_events(row) and (key not in sticky or observation.policy.mutes(*key)):
            found[key] = list(muted_events(row))
    for finding in observation.findings:
        key = (finding.check, finding.part)
        failing = is_event(finding) and str(finding.verdict) == "fail"
        if failing and observation.policy.mutes(*key) and fault_changes.is_fresh(finding, observation, held):
            found.setdefault(key, []).append(key_of(finding))
    return {key: sorted(set(keys))[-MAX_MUTED_EVENTS:] for key, keys in found.items()}


def sticky_places(faults: Iterable[Fault]) -> frozenset[Key]:
    return frozenset((check, fault.slot) for fault in faults if fault.kind == "event" for check in fault.checks)


def forget(health: MachineHealth, keys: Iterable[Key]) -> None:
    """Make these places ok: a verification showed that what failed there is gone. The caller holds the lock."""
    keys = list(keys)
    if not keys:
        return
    report = MachineReport.objects.get(machine_id=health.machine_id)
    rows = {row.key: row for row in map(row_of, CurrentVerdict.objects.filter(machine_id=health.machine_id))}
    layout = read_layouts([report.layout_id])[report.layout_id]
    left, packed = without(Before(rows, layout, bytes(report.verdicts)), keys)
    for check, part in rows.keys() - left.keys():
        CurrentVerdict.objects.filter(machine_id=health.machine_id, check_id=check, part=part).delete()
    MachineReport.objects.filter(pk=report.pk).update(verdicts=packed)
    words = {key: WORDS[code] for key, code in zip(layout, packed, strict=False)}
    words |= {key: row.verdict for key, row in left.items()}
    counts = Counter(words.values())
    health.fail_count, health.unknown_count, health.warn_count = counts["fail"], counts["unknown"], counts["warn"]
    health.worst = next((word for word in ("fail", "unknown", "warn", "info") if counts[word]), "ok")


# ---- reading ----


# ---- writing ----

COUNTED = ("fail", "unknown", "warn")
UPSERT_ROWS = """
INSERT INTO health_currentverdict (machine_id, check_id, part, verdict, message, checked_at, changed_at, action,
    fault_class, kind, value, command, exit_status, excerpt, observed)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::timestamptz[],
    %s::timestamptz[], %s::text[], %s::text[], %s::text[], %s::float8[], %s::text[], %s::int[], %s::text[], %s::jsonb[])
ORDER BY 1, 2, 3
ON CONFLICT (machine_id, check_id, part) DO UPDATE SET verdict = excluded.verdict, message = excluded.message,
    checked_at = excluded.checked_at, changed_at = excluded.changed_at, action = excluded.action,
    fault_class = excluded.fault_class, kind = excluded.kind, value = excluded.value, command = excluded.command,
    exit_status = excluded.exit_status, excerpt = excluded.excerpt, observed = excluded.observed
"""
DELETE_ROWS = """
DELETE FROM health_currentverdict
USING unnest(%s::bigint[], %s::text[], %s::text[]) AS gone (machine_id, check_id, part)
WHERE health_currentverdict.machine_id = gone.machine_id AND health_currentverdict.check_id = gone.check_id
    AND health_currentverdict.part = gone.part
"""
UPSERT_REPORTS = """
INSERT INTO health_machinereport (machine_id, layout_id, verdicts, checked_at, heard_at, sweep_id)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bytea[], %s::timestamptz[], %s::timestamptz[], %s::bigint[])
ON CONFLICT (machine_id) DO UPDATE SET layout_id = excluded.layout_id, verdicts = excluded.verdicts,
    checked_at = excluded.checked_at, heard_at = coalesce(excluded.heard_at, health_machinereport.heard_at),
    sweep_id = excluded.sweep_id
"""
UPDATE_HEALTH = """
UPDATE health_machinehealth SET last_seen_at = coalesce(seen.heard_at, health_machinehealth.last_seen_at),
    boot_id = CASE WHEN seen.boot_id = '' THEN health_machinehealth.boot_id ELSE seen.boot_id END,
    fail_count = seen.fail, unknown_count = seen.unknown, warn_count = seen.warn
FROM unnest(%s::bigint[], %s::timestamptz[], %s::text[], %s::int[], %s::int[], %s::int[])
    AS seen (machine_id, heard_at, boot_id, fail, unknown, warn)
WHERE health_machinehealth.machine_id = seen.machine_id
"""
COPY_SAMPLES = """
COPY health_sample (machine_id, at, sweep_id, layout_id, heard, worst, fail, unknown, warn, verdicts) FROM STDIN
"""
COPY_TRANSITIONS = """
COPY health_transition (machine_id, at, check_id, part, from_verdict, to_verdict, message) FROM STDIN
"""


def columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Rows to one array per column, as `unnest` takes them."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]


def _write(
    results: Sequence[tuple[Observation, Merged]],
    stored: dict[int, Stored],
    layouts: dict[tuple[str, str, tuple[Key, ...]], int],
    sweep_id: int | None,
) -> None:
    """Everything of the bulk transaction, in a fixed number of statements."""
    if not results:
        return
    rows, gone, reports, healths, samples, changes = [], [], [], [], [], []
    for seen, merged in results:
        machine_id, at = seen.machine_id, seen.at
        held = stored[machine_id].before.rows
        rows += [row_values(machine_id, row) for key, row in merged.rows.items() if held.get(key) != row]
        gone += [(machine_id, *key) for key in held if key not in merged.rows]
        layout = layouts[seen.checks_version, seen.model, seen.layout]
        heard_at = at if seen.heard else None
        counts = [merged.counts.get(word, 0) for word in COUNTED]
        reports.append((machine_id, layout, merged.packed, at, heard_at, sweep_id))
        others = Counter(row.verdict for row in stored[machine_id].reported)
        together = [count + others[word] for count, word in zip(counts, COUNTED, strict=True)]
        healths.append((machine_id, heard_at, seen.boot_id, *together))
        look = pack(merged.packed, merged.values)
        samples.append((machine_id, at, sweep_id, layout, seen.heard, CODES[merged.worst], *counts, look))
        changes += [(machine_id, at, c.check_id, c.part, c.before, c.after, c.message) for c in merged.changes]
    with connection.cursor() as cursor:
        if gone:
            cursor.execute(DELETE_ROWS, columns(gone, 3))
        if rows:
            cursor.execute(UPSERT_ROWS, columns(rows, 15))
        cursor.execute(UPSERT_REPORTS, columns(reports, 6))
        cursor.execute(UPDATE_HEALTH, columns(healths, 6))
        _copy(cursor, COPY_SAMPLES, samples)
        _copy(cursor, COPY_TRANSITIONS, changes)
    carryover.store([(seen.machine_id, seen.at, seen.leaves) for seen, _ in results])
    store_readings((seen.machine_id, seen.draw_w, seen.at) for seen, _ in results if seen.draw_w is not None)


def _copy(cursor: Any, statement: str, rows: Sequence[Sequence[Any]]) -> None:
    if not rows:
        return
    with cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def row_values(machine_id: int, row: Row) -> tuple[Any, ...]:
    return (
        machine_id,
        row.check_id,
        row.part,
        row.verdict,
        row.message,
        row.checked_at,
        row.changed_at,
        row.action,
        row.fault_class,
        row.kind,
        row.value,
        row.command,
        row.exit_status,
        row.excerpt,
        orjson.dumps(dict(row.observed or {})).decode(),
    )
