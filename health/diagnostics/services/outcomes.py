"""What came of the steps: their verdicts as they end, and the faults of machines that failed twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.utils import timezone

from core.counts import counted
from health.checks import Expectation, Finding
from health.checks.faults import FAULT_CLASSES
from health.checks.verdicts import Verdict
from health.diagnostics import hooks
from health.diagnostics.catalogue import BY_ID
from health.diagnostics.jobs import Look
from health.diagnostics.judgement import Printed, findings_of, verdict_of
from health.diagnostics.models import ActiveRun, ActiveStep
from health.diagnostics.services import usual
from health.diagnostics.services.candidates import Candidate
from health.diagnostics.services.remote import Job
from health.diagnostics.services.rounds import BANDWIDTH, GROUPS, LATENCY, PAIRS, own_steps
from health.monitoring.services import seen_elsewhere
from health.monitoring.services.sweeps.clean_text import clean_finding
from inventory.specs.device_model import DeviceModelError

MOST_OUTPUT = 20_000
STEP_CHECKS = {BANDWIDTH: ("ib.bandwidth",), LATENCY: ("ib.latency",)}
ACTOR = "active checks"
NOBODY: dict[str, list[str]] = {"bad": []}
"""Of a plan whose machines all left the run."""
log = structlog.get_logger(__name__)


def checks_of(kind: str) -> tuple[str, ...]:
    """The checks that judge a kind of step."""
    return STEP_CHECKS.get(kind) or BY_ID[kind].checks


def keep(step: ActiveStep, job: Job, seen: Look) -> None:
    """Judge what a job printed, and write it down."""
    try:
        expectation = _expectation(job.machine_id)
        if step.kind == GROUPS:
            expectation = usual.beside(expectation, step)
    except DeviceModelError as error:
        unknown(step, str(error))
        return
    printed = [Printed(job.command.judged_as or job.command.line, seen.exit_status, seen.text, seen.trouble)]
    findings = [clean_finding(each) for each in findings_of(checks_of(step.kind), printed, expectation)]
    parts = {slot.name: slot.text for slot in expectation.model.slots}
    step.verdict, step.message = _within(verdict_of(checks_of(step.kind), findings, printed, parts))
    step.findings = [told(each, parts) for each in findings]
    step.output = _text(seen.text if seen.text.strip() else seen.trouble)[:MOST_OUTPUT]
    step.status, step.finished_at = ActiveStep.Status.DONE, timezone.now()
    step.save()


def _within(said: tuple[str, str]) -> tuple[str, str]:
    return said[0], _text(said[1])[:500]


def _text(text: str) -> str:
    """PostgreSQL keeps no NUL."""
    return text.replace("\x00", "\ufffd")


def _expectation(machine_id: int) -> Expectation:
    """Raises DeviceModelError when the machine's model cannot be used."""
    return seen_elsewhere.subject_of(machine_id).expectation


def unknown(step: ActiveStep, why: str) -> None:
    """A step without a result."""
    step.verdict, step.message = ActiveStep.Verdict.UNKNOWN, _text(why)[:500]
    step.status, step.finished_at = ActiveStep.Status.DONE, timezone.now()
    step.save()


def told(finding: Any, parts: Mapping[str, str]) -> dict[str, Any]:
    """A finding as it is kept with its step; `parts`: how people read them, by name."""
    return {
        "check": finding.check,
        "part": finding.part,
        "part_text": parts.get(finding.part, finding.part),
        "verdict": str(finding.verdict),
        "message": finding.message,
        "action": finding.action,
        "fault_class": finding.fault_class or "",
        "value": finding.value,
    }


def finding_of(row: dict[str, Any], *, command: str = "") -> Finding:
    """The finding that was kept."""
    known = FAULT_CLASSES.get(row["fault_class"])
    return Finding(
        check=row["check"],
        part=row["part"],
        verdict=Verdict(row["verdict"]),
        message=row["message"],
        action=row["action"],
        fault_class=row["fault_class"] or None,
        precedence=int(known.precedence) if known else 3,
        value=row["value"],
        command=command,
    )


