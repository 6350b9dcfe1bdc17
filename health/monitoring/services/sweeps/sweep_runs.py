"""Sweeps: start one, split it into shards, run a shard once, close what did not finish."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from contextlib import closing
from datetime import UTC, datetime, timedelta

import structlog
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils import timezone

from core.instance import space
from core.models import Site
from core.work.alone import alone
from core.work.locks import only_here
from core.work.queue import enqueue
from health.checks.reported import PREFIX as REPORTED
from health.machines.lifecycle import NOT_SWEPT, State
from health.machines.models.machines import MachineHealth
from health.monitoring.faults import LEVELS_MUTED
from health.monitoring.models.faults import Fault
from health.monitoring.models.sweeps import Sweep, SweepShard
from health.monitoring.services import partitions
from health.monitoring.services.sweeps import observation_store, periods, slow_lane
from health.monitoring.services.sweeps.periods import SHARD_LIMIT_S
from health.monitoring.sweep_period import Period, is_due, step_s
from live.events import emit

log = structlog.get_logger(__name__)

SHARD_SIZE = 64
SLOW_SHARD_SIZE = 256  # those in it mostly wait, all at the same time
SLOW_QUEUE = "slow"
MAX_ATTEMPTS = 3
SHARD_LOCK = 7_201  # first key of the advisory locks; the second is the shard
CONFIRM_AGAIN_S = 60
EXPIRE_PERIODS = 10
QUIET_S = 5  # a sweep in which nothing moved for so long has lost something
DEAD_S = 2  # a shard that began so long ago and whose lock nobody holds has lost its worker


def swept(site_id: int) -> list[tuple[int, int]]:
    """(machine, rack) of every machine a scheduled sweep looks at; rack 0 where it is not mounted."""
    return _places(MachineHealth.objects.exclude(state__in=[state.value for state in NOT_SWEPT]), site_id)


def _everyone(site_id: int) -> list[tuple[int, int]]:
    """The same of every machine that one may look at some day."""
    return _places(MachineHealth.objects.exclude(state=State.RETIRED.value), site_id)


def _places(machines: QuerySet[MachineHealth], site_id: int) -> list[tuple[int, int]]:
    rows = machines.filter(machine__device__site_id=site_id)
    return [(pk, rack or 0) for pk, rack in rows.values_list("machine_id", "machine__device__placement__rack_id")]


def spread(machines: Sequence[tuple[int, int]], size: int, among: Sequence[tuple[int, int]] = ()) -> list[list[int]]:
    """Shards of at most `size` machines, the machines of one rack in different shards: a dead rack slows none of them.

    With `among`, all machines that a sweep may look at, each keeps its place whoever is left out this time: a process
    that looked at a shard before knows the machines of it.
    """
    wanted = {machine for machine, _ in machines}
    everyone = sorted({*machines, *among}, key=lambda pair: (pair[1], pair[0]))
    count = max(1, -(-len(everyone) // size))
    shards = ([machine for machine, _ in everyone[number::count] if machine in wanted] for number in range(count))
    return [shard for shard in shards if shard]


def slot_of(now: datetime, step_s: float) -> datetime:
    """The start of the step this moment is in: one sweep begins in it, though beat asks twice."""
    seconds = now.timestamp()
    return datetime.fromtimestamp(seconds - seconds % step_s, UTC)


def start_scheduled(*, at_once: bool = False) -> list[int]:
    """Start the sweep of each site where one is due; `at_once` takes each for due, as after a start.

    None is due while the last one is still at machines that answer: so none is left out and none waits behind another.
    While a disk is nearly full none is started: what is left is for people, and for ending what runs.
    """
    if shortage := space.shortage():
        log.warning("sweeps_paused", why=shortage)
        return []
    now = timezone.now()
    period = periods.follow(now)
    last = Sweep.objects.filter(site=OuterRef("pk"), kind=Sweep.Kind.SCHEDULED).order_by("-id").values("started_at")[:1]
    sites = Site.objects.order_by("id").annotate(last=Subquery(last)).values_list("pk", "last")
    due = [site for site, started_at in sites if at_once or is_due(started_at, now, period)]
    if not due:
        return []
    partitions.ensure()
    slot_at = slot_of(now, step_s(period.set_s))
    free_future_slots(slot_at)
    begun = [_start(site, now, period, slot_at) for site in due]
    return [sweep.pk for sweep in begun if sweep]


@transaction.atomic
def _start(site_id: int, now: datetime, period: Period, slot_at: datetime) -> Sweep | None:
    """The sweep of a site that is due; none while the last one is under way, also when two ask at once."""
    Site.objects.select_for_update().get(pk=site_id)
    if periods.under_way(now, period).filter(site_id=site_id).exists():
        return None
    machines = _not_asked_already(site_id, swept(site_id), period)
    if not machines:
        return None
    return _create(site_id, Sweep.Kind.SCHEDULED, machines, among=_everyone(site_id), slot_at=slot_at)


def free_future_slots(slot_at: datetime) -> None:
    """After the clock was set back: slots that lie ahead were taken by sweeps of the hour that comes again.

    Left to them, no sweep would start until the clock is where it was, and nobody would look at the fleet.
    """
    ahead = Sweep.objects.filter(slot_at__gt=slot_at).update(slot_at=None)
    if ahead:
        log.warning("clock_set_back", slots=ahead)


def _not_asked_already(site_id: int, machines: Sequence[tuple[int, int]], period: Period) -> list[tuple[int, int]]:
    asked = slow_lane.still_asked(site_id, SHARD_LIMIT_S + period.longest_s)
    return [(machine, rack) for machine, rack in machines if machine not in asked]


def request_sweep(machine_ids: Sequence[int], kind: str, *, actor: str = "") -> list[Sweep]:
    """Look at these machines as soon as a worker is free; one sweep per site they are at."""
    rows = MachineHealth.objects.filter(machine_id__in=list(machine_ids)).values_list(
        "machine__device__site_id", "machine_id", "machine__device__placement__rack_id"
    )
    by_site: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for site_id, machine, rack in rows:
        by_site[site_id].append((machine, rack or 0))
    sweeps = [_create(site_id, kind, machines, actor=actor) for site_id, machines in sorted(by_site.items())]
    return [sweep for sweep in sweeps if sweep]


def sweep_site(site_id: int, *, actor: str) -> tuple[Sweep | None, bool]:
    """Look at every machine of a site now; returns the sweep and whether it is a new one.

    While a sweep of the whole site runs, that one is the answer. None: the site has no machine to look at.
    """
    with transaction.atomic():
        Site.objects.select_for_update().get(pk=site_id)  # two people asking at once get one sweep
        machines = swept(site_id)
        since = timezone.now() - timedelta(seconds=SHARD_LIMIT_S + periods.in_force().longest_s)
        running = (
            Sweep.objects.filter(site_id=site_id, status=Sweep.Status.RUNNING, started_at__gte=since)
            .filter(kind__in=[Sweep.Kind.SCHEDULED, Sweep.Kind.MANUAL], machines__gte=len(machines))
            .first()
        )
        if running or not machines:
            return running, False
        return _create(site_id, Sweep.Kind.MANUAL, machines, among=_everyone(site_id), actor=actor), True


def _create(
    site_id: int,
    kind: str,
    machines: Sequence[tuple[int, int]],
    *,
    among: Sequence[tuple[int, int]] = (),
    slot_at: datetime | None = None,
    actor: str = "",
) -> Sweep | None:
    """The sweep and its shards, queued at commit; None when the period already has its sweep."""
    try:
        with transaction.atomic():
            sweep = Sweep.objects.create(
                site_id=site_id, kind=kind, slot_at=slot_at, machines=len(machines), requested_by=actor
            )
            shards = SweepShard.objects.bulk_create(
                SweepShard(sweep=sweep, number=number, machine_ids=ids, lane=lane)
                for number, (lane, ids) in enumerate(_by_lane(machines, among))
            )
            _tell("sweep.started", sweep, shards=len(shards))
    except IntegrityError:
        return None
    transaction.on_commit(lambda: _enqueue(kind, shards))
    return sweep


def _by_lane(machines: Sequence[tuple[int, int]], among: Sequence[tuple[int, int]]) -> Iterator[tuple[str, list[int]]]:
    """Shards of those that answer, then of those that kept their last look waiting."""
    slow = slow_lane.slow_among(machine for machine, _ in machines)
    for ids in spread([pair for pair in machines if pair[0] not in slow], SHARD_SIZE, among):
        yield SweepShard.Lane.FAST, ids
    for ids in spread([pair for pair in machines if pair[0] in slow], SLOW_SHARD_SIZE):
        yield SweepShard.Lane.SLOW, ids


def _enqueue(kind: str, shards: Sequence[SweepShard]) -> None:
    """A slow server comes to the last shard late, but comes; without any worker the queue does not grow for ever."""
    lost_s = EXPIRE_PERIODS * max(settings.SWEEP_PERIOD_S, SHARD_LIMIT_S)
    expires = lost_s if kind == Sweep.Kind.SCHEDULED else None
    for shard in shards:
        apart = {"queue": SLOW_QUEUE} if shard.lane == SweepShard.Lane.SLOW else {}
        enqueue("health.monitoring.tasks.run_shard", shard.pk, expires=expires, **apart)


# ---- one shard ----


def run(shard_id: int) -> str:
    """Look at the machines of a shard and store what was seen; safe to run twice, and in two workers at once.

    Returns `done`, `busy` (another worker has it), `over` (it was done before), or `failed` (it used up its attempts).
    """
    with only_here(SHARD_LOCK, shard_id) as mine:
        if not mine:
            return "busy"
        shard = _begin(shard_id)
        if shard is None:
            return "over"
        if shard.status == SweepShard.Status.FAILED:
            _end_sweep_if_last(shard.sweep_id)
            return "failed"
        answered_s, left = _look(shard)
        _end(shard, answered_s, left)
    _end_sweep_if_last(shard.sweep_id)
    return "done"


def _look(shard: SweepShard) -> tuple[float, list[int]]:
    """Look at the machines of a shard and store what is seen as it comes, so that nobody's verdict waits for another.

    Returns the seconds until the last answer, and the machines that it did not wait for.
    """
    from health.monitoring.services.sweeps import observation

    normal_s = slow_lane.normal_s(shard.sweep.site_id)
    # After a lost worker all of them again: between a stored verdict and its fault it may have been killed.
    SweepShard.objects.filter(pk=shard.pk).update(reachable=0)
    watch = observation.Watch(shard.machine_ids, pace=slow_lane.pace_of(shard.lane, normal_s))
    with closing(iter(watch)) as batches:
        for seen in batches:
            observation_store.record([each.observation for each in seen], sweep_id=shard.sweep_id)
            slow_lane.remember(seen, normal_s)
            reachable = sum(each.observation.heard for each in seen)
            SweepShard.objects.filter(pk=shard.pk).update(reachable=F("reachable") + reachable)
    return watch.answered_s, watch.unanswered


def _end(shard: SweepShard, answered_s: float, left: Sequence[int]) -> None:
    """The shard is done; whom it did not wait for is looked at in the slow lane of the same sweep."""
    with transaction.atomic():
        SweepShard.objects.filter(pk=shard.pk).update(
            machine_ids=[pk for pk in shard.machine_ids if pk not in set(left)],
            status=SweepShard.Status.DONE,
            finished_at=timezone.now(),
            answered_s=answered_s,
        )
        if left:
            taken = slow_lane.hand_over(shard, left)
            log.info("machines_left_to_the_slow_lane", sweep=shard.sweep_id, machines=len(left))
            transaction.on_commit(lambda: _enqueue(shard.sweep.kind, [taken]))


def _begin(shard_id: int) -> SweepShard | None:
    """Count an attempt; None when the shard or its sweep is over. The fourth attempt fails it instead."""
    with transaction.atomic():
        shard = SweepShard.objects.select_for_update().select_related("sweep").get(pk=shard_id)
        if shard.status in SweepShard.OVER:
            return None
        if shard.sweep.status != Sweep.Status.RUNNING:
            return None
        if shard.attempts >= MAX_ATTEMPTS:
            shard.status = SweepShard.Status.FAILED
            shard.finished_at, shard.error = timezone.now(), f"gave up after {shard.attempts} attempts"
        else:
            shard.status = SweepShard.Status.RUNNING
            shard.attempts += 1
            shard.started_at = timezone.now()
        shard.save()
        return shard


def _end_sweep_if_last(sweep_id: int) -> None:
    """Finish the sweep when no shard is left, or tell how far it is; whoever finishes the last one tells the end."""
    with transaction.atomic():
        sweep = Sweep.objects.select_for_update().get(pk=sweep_id)
        if sweep.status != Sweep.Status.RUNNING:
            return
        shards = sweep.shards.aggregate(
            total=Count("pk"), over=Count("pk", filter=Q(status__in=["done", "failed"])), reachable=Sum("reachable")
        )
        if shards["over"] < shards["total"]:
            sweep.reachable = shards["reachable"] or 0
            _tell("sweep.progress", sweep, shards=shards["total"], shards_over=shards["over"])
            return
        _close(sweep, Sweep.Status.FINISHED)


def _close(sweep: Sweep, status: str) -> None:
    sweep.reachable = sweep.shards.aggregate(reachable=Sum("reachable"))["reachable"] or 0
    sweep.status, sweep.finished_at = status, timezone.now()
    sweep.save()
    duration = sweep.finished_at - sweep.started_at
    _tell("sweep.finished", sweep, duration_s=round(duration.total_seconds(), 3))


def _tell(event: str, sweep: Sweep, **more: float) -> None:
    data = {"id": sweep.pk, "kind": sweep.kind, "machines": sweep.machines, "reachable": sweep.reachable, **more}
    emit(event, site_id=sweep.site_id, subject=f"sweep:{sweep.pk}", data=data, actor="sweep")


HELD = """
SELECT objid FROM pg_locks
WHERE locktype = 'advisory' AND granted AND classid = %s
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def requeue_lost() -> int:
    """Queue again the shards whose worker died or whose message the broker lost; returns how many.

    A worker holds a lock of its database connection while it looks: one that died holds it no longer. A message counts
    as lost when its sweep stands still while no worker looks at anything; otherwise it may only wait for its turn. A
    shard queued once too often finds itself over, or in other hands; one whose worker died waits again, and is not
    queued with every call until its turn comes.
    """
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(HELD, [SHARD_LOCK])
        held = {pk for (pk,) in cursor.fetchall()}
    open_shards: dict[Sweep, list[SweepShard]] = defaultdict(list)
    shards = SweepShard.objects.filter(
        sweep__status=Sweep.Status.RUNNING, sweep__started_at__lt=now - timedelta(seconds=DEAD_S)
    )
    for shard in shards.select_related("sweep").order_by("pk"):
        open_shards[shard.sweep].append(shard)
    count = 0
    for sweep, all_shards in open_shards.items():
        lost = _lost(sweep, all_shards, held, now)
        if lost:
            log.info("shards_queued_again", sweep=sweep.pk, shards=len(lost))  # also after each stop amid a sweep
            dead = SweepShard.objects.filter(pk__in=[shard.pk for shard in lost], status=SweepShard.Status.RUNNING)
            dead.filter(started_at__lt=now - timedelta(seconds=DEAD_S)).update(
                status=SweepShard.Status.WAITING, started_at=None
            )
            _enqueue(sweep.kind, lost)
            count += len(lost)
    return count


