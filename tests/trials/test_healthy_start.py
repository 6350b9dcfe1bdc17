"""A demo without faults, started and stopped twice: what its logs and its terminal say, and how fast it stops."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.instance import free_port
from tests.launcher.conftest import wait_until
from tests.trials.stack import Stack

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(900)]
MACHINES = 48
STOPS_WITHIN_S = 5.0
LOUD = ("warning", "error", "critical")
HARMLESS = (
    "the database system is starting up",  # what PostgreSQL says to the question whether it answers yet
    "Memory overcommit must be enabled",  # what Valkey says of a host
    "[stderr]@%WARNING",  # the table with which beat begins: from which level on it logs
)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Stack]:
    options = ("--machines", str(MACHINES), "--bare", "0", "--faults-per-hour", "0", "--past", "0")
    stack = Stack(tmp_path / "demo", "demo", *options, port=free_port("127.0.0.1", 18450))
    try:
        yield stack
    finally:
        stack.close()


def loud(stack: Stack) -> list[str]:
    """Lines of the programs' logs that warn, and plain ones that no program should write."""
    found = []
    for log in sorted(stack.folder.logs.glob("*.log")):
        for line in log.read_text(errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                is_plain_fault = any(word in line for word in ("Traceback", "FATAL", "PANIC", "WARNING"))
                is_loud = is_plain_fault and not any(words in line for words in HARMLESS)
            else:
                is_loud = isinstance(entry, dict) and entry.get("level") in LOUD
            found += [f"{log.stem}: {line[:300]}"] if is_loud else []
    return found


def stop_in_time(stack: Stack) -> None:
    began = time.monotonic()
    assert stack.stop() == 130, stack.said()
    assert time.monotonic() - began < STOPS_WITHIN_S, stack.said()


def test_a_healthy_start_and_restart_warn_of_nothing_and_stop_in_time_in_the_middle_of_a_sweep(demo: Stack) -> None:
    demo.start()
    wait_until(lambda: "First sweep: " in demo.said(), 120)
    stop_in_time(demo)  # in the middle of the first sweep, or right after it
    assert loud(demo) == [] and " WARNING " not in demo.said()
    demo.start()
    wait_until(lambda: f"{MACHINES} machines answered." in demo.said(), 120)
    stop_in_time(demo)
    assert loud(demo) == [] and " WARNING " not in demo.said()
