"""What the audit log costs: the fleet loaded with and without it, its size against the data, one change, a long list.

The loads run in transactions that are rolled back, in turns, so that both meet the same tables.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, transaction
from django.test import Client

from benchmarks.report import Context, Row
from benchmarks.sweep import ensure_fleet
from core.audit.tables import by_name
from core.audit.triggers import EVENTS, quoted
from core.audit.undo import undo
from core.models import AuditChange, AuditEntry, Role, Site
from core.services import ensure_user
from inventory.fleet.load import load
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.kinds import Scope, write
from inventory.models import Device, Rack

ROUNDS = 3
UPDATES = 300
IMPORTED = 50_000


class Enough(Exception):
    """Rolls a measured load back."""


def run(context: Context) -> list[Row]:
    site = ensure_fleet(context)
    path = context.folder / "second.yaml"
    path.write_text(second_fleet(context))
    log, data = sizes()  # first: rows that are rolled back leave their space behind
    plain, kept = loads(path)
    without, with_log = updates()
    rows = [
        Row("audit: load of a fleet without the log", f"{plain:.1f} s", f"best of {ROUNDS}, rolled back"),
        Row("audit: load of a fleet with the log", f"{kept:.1f} s", f"{kept - plain:+.1f} s, {kept / plain:.2f} x"),
        Row("audit: size of the log", f"{log / 1e6:.0f} MB", f"of {data / 1e6:.0f} MB of records ({log / data:.0%})"),
        Row("audit: one change without the log", f"{without:.2f} ms", f"median of {UPDATES}"),
        Row("audit: one change with the log", f"{with_log:.2f} ms", f"{with_log - without:+.2f} ms"),
    ]
    return rows + reading(site) + undoing(site)


def second_fleet(context: Context) -> str:
    """The reference fleet once more as another site, with other serials and names that nothing else uses."""
    text = fleet_file(context.machines, 0, "audit")
    return text.replace("slug: north", "slug: audit", 1)


def loads(path: Path) -> tuple[float, float]:
    """Seconds without and with the log, the best of some rounds in turns."""
    took: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(ROUNDS):
        for logged in (False, True):
            with measured(took[logged], logged=logged):
                load(path)
    return min(took[False]), min(took[True])


def updates() -> tuple[float, float]:
    """Milliseconds of one change of one record, without and with the log."""
    rack = Rack.objects.order_by("id")[0]
    medians = []
    for logged in (False, True):
        times: list[float] = []
        try:
            with transaction.atomic():
                if not logged:
                    silence()
                for number in range(UPDATES):
                    began = time.perf_counter()
                    Rack.objects.filter(pk=rack.pk).update(power_limit_w=number)
                    times.append((time.perf_counter() - began) * 1000)
                raise Enough
        except Enough:
            medians.append(statistics.median(times))
    return medians[0], medians[1]


@contextmanager
def measured(times: list[float], *, logged: bool) -> Iterator[None]:
    try:
        with transaction.atomic():
            if not logged:
                silence()
            began = time.perf_counter()
            yield
            times.append(time.perf_counter() - began)
            raise Enough
    except Enough:
        pass


def silence() -> None:
    """Switch the triggers of the log off, until the end of the transaction that is rolled back."""
    with connection.cursor() as cursor:
        for table in by_name():
            for trigger in EVENTS:
                cursor.execute(f"ALTER TABLE {quoted(table)} DISABLE TRIGGER {trigger}")


def undoing(site: Site) -> list[Row]:
    """An import of many parts, and its undo: seconds, and what the process holds more than before."""
    rows = [{"site": site.pk, "kind": "optic", "part_number": "UNDO", "serial": f"U{n:06}"} for n in range(IMPORTED)]
    began = time.perf_counter()
    assert write("components", rows, "create", scope=Scope.everything(), actor="bench").ok
    imported = time.perf_counter() - began
    change = AuditChange.objects.latest("id")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    undo(change, {None: Role.ADMIN})
    took = time.perf_counter() - began
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return [
        Row(f"audit: import of {IMPORTED:,} parts", f"{imported:.1f} s"),
        Row("audit: undo of that import", f"{took:.1f} s", f"{more:.0f} MB more memory at its peak"),
    ]


def sizes() -> tuple[int, int]:
    """Bytes of the log and of the audited tables, indexes included."""
    with connection.cursor() as cursor:
        total = "SELECT sum(pg_total_relation_size(name::regclass))::bigint FROM unnest(%s::text[]) name"
        cursor.execute(f"SELECT ({total}), ({total})", [["core_auditchange", "core_auditentry"], list(by_name())])
        log, data = cursor.fetchone()
    return log, data


def reading(site: Site) -> list[Row]:
    """The newest changes, and the history of one device, as an administrator reads them."""
    user, _ = ensure_user("bench-audit", role=Role.ADMIN)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    device = Device.objects.filter(site=site, kind="machine").order_by("id")[0]
    rows = []
    asked: tuple[tuple[str, dict[str, str]], ...] = (
        ("newest changes", {}),
        ("history of a machine", {"kind": "devices", "object": str(device.pk)}),
    )
    for name, query in asked:
        times = []
        for _ in range(20):
            began = time.perf_counter()
            answer = client.get("/api/history/", query)
            times.append((time.perf_counter() - began) * 1000)
            assert answer.status_code == 200, answer.content[:300]
        rows.append(
            Row(
                f"audit: {name}",
                f"{statistics.median(times):.0f} ms",
                f"{AuditEntry.objects.count()} entries in the log",
            )
        )
    connection.close()
    return rows
