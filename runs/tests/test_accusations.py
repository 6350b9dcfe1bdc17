"""A verdict that names hardware becomes the machine's fault; nothing else touches a machine."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from health.machines.services.changes import changing
from health.models import Fault, FaultEvidence, Pool, Verification
from health.monitoring.judgement import Target
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation_store
from health.services import request_verification
from health.tests import factories as make
from inventory.models import Machine
from runs.causes.accusations import CHECK, SHOWS, SURE, Said, fault_class_of
from runs.causes.classes import CLASSES, HARDWARE
from runs.causes.faults import ENDS, SLOWS
from runs.models import RunRank, TrainingRun
from runs.services import judgement, proof
from runs.tests.test_reported_runs import KEY_ERROR, body, no_worker, post, token

__all__ = ["no_worker", "token"]
db = pytest.mark.django_db
ECC = "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
known_classes = st.none() | st.sampled_from([*ENDS, *SLOWS, "gpu.bus", "machine.unreachable"])


# ---- pure ----
@given(st.sampled_from(sorted(CLASSES)), st.sampled_from([None, True, False]), st.floats(0, 1), known_classes)
def test_software_user_scheduler_and_unknown_causes_accuse_no_machine(
    cause: str, hardware: bool | None, sure: float, known: str | None
) -> None:
    row = CLASSES[cause]
    found = fault_class_of(Said(cause, row.owner, hardware, sure), known)
    if row.owner != HARDWARE or hardware is not True or sure < SURE:
        assert found is None
    elif known is None:
        assert found == SHOWS.get(cause)
    else:
        assert found in (known, None)


@given(st.sampled_from(sorted(CLASSES)), known_classes)
def test_what_the_table_of_causes_does_not_call_broken_hardware_opens_nothing(cause: str, known: str | None) -> None:
    row = CLASSES[cause]
    if not (row.owner == HARDWARE and row.hardware is True):
        assert fault_class_of(Said(cause, row.owner, row.hardware, 1.0), known) is None


def test_what_opens_a_fault_is_broken_hardware_by_the_table_of_causes() -> None:
    assert all(CLASSES[cause].owner == HARDWARE and CLASSES[cause].hardware for cause in SHOWS)


# ---- with machines ----
def failed(token: str, error: str, *, key: str = "88213", attempt: int = 0, rank: int = 4, **more: Any) -> TrainingRun:
    said = body(ended=[{"rank": rank, "at": time.time() - 5, "error": error}], **more)
    said["run"] = said["run"] | {"id": key, "attempt": attempt}
    run = TrainingRun.objects.get(pk=post(token, said).json()["run"])
    judgement.judge_run(run.pk)
    run.refresh_from_db()
    return run


@db
def test_a_gpu_that_a_run_names_is_the_fault_of_its_machine_with_line_file_rank_and_run(token: str) -> None:
    run = failed(token, ECC)

    rank = RunRank.objects.get(run=run, rank=4)
    fault = Fault.objects.get()
    assert run.verdict["class"] == "cuda-ecc"
    assert (fault.machine_id, fault.slot, fault.fault_class) == (rank.machine_id, rank.slot, "gpu.memory")
    assert (fault.status, run.fault_id) == ("confirmed", fault.pk)
    evidence = fault.evidence.get()
    assert evidence.observed == {"run": run.pk, "rank": 4, "file": "rank 4", "line": 1, "class": "cuda-ecc"}
    assert "rank 4:1 RuntimeError: CUDA error: uncorrectable ECC" in evidence.excerpt
    assert evidence.message.startswith("Training run kestrel-405b: Rank 4")


@db
def test_the_machine_leaves_service_by_the_guards_of_any_other_fault(token: str) -> None:
    machines = list(Machine.objects.order_by("pk"))
    observation_store.record([make.look(machine, at=timezone.now()) for machine in machines])
    failed(token, ECC)
    assert Fault.objects.get().drain == "drained"
    assert [make.health(machine).state for machine in machines] == ["drained", "ready"]


@pytest.mark.slow
@db
def test_a_pool_in_audit_mode_keeps_the_machine_and_says_so(token: str) -> None:
    machines = list(Machine.objects.order_by("pk"))
    Pool.objects.update(automation="dry_run")
    observation_store.record([make.look(machine, at=timezone.now()) for machine in machines])
    failed(token, ECC)
    assert Fault.objects.get().drain == "dry_run"
    assert [make.health(machine).state for machine in machines] == ["ready", "ready"]


@db
def test_a_repeated_verdict_opens_nothing_twice_and_not_again_after_the_repair(token: str) -> None:
    run = failed(token, ECC)
    verdict = run.verdict
    judgement.judge_run(run.pk)
    run.refresh_from_db()
    assert run.verdict == verdict  # what it opened is no evidence of itself
    assert (Fault.objects.count(), FaultEvidence.objects.count()) == (1, 1)

    Fault.objects.update(status="cleared", cleared_at=timezone.now())
    judgement.judge_run(run.pk)
    assert (Fault.objects.count(), FaultEvidence.objects.count()) == (1, 1)


@pytest.mark.slow
@db
def test_the_next_attempt_that_fails_there_is_more_evidence_of_one_fault(token: str) -> None:
    runs = [failed(token, ECC, attempt=attempt) for attempt in range(3)]
    fault = Fault.objects.get()
    assert {run.fault_id for run in runs} == {fault.pk}
    assert [each.observed["run"] for each in fault.evidence.all()] == [run.pk for run in runs]


@pytest.mark.slow
@db
def test_what_health_saw_before_is_joined(token: str) -> None:
    said = body(ended=[{"rank": 4, "at": time.time() - 5, "error": ECC}])
    post(token, said)
    run, rank, now = TrainingRun.objects.get(), RunRank.objects.get(rank=4), timezone.now()
    assert rank.machine is not None
    known = Fault.objects.create(
        machine=rank.machine, slot=rank.slot, fault_class="gpu.bus", precedence=1, kind="event",
        message="Xid 79: fell off the bus", opened_at=now, seen_at=now, checks=["kernel.xid"],
    )  # fmt: skip

    judgement.judge_run(run.pk)

    run.refresh_from_db()
    assert (run.verdict["class"], run.fault_id, Fault.objects.count()) == ("gpu-lost", known.pk, 1)
    known.refresh_from_db()
    assert (known.status, known.checks) == ("confirmed", ["kernel.xid", CHECK])


@db
@pytest.mark.parametrize(
    "error",
    [
        KEY_ERROR,
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
        "RuntimeError: CUDA error: unspecified launch failure\n",
        "slurmstepd: error: *** JOB 88213 ON gpu-1 CANCELLED AT 2026-06-11T22:11:02 DUE TO TIME LIMIT ***\n",
        "something nobody knows\n",
    ],
)
def test_what_is_not_surely_hardware_touches_no_machine(error: str, token: str) -> None:
    run = failed(token, error)
    assert run.verdict is not None and run.fault_id is None
    assert not Fault.objects.exists()
    assert {make.health(rank.machine_id).state for rank in RunRank.objects.all() if rank.machine_id} == {"ready"}


@db
def test_a_line_that_names_another_machine_accuses_neither(token: str) -> None:
    line = "Jun 11 22:11:02 node-e07 kernel: NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.\n"
    run = failed(token, line)
    assert run.verdict["class"] == "gpu-lost"
    assert run.fault_id is None and not Fault.objects.exists()


@db
def test_hands_on_the_machine_and_a_machine_nobody_knows_open_nothing(token: str) -> None:
    machine = make.make_machines(1)[0]
    with changing(machine.pk, actor="olga") as change:
        change.health.state = "maintenance"
    assert failed(token, ECC, machine=machine.device.name).fault_id is None
    assert failed(token, ECC, key="2", machine="gone-17").fault_id is None
    assert not Fault.objects.exists()


@db
def test_a_run_has_nothing_against_a_repair_unless_another_one_fails_there(token: str) -> None:
    run = failed(token, ECC)
    fault = Fault.objects.get()
    now = timezone.now()
    asked = Verification(machine_id=fault.machine_id, requested_at=now)
    targets = [Target(fault.slot, frozenset(fault.checks))]
    (said,) = proof.since(asked, targets)
    assert (said.check, said.part, str(said.verdict)) == (CHECK, fault.slot, "ok")
    assert proof.since(asked, [Target("GPU 9", frozenset({"gpu.ecc"}))]) == []

    FaultEvidence.objects.update(at=now + timedelta(seconds=5))
    (said,) = proof.since(asked, targets)
    assert str(said.verdict) == "fail" and run.name in said.message


@pytest.mark.slow
@db
def test_a_repair_is_verified_by_the_checks_of_its_slot_and_the_machine_returns(token: str) -> None:
    machine = Machine.objects.order_by("pk")[0]
    observation_store.record([make.look(machine, at=timezone.now())])
    failed(token, ECC)
    fault = Fault.objects.get()
    asked = request_verification(machine.pk, fault_ids=[fault.pk], owner="ticket:REP-1", actor="olga")
    look = make.look(machine, at=timezone.now() + timedelta(seconds=1))
    assert verifications.decide(asked, look) == "passed"
    fault.refresh_from_db()
    assert (fault.status, make.health(machine).state) == ("cleared", "ready")
