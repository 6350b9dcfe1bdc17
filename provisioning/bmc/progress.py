"""A BMC run goes on: one look at each machine of a wave at a time, by one worker.

Asked right before the first write to a machine: whether it is in nobody's hands, and where the action needs it whether
it is out of service and idle; and before every look of a run that writes: the kill switch. A worker that is lost loses
its advisory lock; the next one goes on with what is written down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.queries import BmcTarget, bmc_targets
from provisioning.bmc import accounts, looks, readings, rotation, services
from provisioning.bmc.looks import LOOK_S, Look, Order
from provisioning.bmc.models import BmcPassword, BmcRun, BmcRunMachine
from provisioning.bmc.passwords import Verdict
from provisioning.bmc.words import NEEDS_DRAIN, BmcAction
from provisioning.conf import config
from provisioning.waves import fitness, holds
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
    why_stop,
)

ACTOR = "bmc set-up"
AGAIN_S = 5.0
WAITS_S = 30.0
CONCURRENCY = 64
LOG_LINES = 60


def owner(run: BmcRun) -> str:
    """Whose holds keep machines of a run out of service."""
    return f"bmc:{run.pk}"


def advance(run_id: int) -> str:
    """Look once at the machines under way, and say when the next look is. Returns what it did: `busy`, `waits`,
    `looked`, `through` (with the wave) or the state in which the run ended."""
    with services.WORK.lock(run_id) as mine:
        if not mine:
            return "busy"
        came = _turn(run_id)
    after_s = {"looked": AGAIN_S * config().time_scale, "waits": WAITS_S, "through": 0.0}.get(came)
    if after_s is not None:
        again = timezone.now() + timedelta(seconds=after_s)
        if BmcRun.objects.filter(pk=run_id, cancelled_by="").update(next_at=again):
            services.take_turn(run_id, after_s=after_s)
    return came


def _turn(run_id: int) -> str:
    while True:
        decided = _decide(run_id)
        if not isinstance(decided, Play):
            return decided
        run = BmcRun.objects.get(pk=run_id)
        if why := holds.why_stopped(run):
            BmcRun.objects.filter(pk=run_id).update(message=why[:500])
            return "waits"
        rows = list(run.machines.filter(pk__in=decided.machines).order_by("pk"))
        targets = {target.machine_id: target for target in bmc_targets([row.machine_id for row in rows])}
        refused = _unfit(run, [row for row in rows if not row.data], targets)
        going = [row for row in rows if row.pk not in refused]
        _refuse(run, rows, refused)
        if going:
            return "looked" if _look(run, going, targets) else "through"


def _unfit(run: BmcRun, rows: Sequence[BmcRunMachine], targets: Mapping[int, BmcTarget]) -> dict[int, str]:
    """Those of the rows at whose machines nothing was begun and nothing may be now, with the reason."""
    ids = [row.machine_id for row in rows]
    states, drained_for = holds.states_of(ids), NEEDS_DRAIN[BmcAction(run.action)]
    reasons = {}
    for pk in ids:
        alone = run.part_of_id is None  # else its provisioning run has the machine, which is out of service
        why = fitness.why_not(states.get(pk, ""), drained_for=drained_for, dry_run=run.dry_run) if alone else ""
        if why := why or services.why_unreached(targets[pk]):
            reasons[pk] = why
    if drained_for and not run.dry_run and run.part_of_id is None:
        free, reason = [pk for pk in ids if pk not in reasons], f"BMC run {run.pk}"
        reasons |= holds.in_use(free, owner=owner(run), reason=reason, actor=ACTOR, drained_for=drained_for)
    return {row.pk: reasons[row.machine_id] for row in rows if row.machine_id in reasons}


# ---- what is next ----


@transaction.atomic
def _decide(run_id: int) -> Play | str:
    """Bring the run's rows to where machines are to be looked at, or to its end.

    Where too many failed nobody is begun any more, and those at which something was begun go on to their end.
    """
    run = BmcRun.objects.select_for_update().get(pk=run_id)
    if run.status not in OPEN_RUNS:
        return str(run.status)
    if run.cancelled_by:
        return _end(run, RunState.CANCELLED, f"cancelled by {run.cancelled_by}")
    policy, now = Policy(run.canary, run.limit, run.stop_share), timezone.now()
    while True:
        rows = list(run.machines.order_by("pk"))
        standings = [Standing(row.pk, MachineState(row.status), row.wave, ()) for row in rows]
        match next_of(standings, [run.action], policy):
            case Begin(wave, machines):
                run.machines.filter(pk__in=machines).update(
                    status=MachineState.RUNNING.value, wave=wave, started_at=now
                )
            case Play() as step:
                run.status, run.message = RunState.RUNNING.value, ""
                run.save(update_fields=["status", "message"])
                return step
            case Stop(reason):
                begun = [row for row in rows if row.status == MachineState.RUNNING and row.data]
                others = [row for row in services.open_machines(run.pk) if row not in begun]
                _ended(run, dict.fromkeys(others, (MachineState.CANCELLED, reason)))
                if not begun:
                    return _end(run, RunState.STOPPED, reason)
                run.status, run.message = RunState.RUNNING.value, f"stops: {reason}"
                run.save(update_fields=["status", "message"])
                return Play(run.action, tuple(row.pk for row in begun))
            case Over() | Passed():
                if reason := why_stop(standings, policy) if _were_spared(rows) else "":
                    return _end(run, RunState.STOPPED, reason)
                bad = any(row.status in BAD for row in rows)
                return _end(run, RunState.FAILED if bad else RunState.DONE, "")


def _were_spared(rows: Sequence[BmcRunMachine]) -> bool:
    return any(row.status == MachineState.CANCELLED for row in rows)


def _end(run: BmcRun, state: RunState, message: str) -> str:
    """The run is over; machines that were not done stay as they are."""
    _ended(run, dict.fromkeys(services.open_machines(run.pk), (MachineState.CANCELLED, message)))
    run.status, run.message, run.finished_at = state.value, message[:500], timezone.now()
    run.save(update_fields=["status", "message", "finished_at"])
    services.tell(run, ACTOR)
    return state.value


def _ended(run: BmcRun, came: Mapping[BmcRunMachine, tuple[MachineState, str]]) -> None:
    """These machines are through; what kept them out of service is lifted."""
    now = timezone.now()
    for row, (state, message) in came.items():
        row.status, row.finished_at = state.value, now
        _say(row, message)
    BmcRunMachine.objects.bulk_update(came, ["status", "message", "finished_at", "data", "log"])
    holds.lift([row.machine_id for row in came], owner=owner(run), reason="done", actor=ACTOR)


def _say(row: BmcRunMachine, message: str) -> None:
    if message and message[:1000] != row.message:
        row.message = message[:1000]
        row.log = [*row.log, {"at": timezone.now().isoformat(), "text": row.message}][-LOG_LINES:]


@transaction.atomic
def _refuse(run: BmcRun, rows: Sequence[BmcRunMachine], refused: Mapping[int, str]) -> None:
    if refused:
        locked = BmcRun.objects.select_for_update().get(pk=run.pk)
        _ended(locked, {row: (MachineState.REFUSED, refused[row.pk]) for row in rows if row.pk in refused})
        services.tell(locked, ACTOR)


# ---- one look ----


def _look(run: BmcRun, rows: Sequence[BmcRunMachine], targets: Mapping[int, BmcTarget]) -> bool:
    """Whether some go on after this look."""
    if run.action == BmcAction.PASSWORD:
        return _record(run, rows, _passwords(run, rows, targets))
    profiles, settings = readings.profiles_of([row.machine_id for row in rows]), config()
    now = timezone.now().timestamp()
    orders = []
    for row in rows:
        profile = profiles.get(row.machine_id)
        orders.append(
            Order(
                targets[row.machine_id], BmcAction(run.action), now, dry_run=run.dry_run, restart=run.restart,
                settings=readings.settings_of(profile) if profile else (),
                firmware=readings.baselines_of(profile) if profile else (),
                data=row.data, folder=settings.firmware_folder, scale=settings.time_scale,
            )
        )  # fmt: skip
    _write_down(rows, now)
    found = asyncio.run(_together([looks.look(order) for order in orders]))
    came = {order.target.machine_id: each for order, each in zip(orders, found, strict=True)}
    readings.store([(targets[pk], each) for pk, each in came.items()])
    return _record(run, rows, came)


def _write_down(rows: Sequence[BmcRunMachine], now: float) -> None:
    """Restarts that this look gives count as given from here on. The orders hold the data from before."""
    given = [row for row in rows if looks.taken(row.data, now) is not row.data]
    for row in given:
        row.data = looks.taken(row.data, now)
    if given:
        BmcRunMachine.objects.bulk_update(given, ["data"])


async def _together(work: Sequence[Any]) -> list[Any]:
    """At most so many at once; one that takes too long is unreachable, and one with a fault of ours has failed."""
    gate = asyncio.Semaphore(CONCURRENCY)

    async def one(each: Any) -> Any:
        async with gate:
            try:
                async with asyncio.timeout(LOOK_S * 5):
                    return await each
            except TimeoutError:
                return Look(MachineState.UNREACHABLE, "no answer in time")

    return await asyncio.gather(*(one(each) for each in work))


def _passwords(run: BmcRun, rows: Sequence[BmcRunMachine], targets: Mapping[int, BmcTarget]) -> dict[int, Look]:
    """Change the password of each, or see whether it could be; stored before it is sent, and kept when it was used."""
    ids = [row.machine_id for row in rows]
    if run.dry_run:
        found = asyncio.run(_together([accounts.find(targets[pk]) for pk in ids]))
        return {pk: _look_of(came) for pk, came in zip(ids, found, strict=True)}
    prepared = rotation.prepare(ids, actor=run.created_by)
    ours = list(prepared)
    found = asyncio.run(_together([_changed(targets[pk], prepared[pk]) for pk in ours]))
    looked = {pk: Look(MachineState.REFUSED, "its password is being changed already") for pk in ids}
    for pk, came in zip(ours, found, strict=True):
        if isinstance(came, accounts.Changed):
            rotation.record(prepared[pk], targets[pk], came)
        looked[pk] = _look_of(came)
    return looked


async def _changed(target: BmcTarget, row: BmcPassword) -> accounts.Changed:
    return await rotation.change(target, row)


def _look_of(came: accounts.Changed | Look) -> Look:
    if isinstance(came, Look):
        return came
    return Look(MachineState.OK if came.verdict is Verdict.NEW else MachineState.FAILED, came.message)


@transaction.atomic
def _record(run: BmcRun, rows: Sequence[BmcRunMachine], came: Mapping[int, Look]) -> bool:
    locked = BmcRun.objects.select_for_update().get(pk=run.pk)
    ended, going = {}, []
    for row in rows:
        look = came[row.machine_id]
        row.data = look.data
        if look.state is MachineState.RUNNING:
            _say(row, look.message)
            going.append(row)
        else:
            ended[row] = (look.state, look.message)
    BmcRunMachine.objects.bulk_update(going, ["message", "data", "log"])
    _ended(locked, ended)
    services.tell(locked, ACTOR)
    return bool(going)
