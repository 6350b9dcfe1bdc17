"""Reads that PostgreSQL plans once for a connection instead of each time: for small answers that are asked for often.

A read of one port or one rack joins eight tables and finds a handful of rows: to plan it takes longer than to run it.
Elsewhere statements are planned for their values, which is better where these decide how much there is to read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.postgresql import base
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
