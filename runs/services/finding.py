"""Find runs without asking anybody: from the scheduler's jobs and the processes that sweeps saw on GPUs. By the clock.

Everything is compared anew each time, so nothing is lost where a worker dies, and the same again changes nothing. What
is not known (a machine that was not heard, or where a site refuses the question) ends no run and no rank.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import orjson
import structlog
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from core.work.alone import alone
from core.work.locks import only_here
from core.work.queue import after_commit
from health.diagnostics.models import ActiveMachine
from health.schedulers.models import SchedulerJob, SchedulerSource
from health.schedulers.services import history
from inventory.models import Machine
from runs.causes.classes import CLASSES
from runs.causes.verdict import Verdict
from runs.explanation import SLURM_STATES
from runs.found import matching
from runs.found.groups import FoundRank, FoundRun, runs_of
from runs.found.matching import Known, Now
from runs.found.queries import Machines, fresh, machines_at
from runs.models import RunRank, TrainingRun
from runs.services import judgement
from runs.services.collections import newest_files
from runs.services.intake import announce, change_state, next_repeat

log = structlog.get_logger(__name__)
LOCK = 7_231
LOOK_BACK = timedelta(days=1)
"""Jobs that ended longer ago are not taken up any more."""
REPLACED = timedelta(minutes=3)
"""A run that nobody saw for so long, and that began again since, has ended."""
KUBERNETES = SchedulerSource.Kind.KUBERNETES
GUESSES = (*history.GUESSED, TrainingRun.UNSEEN)
"""Words by which a run ended that its scheduler's accounting may correct."""
FoundBy, State = TrainingRun.FoundBy, TrainingRun.State
ENDED_AS = {
    "completed": State.COMPLETED,
    "failed": State.FAILED,
    "out_of_memory": State.FAILED,
    "node_fail": State.FAILED,
    "boot_fail": State.FAILED,
    "launch_failed": State.FAILED,
}
"""What the scheduler's last word for a job makes of its run; every other is an end from outside."""
OUR_JOBS = "rackside-"
"""How the names of jobs of active checks begin: they are no training runs."""


def find() -> int:
    """Look at all sites; the number of runs that were found, joined or ended. One worker at a time."""
    with only_here(LOCK, 0) as mine:
        return _find(timezone.now()) if mine else 0


def _find(now: datetime) -> int:
    changed = 0
    with alone("runs_of_jobs_not_found"):
        changed += _from_jobs(now)
    with alone("guessed_ends_not_compared"):
        for pk in guessed_ends(now).values_list("pk", flat=True):
            after_commit("runs.tasks.correct_end", pk, robust=True, expires=30)
    for site, machines in machines_at(now).items():
        with alone("runs_of_processes_not_found", site=site):
            changed += _from_processes(site, machines, now)
    return changed + _end_replaced(now)


