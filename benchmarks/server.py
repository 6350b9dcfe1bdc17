"""A database and a web process of a benchmark's own, and a client that talks to it as a script would."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import orjson
from django.core.management import call_command
from django.db import connection

from benchmarks.feed import free_port, wait_for
from config import processes
from core.models import Role
from core.services import ensure_user, make_token

KEPT_ALIVE_S = 3.0  # the server closes after five


@contextmanager
def fresh_database(name: str) -> Iterator[str]:
    """An empty, migrated database; this process works in it meanwhile. Gives its URL for child processes."""
    before = connection.settings_dict["NAME"]
    fresh = f"{before}_{name}"
    statement("DROP DATABASE IF EXISTS {} WITH (FORCE)", fresh)
    statement("CREATE DATABASE {}", fresh)
    connection.close()
    connection.settings_dict["NAME"] = fresh
    try:
        call_command("migrate", interactive=False, verbosity=0)
        url = os.environ["RACKSIDE_DATABASE_URL"]
        yield re.sub(r"(postgres\w*://[^/]*/)[^?]*", lambda found: found.group(1) + quote(fresh), url, count=1)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before
        statement("DROP DATABASE IF EXISTS {} WITH (FORCE)", fresh)


def statement(template: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(template.format('"' + name.replace('"', '""') + '"'))


@contextmanager
def web_process(database_url: str, *, port: int = 0, **variables: str) -> Iterator[int]:
    """The server as it runs in production, one process; gives its port, which is a free one where none is named."""
    port = port or free_port()
    environment = {
        **os.environ,
        "RACKSIDE_DATABASE_URL": database_url,
        "RACKSIDE_DATABASE_POOL": "1",
        "RACKSIDE_LOG_LEVEL": "ERROR",
        **variables,
    }
    command = processes.web("127.0.0.1", str(port))
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield port
    finally:
        child.terminate()
        child.wait(20)


def new_token() -> str:
    """A token of an administrator of every site."""
    user, _ = ensure_user("bench", role=Role.ADMIN)
    return make_token(user)[1]


class Session:
    """One kept-alive connection."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self.used = 0.0
        self.headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> bytes:
        """The body of the answer. Raises RuntimeError with what a refusal says."""
        if time.monotonic() - self.used > KEPT_ALIVE_S:
            self.connection.close()  # the server has done so by now; it opens again by itself
        data = body if body is None or isinstance(body, bytes) else orjson.dumps(body)
        self.connection.request(method, path, data, {**self.headers, **headers})
        answer = self.connection.getresponse()
        content = answer.read()
        self.used = time.monotonic()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:500].decode()}")
        return content

    def get(self, path: str) -> Any:
        return orjson.loads(self.send("GET", path))


@dataclass
class Timed:
    """What several runs of one thing took."""

    milliseconds: list[float]

    @property
    def p50(self) -> float:
        return sorted(self.milliseconds)[len(self.milliseconds) // 2]

    @property
    def p95(self) -> float:
        return sorted(self.milliseconds)[int(len(self.milliseconds) * 0.95)]


def timed(work: Callable[[int], object], times: int, warm: int = 2) -> Timed:
    for number in range(warm):
        work(number)
    found = []
    for number in range(times):
        began = time.perf_counter()
        work(warm + number)
        found.append((time.perf_counter() - began) * 1000)
    return Timed(found)


def in_threads(clients: int, batches: Sequence[Any], send: Callable[[int, Any], None]) -> float:
    """Seconds until several clients have sent all batches; the first failure is raised."""
    waiting = iter(batches)
    lock = threading.Lock()
    failures: list[Exception] = []

    def work(client: int) -> None:
        while not failures:
            with lock:
                batch = next(waiting, None)
            if batch is None:
                return
            try:
                send(client, batch)
            except Exception as error:
                failures.append(error)

    began = time.perf_counter()
    threads = [threading.Thread(target=work, args=(client,)) for client in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return time.perf_counter() - began
