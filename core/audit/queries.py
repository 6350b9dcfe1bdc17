"""Reading the log: which changes, which of their rows, and how each is said to a person.

The number of SQL statements of a page is fixed: how many there are, the changes, which entries they have, the rows of
those, what may be undone, what was undone, and names.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from core.accounts.scope import allows, is_administrator
from core.audit.names import Key, names_of, own_name, referred
from core.audit.tables import Table, by_kind, by_name
from core.audit.triggers import HIDDEN, target_of, text
from core.models import AuditChange, AuditEntry, Role

Roles = dict[int | None, Role]
SHOWN = 20
"""Rows of a change that a list shows."""


@dataclass(frozen=True)
class Filters:
    """What a reader asks for; `kind` is a plural API name. With `object` also what belongs to that record."""

    kind: str = ""
    object: int | None = None
    actor: str = ""
    request_id: str = ""
    action: str = ""
    since: datetime | None = None
    until: datetime | None = None
    site: int | None = None
    search: str = ""

    @property
    def subject(self) -> Key | None:
        """(table, id) of the record asked for."""
        if self.object is None or not self.kind:
            return None
        return by_kind()[self.kind][0].root, self.object


@dataclass(frozen=True)
class Row:
    """One row of the log with the entry it stands in."""

    entry_id: int
    change_id: int
    site_id: int | None
    table: Table
    action: str
    data: dict[str, Any]


# ---- what may be seen ----
def may_read(table: Table, roles: Roles, site_id: int | None) -> bool:
    """Whether the history of rows of this table and site is open to somebody with these roles."""
    needed = table.declared.read
    if needed is None:
        return is_administrator(roles)
    if site_id is None and table.site is None:  # shared by all sites, such as device models
        return any(role.rank >= needed.rank for role in roles.values())
    return allows(roles, site_id, needed)


def visible(roles: Roles) -> Q:
    """Condition on entries. One without a site, of all sites or of a lost one, needs a role on every site."""
    if is_administrator(roles):
        return Q()
    condition = Q(pk__in=[])
    groups: dict[Role, list[Table]] = defaultdict(list)
    for table in by_name().values():
        if table.declared.read is not None:
            groups[table.declared.read].append(table)
    for needed, tables in groups.items():
        names = [table.name for table in tables]
        if allows(roles, None, needed):
            condition |= Q(table_name__in=names)
            continue
        sites = [site for site in roles if site is not None and allows(roles, site, needed)]
        if sites:
            shared = [table.name for table in tables if table.site is None]
            condition |= Q(table_name__in=names, site_id__in=sites) | Q(table_name__in=shared, site_id=None)
    return condition


# ---- which changes ----
def entries(filters: Filters, roles: Roles) -> QuerySet[AuditEntry]:
    """Entries that fit, of what may be seen."""
    found = AuditEntry.objects.filter(visible(roles))
    subject = filters.subject
    if subject is not None:
        found = found.filter(about__contains={subject[0]: [subject[1]]})
    elif filters.kind:
        found = found.filter(table_name__in=[table.name for table in by_kind()[filters.kind]])
    if filters.action:
        found = found.filter(action=filters.action)
    if filters.site is not None:
        found = found.filter(site_id=filters.site)
    return found


def changes(filters: Filters, roles: Roles) -> QuerySet[AuditChange]:
    """Changes that fit, the newest first."""
    fitting = entries(filters, roles)
    found = AuditChange.objects.all()
    if filters.search:
        inside = fitting.annotate(as_text=Cast("rows", TextField())).filter(as_text__icontains=filters.search)
        words = Q(pk__in=inside.values("change_id"))
        for name in ("actor", "source", "note", "request_id"):
            words |= Q(**{f"{name}__icontains": filters.search})
        found = found.filter(words)
    if filters.actor:
        found = found.filter(actor=filters.actor)
    if filters.request_id:
        found = found.filter(request_id=filters.request_id)
    if filters.since is not None:
        found = found.filter(at__gte=filters.since)
    if filters.until is not None:
        found = found.filter(at__lt=filters.until)
    return found.filter(pk__in=fitting.values("change_id")).order_by("-id")


# ---- their rows ----
def index(fitting: QuerySet[AuditEntry], ids: Sequence[int]) -> dict[int, list[tuple[int, int, int | None]]]:
    """Change to (entry, rows in it, site), oldest first."""
    found: dict[int, list[tuple[int, int, int | None]]] = {pk: [] for pk in ids}
    listed = fitting.filter(change_id__in=ids).order_by("id").values_list("change_id", "id", "size", "site_id")
    for change, entry, size, site in listed:
        found[change].append((entry, size, site))
    return found


def rows_of(entry_ids: Iterable[int], subject: Key | None = None, most: int | None = None) -> list[Row]:
    """Rows of entries in their order: those of one record and what belongs to it, or the first of each entry."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, change_id, site_id, table_name, action, {_rows_sql(subject, most)} FROM core_auditentry "
            "WHERE id = ANY(%s) ORDER BY id",
            [list(entry_ids)],
        )
        found = cursor.fetchall()
    tables = by_name()
    return [
        Row(entry, change, site, tables[table], action, data)
        for entry, change, site, table, action, rows in found
        if table in tables  # otherwise of a model that is gone
        for data in json.loads(rows)
    ]


