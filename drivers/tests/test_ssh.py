"""The SSH fan-out against real servers: asyncssh's own and, where it is installed, OpenSSH's sshd."""

from __future__ import annotations

import asyncio
import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import asyncssh
import pytest

from drivers.ssh import (
    Limits,
    Phase,
    SshFailureKind,
    SshResult,
    SshTarget,
    key_fingerprint,
    key_line,
    public_line,
    run_many,
    run_one,
)

CLIENT_KEY = asyncssh.generate_private_key("ssh-ed25519")
CLIENT_TEXT = CLIENT_KEY.export_private_key().decode()
HOST_KEY = asyncssh.generate_private_key("ssh-ed25519")
QUICK = Limits(connect_timeout_s=1.5, login_timeout_s=3, command_timeout_s=1.5, output_cap_bytes=100_000)

Handler = Callable[[asyncssh.SSHServerProcess], Awaitable[None]]


class Server(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return username == "rackside" and key_line(key) == key_line(CLIENT_KEY)


async def answer(process: asyncssh.SSHServerProcess) -> None:
    command = process.command or ""
    if command == "repeat":
        process.stdout.write(await process.stdin.read())
    elif command == "hang":
        await asyncio.sleep(60)
    elif command == "half":
        process.stdout.write(b"half")
        await asyncio.sleep(60)
    elif command == "trickle":
        for _ in range(60):
            process.stdout.write(b".")
            await asyncio.sleep(0.1)
    elif command == "linger":
        process.stdout.write(b"said")
        await asyncio.sleep(0.7)
    elif command == "flood":
        for _ in range(2000):
            process.stdout.write(b"x" * 65536)
            await process.stdout.drain()
    elif command == "binary":
        process.stdout.write(bytes(range(256)))
        process.stderr.write(b"warned")
    else:
        process.stdout.write(f"ran {command}".encode())
    process.exit(3 if command == "fail" else 0)


@asynccontextmanager
async def ssh_server(host_key: asyncssh.SSHKey = HOST_KEY, **options: object) -> AsyncIterator[int]:
    server = await asyncssh.create_server(
        Server, "127.0.0.1", 0, server_host_keys=[host_key], process_factory=answer, encoding=None, **options
    )
    async with server:
        yield server.sockets[0].getsockname()[1]


def target(port: int, **changes: object) -> SshTarget:
    fields: dict[str, object] = {
        "address": "127.0.0.1",
        "port": port,
        "username": "rackside",
        "private_key": CLIENT_TEXT,
        "known_host": key_line(HOST_KEY),
    }
    return SshTarget(**(fields | changes))  # type: ignore[arg-type]


async def run_on(port: int, command: str = "uptime", **changes: object) -> SshResult:
    return await run_one(target(port, **changes), command, QUICK)


def kind(result: SshResult) -> SshFailureKind | None:
    return result.failure.kind if result.failure else None


@pytest.mark.asyncio
async def test_what_is_told_comes_on_the_standard_input_and_nothing_else_does() -> None:
    async with ssh_server() as port:
        told = await run_one(target(port), "repeat", QUICK, told=b"secret" * 10_000)
        silent = await run_one(target(port), "repeat", QUICK)
    assert told.failure is None and told.stdout == b"secret" * 10_000, told.failure
    assert silent.failure is None and silent.stdout == b""


@pytest.mark.asyncio
async def test_a_machine_with_its_known_key_answers() -> None:
    async with ssh_server() as port:
        result = await run_on(port)
    assert result.failure is None and result.stdout == b"ran uptime" and result.exit_status == 0
    assert not result.first_contact


@pytest.mark.asyncio
async def test_first_contact_returns_the_presented_key_for_recording() -> None:
    async with ssh_server() as port:
        result = await run_on(port, known_host=None)
    assert result.failure is None and result.first_contact
    assert result.presented_key == key_line(HOST_KEY)
    assert key_fingerprint(result.presented_key).startswith("SHA256:")


@pytest.mark.asyncio
async def test_a_changed_host_key_is_its_own_error_and_nothing_runs() -> None:
    other = asyncssh.generate_private_key("ssh-ed25519")
    async with ssh_server(other) as port:
        result = await run_on(port)
    assert kind(result) is SshFailureKind.HOST_KEY_CHANGED
    assert result.presented_key == key_line(other) and result.stdout == b""
    assert key_fingerprint(key_line(other)) in str(result.failure)


@pytest.mark.asyncio
async def test_a_host_key_of_another_kind_is_a_changed_key() -> None:
    async with ssh_server(asyncssh.generate_private_key("ecdsa-sha2-nistp256")) as port:
        assert kind(await run_on(port)) is SshFailureKind.HOST_KEY_CHANGED


@pytest.mark.asyncio
async def test_a_key_on_record_as_rsa_is_asked_for_first() -> None:
    rsa = asyncssh.generate_private_key("ssh-rsa", key_size=2048)
    server = await asyncssh.create_server(
        Server, "127.0.0.1", 0, server_host_keys=[HOST_KEY, rsa], process_factory=answer, encoding=None
    )
    async with server:
        result = await run_on(server.sockets[0].getsockname()[1], known_host=key_line(rsa))
    assert result.failure is None and result.presented_key == key_line(rsa)


@pytest.mark.asyncio
async def test_a_denied_login_is_told_apart_and_its_key_is_not_a_first_contact() -> None:
    async with ssh_server() as port:
        result = await run_on(port, username="nobody", known_host=None)
    assert kind(result) is SshFailureKind.AUTH_DENIED and not result.first_contact


@pytest.mark.asyncio
async def test_a_closed_port_is_refused_at_once() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    started = time.monotonic()
    assert kind(await run_on(port)) is SshFailureKind.REFUSED
    assert time.monotonic() - started < 1


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_server_that_accepts_and_never_speaks_ends_with_the_connect_time() -> None:
    server = await asyncio.start_server(lambda reader, writer: asyncio.sleep(30), "127.0.0.1", 0)
    started = time.monotonic()
    result = await run_on(server.sockets[0].getsockname()[1])
    server.close()
    assert kind(result) is SshFailureKind.NO_BANNER
    assert 1 < time.monotonic() - started < 3


@pytest.mark.asyncio
async def test_junk_instead_of_a_banner_is_a_protocol_error() -> None:
    async def junk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-1.0-ancient\r\n" + os.urandom(64))
        await writer.drain()

    server = await asyncio.start_server(junk, "127.0.0.1", 0)
    result = await run_on(server.sockets[0].getsockname()[1])
    server.close()
    assert kind(result) is SshFailureKind.PROTOCOL


@pytest.mark.asyncio
async def test_a_connection_closed_before_the_banner_is_no_banner() -> None:
    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(close, "127.0.0.1", 0)
    result = await run_on(server.sockets[0].getsockname()[1])
    server.close()
    assert kind(result) is SshFailureKind.NO_BANNER


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_command_that_hangs_ends_with_its_own_time_out() -> None:
    async with ssh_server() as port:
        started = time.monotonic()
        result = await run_on(port, "hang")
    assert kind(result) is SshFailureKind.COMMAND_TIMEOUT and result.logged_in
    assert time.monotonic() - started < 4


@pytest.mark.asyncio
async def test_output_over_the_cap_is_cut_off_early() -> None:
    async with ssh_server() as port:
        result = await run_on(port, "flood")
    assert kind(result) is SshFailureKind.OUTPUT_TOO_LARGE and result.stdout == b""


@pytest.mark.asyncio
async def test_binary_output_and_exit_status_come_back_unchanged() -> None:
    async with ssh_server() as port:
        binary = await run_on(port, "binary")
        failed = await run_on(port, "fail")
    assert binary.stdout == bytes(range(256)) and binary.stderr == b"warned"
    assert failed.failure is None and failed.exit_status == 3


@pytest.mark.asyncio
async def test_a_machine_without_address_or_key_says_so() -> None:
    assert "no address" in str((await run_on(22, address="")).failure)
    assert "no SSH key" in str((await run_on(22, private_key="")).failure)


@pytest.mark.asyncio
async def test_a_broken_private_key_is_our_own_fault_not_the_machines() -> None:
    async with ssh_server() as port:
        result = await run_on(port, private_key="not a key")
    assert kind(result) is SshFailureKind.OTHER and "our own key" in str(result.failure)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_of_511_machines_30_hang_20_refuse_10_are_mute_and_451_answer() -> None:
    mute = await asyncio.start_server(lambda reader, writer: asyncio.sleep(30), "127.0.0.1", 0)
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        closed = sock.getsockname()[1]
    mute_port = mute.sockets[0].getsockname()[1]
    async with ssh_server() as good, ssh_server() as hanging:
        ports = [good] * 451 + [closed] * 20 + [mute_port] * 10
        targets = [target(port, name=f"m{index}") for index, port in enumerate(ports)]
        hung = [target(hanging, name=f"h{index}") for index in range(30)]
        started = time.monotonic()
        results = [r async for r in run_many(targets, "uptime", concurrency=64, limits=Limits(connect_timeout_s=3))]
        results += [r async for r in run_many(hung, "hang", concurrency=64, limits=Limits(command_timeout_s=2))]
        elapsed = time.monotonic() - started
    mute.close()
    counts = {name: sum(kind(result) is name for result in results) for name in {kind(result) for result in results}}
    assert counts == {
        None: 451,
        SshFailureKind.REFUSED: 20,
        SshFailureKind.NO_BANNER: 10,
        SshFailureKind.COMMAND_TIMEOUT: 30,
    }
    assert len({result.target.name for result in results}) == 511
    assert elapsed < 60


@pytest.mark.asyncio
async def test_concurrency_is_bounded() -> None:
    now = most = 0

    async def counted(process: asyncssh.SSHServerProcess) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.05)
        now -= 1
        process.exit(0)

    server = await asyncssh.create_server(
        Server, "127.0.0.1", 0, server_host_keys=[HOST_KEY], process_factory=counted, encoding=None
    )
    async with server:
        targets = [target(server.sockets[0].getsockname()[1])] * 20
        results = [result async for result in run_many(targets, "x", concurrency=4)]
    assert most <= 4 and all(result.failure is None for result in results)


