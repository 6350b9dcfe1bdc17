"""Take in what launchers report: the run, its ranks, their pace, its steps, how they ended.

One transaction a report. The row of the run is locked only by reports that change it (the lead rank's machine, an end,
the first of a run): those of the other machines only write their ranks and meet nobody.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from core.work.queue import after_commit
from health.external.models import ReportSource
from inventory.models import Machine
from inventory.specs.parts import normalise_pci
from live.events import emit
from runs.found.matching import Known, Now, same
from runs.models import RunRank, StepPiece, TrainingRun
from runs.pace.packed import Timed, pack, unpack
from runs.reports import BEHIND_S, Report
from runs.state import BASELINE_STEPS, WARM_UP, baseline_of

NAN_LOSS = "nan-loss"
PIECE = 1024
"""Steps of a packed piece."""
RECENT = 20
"""Last steps whose median is the present pace."""
MOST_REPEATS = 8
"""Runs of one key and attempt that a report may belong to, the newest."""
HEARD_EVERY = timedelta(seconds=5)
"""A report that changes nothing else marks the run as reported this often."""

WAKES = (TrainingRun.State.STARTING, TrainingRun.State.UNKNOWN, TrainingRun.State.HUNG)
"""States of a live run that a new step ends."""


@dataclass
class Taken:
    run: int
    steps: int
    """Stored now; what was received before is not counted."""
    too_old: int


def take(source: ReportSource, report: Report) -> Taken:
    """Store a report of a site's source."""
    now = timezone.now()
    with transaction.atomic():
        run, made = _run_of(source, report, now)
        machine = machine_of(source.site_id, report.machine)
        _write_ranks(run, machine, report)
        stored = _write_run(run, report, now, made=made)
    if any(one.error for one in report.ended):
        after_commit("runs.tasks.judge_run", run.pk, robust=True, countdown=1)
    return Taken(run.pk, stored, report.too_old)


def _run_of(source: ReportSource, report: Report, now: datetime) -> tuple[TrainingRun, bool]:
    """The run that reports, and whether it is new. Job ids are used again, and torchelastic starts ranks anew with
    another world size under the same number of restarts: both are runs of their own (`runs.found.matching`)."""
    named = {"site_id": source.site_id, "key": report.key, "attempt": report.attempt}
    rows = list(TrainingRun.objects.filter(**named).order_by("-repeat")[:MOST_REPEATS])
    told = [(steps[0].at - steps[0].seconds) for steps in report.steps.values() if steps]
    told += [each.at for each in report.ended]
    # One that says nothing of when it began may be late: a launcher keeps an hour of reports.
    began = min(told, default=now.timestamp() - BEHIND_S)
    pk = same((_known(run) for run in rows), Now(report.about.get("world_size", 0), "", began))
    if pk is not None:
        return next(run for run in rows if run.pk == pk), False
    fields = {
        **report.about,
        "source": source,
        "started_at": datetime.fromtimestamp(min(now.timestamp(), *told), UTC) if told else now,
        "last_report_at": now,
        "lead_rank": min((each.rank for each in report.ranks), default=None),
    }
    return TrainingRun.objects.get_or_create(**named, repeat=rows[0].repeat + 1 if rows else 0, defaults=fields)


def _known(run: TrainingRun) -> Known:
    ended = run.ended_at.timestamp() if run.ended_at else None
    return Known(run.pk, run.repeat, run.world_size, "", ended)


def next_repeat(site: int, key: str, attempt: int) -> int:
    """How often this key and attempt were there before."""
    rows = TrainingRun.objects.filter(site_id=site, key=key, attempt=attempt)
    last = rows.order_by("-repeat").values_list("repeat", flat=True).first()
    return 0 if last is None else int(last) + 1


def machine_of(site_id: int, name: str) -> Machine | None:
    """The site's machine of this name; a host name may have a domain."""
    short = name.split(".", 1)[0]
    rows = Machine.objects.filter(device__site_id=site_id, device__name__in={name, short})
    rows = rows.exclude(device__status="retired").select_related("device__model")
    return rows.order_by("pk").first()


