"""A virtual hall with heat beside a test, set up as the demo's.

Nothing between them and the service is replaced: SNMP, TLS, Redfish, Modbus and SSH are what it meets elsewhere. The
one thing a test moves is the clock, which both share, so that minutes of air and water take no time.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from access.services import EndpointRow, load_endpoints
from config.management.commands.demo_setup import give_keys, make_meters
from core.models import Site
from facility.findings.models import Finding
from facility.history import tables
from facility.meters import machines, rounds
from facility.meters.models import Meter
from facility.overview import sums
from health.monitoring.services.sweeps.observation import Watch
from health.tests.hall import own_slice
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Machine
from simulator.from_inventory import plan_from_inventory
from simulator.hall import Hall
from simulator.heat.from_inventory import heat_from_inventory
from simulator.meters.doors import MeterAccess, MeterDoors
from tests.kept_rows import load_fleet

MACHINES = 20
"""Five racks of four, of one model, and a rack of switches; one cooling unit."""


class Clock:
    """Time of the hall and of the service: real, and as far ahead as a test lets it go."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def seconds(self) -> float:
        return time.time() + self.ahead_s

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds(), UTC)


@dataclass
class LiveHall:
    site: Site
    hall: Hall
    clock: Clock
    loop: asyncio.AbstractEventLoop

    # ---- what happens in the hall ----

    def provoke(self, fault: str, target: str, **params: Any) -> None:
        heat = self.hall.heat
        assert heat is not None
        self._there(lambda: heat.inject(fault, target, params))

    def mend(self, fault: str = "") -> None:
        """Faults of this name are gone, or all."""
        heat = self.hall.heat
        assert heat is not None
        self._there(lambda: heat.clear(name=fault))

    def boot(self) -> None:
        """What was powered on answers, if it had its time: the hall waits for that by the clock on the wall."""
        self._there(lambda: [self.hall.settle(machine) for machine in self.hall.machines.values()])

    def _there(self, work: Any) -> None:
        async def inside() -> None:
            work()

        asyncio.run_coroutine_threadsafe(inside(), self.loop).result(timeout=30)

    # ---- what the service does ----

    def go_on(self, seconds: float = 60, rounds_of_it: int = 1) -> None:
        """After so much time read every meter, look at every machine, add up and judge; so many times."""
        for _ in range(rounds_of_it):
            self.clock.ahead_s += seconds
            Meter.objects.filter(kind__in=Meter.ASKED).update(tried_at=None)
            rounds.read_due()
            self.look()
            sums.add_up_site(self.site.pk, self.clock.now())

    def look(self) -> None:
        """As a sweep does: one probe over SSH and one question to the BMC each."""
        ids = list(Machine.objects.values_list("pk", flat=True))
        seen = [each.observation for batch in Watch(ids) for each in batch]
        at = self.clock.now()  # a look goes by the clock on the wall
        machines.take([(each.machine_id, at, each.measured) for each in seen])


def found(kind: str = "") -> dict[tuple[str, str, str], Finding]:
    """What is open now, by kind, subject and part."""
    rows = Finding.objects.filter(closed_at=None)
    rows = rows.filter(kind=kind) if kind else rows
    return {(row.kind, row.subject_name, row.part): row for row in rows}


@contextmanager
def live_hall(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveHall]:
    """The fleet loaded, its hall answering, its meters set up; nothing is read yet."""
    path = folder / "fleet.yaml"
    path.write_text(fleet_file(MACHINES))
    load_fleet(path)
    site = Site.objects.get()
    give_keys(folder)
    key, password, secret = (
        (folder / name).read_text() for name in ("authorized_keys", "bmc_password", "meter_secret")
    )
    number, clock = own_slice(), Clock()
    plan = plan_from_inventory(site.slug, number, ssh_port=0, redfish_port=0).with_access((key,), "root", password)
    hall = Hall(
        plan, folder / "hall", clock=clock.seconds, heat=heat_from_inventory(site.slug, plan),
        meter_doors=MeterDoors(number), meter_access=MeterAccess.of(secret, "root", password),
    )  # fmt: skip
    monkeypatch.setattr("django.utils.timezone.now", clock.now)
    for hours in (-3, 0, 3):
        tables.maintain(clock.now() + timedelta(hours=hours))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="hall", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(hall.start(), loop).result(timeout=60)
        endpoints = [
            EndpointRow(name, kind, where["address"], where[f"{kind}_port"])
            for name, where in hall.endpoints().items()
            for kind in ("ssh", "redfish")
        ]
        load_endpoints(endpoints, site_slug=site.slug)
        make_meters(site.slug, hall.meters())
        yield LiveHall(site, hall, clock, loop)
        asyncio.run_coroutine_threadsafe(hall.stop(), loop).result(timeout=30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        loop.close()
