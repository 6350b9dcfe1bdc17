"""A verdict that names hardware becomes or joins the fault of its machine; from there it goes the way of any fault."""

from __future__ import annotations

import structlog
from django.db.models import Q

from health.checks import Finding
from health.checks.faults import FAULT_CLASSES
from health.checks.verdicts import Verdict as Word
from health.models import Fault, FaultEvidence
from health.services import enter_seen_elsewhere
from inventory.specs.device_model import DeviceModelError
from runs.causes.accusations import CHECK, Said, fault_class_of
from runs.causes.verdict import Verdict
from runs.models import TrainingRun
from runs.queries import rank_of

ACTOR = "training runs"
MACHINE = "machine"
MOST_LINES = 5
log = structlog.get_logger(__name__)


def accuse(run: TrainingRun, verdict: Verdict, known: Fault | None) -> None:
    """Open or join the fault that the verdict of this locked run shows, and keep it with the run.

    `known`: the fault that health saw and the verdict rests on. A verdict that was entered once enters nothing again,
    also when its fault was repaired meanwhile.
    """
    said = Said(verdict.cause, verdict.owner, verdict.hardware, verdict.confidence)
    fault_class = fault_class_of(said, known.fault_class if known is not None else None)
    place = (known.machine_id, known.slot) if known is not None else _place(run, verdict)
    if fault_class is None or place is None:
        return
    machine_id, slot = place
    if known is not None and known.status == Fault.Status.CLEARED:  # repaired, or a person said that it is none
        run.fault = known
        return
    if FaultEvidence.objects.filter(_of(run, verdict), fault__machine_id=machine_id).exists():
        return
    try:
        enter_seen_elsewhere(machine_id, [_finding(run, verdict, slot, fault_class)], actor=ACTOR)
    except DeviceModelError as error:  # the run keeps its verdict
        log.warning("run_fault_not_opened", run=run.pk, machine=machine_id, reason=str(error))
        return
    evidence = FaultEvidence.objects.filter(_of(run, verdict), fault__machine_id=machine_id).order_by("-pk").first()
    if evidence is not None:  # none where hands are on the machine, or somebody silenced it
        run.fault_id = evidence.fault_id


def _place(run: TrainingRun, verdict: Verdict) -> tuple[int, str] | None:
    """Machine and slot of the verdict's rank; None where they are not known, or its line speaks of another machine."""
    rank = rank_of(run, verdict.rank) if verdict.rank is not None else None
    if rank is None or rank.machine_id is None:
        return None
    named = (verdict.machine or rank.machine_name).split(".", 1)[0]
    if named != rank.machine_name.split(".", 1)[0]:
        return None
    return rank.machine_id, rank.slot or MACHINE


def _of(run: TrainingRun, verdict: Verdict) -> Q:
    return Q(check_id=CHECK, observed__run=run.pk, observed__class=verdict.cause)


def _finding(run: TrainingRun, verdict: Verdict, slot: str, fault_class: str) -> Finding:
    """The verdict in the shape of what a check says, with the lines it rests on."""
    ended_at = run.ended_at or run.last_report_at
    lines = [f"{one.file}:{one.line.number} {one.line.raw}" for one in verdict.evidence[:MOST_LINES]]
    return Finding(
        check=CHECK,
        part=slot,
        verdict=Word.FAIL,
        message=f"Training run {name_of(run)}: {verdict.sentence}",
        action=verdict.first_step,
        fault_class=fault_class,
        precedence=int(FAULT_CLASSES[fault_class].precedence),
        kind="event",
        event_key=f"run|{run.pk}",
        event_at_us=int(ended_at.timestamp() * 1_000_000),
        excerpt="\n".join(lines),
        observed={
            "run": run.pk,
            "rank": verdict.rank,
            "file": verdict.file or "",
            "line": verdict.line,
            "class": verdict.cause,
        },
    )


def name_of(run: TrainingRun) -> str:
    """`kestrel-405b, attempt 7`: attempts are counted from 1, as the dashboard does."""
    name = run.name or run.key
    return f"{name}, attempt {run.attempt + 1}" if run.attempt else name
