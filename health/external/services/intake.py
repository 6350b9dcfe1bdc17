"""Take in what other systems say of machines.

`take` stores a request of any size, and `take_together` several of them, in a fixed number of statements: the packed
entries of each machine, a row for each verdict that is not ok, the counts, and the history of what changed. What
follows from it (worst verdict, faults, holds, states) is done machine by machine in `settle`, in a task; a row that is
due in the database makes sure it is done. Locks are taken in the order reported rows, machines; each kind by machine.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson
import structlog
from django.db import connection, transaction
from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone

from core.work.queue import after_commit
from health.external import reports
from health.external.models import ReportedMachine, ReportSource
from health.external.reports import Entries, Problem, Result, Rules
from health.external.services.silences import INSERT_TRANSITIONS, policies_where_silenced
from health.machines.models.machines import MachineHealth
from health.monitoring.merge import WORDS, Row
from health.monitoring.models.verdicts import CurrentVerdict
from health.monitoring.policy import NO_POLICY, as_it_is, as_shown, without_marks
from health.monitoring.services.sweeps.clean_text import clean_number, clean_text, clean_value
from health.monitoring.services.sweeps.observation_store import DELETE_ROWS, UPSERT_ROWS, columns, row_values
from health.monitoring.services.sweeps.stored import row_of

log = structlog.get_logger(__name__)

ACTION = "Check what the system that reported it says; automation leaves it to a person."
AT_ONCE = 200
"""Machines settled in one task."""
LEASE = timedelta(seconds=60)
"""After so long a machine that was to be settled is settled by the periodic task: its own was lost."""


@dataclass
class Taken:
    """What became of a request, in numbers of results."""

    stored: int = 0
    changed: int = 0
    repeated: int = 0
    """Heard before, or older than what was heard."""
    problems: list[Problem] = field(default_factory=list)


@dataclass
class Said:
    """One request while it is taken in."""

    by_machine: Mapping[int, Sequence[Result]]
    taken: Taken


@dataclass
class Change:
    """What to write of one machine."""

    row_id: int
    machine_id: int
    entries: Entries
    was: dict[str, int]
    """Places that changed, with the code they had."""
    words: Mapping[str, Result]
    due_at: datetime | None


def rules_of(source: ReportSource, now: datetime) -> Rules:
    stale_after = source.stale_after_s * 1_000_000
    return Rules(reports.micros(now), stale_after, frozenset(source.checks))


def take(source: ReportSource, rows: Sequence[Any], *, strict: bool = False) -> Taken:
    """Store the good results and say what is wrong with the others; with `strict` all are stored or none."""
    return take_together(source, [rows], strict=strict)[0]


def take_together(source: ReportSource, requests: Sequence[Sequence[Any]], *, strict: bool = False) -> list[Taken]:
    """The same for several requests at once: what became of each, as if they had come one after the other.

    They are written in one transaction, and in one more for each time that two of them speak of the same machine.
    With `strict` a request of which a result is refused stores nothing, nor do those written with it.
    """
    now = timezone.now()
    rules = rules_of(source, now)
    good, bad = zip(*(reports.read(rows, rules) for rows in requests), strict=True)
    machines = _machines(source.site_id, {result.machine for results in good for result in results})
    said = [Said(_by_machine(*read, machines), Taken(problems=read[1])) for read in zip(good, bad, strict=True)]
    for together in reports.without_overlap([each.by_machine.keys() for each in said]):
        with transaction.atomic():
            written = [said[place] for place in together]
            if not (strict and any(each.taken.problems for each in written)):
                _enter(source, {pk: each for each in written for pk in each.by_machine}, now)
            if strict and any(each.taken.problems for each in written):
                transaction.set_rollback(True)
                for each in written:
                    each.taken = Taken(problems=each.taken.problems)
    taken = [each.taken for each in said]
    heard = (results for results, each in zip(good, taken, strict=True) if each.stored or each.repeated)
    checks = {result.check for results in heard for result in results}
    _seen(source, now, sum(len(one.problems) for one in taken), checks)
    for one in taken:
        one.problems.sort()
    return taken


def _by_machine(
    good: Iterable[Result], bad: list[Problem], machines: Mapping[str, int]
) -> Mapping[int, Sequence[Result]]:
    """Results by the machine they are about; those of none that is known are added to what is bad."""
    found: dict[int, list[Result]] = defaultdict(list)
    for result in good:
        machine_id = machines.get(result.machine)
        if machine_id is None:
            reason = "There is no such machine at the site of this source, or several of that serial."
            bad.append(Problem(result.position, "unknown_reference", reason))
        else:
            found[machine_id].append(result)
    return found


def _enter(source: ReportSource, said: Mapping[int, Said], now: datetime) -> None:
    """Write what requests say of machines, each machine by one of them only, and count it there."""
    changes, soon = [], now + LEASE
    for held in _held(source, sorted(said)):
        results, taken = said[held.machine_id].by_machine[held.machine_id], said[held.machine_id].taken
        folded = reports.fold(held.entries, results)
        taken.problems += folded.refused
        taken.repeated += folded.repeated
        taken.stored += len(results) - len(folded.refused)
        if not (folded.newest or folded.before):
            continue
        was = {key: folded.before.get(key, reports.OK) for key in folded.changed}
        taken.changed += len(was)
        again = held.waits and any(result.code == reports.FAIL for result in folded.newest.values())
        due_at = soon if was or again else held.due_at or _due(folded.entries, source.stale_after_s)
        changes.append(Change(held.pk, held.machine_id, folded.entries, was, folded.newest, due_at))
    store(source, changes, now)
    settled_soon(change.machine_id for change in changes if change.due_at is soon)


def settled_soon(machine_ids: Iterable[int]) -> None:
    """Have these machines settled after this transaction; without a broker the periodic task does it later."""
    ids = list(machine_ids)
    for at in range(0, len(ids), AT_ONCE):
        after_commit("health.external.tasks.settle_reports", ids[at : at + AT_ONCE], robust=True)


MACHINES = """
SELECT device.id, device.name, device.serial FROM inventory_device device
JOIN health_machinehealth health ON health.machine_id = device.id
WHERE device.site_id = %(site)s AND (device.name = ANY(%(words)s) OR device.id = ANY(%(ids)s)
    OR (device.serial <> '' AND device.serial = ANY(%(words)s)))
