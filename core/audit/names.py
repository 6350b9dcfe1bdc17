"""Human names of records, many at once: from the records themselves, and from the log for those that are gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import connection, models

from core.audit.tables import Table, table_of
from core.audit.triggers import Source, quoted, text
from core.models import AuditEntry

Key = tuple[str, int]
"""(table, id)"""

DEPTH = 4
"""Foreign keys that a name is followed over: an end's cable is two, its port's device too."""
FROM_LOG = 200
"""Records that are gone are looked for in the log up to this many; further ones keep their number."""


def names_of(keys: Iterable[Key]) -> dict[Key, str]:
    """Names of records, their number where the name is empty; one that is not known at all is left out. Two
    statements at most."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for table, pk in keys:
        wanted[table].add(pk)
    tables = {model._meta.db_table: table_of(model) for model in apps.get_models(include_auto_created=True)}
    parts, params = [], []
    for name in sorted(wanted.keys() & tables.keys()):
        parts.append(_select(tables[name]))
        params.append(sorted(wanted[name]))
    found: dict[Key, str] = {}
    if parts:
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(parts), params)
            found = {(table, pk): name or f"#{pk}" for table, pk, name in cursor.fetchall()}
    gone = [(table, pk) for table, ids in wanted.items() for pk in ids if (table, pk) not in found]
    return found | _from_log(gone[:FROM_LOG], tables)


def _select(table: Table) -> str:
    source = Source(quoted(table.name), table)
    name = _expression(source, table, (), DEPTH)
    key = f"r.{quoted(table.pk)}"
    return f"SELECT {text(table.name)}, {key}, {name} {source.sql()} WHERE {key} = ANY(%s)"


def _expression(source: Source, table: Table, path: tuple[str, ...], depth: int) -> str:
    """SQL text of the name of the record at the end of a path of foreign keys."""
    parts = []
    for name in table.names:
        if name in table.hidden:
            continue
        found: Any = table.model._meta.get_field(name)
        if isinstance(found, models.ForeignKey) and depth:
            parts.append(_expression(source, table_of(found.related_model), (*path, name), depth - 1))
        else:
            parts.append(f"nullif({source.alias(path)}.{quoted(found.column)}::text, '')")
    if not parts:
        return f"{source.column(path)}::text"
    joined = parts[0] if len(parts) == 1 else f"concat_ws({text(table.declared.between)}, {', '.join(parts)})"
    return f"{text(table.declared.prefix)} || {joined}" if table.declared.prefix else joined


def _from_log(keys: list[Key], tables: dict[str, Table]) -> dict[Key, str]:
    """Names of deleted records, from the entries that deleted them. Their own foreign keys are not followed."""
    if not keys:
        return {}
    ids: dict[str, set[int]] = defaultdict(set)
    where = models.Q()
    for table, pk in keys:
        ids[table].add(pk)
        where |= models.Q(table_name=table, about__contains={table: [pk]})
    found: dict[Key, str] = {}
    deleted = AuditEntry.objects.filter(where, action=AuditEntry.Action.DELETED).order_by("id")
    for name, rows in deleted.values_list("table_name", "rows"):
        for row in rows:
            if row["id"] in ids[name]:
                found[name, row["id"]] = own_name(tables[name], row, {}) or f"#{row['id']}"
    return found


def own_name(table: Table, row: dict[str, Any], names: dict[Key, str]) -> str:
    """The name of a row of the log from its own columns, with the names of what it refers to."""
    values = {**row.get("is", {}), **(row.get("before") or {}), **(row.get("after") or {})}
    parts = []
    for name in table.names:
        found: Any = table.model._meta.get_field(name)
        value = values.get(found.column)
        if value in (None, "") or name in table.hidden:
            continue
        target = table.references.get(found.column)
        parts.append(names.get((target, value), f"#{value}") if target else str(value))
    return table.declared.prefix + table.declared.between.join(parts) if parts else ""


def referred(table: Table, row: dict[str, Any]) -> Iterable[Key]:
    """Every record that a row of the log refers to by number."""
    for side in ("is", "before", "after"):
        for column, value in (row.get(side) or {}).items():
            if column in table.references and isinstance(value, int):
                yield table.references[column], value