def test_a_public_line_has_no_comment() -> None:
    assert public_line(CLIENT_TEXT) == key_line(CLIENT_KEY)
    assert len(public_line(CLIENT_TEXT).split()) == 2


def test_a_private_key_is_not_shown_by_repr() -> None:
    assert "PRIVATE" not in repr(target(22))


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[tuple[int, str]]:
    """A real OpenSSH server of this user on a free port; gives the port and its host key line."""
    binary = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert binary, "openssh-server is needed for this test"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "host"], check=True)
    (tmp_path / "authorized").write_text(public_line(CLIENT_TEXT) + "\n")
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    config = tmp_path / "sshd_config"
    config.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/host\nAuthorizedKeysFile {tmp_path}/authorized\n"
        f"PidFile {tmp_path}/pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    process = subprocess.Popen([binary, "-D", "-e", "-f", str(config)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port, " ".join((tmp_path / "host.pub").read_text().split()[:2])
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.asyncio
async def test_openssh_runs_the_script_text_itself(sshd: tuple[int, str]) -> None:
    port, host_key = sshd
    user = getpass.getuser()
    script = "ask() { printf '%s' \"$1\"; }\nask 'one line'\nexit 4"
    result = await run_one(target(port, username=user, known_host=host_key), script)
    assert (result.failure, result.stdout, result.exit_status) == (None, b"one line", 4)


