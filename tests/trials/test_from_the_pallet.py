"""Bare machines of the hall from their BMC to `ready`, one in ten with a defect, while workers and broker are killed.

How many: RACKSIDE_TRIAL_BARE (40). The stack is a demo, started as a person starts it. Nothing may be lost: every good
machine is in service, every other one has failed in the class of its defect, with one ticket.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.embedded.instance import free_port
from simulator.delivery import Defect, defects_of, end_of
from tests.browser.conftest import Hall
from tests.launcher.conftest import open_up
from tests.trials.stack import Stack, until

BARE = int(os.environ.get("RACKSIDE_TRIAL_BARE", "40"))
KILLED_EVERY_S = 20.0
BROKER_AFTER_S = 50.0
A_MACHINE_S = 20.0
"""Generous: the defects that show by time alone take six minutes, and a busy machine is no failure."""
LONGEST_S = 600 + A_MACHINE_S * BARE
START_S = 1800
pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(START_S + LONGEST_S)]
FOUND = """
import json
from django.db.models import Count, F, Max
from live.models import Event
from provisioning.models import RunMachine
from tickets.models import Ticket
rows = RunMachine.objects.annotate(lines=Count("log_lines"), last=Max("log_lines__n"))
own = Ticket.objects.filter(source="provisioning").values_list("machine_id").annotate(Count("pk"))
print(json.dumps({
    "ends": list(rows.values_list("machine__device__name", "status", "failure_class", "ticket", "failure_text")),
    "logs_with_gaps": rows.exclude(lines=F("last")).count(),
    "twice": [machine for machine, tickets in own if tickets > 1],
    "without_service": list(
        RunMachine.objects.filter(status="done").exclude(machine__health__state="ready")
        .values_list("machine__device__name", "machine__health__state")
    ),
    "unpublished": Event.objects.filter(published_at=None).count(),
}))
"""


class Killer(threading.Thread):
    """Kills the worker that installs machines, again and again, and the broker once."""

    def __init__(self, stack: Stack) -> None:
        super().__init__(daemon=True)
        self.stack, self.over, self.killed = stack, threading.Event(), 0
        self.broker = threading.Timer(BROKER_AFTER_S, lambda: self.kill("valkey"))

    def run(self) -> None:
        self.broker.start()
        while not self.over.wait(KILLED_EVERY_S):
            self.kill("worker-provision")

    def kill(self, name: str) -> None:
        with contextlib.suppress(KeyError, ProcessLookupError):  # it is being started again just now
            os.kill(self.stack.programs()[name], signal.SIGKILL)
            self.killed += 1

    def stop(self) -> None:
        self.over.set()
        self.broker.cancel()
        self.join(60)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Stack]:
    open_up(tmp_path)
    stack = Stack(
        tmp_path / "demo", "demo", "--machines", "4", "--bare", str(BARE), "--faults-per-hour", "0", "--past", "0",
        port=free_port("127.0.0.1", 18700), variables={"RACKSIDE_PROVISION_TIME_SCALE": "0.1"},
    )  # fmt: skip
    try:
        stack.start().sign_in("operator")
        yield stack
    finally:
        stack.close()


def bare_machines(stack: Stack) -> dict[str, int]:
    rows, page = [], "/api/machines/?state=new&page_size=1000"
    while page:
        answer = stack.call("GET", page)[1]
        rows += answer["results"]
        page = (answer["next"] or "").removeprefix(stack.url)
    return {row["name"]: row["id"] for row in sorted(rows, key=lambda row: row["name"])}


def wrong(ends: list[list[str]], defects: dict[str, Defect]) -> list[Any]:
    """Machines that ended otherwise than their defect says, or whose failure has no ticket."""
    return [
        row for row in ends if (row[1], row[2]) != end_of(defects.get(row[0])) or bool(row[3]) != (row[0] in defects)
    ]


def test_every_good_machine_comes_to_service_and_every_other_has_its_class_and_one_ticket(demo: Stack) -> None:
    names = bare_machines(demo)
    assert len(names) == BARE
    control = json.loads((demo.data / "hall" / "control.json").read_text())
    hall, defects = Hall(control["url"], control["token"]), defects_of(list(names))
    for name, defect in defects.items():
        hall.inject(name, defect.fault, defect.slot, **defect.params)
    status, run = demo.call("POST", "/api/provisioning/runs/", {"machines": list(names.values()), "limit": BARE})
    assert status == 201, run
    killer = Killer(demo)
    killer.start()

    def over() -> bool:
        status, now = demo.call("GET", "/api/provisioning/runs/?page_size=1")
        return status == 200 and now["results"][0]["status"] not in ("waiting", "running")

    took = until(over, LONGEST_S, "the end of the run")
    killer.stop()
    until(lambda: demo.python(FOUND)["unpublished"] == 0, 60, "the last events to be published")
    found = demo.python(FOUND)
    print(f"{BARE} machines, {len(defects)} with a defect: {took:.0f} s, {killer.killed} processes killed")
    assert killer.killed > 2
    assert not wrong(found["ends"], defects)
    assert len(found["ends"]) == BARE and not found["twice"]
    assert not found["without_service"] and not found["logs_with_gaps"]
