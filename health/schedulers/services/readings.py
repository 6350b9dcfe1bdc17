"""Read a scheduler: keep what it says, notice what others did there, and complete drains when nothing runs any more."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.alone import alone
from core.work.kinds import Session, Work
from drivers.scheduler import MachineFacts, SchedulerError, View
from health.machines.lifecycle import OUTSIDE_POOL, LifecycleEvent, State
from health.machines.models.machines import Hold, LifecycleChange, MachineHealth
from health.machines.remote import ASKED_AT_ONCE, workloads_of
from health.machines.services.changes import changing, put_back
from health.monitoring import damping
from health.schedulers.models import IS_READ, SchedulerChange, SchedulerMachine, SchedulerSource, SchedulerWish
from health.schedulers.services import desired_state, history, queue
from health.schedulers.services import jobs as scheduler_jobs
from health.schedulers.services.reach import driver_of, keep_identities
from inventory.models import Machine
from live.events import emit

log = structlog.get_logger(__name__)
ACTOR = "scheduler"
KEPT = (
    "machine_id", "state", "words", "closed", "answers", "jobs", "reason", "reason_by", "reason_at", "cpus",
    "memory_mb", "gpus", "reserved_from", "reserved_until", "reservation",
)  # fmt: skip
IN_SERVICE = {State.READY.value, *(state.value for state in OUTSIDE_POOL)}
"""Machines in every other state are out of service here, and closed at the scheduler; `new` and `retired` ones are none
of this service's business yet, or any more."""
Status, Want, Kind = SchedulerWish.Status, SchedulerWish.Want, SchedulerChange.Kind
Allocation = MachineHealth.Allocation


WORK = Work(
    name="reading of a scheduler",
    model=SchedulerSource,
    open=IS_READ & Q(enabled=True),
    hold=Session(7_205),
    due="tried_at",
    period="period_s",
    task="health.schedulers.tasks.read_scheduler",
    every_s=5,
)


def read(source_id: int, *, when_due: bool = False) -> SchedulerSource | None:
    """Read one source and do what follows; None when it is gone, switched off, or read by another worker now.

    `when_due`: also None when somebody read it since it was asked for.
    """
    with WORK.held(source_id) as source:
        began = timezone.now()
        if source is None or (when_due and not WORK.is_due(source, began)):
            return None
        try:
            driver = driver_of(source)
            view = asyncio.run(driver.read(source.since))
            keep_identities(source, driver)
            if view is not None:
                _keep(source, view, began)
        except (SchedulerError, ValueError) as error:
            log.warning("scheduler_not_read", source=source_id, error=str(error))
            _failed(source, str(error), began)
        else:
            _good(source, view, began)
            catch_up(source)
            complete_drains(source, began)
            if history.is_due(source, began) and history.read(source, driver, _named(source), began):
                with transaction.atomic():
                    _tell(source)
    source.refresh_from_db()
    return source


def _good(source: SchedulerSource, view: View | None, at: datetime) -> None:
    fields = {"state": SchedulerSource.State.GOOD, "message": "", "tried_at": at, "last_read_at": at}
    if view is not None:
        fields["since"] = view.since
    _record(source, fields)


def _failed(source: SchedulerSource, message: str, at: datetime) -> None:
    """Old news is news for a while; after that nobody knows what runs where."""
    stale = source.last_read_at is None or source.last_read_at + timedelta(seconds=source.stale_after_s) <= at
    state = SchedulerSource.State.FAILED if stale else SchedulerSource.State.STALE
    _record(source, {"state": state, "message": message[:500], "tried_at": at})
    if stale:
        rows = MachineHealth.objects.filter(machine__device__site_id=source.site_id)
        _allocate(dict.fromkeys(rows.values_list("pk", flat=True), Allocation.UNKNOWN))


def _record(source: SchedulerSource, fields: dict[str, object]) -> None:
    with transaction.atomic():
        SchedulerSource.objects.filter(pk=source.pk).update(**fields)
        if (source.state, source.message) != (fields["state"], fields["message"]):
            _tell(source)


def _tell(source: SchedulerSource) -> None:
    emit("scheduler.changed", site_id=source.site_id, subject=f"site:{source.site_id}", data={"site": source.site_id})


# ---- what it says of its machines ----


