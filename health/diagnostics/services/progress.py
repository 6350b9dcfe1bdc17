"""Taking a run on: look at what runs, keep what ended, begin what waits, plan the next round. Safe to be cut anywhere.

A worker does one turn and goes; jobs go on without it. Each turn reads everything anew, and the machines are asked for
again right before anything is begun on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import structlog
from django.db import transaction
from django.utils import timezone

from health.diagnostics import hooks
from health.diagnostics.models import ActiveMachine, ActiveRun, ActiveStep
from health.diagnostics.services import outcomes, remote, rounds
from health.diagnostics.services.candidates import Candidate, ask_schedulers, reasons
from health.diagnostics.services.departures import break_off, leave, let_go, machines_of
from health.diagnostics.services.remote import Job
from health.diagnostics.services.runs import WORK, enqueue, finish, hold_owner, limit_of, tell
from health.diagnostics.services.slurm_jobs import START_WITHIN
from health.diagnostics.ways import way_of
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.machines.remote import workloads_of
from health.machines.services import kill_switch

log = structlog.get_logger(__name__)
TURN_S = 5.0
MOST_ATTEMPTS = 2
DRAINED_WITHIN = timedelta(minutes=30)
GRACE = timedelta(seconds=90)
"""Beyond a job's own limit: it ends by itself then, and has to be asked once more."""


def advance(run_id: int) -> str:
    """One turn of a run. Returns its status, or `busy` when another worker is at it."""
    with WORK.lock(run_id) as mine:
        if not mine:
            return "busy"
        run = ActiveRun.objects.get(pk=run_id)
        if run.status in ActiveRun.OPEN:
            _turn(run)
            run.refresh_from_db()
            if run.status in ActiveRun.OPEN:
                enqueue(run.pk, in_s=TURN_S)
        return str(run.status)


def _turn(run: ActiveRun) -> None:
    if run.status == ActiveRun.Status.WAITING:
        run.status, run.started_at = ActiveRun.Status.RUNNING, timezone.now()
        run.save(update_fields=["status", "started_at"])
    if run.cancelled_by:
        _cancel(run)
        return
    usable, lost = machines_of(run)
    some = {each.machine_id: each for each in usable}
    changed = let_go(run, lost)
    changed = _collect(run, some) or changed
    if not run.steps.filter(status__in=ActiveStep.OPEN).exists():
        changed = _plan(run, some) or changed
    changed = _begin(run, some) or changed
    if changed:
        tell(run)
    if not run.steps.filter(status__in=ActiveStep.OPEN).exists() and not _next(run, some):
        _end(run, some)


# ---- what runs ----


def _collect(run: ActiveRun, some: dict[int, Candidate]) -> bool:
    """Ask for every running job and keep what ended; whether anything did."""
    running = list(run.steps.filter(status=ActiveStep.Status.RUNNING))
    if not running:
        return False
    own = _jobs_of_each(run, running, some)
    counting = [job for mine in own.values() for job in mine if job.counts]
    looks = remote.look(counting)
    over: list[Job] = []
    changed = len(own) < len(running)
    for step in (step for step in running if step.pk in own):
        job = next(job for job in own[step.pk] if job.counts)
        seen = looks[job.name]
        late = step.deadline_at is not None and timezone.now() > step.deadline_at + GRACE
        if seen.state == "done":
            outcomes.keep(step, job, seen)
            _say_who_stopped(step, own[step.pk], some)
        elif seen.state == "refused":
            _not_begun(step, seen.trouble)
        elif seen.state == "lost" and step.attempts < MOST_ATTEMPTS:
            step.status, step.message = ActiveStep.Status.WAITING, f"begun again: {seen.trouble}"
            step.save(update_fields=["status", "message"])
        elif seen.state == "lost" or late:
            why = seen.trouble or "it did not end within its time"
            outcomes.unknown(step, f"no result: {why}")
        else:
            continue
        changed = True
        over += own[step.pk]
    if over:
        remote.stop([job for job in over if not job.counts or job.slurm is not None])
        remote.tidy(over)
    return changed


