"""Why a run ended or is slow: what its ranks printed, and what health saw on its machines meanwhile."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from health.monitoring.models.faults import Fault
from inventory.slot_text import slot_texts
from runs.causes.accusations import CHECK
from runs.causes.classes import CLASSES, NOTHING_FAILED
from runs.causes.faults import ENDS, SLOWS, strength_of
from runs.causes.lines import Line
from runs.causes.log import Log, Sighting, read_log
from runs.causes.origins import Origin
from runs.causes.pattern import Pattern, Strength
from runs.causes.verdict import CLOCKS_APART, Verdict, judge
from runs.collection.answer import is_of_kernel
from runs.evidence import Files
from runs.explanation import WEAK, explain_files
from runs.measured import clocks_ahead_s
from runs.models import RunRank, StepPiece, TrainingRun
from runs.pace.packed import unpack
from runs.pace.steps import Step
from runs.pace.stragglers import Times, stragglers
from runs.queries import rank_of
from runs.services.accusations import accuse
from runs.services.collections import newest_files
from runs.services.intake import announce, change_state
from runs.slowness.judgement import without_times

BEFORE = timedelta(minutes=10)
"""A fault so long before the first error may be its cause: sweeps see some things later than ranks, some earlier."""
AFTER = timedelta(minutes=15)
MOST_ERRORS = 5000
LEAST_NAN = 3
"""Steps without a number at the end of a run that goes on: a loss scaler skips one, and another is luck."""
FAULTS = "faults"
"""The log that health's faults make; a line is one of them."""
EXPLAINED_BY_EVIDENCE = (
    TrainingRun.State.HUNG, TrainingRun.State.UNKNOWN, TrainingRun.State.FAILED, TrainingRun.State.ENDED
)  # fmt: skip
"""States that logs, dumps and stacks say something of, where no rank reported an error."""
ENDED_FROM_OUTSIDE = ("slurm-timeout", "slurm-preempt", "slurm-cancel")


def judge_run(run_id: int) -> Verdict | None:
    """Judge a run whose ranks failed, or that hangs or is slow; stores the verdict and returns it."""
    files = newest_files(TrainingRun.objects.get(pk=run_id))  # may take seconds, in which reports must not wait
    with transaction.atomic():
        run = TrainingRun.objects.select_for_update(no_key=True).get(pk=run_id)
        verdict = judge_locked(run, files)
        if verdict is not None:
            run.save(update_fields=["state", "since", "ended_at", "verdict", "evaluated_at", "fault"])
            announce(run, verdict=verdict.cause)
    return verdict


def judge_locked(run: TrainingRun, files: Files | None) -> Verdict | None:
    """The same of a locked run with the evidence that was read before; the caller saves it."""
    if files is not None:
        _drop_what_was_over(run, files)
    failed = list(RunRank.objects.filter(run=run).exclude(error="").order_by("ended_at", "rank")[:MOST_ERRORS])
    verdict, fault = _verdict(run, failed, files)
    if verdict is None:
        return None
    now = timezone.now()
    if failed and run.ended_at is None:
        run.ended_at = max(run.started_at, failed[0].ended_at or now)
        outside = verdict.cause in ENDED_FROM_OUTSIDE
        change_state(run, TrainingRun.State.ENDED if outside else TrainingRun.State.FAILED, run.ended_at)
    run.verdict, run.evaluated_at = told(run, verdict), now
    accuse(run, verdict, fault)
    return verdict


def _drop_what_was_over(run: TrainingRun, files: Files) -> None:
    """What a kernel said before the run began, or before a step that it made afterwards, is of another time."""
    over = max(filter(None, (run.started_at, run.last_step_at))) - CLOCKS_APART
    for log in (log for of_attempt in files.logs.values() for log in of_attempt):
        if is_of_kernel(log):
            log.sightings = [one for one in log.sightings if one.at is None or one.at >= over]


def _verdict(run: TrainingRun, failed: list[RunRank], files: Files | None) -> tuple[Verdict | None, Fault | None]:
    """The verdict, and the fault of health that it rests on."""
    if failed:
        return _ended(run, failed, files)
    if run.state == TrainingRun.State.SLOW:
        verdict, fault = _slow(run)
        if verdict is not None:
            return verdict, fault
    if (steps := _log_of_lost_numbers(run, LEAST_NAN)) is not None:
        return judge([steps]), None
    if files is None or run.state not in EXPLAINED_BY_EVIDENCE:
        return None, None
    return _by_evidence(run, files)


