"""The six requests with a goal, over HTTP on the reference fleet; then a whole fleet through the REST API in bulk.

The web process is one process, as it runs in production, and shares the cores with PostgreSQL and with the client. Each
machine of the reference fleet was looked at once.

The fleet that goes through the API is of the shape `netbox` (two tiers: 1,236 devices, 10,698 cables), which was
measured in NetBox as well. Its records are read from a loaded one, in the form a client sends; two clients send them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.core.management import call_command
from django.db import transaction

from benchmarks.reads import UPDATE, cable_import, look_at_all, questions, rows, updates
from benchmarks.report import Context, Row
from benchmarks.server import Session, fresh_database, in_threads, new_token, web_process
from inventory.fleet.load import load
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.kinds import KINDS
from inventory.transfer.export import natural_records, without_empty

CLIENTS = 2
BATCH = {"devices": 250, "device-models": 1, "components": 4000, "ports": 4000}
USUAL_BATCH = 1000
GOAL_REST_S = 12
ENDS = {"cables": {"ports"}, "pass-throughs": {"ports"}}
"""What rows refer to inside their ends."""
Records = dict[str, list[dict[str, Any]]]


def run(context: Context) -> list[Row]:
    return [*asked(context), *sent(context)]


def asked(context: Context) -> list[Row]:
    """What everyday requests take, at the median."""
    path = context.folder / "reference.yaml"
    path.write_text(fleet_file(context.machines))
    with fresh_database("rest_asked") as url:
        load(path)
        look_at_all()
        token = new_token()
        with web_process(url) as port:
            session = Session(port, token)
            found = questions(session) | {UPDATE: updates(session)}
        with web_process(url, RACKSIDE_FREEZE_HEAP="0") as port:
            session = Session(port, token)
            questions(session)  # as warm as the other
            thawed = updates(session)
    note = f"p95 {thawed.p95:.1f} ms, the heap not frozen"
    return [*rows("rest", found), Row("rest: the same update", f"{thawed.p50:.1f} ms", note)]


def sent(context: Context) -> list[Row]:
    """Records of a loaded fleet, sent again to an empty one."""
    path = context.folder / "netbox-shape.yaml"
    call_command("reference_fleet", machines=context.machines, shape="netbox", output=str(path), verbosity=0)
    with fresh_database("rest") as url:
        token = new_token()
        with transaction.atomic():
            began = time.perf_counter()
            load(path)
            loaded_s = time.perf_counter() - began
            records = read_all()
            transaction.set_rollback(True)
        with web_process(url) as port:
            took = send_all(port, token, records)
        imported_s = cable_import()
    counts = ", ".join(f"{len(sent):,} {name}" for name, sent in records.items() if len(sent) >= 100)
    steps = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in took.items() if seconds >= 0.2)
    return [
        Row("rest: netbox shape through REST", f"{sum(took.values()):.1f} s", counts, f"{GOAL_REST_S} s or less"),
        Row("rest: of which", "", f"{CLIENTS} clients: {steps}"),
        Row("rest: the same through load_fleet", f"{loaded_s:.1f} s", "in one transaction"),
        Row("rest: CSV import of 500 cables", f"{imported_s:.2f} s", "read, checked, written", "1 s or less"),
    ]


def read_all() -> Records:
    """The records of every kind as one would write them, in the order in which they can be written."""
    found: Records = {}
    for name in in_order():
        kind = KINDS[name]
        sent = [without_empty(kind, record) for record in natural_records(kind, kind.queryset().order_by("pk"))]
        if sent:
            found[name] = sent
    return found


def in_order() -> list[str]:
    """Kinds after those they refer to; what is part of another kind is written with that."""
    left = {name: kind for name, kind in KINDS.items() if not kind.part_of}
    done: list[str] = []
    while left:
        ready = [
            name
            for name, kind in left.items()
            if not ({field.references for field in kind.references.values()} | ENDS.get(name, set()))
            & (left.keys() - {name})
        ]
        assert ready, f"kinds refer to each other in a circle: {sorted(left)}"
        done += ready
        for name in ready:
            del left[name]
    return done


def send_all(port: int, token: str, records: Records) -> dict[str, float]:
    """Kind to seconds. PUT, which creates or changes: ports are there already, from their devices' models."""
    took = {}
    sessions = [Session(port, token) for _ in range(CLIENTS)]
    for name, sent in records.items():
        size = BATCH.get(name, USUAL_BATCH)
        batches = [sent[at : at + size] for at in range(0, len(sent), size)]
        took[name] = in_threads(CLIENTS, batches, sender(sessions, f"/api/{name}/?fields=id"))
    return took


def sender(sessions: list[Session], path: str) -> Callable[[int, Any], None]:
    def send(client: int, batch: Any) -> None:
        sessions[client].send("PUT", path, batch)

    return send
