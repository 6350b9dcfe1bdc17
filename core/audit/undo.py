"""Taking a change back: its entries in reverse, only where everything is still as the change left it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, ForeignKey, Model, Q, Sum

from core.accounts.scope import allows, is_administrator
from core.audit import actor
from core.audit.names import names_of, own_name, referred
from core.audit.queries import Roles, Row, field_names, may_read, rows_of, undone_by
from core.audit.tables import Table, by_name, table_of
from core.audit.triggers import HIDDEN, quoted
from core.models import AuditChange, AuditEntry

AT_ONCE = 5000
"""Rows that a request takes back while somebody waits; a larger change is a job (`core.audit.undo_jobs`)."""
READ_ROWS = 5000
"""Rows of the log that are held at a time: entries are taken back one after the other, however many there are."""
TOLD = 20
"""Differences that a refusal lists."""
NAMED = 5
"""Of what stands in the way, so many are named in the sentence."""
LOCK_WAIT = "5s"


class UndoRefused(Exception):
    """It cannot be taken back; `differences` are {kind, object, name, field, expected, current, by, at, change}."""

    def __init__(self, reason: str, differences: list[dict[str, Any]] | None = None) -> None:
        super().__init__(reason)
        self.reason, self.differences = reason, differences or []


Told = Callable[[int, int], None]
Listener = Callable[[int, set[tuple[str, int]], str], None]
"""(site, {(table, id)}, actor): told in the same transaction what an undo wrote at a site."""
_listeners: dict[str, Listener] = {}


Leaving = Callable[[list[int]], None]
"""(ids): told before rows of a model leave because their creation is undone."""
_leaving: dict[str, Leaving] = {}


def on_leaving(label: str, listener: Leaving) -> None:
    """A room's way to take along what it keeps of rows of a model (`app.Model`) from their first moment."""
    _leaving[label.lower()] = listener


def on_undone(app_label: str, listener: Listener) -> None:
    """A room's way to announce what an undo wrote to its tables."""
    _listeners[app_label] = listener


# ---- may it be undone ----
def refusals(change_ids: list[int], roles: Roles, undone: dict[int, int]) -> dict[int, str]:
    """Change to the reason why it cannot be taken back by somebody with these roles; absent when it can be tried."""
    groups: dict[int, list[dict[str, Any]]] = defaultdict(list)
    listed = AuditEntry.objects.filter(change_id__in=change_ids).order_by()
    for group in listed.values("change_id", "table_name", "site_id", "action").distinct():
        groups[group["change_id"]].append(dict(group))
    found: dict[int, str] = {}
    for pk in change_ids:
        reason = f"It was undone by change {undone[pk]}." if pk in undone else _reason(groups[pk], roles)
        if reason:
            found[pk] = reason
    return found


def _reason(groups: list[dict[str, Any]], roles: Roles) -> str:
    if not groups:
        return "Nothing of it is in the log."
    tables = by_name()
    for group in groups:
        table = tables.get(group["table_name"])
        if table is not None and _came_with_another(table, group["action"], groups):
            continue
        if table is None or table.declared.undo is None:
            kind = table.kind if table else group["table_name"]
            return f"It wrote {kind}, which have their own ways back."
        if table.hidden and group["action"] != AuditEntry.Action.CHANGED:
            return f"It {group['action']} {table.kind}, whose secrets are not in the log."
        if not may_undo(table, roles, group["site_id"]):
            return "Your role does not allow it."
    return ""


def _came_with_another(table: Table, action: str, groups: list[dict[str, Any]]) -> bool:
    """Whether the change also made, or removed, rows of the model that brings rows of this table."""
    owner = owner_of(table)
    return owner is not None and action != AuditEntry.Action.CHANGED and any(
        group["table_name"] == owner.name and group["action"] == action for group in groups
    )  # fmt: skip


def owner_of(table: Table) -> Table | None:
    """The table whose new rows bring rows of this one."""
    wanted = table.declared.comes_with.lower()
    if not wanted:
        return None
    return next((each for each in by_name().values() if each.model._meta.label_lower == wanted), None)


def may_undo(table: Table, roles: Roles, site_id: int | None) -> bool:
    needed = table.declared.undo
    if needed is None or not may_read(table, roles, site_id):
        return False
    return is_administrator(roles) if table.declared.read is None else allows(roles, site_id, needed)


# ---- doing it ----
@dataclass
class Work:
    """What was written so far, and what stood in the way."""

    written: dict[int | None, set[tuple[str, int]]] = field(default_factory=lambda: defaultdict(set))
    differences: list[tuple[Row, str, Any, Any]] = field(default_factory=list)
    taken_out: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Ids by table."""
    returned: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The same of what was put back."""
    brought: dict[tuple[str, str], set[int]] = field(default_factory=lambda: defaultdict(set))
    """(kind, table) to ids: whose rows of that kind are left to who brought them."""


def rows_in(change: AuditChange) -> int:
    """How many rows a change wrote."""
    return int(AuditEntry.objects.filter(change=change).aggregate(rows=Sum("size"))["rows"] or 0)