def _by_evidence(run: TrainingRun, files: Files) -> tuple[Verdict | None, Fault | None]:
    """By what was fetched of a run whose ranks reported no error, and the faults of its machines when it broke off."""
    faults: list[Fault] = []
    if run.state != TrainingRun.State.ENDED:
        lines = (one for of_attempt in files.logs.values() for log in of_attempt for one in log.sightings)
        errors = (one.at for one in lines if one.at and one.pattern.strength >= Strength.PEER)
        broke_off = min(errors, default=run.ended_at or run.last_report_at)
        faults = _faults(run, broke_off - BEFORE, broke_off + AFTER, ENDS) if broke_off else []
    if faults:
        files.logs.setdefault(0, []).append(_log_of_faults(run, faults))
        files.origins[FAULTS] = Origin()
    found = explain_files(files).verdict
    if found.file == FAULTS and found.line:
        return found, faults[found.line - 1]
    return (found if found.cause != NOTHING_FAILED else None), None


# ---- ended ----
def _ended(run: TrainingRun, failed: list[RunRank], files: Files | None) -> tuple[Verdict, Fault | None]:
    """By what the ranks reported and what was fetched of their logs; where neither explains it, by dumps and stacks.

    With it the fault of health that the verdict rests on.
    """
    ahead = clocks_ahead_s({rank.machine_id for rank in failed if rank.machine_id is not None})
    logs = [_log_of(rank, ahead.get(rank.machine_id or 0, 0.0)) for rank in failed]
    first = min((one.at for log in logs for one in log.sightings if one.at), default=failed[0].ended_at)
    first = first or timezone.now()
    faults = _faults(run, first - BEFORE, first + AFTER, ENDS)
    if faults:
        logs.append(_log_of_faults(run, faults))
    if (steps := _log_of_lost_numbers(run, 1)) is not None:
        logs.append(steps)
    silent = set(RunRank.objects.filter(run=run, ended_at=None).values_list("rank", flat=True)[:MOST_ERRORS])
    for log in logs:
        log.ranks_seen |= silent
    fetched = [log for of_attempt in files.logs.values() for log in of_attempt] if files is not None else []
    verdict = judge([*logs, *fetched])
    if verdict.file == FAULTS and verdict.line:
        return verdict, faults[verdict.line - 1]
    if files is None or verdict.cause not in WEAK:
        return verdict, None
    beside = explain_files(replace(files, logs={})).verdict
    return beside if beside.cause not in WEAK else verdict, None


def _log_of(rank: RunRank, ahead_s: float) -> Log:
    """What a rank printed at its end, as a log whose lines are of that rank and moment, by a clock that is right."""
    at = rank.ended_at - timedelta(seconds=ahead_s) if rank.ended_at is not None else None
    log = read_log(f"rank {rank.rank}", io.BytesIO(rank.error.encode()), timezone.now().year)
    log.sightings = [
        one._replace(
            at=at,
            rank=rank.rank,
            line=one.line._replace(machine=one.line.machine or rank.machine_name),
        )
        for one in log.sightings
    ]
    log.ranks_seen.add(rank.rank)
    return log


def _faults(run: TrainingRun, since: datetime, until: datetime, means: Mapping[str, str]) -> list[Fault]:
    """Faults on the machines of the run that were open in this span, the first seen first."""
    machines = RunRank.objects.filter(run=run, machine__isnull=False).values("machine_id")
    found = (
        Fault.objects.filter(
            machine_id__in=machines, fault_class__in=list(means), led_by=None, opened_at__range=(since, until)
        )
        .exclude(status=Fault.Status.CLEARED, cleared_at__lt=since)
        .exclude(checks=[CHECK])  # a run's verdict is no evidence of itself, nor of the next attempt's
        .select_related("machine__device__model")
        .order_by("precedence", "opened_at", "pk")[:50]
    )
    used: dict[int, set[str]] = {}
    ranks = RunRank.objects.filter(run=run, machine_id__in=[fault.machine_id for fault in found])
    for machine, slot in ranks.values_list("machine_id", "slot"):
        if machine is not None:
            used.setdefault(machine, set()).add(slot)
    return [fault for fault in found if _concerns(fault, used[fault.machine_id])]


def _concerns(fault: Fault, used: set[str]) -> bool:
    """A fault of a GPU that no rank uses ends no run; where the slots of ranks are not known, it may."""
    gpus = {slot["name"] for slot in fault.machine.device.model.spec.get("slots", ()) if slot["kind"] == "gpu"}
    return fault.slot not in gpus or fault.slot in used or "" in used


