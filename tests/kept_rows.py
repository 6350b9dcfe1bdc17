"""Rows that many tests begin with: made once in each test process, then copied into the transaction of each test.

A fleet takes a second to load, because it is checked, placed and written into the history as in service. The rows that
come of it are the same each time, so the first test that asks for them loads and the others copy what was written, the
history with it, in some milliseconds. What is checked while loading is the subject of tests of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

from django.db import OperationalError, connection, connections, transaction
from psycopg.errors import LockNotAvailable

from inventory.fleet.load import load

FILLED = """
    SELECT t::text, to_regclass(format('pristine.%I', t)) IS NULL
    FROM pristine.tables() t WHERE pristine.is_filled(t)
"""
COLUMNS = """
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""


@dataclass(frozen=True)
class Rows:
    """All rows of one table, as PostgreSQL's COPY writes them."""

    table: str
    columns: str
    data: bytes
    was_filled: bool
    is_large: bool


kept: dict[Hashable, list[Rows]] = {}
ANALYZE_FROM = 200
"""Rows from which the planner's statistics would mislead: who loads a fleet in service has them taken as well."""
LOGS = {"core_auditchange", "core_auditentry", "live_event"}
"""Tables where rows of anything stand beside each other."""


def once(key: Hashable, make: Callable[[], object]) -> None:
    """Fill the database as `make` does, which depends on nothing but what `key` names.

    Where tables that it fills hold rows already, `make` itself is called: its rows may be among those.
    """
    if key not in kept and (found := made_apart(make)) is not None:
        kept[key] = found
    if key in kept and not filled() & {each.table for each in kept[key]} - LOGS:
        put(kept[key])
    else:
        make()


def made_apart(make: Callable[[], object]) -> list[Rows] | None:
    """What `make` writes into a database with no other rows, over a connection of its own; then it is rolled back.

    None when a test committed rows before, or holds what `make` would wait for.
    """
    of_the_test = connections["default"]
    connections["default"] = apart = of_the_test.copy()
    try:
        if filled():
            return None
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '2s'")
            make()
            found = taken()
            transaction.set_rollback(True)
        return found
    except (OperationalError, LockNotAvailable):  # the second from a COPY, which Django does not translate
        return None
    finally:
        apart.close()
        connections["default"] = of_the_test


def load_fleet(path: Path) -> None:
    """What loading this fleet file writes."""
    once(("fleet", path.read_bytes()), lambda: load(path))


def filled() -> set[str]:
    """Tables that hold rows and are empty after the migrations."""
    with connection.cursor() as cursor:
        cursor.execute(FILLED)
        return {table for table, is_new in cursor.fetchall() if is_new}


def taken() -> list[Rows]:
    """The rows of every table that holds others than the migrations wrote."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute(FILLED)
        for table, is_new in cursor.fetchall():
            if is_new or differs(table):
                cursor.execute(COLUMNS, [f'public."{table}"'])
                (columns,) = cursor.fetchone()
                with cursor.copy(f'COPY (SELECT {columns} FROM public."{table}") TO STDOUT (FORMAT binary)') as copy:
                    rows = list(map(bytes, copy))
                found.append(Rows(table, columns, b"".join(rows), not is_new, len(rows) >= ANALYZE_FROM))
    return found


def differs(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pristine.differs(%s)", [table])
        return bool(cursor.fetchone()[0])


def put(tables: list[Rows]) -> None:
    """Write them back: without foreign keys and triggers, whose work is among the rows."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for each in tables:
            if each.was_filled:
                cursor.execute(f'DELETE FROM public."{each.table}"')
            with cursor.copy(f'COPY public."{each.table}" ({each.columns}) FROM STDIN (FORMAT binary)') as copy:
                copy.write(each.data)
            if each.is_large:
                cursor.execute(f'ANALYZE (SKIP_LOCKED) public."{each.table}"')
        cursor.execute("SET LOCAL session_replication_role = origin")
