"""Run one script on many machines over SSH, with real host-key checking and a bound on everything.

    async for result in run_many(targets, "uptime"):
        print(result.target.name, result.failure or result.stdout)

A machine that presents another host key than the known one is refused before anything is sent that identifies us. With
no key known, first contact accepts the presented key and returns it in `SshResult.presented_key` for the caller to
record.
Nothing of the calling user's own SSH configuration, agent or known hosts is read.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import asyncssh

from drivers.gate import is_address, resolved
from drivers.kept import Kept, watched
from drivers.ssh_answers import (
    HOST_KEY_ALGORITHMS,
    Phase,
    SshFailure,
    SshFailureKind,
    SshResult,
    SshRunError,
    SshTarget,
    host_key_algorithms,
    key_fingerprint,
    key_line,
    private_key,
    public_line,
)

__all__ = [
    "HOST_KEY_ALGORITHMS",
    "KeptSsh",
    "Limits",
    "Phase",
    "SshFailure",
    "SshFailureKind",
    "SshResult",
    "SshRunError",
    "SshTarget",
    "host_key_algorithms",
    "kept_ssh",
    "key_fingerprint",
    "key_line",
    "private_key",
    "public_line",
    "run_many",
    "run_one",
]

CIPHERS = (
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "chacha20-poly1305@openssh.com",
    "aes256-ctr",
    "aes192-ctr",
    "aes128-ctr",
)
"""Those of asyncssh; the processor's own cipher first, which costs a third of the other."""
CHUNK_BYTES = 64 * 1024
KEPT_OPENS_S = 3.0
"""A connection that was kept and on which no command begins within that time is dead."""


class _Client(asyncssh.SSHClient):
    """Checks the host key and extends the time limit from connecting to logging in."""

    def __init__(self, known_host: str | None, limit: asyncio.Timeout, login_timeout_s: float) -> None:
        self.known_host = known_host
        self.limit: asyncio.Timeout | None = limit
        """Until the login: it holds on to the task that waits, and so to the whole answer that this task returns."""
        self.login_timeout_s = login_timeout_s
        self.presented: str | None = None
        self.mismatch = False
        self.connection: asyncssh.SSHClientConnection | None = None

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self.connection = conn

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        again = self.presented is not None  # new keys on a connection that is in use
        self.presented = key_line(key)
        self.mismatch = self.known_host is not None and self.presented != " ".join(self.known_host.split()[:2])
        if self.limit is not None and not self.mismatch and not again:
            self.limit.reschedule(asyncio.get_running_loop().time() + self.login_timeout_s)
        return not self.mismatch


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes one machine may take. Connecting ends with the host key, logging in with the session.

    A script that is known to print may be held to it: its first output within `first_output_timeout_s`, the next never
    more than `silence_timeout_s` after the one before.
    """

    connect_timeout_s: float = 5
    login_timeout_s: float = 10
    command_timeout_s: float = 20
    output_cap_bytes: int = 8 * 1024 * 1024
    first_output_timeout_s: float = float("inf")
    silence_timeout_s: float = float("inf")


KeptSsh = Kept[_Client]


def kept_ssh(most: int) -> KeptSsh:
    """Room for so many open sessions; the machine's key and our login were checked when each was opened."""
    return Kept(most, is_open=_is_open, close=_abort)


def _is_open(client: _Client) -> bool:
    return client.connection is not None and not client.connection.is_closed()


def _abort(client: _Client) -> None:
    if client.connection is not None:
        client.connection.abort()


