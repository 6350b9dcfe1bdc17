"""Reads that PostgreSQL plans once for a connection instead of each time: for small answers that are asked for often.

A read of one port or one rack joins eight tables and finds a handful of rows: to plan it takes longer than to run it.
Elsewhere statements are planned for their values, which is better where these decide how much there is to read. The
connection says `plan_cache_mode=force_generic_plan`: by itself PostgreSQL plans `= ANY(ids)` anew each time, since it
takes ten ids for granted where it does not know them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.backends.postgresql import base
from django.db.models import QuerySet
from psycopg.pq import Format

ServerBindingCursor: Any = base.ServerBindingCursor  # its types are written for both drivers that Django knows

TIMESTAMP = psycopg.adapters.types["timestamptz"].oid
LOADER = psycopg.adapters.get_loader(TIMESTAMP, Format.TEXT)
"""The driver's own loader of timestamps: Django's is written in Python, and a floor has 511 of them. Both give aware
datetimes in the time zone of the connection, which is UTC."""


class PreparedCursor(ServerBindingCursor):
    """Sends values apart from the statement, which the connection keeps under a name of its own."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(query, params, prepare=True, **options)


def rows(statement: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a SELECT. Its text is the same each time, and says the types of its parameters where it must."""
    connection.ensure_connection()
    database: Any = connection
    with database._prepare_cursor(PreparedCursor(database.connection)) as cursor:
        cursor.adapters.register_loader(TIMESTAMP, LOADER)
        cursor.execute(statement, params)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


FEW = 100
"""Ids up to which a read goes by index, however it is planned; no rack has more devices."""


def rows_by_id(statement: str, ids: Sequence[int]) -> list[tuple[Any, ...]]:
    """All rows of a SELECT with one parameter, a list of ids: planned once for a few, for many as many as they are."""
    if len(ids) <= FEW:
        return rows(statement, [list(ids)])
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(ids)])
        return cursor.fetchall()


MARK = -1
"""Stands for the ids while a queryset is compiled."""


class ById:
    """A queryset of tuples for a few ids at a time: Django builds its statement once, PostgreSQL plans it once.

    The queryset must not depend on who asks or when: its other values stay as they are now.
    """

    def __init__(self, tuples: QuerySet) -> None:
        self.query = tuples.filter(pk__any=[MARK]).order_by().query
        compiler = self.query.get_compiler(DEFAULT_DB_ALIAS)
        self.statement, params = compiler.as_sql()
        self.before = params[: params.index([MARK])]
        self.after = params[len(self.before) + 1 :]
        self.selected = [column for column, _, _ in compiler.select]

    def rows(self, ids: Sequence[int]) -> Iterator[tuple[Any, ...]]:
        found = rows(self.statement, [*self.before, list(ids), *self.after])
        compiler = self.query.get_compiler(DEFAULT_DB_ALIAS)  # it holds the connection of its thread: none is kept
        return map(tuple, compiler.apply_converters(found, compiler.get_converters(self.selected)))
