"""The virtual hall running: every machine's doors, its state on disk, and what time does to it.

One process, one event loop. Every change goes through `settle`, which keeps it on disk, opens or closes the doors it
concerns and plans the next moment at which the machine changes by itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import resource
import socket
import time
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
from aiohttp import web

from simulator import faults, stalls
from simulator.fabric.hall import Fabric, FabricDoors
from simulator.fabric.plan import FabricPlan
from simulator.fabric.ufm import UfmAccess
from simulator.fabric.wiring import Health
from simulator.files import write_file
from simulator.heat.of_hall import Heat
from simulator.heat.plan import HeatPlan
from simulator.identity import Certificates, host_key
from simulator.machine import boot, ssh_server
from simulator.machine.doors import Door
from simulator.machine.shell import Reply, execute
from simulator.meters.doors import MeterAccess, MeterDoors, MeterRow
from simulator.plan import HallPlan
from simulator.redfish import server, setup
from simulator.redfish.log import log_power
from simulator.redfish.styles import style_of
from simulator.state import Fault, Machine, PartState, first_state
from simulator.store import Store

log = logging.getLogger("simulator")
_SPARE_FILES = 512
_FAREWELL_S = 0.2


class HallError(RuntimeError):
    """The hall cannot start; the message says what to do."""


@dataclass(frozen=True)
class Timing:
    """How long things take in the hall, in seconds."""

    boot_s: float = 5.0
    post_s: float = 1.0
    install_s: float = 4.0
    update_s: float = 20.0
    collect_s: float = 45.0


def raise_file_limit(machines: int, meters: int = 0) -> None:
    """Two doors for each machine, those of `meters`, and some for visitors. Raises HallError when the system does not
    allow that many."""
    needed = 2 * machines + meters + _SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise HallError(
            f"{machines} machines need {needed} open files and this system allows {hard}: "
            f"raise the hard limit (as root: ulimit -Hn {needed}) or load fewer machines"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed if hard == resource.RLIM_INFINITY else hard, hard))


class Hall:
    """All machines of a plan, alive. `folder` keeps the state; a second start goes on from there."""

    def __init__(
        self,
        plan: HallPlan,
        folder: Path,
        *,
        timing: Timing = Timing(),
        boot_url: str = "",
        clock: Callable[[], float] = time.time,
        fabric: FabricPlan | None = None,
        fabric_doors: FabricDoors | None = None,
        fabric_access: UfmAccess | None = None,
        heat: HeatPlan | None = None,
        meter_doors: MeterDoors | None = None,
        meter_access: MeterAccess | None = None,
        heat_pace: float = 1.0,
    ) -> None:
        self.plan = plan
        self.fabric: Fabric | None = None
        self._fabric_plan = fabric
        self._fabric_doors = fabric_doors
        self._fabric_access = fabric_access
        self.heat: Heat | None = None
        self._heat_plan, self._heat_pace = heat, heat_pace
        self._meter_doors = meter_doors
        self._meter_access = meter_access or MeterAccess(username=plan.bmc_user, password=plan.bmc_password)
        self.folder = folder
        self.timing = timing
        self.boot_url = boot_url
        self.clock = clock
        self.machines: dict[str, Machine] = {}
        self.ssh_options = ssh_server.base_options()
        self.requests = {"ssh": 0, "redfish": 0}
        self._ssh_doors: dict[str, Door] = {}
        self._redfish_doors: dict[str, Door] = {}
        self._held_ssh, self._held_bmc = stalls.Held(), stalls.Held()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._boots: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._connections: dict[str, set[asyncssh.SSHServerConnection]] = {}
        self._keys = {asyncssh.import_public_key(key).public_data for key in plan.authorized_keys}
        self._by_address: dict[tuple[str, int], Machine] = {}

    # ---- start and stop ----

    async def start(self) -> None:
        """Load the state, open the doors and write `endpoints.json`. Raises HallError or DoorError."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        meters = len(self._heat_plan.pdus) + len(self._heat_plan.cooling) if self._heat_plan else 0
        raise_file_limit(len(self.plan.machines), meters)
        self._store = Store(self.folder / "hall.sqlite3")
        self._seed = self._store.seed()
        self._certificates = Certificates(self._seed, self.folder)
        self._redfish = web.AppRunner(server.application(self), handle_signals=False, access_log=None)
        await self._redfish.setup()
        kept, now = self._store.load(), self.clock()
        for plan in self.plan.machines:
            state = kept.get(plan.name) or first_state(plan, now, str(uuid.uuid4()))
            self._add(Machine(plan, state))
        self._store.save((name, machine.state) for name, machine in self.machines.items())
        self._write_endpoints()
        if self._fabric_plan is not None:
            await self._start_fabric(self._fabric_plan)
        if self._heat_plan is not None:
            await self._start_heat(self._heat_plan)

    async def _start_fabric(self, plan: FabricPlan) -> None:
        self.fabric = Fabric(
            plan,
            self.folder,
            seed=self._seed,
            clock=self.clock,
            access=self._fabric_access,
            doors=self._fabric_doors,
            machine_health=self._adapter_health,
        )
        self.fabric.wiring.hosts = {machine.plan.address: name for name, machine in self.machines.items()}
        for machine in self.machines.values():
            machine.wiring = self.fabric.wiring
        await self.fabric.start()

    async def _start_heat(self, plan: HeatPlan) -> None:
        heat = Heat(
            self,
            plan,
            self.folder,
            seed=self._seed,
            clock=self.clock,
            doors=self._meter_doors,
            access=self._meter_access,
            pace=self._heat_pace,
        )
        self.heat = heat
        for machine in self.machines.values():
            machine.room = heat.room
        if self.fabric is not None:
            self.fabric.wiring.inlet_c = heat.inlet_c
        await heat.start()

    def meters(self) -> list[MeterRow]:
        """What else measures, and where it answers: PDUs, cooling units, sensors of rooms, the meter of the site."""
        return self.heat.rows() if self.heat is not None else []

    def _adapter_health(self, name: str, slot: str) -> Health:
        """How the fabric sees an adapter: dark with its machine's power, down with its own fault."""
        machine = self.machines.get(name)
        if machine is None:
            return "up"
        if machine.state.power == "off":
            return "off"
        return "down" if machine.fault("hca_down", slot) else "up"

    def _add(self, machine: Machine) -> None:
        plan, state = machine.plan, machine.state
        self.machines[plan.name] = machine
        ssh_port, redfish_port = state.ssh_port or plan.ssh_port, state.redfish_port or plan.redfish_port
        ssh = Door(plan.address, ssh_port, lambda sock: self._ssh_visit(machine, sock))
        bmc = Door(plan.address, redfish_port, lambda sock: self._redfish_visit(machine, sock))
        self._ssh_doors[plan.name], self._redfish_doors[plan.name] = ssh, bmc
        for door in (ssh, bmc):
            door.set(True)  # a port the kernel chooses is known only once it has been open
        state.ssh_port, state.redfish_port = ssh.port, bmc.port
        self._by_address[plan.address, bmc.port] = machine
        if state.installing:  # the hall was stopped in the middle: the machine asks again
            state.installing = False
            self._network_boot(machine)
        self._arrange(machine)

    async def stop(self) -> None:
        """Close everything in order; the state is already on disk."""
        for timer in self._timers.values():
            timer.cancel()
        for task in (*self._boots.values(), *self._tasks):
            task.cancel()
        for door in (*self._ssh_doors.values(), *self._redfish_doors.values()):
            door.set(False)
        for name in self.machines:
            self._hang_up(name)
            self._held_bmc.let_go(name)
        await asyncio.gather(*self._boots.values(), *self._tasks, return_exceptions=True)
        if self.heat is not None:
            await self.heat.stop()
        if self.fabric is not None:
            await self.fabric.stop()
        await self._redfish.cleanup()
        self._store.close()

    def endpoints(self) -> dict[str, dict[str, Any]]:
        """Where each machine answers: name to address, ssh_port and redfish_port."""
        return {
            name: {"address": m.plan.address, "ssh_port": m.state.ssh_port, "redfish_port": m.state.redfish_port}
            for name, m in self.machines.items()
        }

    def _write_endpoints(self) -> None:
        write_file(self.folder / "endpoints.json", json.dumps(self.endpoints(), indent=1))

    # ---- keys ----

    def host_key(self, machine: Machine) -> asyncssh.SSHKey:
        """The key its installation gave it, or else one of the hall's own."""
        if machine.state.host_key:
            return asyncssh.import_private_key(machine.state.host_key)
        return host_key(self._seed, machine.plan.name)

    def keys_of(self, machine: Machine) -> set[bytes]:
        """Public keys that may log in: those of its installation, or else the hall's."""
        if machine.state.authorized_keys:
            return {asyncssh.import_public_key(key).public_data for key in machine.state.authorized_keys}
        return self._keys

    # ---- visitors ----

    def _ssh_visit(self, machine: Machine, sock: socket.socket) -> None:
        self.requests["ssh"] += 1
        place = stalls.ssh_place(machine)
        if place == "banner":
            stalls.say_banner(sock)
        if place in ("tcp", "banner"):
            self._held_ssh.hold(machine.plan.name, sock)
        else:
            self._spawn(self._speak_ssh(machine, sock))

    async def _speak_ssh(self, machine: Machine, sock: socket.socket) -> None:
        connection = await ssh_server.serve(self, machine, sock)
        if connection is not None:
            open_now = self._connections.setdefault(machine.plan.name, set())
            open_now.add(connection)
            await connection.wait_closed()
            open_now.discard(connection)

    def _redfish_visit(self, machine: Machine, sock: socket.socket) -> None:
        self.requests["redfish"] += 1
        if stalls.bmc_place(machine) == "tcp":
            self._held_bmc.hold(machine.plan.name, sock)
        else:
            self._spawn(self._speak_tls(machine, sock))

    async def _speak_tls(self, machine: Machine, sock: socket.socket) -> None:
        assert self._redfish.server is not None
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                self._redfish.server, sock, ssl=self._certificates.context(machine.plan), ssl_handshake_timeout=10
            )
        except OSError as error:  # TLS errors are OSErrors: a client that does not like the certificate
            log.debug("%s: no TLS: %s", machine.plan.name, error)
            sock.close()

    def machine_at(self, address: str, port: int) -> Machine:
        """Whose BMC answers there."""
        return self._by_address[address, port]

    def execute(self, machine: Machine, command: str) -> Reply:
        """Answer a command and keep what it changed."""
        before = machine.state.revision
        reply = execute(machine, command, self.clock())
        if machine.state.revision != before:
            self.settle(machine)
        return reply

    def follow(self, machine: Machine, then: str) -> None:
        """What a command makes the machine do after its answer: reboot or poweroff, once the answer is out."""
        action = {"reboot": "GracefulRestart", "poweroff": "ForceOff"}.get(then)
        if action:
            asyncio.get_running_loop().call_later(_FAREWELL_S, self.power, machine, action)

    # ---- changes ----

    def power(self, machine: Machine, action: str) -> None:
        """A Redfish ResetType. Raises ValueError for one that does not exist."""
        now, state = self.clock(), machine.state
        if action not in server.RESET_TYPES:
            raise ValueError(f"no reset type {action!r}; there are: {', '.join(server.RESET_TYPES)}")
        if action in ("Nmi", "PushPowerButton") and not (action == "PushPowerButton" and state.power == "off"):
            action = "ForceOff" if action == "PushPowerButton" else "Nothing"
        starts = action in ("On", "PowerCycle", "PushPowerButton") or action.endswith("Restart")
        if action in ("ForceOff", "GracefulShutdown") or (starts and action != "On"):
            if state.power == "on":
                machine.power_off(dark=not action.endswith("Restart"))
                log_power(machine, now, on=False)
            self._cancel_boot(machine)
            self._hang_up(machine.plan.name)
        if starts and state.power == "off":
            self._start(machine, now)
        self.settle(machine)

    def _start(self, machine: Machine, now: float) -> None:
        if machine.fault("no_power") or self.dark(machine):
            return
        log_power(machine, now, on=True)
        setup.started(machine)
        override = machine.state.boot_override
        from_cd = style_of(machine.plan.facts.vendor).cd_boots if machine.state.media else ()
        # The image in the virtual CD is one that asks the network what to boot.
        network = override.enabled != "Disabled" and override.target in ("Pxe", "UefiHttp", *from_cd)
        machine.state.boot_uri = override.http_uri if override.target == "UefiHttp" else ""
        if override.enabled == "Once":
            override.enabled, override.target = "Disabled", "None"
        if machine.fault("no_post"):
            machine.state.power = "on"
        elif network:
            machine.state.power = "on"
            self._network_boot(machine)
        else:
            machine.boot(now, str(uuid.uuid4()), self.timing.boot_s)

    def _network_boot(self, machine: Machine) -> None:
        machine.state.installing = True
        task = asyncio.get_running_loop().create_task(boot.network_boot(self, machine))
        self._boots[machine.plan.name] = task

    def _cancel_boot(self, machine: Machine) -> None:
        task = self._boots.pop(machine.plan.name, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    def boot_disk(self, machine: Machine) -> None:
        """Start what is on the disk, after an installation or when the network had nothing to say."""
        machine.boot(self.clock(), str(uuid.uuid4()), self.timing.boot_s)
        self.settle(machine)

    def inject(self, machine: Machine, name: str, *, slot: str = "", params: dict[str, Any] | None = None) -> Fault:
        """See faults.inject."""
        fault = faults.inject(machine, name, self.clock(), slot=slot, params=params)
        if name in ("machine_unreachable", "machine_hang", "ssh_stalls"):
            self._hang_up(machine.plan.name)
        self.settle(machine)
        return fault

    def clear(self, machine: Machine, *, name: str = "", slot: str = "") -> list[Fault]:
        """See faults.clear."""
        gone = faults.clear(machine, self.clock(), name=name, slot=slot)
        self.settle(machine)
        return gone

    def replace(self, machine: Machine, slot: str, *, serial: str = "", uuid: str = "") -> PartState:
        """Swap the part in a slot; its faults go. Raises KeyError for an unknown slot."""
        before = list(machine.state.faults)
        part = machine.replace_part(slot, serial, uuid)
        faults.after(machine, [f for f in before if f not in machine.state.faults], self.clock())
        self.settle(machine)
        return part

    def settle(self, machine: Machine) -> None:
        """Keep a change on disk and let the doors follow it."""
        self._store.save([(machine.plan.name, machine.state)])
        self._arrange(machine)

    def _arrange(self, machine: Machine) -> None:
        now, name = self.clock(), machine.plan.name
        up = machine.phase(now) == "up"
        silent = machine.fault("machine_unreachable") or machine.fault("no_ssh_after_install")
        self._ssh_doors[name].set(up and not silent)
        self._redfish_doors[name].set(not machine.fault("bmc_dead") and not self.dark(machine))
        if stalls.ssh_place(machine) not in ("tcp", "banner"):
            self._held_ssh.let_go(name)
        if stalls.bmc_place(machine) != "tcp":
            self._held_bmc.let_go(name)
        timer = self._timers.pop(name, None)
        if timer:
            timer.cancel()
        if machine.phase(now) == "booting":
            wait = max(0.02, machine.state.up_at - now)
            self._timers[name] = asyncio.get_running_loop().call_later(wait, self._arrange, machine)

    def dark(self, machine: Machine) -> bool:
        """None of its cords carries anything."""
        return self.heat is not None and self.heat.dark(machine.plan.name)

    def _hang_up(self, name: str) -> None:
        """Break off all SSH sessions with a machine."""
        self._held_ssh.let_go(name)
        for connection in self._connections.pop(name, set()):
            connection.abort()

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