# ---- the scheduler ----
def _from_jobs(now: datetime) -> int:
    """Jobs that go on or ended lately: each with GPUs has a run, and each end ends its runs."""
    lately = Q(ended_at=None) | Q(ended_at__gte=now - LOOK_BACK)
    known = set(TrainingRun.objects.filter(lately).exclude(job="").values_list("job", flat=True))
    concern = Q(gpus=None) | Q(gpus__gt=0) | Q(component=0) | Q(label__in=known) | Q(job_id__in=known)
    theirs = SchedulerJob.objects.filter(lately, concern).exclude(name__startswith=OUR_JOBS)
    rows = list(theirs.select_related("source").order_by("started_at", "pk"))
    jobs = [job for job in rows if not job.component]  # further components are part of the leading one's run
    by_part = {(job.source_id, job.label) for job in rows if job.component and job.gpus}
    told: dict[tuple[int, str], list[TrainingRun]] = defaultdict(list)
    names = {job.label or job.job_id for job in jobs} | {job.job_id for job in jobs}
    for run in TrainingRun.objects.filter(job__in=names, started_at__gte=_oldest(jobs, now)):
        told[run.site_id, run.job].append(run)
    with_gpus, changed = _machines_with_gpus(jobs), 0
    for job in jobs:
        runs = [
            run
            for name in dict.fromkeys((job.label or job.job_id, job.job_id))
            for run in told[job.source.site_id, name]
            if run.scheduler_job_id in (None, job.pk) and _is_of(run, job)
        ]
        told_gpus = job.gpus or (job.component == 0 and (job.source_id, job.label) in by_part)
        if not runs and (told_gpus or (job.gpus is None and with_gpus.intersection(job.machine_ids))):
            _make(job, now)
            changed += 1
        for run in runs:
            if run.scheduler_job_id is None or (job.ended_at is not None and run.ended_at is None):
                changed += _follow(run.pk, job)
                run.scheduler_job_id = run.scheduler_job_id or job.pk
            elif FoundBy.REPORT not in run.found_by and run.ended_at is None:
                TrainingRun.objects.filter(pk=run.pk, ended_at=None).update(last_report_at=_read_at(job, now))
    return changed


def _oldest(jobs: Sequence[SchedulerJob], now: datetime) -> datetime:
    return min((job.started_at for job in jobs), default=now) - timedelta(seconds=matching.SLACK_S)


def _is_of(run: TrainingRun, job: SchedulerJob) -> bool:
    if run.scheduler_job_id is not None:
        return True
    ended = job.ended_at.timestamp() if job.ended_at else None
    again = run.attempt < job.restarts  # a run of an earlier start of this job
    return not again and matching.of_job(run.started_at.timestamp(), job.started_at.timestamp(), ended)


def _machines_with_gpus(jobs: Sequence[SchedulerJob]) -> set[int]:
    """Of jobs whose GPUs the scheduler does not say, the machines with some: their models decide."""
    ids = {pk for job in jobs if job.gpus is None for pk in job.machine_ids}
    return set(Machine.objects.filter(pk__in=ids, device__model__spec__gpu__count__gt=0).values_list("pk", flat=True))


def _read_at(job: SchedulerJob, now: datetime) -> datetime:
    """When the scheduler last said so."""
    return min(job.source.last_read_at or now, now)


def _make(job: SchedulerJob, now: datetime) -> None:
    """A run of a job that nobody reported. An id that was used before has another number."""
    name = job.label or job.job_id
    with transaction.atomic():
        run = TrainingRun.objects.create(
            site_id=job.source.site_id,
            key=name,
            attempt=job.restarts,
            repeat=next_repeat(job.source.site_id, name, job.restarts),
            found_by=[FoundBy.SCHEDULER],
            scheduler_job=job,
            job=name,
            launcher=job.source.kind,
            state=State.RUNNING,
            started_at=job.started_at,
            last_report_at=max(job.started_at, _read_at(job, now)),
        )
        if job.ended_at is not None:
            _end_as(run, job)
            run.save()
        announce(run)


def _follow(pk: int, job: SchedulerJob) -> int:
    """Join a run with its job, and end it where the job ended."""
    with transaction.atomic():
        run = TrainingRun.objects.select_for_update(no_key=True).get(pk=pk)
        if run.scheduler_job_id is None:
            run.scheduler_job = job
            run.found_by = _with(run, FoundBy.SCHEDULER)
        if job.ended_at is not None and run.ended_at is None:
            _end_as(run, job)
        run.save()
        announce(run)
    return 1


