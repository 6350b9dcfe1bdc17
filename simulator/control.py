"""The hall's own REST interface: what is there, inject and clear faults, swap parts, press power buttons.

Bearer token; `control.json` in the hall's folder holds the address and the token.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from aiohttp import web

from simulator.fabric.control import add_routes
from simulator.faults import CATALOGUE, FaultError
from simulator.files import write_file
from simulator.heat import control as heat
from simulator.heat.faults import HeatError
from simulator.outputs import evidence, kernel
from simulator.state import Fault, Machine

if TYPE_CHECKING:
    from simulator.hall import Hall

_ACTIONS = {"on": "On", "off": "ForceOff", "cycle": "PowerCycle", "reboot": "ForceRestart"}


class Control:
    """The REST interface of a running hall, on one address of loopback."""

    def __init__(self, hall: Hall, *, address: str = "127.0.0.1", port: int = 0) -> None:
        self._hall = hall
        self._address = address
        self._port = port
        self._token = secrets.token_urlsafe(24)
        self.url = ""

    async def start(self) -> None:
        """Listen and write control.json; the token of an earlier start stays valid."""
        path = self._hall.folder / "control.json"
        if path.exists():
            self._token = json.loads(path.read_text())["token"]
        self._runner = web.AppRunner(self._application(), handle_signals=False, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._address, self._port)
        await site.start()
        self.url = f"http://{self._address}:{self._runner.addresses[0][1]}"
        write_file(path, json.dumps({"url": self.url, "token": self._token}))

    async def stop(self) -> None:
        await self._runner.cleanup()

    def _application(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.router.add_get("/machines", self._machines)
        app.router.add_get("/machines/{name}", self._one)
        app.router.add_post("/machines/{name}/faults", self._inject)
        app.router.add_delete("/machines/{name}/faults", self._clear)
        app.router.add_delete("/machines/{name}/faults/{fault}", self._clear)
        app.router.add_post("/machines/{name}/replace", self._replace)
        app.router.add_post("/machines/{name}/power", self._power)
        app.router.add_post("/machines/{name}/training", self._train)
        app.router.add_get("/faults", self._catalogue)
        app.router.add_get("/endpoints", self._endpoints)
        app.router.add_get("/metrics", self._metrics)
        if self._hall.fabric is not None:
            add_routes(app, self._hall.fabric)
        if self._hall.heat is not None:
            heat.add_routes(app, self._hall.heat)
        return app

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return _error(401, "the token of control.json is missing")
        try:
            return await handler(request)
        except (FaultError, HeatError, ValueError) as error:
            return _error(400, str(error))
        except KeyError as error:
            return _error(404, f"there is no {error.args[0]!r} here")
        except web.HTTPException as error:
            return _error(error.status, error.reason)

    def _machine(self, request: web.Request) -> Machine:
        return self._hall.machines[request.match_info["name"]]

    async def _machines(self, request: web.Request) -> web.Response:
        return web.json_response({"machines": [self._brief(machine) for machine in self._hall.machines.values()]})

    def _brief(self, machine: Machine) -> dict[str, Any]:
        plan, state = machine.plan, machine.state
        return {
            "name": plan.name, "address": plan.address, "ssh_port": state.ssh_port,
            "redfish_port": state.redfish_port, "power": state.power, "phase": machine.phase(self._hall.clock()),
            "led": state.led, "faults": [_fault(fault) for fault in state.faults],
        }  # fmt: skip

    async def _one(self, request: web.Request) -> web.Response:
        machine, now = self._machine(request), self._hall.clock()
        plan, state = machine.plan, machine.state
        parts = [part.slot for part in plan.parts]
        return web.json_response({
            **self._brief(machine), "model": plan.model, "serial": plan.serial, "system_uuid": plan.system_uuid,
            "bmc_mac": plan.bmc_mac, "boot_mac": plan.boot_mac, "bare": plan.bare, "installed": state.installed,
            "boot_id": state.boot_id, "uptime_s": round(machine.uptime_s(now), 1),
            "boot_override": asdict(state.boot_override),
            "parts": {slot: {"serial": machine.part(slot).serial, "uuid": machine.part(slot).uuid} for slot in parts},
            "kernel_log": [f"[{stamp:12.6f}] {line}" for stamp, line in kernel.log(machine, now)[-20:]],
        })  # fmt: skip

    async def _inject(self, request: web.Request) -> web.Response:
        machine, body = self._machine(request), await _body(request)
        name, slot = str(body.pop("fault", "")), str(body.pop("slot", ""))
        params = {**body.pop("params", {}), **body}
        return web.json_response(_fault(self._hall.inject(machine, name, slot=slot, params=params)), status=201)

    async def _train(self, request: web.Request) -> web.Response:
        """What the machine knows of the ranks that run on it: `simulator.outputs.evidence.Training`."""
        evidence.give(self._machine(request), evidence.Training.from_json(await _body(request)))
        return web.json_response({}, status=201)

    async def _clear(self, request: web.Request) -> web.Response:
        name = request.match_info.get("fault") or request.query.get("fault", "")
        gone = self._hall.clear(self._machine(request), name=name, slot=request.query.get("slot", ""))
        return web.json_response({"cleared": [_fault(fault) for fault in gone]})

    async def _replace(self, request: web.Request) -> web.Response:
        machine, body = self._machine(request), await _body(request)
        slot = str(body.get("slot", ""))
        part = self._hall.replace(machine, slot, serial=str(body.get("serial", "")), uuid=str(body.get("uuid", "")))
        return web.json_response({"slot": slot, "serial": part.serial, "uuid": part.uuid}, status=201)

    async def _power(self, request: web.Request) -> web.Response:
        machine, body = self._machine(request), await _body(request)
        action = str(body.get("action", ""))
        self._hall.power(machine, _ACTIONS.get(action.lower(), action))
        return web.json_response(self._brief(machine))

    async def _catalogue(self, request: web.Request) -> web.Response:
        return web.json_response({
            "faults": [
                {"fault": kind.name, "title": kind.title, "slot": kind.slot, "params": kind.params,
                 "until": list(kind.until), "shows": kind.shows}
                for kind in CATALOGUE.values()
            ] + (heat.catalogue() if self._hall.heat is not None else [])
        })  # fmt: skip

    async def _endpoints(self, request: web.Request) -> web.Response:
        return web.json_response(self._hall.endpoints())

    async def _metrics(self, request: web.Request) -> web.Response:
        now, machines = self._hall.clock(), self._hall.machines.values()
        phases = Counter(machine.phase(now) for machine in machines)
        faults = Counter(fault.name for machine in machines for fault in machine.state.faults)
        lines = [f'hall_machines{{phase="{phase}"}} {count}' for phase, count in sorted(phases.items())]
        lines += [f'hall_faults{{fault="{name}"}} {count}' for name, count in sorted(faults.items())]
        lines += [f'hall_connections_total{{kind="{kind}"}} {count}' for kind, count in self._hall.requests.items()]
        return web.Response(text="\n".join(lines) + "\n", content_type="text/plain")


def _fault(fault: Fault) -> dict[str, Any]:
    return {"fault": fault.name, "slot": fault.slot, "params": fault.params, "until": fault.until,
            "since": fault.since}  # fmt: skip


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"error": message}, status=status)


async def _body(request: web.Request) -> dict[str, Any]:
    body = json.loads(await request.text() or "{}")
    if not isinstance(body, dict):
        raise FaultError("the body is not a JSON object")
    return body
