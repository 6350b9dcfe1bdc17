"""Hosts that keep whoever connected waiting: each stops where it is told to, and goes on when cleared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import asyncssh
import pytest

from simulator.faults import FaultError
from simulator.hall import Hall
from simulator.tests.conftest import Bmc, Connect

pytestmark = pytest.mark.asyncio
SYSTEM = "/redfish/v1/Systems/System.Embedded.1"


def stall(hall: Hall, name: str, at: str) -> Any:
    machine = hall.machines["gpu0001"]
    hall.inject(machine, name, params={"at": at})
    return machine


async def test_ssh_that_stops_after_its_banner(hall: Hall) -> None:
    machine = stall(hall, "ssh_stalls", "banner")
    reader, writer = await asyncio.open_connection(machine.plan.address, machine.state.ssh_port)
    writer.write(b"SSH-2.0-test\r\n")
    assert (await asyncio.wait_for(reader.readline(), 2)).startswith(b"SSH-2.0-")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(reader.read(1), 0.4)
    writer.close()


async def test_ssh_that_never_answers_the_login_and_does_when_cleared(hall: Hall, connect: Connect) -> None:
    machine = stall(hall, "ssh_stalls", "login")
    login = asyncio.create_task(connect().__aenter__())
    done, _ = await asyncio.wait({login}, timeout=0.5)
    assert not done
    hall.clear(machine)
    (await asyncio.wait_for(login, 3)).abort()


@pytest.mark.slow
@pytest.mark.parametrize(("at", "least", "most"), [("output", 0, 0), ("half", 2, 4), ("trickle", 1, 2)])
async def test_a_command_that_prints_nothing_half_or_a_letter_a_second(
    at: str, least: int, most: int, hall: Hall, connect: Connect
) -> None:
    stall(hall, "ssh_stalls", at)
    async with connect() as session:
        process: asyncssh.SSHClientProcess[str] = await session.create_process("hostname")
        seen = ""
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.4):
                while True:
                    seen += await process.stdout.read(100)
                    await asyncio.sleep(0.05)
    assert least <= len(seen) <= most and "gpu0001\n".startswith(seen)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["tcp", "http", "trickle"])
async def test_a_bmc_that_is_connected_and_never_answers(at: str, hall: Hall, bmc: Callable[[str], Bmc]) -> None:
    machine = stall(hall, "bmc_stalls", at)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(bmc("gpu0001")("GET", SYSTEM), 0.8)
    assert (await bmc("gpu0002")("GET", SYSTEM))[0] == 200, "the others answer"
    hall.clear(machine)
    assert (await asyncio.wait_for(bmc("gpu0001")("GET", SYSTEM), 3))[0] == 200


async def test_an_order_that_nobody_waited_for_is_not_carried_out_later(hall: Hall, bmc: Callable[[str], Bmc]) -> None:
    machine = stall(hall, "bmc_stalls", "http")
    with pytest.raises(TimeoutError):
        path = f"{SYSTEM}/Actions/ComputerSystem.Reset"
        await asyncio.wait_for(bmc("gpu0001")("POST", path, json={"ResetType": "ForceOff"}), 0.5)
    hall.clear(machine)
    await asyncio.sleep(0.3)
    assert machine.state.power == "on"


async def test_a_place_that_is_none_is_refused_and_changes_nothing(machine: Any) -> None:
    from simulator.faults import inject

    with pytest.raises(FaultError, match="banner, login"):
        inject(machine, "ssh_stalls", 0, params={"at": "somewhere"})
    assert not machine.state.faults