def _end_as(run: TrainingRun, job: SchedulerJob) -> None:
    """End a locked run as its job ended, with the reason where the job's state is one; the caller saves it."""
    assert job.ended_at is not None
    run.ended_at = max(run.started_at, job.ended_at)
    run.ended_as = job.state
    change_state(run, ENDED_AS.get(job.state, State.ENDED), run.ended_at)
    cause = SLURM_STATES.get(job.state.upper())
    if cause is not None and run.verdict is None and run.pk is not None:  # what ranks print later says more
        row = CLASSES[cause]
        told = ", ".join([f"state {job.state.upper()}", *([job.why] if job.source.kind == KUBERNETES else [])])
        said = row.says.format(who="The job", what=told)
        run.verdict = judgement.told(run, Verdict(cause, row.owner, row.hardware, said, 0.8))
        run.evaluated_at = timezone.now()


def guessed_ends(now: datetime) -> QuerySet[TrainingRun]:
    """Runs whose end was guessed, and of whose job the accounting told another one since."""
    told = TrainingRun.objects.filter(
        ended_as__in=GUESSES, ended_at__gte=now - history.BACK, scheduler_job__ended_at__isnull=False
    )
    as_told = Greatest("started_at", "scheduler_job__ended_at")
    return told.exclude(ended_as=F("scheduler_job__state"), ended_at=as_told)


def correct_end(run_id: int) -> bool:
    """End a run as the accounting says, and judge it again: what was concluded from the guess is forgotten.

    One transaction, and asked for until it is done; the second time there is nothing to correct.
    """
    run = guessed_ends(timezone.now()).filter(pk=run_id).first()
    if run is None:
        return False
    files = newest_files(run)  # may take seconds
    with transaction.atomic():
        rows = guessed_ends(timezone.now()).select_related("scheduler_job")
        run = rows.select_for_update(no_key=True, of=("self",)).filter(pk=run_id).first()
        if run is None or run.scheduler_job is None:
            return False
        run.verdict = run.evaluated_at = None
        _end_as(run, run.scheduler_job)
        judgement.judge_locked(run, files)
        run.save()
        announce(run)
    return True


def _with(run: TrainingRun, by: str) -> list[str]:
    return sorted({*run.found_by, by})


# ---- processes ----
def _from_processes(site: int, machines: Machines, now: datetime) -> int:
    tested = _tested(site)
    found = [each for each in runs_of(machines.processes) if not {rank.machine for rank in each.ranks} <= tested]
    found = _named_by_containers(site, found, now)
    rows: dict[tuple[str, int], list[TrainingRun]] = defaultdict(list)
    for run in TrainingRun.objects.filter(site_id=site, key__in={each.key for each in found}):
        rows[run.key, run.attempt].append(run)
    changed, seen = 0, set()
    for each in found:
        known = [run for run in rows[each.key, each.attempt] if run.pk not in seen]
        pk, is_new = _keep(site, each, known, machines, now)
        seen.add(pk)
        changed += is_new
    return changed + _end_gone(site, seen, machines, now)


def _named_by_containers(site: int, found: Sequence[FoundRun], now: datetime) -> list[FoundRun]:
    """Kubernetes gives its processes no variable that names their job; it tells the containers of the job instead. One
    query, where a run is in containers and in no job."""
    if not any(rank.container for run in found if not run.job for rank in run.ranks):
        return list(found)
    lately = Q(ended_at=None) | Q(ended_at__gte=now - LOOK_BACK)
    jobs = SchedulerJob.objects.filter(lately, source__site_id=site, source__kind=KUBERNETES)
    held = {id: job for job in jobs.only("job_id", "label", "restarts", "containers") for id in job.containers}
    named = []
    for run in found:
        ids = {rank.container.rpartition(" ")[2] for rank in run.ranks} if not run.job else set()
        theirs = {held[id].pk: held[id] for id in ids & held.keys()}
        if len(theirs) == 1:
            (job,) = theirs.values()
            name = job.label or job.job_id
            named.append(replace(run, key=name, job=name, attempt=run.attempt + job.restarts))
        else:
            named.append(run)
    return named


def _tested(site: int) -> set[int]:
    """Machines that an active check has now: what runs there is its test and no training."""
    held = ActiveMachine.objects.filter(released_at=None, machine__device__site_id=site)
    return set(held.values_list("machine_id", flat=True))


