"""Hosts that take a connection and then keep whoever called waiting: where SSH and the BMC stop, and how.

`machine_hang` is the plainest: TCP, and no word. `ssh_stalls` and `bmc_stalls` stop further on, at the place in their
parameter `at`.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from simulator.state import Machine

SSH_PLACES = ("banner", "login", "output", "half", "trickle")
"""After the SSH banner; at the login; the command runs and prints nothing; half of it is printed; a byte a second."""
BMC_PLACES = ("tcp", "http", "trickle")
"""Before TLS; after the request; the answer comes a byte a second."""
BANNER = b"SSH-2.0-OpenSSH_8.9p1 Ubuntu-3ubuntu0.10\r\n"
TRICKLE_S = 1.0
_ASK_AGAIN_S = 0.1
_MOST_HELD = 16


def ssh_place(machine: Machine) -> str:
    """Where SSH stops: `tcp`, one of SSH_PLACES, or empty."""
    if machine.fault("machine_hang"):
        return "tcp"
    fault = machine.fault("ssh_stalls")
    return str(fault.params["at"]) if fault else ""


def bmc_place(machine: Machine) -> str:
    """Where the BMC stops: one of BMC_PLACES, or empty."""
    fault = machine.fault("bmc_stalls")
    return str(fault.params["at"]) if fault else ""


class Held:
    """Connections that were taken and are not answered, by whoever they were for."""

    def __init__(self) -> None:
        self._sockets: dict[str, list[socket.socket]] = {}

    def hold(self, name: str, sock: socket.socket) -> None:
        held = self._sockets.setdefault(name, [])
        held.append(sock)
        if len(held) > _MOST_HELD:  # whoever rang first went away long ago, and open files are counted
            held.pop(0).close()

    def let_go(self, name: str) -> None:
        for sock in self._sockets.pop(name, []):
            sock.close()


def say_banner(sock: socket.socket) -> None:
    """The first line of an SSH server, and no more."""
    with suppress(OSError):  # it hung up already
        sock.send(BANNER)


async def until(over: Callable[[], bool]) -> None:
    """Wait for as long as a stall lasts."""
    while not over():
        await asyncio.sleep(_ASK_AGAIN_S)


def spell(text: str, write: Callable[[str], None], over: Callable[[], bool], then: Callable[[], None]) -> None:
    """Write a letter a second until the text or the patience of the other side is at its end."""
    letters = iter(text)

    def one() -> None:
        letter = next(letters, None)
        if over():
            return
        if letter is None:
            then()
            return
        write(letter)
        asyncio.get_running_loop().call_later(TRICKLE_S, one)

    one()


async def spell_response(request: web.Request, body: bytes, headers: Iterable[tuple[str, str]]) -> web.StreamResponse:
    """An HTTP answer a byte a second, until whoever asked hangs up."""
    response = web.StreamResponse(headers={**dict(headers), "Content-Length": str(len(body))})
    await response.prepare(request)
    with suppress(ConnectionError):
        for byte in body:
            await response.write(bytes([byte]))
            await asyncio.sleep(TRICKLE_S)
    return response
