"""A software run goes on: one role on the machines of a wave at a time, by one worker.

Asked right before each role: the kill switch, and for a role that needs it whether the machine is out of service and
idle. A worker that is lost loses its advisory lock; the next one repeats its role, which changes nothing twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog
from django.db import transaction
from django.utils import timezone

from provisioning.software import clearance, services
from provisioning.software.log import TaskLog
from provisioning.software.models import SoftwareMachine, SoftwareRun
from provisioning.software.plays.hosts import Host
from provisioning.software.plays.play import Played, play
from provisioning.software.plays.results import sum_of
from provisioning.software.words import Outcome
from provisioning.waves import holds
from provisioning.waves.policy import (
    BAD,
    OPEN_RUNS,
    Begin,
    MachineState,
    Over,
    Passed,
    Play,
    Policy,
    RunState,
    Standing,
    Stop,
    next_of,
)

log = structlog.get_logger(__name__)
ROLE_S = 45 * 60
"""A role that takes longer is stopped; a task of Celery that does one may take a little more."""
ACTOR = "software"


def advance(run_id: int) -> str:
    """Do the next role of a run, and queue whichever run is next. Returns what it did: `busy`, `waits`, `played` or
    the state in which the run ended."""
    with services.WORK.lock(run_id) as mine:
        if not mine:
            return "busy"
        came = _turn(run_id)
    if came != "waits" and (following := services.next_in_turn()) is not None:
        services.take_turn(following)
    return came


def _turn(run_id: int) -> str:
    """Until a role was played, or nothing can be: each round of the loop ends a machine or begins a wave."""
    while True:
        decided = _decide(run_id)
        if not isinstance(decided, Play):
            return decided
        run = SoftwareRun.objects.get(pk=run_id)
        if why := holds.why_stopped(run):
            untried = max(0, run.attempts - 1)  # it waits, and nobody was lost
            SoftwareRun.objects.filter(pk=run_id).update(message=why[:500], turn_at=timezone.now(), attempts=untried)
            return "waits"
        chosen, refused = clearance.of(run, decided)
        _refuse(run, refused)
        if chosen:
            _play(run, decided.step, chosen)
            return "played"


# ---- what is next ----


@transaction.atomic
def _decide(run_id: int) -> Play | str:
    """Bring the run's rows to where a role is to be played, or to its end."""
    run = SoftwareRun.objects.select_for_update().get(pk=run_id)
    if run.status not in OPEN_RUNS:
        return str(run.status)
    if run.cancelled_by:
        return _end(run, RunState.CANCELLED, f"cancelled by {run.cancelled_by}")
    now = timezone.now()
    policy = Policy(run.canary, run.limit, run.stop_share)
    while True:
        rows = {row.pk: row for row in run.machines.order_by("pk")}
        step = next_of([_standing(row) for row in rows.values()], run.roles, policy)
        match step:
            case Begin(wave, machines):
                run.machines.filter(pk__in=machines).update(
                    status=MachineState.RUNNING.value, wave=wave, started_at=now
                )
            case Passed(machines):
                _ended(run, [rows[pk] for pk in machines], MachineState.OK, "")
            case Stop(reason):
                return _end(run, RunState.STOPPED, reason)
            case Over():
                bad = any(row.status in BAD for row in rows.values())
                return _end(run, RunState.FAILED if bad else RunState.DONE, "")
            case Play(role, machines):
                if services.WORK.policy.is_last(run.attempts):
                    why = f"given up: {run.attempts} workers were lost at this role"
                    _ended(run, [rows[pk] for pk in machines], MachineState.FAILED, why, role)
                    run.attempts = 0
                    continue
                run.attempts += 1
                run.status, run.message, run.turn_at = RunState.RUNNING.value, "", now
                run.save(update_fields=["status", "message", "turn_at", "attempts"])
                services.tell(run, ACTOR)
                return step


def _standing(row: SoftwareMachine) -> Standing:
    return Standing(row.pk, MachineState(row.status), row.wave, row.outcomes.keys())