async def run_many(
    targets: Sequence[SshTarget],
    script: str,
    *,
    concurrency: int = 64,
    limits: Limits | None = None,
    kept: KeptSsh | None = None,
) -> AsyncIterator[SshResult]:
    """Run `script` on every target, `concurrency` at a time, and yield each result as it comes; never raises for one.

    The script is the exec command itself, so it needs no temporary file on the machine. One target takes at most the
    three time-outs together; the whole call at most ceil(len(targets) / concurrency) times that. With `kept` the
    connections stay open for the next call.
    """
    gate = asyncio.Semaphore(concurrency)

    async def guarded(target: SshTarget) -> SshResult:
        async with gate:
            return await run_one(target, script, limits, kept)

    tasks = [asyncio.create_task(guarded(target)) for target in targets]
    try:
        for finished in asyncio.as_completed(tasks):
            yield await finished
    finally:
        for task in tasks:
            task.cancel()


async def run_one(
    target: SshTarget,
    script: str,
    limits: Limits | None = None,
    kept: KeptSsh | None = None,
    *,
    told: bytes = b"",
) -> SshResult:
    """Run the script on one target. Every way it can go wrong is a `failure` of the result.

    `told` is its standard input: a secret stands there and not in the script, which the machine's list of processes
    shows. It is only sent over a connection of its own.
    """
    limits = limits or Limits()
    if told:
        return await _run_anew(target, script, limits, None, told)
    if kept is None or not is_address(target.address):
        return await _run_anew(target, script, limits, None)
    over_old = await _run_over_kept(target, script, limits, kept)
    return over_old or await _run_anew(target, script, limits, kept)


def _place(target: SshTarget, host_key: str | None) -> tuple[object, ...]:
    """What a kept connection must have been opened for: another address, login or host key of record is another."""
    key = " ".join((host_key or "").split()[:2])
    return target.machine_id, target.address, target.port, target.username, target.private_key, key


async def _run_over_kept(target: SshTarget, script: str, limits: Limits, kept: KeptSsh) -> SshResult | None:
    """The answer over a connection that is still open. None where there is none, or the one there was is dead: that
    says nothing of the machine, which is then asked as if it had never been there."""
    found = await kept.take(_place(target, target.known_host)) if target.known_host else None
    if found is None:
        return None
    client, until = found
    started, heard = time.monotonic(), _Heard()
    status: int | None = None
    failure: SshFailure | None = None
    whole = False
    try:
        if target.gate is not None:
            target.gate.check(target.address, target.port)
        assert client.connection is not None
        status = await _run_script(client.connection, script, limits, heard, opens_within_s=KEPT_OPENS_S)
        whole = True
    except Exception as error:
        failure = _failure(target, error, client)
        if not heard.size and failure.timed_out is None:
            return None
    finally:
        if not whole:
            _abort(client)
    if whole:
        await kept.give(_place(target, client.presented), client, until)
    return _result(target, failure, status, heard, client, started)


async def _run_anew(
    target: SshTarget, script: str, limits: Limits, kept: KeptSsh | None, told: bytes = b""
) -> SshResult:
    started = time.monotonic()
    client: _Client | None = None
    sock: socket.socket | None = None
    heard = _Heard()
    status: int | None = None
    failure: SshFailure | None = None
    whole = False
    try:
        if target.address and not target.private_key and target.gate is not None:
            target.gate.check(target.address, target.port)  # a closed gate says why there is no key
        if not target.address or not target.private_key:
            missing = "address" if not target.address else "SSH key"
            raise SshRunError(SshFailureKind.OTHER, f"no {missing} is known for this machine")
        sock = await _connect_tcp(target, limits.connect_timeout_s)
        if kept is not None:
            watched(sock)
        try:
            async with asyncio.timeout(max(0.1, limits.connect_timeout_s - (time.monotonic() - started))) as limit:
                client = _Client(target.known_host, limit, limits.login_timeout_s)
                connection = await _log_in(target, sock, client)
        except TimeoutError as error:
            raise _login_timed_out(target, client) from error
        client.limit = None
        status = await _run_script(connection, script, limits, heard, told=told)
        whole = True
    except Exception as error:  # whatever one machine does must not end the sweep of the others
        failure = _failure(target, error, client)
    finally:
        if client is not None and client.connection is not None:
            if kept is None or not whole:
                client.connection.abort()
        elif sock is not None:
            sock.close()
    if kept is not None and client is not None and whole:
        await kept.give(_place(target, client.presented), client)
    return _result(target, failure, status, heard, client, started)


