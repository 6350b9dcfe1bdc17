"""Each process of a real stack is killed with kill -9, one after the other: the stack is whole again within seconds.

PostgreSQL, Valkey, web, relay, beat, workers and the virtual hall are the demo's own. The time of each is printed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from celery import Celery
from redis import Redis

from config.embedded.data_folder import DataFolder, is_alive
from config.embedded.instance import ROOT, Instance, free_port
from config.embedded.programs.stack import WORKERS
from config.embedded.programs.supervisor import leftovers
from config.embedded.progress import Progress
from config.processes import QUEUES
from tests.launcher.conftest import open_up, wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(900)]
MACHINES = 8
SWEEP_S = 3
WHOLE_WITHIN_S = 10.0
VICTIMS = [
    "postgres",
    "valkey",
    "web",
    "relay",
    "beat",
    "hall",
    *(f"worker-{queues.replace(',', '+')}" for queues in WORKERS),
]


class Demo:
    """A running demo of a few machines, swept every few seconds."""

    def __init__(self, data: Path) -> None:
        self.port = free_port("127.0.0.1", 18300)
        self.instance = Instance(data, Progress())
        self.output = data.with_name("output")
        options = ["--machines", str(MACHINES), "--bare", "0", "--faults-per-hour", "0", "--past", "0"]
        options += ["--port", str(self.port)]
        with self.output.open("w") as stream:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "config.embedded", "demo", "--data", str(data), *options],
                cwd=ROOT,
                env={**os.environ, "RACKSIDE_SWEEP_PERIOD_S": str(SWEEP_S)},
                stdout=stream,
                stderr=stream,
            )
        wait_until(lambda: "Ctrl-C stops" in self.said() or self.process.poll() is not None, 600)
        assert self.process.poll() is None, self.said()
        self.broker = Redis.from_url(f"unix://{self.instance.valkey.socket}?db=1")
        self.celery = Celery(broker=self.instance.valkey.broker_url(1), set_as_current=False)

    def said(self) -> str:
        return self.output.read_text()

    def record(self) -> dict[str, Any]:
        return self.instance.folder.read_record("instance")

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        for pid in leftovers(self.instance.folder):
            os.kill(pid, signal.SIGKILL)

    # ---- whether everything works ----
    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=3) as answer:
                return bool(json.load(answer)["ready"])
        except OSError:
            return False

    def ask(self, query: str, *values: object) -> Any:
        with self.instance.postgres.connect() as connection:
            row = connection.execute(query, values).fetchone()  # type: ignore[call-overload]
        assert row is not None
        return row[0]

    def now(self) -> Any:
        return self.ask("SELECT now()")

    def send_to_every_queue(self) -> bool:
        """A task for each worker, so that it has to show that it still takes one."""
        try:
            for queue in QUEUES:
                self.celery.send_task("core.work.tasks.retry_failed_handlers", queue=queue, retry=False)
            return True
        except Exception:
            return False

    def is_swept(self, since: Any) -> bool:
        """Whether a sweep that began since then ended with every machine heard, and its end was published."""
        swept = """
            SELECT count(*) FROM health_sweep s JOIN live_event e ON e.subject = 'sweep:' || s.id
            WHERE s.kind = 'scheduled' AND s.status = 'finished' AND s.reachable = %s AND s.started_at > %s
                AND e.kind = 'sweep.finished' AND e.published_at IS NOT NULL"""
        try:
            return bool(self.ask(swept, MACHINES, since))
        except psycopg.Error:
            return False

    def queues_are_empty(self) -> bool:
        try:
            return not any(self.broker.llen(queue) for queue in QUEUES)
        except Exception:
            return False

    def everything_runs(self, victim: str, old: int) -> bool:
        record = self.record()
        pids = record["children"]
        return (
            pids[victim] != old
            and all(is_alive(pid) for pid in pids.values())
            and not any(trouble["down"] for trouble in record["troubles"])
        )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("outlives")
    open_up(folder)
    demo = Demo(folder / "data")
    try:
        wait_until(lambda: demo.is_swept(time.strftime("%Y-01-01T00:00:00Z")), 60)
        yield demo
    finally:
        demo.close()


@pytest.mark.parametrize("victim", VICTIMS)
def test_the_stack_is_whole_again_within_seconds_of_a_killed(victim: str, demo: Demo) -> None:
    old = demo.record()["children"][victim]
    since, began = demo.now(), time.monotonic()
    os.kill(old, signal.SIGKILL)
    steps = {
        "processes": lambda: demo.everything_runs(victim, old),
        "broker": demo.send_to_every_queue,
        "web": demo.is_ready,
        "swept": lambda: demo.is_swept(since),
        "queues": demo.queues_are_empty,
    }
    took = {}
    for name, is_done in steps.items():
        wait_until(is_done, 120)
        took[name] = round(time.monotonic() - began, 1)
    print(f"kill -9 {victim}: whole after {took['queues']} s {took}")
    assert demo.process.poll() is None, demo.said()
    assert f"{victim} was killed by SIGKILL; it is started again now" in demo.said()
    assert took["queues"] < WHOLE_WITHIN_S, took


def test_no_event_was_left_unpublished_and_no_sweep_open(demo: Demo) -> None:
    wait_until(lambda: demo.ask("SELECT count(*) FROM live_event WHERE published_at IS NULL") == 0, 20)
    old = "SELECT count(*) FROM health_sweep WHERE status = 'running' AND started_at < now() - interval '20 s'"
    wait_until(lambda: demo.ask(old) == 0, 120)
    assert DataFolder(demo.instance.folder.path).owner() == demo.process.pid