def sizes(
    rows: dict[int, list[Row]], listed: dict[int, list[tuple[int, int, int | None]]], *, whole: bool
) -> dict[int, Counter[tuple[str, str]]]:
    """Change to (table, action) and how many rows of these it has: those read where all are (`whole`), otherwise what
    the entries they stand in count."""
    found: dict[int, Counter[tuple[str, str]]] = {}
    for change, read in rows.items():
        if whole:
            found[change] = Counter((row.table.name, row.action) for row in read)
            continue
        kinds = {row.entry_id: (row.table.name, row.action) for row in read}
        found[change] = Counter()
        for entry, size, _ in listed[change]:
            if entry in kinds:
                found[change][kinds[entry]] += size
    return found


def _rows_sql(subject: Key | None, most: int | None) -> str:
    if subject is None:
        return "rows::text" if most is None else f"jsonb_path_query_array(rows::jsonb, '$[0 to {most - 1}]')"
    root, pk = subject
    cases = []
    for table in by_name().values():
        tests = _row_tests(table, root)
        if tests:
            path = f"$[*] ? ({' || '.join(tests)})".replace("%", "%%")
            value = f"jsonb_path_query_array(rows::jsonb, {text(path)}, '{{\"id\": {pk:d}}}')"
            cases.append(f"WHEN {text(table.name)} THEN {value}")
    return f"CASE table_name {' '.join(cases)} ELSE '[]' END" if cases else "'[]'::jsonb"


def _row_tests(table: Table, root: str) -> list[str]:
    """JSON path conditions under which a row of this table is the record $id of `root`, or belongs to it."""
    tests = ["@.id == $id"] if table.root == root else []
    for path in table.belongs_to:
        if target_of(table, path) != root:
            continue
        if len(path) > 1:
            tests.append(f'@.of."{root}" == $id')
        else:
            column: Any = table.model._meta.get_field(path[0])
            tests += [f'@.{side}."{column.column}" == $id' for side in ("after", "before", "is")]
    return tests


# ---- as people say it ----
def tell(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Rows as {kind, object, name, action, fields}, with names instead of numbers."""
    names = names_of({key for row in rows for key in referred(row.table, row.data)})
    told = [
        {
            "kind": row.table.kind,
            "object": row.data["id"],
            "name": own_name(row.table, row.data, names),
            "action": row.action,
            "fields": fields(row, names),
        }
        for row in rows
    ]
    again: dict[Any, list[tuple[dict[str, Any], dict[str, Any]]]] = defaultdict(list)
    for row, each in zip(rows, told, strict=True):
        if row.table.declared.retold:
            again[row.table.declared.retold].append((row.data, each))
    for retold, pairs in again.items():
        retold(pairs)
    return told


def fields(row: Row, names: dict[Key, str]) -> dict[str, dict[str, Any]]:
    """Field to {before, after}; of a created or deleted row those that are not empty."""
    before, after = row.data.get("before") or {}, row.data.get("after") or {}
    told: dict[str, dict[str, Any]] = {}
    for column in sorted(before.keys() | after.keys()):
        was, now = before.get(column), after.get(column)
        if row.action != AuditEntry.Action.CHANGED and (was if was is not None else now) in (None, "", {}, []):
            continue
        if column == row.table.pk:
            continue
        name, line = _field(row.table, column, was, now, names)
        told[name] = line
    return told


def _field(table: Table, column: str, was: Any, now: Any, names: dict[Key, str]) -> tuple[str, dict[str, Any]]:
    target = table.references.get(column)
    name = field_names(table).get(column, column)
    if target is not None:
        line = {"before": _name(target, was, names), "after": _name(target, now, names), "before_id": was,
                "after_id": now}  # fmt: skip
        return name, line
    if name in table.declared.shown:
        shown, say = table.declared.shown[name]
        return shown, {"before": None if was is None else say(was), "after": None if now is None else say(now)}
    return name, {"before": was, "after": now}


def _name(target: str, pk: Any, names: dict[Key, str]) -> Any:
    return None if pk is None else names.get((target, pk), HIDDEN if pk == HIDDEN else f"#{pk}")


def field_names(table: Table) -> dict[str, str]:
    """Column to field: device_id is `device`."""
    return {str(each.column): each.name for each in table.model._meta.concrete_fields}


# ---- undone or not ----
UNDONE = """
WITH RECURSIVE undoing AS (
    SELECT id, undoes_id FROM core_auditchange WHERE undoes_id = ANY(%s)
    UNION SELECT c.id, c.undoes_id FROM core_auditchange c JOIN undoing u ON c.undoes_id = u.id)
SELECT id, undoes_id FROM undoing ORDER BY id
"""


def undone_by(ids: Sequence[int]) -> dict[int, int]:
    """Change to the change that took it back and was not itself taken back."""
    with connection.cursor() as cursor:
        cursor.execute(UNDONE, [list(ids)])
        pairs = cursor.fetchall()
    by: dict[int, list[int]] = defaultdict(list)
    for pk, undone in pairs:
        by[undone].append(pk)

    def standing(pk: int) -> int | None:
        return next((each for each in reversed(by[pk]) if standing(each) is None), None)

    return {pk: found for pk in ids if (found := standing(pk)) is not None}


def in_batches(fitting: QuerySet[AuditEntry], subject: Key | None, batch: int = 20) -> Iterator[list[Row]]:
    """All rows of the fitting entries, the newest first, some entries at a time: for exports of any size."""
    last: int | None = None
    while True:
        part = fitting if last is None else fitting.filter(id__lt=last)
        ids = list(part.order_by("-id").values_list("id", flat=True)[:batch])
        if not ids:
            return
        last = ids[-1]
        yield sorted(rows_of(ids, subject), key=lambda row: -row.entry_id)
