"""Kinds of durable work: a room declares each as one `Work`; taking, keeping, ending and losing a row is done here.

    WORK = Work(
        name="measurement", model=Measurement, open=Q(status__in=OPEN), hold=Lease(120, column="next_try_at"),
        due="next_try_at", attempts="attempts", most=3, retry=Backoff(10, 10), reason="message", give_up=_give_up,
        task="fabric.quality.tasks.measure_link", every_s=30,
    )
    row = WORK.take(pk)           # None: not due, over, or another worker has it
    WORK.finish(row, status="done") or WORK.fail(row, "no answer")   # False: it is not ours any more

How a row is held is part of the declaration: `Lease`, `Session` or `Transaction`. The columns are the table's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import uuid4

import structlog
from django.db import models, transaction
from django.db.models import DateTimeField, DurationField, ExpressionWrapper, F, Func, Q, QuerySet, Value
from django.utils import timezone

from core.registry import AllOffered
from core.work.heartbeat import Heartbeat
from core.work.locks import only_here
from core.work.rules import Backoff, Policy, Standing, no_less

M = TypeVar("M", bound=models.Model)
RETRY = Backoff(15, 600)
COMING = "_coming_token"
"""Of a row in memory: the token that its heartbeat is writing just now, from another thread."""
log = structlog.get_logger(__name__)


class LostLease(Exception):
    """Another worker took the row over, because this one was silent too long: nothing more may be written."""


@dataclass(frozen=True)
class Lease:
    """A worker has a row until the time in `column`; one that dies lets it pass."""

    seconds: float
    column: str = "lease_until"
    """When the lease ends. It may be the column of `due`: then the row is due when it ends."""
    heard: bool = False
    """The column says when the worker was last heard instead; the lease ends `seconds` after."""
    token: str = ""
    """A column that tells this lease from others, such as a UUID; without one, its end does."""


@dataclass(frozen=True)
class Session:
    """A worker has a row while its database connection holds an advisory lock: one that dies is followed at once."""

    number: int
    one_for_all: bool = False
    token: str = ""
    """A column that changes with each try: what came of an older one is refused."""


@dataclass(frozen=True)
class Transaction:
    """The work is done in the transaction that locks the row: what a worker that dies did is undone."""


def before(now: datetime, seconds: Any) -> ExpressionWrapper:
    """So many seconds before now, the seconds being a column."""
    span = Func(seconds, template="make_interval(secs => %(expressions)s)", output_field=DurationField())
    return ExpressionWrapper(Value(now, DateTimeField()) - span, output_field=DateTimeField())


@dataclass(frozen=True, eq=False)
class Work(Generic[M]):
    """One kind of durable work."""

    name: str
    model: type[M]
    open: Q
    """Rows that are neither done nor given up."""
    hold: Lease | Session | Transaction
    due: str = ""
    """The column that says when it is tried next, null being at once; empty: as soon as it waits."""
    period: str = ""
    """The column of seconds after which it is due again; `due` then says when it was last tried."""
    early_s: float = 0.0
    attempts: str = ""
    most: int | None = None
    counts_losses: bool = False
    retry: Backoff = RETRY
    reason: str = ""
    """The column that says why it is not done yet, or was given up."""
    waiting: Mapping[str, Any] = field(default_factory=dict)
    """Where a status says that a row waits for a worker: what it holds then. Lost rows are put back to that."""
    taken: Callable[[M, datetime], dict[str, Any]] = lambda row, now: {}
    """What taking a row writes besides."""
    give_up: Callable[..., object] | None = None
    """Ends a row of ours that failed too often, from (row, reason, **what `fail` was told). None: tried for ever."""
    lost: str = "given up: {} workers were lost"
    progress: str = ""
    task: str = ""
    """The task that does one row, by its id, where `follow` starts what is due."""
    every_s: int = 0
    follow: Callable[[], list[int]] | None = None
    """Rows to start now; None: lost ones and those that are due."""

    # ---- which rows ----

    @cached_property
    def policy(self) -> Policy:
        return Policy(self._lease.seconds, self.retry, self.most, self.counts_losses)

    @property
    def _lease(self) -> Lease:
        return self.hold if isinstance(self.hold, Lease) else Lease(0, column="")

    @property
    def token(self) -> str:
        """The column that tells one lease of a row from any other; empty where a lock does."""
        return "" if isinstance(self.hold, Transaction) else self.hold.token or self._lease.column

    def _is_free(self, now: datetime) -> Q:
        column, limit = self._lease.column, now - timedelta(seconds=self._lease.seconds * self._lease.heard)
        return Q() if column in ("", self.due) else Q(**{column: None}) | Q(**{f"{column}__lte": limit})

    def _is_due(self, now: datetime) -> Q:
        if not self.due:
            return Q()
        limit = before(now, F(self.period)) if self.period else now + timedelta(seconds=self.early_s)
        reached = Q(**{f"{self.due}__lte": limit})
        return reached | Q(**{self.due: None}) if self.model._meta.get_field(self.due).null else reached

    def due_rows(self, now: datetime | None = None, rows: QuerySet[M] | None = None) -> QuerySet[M]:
        """Rows that a worker may take now, the longest due first."""
        now = now or timezone.now()
        rows = self.model._default_manager.all() if rows is None else rows
        waits = Q(**self.waiting) if self.waiting else self.open & self._is_free(now)
        order = [F(self.due).asc(nulls_first=True)] if self.due else []
        return rows.filter(waits & self._is_due(now)).order_by(*order, "pk")

    def due_ids(self, now: datetime | None = None, limit: int = 200) -> list[int]:
        return list(self.due_rows(now).values_list("pk", flat=True)[:limit])

    def is_due(self, row: M, now: datetime) -> bool:
        """The same of one row that was read."""
        at = getattr(row, self.due)
        return at is None or at + timedelta(seconds=getattr(row, self.period) if self.period else 0) <= now

    # ---- taking ----

    def claim(self, rows: QuerySet[M] | None = None, *, limit: int = 1, now: datetime | None = None) -> list[M]:
        """Lease rows that are due, without those that another worker is just taking: two statements for any number."""
        now = now or timezone.now()
        with transaction.atomic():
            due = self.due_rows(now, rows).select_for_update(of=("self",), skip_locked=True)
            claimed = list(due[:limit])
            changed: set[str] = set()
            for row in claimed:
                changed |= self.lease_row(row, now)
            if claimed:
                self.model._default_manager.bulk_update(claimed, sorted(changed))
        return claimed

    def take(self, pk: int, rows: QuerySet[M] | None = None, *, now: datetime | None = None) -> M | None:
        """Lease one row; None when it is not due, over, or another worker has it."""
        rows = self.model._default_manager.all() if rows is None else rows
        return next(iter(self.claim(rows.filter(pk=pk), now=now)), None)

    def lease_row(self, row: M, now: datetime) -> set[str]:
        """Lease a row that the caller locked, and saves; returns the columns that changed."""
        values = self._values(self.policy.claimed(self.standing(row), now), but_due=True) | self.taken(row, now)
        token = self._lease.token
        if token and isinstance(self.model._meta.get_field(token), models.UUIDField):
            values[token] = uuid4()
        return set(self._set(row, values))

    @contextmanager
    def held(self, pk: int) -> Iterator[M | None]:
        """Have one row for the time of the block, by `Session` or `Transaction`; None when it is over or taken."""
        rows = self.model._default_manager.filter(self.open, pk=pk)
        with self.lock(pk) as mine:
            if isinstance(self.hold, Transaction):
                rows = rows.select_for_update(of=("self",), skip_locked=True)
            yield rows.first() if mine else None

    @contextmanager
    def lock(self, pk: int = 0) -> Iterator[bool]:
        """Only the lock of `held`: whether it is ours."""
        if isinstance(self.hold, Session):
            with only_here(self.hold.number, 0 if self.hold.one_for_all else pk) as mine:
                yield mine
        else:
            with transaction.atomic():
                yield True

    # ---- while it is ours ----

    def mine(self, row: M) -> QuerySet[M]:
        """The row, as long as it is open and nobody else took it over."""
        column = self.token
        coming = getattr(row, COMING, None)  # read first: once it is written, the row has it too
        same = {column: getattr(row, column)} if column else {}
        if column and coming is not None and same[column] is not None:
            same = {f"{column}__in": [same[column], coming]}
        return self.model._default_manager.filter(self.open, pk=row.pk, **same)

    def hold_on(self, row: M) -> M:
        """Lock the row to the end of the transaction. Raises LostLease."""
        locked = self.mine(row).select_for_update().first()
        if locked is None:
            raise LostLease
        return locked

    def renew(self, row: M, **more: Any) -> bool:
        """Lease it for as long again; False when it is not ours any more."""
        return self._write(row, self._renewed(row) | more)

    def beat(self, row: M, **more: Any) -> bool:
        """The same from beside. Where it came too late, the work has ended or says itself that it lost its lease."""
        values = self._renewed(row) | more
        if self.token in values:  # between the write and its end the row is held by either
            setattr(row, COMING, values[self.token])
        return self._update(row, values)

    def _renewed(self, row: M) -> dict[str, Any]:
        return self._values(self.policy.renewed(self.standing(row), timezone.now()), but_due=True)

    def heartbeat(self, row: M, every_s: float) -> Progress:
        """Renews the lease from beside for as long as a block runs, and says how far it is."""
        return Progress(self, row, every_s)

    # ---- the end of a try ----

    def finish(self, row: M, **more: Any) -> bool:
        """It is done, as `more` says. False, and nothing is written, when it is not ours any more."""
        return self._write(row, self._released() | more)

    def fail(self, row: M, reason: str, *, at_least_s: float = 0.0, **more: Any) -> bool:
        """A try failed: it is due again after the next delay, or given up. False when it is not ours any more."""
        if self.give_up is None or not self.policy.failed(self._tried(row), timezone.now()).over:
            return self.put_back(row, reason, at_least_s=at_least_s, **more)
        return self.mine(row).exists() and self.give_up(row, reason, **more) is not False

    def put_back(
        self, row: M, reason: str = "", *, after_s: float | None = None, at_least_s: float = 0.0,
        uncounted: bool = False, **more: Any,
    ) -> bool:  # fmt: skip
        """Not done: due again after the next delay or `after_s`, with the reason. `uncounted`: it was not tried."""
        back = self.policy.put_back(
            self._tried(row), timezone.now(), after_s=after_s, at_least_s=at_least_s, uncounted=uncounted
        )
        told = {self.reason: self._short(reason)} if self.reason else {}
        return self._write(row, self._values(back) | self._released() | told | dict(self.waiting) | more)

    def reap(self, now: datetime | None = None) -> list[int]:
        """Rows whose worker was lost wait again, or are given up; returns the first.

        Where no status says that a row waits, the end of its lease does, and nothing is to be written.
        """
        if not self.waiting:
            return []
        now = now or timezone.now()
        back = dict(self.waiting) | self._released()
        if self.progress:
            back[self.progress] = getattr(self.model(), self.progress)
        again = []
        for row in self.model._default_manager.filter(self.open, self._is_free(now)).exclude(**self.waiting):
            same = {self._lease.column: getattr(row, self._lease.column)}  # it may be heard this moment
            if self.policy.is_last(self._tries(row)) and self.give_up is not None:
                self.give_up(row, self.lost.format(self._tries(row)))
            elif self.mine(row).filter(**same).update(**back):
                again.append(row.pk)
        return again

    # ---- columns ----

    def standing(self, row: M) -> Standing:
        """How a row stands, in the words of `rules`."""
        lease = self._lease
        at: datetime | None = getattr(row, lease.column) if lease.column not in ("", self.due) else None
        until = at + timedelta(seconds=lease.seconds) if at is not None and lease.heard else at
        return Standing(self._tries(row), getattr(row, self.due) if self.due else None, until)

    def _tried(self, row: M) -> Standing:
        """How it stands after this try. A lease counts it when it is taken, a lock leaves nothing until its end."""
        piece = self.standing(row)
        return piece if isinstance(self.hold, Lease) else replace(piece, attempts=piece.attempts + 1)

    def _tries(self, row: M) -> int:
        return int(getattr(row, self.attempts)) if self.attempts else 0

    def _values(self, piece: Standing, *, but_due: bool = False) -> dict[str, Any]:
        """The columns of a standing."""
        lease = self._lease
        values: dict[str, Any] = {self.attempts: piece.attempts} if self.attempts else {}
        if self.due and not but_due and not self.period:
            values[self.due] = piece.due_at
        if lease.column and piece.until is not None:
            values[lease.column] = piece.until - timedelta(seconds=lease.seconds * lease.heard)
        return values

    def _released(self) -> dict[str, Any]:
        """The columns of a row that nobody has."""
        lease = self._lease
        values: dict[str, Any] = {}
        if lease.column not in ("", self.due) and not lease.heard:
            values[lease.column] = None
        if lease.token and isinstance(self.model._meta.get_field(lease.token), models.UUIDField):
            values[lease.token] = None
        return values

    def _short(self, reason: str) -> str:
        return reason[: getattr(self.model._meta.get_field(self.reason), "max_length", None) or 2000]

    def _write(self, row: M, values: dict[str, Any]) -> bool:
        ours = self._update(row, values)
        if not ours:
            log.warning("work_not_ours_any_more", kind=self.name, row=row.pk)
        return ours

    def _update(self, row: M, values: dict[str, Any]) -> bool:
        ours = bool(self.mine(row).update(**values))
        if ours:
            self._set(row, values)
        return ours

    def _set(self, row: M, values: dict[str, Any]) -> list[str]:
        for name, value in values.items():
            setattr(row, name, value)
        return list(values)


class Progress(Heartbeat):
    """How far a row is: told by the one who works, written from beside, seen while the work is uncommitted."""

    def __init__(self, work: Work[Any], row: models.Model, every_s: float) -> None:
        self._work, self._row = work, row
        self._now: dict[str, Any] = {}
        super().__init__(f"{work.name} {row.pk}", self._write, every_s)

    def tell(self, stage: str, done: int = 0, total: int = 0) -> None:
        self._now = no_less(self._now, {"done": done, "total": total, "stage": stage})

    def _write(self) -> None:
        self._work.beat(self._row, **({self._work.progress: self._now} if self._now else {}))


kinds: AllOffered[Work[Any]] = AllOffered()
"""Every kind of durable work; each room registers its own at start-up. One contract test runs over all of them."""
