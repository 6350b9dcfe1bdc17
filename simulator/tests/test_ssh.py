"""Real SSH sessions: asyncssh and OpenSSH against a running hall."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from simulator.hall import Hall
from simulator.tests.conftest import FAST, Connect, needs

pytestmark = pytest.mark.asyncio


async def test_a_probe_over_asyncssh_returns_the_whole_document(connect: Connect) -> None:
    async with connect() as session:
        done = await session.run("run 5 'nvidia-smi -q -x'\nrun 5 'ibstat'\nfinish\n", encoding=None)
    document = json.loads(done.stdout)
    assert document["complete"] is True
    assert [row["exit"] for row in document["outputs"]] == [0, 0]


async def test_openssh_logs_in_checks_the_host_key_and_gets_status_and_output(
    hall: Hall, user_key: asyncssh.SSHKey, tmp_path: Path
) -> None:
    machine = hall.machines["gpu0001"]
    user_key.write_private_key(tmp_path / "key")
    os.chmod(tmp_path / "key", 0o600)
    place, host_key = machine.plan.address, hall.host_key(machine).export_public_key().decode().strip()
    (tmp_path / "known").write_text(f"[{place}]:{machine.state.ssh_port} {host_key}\n")
    command = [
        needs("ssh"), "-F", "none", "-i", str(tmp_path / "key"), "-p", str(machine.state.ssh_port), "-o",
        "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", f"UserKnownHostsFile={tmp_path / 'known'}",
        f"rackside@{place}",
    ]  # fmt: skip
    for line, status, text in (("hostname", 0, "gpu0001\n"), ("nosuch", 127, "bash: nosuch: command not found\n")):
        process = await asyncio.create_subprocess_exec(*command, line, stdout=asyncio.subprocess.PIPE)
        out, _ = await asyncio.wait_for(process.communicate(), 20)
        assert (process.returncode, out.decode()) == (status, text)


async def test_every_machine_has_its_own_host_key(hall: Hall, connect: Connect) -> None:
    keys = []
    for name in ("gpu0001", "gpu0002"):
        async with connect(name) as session:
            presented = session.get_server_host_key()
            assert presented == hall.host_key(hall.machines[name]).convert_to_public()
            keys.append(presented)
    assert keys[0] != keys[1]


async def test_other_keys_and_users_are_refused(connect: Connect) -> None:
    for wrong in ({"client_keys": [asyncssh.generate_private_key("ssh-ed25519")]}, {"username": "mallory"}):
        with pytest.raises(asyncssh.PermissionDenied):
            await connect(**wrong)


async def test_a_person_can_type_line_after_line(connect: Connect) -> None:
    async with connect() as session, session.create_process(term_type="vt100") as shell:
        shell.stdin.write("hostname\n")
        shell.stdin.write("nvidia-smi -L | wc -l\n")
        shell.stdin.write("exit\n")
        seen = await asyncio.wait_for(shell.stdout.read(), 5)
    assert "root@gpu0001:~# " in seen
    assert "\n8" in seen.replace("\r", "")


async def test_a_reboot_typed_over_ssh_closes_the_session_and_comes_back_with_another_boot_id(
    hall: Hall, connect: Connect
) -> None:
    read = "cat /proc/sys/kernel/random/boot_id"
    async with connect() as session:
        before = (await session.run(read)).stdout
        await session.run("reboot")
        await asyncio.wait_for(session.wait_closed(), 3)
    with pytest.raises(ConnectionRefusedError):
        await connect()
    await asyncio.sleep(FAST.boot_s + 0.2)
    async with connect() as session:
        assert (await session.run(read)).stdout != before


async def test_a_gpu_reset_typed_over_ssh_is_kept(hall: Hall, connect: Connect) -> None:
    hall.inject(hall.machines["gpu0001"], "gpu_ecc", slot="GPU 2")
    async with connect() as session:
        done = await session.run("nvidia-smi --gpu-reset -i 2")
    assert "GPU 00000000:4C:00.0 was successfully reset." in done.stdout
    assert not hall.machines["gpu0001"].state.faults


async def test_a_power_limit_typed_over_ssh_is_kept_and_gone_with_the_next_start(hall: Hall, connect: Connect) -> None:
    machine = hall.machines["gpu0001"]
    limits = "nvidia-smi --query-gpu=power.limit --format=csv,noheader,nounits"
    async with connect() as session:
        refused = await session.run("nvidia-smi -pl 9000")
        done = await session.run("nvidia-smi -i 0 -pl 420 && nvidia-smi -i 3 -pl 500")
        told = str((await session.run(limits)).stdout).split()
    assert refused.exit_status == 255 and "between 200.00 W and 700.00 W" in str(refused.stdout)
    assert "was set to 420.00 W from 700.00 W" in str(done.stdout)
    assert told == ["420.0", "700.0", "700.0", "500.0", *["700.0"] * 4]
    hall.power(machine, "ForceRestart")
    assert machine.state.gpu_limits_w == {}


async def test_a_powered_off_or_unreachable_machine_refuses_connections(hall: Hall, connect: Connect) -> None:
    hall.power(hall.machines["gpu0001"], "ForceOff")
    with pytest.raises(ConnectionRefusedError):
        await connect()
    hall.inject(hall.machines["gpu0002"], "machine_unreachable")
    with pytest.raises(ConnectionRefusedError):
        await connect("gpu0002")
    hall.clear(hall.machines["gpu0002"])
    async with connect("gpu0002") as session:
        assert (await session.run("hostname")).stdout == "gpu0002\n"


async def test_a_hanging_machine_accepts_and_never_speaks(hall: Hall) -> None:
    machine = hall.machines["gpu0001"]
    hall.inject(machine, "machine_hang")
    reader, writer = await asyncio.open_connection(machine.plan.address, machine.state.ssh_port)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(reader.read(1), 0.5)
    hall.power(machine, "ForceRestart")
    assert await asyncio.wait_for(reader.read(1), 2) == b"", "a restart ends the hang"
    writer.close()
    assert not machine.state.faults


async def test_a_hanging_machine_does_not_use_up_the_open_files(hall: Hall) -> None:
    machine = hall.machines["gpu0001"]
    hall.inject(machine, "machine_hang")
    visits = [await asyncio.open_connection(machine.plan.address, machine.state.ssh_port) for _ in range(20)]
    assert await asyncio.wait_for(visits[0][0].read(1), 2) == b"", "the first visitor is let go"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(visits[-1][0].read(1), 0.2)
    for _, writer in visits:
        writer.close()


async def test_ssh_that_refuses_the_key(hall: Hall, connect: Connect) -> None:
    hall.inject(hall.machines["gpu0001"], "ssh_refuses")
    with pytest.raises(asyncssh.PermissionDenied):
        await connect()


async def test_a_hanging_command_never_ends(hall: Hall, connect: Connect) -> None:
    hall.inject(hall.machines["gpu0001"], "command_hangs")
    async with connect() as session:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.run("nvidia-smi"), 0.5)


async def test_binary_junk_arrives_as_bytes(hall: Hall, connect: Connect) -> None:
    hall.inject(hall.machines["gpu0001"], "binary_junk")
    async with connect() as session:
        done: Any = await session.run("hostname", encoding=None)
    assert len(done.stdout) == 4096
    assert done.stdout.count(0) < 64