def _log_of_faults(run: TrainingRun, faults: Iterable[Fault]) -> Log:
    log = Log(FAULTS)
    for number, fault in enumerate(faults, 1):
        said = _message(fault)
        strength = strength_of(fault.fault_class, confirmed=fault.confirmed_at is not None)
        pattern = Pattern(f"fault.{fault.fault_class}", ENDS[fault.fault_class], strength, (), "", said, "health")
        line = Line(number, said, said, machine=fault.machine.device.name)
        log.sightings.append(Sighting(pattern, log.name, line, fault.opened_at, _rank_at(run, fault)))
        log.counts[pattern.name] += 1
    return log


def _message(fault: Fault) -> str:
    """What health itself saw; a fault that a run opened has the run's words."""
    if CHECK not in fault.checks:
        return fault.message
    own = fault.evidence.exclude(check_id=CHECK).order_by("pk").values_list("message", flat=True).first()
    return own or fault.message


def _rank_at(run: TrainingRun, fault: Fault) -> int | None:
    """The rank on the slot of a fault; the only one of its machine where the slot is no GPU."""
    here = RunRank.objects.filter(run=run, machine_id=fault.machine_id)
    at_slot = here.filter(slot=fault.slot).order_by("rank").values_list("rank", flat=True).first()
    if at_slot is not None:
        return int(at_slot)
    ranks = list(here.values_list("rank", flat=True)[:2])
    return int(ranks[0]) if len(ranks) == 1 else None


def _log_of_lost_numbers(run: TrainingRun, least: int) -> Log | None:
    """The run's last steps as a log, where at least so many at its end have a loss that is no number. Two queries."""
    log = Log("steps")
    lost = 0
    for piece in StepPiece.objects.filter(run=run).exclude(packed=b"").order_by("-number")[:2][::-1]:
        for step in unpack(bytes(piece.packed)):
            log.steps.append(Step(step.step, step.step, None, step.loss, None))
            if step.loss is not None:
                lost = lost + 1 if math.isnan(step.loss) else 0
    return log if lost >= least else None


# ---- slow ----
def _slow(run: TrainingRun) -> tuple[Verdict | None, Fault | None]:
    """A straggler by the times of all ranks, with the fault of its machine that explains it."""
    if run.state != TrainingRun.State.SLOW:
        return None, None
    rows = RunRank.objects.filter(run=run).values_list("rank", "compute_s", "wait_s", "best_compute_s")
    times = [Times(rank, compute, wait, best) for rank, compute, wait, best in rows if compute is not None]
    found = stragglers(times)
    if not found:
        return without_times(run), None
    worst = found[0]
    rank = RunRank.objects.select_related("machine__device").get(run=run, rank=worst.rank)
    slower = f"rank {worst.rank} on {rank.machine_name} computes {worst.ratio:.2f} times as long as the median rank"
    fault = (
        Fault.objects.filter(machine_id=rank.machine_id, fault_class__in=list(SLOWS), led_by=None)
        .exclude(status=Fault.Status.CLEARED)
        .exclude(checks=[CHECK])
        .order_by("precedence", "pk")
        .first()
        if rank.machine_id
        else None
    )
    cause = SLOWS[fault.fault_class] if fault is not None else "slow-straggler"
    row = CLASSES[cause]
    said = slower[0].upper() + slower[1:] + (f": {fault.message}" if fault is not None else "") + "."
    sure = 0.9 if fault else 0.75
    return Verdict(cause, row.owner, row.hardware, said, sure, worst.rank, rank.machine_name), fault


# ---- as it is stored ----
def told(run: TrainingRun, verdict: Verdict) -> dict[str, Any]:
    """The verdict with the place of its rank: machine and slot are what a person walks to."""
    rank = rank_of(run, verdict.rank) if verdict.rank is not None else None
    spec = rank.machine.device.model.spec if rank is not None and rank.machine is not None else {}
    return {
        "class": verdict.cause,
        "owner": verdict.owner,
        "hardware_fault": verdict.hardware,
        "sentence": verdict.sentence,
        "first_step": verdict.first_step,
        "confidence": verdict.confidence,
        "rank": verdict.rank,
        "machine": rank.machine_id if rank is not None else None,
        "machine_name": (rank.machine_name if rank is not None else verdict.machine) or "",
        "slot": rank.slot if rank is not None else "",
        "slot_text": slot_texts(spec).get(rank.slot, rank.slot) if rank is not None else "",
        "source": verdict.file or "",
        "line": verdict.line,
        "lines": [
            {"source": one.file, "line": one.line.number, "rank": one.rank, "text": one.line.raw[:400]}
            for one in verdict.evidence
        ],
        "followers": verdict.followers,
        "ruled_out": verdict.ruled_out,
    }
