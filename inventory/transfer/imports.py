"""An upload becomes a job; the job reads the file, writes all of it or nothing, and says what became of each row."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from core.accounts.scope import granted_roles, visible_sites
from core.counts import counted
from core.jobs.models import Job, JobFile
from core.jobs.work import Outcome, run
from core.models import ApiToken, Role, Site, User
from core.work.kinds import Progress
from inventory.kinds import KINDS, Kind, Report, RowOutcome, Scope, write
from inventory.kinds.custom import declared
from inventory.transfer.cells import escaped
from inventory.transfer.problems import FileRefused, refused
from inventory.transfer.readers import format_of, read_rows

KIND = "import"
MODES = ("upsert", "create", "update")
TOLD_ROWS = 500
KEPT_ERRORS = 10_000
LOCK_WAIT_S = 60.0  # a file waits longer for another write than a request does
STAGES = {"checking": 1, "writing": 2}


def max_bytes() -> int:
    return int(settings.IMPORT_MAX_MB) * 1024 * 1024


def check_size(size: int) -> None:
    """Raises FileRefused."""
    if size > max_bytes():
        raise refused(
            f"the file has {size / 1024 / 1024:.0f} MB, at most {settings.IMPORT_MAX_MB} MB are read", "too_large"
        )


def kind_of(name: str) -> Kind:
    """Raises FileRefused for a kind that there is not."""
    kind = KINDS.get(name)
    if kind is None or kind.part_of:
        known = ", ".join(each.name for each in KINDS.values() if not each.part_of)
        raise refused(f"there is no kind {name!r}, only {known}", "unknown_reference", field="kind")
    return kind


@transaction.atomic
def start_import(
    user: User, token: ApiToken | None, *, filename: str, content: bytes, kind: str, site: str = "",
    mode: str = "upsert", dry_run: bool = True,
) -> Job:  # fmt: skip
    """Keep the file and queue its job. Raises FileRefused for what can be seen at once."""
    check_size(len(content))
    if mode not in MODES:
        raise refused(f"one of {', '.join(MODES)}", field="mode")
    options = {
        "kind": kind_of(kind).name, "filename": filename[-200:], "format": format_of(filename), "mode": mode,
        "dry_run": dry_run,
    }  # fmt: skip
    job = Job.objects.create(
        kind=KIND, user=user, role_limit=token.role if token else Role.ADMIN, site=_site(user, token, site),
        options=options,
    )  # fmt: skip
    JobFile.objects.create(job=job, name=filename[-200:], content=content)
    return job


def _site(user: User, token: ApiToken | None, named: str) -> Site | None:
    if not named:
        return None
    sites = visible_sites(granted_roles(user, token))
    found = sites.filter(pk=int(named)) if named.isdecimal() and len(named) < 19 else sites.filter(slug=named)
    site = found.first()
    if site is None:
        raise refused(f"there is no site {named!r}", "unknown_reference", field="site")
    return site


@transaction.atomic
def apply_import(job: Job, token: ApiToken | None = None) -> Job:
    """Queue the write after a clean dry run; everything is checked again. Raises FileRefused.

    With the rights of who uploaded the file, under the lower ceiling of the tokens of upload and of this request.
    """
    job = Job.objects.select_for_update().get(pk=job.pk)
    if job.status != "done" or not job.options.get("dry_run"):
        raise refused("only a dry run without a refused row can be applied", "invalid_transition")
    job.options = job.options | {"dry_run": False}
    if token is not None:
        job.role_limit = min(Role(job.role_limit), Role(token.role), key=lambda role: role.rank)
    job.status, job.result, job.message = "queued", {}, ""
    job.progress = {"done": 0, "total": 0, "stage": "queued"}
    job.started_at = job.finished_at = None
    job.save(
        update_fields=[
            "options", "role_limit", "status", "result", "message", "progress", "started_at", "finished_at",
        ]
    )  # fmt: skip
    return job


def run_import(job_id: int) -> Job:
    """Do the job of an import. Safe to call twice: only a queued one is done."""
    return run(job_id, _work)


def _work(job: Job, progress: Progress) -> Outcome:
    options, kind = job.options, KINDS[job.options["kind"]]
    content = bytes(JobFile.objects.get(job=job).content)
    try:
        rows = read_rows(kind, content, options["format"], custom_columns(kind))
    except FileRefused as error:
        return "refused", told(error.rows()), str(error)
    total = len(rows)
    progress.tell("checking", 0, total)
    report = write(
        kind, rows, options["mode"], scope=scope_of(job), actor=job.user.get_username(), dry_run=options["dry_run"],
        lock_wait_s=LOCK_WAIT_S,
        progress=lambda stage: progress.tell(stage, total * STAGES.get(stage, 1) // 3, total),
    )  # fmt: skip
    if report.code:
        return "refused", {"code": report.code} | told([]), report.message
    message = (
        "" if report.ok else f"{counted(len(report.errors()), 'row was', 'rows were')} refused; nothing was written"
    )
    return "done" if report.ok else "refused", told(report.rows), message


def scope_of(job: Job) -> Scope:
    """The rights of who asked, as they are now, under the ceiling of the token."""
    token = ApiToken(role=job.role_limit)
    return Scope(granted_roles(job.user, token), job.site_id)


def custom_columns(kind: Kind) -> list[str]:
    return [each.name for each in declared(kind.name)] if kind.custom else []


def told(rows: Sequence[RowOutcome]) -> dict[str, Any]:
    """The counts, the rows worth showing (refused ones first), and all errors up to a limit."""
    counts = {name: sum(row.outcome == name for row in rows) for name in ("created", "changed", "unchanged", "refused")}
    order = {"refused": 0, "changed": 1, "created": 2}
    shown = sorted((row for row in rows if row.outcome in order), key=lambda row: (order[row.outcome], row.number))
    errors = [[row.number, row.key, *error] for row in rows for error in row.errors]
    return {
        "counts": counts,
        "rows": [row.as_dict() for row in shown[:TOLD_ROWS]],
        "errors": errors[:KEPT_ERRORS],
        "more_errors": max(len(errors) - KEPT_ERRORS, 0),
    }


def errors_csv(job: Job) -> str:
    """One line an error: row, key, field, what is wrong, and the code."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(["row", "key", "field", "reason", "code"])
    for number, *texts in job.result.get("errors", ()):
        writer.writerow([number, *(escaped(str(text)) for text in texts)])
    return buffer.getvalue()


def import_file(
    kind: Kind, filename: str, content: bytes, *, scope: Scope, actor: str, mode: Any = "upsert", dry_run: bool = False
) -> Report:
    """Read and write a file at once, as the command does. Raises FileRefused."""
    check_size(len(content))
    rows = read_rows(kind, content, format_of(filename), custom_columns(kind))
    return write(kind, rows, mode, scope=scope, actor=actor, dry_run=dry_run, lock_wait_s=LOCK_WAIT_S)
