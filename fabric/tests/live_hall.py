"""The virtual hall of a small site, answering in a thread of its own while the service asks it as it asks real ones.

Nothing between them is replaced: TLS, SSH, pages, sign-ins and pinned keys are what the service meets elsewhere. The
one thing a test may move is the clock, which both then share.
"""

from __future__ import annotations

import asyncio
import functools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import asyncssh
import pytest

from access.services import EndpointRow, load_endpoints
from core.models import Credential, Site
from core.services import set_credential
from fabric.discovery.services import discoveries
from fabric.models import Discovery, FabricSource
from fabric.tests.hall import LEAVES, MACHINES, SPINES, fleet
from simulator.fabric.from_inventory import fabric_from_inventory
from simulator.fabric.hall import Fabric, FabricDoors
from simulator.fabric.plan import End
from simulator.fabric.ufm import UfmAccess
from simulator.fabric.wiring import Wiring
from simulator.from_inventory import plan_from_inventory
from simulator.hall import Hall
from simulator.plan import HallPlan
from tests.kept_rows import load_fleet

T = TypeVar("T")
USER, PASSWORD, TOKEN = "admin", "not-123456", "FTxXUXq2mQBzyNCmpA8SPYTAoT7LkD"
ETHERNET_ADAPTERS = ("mlx5_1", "mlx5_2")
ETHERNET_CABLES = MACHINES * len(ETHERNET_ADAPTERS)


def fleet_with_ethernet(slug: str) -> str:
    """The site of `fabric.tests.hall`, and two Ethernet leaves with two cables of every machine."""
    devices, _, cables = fleet(slug).partition("cables:\n")
    ends = [
        (f"gpu-{machine + 1} {adapter}", f"eth-{at + 1} swp{machine + 1}")
        for machine in range(MACHINES)
        for at, adapter in enumerate(ETHERNET_ADAPTERS)
    ]
    rows = [
        f'  - {{type: MPO-12, length_m: 10, label: "E{n:03}", a: "{a}", b: "{b}"}}' for n, (a, b) in enumerate(ends)
    ]
    leaves = (
        '  - {name: "eth-{i}", model: nvidia-sn4600c, racks: A04, u: [20, 24], fabric: ethernet, tier: leaf}\ncables:\n'
    )
    return devices + leaves + cables + "\n".join([*rows, ""])


