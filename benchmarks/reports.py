"""Verdicts that other systems report, over HTTP: two clients send to a web process of one process on the same cores.

The fleet reports as agents do: results of all machines in batches; first all anew, then unchanged but newer, then a
tenth of them changed, and as single machines with their own few results each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
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
BATCH = 2000
CHECKS = 40
OF_ONE = 40
AIM = 20_000
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
            sessions = [Session(port, token) for _ in range(CLIENTS)]
            sessions[0].send("POST", "/api/health/reports/", batches(said(names[:1], lambda n: "ok"), 1)[0])  # warm
            first = send(sessions, said(names, lambda n: "ok"), BATCH)
            repeated = send(sessions, said(names, lambda n: "ok"), BATCH)
            changed = send(sessions, said(names, lambda n: "warn" if n % 10 == 0 else "ok"), BATCH)
            single = send(sessions, said(names, lambda n: "ok"), OF_ONE)
    count = len(names) * CHECKS
    about = f"{count:,} results of {len(names)} machines, {BATCH:,} a request, {CLIENTS} clients, one web process"
    return [
        Row("reports: never heard of before", f"{first:,.0f} a second", f"{about}; aim {AIM:,}"),
        Row("reports: unchanged but newer", f"{repeated:,.0f} a second", f"aim {AIM:,}"),
        Row("reports: a tenth changed to warn", f"{changed:,.0f} a second", f"aim {AIM:,}"),
        Row("reports: back to ok, each machine by itself", f"{single:,.0f} a second", f"{OF_ONE} results a request"),
    ]


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
