"""Runs: who may be in one, how many at once, cancel, retry, and workers that vanish."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, connections, transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from access.tests.fleet import make_credentials, make_site
from inventory.models import Machine, Placement, Rack, Room
from provisioning import services, tasks
from provisioning.engines.contract import Finished, Looked
from provisioning.models import Run, RunMachine
from provisioning.services import leases, poll, probes
from provisioning.tests.world import OUR_KEY, BareMachine, Pump, bare, start_run

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., BareMachine]


@pytest.fixture
def quiet(pump: Pump) -> Pump:
    make_credentials(OUR_KEY)
    return pump


def take(run_machine_id: int) -> list[leases.Claim]:
    return leases.take(RunMachine.objects.filter(pk=run_machine_id), 1)


def running(run: Run) -> int:
    return run.machines.filter(status="running").count()


def test_the_limit_of_a_run_is_kept_and_room_is_filled_again(quiet: Pump) -> None:
    machines = [bare(f"gpu-{number:03}") for number in range(6)]
    run = start_run(*machines, limit=2)
    assert services.fill() == 2 and services.fill() == 0
    assert running(run) == 2
    services.cancel_machine(run.machines.filter(status="running").first().pk, actor="olga")
    assert services.fill() == 1 and running(run) == 2


def test_the_limit_of_all_runs_together_is_kept(quiet: Pump, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACKSIDE_PROVISION_LIMIT", "3")
    first = start_run(*[bare(f"gpu-{number:03}") for number in range(3)], limit=2)
    second = start_run(*[bare(f"gpu-{number:03}") for number in range(3, 6)], limit=2)
    assert services.fill() == 3
    assert {running(first), running(second)} == {1, 2}


def in_rack(name: str, machines: Sequence[Machine]) -> None:
    room = Room.objects.create(site=machines[0].device.site, name="R", width_mm=1, depth_mm=1)
    rack = Rack.objects.create(room=room, name=name, x_mm=0, y_mm=0, height_u=48)
    for number, machine in enumerate(machines):
        Placement.objects.create(device=machine.device, rack=rack, rack_height_u=48, side_slot=f"slot-{number}")


def test_a_rack_is_not_switched_on_together_and_others_go_on_meanwhile(
    quiet: Pump, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACKSIDE_PROVISION_RACK_LIMIT", "2")
    machines = [bare(f"gpu-{number:03}") for number in range(5)]
    in_rack("A01", machines[:4])
    run = start_run(*machines)
    assert services.fill() == 3
    started = set(run.machines.filter(status="running").values_list("machine__device__name", flat=True))
    assert started == {"gpu-000", "gpu-001", "gpu-004"}, "two of the rack, and the one beside it"
    services.cancel_machine(run.machines.get(machine=machines[0]).pk, actor="olga")
    assert services.fill() == 1 and run.machines.get(machine=machines[2]).status == "running"


def test_a_small_run_does_not_wait_for_the_whole_of_a_large_one(quiet: Pump, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACKSIDE_PROVISION_LIMIT", "4")
    large = start_run(*[bare(f"gpu-{number:03}") for number in range(8)])
    assert services.fill() == 4 and running(large) == 4
    small = start_run(bare("gpu-100"), bare("gpu-101"))
    for row in large.machines.filter(status="running")[:2]:
        services.cancel_machine(row.pk, actor="olga")
    assert services.fill() == 2
    assert (running(large), running(small)) == (2, 2)


def test_fillers_at_the_same_time_do_not_start_too_many(quiet: Pump) -> None:
    run = start_run(*[bare(f"gpu-{number:03}") for number in range(8)], limit=3)

    def fill() -> None:
        services.fill()
        connections.close_all()

    threads = [threading.Thread(target=fill) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert running(run) == 3


def test_a_machine_is_in_one_open_run_at_a_time(quiet: Pump) -> None:
    machine = bare("gpu-001")
    run = start_run(machine)
    with pytest.raises(services.RunRefused, match=f"already in run {run.pk}"):
        start_run(machine)
    assert Run.objects.count() == 1, "the refused run left nothing behind"
    with pytest.raises(IntegrityError), transaction.atomic():
        RunMachine.objects.create(run=Run.objects.create(site_id=run.site_id, created_by="x"), machine=machine)


def test_a_machine_in_service_is_refused_by_name(quiet: Pump) -> None:
    with pytest.raises(services.RunRefused) as refused:
        start_run(bare("gpu-001", "ready"), bare("gpu-002"))
    assert list(refused.value.reasons) == ["gpu-001"] and "ready" in refused.value.reasons["gpu-001"]


def test_a_run_has_one_site_and_at_least_one_existing_machine(quiet: Pump) -> None:
    with pytest.raises(services.RunRefused, match="one site"):
        start_run(bare("gpu-001"), bare("gpu-901", site=make_site("south")))
    with pytest.raises(services.RunRefused, match="none was chosen"):
        services.create_run([], actor="olga")
    with pytest.raises(services.RunRefused, match="no such machine"):
        services.create_run([999_999], actor="olga")


def test_without_an_ssh_key_a_run_is_refused_before_anything_is_installed(pump: Pump) -> None:
    with pytest.raises(services.RunRefused, match="no SSH key"):
        start_run(bare("gpu-001"))


@pytest.mark.parametrize("count", [1, 40])
def test_a_run_is_made_with_a_fixed_number_of_statements(
    count: int, quiet: Pump, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    machines = [bare(f"gpu-{number:03}") for number in range(count)]
    with django_assert_num_queries(19):
        start_run(*machines)


def test_cancelling_stops_at_once_and_what_a_worker_then_reports_is_dropped(quiet: Pump) -> None:
    machine = bare("gpu-001")
    run = start_run(machine)
    services.fill()
    row = run.machines.get()
    (claim,) = take(row.pk)
    assert services.cancel_run(run.pk, actor="olga") == 1
    assert poll.record(claim, Looked(Finished("too late"))) == "overtaken"
    row.refresh_from_db()
    run.refresh_from_db()
    machine.health.refresh_from_db()
    assert (row.status, run.status, machine.health.state) == ("cancelled", "cancelled", "new")


def test_a_machine_that_may_not_be_provisioned_any_more_leaves_the_run(quiet: Pump) -> None:
    machine = bare("gpu-001")
    run = start_run(machine)
    machine.health.state = "maintenance"
    machine.health.save()
    type(machine.health).objects.filter(pk=machine.pk).update(state="ready")
    services.fill()
    assert run.machines.get().status == "cancelled"


def test_two_workers_never_look_at_one_machine_at_the_same_time(quiet: Pump) -> None:
    run = start_run(bare("gpu-001"))
    services.fill()
    row = run.machines.get()
    assert len(take(row.pk)) == 1
    assert take(row.pk) == [] and not services.look()
    row.refresh_from_db()
    assert (row.status, row.steps.get(name="identity").looks) == ("running", 0), "the second found nothing to do"


def test_a_lost_worker_is_replaced_when_its_lease_is_over_and_given_up_after_six(quiet: Pump) -> None:
    run = start_run(bare("gpu-001"))
    services.fill()
    row = run.machines.get()
    for lost in range(leases.WORK.most or 0):
        assert take(row.pk), "the worker that is then lost"
        assert services.reap()[0] == []
        RunMachine.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert services.reap()[0] == [False], f"after {lost} lost workers"
    services.look()
    assert "6 workers were lost" in run.machines.get().failure_text


def test_who_lost_three_workers_is_looked_at_alone_before_the_others(
    quiet: Pump, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_run(bare("gpu-001"), bare("gpu-002"), bare("gpu-003"))
    services.fill()
    suspect = run.machines.order_by("pk")[1]
    run.machines.filter(pk=suspect.pk).update(lost_workers=leases.ALONE_FROM)
    at_once: list[list[int]] = []
    really = probes.Flight.landed

    def landed(flight: probes.Flight, wait_s: float) -> list[tuple[leases.Claim, Looked]]:
        at_once.append([claim.run_machine_id for claim in flight._tasks.values()])
        return really(flight, wait_s)

    monkeypatch.setattr(probes.Flight, "landed", landed)
    services.look()
    met = [ids for ids in at_once if ids]
    assert met[0] == [suspect.pk], "alone, and first"
    assert all(suspect.pk not in ids for ids in met if len(ids) > 1)


def test_the_reaper_also_fills_runs_whose_filler_was_lost(quiet: Pump) -> None:
    start_run(bare("gpu-001"))
    quiet.waiting.clear()
    assert services.reap() == ([], True)


def wait_for(what: Callable[[], bool], seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.1)


@pytest.mark.services
def test_a_run_resumes_after_its_worker_was_killed(bare_machine: Make, tmp_path: Path) -> None:
    """Real Celery workers: the first is killed with -9 while it talks to the BMC, the second goes on."""
    from config.celery import app

    with app.connection_for_write() as broker:
        broker.default_channel.client.delete("provision")
    database = connection.settings_dict["NAME"]
    url = f"postgres://{settings.DATABASES['default']['USER']}@/{database}"
    environment = {
        **os.environ,
        "RACKSIDE_DATABASE_URL": f"{url}?host={settings.DATABASES['default']['HOST']}",
        "RACKSIDE_BROKER_URL": settings.CELERY_BROKER_URL,
        "RACKSIDE_SECRET_KEY": settings.SECRET_KEY,
        "RACKSIDE_CREDENTIAL_KEYS": ",".join(settings.CREDENTIAL_KEYS),
    }

    def worker(name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "celery", "-A", "config", "worker", "-Q", "provision", "-n", name, "-c", "1"]
        with (tmp_path / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [*command, "--without-gossip", "--without-mingle"],
                env=environment,
                cwd=settings.BASE_DIR,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    machine = bare_machine()
    machine.bmc.slow_s = 5
    first = worker("first")
    second = None
    try:
        start_run(machine)
        wait_for(lambda: machine.run_machine.lease is not None and bool(machine.bmc.requests))
        os.killpg(first.pid, signal.SIGKILL)
        first.wait(10)
        machine.bmc.slow_s = 0
        row = machine.run_machine
        assert (row.status, row.step) == ("running", "identity") and row.lease is not None
        RunMachine.objects.update(lease_until=timezone.now())  # a minute passes
        second = worker("second")
        tasks.reap.apply_async()
        wait_for(lambda: machine.run_machine.step == "boot_script")
        assert machine.bmc.orders == ["ForceOff", "On"]
        assert machine.run_machine.lost_workers == 0, "counted per step"
    finally:
        for process in (first, second):
            if process is not None and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(10)