def _lost(sweep: Sweep, shards: Sequence[SweepShard], held: Set[int], now: datetime) -> list[SweepShard]:
    """Of one running sweep's shards those that nobody will do any more."""
    quiet, begun = now - timedelta(seconds=QUIET_S), now - timedelta(seconds=DEAD_S)
    left = [shard for shard in shards if shard.status not in SweepShard.OVER and shard.pk % 2**31 not in held]
    dead = [shard for shard in left if shard.started_at and shard.started_at < begun]
    moved = [at for shard in shards for at in (shard.started_at, shard.finished_at) if at]
    stands_still = not held and max(moved, default=sweep.started_at) <= quiet
    waiting = [shard for shard in left if shard.started_at is None] if stands_still else []
    return dead + waiting


def close_late() -> int:
    """Close sweeps whose shards can no longer end by themselves; the next sweep replaces them."""
    limit = timezone.now() - timedelta(seconds=max(periods.in_force().period_s, SHARD_LIMIT_S))
    late = Sweep.objects.annotate(last_start=Max("shards__started_at")).filter(
        Q(last_start__lt=limit) | Q(last_start=None), status=Sweep.Status.RUNNING, started_at__lt=limit
    )
    closed = 0
    for pk in late.values_list("pk", flat=True):
        with alone("sweep_not_closed", sweep=pk), transaction.atomic():
            sweep = Sweep.objects.select_for_update(skip_locked=True).filter(pk=pk, status=Sweep.Status.RUNNING).first()
            if sweep is None:
                continue
            _close(sweep, Sweep.Status.LATE)
            log.warning("sweep_closed_late", sweep=pk, reachable=sweep.reachable, machines=sweep.machines)
            closed += 1
    return closed


# ---- the second look ----


def confirm_due() -> int:
    """Queue the second look at machines whose suspected faults are due; returns how many machines."""
    now = timezone.now()
    asked_before = now - timedelta(seconds=CONFIRM_AGAIN_S)
    due = (
        Fault.objects.filter(status=Fault.Status.SUSPECTED, confirm_due_at__lte=now)
        .filter(Q(confirm_asked_at=None) | Q(confirm_asked_at__lt=asked_before))
        .exclude(machine__health__state__in=[state.value for state in NOT_SWEPT | LEVELS_MUTED])
        .exclude(fault_class__startswith=REPORTED)  # a sweep sees none of those: their source says them again
    )
    with transaction.atomic():
        faults = list(due.select_for_update(skip_locked=True, of=("self",)).values_list("pk", "machine_id"))
        if not faults:
            return 0
        Fault.objects.filter(pk__in=[pk for pk, _ in faults]).update(confirm_asked_at=now)
        machines = sorted({machine_id for _, machine_id in faults})
        request_sweep(machines, Sweep.Kind.CONFIRM, actor="confirmation")
    return len(machines)
