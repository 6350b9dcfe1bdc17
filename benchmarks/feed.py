"""Latency of the live feed: from the commit of an event to 500 sockets that follow one site, all in this machine.

Starts its own web process and relay on the instance's database. Every socket takes every frame as a browser does,
compressed if the server compresses, and each event's delay is noted at each socket. Frames are the same for all
sockets, so each is decoded once: the client's work is no part of the delay, but it shares the cores.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import lru_cache
from typing import Any

import websockets
from asgiref.sync import sync_to_async
from django.db import transaction
from django.test import Client

from benchmarks.report import Row
from config import processes
from core.models import Role, Site
from core.services import ensure_user
from live import events

KIND = "bench.tick"
SOCKETS = 500
EVENTS_PER_S = 200
EVENTS = 10 * EVENTS_PER_S
GOAL_MS = 150
OPENED_AT_ONCE = 20
PATIENCE_S = 10
"""How long the last events may take."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@sync_to_async
def send_event(site: int, number: int) -> None:
    with transaction.atomic():
        events.emit(KIND, site_id=site, subject="bench:1", data={"n": number, "at": time.time()})


async def send_all(site: int) -> float:
    """A transaction for each event, at the times they are due; returns how many a second that became."""
    began = time.perf_counter()
    for number in range(EVENTS):
        await asyncio.sleep(max(0.0, began + number / EVENTS_PER_S - time.perf_counter()))
        await send_event(site, number)
    return EVENTS / (time.perf_counter() - began)


@lru_cache(maxsize=64)
def sent_at(frame: str) -> tuple[tuple[int, float], ...]:
    """Number and time of our events in a frame; news of what was made for the benchmark may come too."""
    ours = (event["data"] for event in json.loads(frame).get("events", ()) if event["kind"] == KIND)
    return tuple((data["n"], data["at"]) for data in ours)


async def listen(url: str, cookie: str, ready: asyncio.Event, opening: asyncio.Semaphore) -> list[float]:
    """The delay of every event, in seconds, until all came or none comes any more."""
    delays: dict[int, float] = {}
    headers = {"Cookie": f"sessionid={cookie}", "Origin": "http://localhost"}
    async with opening:
        opened = await websockets.connect(url, additional_headers=headers, max_size=None)
    async with opened as ws:
        await ws.recv()  # hello
        ready.set()
        try:
            while len(delays) < EVENTS:
                frame = await ws.recv()
                now = time.time()
                for number, at in sent_at(str(frame)):
                    delays.setdefault(number, now - at)
        except asyncio.CancelledError:
            pass
    return list(delays.values())


async def measure(port: int, site: int, cookie: str) -> tuple[list[float], float]:
    """The delays at all sockets together, and the events a second."""
    opening = asyncio.Semaphore(OPENED_AT_ONCE)
    ready = [asyncio.Event() for _ in range(SOCKETS)]
    url = f"ws://127.0.0.1:{port}/ws/live/?site={site}"
    listeners = [asyncio.create_task(listen(url, cookie, flag, opening)) for flag in ready]
    await asyncio.wait_for(asyncio.gather(*(flag.wait() for flag in ready)), timeout=120)
    rate = await send_all(site)
    _, late = await asyncio.wait(listeners, timeout=PATIENCE_S)
    for listener in late:
        listener.cancel()
    return [delay for delays in await asyncio.gather(*listeners) for delay in delays], rate


def run(context: Any) -> list[Row]:
    site, _ = Site.objects.get_or_create(slug="bench-feed", defaults={"name": "Feed benchmark"})
    user, _ = ensure_user("bench-feed", role=Role.VIEWER)
    client = Client()
    client.force_login(user)
    port = free_port()
    environment = {**os.environ, "RACKSIDE_DATABASE_POOL": "1", "RACKSIDE_LOG_LEVEL": "WARNING"}
    with ExitStack() as stack:
        for command in (processes.web("127.0.0.1", str(port)), processes.relay()):
            child = subprocess.Popen(
                [command[0], *command[1:]], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            stack.callback(child.wait, 15)
            stack.callback(child.terminate)
        wait_for(port)
        delays, rate = asyncio.run(measure(port, site.pk, client.cookies["sessionid"].value))
    share = len(delays) / (SOCKETS * EVENTS)
    p50, p95, p99 = statistics.median(delays), *(statistics.quantiles(delays, n=100)[at] for at in (94, 98))
    about = f"{EVENTS:,} events to each of {SOCKETS} sockets, one web process; all on these cores"
    return [
        Row("feed: events", f"{rate:.0f} a second", "a transaction each", goal=f"{EVENTS_PER_S} a second"),
        Row("feed: delivered", f"{share:.2%}", about, goal="100%"),
        Row("feed: commit to socket, median", f"{p50 * 1000:.0f} ms"),
        Row("feed: commit to socket, 95th percentile", f"{p95 * 1000:.0f} ms", goal=f"{GOAL_MS} ms or less"),
        Row("feed: commit to socket, 99th percentile", f"{p99 * 1000:.0f} ms"),
    ]


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    sys.exit("the web process of the benchmark did not start")
