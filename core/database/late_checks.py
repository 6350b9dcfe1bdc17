"""Rows for empty tables, checked against their constraints all at once instead of one by one.

PostgreSQL looks for each row of a fleet whether what it refers to is there, and whether anything overlaps it. When a
constraint is added afterwards it checks all of them by one join; restoring a dump works the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

CONSTRAINTS = """
SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid = ANY(%(tables)s::regclass[]) AND conparentid = 0
    AND (contype = 'x' OR contype = 'f' AND confrelid = ANY(%(tables)s::regclass[]))
ORDER BY contype DESC, conname
"""

DEFERRED = """
SELECT string_agg(quote_ident(conname), ', ') FROM pg_constraint
WHERE conrelid = ANY(%s::regclass[]) AND condeferred
"""


@contextmanager
def checked_at_the_end(tables: tuple[str, ...]) -> Iterator[None]:
    """Within a transaction: take exclusions of these tables, and foreign keys from one to another, away and add them
    again after the block. Foreign keys to other tables stay: to take those away would lock them.

    Others wait for these tables until the transaction ends, so this is for empty ones: where one holds rows, nothing is
    taken away. Raises IntegrityError at the end for rows that a constraint refuses.
    """
    with connection.cursor() as cursor:
        cursor.execute(" OR ".join(f"EXISTS (SELECT FROM {table})" for table in tables).join(("SELECT ", "")))
        (filled,) = cursor.fetchone()
        found: list[tuple[str, str, str]] = []
        if not filled:
            cursor.execute(CONSTRAINTS, {"tables": list(tables)})
            found = cursor.fetchall()
        for table, name, _ in found:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        yield
        if not found:
            return
        cursor.execute(DEFERRED, [list(tables)])
        (deferred,) = cursor.fetchone()
        if deferred:  # a table whose rows wait to be checked cannot be altered
            cursor.execute(f"SET CONSTRAINTS {deferred} IMMEDIATE")
        for table, name, definition in found:
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        if deferred:
            cursor.execute(f"SET CONSTRAINTS {deferred} DEFERRED")
