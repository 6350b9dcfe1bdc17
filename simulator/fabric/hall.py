"""The fabric running: its state on disk, UFM and the Ethernet switches at their own addresses, the way to change it."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from simulator.fabric.plan import FabricPlan, NodePlan
from simulator.fabric.switches import Switches
from simulator.fabric.ufm import Ufm, UfmAccess
from simulator.fabric.wiring import Changes, Health, Wiring
from simulator.files import write_file
from simulator.identity import appliance_context

STATE = "fabric.json"
DOORS_FILE = "fabric-doors.json"
SWITCHES_PER_SLICE = 250


@dataclass(frozen=True)
class FabricDoors:
    """Where the appliances answer. Port 0: one the kernel chooses."""

    ufm_address: str = "127.0.0.1"
    ufm_port: int = 0
    switch_addresses: tuple[str, ...] = ()
    switch_port: int = 0

    @classmethod
    def in_slice(cls, number: int, switches: int, *, ufm_port: int = 8443, switch_port: int = 8443) -> FabricDoors:
        """Behind the machines of a slice: UFM at 127.S.254.1, switches from 127.S.255.1 on."""
        addresses = tuple(f"127.{number}.255.{at + 1}" for at in range(min(switches, SWITCHES_PER_SLICE)))
        return cls(f"127.{number}.254.1", ufm_port, addresses, switch_port)


class Fabric:
    """The wiring and everything that speaks of it. `folder` keeps the changes; a second start goes on from there."""

    def __init__(
        self,
        plan: FabricPlan,
        folder: Path,
        *,
        seed: str,
        clock: Callable[[], float],
        access: UfmAccess | None = None,
        doors: FabricDoors | None = None,
        machine_health: Callable[[str, str], Health] | None = None,
        labels: bool = True,
    ) -> None:
        self.folder = folder
        self.clock = clock
        self.doors = doors or FabricDoors()
        self.access = access or UfmAccess()
        self._seed = seed
        self._kept_revision = -1
        self.wiring = Wiring(plan, self._load(), now=clock(), machine_health=machine_health)
        self.ufm = Ufm(self, self.access, labels=labels)
        self._switches = [node for node in plan.of_layer("ethernet") if node.kind == "switch"]
        self._by_door: dict[tuple[str, int], NodePlan] = {}
        self._runners: list[web.AppRunner] = []
        self.ufm_url = ""
        self.switch_urls: dict[str, str] = {}

    def _load(self) -> Changes | None:
        path = self.folder / STATE
        return Changes.from_json(json.loads(path.read_text())) if path.exists() else None

    def keep(self) -> None:
        """Write what changed to disk."""
        if self.wiring.changes.revision != self._kept_revision:
            write_file(self.folder / STATE, json.dumps(self.wiring.changes.to_json()))
            self._kept_revision = self.wiring.changes.revision

    def switch_at(self, address: str, port: int) -> NodePlan:
        return self._by_door[address, port]

    async def start(self) -> None:
        """Open the doors and write `fabric-doors.json`: where UFM and each switch answers."""
        self.keep()
        context = appliance_context(self._seed, "ufm", self.doors.ufm_address, self.folder)
        runner = await self._runner(self.ufm.application())
        self.ufm_url = await self._site(runner, self.doors.ufm_address, self.doors.ufm_port, context)
        if self.doors.switch_addresses:
            runner = await self._runner(Switches(self, self.access.username, self.access.password).application())
            for node, address in zip(self._switches, self.doors.switch_addresses, strict=False):
                context = appliance_context(self._seed, node.name, address, self.folder)
                url = await self._site(runner, address, self.doors.switch_port, context)
                self.switch_urls[node.name] = url
                self._by_door[address, int(url.rpartition(":")[2])] = node
        write_file(self.folder / DOORS_FILE, json.dumps(self.where(), indent=1))

    async def _runner(self, app: web.Application) -> web.AppRunner:
        runner = web.AppRunner(app, handle_signals=False, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        self._runners.append(runner)
        return runner

    async def _site(self, runner: web.AppRunner, address: str, port: int, context: ssl.SSLContext) -> str:
        site = web.TCPSite(runner, address, port, ssl_context=context)
        await site.start()
        bound: Any = site._server
        return f"https://{address}:{bound.sockets[0].getsockname()[1]}"

    def where(self) -> dict[str, Any]:
        return {"ufm": self.ufm_url, "switches": self.switch_urls}

    async def stop(self) -> None:
        self.keep()
        for runner in self._runners:
            await runner.cleanup()