def _end(run: SoftwareRun, state: RunState, message: str) -> str:
    """The run is over; machines that were not done stay as they are."""
    _ended(run, services.open_machines(run.pk), MachineState.CANCELLED, message)
    run.status, run.message, run.finished_at = state.value, message[:500], timezone.now()
    run.save(update_fields=["status", "message", "finished_at"])
    services.tell(run, ACTOR)
    return state.value


def _ended(
    run: SoftwareRun, rows: Sequence[SoftwareMachine], state: MachineState, message: str, role: str = ""
) -> None:
    """These machines are through, with `role` as what failed; what kept them out of service is lifted."""
    now = timezone.now()
    for row in rows:
        row.status, row.message, row.finished_at = state.value, message[:1000], now
        if role:
            failed = Outcome.UNREACHABLE if state is MachineState.UNREACHABLE else Outcome.FAILED
            row.outcomes = {**row.outcomes, role: failed.value}
    SoftwareMachine.objects.bulk_update(rows, ["status", "message", "finished_at", "outcomes"])
    machines = [row.machine_id for row in rows]
    holds.lift(machines, owner=clearance.owner(run), reason=message or "done", actor=ACTOR)


def _refuse(run: SoftwareRun, refused: Mapping[SoftwareMachine, str]) -> None:
    if not refused:
        return
    with transaction.atomic():
        locked = SoftwareRun.objects.select_for_update().get(pk=run.pk)
        for row, why in refused.items():
            _ended(run, [row], MachineState.REFUSED, why)
        locked.attempts = 0
        locked.save(update_fields=["attempts"])
        services.tell(locked, ACTOR)


# ---- one role ----


def _play(run: SoftwareRun, role: str, chosen: Mapping[SoftwareMachine, Host]) -> None:
    tasks = TaskLog(run, {row.machine_id: row for row in chosen})
    played = play(
        list(chosen.values()),
        role,
        role_paths=services.catalogue().paths,
        check=run.dry_run,
        timeout_s=ROLE_S,
        on_result=lambda host, result: tasks.add(host.machine_id, result),
        goes_on=tasks.goes_on,
    )
    tasks.flush()
    _record(run.pk, role, chosen, tasks, played)


@dataclass(frozen=True, slots=True)
class _Verdict:
    state: MachineState
    outcome: Outcome | None
    message: str


@transaction.atomic
def _record(run_id: int, role: str, chosen: Mapping[SoftwareMachine, Host], tasks: TaskLog, played: Played) -> None:
    """What the role did on each machine. One that Ansible says nothing of is failed, unless it was stopped by us."""
    run = SoftwareRun.objects.select_for_update().get(pk=run_id)
    going = []
    ended: dict[tuple[MachineState, str], list[SoftwareMachine]] = defaultdict(list)
    for row in chosen:
        verdict = verdict_of(tasks.outcomes[row.machine_id], tasks.reasons.get(row.machine_id, ""), played)
        if verdict.state is MachineState.RUNNING:
            if verdict.outcome is not None:
                row.outcomes = {**row.outcomes, role: verdict.outcome.value}
            going.append(row)
        else:
            ended[verdict.state, verdict.message].append(row)
    SoftwareMachine.objects.bulk_update(going, ["outcomes"])
    for (state, message), rows in ended.items():
        _ended(run, rows, state, message, role)
    run.attempts = 0
    run.save(update_fields=["attempts"])
    services.tell(run, ACTOR)


def verdict_of(outcomes: Sequence[Outcome], reason: str, played: Played) -> _Verdict:
    """What became of one machine in a play, from its tasks. `RUNNING` without an outcome: it was stopped."""
    found = sum_of(outcomes)
    if found is Outcome.UNREACHABLE:
        return _Verdict(MachineState.UNREACHABLE, found, reason)
    if found is Outcome.FAILED:
        return _Verdict(MachineState.FAILED, found, reason)
    if played.cancelled:
        return _Verdict(MachineState.RUNNING, None, "")
    if not played.complete:
        return _Verdict(MachineState.FAILED, Outcome.FAILED, f"Ansible broke off: {played.text or 'it said nothing'}")
    if not outcomes:
        return _Verdict(MachineState.FAILED, Outcome.FAILED, "Ansible says nothing of this machine")
    return _Verdict(MachineState.RUNNING, found, "")
