"""Doing a job: once, by one worker, with a sign of life from beside its transaction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import close_old_connections, connection, transaction
from django.utils import timezone

from core.jobs.models import Job
from core.work.heartbeat import Heartbeat

log = structlog.get_logger(__name__)

BEAT_S = 1.0
DEAD_AFTER = timedelta(seconds=30)
DIED = "the worker that did this died; nothing was written: start it again"
BROKE = "a fault of the server; nothing was written. Its logs have the job's number"


class Progress(Heartbeat):
    """Told by the one who works, written from beside: seen while the work is uncommitted."""

    def __init__(self, job_id: int) -> None:
        self.job_id = job_id
        self._now: dict[str, Any] = {"done": 0, "total": 0, "stage": "reading"}
        super().__init__(f"job-{job_id}", self._write, BEAT_S)

    def tell(self, stage: str, done: int = 0, total: int = 0) -> None:
        self._now = {"done": done, "total": total, "stage": stage}

    def _write(self) -> None:
        Job.objects.filter(pk=self.job_id, status="running").update(progress=self._now, heard_at=timezone.now())


Outcome = tuple[str, dict[str, Any], str]  # status, result, message


def run(job_id: int, work: Callable[[Job, Progress], Outcome]) -> Job:
    """Do a queued job. One that somebody else has begun is left alone; a redelivered one of a dead worker fails."""
    close_old_connections_outside_transactions()
    now = timezone.now()
    mine = Job.objects.filter(pk=job_id, status="queued").update(
        status="running", started_at=now, heard_at=now, finished_at=None, message="", result={}
    )
    if not mine:
        reap()
        return Job.objects.get(pk=job_id)
    job = Job.objects.select_related("user", "site").get(pk=job_id)
    try:
        with transaction.atomic():  # what was written and what the job says of it stay, or neither does
            with Progress(job_id) as progress:
                outcome = work(job, progress)
            if not finish(job_id, *outcome):
                raise TakenForDead
    except TakenForDead:
        log.warning("job_taken_for_dead", job=job_id, kind=job.kind)
    except Exception:
        log.exception("job_failed", job=job_id, kind=job.kind)
        finish(job_id, "failed", {}, BROKE)
    job.refresh_from_db()
    return job


class TakenForDead(Exception):
    """The job was said to be failed, with nothing written, while its worker was only slow: so it is to be."""


def finish(job_id: int, status: str, result: dict[str, Any], message: str) -> bool:
    """Say what came of a running job; False when it runs no more."""
    done = {"status": status, "finished_at": timezone.now(), "progress": {"done": 1, "total": 1, "stage": status}}
    told = {"result": storable(result), "message": storable(message)[:500]}
    return bool(Job.objects.filter(pk=job_id, status="running").update(**done, **told))


def storable(value: Any) -> Any:
    """Without NUL characters, which PostgreSQL cannot hold: a refusal quotes what stood in the file."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {storable(name): storable(each) for name, each in value.items()}
    return [storable(each) for each in value] if isinstance(value, list | tuple) else value


def close_old_connections_outside_transactions() -> None:
    if not connection.in_atomic_block:
        close_old_connections()


def reap() -> int:
    """Jobs whose worker gave no sign of life become failed; returns how many."""
    silent = Job.objects.filter(status="running", heard_at__lt=timezone.now() - DEAD_AFTER)
    return silent.update(status="failed", message=DIED, finished_at=timezone.now())


def prune() -> int:
    """Forget old jobs and their files; returns how many."""
    old = timezone.now() - settings.KEPT["imports"]
    with transaction.atomic():
        removed, _ = Job.objects.filter(created_at__lt=old).exclude(status__in=["queued", "running"]).delete()
    return removed
