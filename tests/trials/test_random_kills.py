"""kill -9 at random, again and again, under load: nothing that was answered is lost, nothing is done twice.

How long: RACKSIDE_TRIAL_MINUTES (ten). The stack is a demo, started as a person starts it; every program of it is
a victim but the supervisor, which starts again what died.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websockets

from config.embedded.instance import free_port
from config.embedded.programs.stack import WORKERS
from tests.browser.conftest import Hall
from tests.launcher.conftest import open_up
from tests.trials.stack import Stack, until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(3600)]
MINUTES = float(os.environ.get("RACKSIDE_TRIAL_MINUTES", "10"))
SEED = int(os.environ.get("RACKSIDE_TRIAL_SEED", "1"))
MACHINES = 12
WHOLE_AGAIN_S = 10.0
PAUSE_S = (2.0, 12.0)
VICTIMS = (
    "postgres",
    "valkey",
    "web",
    "relay",
    "beat",
    "hall",
    *(f"worker-{queues.replace(',', '+')}" for queues in WORKERS),
)
SESSION = """
import json
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from core.models import User
client = Client()
client.force_login(User.objects.get(username="operator"), backend="django.contrib.auth.backends.ModelBackend")
print(json.dumps(client.cookies["sessionid"].value))
"""
FOUND = """
import json
from core.models import Site
from health.models import Fault, Hold, LifecycleChange, RemediationAction
from live.models import Event
site = Site.objects.get().pk
print(json.dumps({
    "events": list(Event.objects.filter(site_id=site).order_by("id").values_list("id", "subject", "kind")),
    "unpublished": Event.objects.filter(published_at=None).count(),
    "confirmed": list(Event.objects.filter(kind="fault.confirmed").values_list("data", flat=True)),
    "steps": [
        (machine, before, after) for machine, before, after in LifecycleChange.objects.order_by("machine_id", "id")
        .values_list("machine_id", "transition__from_state", "transition__to_state")
    ],
    "actions": list(RemediationAction.objects.values_list("key", flat=True)),
    "holds": list(Hold.objects.filter(lifted_at=None).values_list("machine_id", "owner")),
}, default=str))
"""


class Writer(threading.Thread):
    """Writes records one after the other, each under a key of its own, and asks again until it is answered."""

    def __init__(self, stack: Stack, site: int, number: int) -> None:
        super().__init__(daemon=True)
        self.stack, self.site, self.number = stack, site, number
        self.over = threading.Event()
        self.answered: list[str] = []
        self.odd: list[Any] = []
        self.repeats = 0

    def run(self) -> None:
        while not self.over.is_set():
            name, key = f"writer-{self.number}-{len(self.answered):05d}", uuid.uuid4().hex
            while True:
                body = {"site": self.site, "name": name}
                status, answer = self.stack.call("POST", "/api/contacts/", body, key=key, timeout=15)
                if status == 201:
                    break
                if status not in (0, 409, 425, 429, 500, 502, 503, 504):
                    self.odd.append((name, status, answer))
                    return
                self.repeats += 1
                time.sleep(0.3)
            self.answered.append(name)


class Listener(threading.Thread):
    """A browser: follows the feed, and comes back with its cursor whenever it is lost."""

    def __init__(self, stack: Stack, site: int, cookie: str, cursor: str) -> None:
        super().__init__(daemon=True)
        self.address = f"ws{stack.url.removeprefix('http')}/ws/live/?site={site}&since="
        self.headers = {"Cookie": f"sessionid={cookie}", "Origin": stack.url}
        self.cursor = cursor
        self.over = threading.Event()
        self.events: list[tuple[int, str]] = []
        self.fresh_starts = 0
        self.connections = 0

    def run(self) -> None:
        asyncio.run(self.follow())

    async def follow(self) -> None:
        while not self.over.is_set():
            with contextlib.suppress(OSError, websockets.WebSocketException, TimeoutError):
                async with websockets.connect(self.address + self.cursor, additional_headers=self.headers) as socket:
                    self.connections += 1
                    await self.read(socket)
            await asyncio.sleep(0.5)

    async def read(self, socket: Any) -> None:
        while not self.over.is_set():
            with contextlib.suppress(TimeoutError):
                self.take(json.loads(await asyncio.wait_for(socket.recv(), 1)))

    def take(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "reset":
            self.fresh_starts += 1  # the browser fetches a new snapshot
        for event in frame.get("events", []):
            self.events.append((event["id"], event["subject"]))
        if frame["type"] != "hello":  # that one names where the feed is now; what was missed comes after it
            self.cursor = frame.get("cursor", self.cursor)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Stack]:
    open_up(tmp_path)
    stack = Stack(
        tmp_path / "demo", "demo", "--machines", str(MACHINES), "--bare", "0", "--faults-per-hour", "60", "--past", "0",
        port=free_port("127.0.0.1", 18500),
    )  # fmt: skip
    try:
        stack.start().sign_in("operator")
        yield stack
    finally:
        stack.close()


def kill_at_random(stack: Stack, seconds: float) -> dict[str, list[float]]:
    """Kill one program after another; how long each time until all of it was up and answered again."""
    rng, took = random.Random(SEED), defaultdict(list)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        name = rng.choice(VICTIMS)
        pid = stack.programs()[name]
        os.kill(pid, signal.SIGKILL)

        def whole(name: str = name, pid: int = pid) -> bool:
            now = stack.programs()
            return set(VICTIMS) <= set(now) and now[name] != pid and stack.is_ready()

        try:
            took[name].append(until(whole, 60, f"{name} after a kill"))
        except AssertionError as error:
            raise AssertionError(f"{error}: {stack.state()}") from None
        assert not stack.ended(), stack.said()
        time.sleep(rng.uniform(*PAUSE_S))
    return took


def test_nothing_is_lost_or_done_twice_while_processes_are_killed_at_random(demo: Stack, tmp_path: Path) -> None:
    site = int(demo.call("GET", "/api/sites/")[1]["results"][0]["id"])
    cursor = demo.call("GET", "/api/floor/")[1].get("cursor", "")
    listener = Listener(demo, site, demo.python(SESSION), cursor)
    writers = [Writer(demo, site, number) for number in range(2)]
    for thread in (listener, *writers):
        thread.start()
    before = demo.memory_mb()
    took = kill_at_random(demo, MINUTES * 60)
    for writer in writers:
        writer.over.set()
        writer.join(60)
    until(lambda: demo.python(FOUND)["unpublished"] == 0, 60, "the last events to be published")
    time.sleep(3)
    listener.over.set()
    listener.join(10)
    found = demo.python(FOUND)
    report(took, writers, listener, found, before, demo.memory_mb())

    lost_nothing(demo, writers)
    did_nothing_twice(found)
    told_everything_in_order(listener, found)
    the_loop_still_closes(demo)
    slow = {name: max(times) for name, times in took.items() if max(times) > WHOLE_AGAIN_S}
    assert not slow, f"whole again later than after {WHOLE_AGAIN_S} s: {slow}"


def lost_nothing(demo: Stack, writers: list[Writer]) -> None:
    for writer in writers:
        assert not writer.odd, writer.odd
        names, page = Counter[str](), f"/api/contacts/?name__startswith=writer-{writer.number}-&page_size=1000"
        while page:
            answer = demo.call("GET", page)[1]
            names.update(row["name"] for row in answer["results"])
            page = (answer["next"] or "").removeprefix(demo.url)
        assert len(writer.answered) > 10
        assert set(writer.answered) <= set(names), "an answered write is lost"
        assert max(names.values()) == 1, "a repeated request was carried out twice"


def did_nothing_twice(found: dict[str, Any]) -> None:
    assert len(found["actions"]) == len(set(found["actions"]))
    assert max(Counter(map(tuple, found["holds"])).values(), default=1) == 1
    assert max(Counter(json.dumps(data, sort_keys=True) for data in found["confirmed"]).values(), default=1) == 1
    state: dict[int, str] = {}
    for machine, before, after in found["steps"]:
        assert before in (state.get(machine), "new") or machine not in state, (machine, before, state[machine])
        state[machine] = after


def told_everything_in_order(listener: Listener, found: dict[str, Any]) -> None:
    """Each event once or more (browsers ignore repeats), first appearances of one subject in the order of their ids."""
    first: dict[str, int] = {}
    seen: set[int] = set()
    for number, subject in listener.events:
        if number not in seen:
            assert number > first.get(subject, 0), f"{subject}: {number} after {first[subject]}"
            seen.add(number)
            first[subject] = number
    if listener.fresh_starts == 0:
        begin = min(seen)
        missed = [event for event in found["events"] if event[0] >= begin and event[0] not in seen]
        assert not missed, missed[:5]


def the_loop_still_closes(demo: Stack) -> None:
    """A GPU that dies now is found and has its ticket: automation, sweeps, relay and workers do their work."""
    control = json.loads((demo.data / "hall" / "control.json").read_text())
    hall = Hall(control["url"], control["token"])
    well = [row["name"] for row in demo.call("GET", "/api/machines/?state=ready")[1]["results"]]
    hall.inject(well[-1], "gpu_off_bus", "GPU 6")

    def has_ticket() -> bool:
        tickets = demo.call("GET", "/api/tickets/?page_size=100")[1]["results"]
        return any(well[-1] in json.dumps(ticket) and "GPU 6" in json.dumps(ticket) for ticket in tickets)

    until(has_ticket, 240, f"the ticket of {well[-1]}")


def report(took: dict[str, list[float]], writers: list[Writer], listener: Listener, found: Any, *memory: Any) -> None:
    """The figures for docs/reliability.md, on the test's output and in the file that RACKSIDE_TRIAL_REPORT names."""
    lines = [f"{MINUTES:g} minutes, seed {SEED}, {sum(map(len, took.values()))} kills"]
    for name, times in sorted(took.items()):
        middle, longest = statistics.median(times), max(times)
        lines.append(f"{name}: {len(times)} kills, median {middle:.1f} s, longest {longest:.1f} s")
    answered, again = (sum(numbers) for numbers in zip(*((len(w.answered), w.repeats) for w in writers), strict=True))
    lines.append(f"writes answered {answered}, asked again {again}")
    lines.append(
        f"events {len(found['events'])}, heard {len(listener.events)} over {listener.connections} connections, "
        f"fresh starts {listener.fresh_starts}"
    )
    lines += [f"memory {json.dumps({name: round(mb) for name, mb in each.items()})}" for each in memory]
    print("\n" + "\n".join(lines))
    if target := os.environ.get("RACKSIDE_TRIAL_REPORT"):
        Path(target).write_text("\n".join(lines) + "\n")
