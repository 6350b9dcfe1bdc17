"""Clients that send slowly, on raw sockets against the real server as `config.processes` starts it."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from config import processes

HEADER_S, BODY_S = 1.0, 1.5
SLACK_S = 4.0
"""For a machine that does other things at the same time."""


@pytest.fixture(scope="module")
def server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    limits = {"RACKSIDE_HEADER_TIMEOUT_S": str(HEADER_S), "RACKSIDE_BODY_TIMEOUT_S": str(BODY_S)}
    running = subprocess.Popen(processes.web("127.0.0.1", str(port)), env={**os.environ, **limits})
    try:
        until = time.monotonic() + 90
        while not alive(port):
            assert running.poll() is None and time.monotonic() < until, "the server did not start"
            time.sleep(0.2)
        yield port
    finally:
        running.terminate()
        running.wait(15)


def alive(port: int) -> bool:
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).status == 200
    except OSError:
        return False


def held_for(
    port: int, first: bytes, drip: bytes = b"", every_s: float = 0.2, most_s: float = 12
) -> tuple[float, bytes]:
    """Send `first`, then `drip` again and again: how long the server keeps the connection, and what it answers."""
    began, answer = time.monotonic(), b""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(first)
        client.settimeout(every_s)
        while time.monotonic() - began < most_s:
            try:
                part = client.recv(4096)
                if not part:
                    break
                answer += part
            except TimeoutError:
                try:
                    client.sendall(drip)
                except OSError:
                    break
            except OSError:
                break
    return time.monotonic() - began, answer


POST = (
    b"POST /api/tokens/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "drip"),
    [
        pytest.param(b"", b"", marks=pytest.mark.slow),
        pytest.param(b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"", marks=pytest.mark.slow),
        (b"GET / HTTP/1.1\r\n", b"X-a: b\r\n"),
        (b"G", b""),
    ],
    ids=["nothing", "half a header", "a line now and then", "one byte"],
)
def test_a_header_that_does_not_end_is_given_up(server: int, first: bytes, drip: bytes) -> None:
    held, answer = held_for(server, first, drip)
    assert HEADER_S * 0.8 < held < HEADER_S + SLACK_S
    assert answer.startswith(b"HTTP/1.1 408") is (first != b"")


@pytest.mark.slow
def test_a_body_that_stops_is_given_up(server: int) -> None:
    held, answer = held_for(server, POST + b'{"a":')
    assert held < BODY_S + SLACK_S and answer.startswith(b"HTTP/1.1 408") and b"request_timeout" in answer


@pytest.mark.slow
def test_a_body_that_drips_is_given_up(server: int) -> None:
    held, _ = held_for(server, POST, b" ")
    assert held < BODY_S + SLACK_S


def test_many_slow_clients_do_not_keep_others_out(server: int) -> None:
    with ThreadPoolExecutor(120) as pool:
        slow = [pool.submit(held_for, server, b"GET / HTTP/1.1\r\n", b"X-a: b\r\n") for _ in range(100)]
        time.sleep(0.3)
        assert alive(server)
        assert all(each.result()[0] < HEADER_S + SLACK_S for each in slow)


@pytest.mark.slow
def test_a_kept_connection_and_a_body_in_pieces_work_as_before(server: int) -> None:
    get = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server), timeout=10) as client:
        for _ in range(3):
            client.sendall(get[:20])
            time.sleep(0.1)
            client.sendall(get[20:])
            answer = b""
            while not answer.endswith(b"ok\n"):  # head and body may come in two pieces
                answer += client.recv(4096) or pytest.fail(f"the connection was closed after {answer!r}")
            assert answer.startswith(b"HTTP/1.1 200")
        body = b'{"name": "x"}'
        head = POST.replace(b"9000", str(len(body)).encode())
        client.sendall(head + body[:5])
        time.sleep(BODY_S / 2)
        client.sendall(body[5:])
        assert client.recv(4096).startswith(b"HTTP/1.1 401")
