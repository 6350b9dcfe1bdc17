"""Faults that active checks showed are verified by active checks: sweeps do not load a machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import structlog

from health.active.catalogue import BURN_IN, KINDS, SINGLE, limit_s, options_of
from health.checks.model import Finding
from health.judging import Target
from health.models import ActiveStep, Fault, MachineHealth
from health.services.activating.rounds import BANDWIDTH, GROUPS, LATENCY
from health.services.activating.runs import ActiveRefused, create
from health.verdicts import Verdict

log = structlog.get_logger(__name__)
OVER_GROUPS = (BANDWIDTH, LATENCY, GROUPS)
KINDS_OF: dict[str, tuple[str, ...]] = {"ib.bandwidth": (BANDWIDTH,), "ib.latency": (LATENCY,)} | {
    check: tuple(kind.id for kind in KINDS if check in kind.checks)
    for check in ("gpu.diagnostic", "gpu.stress", "pcie.bandwidth", "nvlink.bandwidth", "nvlink.allreduce",
                  "machine.training")
}  # fmt: skip
LAST_STEPS = 200


def alone(faults: Iterable[Fault]) -> list[str]:
    """The tests of one machine that showed these faults, in the order of the catalogue."""
    shown = {kind for fault in faults for check in fault.checks for kind in KINDS_OF.get(check, ()) if kind in SINGLE}
    return [kind for kind in SINGLE if kind in shown]


def patience(faults: Sequence[Fault]) -> timedelta:
    """How long their tests may take, each with its repetition."""
    return timedelta(seconds=sum(2 * limit_s(kind, options_of(kind, {})) for kind in alone(faults)))


def run_again(machine_id: int, faults: Sequence[Fault], *, by: str) -> None:
    """Ask for the tests that showed these faults, where the machine may be loaded; nothing happens where not."""
    kinds = alone(faults)
    if not kinds:
        return
    site_id = MachineHealth.objects.values_list("machine__device__site_id", flat=True).get(pk=machine_id)
    try:
        create(site_id, BURN_IN, [machine_id], by=by, reason="verification", options={"kinds": kinds})
    except ActiveRefused as error:
        log.info("verification_without_active_checks", machine=machine_id, reason=str(error))


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
    rows = [row["verdict"] for row in step.findings if (row["check"], row["part"]) == (check, slot)]
    order = ("fail", "unknown", "warn", "info", "ok")
    return min(rows, key=order.index, default="unknown")
