"""The options of the broker's sockets, on a real Valkey over TCP and over a socket file."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import kombu
import pytest
from pytest_django.fixtures import Settings
from redis import Redis
from redis.exceptions import RedisError

from config.embedded.valkey import binary


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """Its port and its socket file."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    file = tmp_path_factory.mktemp("v") / "v.sock"
    words = [binary(), "--port", port, "--bind", "127.0.0.1", "--unixsocket", file, "--save", "", "--dir", file.parent]
    running = subprocess.Popen([*map(str, words)], stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while not answers(port):
            assert running.poll() is None and time.monotonic() < until
            time.sleep(0.1)
        yield port, file
    finally:
        running.terminate()
        running.wait(10)


def answers(port: int) -> bool:
    try:
        return bool(Redis(port=port, socket_timeout=2).ping())
    except RedisError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("way", ["tcp", "file"])
def test_a_worker_waits_longer_than_a_socket_may_and_gets_its_task(
    way: str, valkey: tuple[int, Path], settings: Settings
) -> None:
    assert settings.TO_BROKER.items() <= settings.CELERY_BROKER_TRANSPORT_OPTIONS.items()
    port, file = valkey
    url = f"redis://127.0.0.1:{port}/0" if way == "tcp" else f"redis+socket://{file}?virtual_host=0"
    options = {**settings.TO_BROKER, "socket_timeout": 0.4}
    got: list[str] = []
    with kombu.Connection(url, transport_options=options) as broker:
        queue = broker.SimpleQueue(f"waiting-{way}")
        queue.consumer.callbacks = [lambda body, message: (got.append(body), message.ack())]
        queue.consumer.consume()
        with pytest.raises(TimeoutError):
            broker.drain_events(timeout=3)  # longer than the limit, and than one wait of BRPOP
        queue.put("task")
        broker.drain_events(timeout=5)
        assert got == ["task"]


def test_a_broker_that_vanished_is_noticed_by_the_kernel(valkey: tuple[int, Path], settings: Settings) -> None:
    with kombu.Connection(f"redis://127.0.0.1:{valkey[0]}/0", transport_options=settings.TO_BROKER) as broker:
        used = broker.default_channel.client.connection_pool.get_connection()
        assert used._sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert used._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 60_000
        assert used.socket_timeout == 30
