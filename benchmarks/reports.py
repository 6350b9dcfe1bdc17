"""Verdicts that other systems report, over HTTP, to one web process; the clients share the cores.

The fleet reports as agents do. Two clients send results of all machines in batches: first all anew, then unchanged but
newer, then a tenth of them changed. Then each machine sends its own few results by itself, with nothing changed, as
machines do all day, and with a tenth changed back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import orjson
from django.core.management import call_command

from benchmarks.report import Context, Row
from benchmarks.server import Session, fresh_database, in_threads, web_process
from core.models import Site
from health.external.services import sources
from health.models import MachineHealth
from health.monitoring.services import partitions
from inventory.fleet.load import load

CLIENTS = 2
MACHINES_AT_ONCE = 32
BATCH = 2000
CHECKS = 40
ROUNDS = 5
IN_BULK, BY_ITSELF = "100,000 a second", "10,000 a second"
Rows = list[dict[str, Any]]


def run(context: Context) -> list[Row]:
    path = context.folder / "reports-fleet.yaml"
    call_command("reference_fleet", machines=context.machines, output=str(path), verbosity=0)
    with fresh_database("reports") as url:
        load(path)
        partitions.ensure()
        site = Site.objects.filter(devices__machine__isnull=False).order_by("id")[0]
        _, token = sources.make_source(site, actor="bench", name="agents", kind="agent")
        names = list(
            MachineHealth.objects.filter(machine__device__site=site)
            .order_by("machine_id")
            .values_list("machine__device__name", flat=True)
        )
        with web_process(url) as port:
            sessions = [Session(port, token) for _ in range(MACHINES_AT_ONCE)]
            sessions[0].send("POST", "/api/health/reports/", batches(said(names[:1], well), 1)[0])  # warm
            few = sessions[:CLIENTS]
            measured: dict[int, tuple[float, float]] = {}
            first = send(few, said(names, well), BATCH)
            for who, size in ((few, BATCH), (sessions, CHECKS)):
                same = median(send(who, said(names, well), size) for _ in range(ROUNDS))
                turned = median(send(who, said(names, turn), size) for turn in (tenth_warns, well) * (ROUNDS // 2))
                measured[size] = same, turned
    bulk, single = measured[BATCH], measured[CHECKS]
    about = f"{len(names) * CHECKS:,} results of {len(names)} machines, {BATCH:,} a request, {CLIENTS} clients"
    own = f"{CHECKS} results a request, {MACHINES_AT_ONCE} machines at once"
    return [
        Row("reports: never reported before", f"{first:,.0f} a second", about),
        Row("reports: unchanged but newer", f"{bulk[0]:,.0f} a second", f"median of {ROUNDS}", goal=IN_BULK),
        Row("reports: a tenth changed", f"{bulk[1]:,.0f} a second"),
        Row("reports: each machine by itself", f"{single[0]:,.0f} a second", own, goal=BY_ITSELF),
        Row("reports: each by itself, a tenth changed", f"{single[1]:,.0f} a second", goal=BY_ITSELF),
    ]


def well(number: int) -> str:
    return "ok"


def tenth_warns(number: int) -> str:
    return "warn" if number % 10 == 0 else "ok"


def said(names: list[str], verdict: Callable[[int], str]) -> Rows:
    """Every check of every machine, as an agent says it now."""
    at = time.time()
    return [
        {
            "machine": name,
            "check": f"check_{number:02}",
            "verdict": verdict(place * CHECKS + number),
            "message": f"check_{number:02} says so",
            "at": at,
        }
        for place, name in enumerate(names)
        for number in range(CHECKS)
    ]


def batches(rows: Rows, size: int) -> list[bytes]:
    return [orjson.dumps({"results": rows[at : at + size]}) for at in range(0, len(rows), size)]


def send(sessions: list[Session], rows: Rows, size: int) -> float:
    """Results a second. The bodies are made before the clock starts: that is the clients' work."""

    def post(client: int, body: Any) -> None:
        answer = orjson.loads(sessions[client].send("POST", "/api/health/reports/", body))
        if answer["refused"]:
            raise RuntimeError(f"refused: {answer['errors'][:3]}")

    return len(rows) / in_threads(len(sessions), batches(rows, size), post)
