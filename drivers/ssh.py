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
import functools
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import asyncssh

from drivers.gate import Gate, resolved

HOST_KEY_ALGORITHMS = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
)
CHUNK_BYTES = 64 * 1024


class SshFailureKind(StrEnum):
    """Why a machine gave no usable answer."""

    REFUSED = "refused"
    TIMEOUT = "timeout"
    NO_BANNER = "no_banner"
    PROTOCOL = "protocol"
    AUTH_DENIED = "auth_denied"
    HOST_KEY_CHANGED = "host_key_changed"
    COMMAND_TIMEOUT = "command_timeout"
    OUTPUT_TOO_LARGE = "output_too_large"
    OTHER = "other"


class Phase(StrEnum):
    """How far a session had come when its time was over."""

    CONNECT = "connecting"
    BANNER = "waiting for the SSH banner"
    KEY_EXCHANGE = "exchanging keys"
    LOGIN = "logging in"
    FIRST_OUTPUT = "waiting for the first output"
    OUTPUT = "reading the output"


@dataclass(frozen=True, slots=True)
class SshFailure:
    """Why there is no usable answer. `timed_out` is set exactly when the machine kept us waiting, and says where."""

    kind: SshFailureKind
    message: str
    timed_out: Phase | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class SshTarget:
    """Where and as whom to log in. `private_key` is an OpenSSH or PEM private key; `known_host` one public key line."""

    address: str
    port: int
    username: str
    private_key: str = field(repr=False)
    known_host: str | None = None
    name: str = ""
    machine_id: int | None = None
    gate: Gate | None = None
    """Decides about the address of every connection."""


@dataclass(frozen=True, slots=True)
class SshResult:
    """What one machine answered. `failure` is None exactly when the script ran to its end."""

    target: SshTarget
    failure: SshFailure | None
    exit_status: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    presented_key: str | None = None
    """The public key line the machine presented, whenever the key exchange got that far."""
    elapsed_s: float = 0.0
    asked_at: float | None = None
    """Our clock (epoch seconds) when the command was begun; None when it never was."""
    answered_at: float | None = None
    """Our clock when the last output came: a session may stay open long after it."""

    @property
    def logged_in(self) -> bool:
        """The machine let us in, whatever became of the command."""
        return self.failure is None or self.failure.kind in (
            SshFailureKind.COMMAND_TIMEOUT,
            SshFailureKind.OUTPUT_TOO_LARGE,
        )

    @property
    def first_contact(self) -> bool:
        """No key was known and the machine let us in: its key should be recorded.

        A machine that denied the login is not recorded, because it may be another one at this address.
        """
        return self.target.known_host is None and self.presented_key is not None and self.logged_in


class SshRunError(Exception):
    """Raised inside one run and turned into its result; carries what to report."""

    def __init__(self, kind: SshFailureKind, message: str, timed_out: Phase | None = None) -> None:
        text = f"timed out {timed_out}: {message}" if timed_out else message
        super().__init__(text)
        self.failure = SshFailure(kind, text, timed_out)


@functools.lru_cache(maxsize=256)
def private_key(text: str) -> asyncssh.SSHKey:
    """Parse a private key once: a sweep logs in to every machine with the same few keys."""
    return asyncssh.import_private_key(text)


def public_line(private_key_text: str) -> str:
    """The `ssh-ed25519 AAAA...` line of a private key, without comment. Raises `asyncssh.KeyImportError`."""
    return key_line(private_key(private_key_text))


def key_line(key: asyncssh.SSHKey) -> str:
    """Algorithm and key of a public key line, without the comment."""
    return " ".join(key.export_public_key().decode().split()[:2])


def key_fingerprint(line: str) -> str:
    """`SHA256:...` of a public key line, as `ssh-keygen -l` prints it. Raises `asyncssh.KeyImportError`."""
    return asyncssh.import_public_key(line).get_fingerprint("sha256")


