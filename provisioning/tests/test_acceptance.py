"""Base software, tests of GPUs and of links between the first login and the checks: who is tested together, and what
becomes of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from access.tests.fleet import first_contact, make_credentials
from fabric.tests.live_hall import live_hall
from health.diagnostics import services as active
from health.models import ActiveRun, CurrentVerdict, MachineHealth, Pool
from health.services import sync_machines
from health.tests import factories as make
from health.tests.hall import RunningHall, running_hall
from inventory.models import Machine
from provisioning.acceptance import verdicts
from provisioning.acceptance.choice import Acceptance
from provisioning.acceptance.step import look
from provisioning.acceptance.verdicts import Ended
from provisioning.engines import ENGINES, way_of
from provisioning.engines.contract import Again, Broken, Finished, Waits
from provisioning.models import AcceptanceTest, Run, RunMachine, SoftwareRun, Step
from provisioning.services import RunRefused, cancel_run, create_run
from provisioning.software import progress
from provisioning.steps import ACCEPTANCE, FailureClass, StepName
from provisioning.tests.software.test_runs import KEY, Ansible, ansible, done
from provisioning.tests.world import BareMachine, Pump

__all__ = ["ansible"]
_S = StepName
SEEN = {"checked_at": timezone.now(), "changed_at": timezone.now()}

# ---- the pure part ----


@given(st.sampled_from(sorted(ENGINES)), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_what_was_chosen_comes_in_its_order_right_before_the_checks(
    engine: str, bmc: bool, software: bool, tests: bool, fabric: bool
) -> None:
    plain = way_of(engine, bmc, [], "", False).steps
    steps = way_of(engine, bmc, ["time"] if software else [], "diagnostic" if tests else "", fabric).steps
    chosen = [step for step, on in zip(ACCEPTANCE, (software, tests, fabric), strict=True) if on]
    at = plain.index(_S.CHECKS)
    assert list(steps) == [*plain[:at], *chosen, *plain[at:]] and plain[at - 1] is _S.SSH


@pytest.mark.parametrize(
    ("tests", "why"),
    [
        ([("stress", "pass", "")], "copies was not run"),
        ([("stress", "pass", ""), ("copies", "pass", "")], ""),
        ([("stress", "fail", "GPU 3 differs"), ("copies", "pass", ""), ("stress", "pass", "")], ""),
        (
            [("stress", "fail", ""), ("copies", "pass", ""), ("stress", "fail", "GPU 3 differs")],
            "stress: GPU 3 differs",
        ),
        ([("stress", "pass", ""), ("copies", "unknown", "no nvbandwidth")], "copies: no nvbandwidth"),
        ([], "stress was not run"),
    ],
)
def test_a_machine_passes_by_the_last_test_of_each_kind_and_never_without_a_result(
    tests: Sequence[tuple[str, str, str]], why: str
) -> None:
    assert verdicts.why_not_passed([Ended(*each) for each in tests], ["stress", "copies"]) == why


def said(**more: Any) -> dict[str, Any]:
    return {"bad": [], "switches": {}, "undecided": {}, **more}


@pytest.mark.parametrize(
    ("conclusion", "words"),
    [
        ({}, "nothing was tested"),
        ({"mlx5_0 bandwidth": said()}, ""),
        ({"mlx5_0 bandwidth": said(bad=["gpu-2"])}, ""),
        ({"mlx5_0 bandwidth": said(), "mlx5_4 latency": said(bad=["gpu-1"])}, "mlx5_4 latency: it fails with two"),
        ({"mlx5_0 bandwidth": said(switches={"leaf-3": ["gpu-1", "gpu-9"]})}, "what is behind leaf-3 fails"),
        ({"mlx5_0 bandwidth": said(undecided={"gpu-1": "no result"})}, "not decided, no result"),
    ],
)  # fmt: skip
def test_links_pass_only_where_something_was_tested_and_nothing_is_open(conclusion: Any, words: str) -> None:
    why = verdicts.why_links_not_passed("gpu-1", conclusion)
    assert words in why and bool(why) == bool(words)


def test_a_missing_part_explains_a_test_that_fails() -> None:
    found = [{"check": "gpu.stress", "verdict": "fail", "message": ""}]
    assert verdicts.class_of(found, FailureClass.GPU_TESTS_FAILED) is FailureClass.GPU_TESTS_FAILED
    found.append({"check": "gpu.count", "verdict": "fail", "message": "7 of 8"})
    assert verdicts.class_of(found, FailureClass.GPU_TESTS_FAILED) is FailureClass.PART_MISSING
    late = {"check": "clock.offset", "verdict": "fail", "message": ""}
    assert verdicts.class_of([late], FailureClass.FABRIC_FAILED) is FailureClass.FABRIC_FAILED


# ---- with machines ----


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningHall]:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    make.make_machines(3)
    MachineHealth.objects.update(state="burn_in", pool=None)
    with running_hall("ams1", tmp_path) as running:
        yield running


def at_step(step: StepName, machines: Sequence[Machine], **fields: Any) -> list[RunMachine]:
    """Machines of one run that came to this step just now."""
    run = Run.objects.create(site=machines[0].device.site, status="running", created_by="olga", **fields)
    rows = [
        RunMachine.objects.create(run=run, machine=each, status="running", step=step, attempt=1) for each in machines
    ]
    for row in rows:
        Step.objects.create(run_machine=row, number=1, name=step.value, status="running", started_at=timezone.now())
    return rows


def again(row: RunMachine) -> None:
    """Another attempt comes to the step."""
    row.steps.update(started_at=timezone.now())


def machines() -> list[Machine]:
    return list(Machine.objects.select_related("device__site").order_by("pk"))


def to_the_end(run: ActiveRun) -> None:
    until = time.monotonic() + 100
    while active.advance(run.pk) in ("waiting", "running"):
        assert time.monotonic() < until, list(run.steps.values_list("kind", "status", "message"))
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.django_db
def test_all_that_wait_are_tested_by_one_run_and_each_is_told_of_its_own_gpus(hall: RunningHall) -> None:
    good, bad, _ = rows = at_step(_S.GPU_TESTS, machines(), gpu_tests="stress")
    name = bad.machine.device.name
    hall.do(lambda h: h.inject(h.machines[name], "gpu_wrong_math", slot="GPU 3"))
    for row in [*rows, *rows]:  # a look that comes twice begins nothing
        assert isinstance(look(_S.GPU_TESTS, row.pk).outcome, Again)
    test = AcceptanceTest.objects.get()
    assert test.active_run.machines.count() == 3 and test.active_run.requested_by == "olga"
    to_the_end(test.active_run)
    assert isinstance(look(_S.GPU_TESTS, good.pk).outcome, Finished)
    told = look(_S.GPU_TESTS, bad.pk)
    assert isinstance(told.outcome, Broken) and told.outcome.failure is FailureClass.GPU_TESTS_FAILED
    assert "stress" in told.outcome.detail and "stress:" in told.seen
    CurrentVerdict.objects.create(machine=bad.machine, check_id="gpu.count", part="machine", verdict="fail", **SEEN)
    found = look(_S.GPU_TESTS, bad.pk).outcome
    assert isinstance(found, Broken) and found.failure is FailureClass.PART_MISSING
    again(bad)
    assert isinstance(look(_S.GPU_TESTS, bad.pk).outcome, Again) and AcceptanceTest.objects.count() == 2


@pytest.mark.django_db
def test_who_cancels_the_run_ends_the_tests_that_it_began(hall: RunningHall) -> None:
    rows = at_step(_S.GPU_TESTS, machines(), gpu_tests="stress")
    look(_S.GPU_TESTS, rows[0].pk)
    test = AcceptanceTest.objects.get().active_run
    active.advance(test.pk)
    assert cancel_run(rows[0].run_id, actor="jan") == 3
    to_the_end(test)
    test.refresh_from_db()
    assert (test.status, test.cancelled_by) == ("cancelled", "jan") and test.steps.filter(status="running").count() == 0


@pytest.mark.django_db
def test_a_machine_that_may_not_be_loaded_says_why_and_holds_up_nobody(hall: RunningHall) -> None:
    first, second, third = at_step(_S.GPU_TESTS, machines(), gpu_tests="stress")
    MachineHealth.objects.filter(machine=second.machine).update(allocation="allocated")
    assert isinstance(look(_S.GPU_TESTS, first.pk).outcome, Again)
    refused = look(_S.GPU_TESTS, second.pk).outcome
    assert isinstance(refused, Again) and "a job runs on it" in refused.detail
    active.cancel(AcceptanceTest.objects.get().active_run_id, by="jan")
    to_the_end(AcceptanceTest.objects.get().active_run)
    ended = look(_S.GPU_TESTS, third.pk).outcome
    assert isinstance(ended, Broken) and "cancelled by jan" in ended.detail, "a test that was cancelled is not passed"


@pytest.mark.django_db
def test_links_wait_for_others_of_the_run_and_one_alone_takes_an_idle_machine(hall: RunningHall) -> None:
    alone, comes, idle = machines()
    row, late = at_step(_S.FABRIC, [alone, comes], fabric=True)
    RunMachine.objects.filter(pk=late.pk).update(step=_S.SSH)
    waits = look(_S.FABRIC, row.pk).outcome
    assert isinstance(waits, Waits) and "1 come" in waits.detail
    RunMachine.objects.filter(pk=late.pk).update(status="cancelled")
    nobody = look(_S.FABRIC, row.pk).outcome
    assert isinstance(nobody, Again) and "no other machine is free" in nobody.detail
    assert not AcceptanceTest.objects.exists(), "what is not tested is not passed"
    MachineHealth.objects.filter(machine=idle).update(state="ready", allocation="idle", pool=Pool.objects.first())
    begun = look(_S.FABRIC, row.pk).outcome
    assert isinstance(begun, Again) and "begins" in begun.detail, begun
    tested = AcceptanceTest.objects.get().active_run
    assert {each.machine_id for each in tested.machines.all()} == {alone.pk, idle.pk} and tested.kind == "pairs"


@pytest.mark.django_db
@pytest.mark.services
@pytest.mark.slow
def test_a_slow_cable_of_a_new_machine_fails_by_its_adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    with live_hall(tmp_path, monkeypatch) as hall:
        sync_machines()
        MachineHealth.objects.update(state="burn_in", pool=None)
        slow = hall.clock.seconds()
        hall.change(lambda wiring: wiring.trouble(hall.end("gpu-3 mlx5_4", 1), slow, width="1x"))
        chosen = Machine.objects.select_related("device__site").filter(
            device__name__in=["gpu-1", "gpu-2", "gpu-3", "gpu-4"]
        )
        rows = at_step(_S.FABRIC, list(chosen.order_by("pk")), fabric=True)
        look(_S.FABRIC, rows[0].pk)
        to_the_end(AcceptanceTest.objects.get().active_run)
        ended = {row.machine.device.name: look(_S.FABRIC, row.pk).outcome for row in rows}
    broken = ended.pop("gpu-3")
    assert isinstance(broken, Broken) and broken.failure is FailureClass.FABRIC_FAILED and "mlx5_4" in broken.detail
    assert all(isinstance(each, Finished) for each in ended.values()), ended


@pytest.mark.django_db
def test_base_software_goes_to_all_that_wait_and_names_the_role_that_failed(ansible: Ansible) -> None:
    make.make_machines(2)
    make_credentials()
    for number, machine in enumerate(machines()):
        Machine.objects.filter(pk=machine.pk).update(primary_ip=f"10.9.1.{number + 1}")
        first_contact(machine, KEY)
    MachineHealth.objects.update(state="burn_in")
    first, second = at_step(_S.SOFTWARE, machines(), software=["files", "slow"])
    begun = look(_S.SOFTWARE, first.pk).outcome
    assert isinstance(begun, Again) and "begins" in begun.detail
    waits = look(_S.SOFTWARE, second.pk).outcome
    assert isinstance(waits, Again) and "0 of 2 roles done" in waits.detail
    run = SoftwareRun.objects.get()
    assert (run.dry_run, run.part_of, run.machines.count()) == (False, first.run, 2)
    done(run)
    assert isinstance(look(_S.SOFTWARE, first.pk).outcome, Finished)
    assert MachineHealth.objects.filter(state="burn_in").count() == 2, "its provisioning run has it: nothing is drained"
    again(second)
    look(_S.SOFTWARE, second.pk)
    MachineHealth.objects.filter(machine=second.machine).update(state="new")  # its run was cancelled meanwhile
    assert progress.advance(SoftwareRun.objects.latest("pk").pk) != "played"
    left = look(_S.SOFTWARE, second.pk).outcome
    assert isinstance(left, Broken) and left.failure is FailureClass.SOFTWARE_FAILED
    assert "its provisioning run has it no more" in left.detail


# ---- runs ----


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_installed_machine_burns_in_while_it_is_tested_and_is_checked_afterwards(
    bare_machine: Callable[..., BareMachine], pump: Pump
) -> None:
    make.device_model()
    machine = bare_machine()
    run = create_run([machine.row.pk], actor="olga", acceptance=Acceptance(gpu_tests="diagnostic"))
    pump.run()
    machine.boot()
    pump.run()
    row = machine.run_machine
    assert (row.step, row.verification_id, machine.state) == ("gpu_tests", None, "burn_in")
    test = AcceptanceTest.objects.get(run=run).active_run
    test.steps.create(round=1, number=1, kind="diagnostic", machine_ids=[machine.row.pk], status="done", verdict="pass")
    ActiveRun.objects.filter(pk=test.pk).update(status="done")
    pump.run()
    machine.finish_checks(passed=True)
    pump.run()
    assert (machine.run_machine.status, machine.state) == ("done", "ready")


@pytest.mark.django_db
def test_a_run_has_what_the_site_wants_unless_it_says_otherwise(
    bare_machine: Callable[..., BareMachine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACKSIDE_PROVISION_SOFTWARE", "users,time")
    monkeypatch.setenv("RACKSIDE_PROVISION_GPU_TESTS", "stress")
    make.device_model()
    ids = [bare_machine(f"gpu-00{number}").row.pk for number in range(1, 4)]
    usual, other, adopted = (
        create_run(ids[:1], actor="olga"),
        create_run(ids[1:2], actor="olga", acceptance=Acceptance(software=[], gpu_tests="")),
        create_run(ids[2:], actor="olga", engine="adopt"),
    )
    assert [(run.software, run.gpu_tests) for run in (usual, other, adopted)] == [
        (["users", "time"], "stress"), ([], ""), ([], "stress"),
    ]  # fmt: skip
    names = usual.machines.get().steps.values_list("name", flat=True)
    assert list(names)[-5:] == ["ssh", "software", "gpu_tests", "checks", "ready"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("engine", "asked", "field", "words"),
    [
        ("redfish", Acceptance(software=["nonsense"]), "nonsense", "there is no such role"),
        ("redfish", Acceptance(gpu_tests="pairs"), "gpu_tests", "there is no check pairs"),
        ("adopt", Acceptance(software=["time"]), "software", "nothing is installed"),
        ("redfish", Acceptance(fabric=True), "gpu-001", "no InfiniBand adapter"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_begun(
    bare_machine: Callable[..., BareMachine], engine: str, asked: Acceptance, field: str, words: str
) -> None:
    model = make.device_model()
    for slot in model.spec["slots"]:
        slot["link_layer"] = "Ethernet" if slot["kind"] == "hca" else slot.get("link_layer")
    model.save()
    machine = bare_machine()
    with pytest.raises(RunRefused) as refused:
        create_run([machine.row.pk], actor="olga", engine=engine, acceptance=asked)
    assert words in refused.value.reasons[field] and not Run.objects.exists()