def _keep(
    site: int, found: FoundRun, rows: Sequence[TrainingRun], machines: Machines, now: datetime
) -> tuple[int, int]:
    """Store a run that is there now; its id, and whether anything became another."""
    digest, seen_at = _digest(found), min(machines.heard[each.machine] for each in found.ranks)
    same = next((run for run in rows if run.ranks_digest == digest), None)
    if same is not None:  # as it was: most times it is
        fields = {"processes_seen_at": seen_at}
        if FoundBy.REPORT not in same.found_by:
            fields["last_report_at"] = now
        TrainingRun.objects.filter(pk=same.pk, ended_at=None).update(**fields)
        return same.pk, 0
    with transaction.atomic():
        run = _row_of(site, found, rows, now)
        run.ranks_digest, run.processes_seen_at, run.rendezvous = digest, seen_at, found.rendezvous
        run.found_by = _with(run, FoundBy.PROCESSES)
        run.world_size = run.world_size or found.world
        run.user, run.job = run.user or found.user, run.job or found.job
        if found.launcher and (not run.launcher or FoundBy.REPORT not in run.found_by):
            run.launcher = found.launcher
        if FoundBy.REPORT not in run.found_by and run.ended_at is None:
            run.last_report_at = now
            change_state(run, State.RUNNING, now)
        run.save()
        _write_ranks(run, found, machines, now)
        announce(run)
    return run.pk, 1


def _digest(found: FoundRun) -> str:
    """Of what is kept of its ranks."""
    told = [(each.rank, each.machine, each.slot, each.serial, each.slice, each.pid) for each in found.ranks]
    return hashlib.blake2b(orjson.dumps((found.rendezvous, found.world, told)), digest_size=16).hexdigest()


def _row_of(site: int, found: FoundRun, rows: Sequence[TrainingRun], now: datetime) -> TrainingRun:
    """The locked row of a run that is there now; a new one where none that is known fits."""
    locked = TrainingRun.objects.select_for_update(no_key=True).filter(pk__in=[run.pk for run in rows])
    known = {run.pk: run for run in locked}
    fitting = [_known(run) for run in known.values() if not _is_restarted(run, found)]
    pk = matching.same(fitting, Now(found.world, found.rendezvous, found.started))
    if pk is not None and _holds(known[pk], found):
        return known[pk]
    return TrainingRun(
        site_id=site,
        key=found.key,
        attempt=found.attempt,
        repeat=next_repeat(site, found.key, found.attempt),
        found_by=[FoundBy.PROCESSES],
        state=State.RUNNING,
        started_at=min(now, datetime.fromtimestamp(found.started, UTC)),
        last_report_at=now,
    )


def _holds(run: TrainingRun, found: FoundRun) -> bool:
    """Whether it goes on, or had not ended yet when these processes began: what it left behind is no run of its own."""
    return run.ended_at is None or found.started <= run.ended_at.timestamp()


def _known(run: TrainingRun) -> Known:
    ended = run.ended_at.timestamp() if run.ended_at else None
    return Known(run.pk, run.repeat, run.world_size, run.rendezvous, ended)


def _is_restarted(run: TrainingRun, found: FoundRun) -> bool:
    """None of the processes seen before is still there. Of a run whose processes were never seen that says nothing."""
    held = RunRank.objects.filter(run=run, pid__isnull=False, gone_at=None).values_list("machine_id", "pid")
    return matching.restarted(
        {(pk, pid) for pk, pid in held if pid is not None}, {(each.machine, each.pid) for each in found.ranks}
    )