"""
LARGEST_ID = 2**63


def _machines(site_id: int, words: Collection[str]) -> dict[str, int]:
    """Name, serial or id to machine, of this site only. A name goes before a serial, that before an id. One query."""
    numbers = {int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 20}
    ids = [number for number in numbers if number < LARGEST_ID]
    storable = [word for word in words if "\0" not in word]
    with connection.cursor() as cursor:
        cursor.execute(MACHINES, {"site": site_id, "words": storable, "ids": ids})
        rows = cursor.fetchall()
    found = {str(pk): pk for pk, _, _ in rows}
    serials: dict[str, int | None] = {}
    for pk, _, serial in rows:
        if serial:
            serials[serial] = None if serial in serials else pk
    found = {**found, **{serial: pk for serial, pk in serials.items() if pk is not None}}
    for serial in (serial for serial, pk in serials.items() if pk is None):
        found.pop(serial, None)
    return found | {name: pk for pk, name, _ in rows}


def _held(source: ReportSource, machine_ids: Sequence[int]) -> list[ReportedMachine]:
    """The rows of these machines, locked in their order; made where there are none. Three statements at most."""
    if not machine_ids:
        return []
    of_these = ReportedMachine.objects.filter(source=source, machine_id__in=machine_ids).order_by("machine_id")
    # As text: what psycopg reads JSON with takes a tenth of a large request.
    wanted = of_these.select_for_update().defer("entries").annotate(text=Cast("entries", TextField()))
    rows = list(wanted)
    if len(rows) < len(machine_ids):
        known = {row.machine_id for row in rows}
        missing = [ReportedMachine(source=source, machine_id=pk) for pk in machine_ids if pk not in known]
        ReportedMachine.objects.bulk_create(missing, ignore_conflicts=True)
        rows = list(wanted.all())
    for row in rows:
        row.entries = orjson.loads(row.text)
    return list(rows)


def _due(entries: Entries, stale_after_s: int) -> datetime | None:
    expiry = reports.next_expiry(entries, stale_after_s * 1_000_000)
    return reports.moment_of(expiry) if expiry is not None else None


SEEN = """
UPDATE health_reportsource SET last_seen_at = %(now)s, refused = refused + %(refused)s,
    known = CASE WHEN known @> %(checks)s::varchar[] THEN known
        ELSE (known || ARRAY(SELECT unnest(%(checks)s::varchar[]) EXCEPT SELECT unnest(known)))[1:%(most)s] END
