"""The fabric's part of the hall's control interface: look at ports, move cables, give and take troubles."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aiohttp import web

from simulator.fabric.plan import End
from simulator.fabric.wiring import LIMITS, SOURCE_KINDS, SOURCES, PortNow, WiringError

if TYPE_CHECKING:
    from simulator.fabric.hall import Fabric

Body = dict[str, Any]


def add_routes(app: web.Application, fabric: Fabric) -> None:
    """`GET /fabric`, `GET /fabric/ports/{port}`, `POST /fabric/{order}`; a port is `NAME/NUMBER` or `GUID_NUMBER`."""
    control = FabricControl(fabric)
    app.router.add_get("/fabric", control.overview)
    app.router.add_get("/fabric/ports/{name:.+}", control.port)
    app.router.add_post("/fabric/{order}", control.order)


class FabricControl:
    """Every order is a method `do_ORDER(body)`; it returns what it did. Raises WiringError for what cannot be done."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric

    async def overview(self, request: web.Request) -> web.Response:
        wiring = self._fabric.wiring
        changes = wiring.changes
        orders = [name.removeprefix("do_") for name in dir(self) if name.startswith("do_")]
        return web.json_response({
            **self._fabric.where(), "nodes": len(wiring.plan.nodes), "cables": len(wiring.cables), "orders": orders,
            "moved": changes.ends, "off": changes.off, "disabled": changes.disabled, "isolated": changes.isolated,
            "troubles": sorted(changes.trouble), "sources": changes.sources,
        })  # fmt: skip

    async def port(self, request: web.Request) -> web.Response:
        return web.json_response(self._show(self._fabric.wiring.port(self._end(request.match_info["name"]))))

    async def order(self, request: web.Request) -> web.Response:
        name = request.match_info["order"].replace("-", "_")
        work: Callable[[Body], Body] | None = getattr(self, f"do_{name}", None)
        if work is None:
            raise KeyError(name)
        body = json.loads(await request.text() or "{}")
        if not isinstance(body, dict):
            raise WiringError("the body is not a JSON object")
        try:
            done = work(body)
        except KeyError as error:
            raise WiringError(f"{error.args[0]} is missing") from error
        self._fabric.keep()
        return web.json_response(done)

    def _end(self, name: str) -> End:
        """`leaf-01/5`, `gpu0001 mlx5_0/1` or `GUID_NUMBER`."""
        device, slash, number = name.rpartition("/")
        if slash and device in self._fabric.wiring.by_name and number.isdecimal():
            return End(self._fabric.wiring.by_name[device].guid, int(number))
        guid, underscore, number = name.partition("_")
        if underscore and number.isdecimal():
            return End(guid.lower(), int(number))
        raise WiringError(f"there is no port {name!r}; write NAME/NUMBER or GUID_NUMBER")

    def _guid(self, name: str) -> str:
        node = self._fabric.wiring.by_name.get(name)
        return node.guid if node else self._fabric.wiring.node(name).guid

    def _show(self, port: PortNow) -> Body:
        wiring, now = self._fabric.wiring, self._fabric.clock()
        return {
            "port": port.end.name, "node": wiring.description(port.end.guid),
            "far": port.far.name if port.far else None, "cable": port.cable.label if port.cable else None,
            "logical": port.logical, "physical": port.physical, "width": port.width, "speed": port.speed,
            "isolated": port.isolated, "temperature_c": wiring.temperature_c(port.end),
            "counters": wiring.counters(port.end, now),
        }  # fmt: skip

    # ---- cables ----

    def do_unplug(self, body: Body) -> Body:
        return {"cable": self._fabric.wiring.unplug(self._end(body["port"]), self._fabric.clock())}

    def do_plug(self, body: Body) -> Body:
        end = self._end(body["port"])
        self._fabric.wiring.plug(str(body["cable"]), end, self._fabric.clock())
        return self._show(self._fabric.wiring.port(end))

    def do_swap(self, body: Body) -> Body:
        ends = [self._end(name) for name in body["ports"]]
        if len(ends) != 2:
            raise WiringError("give two ports")
        self._fabric.wiring.swap(ends[0], ends[1], self._fabric.clock())
        return {"ports": [self._show(self._fabric.wiring.port(end)) for end in ends]}

    # ---- ports and devices ----

    def do_disable(self, body: Body) -> Body:
        return self._set(body, "disabled", True)

    def do_enable(self, body: Body) -> Body:
        return self._set(body, "disabled", False)

    def _set(self, body: Body, what: Any, on: bool) -> Body:
        end = self._end(body["port"])
        self._fabric.wiring.set_port(end, what, on, self._fabric.clock())
        return self._show(self._fabric.wiring.port(end))

    def do_off(self, body: Body) -> Body:
        self._fabric.wiring.power(self._guid(body["device"]), False, self._fabric.clock())
        return {"off": self._fabric.wiring.changes.off}

    def do_on(self, body: Body) -> Body:
        self._fabric.wiring.power(self._guid(body["device"]), True, self._fabric.clock())
        return {"off": self._fabric.wiring.changes.off}

    def do_rename(self, body: Body) -> Body:
        guid = self._guid(body["device"])
        self._fabric.wiring.rename(guid, str(body.get("name", "")))
        return {"guid": guid, "name": self._fabric.wiring.description(guid)}

    # ---- troubles ----

    def do_degrade(self, body: Body) -> Body:
        """`width` (1x), `speed` (HDR), `warmer_c`, `errors_per_hour` {COUNTER: NUMBER} of the cable in a port."""
        end = self._end(body["port"])
        parts = {key: body[key] for key in ("width", "speed", "warmer_c", "errors_per_hour") if key in body}
        unknown = set(parts.get("errors_per_hour", {})) - set(LIMITS)
        if unknown or not parts:
            raise WiringError(f"no such counter: {', '.join(unknown)}" if unknown else "say what troubles it")
        self._fabric.wiring.trouble(end, self._fabric.clock(), **parts)
        return self._show(self._fabric.wiring.port(end))

    def do_cure(self, body: Body) -> Body:
        end = self._end(body["port"])
        self._fabric.wiring.cure(end, self._fabric.clock())
        return self._show(self._fabric.wiring.port(end))

    def do_counter(self, body: Body) -> Body:
        end = self._end(body["port"])
        self._fabric.wiring.set_counter(end, str(body["counter"]), int(body["value"]), self._fabric.clock())
        return self._show(self._fabric.wiring.port(end))

    def do_event(self, body: Body) -> Body:
        """Put an event into UFM's list: `event_type`, `name`, `severity`, `text`, and its port or device."""
        end = self._end(body["port"]) if "port" in body else End(self._guid(body["device"]), 0)
        kind, name, severity, text = (str(body[key]) for key in ("event_type", "name", "severity", "text"))
        self._fabric.wiring.report(self._fabric.clock(), kind, name, severity, end, text)
        return {"id": self._fabric.wiring.changes.last_event}

    def do_source(self, body: Body) -> Body:
        """Let `ufm`, `ibdiags`, `lldp` or `switches` answer badly."""
        name, kind = str(body["source"]), body["is"]
        if name not in SOURCES or kind not in SOURCE_KINDS:
            raise WiringError(f"sources: {', '.join(SOURCES)}; each can be {', '.join(SOURCE_KINDS)}")
        self._fabric.wiring.set_source(name, kind)
        return {"sources": self._fabric.wiring.changes.sources}
