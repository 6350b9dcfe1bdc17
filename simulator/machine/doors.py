"""The two listening sockets of a machine: open while something would answer there, closed (refused) otherwise."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable

log = logging.getLogger("simulator.machine.doors")
_BACKLOG = 64


class DoorError(RuntimeError):
    """An address of the hall cannot be opened; the message says what to do."""


class Door:
    """One address and port. `visit` gets every accepted connection, as a non-blocking socket."""

    def __init__(self, address: str, port: int, visit: Callable[[socket.socket], None]) -> None:
        self.address = address
        self.port = port
        self._visit = visit
        self._socket: socket.socket | None = None

    @property
    def is_open(self) -> bool:
        return self._socket is not None

    def set(self, wanted: bool) -> None:
        """Open or close; raises DoorError when the address is taken or forbidden."""
        if wanted and self._socket is None:
            self._open()
        elif not wanted and self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self._socket.close()
            self._socket = None

    def _open(self) -> None:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        try:
            sock.bind((self.address, self.port))
            sock.listen(_BACKLOG)
        except OSError as error:
            sock.close()
            raise DoorError(_advice(self.address, self.port, error)) from error
        self.port = sock.getsockname()[1]
        self._socket = sock
        asyncio.get_running_loop().add_reader(sock.fileno(), self._accept)

    def _accept(self) -> None:
        while self._socket is not None:
            try:
                visitor, _ = self._socket.accept()
            except (BlockingIOError, ConnectionAbortedError, InterruptedError):
                return
            except OSError as error:
                log.warning("%s port %s: %s", self.address, self.port, error)
                return
            visitor.setblocking(False)
            self._visit(visitor)


def _advice(address: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"{address} port {port} is taken: is another hall on this slice? Choose another --slice, or port 0"
    if error.errno == errno.EMFILE:
        return "too many open files: raise the limit (ulimit -n) to twice the number of machines and 512 more"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{address} is not an address of this computer; only Linux has all of 127.0.0.0/8"
    return f"{address} port {port}: {error.strerror}"
