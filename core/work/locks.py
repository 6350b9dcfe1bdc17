"""Work that only one worker may do at a time, by PostgreSQL's advisory locks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def only_here(kind: int, number: int) -> Iterator[bool]:
    """Whether this worker holds the lock of one piece of work; one that dies loses it with its connection.

    `kind` tells one sort of work from another, `number` is the id of the piece.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [kind, number % 2**31])
        (held,) = cursor.fetchone()
    try:
        yield bool(held)
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [kind, number % 2**31])
