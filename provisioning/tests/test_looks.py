"""What a look at a machine of a run writes: little while it only finds that it takes longer, and nothing of others."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.tests.fleet import make_credentials
from live.models import Event
from provisioning import services
from provisioning.engines.contract import Again, Broken, Finished, Looked
from provisioning.models import LogLine, Run, RunMachine, Step
from provisioning.services import leases, poll
from provisioning.services.leases import Claim
from provisioning.services.progress import changing
from provisioning.steps import STEPS, Failed, FailureClass, StepDeclaration, StepName
from provisioning.tests.world import OUR_KEY, Pump, bare, start_run

WAITS = Looked(Again("the machine is on its way"))


def claimed() -> Claim:
    RunMachine.objects.update(next_at=None)
    [claim] = leases.take(RunMachine.objects.all(), 1)
    return claim


@pytest.fixture
def run_machine(pump: Pump) -> RunMachine:
    make_credentials(OUR_KEY)
    start_run(bare("gpu-001", bmc_ip="10.9.2.1"))
    services.fill()
    return RunMachine.objects.get()


@pytest.mark.django_db
def test_a_look_that_finds_nothing_new_is_counted_without_a_lock_on_the_run_and_without_news(
    run_machine: RunMachine,
) -> None:
    assert poll.record(claimed(), WAITS) == "again"
    told, lines = Event.objects.count(), LogLine.objects.count()
    claim = claimed()
    with CaptureQueriesContext(connection) as captured:
        assert poll.record(claim, WAITS) == "again"
    assert not [query["sql"] for query in captured if "FOR UPDATE" in query["sql"]]
    assert (Event.objects.count(), LogLine.objects.count()) == (told, lines)
    assert Step.objects.get(name="identity").looks == 2
    run_machine.refresh_from_db()
    assert (run_machine.lease, run_machine.silent_looks) == (None, 0)
    assert run_machine.next_at is not None and run_machine.next_at > timezone.now()


@pytest.mark.django_db
def test_a_look_under_a_lease_that_was_lost_changes_nothing(run_machine: RunMachine) -> None:
    poll.record(claimed(), WAITS)
    claim, others = claimed(), uuid4()
    RunMachine.objects.update(lease=others)
    assert poll.record(claim, WAITS) == "overtaken"
    assert RunMachine.objects.get().lease == others and Step.objects.get(name="identity").looks == 1


@pytest.mark.django_db
def test_one_look_without_an_answer_does_not_end_a_step_whose_time_is_over_and_the_second_does(
    run_machine: RunMachine,
) -> None:
    for _ in range(4):
        poll.record(claimed(), WAITS)
    Step.objects.filter(name="identity").update(deadline_at=timezone.now() - timedelta(seconds=1))
    silent = Looked(Again("no answer within 10 s"), silent=True)
    assert poll.record(claimed(), silent) == "again"
    assert poll.record(claimed(), silent) == "late"
    assert RunMachine.objects.get().failure_class == "no_bmc"


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step_is_late_after_its_time_and_its_looks_unless_only_the_last_one_got_no_answer(
    step: StepDeclaration,
) -> None:
    assert step.is_late(time_is_over=True, looks=step.looks)
    assert step.is_late(time_is_over=True, looks=step.looks, silent=2)
    assert not step.is_late(time_is_over=True, looks=step.looks, silent=1)
    assert not step.is_late(time_is_over=False, looks=99)
    assert not step.is_late(time_is_over=True, looks=step.looks - 1)


@pytest.mark.django_db
def test_a_machine_that_goes_on_to_its_next_step_locks_no_run_and_one_that_ends_does(run_machine: RunMachine) -> None:
    def runs_locked(looked: Looked) -> int:
        claim = claimed()
        with CaptureQueriesContext(connection) as captured:
            poll.record(claim, looked)
        return sum('FROM "provisioning_run" ' in query["sql"] and "FOR UPDATE" in query["sql"] for query in captured)

    assert runs_locked(Looked(Finished("it is the machine"))) == 0
    assert RunMachine.objects.get().step == "boot_override"
    assert runs_locked(Looked(Broken(FailureClass.BMC_REFUSES, "401"))) == 1
    assert Run.objects.get().status == "failed"


@pytest.mark.django_db
def test_a_machine_that_ends_where_nobody_expected_it_still_ends_its_run(run_machine: RunMachine) -> None:
    with changing(run_machine.pk, lock_run=False) as progress:
        progress.apply(Failed(StepName.IDENTITY, FailureClass.INSTALL_DISK), "no disk")
    assert Run.objects.get().status == "failed"
