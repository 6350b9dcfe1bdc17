"""The contract of durable work, over every kind that is registered: a new kind is tested by registering it.

Workers are connections of their own to a real PostgreSQL; one that dies leaves what a killed process leaves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.models import Model
from django.utils import timezone

from core.tests.work_samples import LONG_AGO, SAMPLES
from core.work import dispatch
from core.work.kinds import Lease, LostLease, Transaction, Work, kinds
from live.models import HandlerFailure

ALL = list(kinds)
LEASED = [work for work in ALL if isinstance(work.hold, Lease)]
LOCKED = [work for work in ALL if not isinstance(work.hold, Lease)]
COUNTED = [work for work in LEASED if work.attempts and not work.counts_losses]


def named(work: Work[Any]) -> str:
    return work.name


every_kind = pytest.mark.parametrize("work", ALL, ids=named)
every_leased_kind = pytest.mark.parametrize("work", LEASED, ids=named)
every_locked_kind = pytest.mark.parametrize("work", LOCKED, ids=named)
pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def taking(work: Work[Any], pk: int) -> Iterator[Model | None]:
    """A worker that has the row for the time of the block, or has not got it."""
    if isinstance(work.hold, Lease):
        yield work.take(pk)
    else:
        with work.held(pk) as row:
            yield row


def kept(row: Model) -> dict[str, Any]:
    """What the database holds of a row."""
    found: dict[str, Any] = type(row)._default_manager.filter(pk=row.pk).values().get()
    return found


def ends(work: Work[Any], row: Any) -> bool:
    """Whether a worker that is through with a row may still say so."""
    before = kept(row)
    with suppress(LostLease):
        SAMPLES[work.name].end(row)
    return kept(row) != before


def is_open(work: Work[Any], row: Model) -> bool:
    return bool(work.model._default_manager.filter(work.open, pk=row.pk).exists())


def due_again(work: Work[Any], row: Model) -> None:
    """Hours pass: it is due, and whoever has it was not heard for too long."""
    columns = {work.due if not work.period else "", work.hold.column if isinstance(work.hold, Lease) else ""} - {""}
    if columns:
        then = timezone.now() - LONG_AGO
        work.model._default_manager.filter(pk=row.pk).update(**dict.fromkeys(columns, then))


def worker(body: Callable[[], None]) -> threading.Thread:
    def run() -> None:
        try:
            body()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def long_since(work: Work[Any]) -> datetime:
    """A time at which a lease was taken that is over by now."""
    return timezone.now() - timedelta(seconds=work.policy.lease_s + 1)


def test_every_kind_has_a_sample_and_a_name_of_its_own() -> None:
    assert sorted(SAMPLES) == sorted(work.name for work in ALL)


@every_kind
def test_of_two_workers_one_gets_a_row(work: Work[Any]) -> None:
    pk = SAMPLES[work.name].make().pk
    both_tried, got = threading.Barrier(2), []

    def take() -> None:
        with taking(work, pk) as row:
            got.append(row is not None)
            both_tried.wait(10)

    for thread in [worker(take), worker(take)]:
        thread.join()
    assert sorted(got) == [False, True]


@every_leased_kind
def test_a_lease_keeps_others_away_until_it_is_over_and_then_the_late_result_is_refused(work: Work[Any]) -> None:
    row = SAMPLES[work.name].make()
    began = long_since(work)
    first = work.take(row.pk, now=began)
    assert first is not None
    assert work.take(row.pk, now=began + timedelta(seconds=work.policy.lease_s - 1)) is None
    work.reap()
    second = work.take(row.pk)
    if second is None:  # done again only when somebody asks: it was given up, and says why
        assert not is_open(work, row) and kept(row)[work.reason]
        assert not ends(work, first)
        return
    assert not ends(work, first), "the first worker was taken for dead"
    assert ends(work, second)


@every_locked_kind
def test_a_worker_whose_connection_dies_is_followed_at_once_and_can_write_nothing(work: Work[Any]) -> None:
    row = SAMPLES[work.name].make()
    before = kept(row)
    has_it, is_dead, refused, process = threading.Event(), threading.Event(), [], []

    def dies() -> None:
        with suppress(DatabaseError), taking(work, row.pk) as mine:
            process.append(connection.connection.info.backend_pid)
            has_it.set()
            is_dead.wait(10)
            try:
                ends(work, mine)
            except DatabaseError:
                refused.append(True)
                raise

    thread = worker(dies)
    assert has_it.wait(10)
    with taking(work, row.pk) as mine:
        assert mine is None, "somebody else has it"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", process)
    is_dead.set()
    thread.join()
    assert refused and kept(row) == before
    with taking(work, row.pk) as mine:
        assert mine is not None and ends(work, mine)


@pytest.mark.slow
@every_kind
def test_what_is_over_is_not_done_again_and_ending_it_twice_changes_nothing(work: Work[Any]) -> None:
    row = SAMPLES[work.name].make()
    with taking(work, row.pk) as mine:
        assert ends(work, mine)
        assert work.period or not ends(work, mine)
    assert row.pk not in work.due_ids()


@pytest.mark.slow
@pytest.mark.parametrize("work", [work for work in ALL if not work.period], ids=named)
def test_what_the_database_calls_due_is_what_the_pure_rules_call_so(work: Work[Any]) -> None:
    row = SAMPLES[work.name].make()
    for taken in (False, True):
        if taken and isinstance(work.hold, Lease):
            assert work.take(row.pk) is not None
        fresh = work.model._default_manager.get(pk=row.pk)
        queued = all(getattr(fresh, name) == value for name, value in work.waiting.items())
        for seconds in (-7200, -1, 0, 10, 60, 300):
            now = timezone.now() + timedelta(seconds=seconds)
            is_due = work.policy.is_due(work.standing(fresh), now + timedelta(seconds=work.early_s))
            assert (row.pk in work.due_ids(now)) == (queued and (is_due or bool(work.waiting))), seconds


@every_leased_kind
def test_a_heartbeat_keeps_a_row_and_nobody_keeps_one_that_was_taken_over(work: Work[Any]) -> None:
    row = SAMPLES[work.name].make()
    mine = work.take(row.pk, now=long_since(work))
    assert mine is not None and work.renew(mine)
    work.reap()
    assert work.take(row.pk) is None and ends(work, mine), "it was heard in time"

    row = SAMPLES[work.name].make()
    slow = work.take(row.pk, now=long_since(work))
    work.reap()
    work.take(row.pk)
    assert slow is not None and not work.renew(slow)


@every_leased_kind
def test_a_row_is_ours_while_its_heartbeat_is_being_written(work: Work[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The beat is in the database before the thread that works has the new token in its row."""
    row = SAMPLES[work.name].make()
    mine = work.take(row.pk, now=long_since(work))
    assert mine is not None
    seen: list[bool] = []
    keep = type(work)._set

    def looked(self: Work[Any], row: Any, values: dict[str, Any]) -> list[str]:
        seen.append(self.mine(row).exists())
        return keep(self, row, values)

    monkeypatch.setattr(type(work), "_set", looked)
    assert work.beat(mine) and seen == [True]
    assert work.mine(mine).exists()