# ---- ranks ----
UPSERT_RANKS = """
INSERT INTO runs_runrank (run_id, rank, machine_id, machine_name, local_rank, slot, error)
SELECT %s, told.rank, %s, %s, told.local_rank, told.slot, ''
FROM unnest(%s::int[], %s::int[], %s::text[]) AS told(rank, local_rank, slot)
ON CONFLICT (run_id, rank) DO UPDATE
SET machine_id = EXCLUDED.machine_id, machine_name = EXCLUDED.machine_name, local_rank = EXCLUDED.local_rank,
    slot = EXCLUDED.slot
WHERE (runs_runrank.pid IS NULL OR runs_runrank.machine_id IS DISTINCT FROM EXCLUDED.machine_id)
  AND (runs_runrank.machine_id, runs_runrank.machine_name, runs_runrank.local_rank, runs_runrank.slot)
      IS DISTINCT FROM (EXCLUDED.machine_id, EXCLUDED.machine_name, EXCLUDED.local_rank, EXCLUDED.slot)
"""
UPDATE_PACE = """
UPDATE runs_runrank AS rank
SET step = told.step, step_at = to_timestamp(told.at), step_s = told.step_s, compute_s = told.compute_s,
    wait_s = told.wait_s, best_compute_s = least(rank.best_compute_s, told.compute_s)
FROM unnest(%s::int[], %s::bigint[], %s::float8[], %s::float8[], %s::float8[], %s::float8[])
     AS told(rank, step, at, step_s, compute_s, wait_s)
WHERE rank.run_id = %s AND rank.rank = told.rank AND (rank.step_at IS NULL OR rank.step_at < to_timestamp(told.at))
"""
UPDATE_READINGS = """
UPDATE runs_runrank AS rank
SET clock_mhz = told.clock_mhz, power_w = told.power_w, temperature_c = told.temperature_c
FROM unnest(%s::int[], %s::float8[], %s::float8[], %s::float8[]) AS told(rank, clock_mhz, power_w, temperature_c)
WHERE rank.run_id = %s AND rank.rank = told.rank
"""
UPDATE_ENDED = """
UPDATE runs_runrank AS rank
SET ended_at = to_timestamp(told.at), error = told.error
FROM unnest(%s::int[], %s::float8[], %s::text[]) AS told(rank, at, error)
WHERE rank.run_id = %s AND rank.rank = told.rank AND rank.ended_at IS NULL
"""


def _write_ranks(run: TrainingRun, machine: Machine | None, report: Report) -> None:
    told = {each.rank for each in report.ranks}
    only_named = {*report.steps, *(one.rank for one in report.ended)} - told
    spec = machine.device.model.spec if machine is not None else {}
    pk = machine.pk if machine is not None else None
    RunRank.objects.bulk_create(  # where one is known already, more is known of it than that it is there
        [RunRank(run=run, rank=rank, machine_id=pk, machine_name=report.machine) for rank in sorted(only_named)],
        ignore_conflicts=True,
    )
    with connection.cursor() as cursor:
        if report.ranks:
            rows = sorted(report.ranks)
            cursor.execute(
                UPSERT_RANKS,
                [
                    run.pk, pk, report.machine,
                    [each.rank for each in rows],
                    [each.local_rank for each in rows],
                    [slot_of(spec, each.gpu) for each in rows],
                ],
            )  # fmt: skip
        columns: list[list[Any]]
        read = [(each.rank, *each[3:]) for each in report.ranks if any(value is not None for value in each[3:])]
        if read:
            columns = [list(column) for column in zip(*read, strict=True)]
            cursor.execute(UPDATE_READINGS, [*columns, run.pk])
        if report.paces:
            columns = [list(column) for column in zip(*report.paces, strict=True)]
            cursor.execute(UPDATE_PACE, [*columns, run.pk])
        if report.ended:
            columns = [list(column) for column in zip(*report.ended, strict=True)]
            cursor.execute(UPDATE_ENDED, [*columns, run.pk])