WHERE id = %(id)s AND (%(refused)s > 0 OR last_seen_at IS NULL OR last_seen_at < %(now)s - interval '5 seconds'
    OR (NOT known @> %(checks)s::varchar[] AND cardinality(known) < %(most)s))
"""
MOST_KNOWN = 300
"""Checks of one source that are shown by name in the catalogue."""


def _seen(source: ReportSource, now: datetime, refused: int, checks: Iterable[str]) -> None:
    """Note that the source was heard, with what. Every few seconds is often enough: all its requests write this row."""
    values: dict[str, Any] = {"now": now, "refused": refused, "id": source.pk}
    with connection.cursor() as cursor:
        cursor.execute(SEEN, {**values, "checks": sorted(checks), "most": MOST_KNOWN})


# ---- writing ----

UPDATE_ENTRIES = """
UPDATE health_reportedmachine SET entries = said.entries, due_at = said.due_at, version = version + 1
FROM unnest(%s::bigint[], string_to_array(%s, E'\\n')::json[], %s::timestamptz[]) AS said (id, entries, due_at)
WHERE health_reportedmachine.id = said.id
"""
"""The entries are lines of one text: in an array each of their quotation marks is escaped, a quarter of the time."""
UPDATE_COUNTS = """
UPDATE health_machinehealth SET fail_count = greatest(0, fail_count + said.fail),
    unknown_count = greatest(0, unknown_count + said.unknown), warn_count = greatest(0, warn_count + said.warn)
FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::int[]) AS said (machine_id, fail, unknown, warn)
WHERE health_machinehealth.machine_id = said.machine_id
"""


def lock_machines(machine_ids: Iterable[int]) -> None:
    """Keep sweeps and people from changing these machines until the transaction ends."""
    rows = MachineHealth.objects.select_for_update().filter(machine_id__in=list(machine_ids)).order_by("machine_id")
    list(rows.values_list("machine_id", flat=True))


def store(source: ReportSource, changes: Sequence[Change], now: datetime) -> None:
    """Write these machines' entries, verdicts, counts and history. Eight statements, and five where one is silenced."""
    if not changes:
        return
    told = [change.machine_id for change in changes if _has_words(change)]
    policies = policies_where_silenced(source.name, told)
    # Where silences begin and end, what is written and counted may not change between reading and writing.
    lock_machines(told if policies is not None else (change.machine_id for change in changes if change.was))
    shown = _shown(source, told)
    bad = {machine_id for machine_id, _, _ in shown}
    rows, gone, counts, history = [], [], [], []
    for change in changes:
        policy, by = (policies or {}).get(change.machine_id, NO_POLICY), Counter[str]()
        for key in _places(change, change.machine_id in bad):
            place = (f"{source.name}/{key.partition(chr(9))[0]}", key.partition("\t")[2])
            held = shown.get((change.machine_id, *place))
            row = _row(source, change, key, place, as_it_is(held) if held else None)
            row = as_shown(row, policy) if row else None
            before, after = held.verdict if held else "ok", row.verdict if row else "ok"
            if row is None and held is not None:
                gone.append((change.machine_id, *place))
            elif row is not None and row != held:
                rows.append(row_values(change.machine_id, row))
            if before != after:
                by[before] -= 1
                by[after] += 1
                history.append(_turned(change, key, place, (before, after), now))
        if by:
            counts.append((change.machine_id, by["fail"], by["unknown"], by["warn"]))
    with connection.cursor() as cursor:
        if gone:
            cursor.execute(DELETE_ROWS, columns(gone, 3))
        if rows:
            cursor.execute(UPSERT_ROWS, columns(rows, 15))
        if counts:
            cursor.execute(UPDATE_COUNTS, columns(counts, 4))
            cursor.execute(INSERT_TRANSITIONS, columns(history, 7))
        entries = b"\n".join(orjson.dumps(change.entries) for change in changes).decode()
        ids, due = [change.row_id for change in changes], [change.due_at for change in changes]
        cursor.execute(UPDATE_ENTRIES, [ids, entries, due])


