"""SSH connections that stay open between two rounds: used while they live, renewed without a word when they do not."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import asyncssh
import pytest

from drivers.kept import Kept
from drivers.ssh import KeptSsh, Phase, SshFailureKind, kept_ssh, key_line, run_one
from drivers.tests.test_ssh import HOST_KEY, QUICK, Server, answer, kind, target


class Refusing:
    """A gate that was closed after the first round."""

    refuses = False

    def check(self, address: str, port: int) -> None:
        if self.refuses:
            raise OSError("the credential is not for this host any more")


class Machine:
    """A server that counts its logins, and can break what is open."""

    def __init__(self) -> None:
        self.port, self.logins = 0, 0
        self.open: list[asyncssh.SSHServerConnection] = []

    def server(self) -> asyncssh.SSHServer:
        machine = self

        class Counting(Server):
            def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
                machine.open.append(conn)

            def auth_completed(self) -> None:
                machine.logins += 1

        return Counting()


@asynccontextmanager
async def machine(host_key: asyncssh.SSHKey = HOST_KEY) -> AsyncIterator[Machine]:
    found = Machine()
    server = await asyncssh.create_server(
        found.server, "127.0.0.1", 0, server_host_keys=[host_key], process_factory=answer, encoding=None
    )
    async with server:
        found.port = server.sockets[0].getsockname()[1]
        yield found


@asynccontextmanager
async def room(most: int = 8) -> AsyncIterator[KeptSsh]:
    kept = kept_ssh(most)
    try:
        yield kept
    finally:
        await kept.close_all()


@pytest.mark.asyncio
async def test_the_second_round_asks_over_the_connection_of_the_first() -> None:
    async with machine() as there, room() as kept:
        for _ in range(3):
            result = await run_one(target(there.port), "uptime", QUICK, kept)
            assert result.failure is None and result.stdout == b"ran uptime"
            assert result.presented_key == key_line(HOST_KEY) and not result.first_contact
        assert there.logins == 1 and len(kept) == 1


@pytest.mark.asyncio
async def test_a_connection_that_is_kept_holds_on_to_no_task_and_so_to_no_answer() -> None:
    async with machine() as there, room() as kept:
        asking = asyncio.create_task(run_one(target(there.port), "uptime", QUICK, kept))
        assert (await asking).failure is None
        gone = weakref.ref(asking)
        del asking
        await asyncio.sleep(0)  # the loop itself has it until its turn is over
        gc.collect()
        assert gone() is None and len(kept) == 1


@pytest.mark.asyncio
async def test_a_first_contact_is_asked_over_the_same_connection_once_its_key_is_on_record() -> None:
    async with machine() as there, room() as kept:
        first = await run_one(target(there.port, known_host=None), "uptime", QUICK, kept)
        assert first.first_contact
        again = await run_one(target(there.port), "uptime", QUICK, kept)
        assert again.failure is None and there.logins == 1


@pytest.mark.asyncio
async def test_a_connection_that_the_machine_closed_is_renewed() -> None:
    async with machine() as there, room() as kept:
        await run_one(target(there.port), "uptime", QUICK, kept)
        there.open[0].abort()
        await asyncio.sleep(0.1)
        result = await run_one(target(there.port), "uptime", QUICK, kept)
        assert result.failure is None and result.stdout == b"ran uptime" and there.logins == 2


@pytest.mark.asyncio
async def test_a_connection_found_dead_only_when_it_is_used_is_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The peer neither answers nor closes, as behind a firewall that forgot the connection."""
    monkeypatch.setattr("drivers.ssh.KEPT_OPENS_S", 0.2)
    async with machine() as there, room() as kept:
        await run_one(target(there.port), "uptime", QUICK, kept)
        there.open[0]._transport.pause_reading()
        result = await run_one(target(there.port), "uptime", QUICK, kept)
        assert result.failure is None and result.stdout == b"ran uptime" and there.logins == 2