def slot_of(spec: Mapping[str, Any], gpu: str) -> str:
    """The slot of a GPU by its PCI address, or by its index as nvidia-smi counts; empty where it is not known."""
    slots = [slot for slot in spec.get("slots", ()) if slot.get("kind") == "gpu"]
    if gpu.isdigit():
        slots.sort(key=lambda slot: slot.get("pci") or "")
        return str(slots[int(gpu)]["name"]) if int(gpu) < len(slots) else ""
    wanted = normalise_pci(gpu)
    return next((str(slot["name"]) for slot in slots if wanted and slot.get("pci") == wanted), "")


# ---- the run ----
def _write_run(run: TrainingRun, report: Report, now: datetime, *, made: bool) -> int:
    """What the report changes of the run itself; the number of steps that were stored."""
    lead = run.lead_rank
    steps = report.steps.get(lead, ()) if lead is not None else ()
    ends = [one for one in report.ended if one.rank == lead and not one.error]
    told = {name: value for name, value in report.about.items() if getattr(run, name) != value}
    if run.settings and all(each.rank != lead for each in report.ranks):
        told.pop("settings", None)  # those of the lead rank stand for the run: some differ from machine to machine
    if TrainingRun.FoundBy.REPORT not in run.found_by:  # it was found before it reported
        told |= {"found_by": sorted({*run.found_by, TrainingRun.FoundBy.REPORT})}
    lower = min((each.rank for each in report.ranks), default=None)
    leads = lower is not None and (lead is None or lower < lead) and not _led(run)
    if not (steps or ends or told or made or leads or report.checkpoint):
        old = TrainingRun.objects.filter(pk=run.pk, last_report_at__lt=now - HEARD_EVERY)
        old.update(last_report_at=now)
        return 0
    run = TrainingRun.objects.select_for_update(no_key=True).get(pk=run.pk)
    for name, value in told.items():
        setattr(run, name, value)
    if lower is not None and (run.lead_rank is None or lower < run.lead_rank) and not _led(run):
        run.lead_rank = lower
        steps = report.steps.get(lower, ())
    run.last_report_at = max(now, run.last_report_at)
    if steps and run.steps_from == TrainingRun.StepsFrom.PROMETHEUS:
        _drop_measured(run, steps[0].at - steps[0].seconds)
    stored = _add_steps(run, steps)
    if stored:
        run.steps_from, run.metrics_message = TrainingRun.StepsFrom.REPORT, ""
    _note_checkpoint(run, report)
    _follow_loss(run, steps if stored else ())
    if stored and run.state in WAKES:
        change_state(run, TrainingRun.State.RUNNING, now)
    if ends and run.ended_at is None:
        run.ended_at = max(run.started_at, datetime.fromtimestamp(ends[0].at, UTC))
        change_state(run, TrainingRun.State.COMPLETED, run.ended_at)
    run.save()
    if made or ends:
        announce(run)
    return stored


def _led(run: TrainingRun) -> bool:
    """Whether the curve is of a rank's reports already: then no other rank goes on with it."""
    return run.steps > 0 and run.steps_from != TrainingRun.StepsFrom.PROMETHEUS


def take_measured(run: TrainingRun, steps: Sequence[Timed], now: datetime) -> int:
    """Add steps of a locked run that somebody measured in the place of its launcher, oldest first; the caller saves it.
    Returns how many were new."""
    stored = _add_steps(run, steps)
    if stored:
        run.steps_from = TrainingRun.StepsFrom.PROMETHEUS
        _follow_loss(run, steps)
        if run.state in WAKES:
            change_state(run, TrainingRun.State.RUNNING, now)
    return stored


def _drop_measured(run: TrainingRun, since: float) -> None:
    """Take back the measured steps of a locked run that its launcher tells itself now (it keeps an hour of them): those
    that ended after this moment, in seconds since 1970. The caller saves it."""
    pieces = list(StepPiece.objects.filter(run=run, ended_at__gt=datetime.fromtimestamp(since, UTC)).order_by("number"))
    if not pieces:
        return
    kept = [step for step in unpack(bytes(pieces[0].packed)) if step.at <= since]
    run.steps -= sum(piece.count for piece in pieces) - len(kept)
    StepPiece.objects.filter(pk__in=[piece.pk for piece in pieces]).delete()
    if kept:
        _write_piece(run, pieces[0].number, kept)
    last = StepPiece.objects.filter(run=run).order_by("-number").first()
    run.last_step, run.last_step_at = (last.last_step, last.ended_at) if last is not None else (None, None)
    if run.steps < WARM_UP + BASELINE_STEPS:
        run.baseline_s = None