def _say_who_stopped(step: ActiveStep, own: Sequence[Job], some: dict[int, Candidate]) -> None:
    """Without a result of the first machine: what the others complain of, where each starts processes of its own."""
    others = [job for job in own if not job.counts]
    if step.kind != rounds.GROUPS or step.verdict != ActiveStep.Verdict.UNKNOWN or not others:
        return
    looks = remote.look(others)
    for job in others:
        seen = looks[job.name]
        said = seen.trouble if seen.state == "lost" else seen.trouble.strip().rpartition("\n")[2]
        if seen.state == "lost" or (seen.state == "done" and seen.exit_status):
            step.message = f"{some[job.machine_id].name}: {said or 'it ended'}; {step.message}"[:500]
            step.save(update_fields=["message"])
            return


def _jobs_of_each(run: ActiveRun, running: Sequence[ActiveStep], some: dict[int, Candidate]) -> dict[int, list[Job]]:
    """The jobs of steps that run, by step; one that its machines' model has no place for any more is broken off."""
    where = remote.addresses(running)
    own: dict[int, list[Job]] = {}
    for step in running:
        try:
            own[step.pk] = remote.jobs_of(run, step, some, where)
        except ValueError as error:
            break_off(run, [step], str(error))
    return own


# ---- what comes next ----


def _next(run: ActiveRun, some: dict[int, Candidate]) -> list[ActiveStep]:
    steps = list(run.steps.order_by("round", "number"))
    return rounds.next_steps(run, sorted(some.values(), key=lambda each: each.name), steps)


def _plan(run: ActiveRun, some: dict[int, Candidate]) -> bool:
    """Write down the next round, if there is one."""
    drafts = _next(run, some)
    if not drafts:
        return False
    with transaction.atomic():
        ActiveStep.objects.bulk_create(drafts)
        run.rounds += 1
        run.save(update_fields=["rounds"])
    return True


def _begin(run: ActiveRun, some: dict[int, Candidate]) -> bool:
    """Begin the waiting steps whose machines may be loaded, after writing that they run."""
    waiting = list(run.steps.filter(status=ActiveStep.Status.WAITING).order_by("number"))
    if not waiting:
        return False
    ids = {pk for step in waiting for pk in step.machine_ids}
    ask_schedulers(ids)
    way = way_of(run.launch)
    pending: set[int] = set() if way.by_slurm else _take_out(run, ids)
    refused = reasons(ids, run_id=run.pk, way=way) | ({} if way.by_slurm else _in_service(ids))
    _ask_machines(run, refused, pending)
    changed, starting = False, []
    for step in run.steps.filter(status=ActiveStep.Status.WAITING).order_by("number"):  # some left meanwhile
        why = next((f"{some[pk].name}: {refused[pk]}" for pk in step.machine_ids if refused[pk]), "")
        late = run.must_end_at is not None and timezone.now() + limit_of(run, step.kind) > run.must_end_at
        if late or (why and not any(pk in pending for pk in step.machine_ids)):
            outcomes.unknown(step, "it would not end within its window" if late else f"not begun: {why}")
            changed = True
        elif not any(pk in pending for pk in step.machine_ids):
            starting.append(step)
    stopped = kill_switch.why_run_stopped(run.site_id, by=run.requested_by, begun_at=run.created_at) if starting else ""
    if run.message != stopped[:300]:
        run.message = stopped[:300]
        run.save(update_fields=["message"])
    if stopped:  # what waits goes on waiting, and begins when the switch is lifted
        return changed
    _start(run, starting, some)
    return changed or bool(starting)


def _ask_machines(run: ActiveRun, refused: dict[int, str], pending: set[int]) -> None:
    """Ask the machines themselves what runs on them; not one that runs a test of this run, or drains."""
    running = run.steps.filter(status=ActiveStep.Status.RUNNING).values_list("machine_ids", flat=True)
    tested = {pk for ids in running for pk in ids}
    asked = [pk for pk, why in refused.items() if not why and pk not in tested and pk not in pending]
    for pk, said in workloads_of(asked).items():
        refused[pk] = said.refuses


