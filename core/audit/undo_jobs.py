"""Taking back what takes longer than a request: a job with progress, all or nothing as any undo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from core.accounts.scope import granted_roles
from core.audit import undo
from core.audit.queries import Roles, undone_by
from core.jobs.models import Job
from core.jobs.work import Outcome, run
from core.models import ApiToken, AuditChange, Role, User
from core.work.kinds import Progress
from core.work.queue import after_commit

KIND = "undo"
LOCK_WAIT = "60s"  # it waits longer for other writes than a request does
OPEN = ("queued", "running")


@transaction.atomic
def start(change: AuditChange, user: User, token: ApiToken | None, roles: Roles) -> Job:
    """Queue the undo of a change; the one that is under way where there is one. Raises UndoRefused."""
    list(AuditChange.objects.select_for_update().filter(pk=change.pk))  # of two who press at once, the second joins
    under_way = of_changes([change.pk]).get(change.pk)
    if under_way is not None and under_way.status in OPEN:
        return under_way
    if reason := undo.refusals([change.pk], roles, undone_by([change.pk])).get(change.pk):
        raise undo.UndoRefused(reason)
    job = Job.objects.create(
        kind=KIND, user=user, role_limit=token.role if token else Role.ADMIN, options={"change": change.pk},
        progress={"done": 0, "total": undo.rows_in(change), "stage": "queued"},
    )  # fmt: skip
    after_commit("core.tasks.undo_change", job.pk)
    return job


def of_changes(ids: Iterable[int]) -> dict[int, Job]:
    """Change to the latest job that takes it back, or tried to."""
    rows = Job.objects.filter(kind=KIND, options__change__in=list(ids)).order_by("pk").select_related("user")
    return {job.options["change"]: job for job in rows}


def run_undo(job_id: int) -> Job:
    """Do a queued undo. Safe to call twice: only a queued one is done."""
    return run(job_id, _work)


def _work(job: Job, progress: Progress) -> Outcome:
    change = AuditChange.objects.filter(pk=job.options["change"]).first()
    if change is None:
        return "refused", {}, "The change is no longer in the log."
    roles = granted_roles(job.user, ApiToken(role=job.role_limit))  # as they are now, not as when it was asked for
    try:
        done = undo.undo(
            change, roles, lock_wait=LOCK_WAIT, progress=lambda rows, total: progress.tell("undoing", rows, total)
        )
    except undo.UndoRefused as refused:
        return "refused", {"differences": refused.differences}, refused.reason
    return "done", {"undone_by": done.pk}, ""


def told(job: Job) -> dict[str, Any]:
    """A job as answers have it."""
    return {
        "job": job.pk,
        "change": job.options["change"],
        "status": job.status,
        "progress": job.progress,
        "message": job.message,
        "differences": job.result.get("differences", []),
        "undone_by": job.result.get("undone_by"),
        "actor": job.user.username,
        "created_at": job.created_at,
        "finished_at": job.finished_at,
    }
