"""Bulk statements: one for any number of rows. The rows travel as one JSON parameter, typed by the table itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import orjson
from django.db import connection
from django.db.models import Field, ForeignObject, Lookup

Row = dict[str, Any]
ANALYZE_FROM = 200  # new rows from which to look whether a table grew much


@ForeignObject.register_lookup
@Field.register_lookup
class IsAny(Lookup):
    """`name__any=[...]`: one array parameter instead of one parameter for each value."""

    lookup_name = "any"

    def get_prep_lookup(self) -> list[Any]:
        return list(self.rhs)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        left, params = self.process_lhs(compiler, connection)
        return f"{left} = ANY(%s)", (*params, self.rhs)


def execute(statement: str, *params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall() if cursor.description else []


def written(statement: str, *params: Any) -> int:
    """How many rows it wrote."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return int(cursor.rowcount)


def new_ids(table: str, how_many: int) -> list[int]:
    """Ids from the table's sequence, so that rows that refer to new rows can be written at once."""
    rows = execute(  # the sequence is looked up once, not for each row
        "SELECT nextval(s.name) FROM (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS name OFFSET 0) s, "
        "generate_series(1, %s)", table, how_many,
    )  # fmt: skip
    return [pk for (pk,) in rows]


def insert(table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    if rows:
        names = ", ".join(map(quoted, columns))
        execute(
            f"INSERT INTO {table} ({names}) SELECT {names} FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb)",
            as_json(rows),
        )
        analyze_if_grown(table, len(rows))


def analyze_if_grown(table: str, new: int) -> None:
    """Fresh statistics for a table that grew by half since its last ones, which would mislead the planner.

    The triggers of the audit log join what was just written, in this very transaction, before any autovacuum. Pages
    alone do not tell: after a dry run, or a write that was refused at its end, a table has those of what is gone.
    """
    if new < ANALYZE_FROM:
        return
    [(grown,)] = execute(
        "SELECT %s > 0.5 * greatest(reltuples, 0) "
        "OR pg_relation_size(oid) / current_setting('block_size')::int > 1.5 * greatest(relpages, 1) "
        "FROM pg_class WHERE oid = %s::regclass", new, table,
    )  # fmt: skip
    if grown:
        execute(f"ANALYZE (SKIP_LOCKED) {table}")


def update(table: str, columns: Sequence[str], rows: Sequence[Row], key: str = "id") -> None:
    """Set these columns of the rows with these keys."""
    if rows and columns:
        changes = ", ".join(f"{quoted(name)} = n.{quoted(name)}" for name in columns)
        execute(
            f"UPDATE {table} t SET {changes} FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) n "
            f"WHERE t.{quoted(key)} = n.{quoted(key)}",
            as_json(rows),
        )


def delete(table: str, column: str, ids: Iterable[int]) -> None:
    wanted = list(ids)
    if wanted:
        execute(f"DELETE FROM {table} WHERE {quoted(column)} = ANY(%s)", wanted)


def lock(table: str, ids: Iterable[int]) -> set[int]:
    """Lock rows in id order, so that two writers never wait for each other; returns those that exist."""
    wanted = sorted(set(ids))
    if not wanted:
        return set()
    rows = execute(f"SELECT id FROM {table} WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE", wanted)
    return {pk for (pk,) in rows}


def as_json(value: Any) -> str:
    """The same text for the same value."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS).decode()


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} in a row")


def quoted(name: str) -> str:
    return f'"{name}"'
