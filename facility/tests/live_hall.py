"""A virtual hall with heat beside a test: PDUs, cooling units, sensors and the site's meter answer as real ones do.

Nothing between them and the service is replaced: SNMP, TLS, Redfish, Modbus and SSH are what it meets elsewhere. The
one thing a test moves is the clock, which both share, so that minutes of air and water take no time.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from access.services import EndpointRow, load_endpoints
from core.models import Credential, Site
from core.services import set_credential
from facility.findings.models import Finding
from facility.history import tables
from facility.meters import machines, rounds, services
from facility.meters.models import Meter
from facility.overview import sums
from health.monitoring.services.sweeps.observation import Watch
from health.tests.hall import own_slice
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Device, Machine, Rack, Room
from simulator.from_inventory import plan_from_inventory
from simulator.hall import Hall
from simulator.heat.from_inventory import heat_from_inventory
from simulator.meters.doors import MeterAccess, MeterDoors, MeterRow
from tests.kept_rows import load_fleet

MACHINES = 20
"""Five racks of four, of one model, and a rack of switches."""
USER, PASSWORD, COMMUNITY = "root", "calvin", "what-the-hall-measures"
PERIOD_S = 60


@dataclass
class LiveHall:
    site: Site
    hall: Hall
    loop: asyncio.AbstractEventLoop
    ahead: dict[str, float] = field(default_factory=lambda: {"s": 0.0})
    ids: dict[str, int] = field(default_factory=dict)

    def seconds(self) -> float:
        return time.time() + self.ahead["s"]

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds(), UTC)

    # ---- what happens in the hall ----

    def _there(self, work: Any) -> Any:
        async def inside() -> Any:
            return work()

        return asyncio.run_coroutine_threadsafe(inside(), self.loop).result(timeout=30)

    def provoke(self, fault: str, target: str, **params: Any) -> None:
        assert self.hall.heat is not None
        self._there(lambda: self.hall.heat.inject(fault, target, params))

    def mend(self, fault: str = "", target: str = "") -> None:
        """This fault, or all of them."""
        self._there(lambda: self.hall.heat.clear(name=fault, target=target))

    # ---- what the service does ----

    def go_on(self, seconds: float = PERIOD_S, looked_at: Sequence[str] | None = None) -> None:
        """After so much time read every meter, look at machines (all, if none are named), add up and judge."""
        self.ahead["s"] += seconds
        Meter.objects.filter(kind__in=Meter.ASKED).update(tried_at=None)
        rounds.read_due()
        self.look(looked_at)
        sums.add_up_site(self.site.pk, self.now())

    def look(self, names: Sequence[str] | None = None) -> None:
        """As a sweep does: one probe over SSH and one question to the BMC each."""
        wanted = list(self.ids.values()) if names is None else [self.ids[name] for name in names]
        seen = [each.observation for batch in Watch(wanted) for each in batch]
        at = self.now()  # a look has the time of the wall
        machines.take([(each.machine_id, at, each.measured) for each in seen])


def findings(**where: Any) -> list[Finding]:
    return list(Finding.objects.filter(closed_at=None, **where).order_by("kind", "subject_name", "part"))


@contextmanager
def live_hall(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveHall]:
    """The fleet loaded, its hall answering, its meters set up; nothing is read yet."""
    path = folder / "fleet.yaml"
    path.write_text(fleet_file(MACHINES))
    load_fleet(path)
    site = Site.objects.get()
    key = asyncssh.generate_private_key("ssh-ed25519")
    secrets = {"ssh": ("rackside", key.export_private_key().decode()), "bmc": (USER, PASSWORD)}
    for name, (username, secret) in secrets.items():
        kind = Credential.Kind.SSH_KEY if name == "ssh" else Credential.Kind.PASSWORD
        set_credential(name, kind=kind, username=username, secret=secret, hosts=["127.0.0.0/8"])
    number = own_slice()
    plan = plan_from_inventory(site.slug, number, ssh_port=0, redfish_port=0)
    plan = plan.with_access((key.export_public_key().decode().strip(),), USER, PASSWORD)
    loop = asyncio.new_event_loop()
    ahead = {"s": 0.0}
    hall = Hall(
        plan, folder / "hall", clock=lambda: time.time() + ahead["s"], heat=heat_from_inventory(site.slug, plan),
        meter_doors=MeterDoors(number), meter_access=MeterAccess.of(COMMUNITY, USER, PASSWORD),
    )  # fmt: skip
    thread = threading.Thread(target=loop.run_forever, name="hall", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(hall.start(), loop).result(timeout=60)
        ids = dict(Machine.objects.values_list("device__name", "pk"))
        live = LiveHall(site, hall, loop, ahead, ids)
        monkeypatch.setattr("django.utils.timezone.now", live.now)
        tables.maintain(live.now() - timedelta(hours=3))
        tables.maintain()
        tables.maintain(live.now() + timedelta(hours=3))
        _reach(live)
        yield live
        asyncio.run_coroutine_threadsafe(hall.stop(), loop).result(timeout=30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        loop.close()


def _reach(live: LiveHall) -> None:
    """Tell the service where machines and meters answer."""
    rows = [
        EndpointRow(name, kind, where["address"], where[f"{kind}_port"])
        for name, where in live.hall.endpoints().items()
        for kind in ("ssh", "redfish")
    ]
    load_endpoints(rows, site_slug=live.site.slug)
    logins = {
        "snmp": set_credential(
            "meters", kind=Credential.Kind.PASSWORD, username="", secret=COMMUNITY, purpose="meter",
            hosts=["127.0.0.0/8"],
        ),
        "bmc": set_credential(
            "cooling", kind=Credential.Kind.PASSWORD, username=USER, secret=PASSWORD, purpose="meter",
            hosts=["127.0.0.0/8"],
        ),
    }  # fmt: skip
    for row in live.hall.meters():
        _register(live.site, row, logins.get(row.access))


def _register(site: Site, row: MeterRow, login: Credential | None) -> None:
    services.save(
        None,
        {
            "site": site, "name": row.name, "kind": row.kind, "address": f"{row.host}:{row.port}", "credential": login,
            "device": Device.objects.filter(site=site, name=row.device).first(),
            "rack": Rack.objects.filter(room__site=site, name=row.rack).first(),
            "room": Room.objects.filter(site=site, name=row.room).first(),
            "options": row.options, "period_s": PERIOD_S,
        },
    )  # fmt: skip
