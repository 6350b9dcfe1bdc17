"""What people and scripts ask of a loaded fleet, over HTTP: the same questions for every size of fleet."""

from __future__ import annotations

import time

from django.db import transaction

from benchmarks.report import Row
from benchmarks.server import Session, Timed, timed
from inventory.kinds import KINDS, Scope, write
from inventory.models import Cable, Device, Port, Rack
from inventory.transfer.export import as_csv, natural_records
from inventory.transfer.readers import read_rows

TIMES = 15
UPDATES = 200
IMPORTED = 500
AIMS_MS = {"all elevations": 100, "trace of 8 rails": 40, "search": 20, "import of 500 cables": 1000}


def machine() -> Device:
    """Some machine in the middle of the fleet."""
    machines = Device.objects.filter(kind="machine", placement__rack__isnull=False).order_by("id")
    return machines[machines.count() // 2]


def questions(session: Session) -> dict[str, Timed]:
    """Name of the question to what it took; the answers are looked at, so that an empty one does not count."""
    some = machine()
    rack = Rack.objects.filter(placements__device=some).get()
    room = rack.room_id
    rails = list(Port.objects.filter(device=some, kind="infiniband", strand_ends__isnull=False).order_by("name")[:8])
    words = [some.name[:8], rails[0].guid or some.name, Cable.objects.order_by("-id")[0].label]

    def elevation(_: int) -> None:
        assert session.get(f"/api/racks/{rack.pk}/elevation/")["rack"]

    def elevations(_: int) -> None:
        assert len(session.get(f"/api/racks/elevations/?room={room}")["racks"]) > 1

    def trace(_: int) -> None:
        for port in rails:
            assert len(session.get(f"/api/trace/{port.pk}/")["hops"]) > 1

    def listed(_: int) -> None:
        assert session.get("/api/machines/?page_size=500")["results"]

    def search(number: int) -> None:
        assert session.get(f"/api/search/?q={words[number % len(words)]}")["results"]

    asked = {
        "one elevation": elevation,
        "all elevations": elevations,
        "trace of 8 rails": trace,
        "list of 500 machines": listed,
        "search": search,
    }
    return {name: timed(ask, TIMES) for name, ask in asked.items()}


def updates(session: Session) -> Timed:
    """One field of one machine, each time another one."""
    ids = list(Device.objects.filter(kind="machine").order_by("id").values_list("id", flat=True)[:UPDATES])

    def update(number: int) -> None:
        session.send("PATCH", f"/api/devices/{ids[number % len(ids)]}/", {"asset_tag": f"A{number}"})

    return timed(update, UPDATES, warm=20)


def cable_import() -> float:
    """Seconds to read a CSV of 500 cables and lay them: they are taken out first, and all of it is rolled back."""
    kind = KINDS["cables"]
    with transaction.atomic():
        chosen = Cable.objects.filter(status="connected").order_by("-id")[:IMPORTED]
        ids = [cable.pk for cable in chosen]
        data = b"".join(as_csv(kind, natural_records(kind, Cable.objects.filter(pk__in=ids))))
        gone = write(kind, [{"id": pk} for pk in ids], "delete", scope=Scope.everything(), actor="bench")
        assert gone.deleted == len(ids), gone.errors()[:3]
        began = time.perf_counter()
        found = read_rows(kind, data, "csv")
        report = write(kind, found, "create", scope=Scope.everything(), actor="bench")
        took = time.perf_counter() - began
        assert report.created == len(ids), report.errors()[:3]
        transaction.set_rollback(True)
    return took


def rows(prefix: str, found: dict[str, Timed]) -> list[Row]:
    return [
        Row(f"{prefix}: {name}", f"{took.p50:.1f} ms", f"p95 {took.p95:.0f} ms of {len(took.milliseconds)}{aim(name)}")
        for name, took in found.items()
    ]


def aim(name: str) -> str:
    return f"; aim {AIMS_MS[name]} ms" if name in AIMS_MS else ""
