"""The room beside a running hall: its state on disk, its meters, and what it does to machines.

A machine whose cords all died is off, BMC and all, and comes back as its power restore policy says. A supply that
lost its input is told in the BMC's log.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.files import write_file
from simulator.heat.bodies import Doing
from simulator.heat.faults import HeatFault
from simulator.heat.plan import HeatPlan
from simulator.heat.room import Room
from simulator.meters.doors import MeterAccess, MeterDoors, MeterRow, Meters
from simulator.outputs import training
from simulator.redfish.log import log_psu

if TYPE_CHECKING:
    from simulator.hall import Hall
    from simulator.state import Machine

STATE = "heat.json"
DOORS_FILE = "meters.json"
EVERY_S = 5.0
KEEP_EVERY_S = 300.0
GPU_TOOLS = ("nvidia-smi", "amd-smi")
JOB_LOAD = 0.9
"""What a job that runs makes of its GPUs."""


class Heat:
    """`folder` keeps faults and energies; a second start goes on from there."""

    def __init__(
        self,
        hall: Hall,
        plan: HeatPlan,
        folder: Path,
        *,
        seed: str,
        clock: Callable[[], float],
        doors: MeterDoors | None = None,
        access: MeterAccess | None = None,
        pace: float = 1.0,
    ) -> None:
        self._hall, self._folder, self.clock = hall, folder, clock
        self._path = folder / STATE
        kept = json.loads(self._path.read_text()) if self._path.exists() else {}
        self.room = Room(plan, doing=self._doing, pace=pace, kept=kept)
        self._off: dict[str, bool] = dict(kept.get("off", {}))
        self._dead: dict[str, list[str]] = dict(kept.get("dead", {}))
        self.meters = Meters(self.room, folder, seed, clock, doors=doors, access=access)
        self._kept_at = clock()
        self._applied = -1
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the meters' doors and write `meters.json`. Raises DoorError."""
        await self.meters.start()
        write_file(self._folder / DOORS_FILE, json.dumps(self.meters.to_json(), indent=1))
        self.tick()
        for name in self._off:  # it was dark already when the hall stopped
            if name in self._hall.machines:
                self._hall.settle(self._hall.machines[name])
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await self.meters.stop()
        self.keep()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            self.tick()

    def rows(self) -> list[MeterRow]:
        return self.meters.rows

    def keep(self) -> None:
        state = {**self.room.to_json(), "off": self._off, "dead": self._dead}
        write_file(self._path, json.dumps(state))
        self._kept_at = self.clock()

    def tick(self) -> None:
        """Bring the room to this moment, and the machines to what their supplies give."""
        now = self.clock()
        self.room.at(now)
        if self._applied != self.room.revision:
            self._apply(now)
        elif now - self._kept_at > KEEP_EVERY_S:
            self.keep()

    # ---- faults ----

    def inject(self, name: str, target: str, params: dict[str, Any]) -> HeatFault:
        """See Room.inject."""
        fault = self.room.inject(name, target, params, self.clock())
        self._apply(self.clock())
        return fault

    def clear(self, *, name: str = "", target: str = "", params: dict[str, Any] | None = None) -> list[HeatFault]:
        """See Room.clear."""
        gone = self.room.clear(self.clock(), name=name, target=target, given=params)
        self._apply(self.clock())
        return gone

    def go_on(self, seconds: float) -> None:
        """See Room.go_on. What was told before does not count any more."""
        self.room.go_on(seconds, self.clock())
        self._apply(self.clock())

    # ---- machines ----

    def _doing(self, name: str) -> Doing:
        machine = self._hall.machines.get(name)
        if machine is None:
            return Doing()
        lost = frozenset(fault.slot for fault in machine.state.faults if fault.name == "psu_lost")
        busy = bool(machine.state.faults) and bool(machine.jobs() or training.pids(machine))
        limits = machine.state.gpu_limits_w
        mean = sum(limits.values()) / len(limits) if limits else None
        return Doing(machine.state.power == "on", JOB_LOAD if busy else 0.0, lost, mean)

    def _apply(self, now: float) -> None:
        """Only what changed since the last time; the state goes to disk with it."""
        self._applied = self.room.revision
        for name, body in self.room.bodies.items():
            machine = self._hall.machines.get(name)
            if machine is None:
                continue
            for line in [line for line in machine.kept_outputs if line.startswith(GPU_TOOLS)]:
                del machine.kept_outputs[line]
            live = {supply for supply, _ in body.live}
            dead = [supply for supply in body.cords if supply not in live]
            if body.dark != (name in self._off):
                self._switch(machine, dark=body.dark)
            if dead != self._dead.get(name, []):
                self._tell(machine, dead, now)
        self.meters.changed()
        self.keep()

    def _switch(self, machine: Machine, *, dark: bool) -> None:
        name = machine.plan.name
        if dark:
            self._off[name] = machine.state.power == "on"
            self._hall.power(machine, "ForceOff")
            return
        was_on = self._off.pop(name)
        policy = machine.state.setup.power_restore
        if policy == "AlwaysOn" or (policy == "LastState" and was_on):
            self._hall.power(machine, "On")
        else:
            self._hall.settle(machine)

    def _tell(self, machine: Machine, dead: list[str], now: float) -> None:
        before = self._dead.pop(machine.plan.name, [])
        if dead:
            self._dead[machine.plan.name] = dead
        for supply in {*before, *dead}:
            if (supply in before) != (supply in dead):
                log_psu(machine, supply, now, lost=supply in dead)
        machine.touch()
        self._hall.settle(machine)

    def inlet_c(self, name: str) -> float:
        """Of what stands in a rack under this name; that of cool air for anything else."""
        self.room.at(self.clock())
        body = self.room.bodies.get(name)
        return body.inlet_c if body is not None else 0.0

    def dark(self, name: str) -> bool:
        """Neither the machine nor its BMC has power."""
        return name in self._off