def host_key_algorithms(known_host: str | None) -> list[str]:
    """Ask for the kind of key we know first, so that a machine with several kinds presents the one on record."""
    if known_host is None:
        return list(HOST_KEY_ALGORITHMS)
    kind = known_host.split(maxsplit=1)[0]
    known = [name for name in HOST_KEY_ALGORITHMS if name == kind or (kind == "ssh-rsa" and name.startswith("rsa-"))]
    return known + [name for name in HOST_KEY_ALGORITHMS if name not in known]


class _Client(asyncssh.SSHClient):
    """Checks the host key and extends the time limit from connecting to logging in."""

    def __init__(self, known_host: str | None, limit: asyncio.Timeout, login_timeout_s: float) -> None:
        self.known_host = known_host
        self.limit = limit
        self.login_timeout_s = login_timeout_s
        self.presented: str | None = None
        self.mismatch = False
        self.connection: asyncssh.SSHClientConnection | None = None

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self.connection = conn

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.presented = key_line(key)
        self.mismatch = self.known_host is not None and self.presented != " ".join(self.known_host.split()[:2])
        if not self.mismatch:
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


async def run_many(
    targets: Sequence[SshTarget], script: str, *, concurrency: int = 64, limits: Limits | None = None
) -> AsyncIterator[SshResult]:
    """Run `script` on every target, `concurrency` at a time, and yield each result as it comes; never raises for one.

    The script is the exec command itself, so it needs no temporary file on the machine. One target takes at most the
    three time-outs together; the whole call at most ceil(len(targets) / concurrency) times that.
    """
    gate = asyncio.Semaphore(concurrency)

    async def guarded(target: SshTarget) -> SshResult:
        async with gate:
            return await run_one(target, script, limits)

    tasks = [asyncio.create_task(guarded(target)) for target in targets]
    try:
        for finished in asyncio.as_completed(tasks):
            yield await finished
    finally:
        for task in tasks:
            task.cancel()


async def run_one(target: SshTarget, script: str, limits: Limits | None = None) -> SshResult:
    """Run the script on one target. Every way it can go wrong is a `failure` of the result."""
    limits = limits or Limits()
    started = time.monotonic()
    client: _Client | None = None
    sock: socket.socket | None = None
    heard = _Heard()
    status: int | None = None
    failure: SshFailure | None = None
    try:
        if target.address and not target.private_key and target.gate is not None:
            target.gate.check(target.address, target.port)  # a closed gate says why there is no key
        if not target.address or not target.private_key:
            missing = "address" if not target.address else "SSH key"
            raise SshRunError(SshFailureKind.OTHER, f"no {missing} is known for this machine")
        sock = await _connect_tcp(target, limits.connect_timeout_s)
        try:
            async with asyncio.timeout(max(0.1, limits.connect_timeout_s - (time.monotonic() - started))) as limit:
                client = _Client(target.known_host, limit, limits.login_timeout_s)
                connection = await _log_in(target, sock, client)
        except TimeoutError as error:
            raise _login_timed_out(target, client) from error
        status = await _run_script(connection, script, limits, heard)
    except Exception as error:  # whatever one machine does must not end the sweep of the others
        failure = _failure(target, error, client)
    finally:
        if client is not None and client.connection is not None:
            client.connection.abort()
        elif sock is not None:
            sock.close()
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
    connection: asyncssh.SSHClientConnection, script: str, limits: Limits, heard: _Heard
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
            process = await connection.create_process(script, encoding=None, stdin=asyncssh.DEVNULL)
            # Both are read at once: a machine that fills one of them would otherwise wait for us forever.
            await asyncio.gather(
                _read(process.stdout, heard.out, limits.output_cap_bytes, more_came),
                _read(process.stderr, heard.err, limits.output_cap_bytes, more_came),
            )
            await process.wait_closed()
            return process.exit_status
    except TimeoutError as error:
        raise _command_timed_out(heard, limits, over=loop.time() >= ends) from error


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


def _failure(target: SshTarget, error: Exception, client: _Client | None) -> SshFailure:
    """Name an exception. The order matters: several asyncssh errors derive from DisconnectError."""
    kind = SshFailureKind
    if isinstance(error, SshRunError):
        return error.failure
    if client is not None and client.mismatch:
        known, presented = (key_fingerprint(target.known_host or ""), key_fingerprint(client.presented or ""))
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
