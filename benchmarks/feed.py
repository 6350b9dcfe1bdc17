"""Latency of the live feed: from the commit of an event to 100 sockets, all in this machine.

Starts its own web process and relay on the instance's database; each socket notes when it hears each event.
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

SOCKETS = 100
EVENTS = 200
EVENTS_PER_S = 50


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@sync_to_async
def send_event(site: int, number: int) -> None:
    with transaction.atomic():
        events.emit("bench.tick", site_id=site, subject="bench:1", data={"n": number, "at": time.time()})


async def listen(url: str, cookie: str, delays: list[float], ready: asyncio.Event, done: asyncio.Event) -> int:
    """Collect the delay of every event; returns how many were heard."""
    heard = 0
    headers = {"Cookie": f"sessionid={cookie}", "Origin": "http://localhost"}
    async with websockets.connect(url, additional_headers=headers, max_size=None) as ws:
        await ws.recv()  # hello
        ready.set()
        while heard < EVENTS and not done.is_set():
            try:
                frame = json.loads(await asyncio.wait_for(ws.recv(), timeout=1))
            except TimeoutError:
                continue
            now = time.time()
            for event in frame.get("events", []):
                delays.append(now - event["data"]["at"])
                heard += 1
    return heard


async def measure(port: int, site: int, cookie: str) -> tuple[list[float], int]:
    delays: list[float] = []
    done = asyncio.Event()
    ready = [asyncio.Event() for _ in range(SOCKETS)]
    url = f"ws://127.0.0.1:{port}/ws/live/?site={site}"
    listeners = [asyncio.create_task(listen(url, cookie, delays, flag, done)) for flag in ready]
    await asyncio.wait_for(asyncio.gather(*(flag.wait() for flag in ready)), timeout=60)
    for number in range(EVENTS):
        await send_event(site, number)
        await asyncio.sleep(1 / EVENTS_PER_S)
    asyncio.get_running_loop().call_later(10, done.set)
    return delays, sum(await asyncio.gather(*listeners))


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
        delays, heard = asyncio.run(measure(port, site.pk, client.cookies["sessionid"].value))
    expected = SOCKETS * EVENTS
    p50, p99 = statistics.median(delays), statistics.quantiles(delays, n=100)[98]
    return [
        Row("feed: delivered", f"{heard / expected:.1%}", f"{SOCKETS} sockets, {EVENTS} events at {EVENTS_PER_S}/s"),
        Row("feed: commit to socket, median", f"{p50 * 1000:.0f} ms", "window of 100 ms included; target 1 s"),
        Row("feed: commit to socket, 99th percentile", f"{p99 * 1000:.0f} ms", "the sockets' client shares the cores"),
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
