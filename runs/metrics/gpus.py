"""Clock, power, temperature and activity of the GPUs of runs, from Prometheus: asked of all machines together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import QuerySet

from inventory.models import DeviceModel
from runs.metrics.kinds import OF_GPU
from runs.metrics.points import readings_of, short
from runs.metrics.questions import Question, Told
from runs.metrics.template import MACHINES, filled
from runs.models import GpuReading, MetricsSource, RunRank, TrainingRun
from runs.services.intake import slot_of

SPAN = timedelta(minutes=5)
"""A reading is the median of so long: one moment says little of a GPU that waits at the end of each step."""
STEP_S = 30.0
MACHINES_AT_ONCE = 500
ROWS_AT_ONCE = 2000


class OnGpu(NamedTuple):
    """A rank on a known slot."""

    run: int
    rank: int
    machine: str
    slot: str
    model: int


class Look(NamedTuple):
    """What is asked, and of whom."""

    ranks: Sequence[OnGpu]
    questions: Sequence[Question]


NOTHING = Look((), ())
NO_GPU = "no series names a GPU of a run"


def look_of(site_id: int, queries: Mapping[str, str], now: datetime) -> Look:
    """Of all live runs of a site."""
    return _look(RunRank.objects.filter(run__site_id=site_id, run__ended_at=None), queries, now)


def look_of_run(run: TrainingRun, queries: Mapping[str, str]) -> Look:
    """Of one that ended, at its end."""
    assert run.ended_at is not None
    return _look(RunRank.objects.filter(run=run), queries, run.ended_at)


def _look(rows: QuerySet[RunRank], queries: Mapping[str, str], now: datetime) -> Look:
    told = rows.filter(machine__isnull=False, gone_at=None).exclude(slot="")
    names = ("run_id", "rank", "machine__device__name", "slot", "machine__device__model_id")
    ranks = [OnGpu._make(row) for row in told.order_by("run_id", "rank").values_list(*names)]
    machines = sorted({each.machine for each in ranks})
    texts = {kind: queries[kind] for kind in OF_GPU if queries[kind]}
    if not ranks or not texts:
        return NOTHING
    end = now.timestamp() // STEP_S * STEP_S
    return Look(ranks, [
        Question(
            {kind: filled(text, {MACHINES: machines[at : at + MACHINES_AT_ONCE]}) for kind, text in texts.items()},
            end - SPAN.total_seconds(), end, STEP_S,
        )
        for at in range(0, len(machines), MACHINES_AT_ONCE)
    ])  # fmt: skip


def keep(look: Look, told: Sequence[Told], source: MetricsSource, at: datetime) -> list[str]:
    """Replace the readings of the ranks that anything was said of; returns what no rank has a reading of, in words.
    Two statements for each 2,000.

    What was not said is null: an older number is no reading of now.
    """
    specs = {model.pk: model.spec for model in DeviceModel.objects.filter(pk__in={each.model for each in look.ranks})}
    model_of = {short(each.machine): each.model for each in look.ranks}
    values: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for one in told:
        for kind, series in one.answers.items():
            found = readings_of(series, kind, source.machine_label, source.gpu_label, STEP_S)
            for gpu, value in found.items():
                spec = specs[model_of[gpu.machine]] if gpu.machine in model_of else {}
                slot = next((slot for name in gpu.names if (slot := slot_of(spec, name))), "")
                values[gpu.machine, slot][kind] = value
    rows = [
        GpuReading(run_id=each.run, rank=each.rank, at=at, **known)
        for each in look.ranks
        if (known := values.get((short(each.machine), each.slot)))
    ]
    for start in range(0, len(rows), ROWS_AT_ONCE):
        GpuReading.objects.bulk_create(
            rows[start : start + ROWS_AT_ONCE],
            update_conflicts=True,
            unique_fields=["run", "rank"],
            update_fields=["at", *OF_GPU],
        )
    answered = {kind for one in told for kind in one.answers}
    return [
        f"{kind}: {NO_GPU}" for kind in OF_GPU if kind in answered and all(getattr(row, kind) is None for row in rows)
    ]
