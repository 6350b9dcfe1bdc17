"""Jobs: done once, seen while they run, failed when their worker dies."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from core.jobs import work
from core.jobs.models import Job, JobFile
from core.models import Site
from core.services import ensure_user


def job(**more: Any) -> Job:
    user, _ = ensure_user("olga", role="operator")
    return Job.objects.create(kind="test", user=user, **more)


@pytest.mark.django_db(transaction=True)
def test_progress_is_seen_from_outside_while_the_work_is_not_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "BEAT_S", 0.02)
    made = job()
    told, seen = threading.Event(), threading.Event()
    answers: dict[str, Any] = {}

    def long_work(running: Job, progress: work.Progress) -> work.Outcome:
        with transaction.atomic():
            Site.objects.create(slug="ams1", name="Amsterdam")
            progress.tell("writing", 5, 10)
            told.set()
            assert seen.wait(20)
        return "done", {"counts": {}}, ""

    def work_on_it() -> None:
        try:
            work.run(made.pk, long_work)
        finally:
            connection.close()

    thread = threading.Thread(target=work_on_it)
    thread.start()
    assert told.wait(20)
    for _ in range(500):
        made.refresh_from_db()
        if made.progress["stage"] == "writing":
            break
        threading.Event().wait(0.02)
    answers |= made.progress
    assert not Site.objects.exists()
    seen.set()
    thread.join(20)
    assert answers == {"stage": "writing", "done": 5, "total": 10}
    made.refresh_from_db()
    assert (made.status, Site.objects.count()) == ("done", 1)


@pytest.mark.django_db
def test_a_job_is_done_once() -> None:
    made = job()
    calls: list[int] = []

    def count(running: Job, progress: work.Progress) -> work.Outcome:
        calls.append(running.pk)
        return "done", {}, ""

    assert work.run(made.pk, count).status == "done"
    assert work.run(made.pk, count).status == "done"
    assert calls == [made.pk]


@pytest.mark.django_db
def test_a_fault_leaves_the_job_failed_with_a_message() -> None:
    def broken(running: Job, progress: work.Progress) -> work.Outcome:
        raise RuntimeError("secret")

    done = work.run(job().pk, broken)
    assert (done.status, "secret" in done.message, done.finished_at is not None) == ("failed", False, True)


@pytest.mark.django_db
def test_a_job_whose_worker_died_is_failed_not_running_for_ever() -> None:
    gone = job(status="running", heard_at=timezone.now() - timedelta(minutes=1))
    alive = job(status="running", heard_at=timezone.now())
    work.WORK.reap()
    gone.refresh_from_db()
    alive.refresh_from_db()
    assert (gone.status, gone.message, alive.status) == ("failed", work.DIED, "running")

    def never(running: Job, progress: work.Progress) -> work.Outcome:
        raise AssertionError

    again = job(status="running", heard_at=timezone.now() - timedelta(minutes=1))
    assert work.run(again.pk, never).status == "failed"  # delivered again after the worker was lost


@pytest.mark.django_db
def test_old_jobs_and_their_files_are_forgotten(settings: Any) -> None:
    old, new = job(status="done"), job(status="done")
    JobFile.objects.create(job=old, name="x.csv", content=b"x")
    Job.objects.filter(pk=old.pk).update(created_at=timezone.now() - settings.KEPT["imports"] - timedelta(days=1))
    work.prune()
    assert list(Job.objects.all()) == [new]
    assert not JobFile.objects.exists()


@pytest.mark.django_db
def test_what_a_refusal_quotes_from_a_file_is_kept_even_with_nul_characters() -> None:
    done = work.run(job().pk, lambda running, progress: ("refused", {"rows": [{"a\0": ["b\0", 1]}]}, "c\0"))
    assert (done.status, done.result, done.message) == ("refused", {"rows": [{"a\ufffd": ["b\ufffd", 1]}]}, "c\ufffd")


@pytest.mark.django_db
def test_a_job_that_was_taken_for_dead_writes_nothing() -> None:
    """Its owner read that nothing was written, and may have started it again."""

    def slow(running: Job, progress: work.Progress) -> work.Outcome:
        Site.objects.create(slug="ams1", name="Amsterdam")
        Job.objects.filter(pk=running.pk).update(status="failed", message=work.DIED)
        return "done", {}, ""

    work.run(job().pk, slow)
    assert not Site.objects.exists()


@pytest.mark.django_db
def test_a_result_that_cannot_be_kept_takes_the_write_back() -> None:
    def odd(running: Job, progress: work.Progress) -> work.Outcome:
        Site.objects.create(slug="ams1", name="Amsterdam")
        return "done", {"half": "\ud800"}, ""

    done = work.run(job().pk, odd)
    assert (done.status, done.message, Site.objects.exists()) == ("failed", work.BROKE, False)
