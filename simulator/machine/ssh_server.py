"""SSH of the machines: real sessions over asyncssh, answered by `shell.execute`."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import asyncssh

from simulator import stalls
from simulator.machine.shell import Reply

if TYPE_CHECKING:
    from simulator.hall import Hall
    from simulator.state import Machine

log = logging.getLogger("simulator.ssh")
LOGIN_TIMEOUT_S = 30
_ASK_AGAIN_S = 0.05


class _Login(asyncssh.SSHServer):
    """Public keys only: those the hall or the machine's installation was given, for the hall's users."""

    def __init__(self, hall: Hall, machine: Machine) -> None:
        self._hall = hall
        self._machine = machine

    async def begin_auth(self, username: str) -> bool:
        await stalls.until(lambda: stalls.ssh_place(self._machine) != "login")
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        if self._machine.fault("ssh_refuses") or username not in self._hall.plan.ssh_users:
            return False
        return key.public_data in self._hall.keys_of(self._machine)

    def session_requested(self) -> asyncssh.SSHServerSession[str]:
        return _Session(self._hall, self._machine)


class _Session(asyncssh.SSHServerSession[str]):
    """One command, or a small interactive shell that answers line by line."""

    def __init__(self, hall: Hall, machine: Machine) -> None:
        self._hall = hall
        self._machine = machine
        self._command: str | None = None
        self._typed = ""
        self._closed = False

    def connection_made(self, chan: asyncssh.SSHServerChannel[str]) -> None:
        self._chan = chan

    def exec_requested(self, command: str) -> bool:
        self._command = command
        return True

    def shell_requested(self) -> bool:
        return True

    def session_started(self) -> None:
        if self._command is None:
            self._prompt()
        else:
            self._run(self._command, self._finish)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True

    def eof_received(self) -> bool:
        if self._command is None:
            self._chan.exit(0)
        return True  # it may still be answered, as a command that takes its time is

    def data_received(self, data: str, datatype: asyncssh.DataType) -> None:
        if self._command is not None:
            return
        self._typed += data
        while "\n" in self._typed:
            line, _, self._typed = self._typed.partition("\n")
            if line.strip() in ("exit", "logout"):
                self._chan.exit(0)
                return
            self._run(line, self._show)

    def _run(self, command: str, done: object) -> None:
        self._answer(self._hall.execute(self._machine, command), done)

    def _answer(self, reply: Reply, done: object) -> None:
        place = stalls.ssh_place(self._machine)
        if place:
            self._stall(place, reply)
            return
        if reply.more is not None:
            self._chan.write(reply.text)
            asyncio.get_running_loop().call_later(reply.delay_s or 0, self._go_on, reply.more, done)
            return
        if reply.wait is not None:
            self._wait(reply.wait, done)
            return
        if reply.delay_s is None:
            return
        if reply.delay_s:
            asyncio.get_running_loop().call_later(reply.delay_s, done, reply)  # type: ignore[arg-type]
        else:
            done(reply)  # type: ignore[operator]

    def _stall(self, place: str, reply: Reply) -> None:
        """Print nothing, half of it, or a letter a second."""
        if place == "half":
            self._chan.write(reply.text[: len(reply.text) // 2])
        elif place == "trickle":
            stalls.spell(reply.text, self._chan.write, lambda: self._closed, lambda: self._chan.exit(reply.status))

    def _go_on(self, more: Callable[[float], Reply], done: object) -> None:
        if not self._closed:
            self._answer(more(self._hall.clock()), done)

    def _wait(self, wait: Callable[[float], Reply | None], done: object) -> None:
        """Answer as soon as there is an answer; somebody who hangs up is not waited for."""
        if self._closed:
            return
        reply = wait(self._hall.clock())
        if reply is None:
            asyncio.get_running_loop().call_later(_ASK_AGAIN_S, self._wait, wait, done)
        else:
            done(reply)  # type: ignore[operator]

    def _finish(self, reply: Reply) -> None:
        if self._closed:
            return
        self._chan.write(reply.text)
        self._chan.exit(reply.status)
        self._hall.follow(self._machine, reply.then)

    def _show(self, reply: Reply) -> None:
        if self._closed:
            return
        self._chan.write(reply.text)
        if reply.then:
            self._chan.exit(0)
            self._hall.follow(self._machine, reply.then)
        else:
            self._prompt()

    def _prompt(self) -> None:
        self._chan.write(f"root@{self._machine.hostname}:~# ")


async def serve(hall: Hall, machine: Machine, sock: socket.socket) -> asyncssh.SSHServerConnection | None:
    """Speak SSH on an accepted connection; a client that gives up or is refused is no error of the hall."""
    options = asyncssh.SSHServerConnectionOptions(
        options=hall.ssh_options,
        config=None,
        server_factory=lambda: _Login(hall, machine),
        server_host_keys=[hall.host_key(machine)],
    )
    try:
        return await asyncssh.run_server(sock, config=None, options=options)
    except (OSError, asyncssh.Error, TimeoutError) as error:
        log.debug("%s: no session: %s", machine.plan.name, error)
        sock.close()
        return None


def base_options() -> asyncssh.SSHServerConnectionOptions:
    """What all machines share, parsed once: only what a key login and a command need."""
    return asyncssh.SSHServerConnectionOptions(
        config=None,
        server_factory=asyncssh.SSHServer,
        server_host_keys=[asyncssh.generate_private_key("ssh-ed25519")],  # each machine puts its own in place
        encoding="utf-8",
        errors="surrogateescape",
        password_auth=False,
        kbdint_auth=False,
        host_based_auth=False,
        gss_host=None,
        # What OpenSSH offers too; these cost the least of one process that plays two thousand machines.
        kex_algs=["curve25519-sha256", "ecdh-sha2-nistp256"],
        encryption_algs=["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes256-ctr"],
        compression_algs=["none"],
        x11_forwarding=False,
        agent_forwarding=False,
        login_timeout=LOGIN_TIMEOUT_S,
        line_history=50,
    )
