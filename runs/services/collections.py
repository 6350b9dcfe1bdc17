"""Collections: evidence of a run fetched from its machines, kept, put together, and judged.

    collection = start(run, by="olga")       # a worker does the rest
    collect(collection.pk)

Nothing is changed on the machines. What was fetched stays as it came, compressed; the summary is what people see.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.work.kinds import Lease, Work
from core.work.queue import after_commit
from core.work.rules import Backoff
from runs.collection import answer, clocks, places, script
from runs.collection.summary import summary_of
from runs.evidence import Files
from runs.measured import clocks_ahead_s
from runs.models import CollectedMachine, Collection, EvidenceSettings, RunRank, TrainingRun
from runs.services import sessions
from runs.services.intake import announce
from runs.services.sessions import Ask, Fetched

LARGEST = 512 << 20
"""Compressed bytes of one collection: its machines share them."""
OLDER = timedelta(minutes=10)
"""A file written to so long before the run began is of another; clocks may be off by this."""
RAS_MACHINES = 2
"""NCCL answers for the whole run on any of its machines."""
AGAIN = timedelta(minutes=10)
"""A run that hangs on is not collected anew by itself before."""


class CollectionRefused(Exception):
    """Why none is begun."""


def _give_up(row: Collection, reason: str) -> bool:
    return WORK.finish(row, status=Collection.Status.FAILED, message=reason[:300], finished_at=timezone.now())


WORK = Work(
    name="collection",
    model=Collection,
    open=Q(status__in=Collection.OPEN),
    hold=Lease(180, column="due_at"),
    due="due_at",
    attempts="attempts",
    most=3,
    retry=Backoff(10, 60),
    reason="message",
    taken=lambda row, now: {"status": Collection.Status.RUNNING, "started_at": row.started_at or now},
    give_up=_give_up,
    task="runs.tasks.collect",
    every_s=15,
)


def settings_of(site_id: int) -> EvidenceSettings:
    """Those of the site, or the usual ones."""
    return EvidenceSettings.objects.filter(pk=site_id).first() or EvidenceSettings(site_id=site_id)


def set_settings(site_id: int, **told: Any) -> EvidenceSettings:
    row, _ = EvidenceSettings.objects.update_or_create(site_id=site_id, defaults=told)
    return row


def fetched(run: TrainingRun) -> QuerySet[Collection]:
    """Its collections but the one of what its job pushed."""
    return Collection.objects.filter(run=run).exclude(reason=Collection.Reason.PUSHED)


# ---- asking ----
@transaction.atomic
def start(run: TrainingRun, *, by: str = "", reason: str = Collection.Reason.ASKED) -> Collection:
    """Ask for the evidence of a run; while a collection is under way it is that one. Raises CollectionRefused."""
    run = TrainingRun.objects.select_for_update(no_key=True).get(pk=run.pk)
    under_way = fetched(run).filter(status__in=Collection.OPEN).first()
    if under_way is not None:
        return under_way
    machines: dict[str, CollectedMachine] = {}
    made = Collection(run=run, site_id=run.site_id, requested_by=by, reason=reason)
    for rank, machine_id, name in run.ranks.order_by("rank").values_list("rank", "machine_id", "machine_name"):
        row = machines.setdefault(name, CollectedMachine(collection=made, machine_id=machine_id, name=name))
        row.ranks.append(rank)
    if not machines:
        raise CollectionRefused("no rank of this run is known, so no machine is")
    made.save()
    CollectedMachine.objects.bulk_create(machines.values())
    after_commit("runs.tasks.collect", made.pk, robust=True)
    announce(run)
    made.refresh_from_db()
    return made


def start_for_hang(run_id: int) -> Collection | None:
    """A run hangs: its evidence is collected where the site lets it, and not again and again."""
    run = TrainingRun.objects.get(pk=run_id)
    if run.state != TrainingRun.State.HUNG or not settings_of(run.site_id).hangs:
        return None
    if fetched(run).filter(created_at__gt=timezone.now() - AGAIN).exists():
        return None
    try:
        return start(run, by="rackside", reason=Collection.Reason.HANG)
    except CollectionRefused:
        return None


# ---- doing ----
def collect(collection_id: int) -> bool:
    """Fetch what is not here yet, and put it together. Safe to run twice and in two workers at once."""
    row = WORK.take(collection_id, Collection.objects.select_related("run"))
    if row is None:
        return False
    if row.attempts > (WORK.most or 0):
        _give_up(row, "every worker that tried was lost")
        return False
    waiting = list(row.machines.filter(result=CollectedMachine.Result.WAITING).defer("evidence"))
    measured = clocks_ahead_s([each.machine_id for each in waiting if each.machine_id is not None])
    by_pk = {each.pk: each for each in waiting}
    for fetched in sessions.fetch(_asks(row, waiting)):
        _store(by_pk[fetched.row], fetched, measured)
        if not WORK.renew(row):
            return False
    if row.machines.filter(result=CollectedMachine.Result.WAITING).exists():
        WORK.fail(row, "not all machines were asked")
        return False
    done = WORK.finish(
        row, status=Collection.Status.DONE, message="", finished_at=timezone.now(), summary=summary_of(files_of(row))
    )
    if done:
        after_commit("runs.tasks.judge_run", row.run_id, robust=True)
        _tell(row.run_id)
    return done


@transaction.atomic
def _tell(run_id: int) -> None:
    announce(TrainingRun.objects.select_for_update(no_key=True).get(pk=run_id))


def share_of(machines: int) -> int:
    """Compressed bytes that each of so many machines may take."""
    return min(script.SHARE, LARGEST // max(1, machines))


def _asks(row: Collection, waiting: Iterable[CollectedMachine]) -> list[Ask]:
    run, site = row.run, settings_of(row.site_id)
    locals_of: dict[str, dict[int, int]] = {}
    for name, rank, local in RunRank.objects.filter(run=run).values_list("machine_name", "rank", "local_rank"):
        locals_of.setdefault(name, {})[rank] = local
    hangs = run.ended_at is None
    rows = list(waiting)
    share = share_of(len(rows))
    return [
        Ask(
            row=each.pk,
            machine_id=each.machine_id,
            facts=places.Facts(
                run.job, run.key, run.name, run.user, run.attempt, each.name, locals_of.get(each.name, {})
            ),
            own_logs=run.logs,
            site_logs=[line for line in site.logs.splitlines() if line],
            dumps=site.dumps,
            since=(run.started_at - OLDER).timestamp(),
            attempt=run.attempt,
            native=site.native_stacks,
            ras=hangs and number < RAS_MACHINES,
            share=share,
        )
        for number, each in enumerate(rows)
    ]


def _store(row: CollectedMachine, fetched: Fetched, measured: dict[int, float]) -> None:
    row.result, row.message = fetched.result, fetched.message.replace("\0", "")[:300]
    row.took_s = round(fetched.took_s, 2)
    row.pids = {str(pid): rank for pid, rank in fetched.pids.items()}
    own = measured.get(row.machine_id) if row.machine_id is not None else None
    row.clock_ahead_s = clocks.offset_s(fetched.clock, own)
    row.answered_at = timezone.now()
    row.evidence = answer.packed(fetched.pieces) if fetched.pieces else b""
    row.size = len(row.evidence)
    row.save()


# ---- what was fetched ----
def files_of(row: Collection) -> Files:
    """Everything of a collection, as the readers of `runs explain` make it."""
    files = Files()
    for each in row.machines.exclude(size=0).order_by("pk").iterator(chunk_size=8):
        pids = {int(pid): rank for pid, rank in each.pids.items()}
        pieces = answer.read(bytes(each.evidence)).pieces
        found = answer.files_of(each.name, pieces, pids, each.clock_ahead_s)
        found.ranks_at = {(each.name, pid): rank for pid, rank in pids.items()}
        files.add(found)
    return files


def newest_files(run: TrainingRun) -> Files | None:
    """Of the newest collection of a run that is done, and what its job pushed.

    One from before its last step says nothing of its end.
    """
    done = Q(status=Collection.Status.DONE, finished_at__gte=run.last_step_at or run.started_at)
    row = fetched(run).filter(done).order_by("-pk").first()
    pushed = Collection.objects.filter(done, run=run, reason=Collection.Reason.PUSHED).first()
    files = files_of(row) if row is not None else None
    if pushed is None:
        return files
    if files is None:
        return files_of(pushed)
    files.add_logs(files_of(pushed))
    return files


def prune(*, now: datetime | None = None) -> int:
    """Remove collections that ended long ago, with what was fetched; returns how many."""
    before = (now or timezone.now()) - settings.KEPT["run_evidence"]
    old = Collection.objects.filter(finished_at__lt=before).exclude(status__in=Collection.OPEN)
    ids = list(old.values_list("pk", flat=True)[:1000])
    CollectedMachine.objects.filter(collection_id__in=ids).delete()
    Collection.objects.filter(pk__in=ids).delete()
    return len(ids)
