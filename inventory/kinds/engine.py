"""One way to write records of any kind: many rows, one transaction, a fixed number of statements, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from django.db import DataError, IntegrityError, OperationalError, transaction

from inventory.kinds import sql
from inventory.kinds.announce import announce
from inventory.kinds.batch import Batch, Line, Mode, describe, read_lines
from inventory.kinds.kind import KINDS, Kind
from inventory.kinds.plan import find_rows, plan
from inventory.kinds.refusals import explain, is_busy
from inventory.kinds.report import CHANGED, CREATED, DELETED, REFUSED, UNCHANGED, Report, RowOutcome
from inventory.kinds.scope import Scope
from inventory.kinds.within import rows_within
from inventory.kinds.writer import Writer

LOCK_WAIT_S = 5.0  # for records that another write holds, before this one gives up
BUSY = "somebody else is changing these records; nothing was written, try again"


class _Stop(Exception):
    """Leaves the transaction; nothing of it is kept."""


def write(
    kind: Kind | str,
    rows: Sequence[Any],
    mode: Mode = "upsert",
    *,
    scope: Scope,
    actor: str,
    dry_run: bool = False,
    replace: bool = False,
    first: int = 1,
    lock_wait_s: float = LOCK_WAIT_S,
    progress: Callable[[str], None] = lambda stage: None,
) -> Report:
    """Write rows (mappings of field to value) of one kind.

    With `replace` a stored row loses what the row does not say; otherwise only the given fields change.
    With one bad row nothing is written; the report then names every bad row with field and reason. `first` is the
    number of the first row, `progress` hears of the stages. Never raises for bad rows or for records that somebody
    else holds (`report.code` is `busy`).
    """
    kind = KINDS[kind] if isinstance(kind, str) else kind
    progress("checking")
    batch = Batch(kind, mode, scope, actor, read_lines(kind, rows, mode, first), dry_run, replace)
    writer = (kind.writer or Writer)(batch)
    code = ""
    try:
        with transaction.atomic():
            _wait_at_most(lock_wait_s)
            _carry_out(batch, writer, progress)
            if batch.refused or dry_run:
                raise _Stop
    except _Stop:
        pass
    except OperationalError as error:
        if not is_busy(error):
            raise
        code = "busy"
    return _report(batch, writer, code)


def _carry_out(batch: Batch, writer: Writer, progress: Callable[[str], None] = lambda stage: None) -> None:
    """Everything inside the transaction, up to the first step that refuses a row."""
    writer.prepare()
    find_rows(batch, writer)
    plan(batch, writer)
    if batch.refused:
        return
    progress("writing")
    _apply(batch, writer)
    if batch.refused:
        return
    for inner in rows_within(batch):
        _carry_out(inner.batch, (inner.batch.kind.writer or Writer)(inner.batch))
        inner.tell()
    if not batch.refused and not batch.dry_run:
        announce(batch, writer)


def _wait_at_most(seconds: float) -> None:
    sql.execute("SELECT set_config('lock_timeout', %s, true)", f"{int(seconds * 1000)}ms")


@contextmanager
def _savepoint(*, keep: bool) -> Any:
    """Statements that are taken back when PostgreSQL refuses one of them."""
    point = transaction.savepoint()
    try:
        yield
    except (IntegrityError, DataError):
        transaction.savepoint_rollback(point)
        raise
    if keep:
        transaction.savepoint_commit(point)
    else:
        transaction.savepoint_rollback(point)


def _apply(batch: Batch, writer: Writer) -> None:
    """Write everything; when PostgreSQL refuses it, find the row that is to blame."""
    todo = [line for line in batch.lines if line.new or line.changed or batch.mode == "delete"]
    if not todo:
        return
    try:
        # A single row is to blame itself: nothing is tried without it.
        with _savepoint(keep=True) if len(todo) > 1 else nullcontext():
            _statements(batch, writer, todo)
    except (IntegrityError, DataError) as error:
        _blame(batch, writer, todo, error)


def _statements(batch: Batch, writer: Writer, lines: Sequence[Line]) -> None:
    """Broken promises come out here, also those that PostgreSQL would check only at the end."""
    stored, new = [line for line in lines if not line.new], [line for line in lines if line.new]
    if batch.mode == "delete":
        writer.delete(lines)
    else:
        if new:
            writer.allocate(new)
        if stored:
            writer.update(stored)
        if new:
            writer.insert(new)
    sql.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _blame(batch: Batch, writer: Writer, lines: list[Line], error: Exception) -> None:
    """The first row without which the rows before it would be fine: found by halving, each try rolled back."""
    good, bad = 0, len(lines)  # the first `good` rows can be written, the first `bad` cannot
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            with _savepoint(keep=False):
                _statements(batch, writer, lines[:middle])
            good = middle
        except (IntegrityError, DataError) as narrower:
            bad, error = middle, narrower
    lines[bad - 1].errors.append(explain(error))


# ---- the report ----


def _report(batch: Batch, writer: Writer, code: str) -> Report:
    failed = bool(code) or batch.refused
    rows = [_outcome(batch, writer, line, failed) for line in batch.lines]
    return Report(batch.kind.name, batch.dry_run, rows, code, BUSY if code == "busy" else "")


def _outcome(batch: Batch, writer: Writer, line: Line, failed: bool) -> RowOutcome:
    if line.errors:
        return RowOutcome(line.number, line.key, None if line.new else line.id, REFUSED, {}, line.errors)
    outcome = CREATED if line.new else CHANGED if line.changed else UNCHANGED
    if batch.mode == "delete":
        outcome = DELETED
    changes = _changes(batch.kind, writer, line) if outcome == CHANGED else {}
    key = _key_words(batch.kind, line)
    unsaved = line.new and (failed or batch.dry_run)
    return RowOutcome(line.number, key, None if unsaved else line.id, outcome, changes)


def _key_words(kind: Kind, line: Line) -> str:
    """The natural key with references by name, as it was before the write."""
    words = {name: _named(kind, line.before, name) for name in kind.key if line.before}
    given = {name: line.refs[name].label if name in line.refs else line.given.get(name) for name in kind.key}
    return describe(kind, words or given) or line.key


def _changes(kind: Kind, writer: Writer, line: Line) -> dict[str, list[Any]]:
    """Field -> [before, after], references by name."""
    from inventory.kinds.values import shown

    changes: dict[str, list[Any]] = {}
    for name in line.changed:
        if name in kind.within:
            changes[name] = line.extra[name]
            continue
        words = writer.shown_change(line, name)
        if words is not None:
            changes[name] = words
            continue
        after = line.after.get(name)
        if kind.fields[name].references:
            after = line.refs[name].label if name in line.refs else None
        changes[name] = [shown(_named(kind, line.before, name)), shown(after)]
    return changes


def _named(kind: Kind, values: dict[str, Any], name: str) -> Any:
    """A stored value as a person knows it."""
    return values.get(f"{name}_name") if kind.fields[name].references else values.get(name)