@pytest.mark.parametrize("work", COUNTED, ids=named)
def test_tries_are_counted_wait_longer_and_end_with_a_reason(work: Work[Any]) -> None:
    row = SAMPLES[work.name].make()
    longest = work.retry.longest_s * (1 + work.retry.jitter)
    for tries in range(1, 13):
        due_again(work, row)
        mine = work.take(row.pk)
        assert mine is not None and getattr(mine, work.attempts) == tries
        assert work.fail(mine, "nobody answers")
        assert "nobody answers" in kept(row)[work.reason]
        if not is_open(work, row):
            break
        if work.due:
            assert 0 < (kept(row)[work.due] - timezone.now()).total_seconds() <= longest
        for name, value in work.waiting.items():
            assert kept(row)[name] == value
    assert tries == (12 if work.give_up is None else max(work.most or 0, 1))
    assert is_open(work, row) is (work.give_up is None)


@pytest.mark.parametrize("work", [work for work in LEASED if work.most is not None], ids=named)
def test_a_row_that_kills_every_worker_is_given_up_with_their_number(work: Work[Any]) -> None:
    row = SAMPLES[work.name].make()
    for _ in range((work.most or 0) + 1):
        work.take(row.pk)
        due_again(work, row)
        work.reap()
    fresh = work.model._default_manager.get(pk=row.pk)
    if work.waiting:
        assert not is_open(work, row) and "died" in getattr(fresh, work.reason)
    else:  # its room gives it up as it takes it the next time
        assert work.policy.is_last(getattr(fresh, work.attempts))


@pytest.mark.parametrize("work", [work for work in ALL if work.progress], ids=named)
def test_progress_is_seen_and_never_goes_back(work: Work[Any]) -> None:
    row = SAMPLES[work.name].make()
    mine = work.take(row.pk)
    beats = work.heartbeat(mine, 60)  # type: ignore[arg-type]
    for done in (5, 3):
        beats.tell("storing", done, 10)
        beats._write()
        assert kept(row)[work.progress] == {"done": 5, "total": 10, "stage": "storing"}


def test_every_due_row_is_handed_to_its_task_and_a_kind_that_fails_takes_no_other_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {work: SAMPLES[work.name].make() for work in ALL if work.task and work.follow is None}
    handed: list[tuple[Any, ...]] = []

    def enqueue(task: str, pk: int) -> None:
        if task == "health.schedulers.tasks.send_to_scheduler":
            raise ValueError("not this one")
        handed.append((task, pk))

    monkeypatch.setattr(dispatch, "enqueue", enqueue)
    for every_s in {work.every_s for work in ALL}:
        dispatch.follow(every_s)
    wanted = {(work.task, row.pk) for work, row in rows.items() if "send_to_scheduler" not in work.task}
    assert wanted <= set(handed) and len(wanted) >= 5


def test_a_failed_handler_whose_worker_dies_leaves_nothing_half_done() -> None:
    (work,) = (work for work in ALL if isinstance(work.hold, Transaction))
    row = SAMPLES[work.name].make()
    with suppress(SystemExit), work.held(row.pk) as mine:
        assert mine is not None and work.put_back(mine, "half done")
        raise SystemExit
    assert HandlerFailure.objects.get(pk=row.pk).error == "not today"