def undo(
    change: AuditChange, roles: Roles, *, lock_wait: str = LOCK_WAIT, progress: Told = lambda done, total: None
) -> AuditChange:
    """Take a change back; returns the change that did. Raises UndoRefused, having changed nothing.

    `progress` hears how many rows are done, of how many.
    """
    try:
        with transaction.atomic():
            return _undo(change, roles, lock_wait, progress)
    except IntegrityError as error:
        name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None)
        raise UndoRefused(f"The database refuses it now ({name or str(error).splitlines()[0]}).") from error


def _undo(change: AuditChange, roles: Roles, lock_wait: str, progress: Told) -> AuditChange:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{lock_wait}'; SET CONSTRAINTS ALL DEFERRED")
    list(AuditChange.objects.select_for_update().filter(pk=change.pk))  # two people press at once: one after the other
    reasons = refusals([change.pk], roles, undone_by([change.pk]))
    if change.pk in reasons:
        raise UndoRefused(reasons[change.pk])
    work, total, taken_back = Work(), rows_in(change), 0
    with actor.noting(note=f"undoes change {change.pk}", undoes=change.pk):
        for rows in entries_backwards(change):
            if owner := owner_of(rows[0].table):
                note_brought(owner, rows, work)
            else:
                STEPS[rows[0].action](rows[0].table, rows, work)
            if work.differences:
                raise UndoRefused("Something changed since.", told(change, work))
            taken_back += len(rows)
            progress(taken_back, total)
        for (kind, owner_table), ids in work.brought.items():
            if ids - work.taken_out[owner_table] - work.returned[owner_table]:
                raise UndoRefused(f"It wrote {kind}, which have their own ways back.")
        check_constraints(change, work)
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('rackside.change', true)")
            mark = cursor.fetchone()[0]
    done = AuditChange.objects.filter(pk=int(mark.split("|")[0]), undoes_id=change.pk).first() if mark else None
    if done is None:
        raise UndoRefused("Nothing of it would change.")
    announce(work, done.actor)
    return done


def entries_backwards(change: AuditChange) -> Iterator[list[Row]]:
    """The rows of each entry of a change, the last written first."""
    listed = AuditEntry.objects.filter(change=change).order_by("-id").values_list("pk", "size")
    part: list[int] = []
    held = 0
    for pk, size in [*listed, (0, READ_ROWS)]:
        if part and held + size > READ_ROWS:
            by_entry: dict[int, list[Row]] = defaultdict(list)
            for row in rows_of(part):
                by_entry[row.entry_id].append(row)
            yield from (by_entry[entry] for entry in sorted(by_entry, reverse=True))
            part, held = [], 0
        part.append(pk)
        held += size


def note_brought(owner: Table, rows: list[Row], work: Work) -> None:
    """Remember of whom these rows are; some are of nobody, as a pool is."""
    table = rows[0].table
    for column in (column for column, target in table.references.items() if target == owner.name):
        for row in rows:
            work.brought[table.kind, owner.name].add((row.data.get("after") or row.data["before"])[column])