def _start(run: ActiveRun, steps: Sequence[ActiveStep], some: dict[int, Candidate]) -> None:
    queued = START_WITHIN if way_of(run.launch).by_slurm else timedelta()
    for step in steps:
        limit, now = limit_of(run, step.kind) + queued, timezone.now()
        step.status, step.attempts = ActiveStep.Status.RUNNING, step.attempts + 1
        step.started_at, step.deadline_at = now, now + limit
        step.save(update_fields=["status", "attempts", "started_at", "deadline_at"])
    batch: list[tuple[Job, int]] = []
    where = remote.addresses(steps)
    for step in steps:
        try:
            own = remote.jobs_of(run, step, some, where)
        except ValueError as error:
            outcomes.unknown(step, f"not begun: {error}")
            continue
        step.command = next(job.command.line for job in own if job.counts)[:500]
        step.save(update_fields=["command"])
        batch += [(job, int(limit_of(run, step.kind).total_seconds())) for job in own]
    if batch:
        refused = remote.begin(batch)
        for name, refusal in refused.items():
            log.info("active_job_not_begun", job=name, reason=refusal.text)  # the next look finds out what became of it
        final = {job.step_id: why.text for job, _ in batch if (why := refused.get(job.name)) is not None and why.final}
        for step in steps:
            if step.pk in final:
                _not_begun(step, final[step.pk])


def _not_begun(step: ActiveStep, why: str) -> None:
    """It is certain that nothing of it ran, and trying again would change nothing."""
    step.attempts = 0
    outcomes.unknown(step, f"not begun: {why}")


def _take_out(run: ActiveRun, ids: set[int]) -> set[int]:
    """Take idle machines in service out, within the budget of their pools; those that are not out of service yet.

    One that may not be taken out leaves the run, with the reason.
    """
    ready = MachineHealth.objects.filter(machine_id__in=ids, state__in=[State.READY, State.DRAINING])
    pending: set[int] = set()
    for machine_id in ready.order_by("machine_id").values_list("machine_id", flat=True):
        row = ActiveMachine.objects.get(run=run, machine_id=machine_id)
        if reasons([machine_id], run_id=run.pk)[machine_id] and not row.held:
            continue  # refused below, with its reason
        refusal = hooks.remediation().hold_within_budget(
            machine_id, owner=hold_owner(run), reason=f"active checks, run {run.pk}", actor="active checks"
        )
        if refusal is not None:
            leave(run, row, f"it stays in service: {refusal.reason}")
            continue
        if not row.held:
            row.held = True
            row.save(update_fields=["held"])
        now_state = MachineHealth.objects.values_list("state", flat=True).get(pk=machine_id)
        waited = run.started_at is not None and timezone.now() - run.started_at > DRAINED_WITHIN
        if now_state != State.DRAINED and not waited:
            pending.add(machine_id)
    return pending


def _in_service(ids: set[int]) -> dict[int, str]:
    """Machines that are in service now: whoever was to be taken out of it was not."""
    ready = MachineHealth.objects.filter(machine_id__in=ids, state=State.READY)
    return dict.fromkeys(ready.values_list("machine_id", flat=True), "it is in service")


# ---- the end ----


def _end(run: ActiveRun, some: dict[int, Candidate]) -> None:
    steps = list(run.steps.order_by("round", "number"))
    ordered = sorted(some.values(), key=lambda each: each.name)
    if run.kind in (rounds.PAIRS, rounds.GROUPS):
        run.conclusion = rounds.conclusions(run, ordered, steps)
    outcomes.open_faults(run, ordered, steps)
    outcomes.open_incidents(run)
    begun = any(step.attempts for step in steps)
    status = ActiveRun.Status.DONE if begun else ActiveRun.Status.FAILED
    first = next((step.message for step in steps), "") or next(
        (f"{each['name']}: {each['reason']}" for each in run.left_out), ""
    )
    finish(run, status, message="" if begun else f"nothing could be begun{': ' + first if first else ''}")


def _cancel(run: ActiveRun) -> None:
    """Stop what runs; what ended before that is kept. It takes nothing but the names of jobs."""
    own = [job for step in run.steps.filter(status=ActiveStep.Status.RUNNING) for job in remote.names_of(run, step)]
    if own:
        remote.stop(own)
        remote.tidy(own)
    run.steps.filter(status__in=ActiveStep.OPEN).update(
        status=ActiveStep.Status.CANCELLED, finished_at=timezone.now(), message=f"cancelled by {run.cancelled_by}"[:500]
    )
    finish(run, ActiveRun.Status.CANCELLED, message=f"cancelled by {run.cancelled_by}")