def _keep(source: SchedulerSource, view: View, at: datetime) -> None:
    """Store what changed, in a fixed number of statements; what others did there becomes news."""
    # Of Kubernetes only the nodes that it selects were asked for.
    partition = source.partition if source.kind == SchedulerSource.Kind.SLURM else ""
    wanted = {name: facts for name, facts in view.machines.items() if not partition or partition in facts.partitions}
    if not wanted:
        raise SchedulerError(f"no machine is in the partition {source.partition}")
    ours = machines_by_name(source)
    with transaction.atomic():
        before = {row.name: row for row in SchedulerMachine.objects.filter(source=source)}
        rows = [_row(source, facts, ours.get(name), at) for name, facts in wanted.items()]
        new = [row for row in rows if row.name not in before]
        changed = [row for row in rows if row.name in before and _differs(before[row.name], row)]
        for row in changed:
            old = before[row.name]
            row.pk = old.pk
            row.since = old.since if (old.state, old.closed) == (row.state, row.closed) else at
        SchedulerMachine.objects.bulk_create(new)
        SchedulerMachine.objects.bulk_update(changed, [*KEPT, "since"])
        SchedulerMachine.objects.filter(pk__in=[row.pk for name, row in before.items() if name not in wanted]).delete()
        for row in changed:
            _notice(before[row.name], row, at)
        _resumed_by_others(source, at, {ours[name]: facts for name, facts in wanted.items() if name in ours})
        if new or changed or set(before) - set(wanted):
            _tell(source)
    _allocate(_allocations(source, {ours[name]: facts for name, facts in wanted.items() if name in ours}))
    # Outside the transaction above, which locks wishes: the first answer may list thousands of jobs.
    named = {name: pk for name, pk in ours.items() if name in wanted}
    changed_jobs = scheduler_jobs.keep(source, view, named, at)
    if queue.keep(source, view, named) or changed_jobs:
        with transaction.atomic():
            _tell(source)


def _named(source: SchedulerSource) -> dict[str, int]:
    """Those of them that the scheduler listed last."""
    rows = SchedulerMachine.objects.filter(source=source, machine__isnull=False).values_list("name", "machine_id")
    return {name: pk for name, pk in rows if pk is not None}


def machines_by_name(source: SchedulerSource) -> dict[str, int]:
    """What the scheduler calls the machines of its site, to their ids. Of any role: what it names, it runs."""
    rows = Machine.objects.filter(device__site_id=source.site_id).values_list("pk", "device__name")
    return {desired_state.name_at(source, name): pk for pk, name in rows}


def _row(source: SchedulerSource, facts: MachineFacts, machine_id: int | None, at: datetime) -> SchedulerMachine:
    now = time.time()
    kept = sorted(
        (each for each in facts.reservations if not each.is_ours and each.ends > now), key=lambda each: each.starts
    )
    first = kept[0] if kept else None
    return SchedulerMachine(
        source=source,
        machine_id=machine_id,
        name=facts.name[:64],
        state=facts.state.value,
        words="+".join(facts.words)[:200],
        closed=facts.closed,
        answers=facts.answers,
        jobs=facts.jobs,
        reason=facts.reason[:300],
        reason_by=facts.reason_by[:100],
        reason_at=_time(facts.reason_at) if facts.reason_at else None,
        cpus=facts.cpus,
        memory_mb=facts.memory_mb,
        gpus=facts.gpus,
        reserved_from=_time(first.starts) if first else None,
        reserved_until=_time(first.ends) if first else None,
        reservation=f"{first.name} ({first.by})"[:200] if first else "",
        since=at,
    )


def _time(seconds: int) -> datetime:
    """A reservation without an end is in a far year."""
    return datetime.fromtimestamp(min(seconds, 4_102_444_800), UTC)


def _differs(old: SchedulerMachine, new: SchedulerMachine) -> bool:
    return any(getattr(old, name) != getattr(new, name) for name in KEPT)


def _notice(old: SchedulerMachine, new: SchedulerMachine, at: datetime) -> None:
    """Keep what happened to a machine, as of a read that began at `at`; what was sent later is not judged by it."""
    if new.machine_id is None:
        return
    wish = SchedulerWish.objects.select_for_update().filter(pk=new.machine_id).first()
    reasons = {wish.reason, wish.written} - {""} if wish is not None else set()
    settled = wish is not None and wish.want == Want.DRAIN and wish.done_at is not None and wish.done_at <= at
    opened = (old.closed or old.state == "down") and not (new.closed or new.state == "down")
    if opened and wish is not None and settled and wish.status == Status.THEIRS and old.reason not in reasons:
        _stand(wish, Status.WAITING, "")  # what he did stood for our drain and is gone: now ours is needed
    if old.closed and not new.closed:
        _change(new, Kind.RESUMED, ours=wish is not None and wish.want == Want.RESUME, reason=old.reason, by="")
    elif new.closed and (not old.closed or old.reason != new.reason):
        ours = new.reason in reasons
        _change(new, Kind.DRAINED, ours=ours, reason=new.reason, by=new.reason_by)
        if wish is not None and settled and wish.status == Status.DONE and not ours:
            _stand(wish, Status.THEIRS, f"somebody else changed the drain: {new.reason}")
    if (old.state == "down") != (new.state == "down"):
        _change(new, Kind.DOWN if new.state == "down" else Kind.UP, ours=False, reason=new.reason, by=new.reason_by)