def check_constraints(change: AuditChange, work: Work) -> None:
    """Raises UndoRefused with what refers to the rows that were taken out; IntegrityError for what else is wrong."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except IntegrityError:
        work.differences = in_the_way(change, work)
        if not work.differences:
            raise
        differences = told(change, work)
        names = list(dict.fromkeys(f"{each['name']} has {each['field']}" for each in differences))
        raise UndoRefused(f"Something happened since: {', '.join(names[:NAMED])}.", differences) from None


def in_the_way(change: AuditChange, work: Work) -> list[tuple[Row, str, Any, Any]]:
    """Rows of other tables that refer to what was taken out, as differences of those records."""
    tables, found = by_name(), []
    for name, ids in work.taken_out.items():
        for key in referring(tables[name].model):
            left = key.model._default_manager.filter(**{f"{key.name}__in": ids})
            for owner, count in left.order_by().values_list(key.attname).annotate(count=Count("pk"))[:TOLD]:
                kind = table_of(key.model).kind.replace("-", " ")
                found += [(row, kind, 0, count) for row in row_of(change, tables[name], owner)]
    return found[:TOLD]


def referring(model: type[Model]) -> list[Any]:
    """The foreign keys to a model."""
    keys = [each.remote_field for each in model._meta.get_fields(include_hidden=True) if each.auto_created]
    return [key for key in keys if isinstance(key, ForeignKey)]


def row_of(change: AuditChange, table: Table, pk: int) -> list[Row]:
    """The row of a change that made a record."""
    fitting = AuditEntry.objects.filter(change=change, table_name=table.name, about__contains={table.root: [pk]})
    return rows_of(fitting.values_list("pk", flat=True), (table.root, pk))[:1]


def announce(work: Work, who: str) -> None:
    tables = by_name()
    for site, keys in work.written.items():
        by_app: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for table, pk in keys:
            by_app[tables[table].model._meta.app_label].add((table, pk))
        for app, listener in _listeners.items():
            if site is not None and app in by_app:
                listener(site, by_app[app], who)


def current_rows(table: Table, rows: list[Row]) -> dict[int, dict[str, Any]]:
    """The rows as they are now, locked in the order of their keys."""
    with connection.cursor() as cursor:
        key = quoted(table.pk)
        cursor.execute(
            f"SELECT r.{key}, to_jsonb(r) FROM {quoted(table.name)} r WHERE r.{key} = ANY(%s) "
            f"ORDER BY r.{key} FOR UPDATE",
            [[row.data["id"] for row in rows]],
        )
        return {pk: json.loads(now) for pk, now in cursor.fetchall()}


def compare(table: Table, rows: list[Row], work: Work) -> None:
    """Note every column that is no longer what the change left."""
    there = current_rows(table, rows)
    ignored = set(table.columns(table.noise)) | set(table.columns(table.hidden))
    for row in rows:
        now = there.get(row.data["id"])
        if now is None:
            work.differences.append((row, "", "there", "deleted"))
            continue
        for column, left in (row.data.get("after") or {}).items():
            if column not in ignored and column in now and now[column] != left:
                work.differences.append((row, column, left, now[column]))
        if HIDDEN in (row.data.get("after") or {}).values():
            raise UndoRefused(f"It changed a secret of {table.kind}, which is not in the log.")
        if row.action == AuditEntry.Action.CHANGED and not (row.data.get("before") and row.data.get("after")):
            raise UndoRefused(f"It changed the number of {table.kind}.")
        work.written[row.site_id].add((table.name, row.data["id"]))


def take_out(table: Table, rows: list[Row], work: Work) -> None:
    ids = [row.data["id"] for row in rows]
    if leaving := _leaving.get(table.model._meta.label_lower):
        leaving(ids)  # before rows are locked here: who writes facts of them locks in the same order
    compare(table, rows, work)
    if not work.differences:
        work.taken_out[table.name].update(ids)
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {quoted(table.name)} WHERE {quoted(table.pk)} = ANY(%s)", [ids])


def put_back(table: Table, rows: list[Row], work: Work) -> None:
    there = current_rows(table, rows)
    work.differences += [(row, "", "deleted", "there again") for row in rows if row.data["id"] in there]
    if work.differences:
        return
    known = field_names(table).keys()
    columns = [quoted(name) for name in sorted(set(rows[0].data["before"]) & known)]
    listed = ", ".join(columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quoted(table.name)} ({listed}) "
            f"SELECT {listed} FROM jsonb_populate_recordset(NULL::{quoted(table.name)}, %s::jsonb)",
            [json.dumps([row.data["before"] for row in rows])],
        )
    for row in rows:
        work.written[row.site_id].add((table.name, row.data["id"]))
        work.returned[table.name].add(row.data["id"])


def set_back(table: Table, rows: list[Row], work: Work) -> None:
    compare(table, rows, work)
    if work.differences:
        return
    by_columns: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    known = field_names(table).keys()
    for row in rows:
        by_columns[tuple(sorted(set(row.data["before"]) & known))].append(row)
    with connection.cursor() as cursor:
        for columns, alike in by_columns.items():
            sets = ", ".join(f"{quoted(name)} = n.{quoted(name)}" for name in columns)
            key = quoted(table.pk)
            cursor.execute(
                f"UPDATE {quoted(table.name)} t SET {sets} "
                f"FROM jsonb_populate_recordset(NULL::{quoted(table.name)}, %s::jsonb) n WHERE t.{key} = n.{key}",
                [json.dumps([{**row.data["before"], table.pk: row.data["id"]} for row in alike])],
            )


STEPS: dict[str, Callable[[Table, list[Row], Work], None]] = {
    AuditEntry.Action.CREATED: take_out,
    AuditEntry.Action.DELETED: put_back,
    AuditEntry.Action.CHANGED: set_back,
}


def told(change: AuditChange, work: Work) -> list[dict[str, Any]]:
    """The first differences with the names of the records, and who made them."""
    shown = work.differences[:TOLD]
    names = names_of({key for row, *_ in shown for key in referred(row.table, row.data)})
    later: dict[tuple[str, int], AuditChange] = {}
    where = Q()
    for row, *_ in shown:
        where |= Q(table_name=row.table.name, about__contains={row.table.root: [row.data["id"]]})
    newer = AuditEntry.objects.filter(where, change_id__gt=change.pk).exclude(change__undoes_id=change.pk)
    for entry in newer.select_related("change").order_by("id").only("table_name", "about", "change"):
        for row, *_ in shown:
            if entry.table_name == row.table.name and row.data["id"] in entry.about.get(row.table.root, []):
                later[row.table.name, row.data["id"]] = entry.change
    return [
        {
            "kind": row.table.kind,
            "object": row.data["id"],
            "name": own_name(row.table, row.data, names),
            "field": field_names(row.table).get(column, column),
            "expected": expected,
            "current": current,
            "change": by.pk if by else None,
            "by": by.actor if by else "",
            "at": by.at.isoformat() if by else None,
        }
        for row, column, expected, current in shown
        for by in [later.get((row.table.name, row.data["id"]))]
    ]
