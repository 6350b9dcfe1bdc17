"""The worker that two queues share, with the real command and the real broker."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import processes
from config.embedded.instance import ROOT
from tests.launcher.conftest import wait_until

pytestmark = pytest.mark.services


@pytest.fixture
def worker() -> Iterator[None]:
    """Its words, but for the application."""
    words = [word if word != "config" else "tests.launcher.naps" for word in processes.worker("ingest,fabric")]
    process = subprocess.Popen(words, cwd=ROOT, start_new_session=True)
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.usefixtures("worker")
def test_tasks_that_hang_hold_up_neither_their_own_queue_nor_the_other_of_their_worker(tmp_path: Path) -> None:
    from tests.launcher.naps import app, nap

    def send(queue: str, name: str, seconds: float) -> Path:
        nap.apply_async((seconds, str(tmp_path / name)), queue=queue)
        return tmp_path / name

    try:
        hanging = [send("fabric", f"hangs {number}", 300) for number in range(5)]
        quick = [send("fabric", "quick fabric", 0), send("ingest", "quick import", 0)]
        wait_until(lambda: all(mark.exists() and mark.read_text() for mark in [*hanging, *quick]), timeout_s=60)
        assert len({mark.read_text() for mark in hanging}) == len(hanging), "one process each"
    finally:
        with app.connection_for_write() as connection:
            for queue in ("ingest", "fabric"):
                connection.default_channel.queue_purge(queue)