def open_faults(run: ActiveRun, some: Sequence[Candidate], steps: Sequence[ActiveStep]) -> None:
    """Faults of machines that failed twice: by themselves, or with two partners known to be good."""
    seen = _named(run, some, steps) if run.kind in (PAIRS, GROUPS) else _twice(steps)
    for machine_id, findings in sorted(seen.items()):
        try:
            sight(machine_id, findings)
        except DeviceModelError as error:  # the run's other machines get theirs; its steps keep what was seen of this
            log.warning("active_fault_not_opened", run=run.pk, machine=machine_id, reason=str(error))


def open_incidents(run: ActiveRun) -> None:
    """An incident for every switch that a run names: no machine is at fault, and somebody has to look at the switch."""
    named = {switch: machines for said in run.conclusion.values() for switch, machines in said["switches"].items()}
    for switch, machines in sorted(named.items()):
        hooks.remediation().open_for_switch(
            run.site_id,
            switch,
            title=f"{switch}: tests over it fail, those beside it pass",
            reason=f"active run {run.pk} tested {counted(len(machines), 'machine')} "
            f"behind it: {', '.join(sorted(machines))}",
        )


def sight(machine_id: int, findings: Sequence[Finding]) -> None:
    """Enter findings that were seen twice: the fault opens and is confirmed at once, with its evidence."""
    seen = seen_elsewhere.observation_of(machine_id, findings)
    first = replace(seen, at=seen.at - timedelta(seconds=settings.CONFIRM_DELAY_S + 1))
    for look in (first, seen):
        seen_elsewhere.enter_look(look, actor=ACTOR)


def _twice(steps: Sequence[ActiveStep]) -> dict[int, list[Finding]]:
    """Findings that fail in a test and again in its repetition, on the same part."""
    first = {step.pk: step for step in steps}
    found: dict[int, list[Finding]] = {}
    for step in steps:
        before = first.get(step.repeats_id or 0)
        if before is None:
            continue
        places = {(row["check"], row["part"]) for row in before.findings if row["verdict"] == "fail"}
        both = [row for row in step.findings if row["verdict"] == "fail" and (row["check"], row["part"]) in places]
        if both:
            found.setdefault(step.machine_ids[0], []).extend(finding_of(row, command=step.command) for row in both)
    return found


def _named(run: ActiveRun, some: Sequence[Candidate], steps: Sequence[ActiveStep]) -> dict[int, list[Finding]]:
    """A finding for every machine or adapter that the plan named. For a switch see `open_incidents`."""
    found: dict[int, list[Finding]] = {}
    by_name = {each.name: each for each in some}
    for kind in sorted({step.kind for step in steps}):
        for adapter in sorted({step.adapter for step in steps if step.kind == kind}):
            own = own_steps(steps, kind, adapter)
            for name in run.conclusion.get(f"{adapter} {kind}".strip(), NOBODY)["bad"]:
                if name not in by_name:
                    continue  # it left the run
                last = [step for step in own if step.about == [name] and step.verdict == "fail"][-1]
                row = next(row for row in last.findings if row["verdict"] == "fail")
                partners = ", ".join(partner for step in own if step.about == [name] for partner in step.partners)
                said = f"{row['message']}; it fails with {partners}, which pass with others"
                part = _slot(by_name[name], adapter)
                row = row | {"part": part, "message": said, "fault_class": "hca.slow"}
                kept = finding_of(row, command=last.command)
                found.setdefault(by_name[name].machine_id, []).append(kept)
    return found


def _slot(machine: Candidate, adapter: str) -> str:
    slots = [slot.name for slot in machine.spec.slots_of("hca") if slot.device == adapter]
    return slots[0] if adapter and slots else "machine"