@pytest.mark.asyncio
async def test_openssh_with_another_host_key_is_refused(sshd: tuple[int, str]) -> None:
    port, _ = sshd
    assert kind(await run_one(target(port), "true")) is SshFailureKind.HOST_KEY_CHANGED


@pytest.mark.asyncio
async def test_openssh_denies_a_user_without_our_key(sshd: tuple[int, str]) -> None:
    port, host_key = sshd
    result = await run_one(target(port, username="daemon-nobody", known_host=host_key), "true")
    assert kind(result) is SshFailureKind.AUTH_DENIED


# ---- where it keeps us waiting ----


@asynccontextmanager
async def mute_after(said: bytes) -> AsyncIterator[int]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize(("said", "phase"), [(b"", Phase.BANNER), (b"SSH-2.0-Mute\r\n", Phase.KEY_EXCHANGE)])
async def test_a_server_that_falls_silent_before_the_keys_says_where(said: bytes, phase: Phase) -> None:
    async with mute_after(said) as port:
        result = await run_on(port)
    assert result.failure is not None and result.failure.timed_out is phase
    assert f"timed out {phase}" in str(result.failure) and result.asked_at is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("command", "phase", "said"),
    [
        ("hang", Phase.FIRST_OUTPUT, "printed nothing within 0.4 s"),
        ("half", Phase.OUTPUT, "stopped after 4 bytes for 0.4 s"),
        ("trickle", Phase.OUTPUT, "did not end within 1.5 s"),
    ],
)
async def test_a_command_that_prints_nothing_half_or_too_slowly_says_which(
    command: str, phase: Phase, said: str
) -> None:
    limits = replace(QUICK, first_output_timeout_s=0.4, silence_timeout_s=0.4)
    async with ssh_server() as port:
        result = await run_one(target(port), command, limits)
    assert result.failure is not None and (result.failure.kind, result.failure.timed_out) == (
        SshFailureKind.COMMAND_TIMEOUT,
        phase,
    )
    assert said in str(result.failure) and result.stdout == b""


@pytest.mark.asyncio
async def test_a_refusal_is_no_time_out() -> None:
    async with ssh_server() as port:
        result = await run_on(port, username="nobody")
    assert result.failure is not None and result.failure.timed_out is None


@pytest.mark.asyncio
async def test_the_answer_is_dated_by_its_last_output_and_not_by_the_end_of_the_session() -> None:
    async with ssh_server() as port:
        before = time.time()
        result = await run_on(port, "linger")
        after = time.time()
    assert result.failure is None and result.stdout == b"said"
    assert result.asked_at is not None and result.answered_at is not None
    assert before <= result.asked_at <= result.answered_at <= after - 0.5