class Clock:
    """Time of the hall and of the service: real, and as far ahead as a test lets it go."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def seconds(self) -> float:
        return time.time() + self.ahead_s

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds(), UTC)

    def go_on(self, span: timedelta) -> None:
        self.ahead_s += span.total_seconds()


@dataclass
class LiveHall:
    site: Site
    hall: Hall
    clock: Clock
    loop: asyncio.AbstractEventLoop

    @property
    def fabric(self) -> Fabric:
        assert self.hall.fabric is not None
        return self.hall.fabric

    @property
    def wiring(self) -> Wiring:
        return self.fabric.wiring

    def change(self, work: Callable[[Wiring], T]) -> T:
        """Do something to the fabric, in the hall's own thread."""

        async def inside() -> T:
            done = work(self.wiring)
            self.fabric.keep()
            return done

        return self.run(inside())

    def run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=30)

    def end(self, device: str, port: int) -> End:
        return End(self.wiring.by_name[device].guid, port)

    def swap(self, device: str, one: int, other: int) -> None:
        at = self.clock.seconds()
        self.change(lambda wiring: wiring.swap(self.end(device, one), self.end(device, other), at))

    def lose(self, what: str) -> None:
        """Switch off a whole `tier`, the spines, or pull `many` cables, each of another device: over 5 % of links."""
        at = self.clock.seconds()
        if what == "tier":
            for number in range(1, SPINES + 1):
                self.power(f"spine-{number}", on=False)
        else:
            for leaf in range(1, LEAVES + 1):
                end = self.end(f"leaf-{leaf}", leaf)
                self.change(functools.partial(Wiring.unplug, end=end, now=at))

    def power(self, device: str, *, on: bool) -> None:
        guid, at = self.wiring.by_name[device].guid, self.clock.seconds()
        self.change(lambda wiring: wiring.power(guid, on, at))

    def let(self, source: str, kind: Any) -> None:
        """Let a source answer `ok`, `stale`, `empty`, `truncated` or not at all (`silent`)."""
        self.change(lambda wiring: wiring.set_source(source, kind))

    # ---- sources ----

    def ufm(self, name: str = "ufm", *, secret: str = PASSWORD, **fields: Any) -> FabricSource:
        login = set_credential(
            f"login of {name}",
            kind=Credential.Kind.PASSWORD,
            username=USER,
            secret=secret,
            purpose="ufm",
            hosts=["127.0.0.0/8"],
        )
        return FabricSource.objects.create(
            site=self.site, name=name, kind="ufm", address=self.fabric.ufm_url, credential=login, **fields
        )

    def ibdiags(self, name: str = "diags", machine: str = "gpu-1", **fields: Any) -> FabricSource:
        on = self.site.devices.get(name=machine).machine
        return FabricSource.objects.create(site=self.site, name=name, kind="ibdiags", machine=on, **fields)

    def ethernet(self, kind: str, **fields: Any) -> FabricSource:
        login = set_credential(
            f"login of {kind}",
            kind=Credential.Kind.PASSWORD,
            username=USER,
            secret=PASSWORD,
            purpose="switch",
            hosts=["127.0.0.0/8"],
        )
        return FabricSource.objects.create(
            site=self.site, name=kind, kind=kind, fabric="ethernet", credential=None if kind == "lldp" else login,
            options={} if kind == "lldp" else {"switches": list(self.fabric.switch_urls.values())}, **fields,
        )  # fmt: skip


def discover(source: FabricSource) -> Discovery:
    """One look, read and stored as a worker does it; the source has its new state then."""
    done = discoveries.run(discoveries.start(source, by="beat").pk)
    assert done is not None
    source.refresh_from_db()
    return done


def believed(source: FabricSource) -> Discovery:
    """One look that has to be a good one."""
    done = discover(source)
    assert done.status == "done", (done.message, done.problems)
    return done


@contextmanager
def live_hall(folder: Path, monkeypatch: pytest.MonkeyPatch, *, slug: str = "west") -> Iterator[LiveHall]:
    """The site loaded, every machine's SSH, UFM and both Ethernet switches answering."""
    path = folder / f"{slug}.yaml"
    path.write_text(fleet_with_ethernet(slug))
    load_fleet(path)
    key = asyncssh.generate_private_key("ssh-ed25519")
    set_credential(
        "ssh",
        kind=Credential.Kind.SSH_KEY,
        username="rackside",
        secret=key.export_private_key().decode(),
        hosts=["127.0.0.0/8"],
    )
    number = 120 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 40
    planned = plan_from_inventory(slug, number, ssh_port=0, redfish_port=0)
    plan = HallPlan(slug, planned.machines, authorized_keys=(key.export_public_key().decode().strip(),))
    clock = Clock()
    doors = FabricDoors.in_slice(number, 2, ufm_port=0, switch_port=0)
    hall = Hall(
        plan, folder / "hall", clock=clock.seconds, fabric=fabric_from_inventory(slug, plan),
        fabric_doors=doors, fabric_access=UfmAccess(USER, PASSWORD, TOKEN),
    )  # fmt: skip
    monkeypatch.setattr("django.utils.timezone.now", clock.now)
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr("core.work.kinds.Progress._beat", lambda self: None)  # it has a connection of its own
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="hall", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(hall.start(), loop).result(timeout=60)
        rows = [EndpointRow(name, "ssh", each["address"], each["ssh_port"]) for name, each in hall.endpoints().items()]
        load_endpoints(rows, site_slug=slug)
        yield LiveHall(Site.objects.get(slug=slug), hall, clock, loop)
        asyncio.run_coroutine_threadsafe(hall.stop(), loop).result(timeout=30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        loop.close()
