"""An import from NetBox from end to end: read, map, write, tell. What is done of it stays when it breaks off."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from core.work.kinds import Session, Work
from inventory.kinds import Scope
from inventory.models import DeviceModel, NetBoxLink, NetBoxRun, Port
from inventory.netbox.findings import Finding
from inventory.netbox.merge import Busy, Writing, write_kind
from inventory.netbox.options import Options, OptionsError
from inventory.netbox.pages import Progress, read
from inventory.netbox.plan import Plan, make_plan
from inventory.netbox.snapshot import Mapped
from inventory.netbox.source import Address, SourceError, connect

Status = NetBoxRun.Status


class ImportFailed(Exception):
    """The import broke off; `run` keeps what was done, and can be continued."""

    def __init__(self, run: NetBoxRun, message: str) -> None:
        super().__init__(message)
        self.run = run


RUNNING = "another import from this NetBox is in progress"


class Running(Exception):
    """Another import from this NetBox is under way."""


LOST = "it broke off, see the log of its worker; what was read and written is kept, and resume continues there"
NOT_BEGUN = "no worker began it within a day"
BEGUN_WITHIN = timedelta(days=1)
"""Imports of hours may stand before one in the queue; after a day its message is lost."""


def _end_lost() -> list[int]:
    """Imports in progress that no process carries out end as failed. A person continues them: the API token of one
    that was started on a command line is not stored."""
    now = timezone.now()
    open_runs = NetBoxRun.objects.filter(WORK.open)
    for pk, begun, since in list(open_runs.values_list("pk", "steps__seconds", "started_at")):
        if begun is None and now - since < BEGUN_WITHIN:
            continue
        with WORK.held(pk) as lost:
            if lost is not None:
                WORK.finish(lost, status=Status.FAILED, message=NOT_BEGUN if begun is None else LOST, finished_at=now)
    return []


WORK = Work(
    name="NetBox import",
    model=NetBoxRun,
    open=Q(status__in=[Status.READING, Status.WRITING]),
    hold=Session(7_209),
    reason="message",
    every_s=60,
    follow=_end_lost,
)


def quiet(stage: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


def start(url: str, options: Options, *, dry_run: bool, by: str) -> NetBoxRun:
    """A new import. What earlier ones of this NetBox had read and not finished is thrown away. Raises Running."""
    url = url.rstrip("/")
    if is_running(url):
        raise Running(RUNNING)
    for old in NetBoxRun.objects.filter(url=url).exclude(status=Status.DONE):
        old.rows.all().delete()
    return NetBoxRun.objects.create(url=url, options=options.model_dump(mode="json"), dry_run=dry_run, by=by)


def unfinished(url: str) -> NetBoxRun | None:
    """The newest import of this NetBox, if it broke off."""
    run = NetBoxRun.objects.filter(url=url.rstrip("/")).first()
    return run if run is not None and run.status != Status.DONE else None


def execute(run: NetBoxRun, address: Address, scope: Scope, *, actor: str, progress: Progress = quiet) -> list[Finding]:
    """Do the import, or what is left of it. Raises ImportFailed; what people can do about it stands in its text.

    A queue hands long work out again while it is being done: the second worker leaves the run as it is.
    """
    with WORK.lock(run.pk) as mine:
        if not mine:
            raise ImportFailed(run, "this import is being done already")
        return _execute_once(run, address, scope, actor, progress)


def _execute_once(run: NetBoxRun, address: Address, scope: Scope, actor: str, progress: Progress) -> list[Finding]:
    try:
        with _alone(run.url):
            findings = _execute(run, address, scope, actor, progress)
    except (SourceError, OptionsError, Busy, Running) as error:
        run.status, run.message, run.finished_at = Status.FAILED, str(error), timezone.now()
        run.save()
        raise ImportFailed(run, str(error)) from error
    run.status, run.message, run.finished_at = Status.DONE, "", timezone.now()
    run.findings = [finding.as_dict() for finding in findings]
    with transaction.atomic():
        run.save()
        run.rows.all().delete()
    return findings


def _execute(run: NetBoxRun, address: Address, scope: Scope, actor: str, progress: Progress) -> list[Finding]:
    options = Options.read(run.options)
    run.status, run.message, run.finished_at = Status.READING, "", None
    run.steps.setdefault("seconds", {})  # it has begun
    run.save(update_fields=["status", "message", "finished_at", "steps"])
    with _timed(run, "reading"), connect(address) as source:
        run.version = source.version()
        snapshot = read(run, source, options, progress)
    run.status = Status.WRITING
    run.save(update_fields=["status", "version"])
    with _timed(run, "mapping"):
        plan = make_plan(snapshot, options, _models_of_others(run.url))
    writing = Writing(run.url, scope, actor, options.on_conflict == "take-theirs", plan.findings, snapshot)
    with _timed(run, "writing"):
        _write(run, plan, writing, progress)
    return plan.findings.found


@contextmanager
def _alone(url: str) -> Iterator[None]:
    """One import at a time from one NetBox; the lock falls with the connection, also when a worker is killed."""
    key = f"netbox import {url}"
    if not _ask("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", key):
        raise Running(RUNNING)
    try:
        yield
    finally:
        _ask("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", key)


def is_running(url: str) -> bool:
    """Whether somebody is importing from this NetBox at this moment."""
    try:
        with _alone(url.rstrip("/")):
            return False
    except Running:
        return True


def _ask(query: str, key: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(query, [key])
        return bool(cursor.fetchone()[0])


@contextmanager
def _timed(run: NetBoxRun, stage: str) -> Iterator[None]:
    """Adds up in the run how long a stage took, over all tries."""
    started = time.monotonic()
    try:
        yield
    finally:
        spent = run.steps.setdefault("seconds", {})
        spent[stage] = round(spent.get(stage, 0) + time.monotonic() - started, 2)


def _write(run: NetBoxRun, plan: Plan, writing: Writing, progress: Progress) -> None:
    """Every step in a transaction of its own; a dry run in one around all of them, which is rolled back."""
    written: dict[str, dict[str, int]] = {}
    if run.dry_run:
        with transaction.atomic():
            _write_steps(plan, writing, progress, written.__setitem__)
            transaction.set_rollback(True)
        run.steps["written"] = written
        return

    def done(step: str, counts: dict[str, int]) -> None:
        """Counts of a run that was continued add up; what it had made then is unchanged now."""
        before = run.steps.setdefault("written", {}).get(step)
        run.steps["written"][step] = _together(before, counts) if before else counts
        run.save(update_fields=["steps"])

    _write_steps(plan, writing, progress, done)


def _write_steps(plan: Plan, writing: Writing, progress: Progress, done: Callable[[str, dict[str, int]], None]) -> None:
    for at, (step, rows) in enumerate(plan.steps):
        progress(f"writing {step}", at, len(plan.steps))
        late: list[Mapped] = []
        if step == "ports" and plan.ports:
            late = plan.ports.missing(_ports_of(writing), {row.source for row in rows})
        done(step, write_kind(writing, [*rows, *late]))
    progress("done", len(plan.steps), len(plan.steps))


def _together(before: dict[str, int], now: dict[str, int]) -> dict[str, int]:
    again = before.get("created", 0) + before.get("changed", 0)
    return {
        "created": before.get("created", 0) + now.get("created", 0),
        "changed": before.get("changed", 0) + now.get("changed", 0),
        "unchanged": max(0, now.get("unchanged", 0) - again),
        "refused": now.get("refused", 0),
    }


def _models_of_others(url: str) -> dict[str, Any]:
    """Device models that people made: an import does not take their names."""
    ours = NetBoxLink.objects.filter(url=url, kind="device-models").values("object_id")
    return dict(DeviceModel.objects.exclude(pk__in=ours).values_list("slug", "spec"))


def _ports_of(writing: Writing) -> set[tuple[str, str, str]]:
    """(site, device, port) as NetBox names site and device, of every port these devices have here."""
    names = {pk: key for (kind, key), pk in writing.ids.items() if kind == "devices"}
    rows = Port.objects.filter(device_id__in=list(names)).values_list("device_id", "name")
    return {(*names[device], name) for device, name in rows}
