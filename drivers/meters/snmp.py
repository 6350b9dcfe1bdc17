"""Reading an SNMP agent, version 2c or 3: its identity, and subtrees at a bounded rate. Typed, no Django.

    async with SnmpSession("10.4.0.17", Community("public")) as agent:
        rows = await agent.walk("1.3.6.1.4.1.318.1.1.26")

An agent that does not answer, refuses, repeats itself or tells more than it may ends with an error and no rows: half a
walk would look like a device with half its outlets.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from drivers.gate import Gate, resolved
from drivers.meters.oids import Oid, Value, dotted, oid_of
from drivers.meters.snmp_access import Community, SnmpUser, check

if TYPE_CHECKING:
    from drivers.meters.snmp_engines import Engine, Told

__all__ = [
    "PORT",
    "AccessRefused",
    "BadWalk",
    "Community",
    "Identity",
    "NoAnswer",
    "Row",
    "SnmpError",
    "SnmpSession",
    "SnmpUser",
]

PORT = 161
TIMEOUT_S, RETRIES = 3.0, 1
TOTAL_S = 60.0
"""Seconds that one walk may take."""
REPETITIONS = 25
"""Rows of one answer: more does not fit into the datagrams that small agents send."""
PAUSE_S = 0.02
"""Between two requests: the processor of a PDU also switches its outlets."""
MOST_ROWS = 50_000
SYS_DESCR, SYS_OBJECT_ID = "1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.1.2.0"


class SnmpError(Exception):
    """The agent gave no usable answer."""


class NoAnswer(SnmpError):
    """Nothing came in time: it is off, elsewhere, or does not know the community. An agent does not say which."""


class AccessRefused(SnmpError):
    """It does not know the user of version 3, or one of the passwords is wrong."""


class BadWalk(SnmpError):
    """It told rows that cannot be: repeated, out of order, or too many."""


class Row(NamedTuple):
    """One variable. Texts are what the agent's bytes say in UTF-8, object identifiers as `1.3.6`."""

    oid: Oid
    value: Value


class Identity(NamedTuple):
    """What an agent says of itself: the text, and the object identifier of its kind."""

    description: str
    object_id: Oid


class SnmpSession:
    """One agent. Raises SnmpError's family; OSError where the gate refuses its address or its name has none."""

    def __init__(
        self, host: str, access: Community | SnmpUser, *, port: int = PORT, gate: Gate | None = None,
        timeout_s: float = TIMEOUT_S, total_s: float = TOTAL_S,
    ) -> None:  # fmt: skip
        self.host, self.port, self.gate = host, port, gate
        self.timeout_s, self.total_s = timeout_s, total_s
        check(access)
        self._access = access
        self._engine: Engine | None = None

    async def __aenter__(self) -> Self:
        from drivers.meters.snmp_engines import Engine  # loads pysnmp: 12 MB for those alone who ask an agent

        _, where = await resolved(self.host, self.port, self.gate)
        self._engine = Engine(self._access, where, timeout_s=self.timeout_s, retries=RETRIES)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open().close()
        self._engine = None

    def _open(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("the session is not open")
        return self._engine

    async def identity(self) -> Identity:
        """Also the cheapest question whether the agent answers at all."""
        engine = self._open()
        rows = await self._answer(engine.get(oid_of(SYS_DESCR), oid_of(SYS_OBJECT_ID)))
        told = dict(_row(row) for row in rows if not engine.is_nothing(row[1]))
        kind = told.get(oid_of(SYS_OBJECT_ID))
        if not isinstance(kind, str):
            raise BadWalk("it does not say what it is")
        return Identity(str(told.get(oid_of(SYS_DESCR), "")), oid_of(kind))

    async def walk(self, base: str) -> list[Row]:
        """All below an object identifier, in order; nothing where the agent has no such subtree."""
        engine, root = self._open(), oid_of(base)
        ends = time.monotonic() + self.total_s
        found: list[Row] = []
        at = root
        while True:
            if time.monotonic() > ends:
                raise NoAnswer(f"the walk of {base} took longer than {self.total_s:.0f} s")
            rows = await self._answer(engine.next_rows([at], REPETITIONS))
            if not rows:
                return found
            for name, value in rows:
                if engine.is_end(value):
                    return found
                row = _row((name, value))
                if row.oid[: len(root)] != root:
                    return found
                if row.oid <= at:
                    raise BadWalk(f"it tells {dotted(row.oid)} again, or before what it told last")
                at = row.oid
                if not engine.is_nothing(value):
                    found.append(row)
            if len(found) > MOST_ROWS:
                raise BadWalk(f"it has more than {MOST_ROWS} rows below {base}")
            await asyncio.sleep(PAUSE_S)

    async def table(self, entry: str, columns: Sequence[int]) -> list[Row]:
        """Columns of a table, in step; `entry` is the object identifier of its rows. A column that the agent does not
        have is empty."""
        engine, base = self._open(), oid_of(entry)
        ends = time.monotonic() + self.total_s
        found: list[Row] = []
        at = {column: (*base, column) for column in columns}
        while at:
            if time.monotonic() > ends:
                raise NoAnswer(f"the walk of {entry} took longer than {self.total_s:.0f} s")
            asked = list(at)
            times = max(1, REPETITIONS // len(asked))
            rows = await self._answer(engine.next_rows(list(at.values()), times))
            for place, (name, value) in enumerate(rows):
                column = asked[place % len(asked)]
                row = None if engine.is_end(value) else _row((name, value))
                if column not in at or row is None or row.oid[: len(base) + 1] != (*base, column):
                    at.pop(column, None)
                    continue
                if row.oid <= at[column]:
                    raise BadWalk(f"it tells {dotted(row.oid)} again, or before what it told last")
                at[column] = row.oid
                if not engine.is_nothing(value):
                    found.append(row)
            if not rows:
                return found
            if len(found) > MOST_ROWS:
                raise BadWalk(f"it has more than {MOST_ROWS} rows below {entry}")
            await asyncio.sleep(PAUSE_S)
        return found

    async def _answer(self, request: Awaitable[Told]) -> list[Any]:
        failed, status, index, rows = await request
        if failed:
            text = str(failed)
            if "timeout" in text.lower() or "no snmp response" in text.lower():
                raise NoAnswer(f"no answer within {self.timeout_s:g} s: is it there, and does it know this access?")
            raise AccessRefused(text)
        if status:
            raise BadWalk(f"it answered {status.prettyPrint()} at variable {int(index)}")
        return list(rows)


def _row(told: Any) -> Row:
    name, value = told
    oid: Oid = tuple(name.get_oid()) if hasattr(name, "get_oid") else tuple(name)
    kind = type(value).__name__
    if kind in ("ObjectIdentity", "ObjectIdentifier"):
        return Row(oid, dotted(tuple(value)))
    if hasattr(value, "asOctets"):
        return Row(oid, bytes(value.asOctets()).decode("utf-8", "replace").rstrip("\0"))
    return Row(oid, int(value))
