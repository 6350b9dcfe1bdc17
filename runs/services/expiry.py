"""What is kept of training runs for some time only (`config/retention.py`): single steps, then whole runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from runs.models import GpuReading, RunRank, StepPiece, TrainingRun

RUNS_AT_ONCE, PIECES_AT_ONCE, MOST_ROUNDS = 100, 5000, 200
"""A run of the reference fleet has 4,088 ranks; a round is one short transaction."""


def prune(*, now: datetime | None = None) -> tuple[int, int]:
    """Remove runs that ended long ago, and empty old pieces of their single steps; returns how many of each."""
    now = now or timezone.now()
    runs = _many(_remove_runs, now - settings.KEPT["training_runs"])
    return runs, _many(_thin, now - settings.KEPT["training_steps"])


def _many(work: Callable[[datetime], int], before: datetime) -> int:
    total = 0
    for _ in range(MOST_ROUNDS):
        done = work(before)
        total += done
        if not done:
            break
    return total


def _remove_runs(before: datetime) -> int:
    old = TrainingRun.objects.filter(ended_at__lt=before).order_by("pk")
    ids = list(old.values_list("pk", flat=True)[:RUNS_AT_ONCE])
    StepPiece.objects.filter(run_id__in=ids).delete()
    RunRank.objects.filter(run_id__in=ids).delete()
    GpuReading.objects.filter(run_id__in=ids).delete()
    TrainingRun.objects.filter(pk__in=ids).delete()
    return len(ids)


def _thin(before: datetime) -> int:
    old = StepPiece.objects.filter(run__started_at__lt=before, ended_at__lt=before).exclude(packed=b"")
    ids = list(old.order_by().values_list("pk", flat=True)[:PIECES_AT_ONCE])
    return StepPiece.objects.filter(pk__in=ids).update(packed=b"")