def _places(change: Change, shows_some: bool) -> Iterable[str]:
    """Places of which something may be written: of a machine that shows nothing bad, not those that are well still."""
    if shows_some:
        return change.was.keys() | change.words.keys()
    entries = change.entries
    return change.was.keys() | {key for key in change.words if entries[key][0] != reports.OK}


def _has_words(change: Change) -> bool:
    return bool(change.was) or any(result.code != reports.OK for result in change.words.values())


def _shown(source: ReportSource, machine_ids: Sequence[int]) -> dict[tuple[int, str, str], Row]:
    """What these machines show of the source that is not ok."""
    if not machine_ids:
        return {}
    found = CurrentVerdict.objects.filter(machine_id__in=machine_ids, check_id__startswith=f"{source.name}/")
    return {(verdict.machine_id, verdict.check_id, verdict.part): row_of(verdict) for verdict in found}


def _row(source: ReportSource, change: Change, key: str, place: tuple[str, str], held: Row | None) -> Row | None:
    """The verdict to show of one place; None is ok. The same words again leave the row as it is."""
    entry = change.entries.get(key)
    if entry is None or entry[0] == reports.OK:
        return None
    word, at = WORDS[entry[0]], reports.moment_of(entry[1])
    said = change.words.get(key)
    if said is None:
        text = f"no report from {source.name} since {at:%Y-%m-%d %H:%M:%S} UTC"
        return Row(*place, word, text, at, at + timedelta(seconds=source.stale_after_s))
    row = Row(
        *place,
        word,
        clean_text(said.message, 2000) or f"{source.name} says {word}",
        at,
        held.changed_at if held and held.verdict == word else at,
        action=ACTION if said.code == reports.FAIL else "",
        fault_class=said.fault_class,
        value=clean_number(said.value),
        excerpt=clean_text(said.evidence, 4000) if isinstance(said.evidence, str) else "",
        observed=without_marks(clean_value(said.evidence)) if isinstance(said.evidence, dict) else {},
    )
    return held if held is not None and _same(row, held) else row


def _same(row: Row, held: Row) -> bool:
    """Whether nothing but the time is another."""
    return (row.verdict, row.message, row.value, row.fault_class, row.excerpt, row.observed) == (
        held.verdict, held.message, held.value, held.fault_class, held.excerpt, held.observed,
    )  # fmt: skip


def _turned(change: Change, key: str, place: tuple[str, str], words: tuple[str, str], now: datetime) -> tuple[Any, ...]:
    """A line of the history."""
    entry, said = change.entries.get(key), change.words.get(key)
    at = reports.moment_of(entry[1]) if entry and said else now
    message = clean_text(said.message, 2000) if said else "no longer reported"
    return (change.machine_id, at, *place, *words, message)
