"""A look at a machine that waits for base software, for tests of its GPUs or of its links."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from django.db import IntegrityError, transaction

from health.diagnostics import services as active
from health.diagnostics.catalogue import kinds_of
from health.models import ActiveRun, ActiveStep
from health.monitoring.models.verdicts import CurrentVerdict
from provisioning.acceptance import batches, verdicts
from provisioning.acceptance.models import AcceptanceTest
from provisioning.engines import way_of_run
from provisioning.engines.contract import Again, Broken, Finished, Looked, Waits
from provisioning.models import Run, RunMachine, SoftwareRun, Step
from provisioning.software import services as software
from provisioning.steps import BY_NAME, StepName
from provisioning.waves.policy import OPEN_RUNS, MachineState

AGAIN_S = 10.0
PAIRS = "pairs"
ENOUGH = 4
"""So many machines are tested in pairs at least while others still come: of two alone nobody knows which is bad."""


def look(step: StepName, run_machine_id: int) -> Looked:
    """Begin what is not begun yet, for all that wait here, or tell how far it is."""
    row = RunMachine.objects.select_related("run", "machine__device").get(pk=run_machine_id)
    since = Step.objects.values_list("started_at", flat=True).get(run_machine=row, name=step.value)
    if step is StepName.SOFTWARE:
        return _software(row, since)
    found = batches.active_of(row, step, since)
    return _told(row, step, found) if found is not None else _begin(row, step)


# ---- base software ----


def _software(row: RunMachine, since: object) -> Looked:
    mine = batches.software_of(row, since)
    if mine is None:
        return _begin(row, StepName.SOFTWARE)
    run = mine.run
    if mine.status == MachineState.OK:
        return Looked(Finished(f"base software is installed: software run {run.pk}"))
    if run.status in OPEN_RUNS and mine.status in (MachineState.WAITING, MachineState.RUNNING):
        done = f"{len(mine.outcomes)} of {len(run.roles)} roles done"
        return Looked(Again(f"software run {run.pk}: {run.message or done}", after_s=AGAIN_S))
    why = mine.message or run.message or str(mine.status)
    return Looked(Broken(BY_NAME[StepName.SOFTWARE].failure, f"software run {run.pk}: {why}"))


# ---- active checks ----


def _told(row: RunMachine, step: StepName, run: ActiveRun) -> Looked:
    """What an active run says of this machine, or how far it is."""
    if run.status in ActiveRun.OPEN:
        ends = list(run.steps.values_list("status", flat=True))
        done = sum(status not in ActiveStep.OPEN for status in ends)
        text = run.message or f"round {run.rounds}, {done} of {len(ends)} tests done"
        return Looked(Again(f"active run {run.pk}: {text}", after_s=AGAIN_S))
    name = row.machine.device.name
    left = next((each["reason"] for each in run.left_out if each["machine_id"] == row.machine_id), "")
    tests = list(run.steps.filter(machine_ids__contains=[row.machine_id]).order_by("round", "number"))
    why = left or (run.message if run.status != ActiveRun.Status.DONE else "")
    if not why and step is StepName.FABRIC:
        why = verdicts.why_links_not_passed(name, run.conclusion)
    elif not why:
        wanted = [kind for kind, _ in kinds_of(run.kind, run.options)]
        why = verdicts.why_not_passed([verdicts.Ended(t.kind, t.verdict, t.message) for t in tests], wanted)
    if not why:
        return Looked(Finished(f"passed: active run {run.pk}"))
    failure = verdicts.class_of([*_findings(tests), *_failing(row.machine_id)], BY_NAME[step].failure)
    seen = "\n".join(f"{test.kind} {test.adapter}".strip() + f": {test.message}" for test in tests if test.message)
    return Looked(Broken(failure, f"active run {run.pk}: {why}"), seen=seen)


def _findings(tests: Iterable[ActiveStep]) -> list[dict[str, Any]]:
    return [finding for test in tests for finding in test.findings]


def _failing(machine_id: int) -> list[dict[str, Any]]:
    """What the sweep last found failing."""
    rows = CurrentVerdict.objects.filter(machine_id=machine_id, verdict="fail")
    return [
        {"check": check, "verdict": "fail", "message": said} for check, said in rows.values_list("check_id", "message")
    ]


# ---- beginning ----


def _begin(row: RunMachine, step: StepName) -> Looked:
    """Begin a run over all machines that wait at this step. Under the lock of the provisioning run: one does."""
    try:
        with transaction.atomic():
            run = Run.objects.select_for_update().get(pk=row.run_id)
            ids = list(batches.waiting(run, step).values_list("machine_id", flat=True))
            if row.machine_id not in ids:
                return Looked(Again("another run has this machine", after_s=AGAIN_S))
            if step is StepName.SOFTWARE:
                return Looked(Again(f"software run {software.start_within(run, ids).pk} begins", after_s=AGAIN_S))
            return _begin_tests(run, row, step, ids)
    except IntegrityError:
        return Looked(Again("another run has just taken one of the machines", after_s=AGAIN_S))


def _begin_tests(run: Run, row: RunMachine, step: StepName, ids: list[int]) -> Looked:
    kind, groups = run.gpu_tests, [ids]
    if step is StepName.FABRIC:
        way = way_of_run(run)
        come = batches.still_come(run, list(way.steps[: way.number(step)]))
        if come and len(ids) < ENOUGH:
            return Looked(Waits(f"for others of the run to be tested with; {come} come"))
        kind = PAIRS
        groups = [[*ids, partner] for partner in batches.idle_partners(row.machine)] if len(ids) == 1 else groups
    refused = "no other machine is free to be tested with"
    for group in groups:
        try:
            made = active.create(run.site_id, kind, group, by=run.created_by, reason=f"provisioning run {run.pk}")
        except active.ActiveRefused as error:
            refused = str(error)
            continue
        AcceptanceTest.objects.create(run=run, step=step.value, active_run=made)
        left = next((each["reason"] for each in made.left_out if each["machine_id"] == row.machine_id), "")
        return Looked(Again(left or f"active run {made.pk} begins", after_s=AGAIN_S))
    return Looked(Again(refused, after_s=AGAIN_S))


def cancel(run_id: int, *, actor: str) -> None:
    """End what was begun for the machines of a provisioning run that was cancelled as a whole."""
    opened = [state.value for state in OPEN_RUNS]
    for pk in SoftwareRun.objects.filter(part_of_id=run_id, status__in=opened).values_list("pk", flat=True):
        software.cancel(pk, actor=actor)
    tests = ActiveRun.objects.filter(acceptance_test__run_id=run_id, status__in=ActiveRun.OPEN)
    for pk in tests.values_list("pk", flat=True):
        with suppress(active.ActiveRefused):  # it has just ended
            active.cancel(pk, by=actor)
