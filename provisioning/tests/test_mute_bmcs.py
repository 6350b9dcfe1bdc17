"""BMCs that take a connection and never answer hold up nobody else: real Redfish of the virtual hall."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from health.models import MachineHealth
from health.tests import factories as make
from health.tests.hall import RunningHall, running_hall
from inventory.models import Machine
from provisioning import services
from provisioning.engines import redfish
from provisioning.models import Run, RunMachine, Step
from provisioning.services import leases
from provisioning.steps import BY_NAME, StepName
from provisioning.tests.world import Pump

pytestmark = pytest.mark.django_db(transaction=True)

MACHINES, MUTE = 20, 8
PATIENCE_S = 200


@pytest.fixture(autouse=True)
def by_hand(pump: Pump) -> None:
    """Nothing runs by itself."""


@pytest.fixture
def fleet() -> list[Machine]:
    machines = make.make_machines(MACHINES)
    for machine in machines:
        machine.device.serial = f"TAG{machine.pk:05}"
        machine.device.save()
        machine.boot_mac = f"02:00:00:00:{machine.pk // 256 % 256:02x}:{machine.pk % 256:02x}"
        machine.save()
    MachineHealth.objects.update(state="new")
    return machines


@pytest.fixture
def hall(fleet: list[Machine], tmp_path: Path) -> Iterator[RunningHall]:
    with running_hall("ams1", tmp_path) as running:
        yield running


def silence(hall: RunningHall, machines: Sequence[Machine]) -> None:
    """Each takes connections; every other one makes TLS too, and one answers a byte a second."""
    for number, machine in enumerate(machines):
        at = "trickle" if number == 0 else ("tcp", "http")[number % 2]
        hall.do(lambda h, m=machine, at=at: h.inject(h.machines[m.device.name], "bmc_stalls", params={"at": at}))


def install(machines: Sequence[Machine], limit: int = MACHINES) -> Run:
    run = services.create_run([machine.pk for machine in machines], actor="olga", limit=limit)
    services.fill()
    return run


def drive(until: Callable[[], bool]) -> float:
    """Look with the workers of the machines that answer, as they do, until something is reached; seconds.

    Beside a busy processor a good BMC may miss its time as well; it is then looked at as the service does, apart.
    """
    began, turns = time.monotonic(), 0
    while not until():
        assert time.monotonic() - began < PATIENCE_S, list(RunMachine.objects.values_list("step", "silent_looks"))
        turns += 1
        services.look()
        if turns % 50 == 0:
            services.look(slow=True)
        time.sleep(0.1)
    return time.monotonic() - began


def reached(run: Run, count: int) -> bool:
    return run.machines.filter(step="boot_script").count() == count


def looks_of(run: Run) -> set[int]:
    """How many looks the steps at the BMC took, of the machines that are through with them."""
    steps = Step.objects.filter(run_machine__run=run, run_machine__step="boot_script", number__lte=2)
    return set(steps.values_list("looks", flat=True))


def last_reached_s(run: Run) -> float:
    """Seconds from the run's start until the last good machine was on, as recorded."""
    steps = Step.objects.filter(run_machine__run=run, name="boot_script").exclude(started_at=None)
    return max((step.started_at - run.created_at).total_seconds() for step in steps if step.started_at)


@pytest.mark.slow
def test_twelve_good_machines_of_twenty_go_on_as_if_the_eight_mute_were_not_there(
    fleet: list[Machine], hall: RunningHall
) -> None:
    alone = install(fleet[MUTE:])
    drive(lambda: reached(alone, MACHINES - MUTE))
    before_s, before = last_reached_s(alone), looks_of(alone)
    services.cancel_run(alone.pk, actor="olga")
    MachineHealth.objects.update(state="new")

    silence(hall, fleet[:MUTE])
    run = install(fleet)  # the mute come first
    drive(lambda: reached(run, MACHINES - MUTE))
    assert max(looks_of(run)) <= max(before), "no look of a good machine was lost to a mute one"
    one_by_one_s = MUTE * redfish.REQUEST_TIMEOUT_S
    assert last_reached_s(run) < max(3 * before_s, one_by_one_s), "as long as the mute ones alone, one after the other"

    drive(lambda: run.machines.filter(silent_looks__gt=0).count() == MUTE)
    RunMachine.objects.update(next_at=timezone.now())
    visits = hall.do(lambda h: h.requests["redfish"])
    services.look()
    assert hall.do(lambda h: h.requests["redfish"]) == visits, "the workers of those that answer ask none of the mute"
    assert set(run.machines.filter(silent_looks=1).values_list("machine_id", flat=True)) == {
        machine.pk for machine in fleet[:MUTE]
    }


@pytest.mark.slow
def test_machines_that_are_silent_from_the_start_take_nobodys_room_in_the_run(
    fleet: list[Machine], hall: RunningHall
) -> None:
    silence(hall, fleet[:MUTE])
    run = install(fleet, limit=MUTE)
    assert run.machines.filter(status="running").count() == MUTE
    drive(lambda: reached(run, MUTE))
    assert run.machines.filter(status="waiting").count() == MACHINES - 2 * MUTE, "the limit holds for the others"

    hall.do(lambda h: [h.clear(machine) for machine in h.machines.values()])
    RunMachine.objects.filter(silent_looks__gt=0).update(next_at=timezone.now())
    services.look(slow=True)
    steps = set(run.machines.filter(machine__in=fleet[:MUTE]).values_list("step", flat=True))
    assert steps == {"identity"}, "one that answers again waits for room"
    said = Step.objects.filter(run_machine__machine=fleet[0], name="identity").get()
    assert "waits for room" in said.detail
    for row in run.machines.filter(step="boot_script"):
        services.cancel_machine(row.pk, actor="olga")
    services.fill()
    RunMachine.objects.filter(silent_looks__gt=0).update(next_at=timezone.now())
    services.look(slow=True)
    drive(lambda: run.machines.filter(status="running", step="boot_script").count() >= 1)


@pytest.mark.slow
def test_a_mute_bmc_fails_after_its_looks_and_its_time_and_not_by_time_that_nobody_looked_in(
    fleet: list[Machine], hall: RunningHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redfish, "REQUEST_TIMEOUT_S", 0.5)
    silence(hall, fleet[1:2])
    run = install(fleet[1:2])
    services.look()
    hours_ago = timezone.now() - timedelta(hours=3)
    Step.objects.filter(name="identity").update(started_at=hours_ago, deadline_at=hours_ago + timedelta(minutes=2))
    for number in range(2, BY_NAME[StepName.IDENTITY].looks):
        RunMachine.objects.update(next_at=timezone.now())
        services.look(slow=True)
        row = run.machines.get()
        assert (row.status, row.silent_looks) == ("running", number), "its workers were away, not its BMC"
        assert row.next_at is not None and row.next_at > timezone.now(), "it is not asked in a tight loop"
    RunMachine.objects.update(next_at=timezone.now())
    services.look(slow=True)
    row = run.machines.get()
    assert (row.status, row.failure_class) == ("failed", "no_bmc") and "no answer in time" in row.failure_text


@pytest.mark.slow
def test_one_look_claims_all_that_are_due_in_a_fixed_number_of_queries(
    fleet: list[Machine], hall: RunningHall, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    install(fleet)
    RunMachine.objects.filter(status="running").update(next_at=timezone.now())
    with django_assert_num_queries(9):
        assert len(leases.take(RunMachine.objects.all(), MACHINES)) == MACHINES
