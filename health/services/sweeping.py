"""Sweeps: start one, split it into shards, run a shard once, close what did not finish."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max, Q, Sum
from django.utils import timezone

from core.locks import only_here
from core.models import Site
from health.faults import LEVELS_MUTED
from health.lifecycle import NOT_SWEPT
from health.models import Fault, MachineHealth, Sweep, SweepShard
from health.services import partitions, recording
from live.events import emit

log = structlog.get_logger(__name__)

SHARD_SIZE = 64
MAX_ATTEMPTS = 3
SHARD_LIMIT_S = 90  # the hard limit of a task: what runs longer was lost
SHARD_LOCK = 7_201  # first key of the advisory locks; the second is the shard
CONFIRM_AGAIN_S = 60


def swept(site_id: int) -> list[tuple[int, int]]:
    """(machine, rack) of every machine a scheduled sweep looks at; rack 0 where it is not mounted."""
    rows = (
        MachineHealth.objects.filter(machine__device__site_id=site_id)
        .exclude(state__in=[state.value for state in NOT_SWEPT])
        .values_list("machine_id", "machine__device__placement__rack_id")
    )
    return [(machine, rack or 0) for machine, rack in rows]


def spread(machines: Sequence[tuple[int, int]], size: int = SHARD_SIZE) -> list[list[int]]:
    """Shards of about `size` machines, the machines of one rack in different shards: a dead rack slows none of them."""
    count = max(1, -(-len(machines) // size))
    shards: list[list[int]] = [[] for _ in range(count)]
    for position, (machine, _) in enumerate(sorted(machines, key=lambda pair: (pair[1], pair[0]))):
        shards[position % count].append(machine)
    return [shard for shard in shards if shard]


def slot_of(now: datetime, period_s: float) -> datetime:
    """The start of the period this moment is in."""
    seconds = now.timestamp()
    return datetime.fromtimestamp(seconds - seconds % period_s, UTC)


def start_scheduled() -> list[int]:
    """Start the sweep of this period at every site; a second call in the same period starts nothing."""
    partitions.ensure()
    started = []
    for site in Site.objects.order_by("id"):
        if _still_running(site.pk):
            continue
        machines = swept(site.pk)
        if machines:
            slot_at = slot_of(timezone.now(), settings.SWEEP_PERIOD_S)
            sweep = _create(site.pk, Sweep.Kind.SCHEDULED, machines, slot_at=slot_at)
            started += [sweep.pk] if sweep else []
    return started


def _still_running(site_id: int) -> bool:
    """Whether the last scheduled sweep may still end: another on top of it would only make both late."""
    since = timezone.now() - timedelta(seconds=max(settings.SWEEP_PERIOD_S, SHARD_LIMIT_S))
    return Sweep.objects.filter(
        site_id=site_id, kind=Sweep.Kind.SCHEDULED, status=Sweep.Status.RUNNING, started_at__gte=since
    ).exists()


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


def _create(
    site_id: int,
    kind: str,
    machines: Sequence[tuple[int, int]],
    *,
    slot_at: datetime | None = None,
    actor: str = "",
) -> Sweep | None:
    """The sweep and its shards, queued at commit; None when the period already has its sweep."""
    from health.tasks import run_shard

    try:
        with transaction.atomic():
            sweep = Sweep.objects.create(
                site_id=site_id, kind=kind, slot_at=slot_at, machines=len(machines), requested_by=actor
            )
            shards = SweepShard.objects.bulk_create(
                SweepShard(sweep=sweep, number=number, machine_ids=ids) for number, ids in enumerate(spread(machines))
            )
    except IntegrityError:
        return None
    expires = settings.SWEEP_PERIOD_S if kind == Sweep.Kind.SCHEDULED else None

    def enqueue() -> None:
        for shard in shards:
            run_shard.apply_async([shard.pk], expires=expires)

    transaction.on_commit(enqueue)
    return sweep


# ---- one shard ----


def run(shard_id: int) -> str:
    """Look at the machines of a shard and store what was seen; safe to run twice, and in two workers at once.

    Returns `done`, `busy` (another worker has it), `over` (it was done before), or `failed` (it used up its attempts).
    """
    from health.services import observing  # the checks and drivers are only needed by the process that looks

    with only_here(SHARD_LOCK, shard_id) as mine:
        if not mine:
            return "busy"
        shard = _begin(shard_id)
        if shard is None:
            return "over"
        if shard.status == SweepShard.Status.FAILED:
            _end_sweep_if_last(shard.sweep_id)
            return "failed"
        observations = observing.observe(shard.machine_ids)
        recording.record(observations, sweep_id=shard.sweep_id)
        SweepShard.objects.filter(pk=shard.pk).update(
            status=SweepShard.Status.DONE,
            finished_at=timezone.now(),
            heard=sum(observation.heard for observation in observations),
        )
    _end_sweep_if_last(shard.sweep_id)
    return "done"


def _begin(shard_id: int) -> SweepShard | None:
    """Count an attempt; None when the shard or its sweep is over. The fourth attempt fails it instead."""
    with transaction.atomic():
        shard = SweepShard.objects.select_for_update().select_related("sweep").get(pk=shard_id)
        if shard.status in (SweepShard.Status.DONE, SweepShard.Status.FAILED):
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
    """Finish the sweep when no shard is left; whoever finishes the last one tells."""
    with transaction.atomic():
        sweep = Sweep.objects.select_for_update().get(pk=sweep_id)
        if sweep.status != Sweep.Status.RUNNING or sweep.shards.exclude(status__in=["done", "failed"]).exists():
            return
        _close(sweep, Sweep.Status.FINISHED)


def _close(sweep: Sweep, status: str) -> None:
    sweep.heard = sweep.shards.aggregate(heard=Sum("heard"))["heard"] or 0
    sweep.status, sweep.finished_at = status, timezone.now()
    sweep.save()
    emit(
        "sweep.finished",
        site_id=sweep.site_id,
        subject=f"sweep:{sweep.pk}",
        data={
            "id": sweep.pk,
            "kind": sweep.kind,
            "machines": sweep.machines,
            "heard": sweep.heard,
            "duration_s": round((sweep.finished_at - sweep.started_at).total_seconds(), 3),
        },
        actor="sweep",
    )


def close_late() -> int:
    """Close sweeps whose shards can no longer end by themselves; the next sweep replaces them."""
    limit = timezone.now() - timedelta(seconds=max(settings.SWEEP_PERIOD_S, SHARD_LIMIT_S))
    late = Sweep.objects.annotate(last_start=Max("shards__started_at")).filter(
        Q(last_start__lt=limit) | Q(last_start=None), status=Sweep.Status.RUNNING, started_at__lt=limit
    )
    closed = 0
    for pk in late.values_list("pk", flat=True):
        with transaction.atomic():
            sweep = Sweep.objects.select_for_update(skip_locked=True).filter(pk=pk, status=Sweep.Status.RUNNING).first()
            if sweep is None:
                continue
            _close(sweep, Sweep.Status.LATE)
            log.warning("sweep_closed_late", sweep=pk, heard=sweep.heard, machines=sweep.machines)
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
    )
    with transaction.atomic():
        faults = list(due.select_for_update(skip_locked=True, of=("self",)).values_list("pk", "machine_id"))
        if not faults:
            return 0
        Fault.objects.filter(pk__in=[pk for pk, _ in faults]).update(confirm_asked_at=now)
        machines = sorted({machine_id for _, machine_id in faults})
        request_sweep(machines, Sweep.Kind.CONFIRM, actor="confirmation")
    return len(machines)