def _resumed_by_others(source: SchedulerSource, at: datetime, said: dict[int, MachineFacts]) -> None:
    """Drains of ours that stood before this read and stand no longer: somebody ended them, and they are not sent again,
    unless the machine was registered anew since, which forgot them.

    Looked at in every read, not only when a row changes, so that none is missed.
    """
    open_rows = SchedulerMachine.objects.filter(source=source, closed=False).exclude(machine=None).exclude(state="down")
    wishes = SchedulerWish.objects.select_for_update().filter(
        want=Want.DRAIN, status=Status.DONE, done_at__lte=at, machine__in=open_rows.values("machine")
    )
    for wish in wishes.order_by("pk"):
        registered = said[wish.machine_id].registered if wish.machine_id in said else None
        if registered is not None and wish.done_at is not None and wish.done_at < _time(registered):
            _stand(wish, Status.WAITING, "")
            continue
        _stand(wish, Status.THEIRS, "somebody else resumed it at the scheduler")
        desired_state.on_manual_resume(wish.machine_id, site_id=source.site_id, reason=wish.written, by="")


def _stand(wish: SchedulerWish, status: str, error: str) -> None:
    wish.status, wish.error, wish.idle_since, wish.next_try_at = status, error[:500], None, timezone.now()
    wish.save(update_fields=["status", "error", "idle_since", "next_try_at"])


def _change(row: SchedulerMachine, kind: str, *, ours: bool, reason: str, by: str) -> None:
    SchedulerChange.objects.create(machine_id=row.machine_id, kind=kind, ours=ours, reason=reason, by=by)


# ---- allocation ----


def _allocations(source: SchedulerSource, said: dict[int, MachineFacts]) -> dict[int, str]:
    """Machine to allocation, of every machine of the site; one that the scheduler does not name is unknown."""
    ids = MachineHealth.objects.filter(machine__device__site_id=source.site_id).values_list("pk", flat=True)
    return {pk: _allocation(said.get(pk)) for pk in ids}


def _allocation(facts: MachineFacts | None) -> str:
    if facts is None or facts.jobs is None:
        return Allocation.UNKNOWN
    return Allocation.ALLOCATED if facts.jobs else Allocation.IDLE


def _allocate(wanted: dict[int, str]) -> None:
    """Set the column; only a change that the floor map shows is a change of the machine with its event."""
    stored = dict(MachineHealth.objects.filter(pk__in=wanted).values_list("pk", "allocation"))
    changed = {pk: now for pk, now in sorted(wanted.items()) if stored.get(pk, now) != now}
    shown = {pk for pk, now in changed.items() if Allocation.ALLOCATED in (stored[pk], now)}
    for pk in sorted(shown):
        with alone("allocation_not_set", machine=pk), changing(pk, actor=ACTOR) as change:
            change.health.allocation = changed[pk]
    for word in (Allocation.IDLE, Allocation.UNKNOWN):
        ids = [pk for pk, now in changed.items() if now == word and pk not in shown]
        with transaction.atomic():
            rows = MachineHealth.objects.select_for_update().filter(pk__in=ids).exclude(allocation=word).order_by("pk")
            MachineHealth.objects.filter(pk__in=[row.pk for row in rows]).update(allocation=word)


# ---- drains under way ----


def catch_up(source: SchedulerSource) -> int:
    """Wish for a drain of every machine that the scheduler names, is out of service here and was never closed there:
    it left service before there was a scheduler, or before this one knew it. Returns how many. One query without any.
    """
    rows = SchedulerMachine.objects.filter(source=source, machine__health__isnull=False)
    rows = rows.exclude(machine__health__state__in=IN_SERVICE).exclude(machine__scheduler_wish__want=Want.DRAIN)
    wished = 0
    for machine_id in list(rows.order_by("machine_id").values_list("machine_id", flat=True)):
        with alone("drain_not_wished", machine=machine_id), changing(machine_id, actor=ACTOR) as change:
            wish = SchedulerWish.objects.select_for_update().filter(pk=machine_id).first()
            if change.health.state in IN_SERVICE or (wish is not None and wish.want == Want.DRAIN):
                continue
            ticket = {"ticket": change.health.ticket_key} if change.health.ticket_key else {}
            wished += desired_state.wish_drain(change.health, _why(machine_id), ticket, by=ACTOR)
    return wished


