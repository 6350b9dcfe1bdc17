"""What is usual in the fleet, for what no model promises: the latency of an all-reduce over as many machines."""

from __future__ import annotations

from dataclasses import replace
from math import log2
from statistics import median

from health.checks import Expectation
from health.diagnostics import ways
from health.diagnostics.models import ActiveStep
from health.diagnostics.services.rounds import GROUPS
from inventory.models import Machine

CHECK = "nvlink.allreduce_latency"
NAMES = ("all_reduce_latency_us", "all_reduce_latency_usual_us")
LAST_STEPS = 500
LEAST_STEPS = 5
"""Fewer results say nothing of what is usual."""


def beside(expectation: Expectation, step: ActiveStep) -> Expectation:
    """The expectation with what is usual, where neither the model nor the site says a number."""
    own = dict(expectation.thresholds_of.get(CHECK, {}))
    said = {**(expectation.model.expected.get("thresholds") or {}), **expectation.thresholds, **own}
    if any(said.get(name) for name in NAMES):
        return expectation
    value = usual_us(step)
    told = {**expectation.thresholds_of, CHECK: {**own, NAMES[1]: value}}
    return replace(expectation, thresholds_of=told) if value else expectation


def usual_us(step: ActiveStep) -> float:
    """The median of the last passed tests of the site over about as many machines of this model, by the same program;
    0 where there are too few. Two queries."""
    rows = ActiveStep.objects.filter(
        run__site_id=step.run.site_id, kind=GROUPS, verdict=ActiveStep.Verdict.PASS
    ).exclude(run_id=step.run_id)  # fmt: skip
    found = list(rows.order_by("-id").values_list("machine_ids", "findings", "run__launch")[:LAST_STEPS])
    firsts = {ids[0] for ids, _, _ in found} | {step.machine_ids[0]}
    models = dict(Machine.objects.filter(pk__in=firsts).values_list("pk", "device__model_id"))
    values = [
        row["value"]
        for ids, findings, launch in found
        if _like(ids) == _like(step.machine_ids) and models.get(ids[0]) == models.get(step.machine_ids[0])
        and launch.get("program", ways.NCCL_TESTS) == step.run.launch.get("program", ways.NCCL_TESTS)
        for row in findings
        if row.get("check") == CHECK and row.get("value") is not None
    ]  # fmt: skip
    return median(values) if len(values) >= LEAST_STEPS else 0.0


def _like(machine_ids: list[int]) -> int:
    """Groups that need about as many steps through the fabric."""
    return round(log2(max(1, len(machine_ids))))
