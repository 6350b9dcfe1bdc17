"""Ports for servers that a test starts, and waiting for what they do."""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Callable


def free_ports(count: int) -> list[int]:
    """Ports that are free now, one after the other."""
    for first in range(20_000 + secrets.randbelow(9_000), 60_000, count):
        socks = [socket.socket() for _ in range(count)]
        try:
            for number, sock in enumerate(socks):
                sock.bind(("127.0.0.1", first + number))
            return list(range(first, first + count))
        except OSError:
            continue
        finally:
            for sock in socks:
                sock.close()
    raise AssertionError("no free ports")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def until(true: Callable[[], bool], limit_s: float, problem: str) -> None:
    end = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < end, problem
        time.sleep(0.05)
