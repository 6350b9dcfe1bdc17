"""Past jobs from a scheduler's accounting: what is added, what is corrected, and what it may not break."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Site
from drivers.scheduler import Asked, Job, MachineFacts, MachineState, Scheduler, SchedulerError, Step, View
from health.models import SchedulerJob, SchedulerSource
from health.schedulers.services import history, jobs, readings
from health.tests.factories import make_machines

pytestmark = pytest.mark.django_db
NOW = timezone.now().replace(microsecond=0)
OURS = {"gpu1": 1}


@pytest.fixture
def source() -> SchedulerSource:
    make_machines(1)
    return SchedulerSource.objects.create(site=Site.objects.get(), local=True)


def ran(number: str, hours_ago: float, state: str = "failed", **more: Any) -> Job:
    start = int((NOW - timedelta(hours=hours_ago)).timestamp())
    told: dict[str, Any] = {
        "exit_status": 3,
        "asked": Asked("kestrel", "ann"),
        "steps": (Step("0", "train", "failed", start, start + 60),),
    }
    return Job(number, state, state == "running", frozenset({"gpu1"}), start,
               None if state == "running" else start + 60, **(told | more))  # fmt: skip


class Books:
    """A scheduler of which only the accounting is asked."""

    def __init__(self, *answers: tuple[Job, ...] | Exception | None) -> None:
        self.answers, self.spans = list(answers), list[tuple[float, float]]()

    async def past(self, since_s: int, until_s: int = 0) -> tuple[Job, ...] | None:
        self.spans.append((round(since_s / 3600, 1), round(until_s / 3600, 1)))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def read(source: SchedulerSource, books: Books, now: datetime = NOW) -> int:
    source.refresh_from_db()
    return history.read(source, books, OURS, now)  # type: ignore[arg-type]  # nothing else of it is asked


def test_runs_that_nobody_saw_are_added_once_with_their_steps(source: SchedulerSource) -> None:
    past = (ran("7", 50), ran("8", 40), ran("9", 1, state="running"), replace(ran("10", 5), machines=frozenset({"x"})))
    assert history.keep(source, past, OURS) == 2
    assert history.keep(source, past, OURS) == 0, "the same answer again changes nothing"
    row = SchedulerJob.objects.get(job_id="7")
    assert (row.state, row.exit_status, row.user, row.name, row.machine_ids) == ("failed", 3, "ann", "kestrel", [1])
    assert [(step["name"], step["state"]) for step in row.steps] == [("train", "failed")]
    assert not SchedulerJob.objects.filter(job_id__in=["9", "10"]).exists(), "one that runs is told by the list first"


def test_a_guessed_end_is_corrected_and_one_that_was_read_stays(source: SchedulerSource) -> None:
    for number, state, status in (("7", "unknown", None), ("8", "completed", 0), ("9", "node_fail", None)):
        begin = NOW - timedelta(hours=3)
        SchedulerJob.objects.create(
            source=source, job_id=number, started_at=begin, ended_at=NOW, state=state, exit_status=status,
            machine_count=1, machine_ids=[1],
        )  # fmt: skip
    past = (ran("7", 3, "timeout", exit_status=0), ran("8", 3, "failed"), ran("9", 3, "node_fail", exit_status=0))
    assert history.keep(source, past, OURS) == 3
    rows = {row.job_id: row for row in SchedulerJob.objects.all()}
    assert (rows["7"].state, rows["7"].ended_at) == ("timeout", NOW - timedelta(hours=3) + timedelta(seconds=60))
    assert (rows["8"].state, rows["8"].exit_status, rows["8"].ended_at) == ("completed", 0, NOW)
    assert rows["8"].steps and rows["9"].steps
    assert history.keep(source, past, OURS) == 0


def test_the_list_of_the_scheduler_and_its_accounting_do_not_overwrite_each_other(source: SchedulerSource) -> None:
    facts = MachineFacts("gpu1", MachineState.ALLOCATED, ("allocated",), False, True, 1)
    listed = replace(ran("7", 1, "running"), steps=(), exit_status=None, gpus=8)
    view = View({"gpu1": facts}, (listed,))
    assert jobs.keep(source, view, OURS, NOW) == 1
    assert history.keep(source, (ran("7", 1, "running"),), OURS) == 1, "its steps"
    assert jobs.keep(source, view, OURS, NOW) == 0
    row = SchedulerJob.objects.get()
    assert row.steps and row.gpus == 8 and row.ended_at is None


def test_a_month_is_read_in_spans_and_then_only_what_is_new(source: SchedulerSource) -> None:
    books = Books(*[()] * 40)
    while history.is_due(source, NOW):
        read(source, books)
        source.refresh_from_db()
    assert books.spans[0] == (720.0, 648.0) and books.spans[-1][1] == 0.0
    assert all(later[0] == pytest.approx(earlier[1] + 2, abs=0.11)
               for earlier, later in zip(books.spans, books.spans[1:], strict=False))  # fmt: skip
    assert len(books.spans) <= 11
    assert not history.is_due(source, NOW + timedelta(minutes=9))
    later = NOW + timedelta(minutes=10)
    assert history.is_due(source, later)
    read(source, books, later)
    assert books.spans[-1] == (2.2, 0.0)


def test_what_cannot_be_read_is_told_and_asked_again_from_where_it_was(source: SchedulerSource) -> None:
    books = Books((), SchedulerError("sacct: error: slurmdbd is down"), (), None)
    read(source, books)
    source.refresh_from_db()
    until = source.history_read_to
    read(source, books)
    source.refresh_from_db()
    assert (source.history_message, source.history_read_to) == ("sacct: error: slurmdbd is down", until)
    assert not history.is_due(source, NOW + timedelta(minutes=9)), "one that fails is left alone for a while"
    read(source, books, NOW + timedelta(minutes=10))
    source.refresh_from_db()
    assert source.history_message == "" and until and (source.history_read_to or until) > until
    read(source, books)
    source.refresh_from_db()
    assert source.history_message == history.NONE


def test_the_number_of_statements_does_not_grow_with_the_jobs(source: SchedulerSource) -> None:
    counts = []
    for many in (2, 60):
        past = tuple(ran(f"{many}-{number}", 30 + number / 10) for number in range(many))
        with CaptureQueriesContext(connection) as seen:
            assert history.keep(source, past, OURS) == many
        counts.append(len(seen))
    assert counts[0] == counts[1]


class Whole(Books):
    """Its list is read as well."""

    async def read(self, since: int | None = None) -> View:
        return View({"gpu1": MachineFacts("gpu1", MachineState.IDLE, ("idle",), False, True, 0)})


def test_accounting_that_fails_keeps_nothing_else_from_being_read(
    source: SchedulerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken: Scheduler = Whole(SchedulerError("permission denied"))  # type: ignore[assignment]
    monkeypatch.setattr(readings, "driver_of", lambda _: broken)
    monkeypatch.setattr(readings, "keep_identities", lambda *_: None)
    found = readings.read(source.pk)
    assert found is not None
    assert (found.state, found.message, found.history_message) == ("good", "", "permission denied")