def _result(
    target: SshTarget,
    failure: SshFailure | None,
    status: int | None,
    heard: _Heard,
    client: _Client | None,
    started: float,
) -> SshResult:
    return SshResult(
        target,
        failure,
        status,
        b"" if failure else bytes(heard.out),
        b"" if failure else bytes(heard.err),
        client.presented if client else None,
        time.monotonic() - started,
        heard.asked_at,
        heard.last_at,
    )


async def _connect_tcp(target: SshTarget, timeout_s: float) -> socket.socket:
    sock: socket.socket | None = None
    try:
        async with asyncio.timeout(timeout_s):
            family, where = await resolved(target.address, target.port, target.gate)
            sock = socket.socket(family, socket.SOCK_STREAM)
            sock.setblocking(False)
            await asyncio.get_running_loop().sock_connect(sock, where)
    except BaseException as error:
        if sock is not None:
            sock.close()
        if isinstance(error, TimeoutError):
            text = f"no answer on port {target.port} within {timeout_s:g} s"
            raise SshRunError(SshFailureKind.TIMEOUT, text, Phase.CONNECT) from error
        raise
    return sock


async def _log_in(target: SshTarget, sock: socket.socket, client: _Client) -> asyncssh.SSHClientConnection:
    connection, _ = await asyncssh.create_connection(
        lambda: client,
        sock=sock,
        host=target.address,
        port=target.port,
        username=target.username,
        client_keys=[private_key(target.private_key)],
        # No trusted keys here: every presented key goes through the client's own check above.
        known_hosts=([], [], []),
        server_host_key_algs=host_key_algorithms(target.known_host),
        encryption_algs=CIPHERS,
        config=None,
        agent_path=None,
        preferred_auth="publickey",
        gss_host=None,
        login_timeout=0,
    )
    return connection


@dataclass(slots=True)
class _Heard:
    """What came of a command until now, and when by our clock."""

    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)
    asked_at: float | None = None
    last_at: float | None = None

    @property
    def size(self) -> int:
        return len(self.out) + len(self.err)


