"""A small virtual hall beside a test: real SSH and real HTTPS, in a thread with its own event loop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncssh
from django.utils import timezone

from access.services import EndpointRow, load_endpoints
from core.models import Credential
from core.services import set_credential
from health.models import Sweep, Verification
from health.monitoring.services.sweeps import sweep_runs
from health.monitoring.tasks import verify_machine
from inventory.models import Machine
from simulator.from_inventory import plan_from_inventory
from simulator.hall import Hall, Timing

PASSWORD = "calvin"


class RunningHall:
    """The hall, and a way to act in it from the test's thread."""

    def __init__(self, hall: Hall, loop: asyncio.AbstractEventLoop) -> None:
        self.hall, self._loop = hall, loop

    def do(self, act: Callable[[Hall], Any]) -> Any:
        """Run `act(hall)` in the hall's loop and return what it returns."""

        async def call() -> Any:
            return act(self.hall)

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(30)


def own_slice() -> int:
    """A slice of loopback that no other test process uses."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return 120 + worker % 50


@contextmanager
def running_hall(site: str, folder: Path, *, redfish_port: int = 0) -> Iterator[RunningHall]:
    """Start a hall of the site's machines and tell `access` where they answer and how to log in.

    With `redfish_port` every BMC has that port, each at its own address."""
    without = list(Machine.objects.filter(device__site__slug=site, bmc_ip=None).order_by("pk"))
    for number, machine in enumerate(without):
        machine.bmc_ip = f"10.250.{number // 250}.{number % 250 + 1}"
    Machine.objects.bulk_update(without, ["bmc_ip"])
    key = asyncssh.generate_private_key("ssh-ed25519")
    set_credential(
        "ssh",
        kind=Credential.Kind.SSH_KEY,
        username="rackside",
        secret=key.export_private_key().decode(),
        hosts=["127.0.0.0/8"],
    )
    set_credential("bmc", kind=Credential.Kind.PASSWORD, username="root", secret=PASSWORD, hosts=["127.0.0.0/8"])
    public = key.export_public_key().decode().strip()
    plan = plan_from_inventory(site, own_slice(), ssh_port=0, redfish_port=redfish_port)
    plan = plan.with_access((public,), "root", PASSWORD)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    hall = Hall(plan, folder, timing=Timing(boot_s=0.2, post_s=0.05, install_s=0.1))
    asyncio.run_coroutine_threadsafe(hall.start(), loop).result(60)
    try:
        rows = [
            EndpointRow(name, kind, where["address"], where[f"{kind}_port"])
            for name, where in hall.endpoints().items()
            for kind in ("ssh", "redfish")
        ]
        load_endpoints(rows, site_slug=site)
        yield RunningHall(hall, loop)
    finally:
        asyncio.run_coroutine_threadsafe(hall.stop(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


def run_shards(sweep: Sweep) -> Sweep:
    """Run the shards of a sweep here, and those of the slow lane that come of them; returns the sweep as it then is."""
    while waiting := sweep.shards.filter(status="waiting").first():
        assert sweep_runs.run(waiting.pk) == "done"
    sweep.refresh_from_db()
    return sweep


def look_until_decided(verification_id: int, looks: int = 20) -> Verification:
    """Look at the machine of a verification until it is decided, without the pause between two looks.

    Beside a busy processor a look may hear nothing or miss an answer; then it is asked again, as the service does.
    """
    asked = Verification.objects.get(pk=verification_id)
    for _ in range(looks):
        verify_machine(asked.pk)
        asked.refresh_from_db()
        if not asked.is_open:
            return asked
        Verification.objects.filter(pk=asked.pk).update(next_try_at=timezone.now())
    raise AssertionError(f"not decided after {looks} looks: {asked.reason}")
