"""Doing a job: once, by one worker, with a sign of life from beside its transaction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import structlog
from django.conf import settings
from django.db import close_old_connections, connection, transaction
from django.db.models import Q
from django.utils import timezone

from core.jobs.models import Job
from core.work.kinds import Lease, LostLease, Progress, Work

log = structlog.get_logger(__name__)

BEAT_S = 1.0
DIED = "the worker that did this died; nothing was written: start it again"
BROKE = "a fault of the server; nothing was written. Its logs have the job's number"
Outcome = tuple[str, dict[str, Any], str]  # status, result, message


def _begun(job: Job, now: datetime) -> dict[str, Any]:
    return {"status": "running", "started_at": now, "heard_at": now, "finished_at": None, "message": "", "result": {}}


WORK = Work(
    name="job",
    model=Job,
    open=Q(status__in=["queued", "running"]),
    hold=Lease(30, column="heard_at", heard=True, token="started_at"),
    waiting={"status": "queued"},
    taken=_begun,
    most=0,  # what was asked for is not done again unasked: a lost worker ends it
    reason="message",
    lost=DIED,
    give_up=lambda job, reason: finish(job, "failed", {}, reason),
    progress="progress",
    every_s=15,
)


def run(job_id: int, work: Callable[[Job, Progress], Outcome]) -> Job:
    """Do a queued job. One that somebody else has begun is left alone; a redelivered one of a dead worker fails."""
    close_old_connections_outside_transactions()
    job = WORK.take(job_id, Job.objects.select_related("user", "site"))
    if job is None:
        WORK.reap()
        return Job.objects.get(pk=job_id)
    try:
        with transaction.atomic():  # what was written and what the job says of it stay, or neither does
            with WORK.heartbeat(job, BEAT_S) as progress:
                progress.tell("reading")
                outcome = work(job, progress)
            if not finish(job, *outcome):
                raise LostLease  # said to be failed, with nothing written, while it was only slow: so it is to be
    except LostLease:
        log.warning("job_taken_for_dead", job=job_id, kind=job.kind)
    except Exception:
        log.exception("job_failed", job=job_id, kind=job.kind)
        finish(job, "failed", {}, BROKE)
    job.refresh_from_db()
    return job


def finish(job: Job, status: str, result: dict[str, Any], message: str) -> bool:
    """Say what came of a running job; False when it runs no more."""
    done = {"status": status, "finished_at": timezone.now(), "progress": {"done": 1, "total": 1, "stage": status}}
    return WORK.finish(job, **done, result=storable(result), message=storable(message)[:500])


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


def prune() -> int:
    """Forget old jobs and their files; returns how many."""
    old = timezone.now() - settings.KEPT["imports"]
    with transaction.atomic():
        removed, _ = Job.objects.filter(created_at__lt=old).exclude(status__in=["queued", "running"]).delete()
    return removed
