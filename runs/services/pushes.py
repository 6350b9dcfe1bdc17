"""Logs that the job of a run pushes itself: kept beside what is fetched, and searched like it.

    taken = take(source, Push(run="88213", machine="hgx-c07-02", rank=1228, logs=[("rank.log", stream)]))

What is pushed twice is there once. The verdict is made anew some seconds after the first, for all that came meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import BinaryIO

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.queue import after_commit
from health.external.models import ReportSource
from runs.collection import answer, pushed
from runs.collection.answer import Piece
from runs.measured import clocks_ahead_s
from runs.models import CollectedMachine, Collection, TrainingRun
from runs.services.collections import share_of
from runs.services.intake import announce, machine_of

GATHERED_S = 5
"""The machines of a run push at the same moment: so long after the first it is put together."""


class NoRun(Exception):
    """A sentence for who pushes."""


@dataclass(frozen=True)
class Push:
    """What one machine sends: files with their names, all of one rank where `rank` says so."""

    run: str
    """Its key or the scheduler's job id; of several attempts the newest where none is told."""
    machine: str
    logs: Sequence[tuple[str, BinaryIO]]
    rank: int | None = None
    attempt: int | None = None


@dataclass(frozen=True)
class Taken:
    run: int
    collection: int
    logs: list[Piece]


def take(source: ReportSource, push: Push) -> Taken:
    """Keep logs of a run of the source's site: all or none. Raises NoRun, and NotKept for a log that is refused."""
    run = _run_of(source.site_id, push)
    machine = machine_of(source.site_id, push.machine)
    name = machine.device.name if machine is not None else push.machine
    with transaction.atomic():
        collection, _ = Collection.objects.get_or_create(
            run=run, reason=Collection.Reason.PUSHED, defaults={"site_id": run.site_id, "requested_by": source.name}
        )
        CollectedMachine.objects.get_or_create(collection=collection, name=name, defaults={"machine": machine})
        row = CollectedMachine.objects.select_for_update(no_key=True).get(collection=collection, name=name)
        taken = _add(row, push, run)
        if machine is not None:
            row.clock_ahead_s = clocks_ahead_s([machine.pk]).get(machine.pk)
        row.save()
        _put_together(collection)
    return Taken(run.pk, collection.pk, taken)


def _run_of(site_id: int, push: Push) -> TrainingRun:
    rows = TrainingRun.objects.filter(Q(key=push.run) | Q(job=push.run), site_id=site_id)
    if push.attempt is not None:
        rows = rows.filter(attempt=push.attempt)
    run = rows.order_by("-started_at", "-pk").first()
    if run is None:
        raise NoRun("There is no such run at this site: it is known once its job runs or it reports.")
    return run


def _add(row: CollectedMachine, push: Push, run: TrainingRun) -> list[Piece]:
    share = share_of(run.ranks.values("machine_name").distinct().count())
    ranks = set(run.ranks.filter(machine_name=row.name).values_list("rank", flat=True))
    kept = {one.name: one for one in answer.read(bytes(row.evidence)).pieces}
    taken = []
    for name, stream in push.logs:
        kept.pop(pushed.told_name(name, push.rank), None)
        left = share - sum(len(one.packed) for one in kept.values())
        piece = pushed.piece_of(name, push.rank, stream, min(left, share // max(2, len(ranks))))
        kept[piece.name] = piece
        taken.append(piece)
    row.ranks = sorted(ranks | {one.rank for one in kept.values() if one.rank is not None})
    outcome = answer.outcome_of(list(kept.values()))
    row.result, row.message, row.answered_at = outcome.result, outcome.message, timezone.now()
    row.evidence = answer.packed(kept.values())
    row.size = len(row.evidence)
    return taken


def _put_together(collection: Collection) -> None:
    """Have a worker read all of it, unless that is going to happen anyway."""
    now = timezone.now()
    idle = Collection.objects.filter(pk=collection.pk).exclude(status=Collection.Status.QUEUED, due_at__gt=now)
    due = now + timedelta(seconds=GATHERED_S)
    if idle.update(status=Collection.Status.QUEUED, due_at=due, attempts=0, finished_at=None):
        after_commit("runs.tasks.collect", collection.pk, robust=True, countdown=GATHERED_S + 1)
        announce(TrainingRun.objects.select_for_update(no_key=True).get(pk=collection.run_id))