@pytest.mark.asyncio
async def test_a_machine_that_is_gone_is_told_as_one_that_was_never_connected() -> None:
    async with machine() as there, room() as kept:
        await run_one(target(there.port), "uptime", QUICK, kept)
        there.open[0].abort()
        port = there.port
    result = await run_one(target(port), "uptime", QUICK, kept)
    assert kind(result) is SshFailureKind.REFUSED


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_command_that_hangs_on_a_kept_connection_is_not_asked_twice() -> None:
    async with machine() as there, room() as kept:
        await run_one(target(there.port), "uptime", QUICK, kept)
        result = await run_one(target(there.port), "hang", QUICK, kept)
        assert kind(result) is SshFailureKind.COMMAND_TIMEOUT
        assert result.failure is not None and result.failure.timed_out is Phase.FIRST_OUTPUT
        assert there.logins == 1 and len(kept) == 0, "and the connection is not used again"


@pytest.mark.asyncio
async def test_what_breaks_off_half_way_is_a_failure_as_ever() -> None:
    async with machine() as there, room() as kept:
        await run_one(target(there.port), "uptime", QUICK, kept)
        asking = asyncio.create_task(run_one(target(there.port), "half", QUICK, kept))
        await asyncio.sleep(0.3)
        there.open[0].abort()
        assert kind(await asking) is not None and there.logins == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "changed",
    [
        {"username": "other"},
        {"address": "127.0.0.2"},
        {"machine_id": 2},
        {"private_key": "other"},
        {"known_host": key_line(asyncssh.generate_private_key("ssh-ed25519"))},
        {"known_host": "x y"},
        {"known_host": None},
    ],
    ids=["login", "address", "machine", "key", "host key", "host key that is none", "no host key"],
)
async def test_another_login_address_or_key_of_record_never_meets_the_old_connection(
    changed: dict[str, object],
) -> None:
    async with machine() as there, room() as kept:
        first = target(there.port, machine_id=1)
        await run_one(first, "uptime", QUICK, kept)
        another = replace(first, **changed)  # type: ignore[arg-type]
        result = await run_one(another, "uptime", QUICK, kept)
        assert len(there.open) == 2 or result.presented_key is None, "it is connected to anew, or not at all"
        assert (result.failure is None) == ("machine_id" in changed or another.known_host is None)
        if "known_host" in changed and another.known_host is not None:
            assert kind(result) is SshFailureKind.HOST_KEY_CHANGED


@pytest.mark.asyncio
async def test_a_gate_that_was_closed_meanwhile_is_asked_again() -> None:
    gate = Refusing()
    async with machine() as there, room() as kept:
        assert (await run_one(target(there.port, gate=gate), "uptime", QUICK, kept)).failure is None
        gate.refuses = True
        result = await run_one(target(there.port, gate=gate), "uptime", QUICK, kept)
        assert result.failure is not None and "not for this host" in str(result.failure) and len(kept) == 0


@pytest.mark.asyncio
async def test_a_login_is_renewed_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.kept.LIVES_S", 0.0)
    async with machine() as there, room() as kept:
        for _ in range(2):
            assert (await run_one(target(there.port), "uptime", QUICK, kept)).failure is None
        assert there.logins == 2


@pytest.mark.asyncio
async def test_a_cancelled_round_leaves_no_connection_open() -> None:
    async with machine() as there, room() as kept:
        await run_one(target(there.port), "uptime", QUICK, kept)
        asking = asyncio.create_task(run_one(target(there.port), "hang", QUICK, kept))
        await asyncio.sleep(0.2)
        asking.cancel()
        await asyncio.wait([asking])
        await asyncio.sleep(0.1)
        assert len(kept) == 0 and there.open[0].is_closed()


@pytest.mark.asyncio
async def test_more_than_there_is_room_for_are_closed() -> None:
    closed: list[int] = []
    kept: Kept[int] = Kept(2, is_open=lambda each: each not in closed, close=closed.append)
    for each in (1, 2, 3):
        await kept.give(("key", each), each)
    assert closed == [3] and len(kept) == 2
    assert await kept.take(("key", 3)) is None
    found = await kept.take(("key", 1))
    assert found is not None and found[0] == 1
    assert await kept.take(("key", 1)) is None, "one user at a time"
    closed.append(2)
    await kept.close_old()
    assert len(kept) == 0
