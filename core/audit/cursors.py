"""The cursor of every database connection: what writes is sent together with who writes.

The two travel as one message, so naming the actor costs no round trip, holds in autocommit as well (PostgreSQL runs a
message as one transaction) and cannot outlive its transaction. Nothing is remembered on this side, so there is nothing
that a savepoint, a pooled connection or another thread could bring out of step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from django.db.backends.postgresql import base
from psycopg import Copy
from psycopg.pq import TransactionStatus

from core.audit import actor

Cursor: Any = base.Cursor  # its types are written for both drivers that Django knows

BEFORE = r"\A(?:[\s(]|--[^\n]*\n|/\*.*?\*/)*"
WRITES = re.compile(
    BEFORE + r"(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE|CALL|DO|EXECUTE)\b"
    rf"|{BEFORE}WITH\b.*\b(?:INSERT|UPDATE|DELETE|MERGE)\b",
    re.IGNORECASE | re.DOTALL,
)


def writes(query: Any) -> bool:
    """Whether a statement may change rows. One that is missed is refused by the triggers, never lost."""
    return isinstance(query, str) and WRITES.match(query) is not None


class ActingCursor(Cursor):
    """Django's cursor that names the actor before every write, COPY included."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        if not writes(query):
            return super().execute(query, params, **options)
        said = actor.statement(actor.current())
        super().execute((said if params is None else said.replace("%", "%%")) + query, params, **options)
        self.nextset()
        return self

    def executemany(self, query: Any, params_seq: Iterable[Any], **options: Any) -> None:
        if not writes(query):
            super().executemany(query, params_seq, **options)
            return
        with self._in_transaction():
            super().execute(actor.statement(actor.current()))
            super().executemany(query, params_seq, **options)

    @contextmanager
    def copy(self, statement: Any, params: Any = None, **options: Any) -> Iterator[Copy]:
        with self._in_transaction():
            super().execute(actor.statement(actor.current()))
            with super().copy(statement, params, **options) as copy:
                yield copy

    def _in_transaction(self) -> AbstractContextManager[Any]:
        """One transaction for several messages where the caller has none."""
        connection = self.connection
        alone = connection.autocommit and connection.info.transaction_status == TransactionStatus.IDLE
        return connection.transaction() if alone else nullcontext()


def use_acting_cursors(connection: Any, **_: Any) -> None:
    """Receiver of `connection_created`: also for a connection that comes out of a pool."""
    if connection.vendor == "postgresql":
        connection.connection.cursor_factory = ActingCursor
