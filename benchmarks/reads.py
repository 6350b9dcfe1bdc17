"""What people and scripts ask of a loaded fleet, over HTTP: the same questions for every size of fleet.

Six requests have a goal, at the median, against one web process: `GOALS_MS`.
"""

from __future__ import annotations

import time

from django.db import transaction

from benchmarks.report import Row
from benchmarks.server import Session, Timed, timed
from benchmarks.writes import observation
from health.checks import layout
from health.models import MachineHealth
from health.monitoring.services import partitions
from health.monitoring.services.sweeps.observation import prepared
from health.monitoring.services.sweeps.observation_store import record
from health.monitoring.services.sweeps.sweep_runs import SHARD_SIZE
from inventory.kinds import KINDS, Scope, write
from inventory.models import Cable, Device, Port, Rack
from inventory.transfer.export import as_csv, natural_records
from inventory.transfer.readers import read_rows

TIMES = 40
UPDATES = 200
IMPORTED = 500
UPDATE = "update of one device"
GOALS_MS = {
    "list of 1,000 devices": 80,
    "one rack": 10,
    "one rack without ports": 10,
    UPDATE: 20,
    "trace of one port": 8,
    "search": 10,
    "floor": 10,
    "all racks of a room": 100,
}


def machine() -> Device:
    """Some machine in the middle of the fleet."""
    machines = Device.objects.filter(kind="machine", placement__rack__isnull=False).order_by("id")
    return machines[machines.count() // 2]


def questions(session: Session) -> dict[str, Timed]:
    """Name of the question to what it took; the answers are looked at, so that an empty one does not count."""
    some, devices = machine(), min(1000, Device.objects.count())
    rack = Rack.objects.filter(placements__device=some).get()
    room = rack.room_id
    rails = list(Port.objects.filter(device=some, kind="infiniband", strand_ends__isnull=False).order_by("name")[:8])
    words = [some.name[:8], rails[0].guid or some.name, Cable.objects.order_by("-id")[0].label]

    def listed(_: int) -> None:
        assert len(session.get("/api/devices/?page_size=1000")["results"]) == devices

    def one_rack(_: int) -> None:
        assert session.get(f"/api/racks/{rack.pk}/elevation/")["rear"]

    def without_ports(_: int) -> None:
        assert session.get(f"/api/racks/{rack.pk}/elevation/?ports=false")["rear"]

    def trace(number: int) -> None:
        assert len(session.get(f"/api/trace/{rails[number % len(rails)].pk}/")["hops"]) > 1

    def search(number: int) -> None:
        assert session.get(f"/api/search/?q={words[number % len(words)]}")["results"]

    def floor(_: int) -> None:
        assert session.get(f"/api/floor/?room={room}")["machines"]["rows"]

    def all_racks(_: int) -> None:
        assert len(session.get(f"/api/racks/elevations/?room={room}")["racks"]) > 1

    def machines(_: int) -> None:
        assert session.get("/api/machines/?page_size=500")["results"]

    asked = {
        "list of 1,000 devices": listed,
        "one rack": one_rack,
        "one rack without ports": without_ports,
        "trace of one port": trace,
        "search": search,
        "floor": floor,
        "all racks of a room": all_racks,
        "list of 500 machines": machines,
    }
    return {name: timed(ask, TIMES, warm=8) for name, ask in asked.items()}


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
        Row(
            f"{prefix}: {name}",
            f"{took.p50:.1f} ms",
            f"median of {len(took.milliseconds)}, p95 {took.p95:.0f} ms",
            f"{GOALS_MS[name]} ms or less" if name in GOALS_MS else "",
        )
        for name, took in found.items()
    ]


def look_at_all() -> None:
    """A first sweep, as it is stored: each machine has its verdicts, one in twenty a warning."""
    partitions.ensure()
    ids = list(MachineHealth.objects.order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(ids), SHARD_SIZE):
        subjects, _ = prepared(ids[first : first + SHARD_SIZE])
        record(observation(s, layout(s.spec), number, number % 20 == 0) for number, s in enumerate(subjects))
