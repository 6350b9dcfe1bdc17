"""Steps that run as jobs of the site's Slurm: submitted once, found again by their name, read where their script ran.

A name is used once and carries a random key of the run, so that nobody's job is taken for ours. A worker that died
after submitting finds the job by it; what Slurm does not list was never begun, or is over for longer than it remembers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from django.utils import timezone

from drivers import shell
from drivers.scheduler import Job, JobScheduler, NewJob, NotQueued, SchedulerError
from health.diagnostics import ways
from health.diagnostics.jobs import MOST_BYTES, Look
from health.diagnostics.models import ActiveRun, ActiveStep
from health.diagnostics.services import sessions
from health.diagnostics.ways import Way
from health.schedulers.models import SchedulerSource
from health.schedulers.services.desired_state import name_at
from health.schedulers.services.reach import keep_identities, slurm_of
from inventory.models import Machine

log = structlog.get_logger(__name__)
START_WITHIN = timedelta(seconds=120)
"""All machines were idle when it was submitted: what waits longer is not going to start on all of them."""
NOT_LISTED = timedelta(seconds=60)
"""A submission whose answer was lost may still be on its way."""
HOPELESS = frozenset({
    "partitiondown", "partitioninactive", "partitionnodelimit", "partitiontimelimit", "reqnodenotavail",
    "reservation", "reservationdeleted", "invalidaccount", "invalidqos", "accountingpolicy", "badconstraints",
    "nodedown", "jobheldadmin", "jobhelduser", "qosjoblimit", "assocgrpgres",
})  # fmt: skip
"""Words of Slurm for why a job waits that time alone does not change."""
MARK = "rackside-output"


@dataclass(frozen=True)
class SlurmJob:
    """A step's job: its names of all attempts, the newest last, and what is submitted under that (None: nothing)."""

    site_id: int
    names: Sequence[str]
    machine_ids: Sequence[int]
    begun_at: datetime | None = None
    new: NewJob | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return self.names[-1]


@dataclass(frozen=True)
class Refusal:
    """Why a job was not begun. `final`: it is certain that it was not; else the next look finds out."""

    text: str
    final: bool = False


def named(run: ActiveRun, step: ActiveStep) -> SlurmJob:
    """The job without what it runs."""
    key = run.launch.get("key", "")
    names = [f"rackside-{run.pk}.{step.pk}.{attempt}-{key}" for attempt in range(1, step.attempts + 1)]
    return SlurmJob(run.site_id, names, step.machine_ids, step.started_at)


def job_of(run: ActiveRun, step: ActiveStep, way: Way, names: Sequence[str], gpus: int) -> tuple[SlurmJob, str]:
    """The job with what it runs, and the command line of its srun. Raises ValueError."""
    mine, source = named(run, step), _source(run.site_id)
    if source is None:
        raise ValueError("the site has no Slurm that is read")
    theirs = [name_at(source, name) for name in names]
    limit = step.deadline_at - step.started_at if step.deadline_at and step.started_at else timedelta(minutes=12)
    seconds = int((limit - START_WITHIN).total_seconds())
    new = ways.job_of(way, mine.name, theirs, gpus, seconds, salt=step.pk)
    line = new.script.rstrip().rpartition("\n")[2]
    return SlurmJob(mine.site_id, mine.names, mine.machine_ids, mine.begun_at, new), line


def submit(job: SlurmJob) -> Refusal | None:
    """Submit it, unless Slurm has a job of its name; None: it is in the queue."""
    assert job.new is not None
    try:
        driver, source = _driver(job.site_id)
        if asyncio.run(driver.find(job.name)) is None:
            number = asyncio.run(driver.submit(job.new))
            log.info("slurm_job_submitted", job=number, name=job.name)
        keep_identities(source, driver)
    except NotQueued as error:
        return Refusal(f"Slurm refuses it: {error}", final=True)
    except (SchedulerError, ValueError) as error:
        return Refusal(str(error))
    return None