UPSERT_FOUND = """
INSERT INTO runs_runrank AS held (run_id, rank, machine_id, machine_name, local_rank, slot, serial, slice, pid,
    container, others, error)
SELECT %s, told.*, '' FROM unnest(%s::int[], %s::bigint[], %s::text[], %s::int[], %s::text[], %s::text[], %s::text[],
    %s::bigint[], %s::text[], %s::jsonb[])
    AS told(rank, machine_id, machine_name, local_rank, slot, serial, slice, pid, container, others)
ON CONFLICT (run_id, rank) DO UPDATE
SET machine_id = excluded.machine_id, machine_name = excluded.machine_name, local_rank = excluded.local_rank,
    slot = coalesce(nullif(excluded.slot, ''), held.slot), serial = excluded.serial, slice = excluded.slice,
    pid = excluded.pid, container = excluded.container, others = excluded.others, gone_at = NULL
"""


def _write_ranks(run: TrainingRun, found: FoundRun, machines: Machines, now: datetime) -> None:
    by_rank: dict[int, list[FoundRank]] = defaultdict(list)
    for each in found.ranks:
        by_rank[each.rank].append(each)
    rows = [
        (
            first.rank, first.machine, first.machine_name, first.local_rank, first.slot, first.serial, first.slice,
            first.pid, first.container[:80], orjson.dumps([_other(each) for each in others[:8]]).decode(),
        )
        for first, *others in by_rank.values()
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(UPSERT_FOUND, [run.pk, *(list(column) for column in zip(*rows, strict=True))])
    gone = RunRank.objects.filter(run=run, pid__isnull=False, gone_at=None, machine_id__in=machines.known)
    gone.exclude(rank__in=list(by_rank)).update(gone_at=now)


def _other(rank: FoundRank) -> Mapping[str, object]:
    return {"machine": rank.machine_name, "slot": rank.slot, "pid": rank.pid}


# ---- ends ----
def _end_gone(site: int, seen: Iterable[int], machines: Machines, now: datetime) -> int:
    """Runs whose processes were seen and are no longer there, on machines that all said so since.

    Where a scheduler has the job, it says how that ended; a run that still reports goes on.
    """
    rows = TrainingRun.objects.filter(site_id=site, ended_at=None, processes_seen_at__isnull=False)
    rows = rows.filter(Q(scheduler_job=None) | Q(scheduler_job__ended_at__isnull=False)).exclude(pk__in=list(seen))
    ended = 0
    for run in rows:
        told = RunRank.objects.filter(run=run, pid__isnull=False).values_list("machine_id", flat=True).distinct()
        assert run.processes_seen_at is not None
        if any(pk not in machines.heard or machines.heard[pk] <= run.processes_seen_at for pk in told if pk):
            continue
        if FoundBy.REPORT in run.found_by and now - run.last_report_at < REPLACED:
            continue
        ended += _end(run.pk, run.processes_seen_at)
    return ended


def _end_replaced(now: datetime) -> int:
    """Runs that nobody saw or heard of for a while, and that began again since under the same name."""
    ended = 0
    quiet = TrainingRun.objects.filter(ended_at=None, last_report_at__lt=now - REPLACED)
    quiet = quiet.filter(Q(processes_seen_at=None) | Q(processes_seen_at__lt=now - fresh()))
    for run in quiet:
        later = Q(attempt__gt=run.attempt) | Q(attempt=run.attempt, repeat__gt=run.repeat)
        again = TrainingRun.objects.filter(later, site_id=run.site_id, key=run.key).order_by("started_at").first()
        if again is not None:
            ended += _end(run.pk, max(run.started_at, min(again.started_at, now)))
    return ended


def _end(pk: int, at: datetime) -> int:
    """It has ended, nobody says how."""
    with transaction.atomic():
        run = TrainingRun.objects.select_for_update(no_key=True).filter(pk=pk, ended_at=None).first()
        if run is None:
            return 0
        run.ended_at, run.ended_as = max(run.started_at, at), TrainingRun.UNSEEN
        change_state(run, State.ENDED, run.ended_at)
        run.save(update_fields=["state", "since", "ended_at", "ended_as"])
        announce(run)
    return 1
