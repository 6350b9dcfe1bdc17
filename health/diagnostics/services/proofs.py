"""Faults that active checks showed are verified by active checks: sweeps do not load a machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import structlog

from health.checks.model import MACHINE, Finding
from health.checks.verdicts import Verdict, worst
from health.diagnostics.catalogue import BURN_IN, KINDS, SINGLE, kinds_of, limit_s, options_of
from health.diagnostics.models import ActiveStep
from health.diagnostics.services.rounds import BANDWIDTH, GROUPS, LATENCY
from health.diagnostics.services.runs import ActiveRefused, create
from health.machines.models.machines import MachineHealth
from health.machines.specs import usable
from health.monitoring.hooks import Proof
from health.monitoring.judgement import Target
from health.monitoring.models.faults import Fault
from health.monitoring.services.verifications import PATIENCE

log = structlog.get_logger(__name__)
OVER_GROUPS = (BANDWIDTH, LATENCY, GROUPS)
KINDS_OF: dict[str, tuple[str, ...]] = {"ib.bandwidth": (BANDWIDTH,), "ib.latency": (LATENCY,)} | {
    check: tuple(kind.id for kind in KINDS if check in kind.checks)
    for check in ("gpu.diagnostic", "gpu.stress", "pcie.bandwidth", "nvlink.bandwidth", "nvlink.allreduce",
                  "nvlink.allreduce_latency", "machine.training")
}  # fmt: skip
LAST_STEPS = 200
DIAGNOSTIC, DIAGNOSTIC_CHECK = "diagnostic", "gpu.diagnostic"


def alone(faults: Iterable[Fault]) -> list[str]:
    """The tests of one machine that showed these faults, in the order of the catalogue."""
    shown = {kind for fault in faults for check in fault.checks for kind in KINDS_OF.get(check, ()) if kind in SINGLE}
    return [kind for kind in SINGLE if kind in shown]


def _tests(faults: Iterable[Fault], level: int) -> dict[str, Any]:
    """Options of the run that shows whether these faults are gone; with `level` a diagnostic of it is among them."""
    kinds = alone(faults)
    if not level:
        return {"kinds": kinds}
    return {"kinds": [DIAGNOSTIC, *(kind for kind in kinds if kind != DIAGNOSTIC)], DIAGNOSTIC: {"level": level}}


def patience(machine_id: int, faults: Sequence[Fault], level: int = 0) -> timedelta:
    """How long after the request their tests may take, each with its repetition."""
    tests = _tests(faults, level)
    if not tests["kinds"]:
        return timedelta()
    run = kinds_of(BURN_IN, options_of(BURN_IN, tests))
    return PATIENCE + timedelta(seconds=sum(2 * limit_s(kind, options) for kind, options in run))


def run_again(machine_id: int, faults: Sequence[Fault], *, by: str, level: int = 0) -> None:
    """Ask for the tests that showed these faults, where the machine may be loaded; nothing happens where not."""
    tests = _tests(faults, level)
    if not tests["kinds"]:
        return
    site_id = MachineHealth.objects.values_list("machine__device__site_id", flat=True).get(pk=machine_id)
    try:
        create(site_id, BURN_IN, [machine_id], by=by, reason="verification", options=tests)
    except ActiveRefused as error:
        log.info("verification_without_active_checks", machine=machine_id, reason=str(error))


def gpus_of(machine_id: int) -> set[str]:
    model = MachineHealth.objects.values_list("machine__device__model__spec", flat=True).get(pk=machine_id)
    spec = usable(model)
    return {slot.name for slot in spec.slots_of("gpu")} if spec is not None else set()


def of_slot(said: Iterable[Finding], slot: str) -> Finding:
    """The worst that a diagnostic says of this slot, or of the machine as such; unknown where it says nothing. Pure."""
    nothing = Finding(DIAGNOSTIC_CHECK, slot, Verdict.UNKNOWN, "the diagnostic after the remedy has no result")
    own = [finding for finding in said if finding.part in (slot, MACHINE)]
    return replace(min(own, key=lambda finding: finding.verdict.rank, default=nothing), part=slot)


def since(machine_id: int, targets: Sequence[Target]) -> list[Any]:
    """What the newest tests say of these targets: whoever failed has to pass the same kind of test afterwards."""
    wanted = sorted({(check, target.slot) for target in targets for check in target.checks if check in KINDS_OF})
    if not wanted:
        return []
    done = ActiveStep.objects.filter(machine_ids__contains=[machine_id], status=ActiveStep.Status.DONE, attempts__gt=0)
    steps = list(done.order_by("-finished_at", "-id")[:LAST_STEPS])
    return [answer(check, slot, [step for step in steps if step.kind in KINDS_OF[check]]) for check, slot in wanted]


def answer(check: str, slot: str, steps: Sequence[ActiveStep]) -> Finding:
    """The verdict on one place by its tests, newest first. Pure."""
    failed = next((step for step in steps if _word(step, check, slot) == "fail"), None)
    for step in steps:
        if failed is not None and (step.kind, step.adapter) != (failed.kind, failed.adapter):
            continue
        word = _word(step, check, slot)
        if word == "fail":
            break
        if word in ("ok", "info", "warn"):
            return Finding(check, slot, Verdict.OK, f"passed {step.kind} in run {step.run_id}")
    if failed is None:
        return Finding(check, slot, Verdict.UNKNOWN, "its active check has no result")
    said = f"{failed.kind} was not passed since it failed in run {failed.run_id}"
    return Finding(check, slot, Verdict.UNKNOWN, said)


def _word(step: ActiveStep, check: str, slot: str) -> str:
    """What a test says of a place. A test of several machines says it of all that took part when it passes."""
    if step.kind in OVER_GROUPS:
        return {"pass": "ok", "fail": "fail"}.get(step.verdict, "unknown")
    rows = [row for row in step.findings if (row["check"], row["part"]) == (check, slot)]
    return str(worst(Verdict(row["verdict"]) for row in rows))


PROOF = Proof(
    since=lambda verification, targets, slots: since(verification.machine_id, targets),
    patience=patience,
    request=run_again,
)