def complete_drains(source: SchedulerSource, at: datetime) -> int:
    """Make draining machines drained when two looks, far enough apart, found no job, and the machine itself names
    nothing that runs there; returns how many.

    Only called after a good answer. A machine that does not answer cannot be asked: the scheduler's word stands then.
    They are asked at the same time, `ASKED_AT_ONCE` of them; more have their turn after the next reading.
    One that the scheduler does not know stays draining and says so: its name may be told wrong, and jobs run on it.
    """
    draining = MachineHealth.objects.filter(state=State.DRAINING.value, machine__device__site_id=source.site_id)
    ids = list(draining.order_by("pk").values_list("pk", flat=True))
    rows = {row.machine_id: row for row in SchedulerMachine.objects.filter(source=source, machine_id__in=ids)}
    idle = []
    for machine_id in ids:
        with alone("drain_not_looked_at", machine=machine_id):
            idle += [machine_id] if _is_idle(source, machine_id, rows.get(machine_id), at) else []
    idle = idle[:ASKED_AT_ONCE]
    running = {pk: said.running for pk, said in workloads_of(idle).items()} if idle else {}
    completed = 0
    for machine_id in idle:
        with alone("drain_not_completed", machine=machine_id):
            completed += _complete(machine_id, running[machine_id] or "")
    return completed


def _is_idle(source: SchedulerSource, machine_id: int, row: SchedulerMachine | None, at: datetime) -> bool:
    """Whether the scheduler has found nothing on a draining machine for long enough; what stands in the way is kept."""
    with changing(machine_id, actor=ACTOR) as change:
        if change.health.state != State.DRAINING or not desired_state.is_scheduled(change.health):
            return False
        wish = SchedulerWish.objects.select_for_update().filter(pk=machine_id).first()
        if wish is None or wish.want != Want.DRAIN:
            desired_state.wish_drain(change.health, _why(machine_id), {}, by=ACTOR)
            return False
        if wish.status == Status.THEIRS and row is not None and not row.closed and row.state != "down":
            put_back(change, "somebody resumed it at the scheduler")
            return False
        return _settled(source, wish, row, at)


def _complete(machine_id: int, running: str) -> bool:
    with changing(machine_id, actor=ACTOR) as change:
        wish = SchedulerWish.objects.select_for_update().filter(pk=machine_id).first()
        if change.health.state != State.DRAINING or wish is None or wish.want != Want.DRAIN:
            return False
        if running:
            wish.idle_since, wish.error = None, f"the scheduler runs nothing there, the machine does: {running}"[:500]
            wish.save(update_fields=["idle_since", "error"])
            return False
        follow = dict(wish.follow)
        SchedulerWish.objects.filter(pk=machine_id).update(follow={}, idle_since=None)
        change.move(LifecycleEvent.DRAINED, reason="the scheduler runs nothing on it any more")
        change.follow_drain(follow)
        return True


def _settled(source: SchedulerSource, wish: SchedulerWish, row: SchedulerMachine | None, at: datetime) -> bool:
    # What is down starts nothing either; only a drain that nobody took over keeps that so once it is back.
    shut = row is not None and (row.closed or row.state == "down")
    idle = row is not None and shut and row.jobs == 0 and wish.status != Status.WAITING
    if not idle:
        error = "" if row is not None else "the scheduler does not know this machine"
        if wish.idle_since is not None or (error and wish.error != error):
            wish.idle_since, wish.error = None, error or wish.error
            wish.save(update_fields=["idle_since", "error"])
        return False
    if wish.idle_since is None or wish.idle_since < wish.wished_at:
        wish.idle_since = at
        wish.save(update_fields=["idle_since"])
        return False
    assert row is not None
    return damping.drain_is_complete(row.jobs, wish.idle_since, at, source.settle_s)


def _why(machine_id: int) -> str:
    """The reason of a drain that began before there was a scheduler to tell."""
    last = LifecycleChange.objects.filter(machine_id=machine_id, transition__event=LifecycleEvent.DRAIN.value).first()
    hold = Hold.objects.filter(Q(machine_id=machine_id), lifted_at=None).first()
    return last.reason if last is not None else (hold.reason if hold is not None else "draining")
