"""The running hall: restarts, ports, limits, the schedule and the command itself."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import resource
import signal
import sys
from pathlib import Path

import asyncssh
import pytest

from simulator import hall as hall_module
from simulator import schedule
from simulator.faults import CATALOGUE
from simulator.hall import Hall, HallError, raise_file_limit
from simulator.machine.doors import Door, DoorError
from simulator.plan import HallPlan, sample_plan
from simulator.tests.conftest import FAST, free_slice


@pytest.mark.asyncio
async def test_everything_survives_a_restart(plan: HallPlan, tmp_path: Path) -> None:
    first = Hall(plan, tmp_path / "hall", timing=FAST)
    await first.start()
    one, two = first.machines["gpu0001"], first.machines["gpu0002"]
    first.inject(one, "gpu_off_bus", slot="GPU 4")
    first.replace(one, "GPU 1", serial="1650000000042")
    first.power(two, "ForceOff")
    one.state.led = "Blinking"
    first.settle(one)
    states = {name: machine.state.to_json() for name, machine in first.machines.items()}
    ports, key = first.endpoints(), first.host_key(one)
    await first.stop()

    second = Hall(plan, tmp_path / "hall", timing=FAST)
    await second.start()
    assert {name: machine.state.to_json() for name, machine in second.machines.items()} == states
    assert second.endpoints() == ports, "ports from the kernel stay"
    assert second.host_key(second.machines["gpu0001"]) == key
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(two.plan.address, two.state.ssh_port)
    await second.stop()


@pytest.mark.asyncio
async def test_a_boot_under_way_goes_on_after_a_restart(plan: HallPlan, tmp_path: Path) -> None:
    first = Hall(plan, tmp_path / "hall", timing=hall_module.Timing(boot_s=0.5))
    await first.start()
    first.power(first.machines["gpu0001"], "ForceRestart")
    await first.stop()
    second = Hall(plan, tmp_path / "hall", timing=FAST)
    await second.start()
    machine = second.machines["gpu0001"]
    assert machine.phase(second.clock()) == "booting"
    await asyncio.sleep(0.7)
    _, writer = await asyncio.open_connection(machine.plan.address, machine.state.ssh_port)
    writer.close()
    await second.stop()


@pytest.mark.asyncio
async def test_two_halls_run_side_by_side(tmp_path: Path) -> None:
    halls = [
        Hall(sample_plan(2, slice_number=free_slice() + n, ssh_port=2022, redfish_port=8443), tmp_path / str(n))
        for n in (60, 61)
    ]
    for hall in halls:
        await hall.start()
    assert halls[0].machines["gpu0001"].plan.address != halls[1].machines["gpu0001"].plan.address
    keys = [hall.host_key(hall.machines["gpu0001"]) for hall in halls]
    assert keys[0] != keys[1], "each has its own seed"
    for hall in halls:
        await hall.stop()


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.asyncio
async def test_two_thousand_machines_answer_in_one_process(tmp_path: Path, user_key: asyncssh.SSHKey) -> None:
    public = user_key.export_public_key().decode()
    plan = sample_plan(2000, slice_number=free_slice(), ssh_port=2022, redfish_port=8443, authorized_keys=(public,))
    hall = Hall(plan, tmp_path / "hall", timing=FAST)
    await hall.start()
    options = {"username": "root", "client_keys": [user_key], "known_hosts": None, "config": None}
    for machine in (plan.machines[0], plan.machines[-1]):
        async with asyncssh.connect(machine.address, 2022, **options) as session:
            assert (await session.run("hostname")).stdout == f"{machine.name}\n"
    await hall.stop()


@pytest.mark.asyncio
async def test_a_taken_address_says_what_to_do() -> None:
    place = f"127.{free_slice()}.200.1"
    first = Door(place, 0, lambda sock: sock.close())
    first.set(True)
    with pytest.raises(DoorError, match="another hall on this slice"):
        Door(place, first.port, lambda sock: sock.close()).set(True)
    first.set(False)
    assert not first.is_open
    with pytest.raises(DoorError, match=r"127\.0\.0\.0/8"):
        Door("192.0.2.1", 0, lambda sock: sock.close()).set(True)


def test_a_system_that_allows_too_few_files_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall_module.resource, "getrlimit", lambda what: (1024, 4096))
    with pytest.raises(HallError, match=r"2000 machines need 4512 open files .* ulimit -Hn 4512"):
        raise_file_limit(2000)


def test_a_low_limit_is_raised_when_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(hall_module.resource, "getrlimit", lambda what: (1024, 1_000_000))
    monkeypatch.setattr(hall_module.resource, "setrlimit", lambda what, limits: raised.append(limits))
    raise_file_limit(2000)
    assert raised == [(1_000_000, 1_000_000)]
    assert resource.RLIMIT_NOFILE >= 0


def test_one_seed_gives_one_sequence_of_faults() -> None:
    plan = sample_plan(20, bare=2)

    def first(seed: int, rate: float = 60.0) -> list[schedule.Planned]:
        return list(itertools.islice(schedule.planned(plan, seed, rate), 200))

    assert first(7) == first(7)
    assert first(7) != first(8)
    assert [item.at_s for item in first(7)] == sorted(item.at_s for item in first(7))
    assert first(7)[-1].at_s == pytest.approx(200 * 60, rel=0.25), "as often as was asked"
    for item in first(7):
        machine = plan.by_name[item.machine]
        assert not machine.bare
        assert CATALOGUE[item.fault].scheduled
        if item.slot:
            assert item.slot in machine.slots(CATALOGUE[item.fault].slot)
    assert list(schedule.planned(plan, 7, 0.0)) == []


@pytest.mark.asyncio
async def test_a_schedule_injects(hall: Hall) -> None:
    task = asyncio.create_task(schedule.run(hall, seed=3, faults_per_hour=3600 * 200.0))
    await asyncio.sleep(0.2)
    task.cancel()
    assert sum(len(machine.state.faults) for machine in hall.machines.values()) > 2
    assert not hall.machines["gpu0003"].state.faults, "bare machines are left alone"


@pytest.mark.slow
def test_the_command_says_when_it_is_ready_and_stops_on_sigterm(tmp_path: Path, user_key: asyncssh.SSHKey) -> None:
    async def scenario() -> tuple[int | None, str]:
        (tmp_path / "keys").write_text(user_key.export_public_key().decode())
        process = await asyncio.create_subprocess_exec(
            sys.executable, "manage.py", "hall", "--sample=2", f"--data={tmp_path / 'hall'}", "--ssh-port=0",
            f"--slice={free_slice() - 60}", "--redfish-port=0", f"--authorized-keys={tmp_path / 'keys'}",
            cwd=Path(__file__).resolve().parents[2], env=dict(os.environ), stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        seen = b""
        while b"hall ready" not in seen:
            line = await asyncio.wait_for(process.stdout.readline(), 40)
            assert line, "the hall ended before it was ready"
            seen += line
        place = json.loads((tmp_path / "hall" / "endpoints.json").read_text())["gpu0002"]
        options = {"username": "root", "client_keys": [user_key], "known_hosts": None, "config": None}
        async with asyncssh.connect(place["address"], place["ssh_port"], **options) as session:
            assert (await session.run("hostname")).stdout == "gpu0002\n"
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.communicate(), 10)
        return process.returncode, seen.decode()

    status, seen = asyncio.run(scenario())
    assert status == 0
    assert "hall ready: 2 machines\n" in seen
