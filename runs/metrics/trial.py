"""One query asked now, to see what it returns: nothing is stored."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from drivers.prometheus.answers import Series
from runs.metrics.client import NotReachable, client_of
from runs.metrics.kinds import KINDS, STEP
from runs.metrics.points import readings_of, steps_of
from runs.metrics.questions import Question, ask
from runs.metrics.services import facts_of
from runs.metrics.template import MACHINES, NotKnown, filled, names_in
from runs.models import MetricsSource, RunRank, TrainingRun

WITHIN_S = 12.0
SPAN_S = 600.0
SHOWN, SHOWN_LABELS = 10, 24
MOST_MACHINES = 500


@dataclass
class Tried:
    """`good`: it was answered whole. A query that returns nothing is answered, and says so."""

    good: bool
    message: str
    query: str = ""
    run: int | None = None
    took_s: float = 0.0
    series_count: int = 0
    points: int = 0
    yields: int = 0
    """Steps, or GPUs, that are made of it."""
    series: list[dict[str, Any]] = field(default_factory=list)


def try_query(source: MetricsSource, kind: str, text: str, run: TrainingRun | None) -> Tried:
    """The last ten minutes of a query: of this run (or up to its end), else of the newest that it can be filled for."""
    run = run or _example(source.pk, text)
    try:
        query = filled(text, _told(source.pk, kind, run))
    except NotKnown as error:
        why = str(error) if run is not None else "no run is there to fill it with"
        return Tried(False, f"{why[:1].upper()}{why[1:]}.", text, run.pk if run is not None else None)
    tried = Tried(True, "", query, run.pk if run is not None else None)
    until = (run.ended_at if run is not None and run.ended_at else timezone.now()).timestamp()
    end = until // source.step_s * source.step_s
    question = Question({kind: query}, end - SPAN_S // source.step_s * source.step_s, end, source.step_s)
    began = time.monotonic()
    try:
        (told,) = ask(client_of(source, total_s=WITHIN_S - 4), [question], WITHIN_S)
    except NotReachable as error:
        tried.good, tried.message = False, str(error)
        return tried
    tried.took_s = round(time.monotonic() - began, 3)
    series = told.answers.get(kind, ())
    said = told.failed or "; ".join(told.problems)
    tried.good, tried.message = not said, said or ("" if series else "No series in these ten minutes.")
    tried.series_count, tried.points = len(series), sum(len(one.points) for one in series)
    tried.series = [_shown(one) for one in series[:SHOWN]]
    tried.yields = _yields(source, kind, series)
    return tried


def _example(site_id: int, text: str) -> TrainingRun | None:
    """The newest run that has what the query names; nothing but its machines are named of GPUs."""
    names = names_in(text) - {MACHINES}
    rows = TrainingRun.objects.filter(site_id=site_id).order_by("-started_at", "-pk")
    for column in names & {"job", "name", "user"}:
        rows = rows.exclude(**{column: ""})
    return rows.first() if names else None


def _told(site_id: int, kind: str, run: TrainingRun | None) -> Mapping[str, str | Sequence[str]]:
    if not KINDS[kind].of_gpu:
        return facts_of(run) if run is not None else {}
    ranks = RunRank.objects.filter(machine__isnull=False, run__site_id=site_id)
    ranks = ranks.filter(run=run) if run is not None else ranks.filter(run__ended_at=None)
    names = ranks.order_by("machine__device__name").values_list("machine__device__name", flat=True).distinct()
    return {MACHINES: list(names[:MOST_MACHINES])}


def _shown(one: Series) -> dict[str, Any]:
    at, value = one.points[-1] if one.points else (None, math.nan)
    labels = dict(list(one.labels.items())[:SHOWN_LABELS])
    return {
        "labels": {name[:100]: text[:200] for name, text in labels.items()},
        "points": len(one.points),
        "at": datetime.fromtimestamp(at, UTC) if at is not None else None,
        "value": value if math.isfinite(value) else None,
    }


def _yields(source: MetricsSource, kind: str, series: Sequence[Series]) -> int:
    if kind == STEP:
        return len(steps_of({STEP: series}, source.step_s).steps)
    if KINDS[kind].of_gpu:
        return len(readings_of(series, kind, source.machine_label, source.gpu_label, source.step_s))
    return 0