def look(job: SlurmJob) -> Look:
    """How it is. One that Slurm does not start is taken out of the queue."""
    try:
        driver, source = _driver(job.site_id)
        found = asyncio.run(driver.find(job.name))
    except (SchedulerError, ValueError) as error:
        return Look("unknown", trouble=f"the scheduler did not answer: {error}")
    since = timezone.now() - job.begun_at if job.begun_at is not None else NOT_LISTED
    if found is None:
        return Look("lost" if since >= NOT_LISTED else "unknown", trouble="Slurm lists no such job")
    if found.running:
        return Look("running")
    if not found.machines:
        return _waiting(driver, job, found, since)
    return _ended(job, found, source)


def _waiting(driver: JobScheduler, job: SlurmJob, found: Job, since: timedelta) -> Look:
    """A job that has no machines: it waits, or it ended without ever having had some."""
    why = found.why or "it does not say why"
    if found.state != "pending":
        return Look("refused", trouble=f"Slurm ended it before it began ({found.state}: {why})")
    if since < START_WITHIN and why.lower().partition(",")[0].replace("_", "") not in HOPELESS:
        return Look("running")
    try:
        asyncio.run(driver.cancel(job.name))
    except SchedulerError as error:
        return Look("unknown", trouble=str(error))
    waited = f" within {START_WITHIN.total_seconds():g} s" if since >= START_WITHIN else ""
    return Look("refused", trouble=f"Slurm did not start it on all machines{waited}: {why}")


def _ended(job: SlurmJob, found: Job, source: SchedulerSource) -> Look:
    """Its output, from the machine where its script ran."""
    at = _machine_of(job, found, source)
    if at is None:
        return Look("unknown", trouble=f"{found.first_machine or 'where it ran'} is no machine of the step")
    (result,) = sessions.ask([(at, _reading(job.name))])
    if result is None or result.failure is not None:
        return Look("unknown", trouble=f"its output was not read: {result.failure if result else 'no address'}")
    head, _, text = sessions.text_of(result).partition("\n")
    trouble = "" if found.state == "completed" else f"Slurm says {found.state}: {found.why or 'no reason'}"
    if head != MARK:
        return Look("done", found.exit_status or 1, "", trouble or "its output is not on the machine where it ran")
    status = found.exit_status if found.exit_status else int(found.state != "completed")
    return Look("done", status, text, trouble)


def _reading(name: str) -> str:
    """The beginning of its output; by sudo where it is not readable otherwise."""
    path = shell.operand(f"{ways.OUTPUT}/{name}.out")
    return (
        f"# {MARK} {name}\nf={path}\n"
        f'if [ -r "$f" ]; then echo {MARK}; head -c {MOST_BYTES} "$f"; '
        f'elif sudo -n test -f "$f" 2>/dev/null; then echo {MARK}; sudo -n head -c {MOST_BYTES} "$f"; fi\n'
    )


def stop(job: SlurmJob) -> None:
    """Cancel the jobs of all its attempts; whoever was lost does not begin later. What fails is told in the log."""
    for name in job.names:
        try:
            driver, _ = _driver(job.site_id)
            asyncio.run(driver.cancel(name))
        except (SchedulerError, ValueError) as error:
            log.warning("slurm_job_not_cancelled", name=name, reason=str(error))


def tidy(job: SlurmJob) -> None:
    """Remove its output."""
    try:
        driver, source = _driver(job.site_id)
        found = asyncio.run(driver.find(job.name))
    except (SchedulerError, ValueError):
        return
    at = _machine_of(job, found, source) if found is not None else None
    if at is not None:
        path = shell.operand(f"{ways.OUTPUT}/{job.name}.out")
        sessions.ask([(at, f"# {MARK} tidy\nrm -f {path} 2>/dev/null || sudo -n rm -f {path}\n")])


def _machine_of(job: SlurmJob, found: Job, source: SchedulerSource) -> int | None:
    rows = Machine.objects.filter(pk__in=list(job.machine_ids)).values_list("pk", "device__name")
    return {name_at(source, name): pk for pk, name in rows}.get(found.first_machine)


def _source(site_id: int) -> SchedulerSource | None:
    slurm = SchedulerSource.objects.filter(site_id=site_id, kind=SchedulerSource.Kind.SLURM, enabled=True)
    return slurm.select_related("site").first()


def _driver(site_id: int) -> tuple[JobScheduler, SchedulerSource]:
    """Raises SchedulerError."""
    source = _source(site_id)
    if source is None:
        raise SchedulerError("the site has no Slurm that is read")
    return slurm_of(source), source