def _add_steps(run: TrainingRun, told: Sequence[Timed]) -> int:
    """Append what is newer than the last step stored; what comes twice changes nothing."""
    last = run.last_step_at.timestamp() if run.last_step_at else 0.0
    steps = [step for step in told if step.at > last + 0.0005]  # ends are kept in milliseconds
    if not steps:
        return 0
    piece = StepPiece.objects.filter(run=run).order_by("-number").first()
    kept = unpack(bytes(piece.packed)) if piece is not None and piece.count < PIECE and piece.packed else []
    number = (piece.number if kept else piece.number + 1) if piece is not None else 0
    together = [*kept, *steps]
    for start in range(0, len(together), PIECE):
        _write_piece(run, number, together[start : start + PIECE])
        number += 1
    run.steps += len(steps)
    run.last_step = steps[-1].step
    run.last_step_at = datetime.fromtimestamp(steps[-1].at, UTC)
    run.recent_s = median(step.seconds for step in together[-RECENT:])
    if run.baseline_s is None and run.steps >= WARM_UP + BASELINE_STEPS:
        first = StepPiece.objects.filter(run=run, number=0).first()
        known = unpack(bytes(first.packed)) if first is not None and first.packed else []
        run.baseline_s = baseline_of([step.seconds for step in known])
    return len(steps)


def _note_checkpoint(run: TrainingRun, report: Report) -> None:
    if report.checkpoint is not None:
        step, at = report.checkpoint[0], datetime.fromtimestamp(report.checkpoint[1], UTC)
        if run.checkpoint_at is None or run.checkpoint_at < at:
            run.checkpoint_step, run.checkpoint_at = step, at


def _follow_loss(run: TrainingRun, steps: Sequence[Timed]) -> None:
    """Have a run judged whose loss is no number any more; that verdict goes where the loss is one again."""
    last = steps[-1].loss if steps else None
    if last is None:
        return
    judged = run.verdict is not None and run.verdict["class"] == NAN_LOSS
    if math.isnan(last) and not judged:
        after_commit("runs.tasks.judge_run", run.pk, robust=True, countdown=1)
    elif judged and not math.isnan(last) and run.ended_at is None:
        run.verdict = run.evaluated_at = None
        announce(run)


def _write_piece(run: TrainingRun, number: int, steps: Sequence[Timed]) -> None:
    spans = [step.seconds for step in steps]
    losses = [step.loss for step in steps if step.loss is not None]
    StepPiece.objects.update_or_create(
        run=run,
        number=number,
        defaults={
            "count": len(steps),
            "first_step": steps[0].step,
            "last_step": steps[-1].step,
            "started_at": datetime.fromtimestamp(steps[0].at - steps[0].seconds, UTC),
            "ended_at": datetime.fromtimestamp(steps[-1].at, UTC),
            "median_s": median(spans),
            "least_s": min(spans),
            "most_s": max(spans),
            "loss": losses[-1] if losses and not math.isnan(losses[-1]) else None,
            "tokens": sum(step.tokens for step in steps),
            "packed": pack(steps),
        },
    )


def change_state(run: TrainingRun, state: str, at: datetime) -> None:
    """Set the state of a locked run; the caller saves it."""
    if run.state != state:
        run.state, run.since = state, at


def announce(run: TrainingRun, **more: Any) -> None:
    """Tell the dashboard; the row is locked."""
    data: Mapping[str, Any] = {"id": run.pk, "key": run.key, "name": run.name, "state": run.state, **more}
    emit("training_run.changed", site_id=run.site_id, subject=f"training-run:{run.pk}", data=dict(data))