async def _run_script(
    connection: asyncssh.SSHClientConnection,
    script: str,
    limits: Limits,
    heard: _Heard,
    *,
    opens_within_s: float | None = None,
    told: bytes = b"",
) -> int | None:
    """The exit status (None when a signal ended it); the output is in `heard`, as far as it came."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + limits.command_timeout_s

    def more_came() -> None:
        heard.last_at = time.time()
        limit.reschedule(min(ends, loop.time() + limits.silence_timeout_s))

    try:
        async with asyncio.timeout_at(min(ends, loop.time() + limits.first_output_timeout_s)) as limit:
            heard.asked_at = time.time()
            process = await _begun(connection, script, opens_within_s, told)
            # Both are read at once: a machine that fills one of them would otherwise wait for us forever.
            await asyncio.gather(
                _read(process.stdout, heard.out, limits.output_cap_bytes, more_came),
                _read(process.stderr, heard.err, limits.output_cap_bytes, more_came),
            )
            await process.wait_closed()
            return process.exit_status
    except TimeoutError as error:
        raise _command_timed_out(heard, limits, over=loop.time() >= ends) from error


async def _begun(
    connection: asyncssh.SSHClientConnection, script: str, within_s: float | None, told: bytes
) -> asyncssh.SSHClientProcess[bytes]:
    try:
        async with asyncio.timeout(within_s):
            stdin = asyncssh.PIPE if told else asyncssh.DEVNULL
            process = await connection.create_process(script, encoding=None, stdin=stdin)
            if told:
                with suppress(OSError):  # a script that ended without reading it says how it ended
                    process.stdin.write(told)
                    process.stdin.write_eof()
            return process
    except TimeoutError as error:
        if within_s is None:
            raise
        raise SshRunError(SshFailureKind.OTHER, "the open connection does not answer") from error


async def _read(
    reader: asyncssh.SSHReader[bytes], into: bytearray, cap_bytes: int, more_came: Callable[[], None]
) -> None:
    while chunk := await reader.read(CHUNK_BYTES):
        more_came()
        into += chunk
        if len(into) > cap_bytes:
            raise SshRunError(
                SshFailureKind.OUTPUT_TOO_LARGE, f"the output was larger than {cap_bytes} bytes and was cut off"
            )


def _command_timed_out(heard: _Heard, limits: Limits, *, over: bool) -> SshRunError:
    if not over and not heard.size:
        phase = Phase.FIRST_OUTPUT
        message = f"logged in, but the command printed nothing within {limits.first_output_timeout_s:g} s"
    elif not over:
        phase = Phase.OUTPUT
        message = f"logged in, but the output stopped after {heard.size} bytes for {limits.silence_timeout_s:g} s"
    else:
        phase = Phase.OUTPUT if heard.size else Phase.FIRST_OUTPUT
        ended = f"logged in, but the command did not end within {limits.command_timeout_s:g} s"
        message = f"{ended} ({heard.size} bytes came)"
    return SshRunError(SshFailureKind.COMMAND_TIMEOUT, message, phase)


def _login_timed_out(target: SshTarget, client: _Client | None) -> SshRunError:
    version = client.connection.get_extra_info("server_version") if client and client.connection else None
    if client is None or version is None:
        message = f"port {target.port} accepts connections but no SSH server speaks"
        return SshRunError(SshFailureKind.NO_BANNER, message, Phase.BANNER)
    phase = Phase.KEY_EXCHANGE if client.presented is None else Phase.LOGIN
    message = f"the SSH server ({version}) did not finish the login in time"
    return SshRunError(SshFailureKind.TIMEOUT, message, phase)


def _shown(line: str) -> str:
    """A key as people compare it; one on record that is none is told too, and is no error of the round."""
    try:
        return key_fingerprint(line)
    except (asyncssh.KeyImportError, ValueError):
        return f"no public key ({line[:40]!r})"


def _failure(target: SshTarget, error: Exception, client: _Client | None) -> SshFailure:
    """Name an exception. The order matters: several asyncssh errors derive from DisconnectError."""
    kind = SshFailureKind
    if isinstance(error, SshRunError):
        return error.failure
    if client is not None and client.mismatch:
        known, presented = _shown(target.known_host or ""), _shown(client.presented or "")
        return SshFailure(kind.HOST_KEY_CHANGED, f"the host key changed: known is {known}, presented was {presented}")
    if isinstance(error, ConnectionRefusedError):
        return SshFailure(kind.REFUSED, f"port {target.port} refuses connections")
    if isinstance(error, asyncssh.PermissionDenied):
        return SshFailure(kind.AUTH_DENIED, f"login as {target.username} was denied")
    if isinstance(error, asyncssh.KeyImportError):
        return SshFailure(kind.OTHER, f"our own key cannot be read: {error}")
    if isinstance(error, (asyncssh.ConnectionLost, ConnectionResetError, BrokenPipeError)):
        if client is None or client.presented is None:
            return SshFailure(kind.NO_BANNER, "the connection was closed before an SSH server spoke")
        return SshFailure(kind.PROTOCOL, "the connection was lost before the command ended")
    if isinstance(error, asyncssh.DisconnectError):
        return SshFailure(kind.PROTOCOL, f"not a usable SSH server: {error.reason}")
    if isinstance(error, OSError):
        return SshFailure(kind.OTHER, f"cannot be reached: {error.strerror or error}")
    return SshFailure(kind.OTHER, f"{type(error).__name__}: {error}")
