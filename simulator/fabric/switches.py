"""Ethernet switches over their own interfaces: Arista's eAPI (JSON-RPC at /command-api) and NVUE (/nvue_v1).

One web application; which switch is asked is known by the address that was called.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from aiohttp import web

from simulator.fabric.lldp import Neighbour, neighbour, port_name
from simulator.fabric.plan import NodePlan
from simulator.fabric.wiring import PortNow, Wiring

if TYPE_CHECKING:
    from simulator.fabric.hall import Fabric

Row = dict[str, Any]
NOT_A_COMMAND = 1002


class Switches:
    """Both interfaces of every Ethernet switch."""

    def __init__(self, fabric: Fabric, username: str, password: str) -> None:
        self._fabric = fabric
        self._login = base64.b64encode(f"{username}:{password}".encode()).decode()

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.router.add_post("/command-api", self._eapi)
        app.router.add_get("/nvue_v1/interface", self._nvue)
        app.router.add_get("/nvue_v1/system", self._nvue_system)
        app.router.add_get("/nvue_v1/platform", self._nvue_platform)
        return app

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Basic" or not secrets.compare_digest(given, self._login):
            return web.json_response({"title": "Unauthorized", "status": 401}, status=401)
        node = self._node(request)
        if self._fabric.wiring.health(node.guid) == "off" or self._fabric.wiring.source("switches") == "silent":
            assert request.transport is not None
            request.transport.abort()
        return await handler(request)

    def _node(self, request: web.Request) -> NodePlan:
        assert request.transport is not None
        address, port = request.transport.get_extra_info("sockname")[:2]
        return self._fabric.switch_at(address, port)

    def _said(self, node: NodePlan) -> list[tuple[PortNow, Neighbour | None]]:
        wiring = self._fabric.wiring.as_told_by("switches")
        if wiring.source("switches") == "empty":
            return [(port, None) for port in wiring.ports(node)]
        return [(port, neighbour(wiring, port.end)) for port in wiring.ports(node)]

    def _wiring(self) -> Wiring:
        return self._fabric.wiring.as_told_by("switches")

    # ---- eAPI ----

    async def _eapi(self, request: web.Request) -> web.Response:
        body, node = await request.json(), self._node(request)
        results: list[Row] = []
        for at, command in enumerate(body.get("params", {}).get("cmds", [])):
            text = command if isinstance(command, str) else command.get("cmd", "")
            answer = self._show(node, text)
            if answer is None:
                said = f"CLI command {at + 1} of {len(body['params']['cmds'])} '{text}' failed: invalid command"
                data = [*results, {"errors": ["Invalid input"]}]
                error = {"code": NOT_A_COMMAND, "message": said, "data": data}
                return web.json_response({"jsonrpc": "2.0", "id": body.get("id"), "error": error})
            results.append(answer)
        return web.json_response({"jsonrpc": "2.0", "id": body.get("id"), "result": results})

    def _show(self, node: NodePlan, command: str) -> Row | None:
        if command in ("enable", "show version"):
            return {} if command == "enable" else {"systemMacAddress": node.mac, "modelName": node.model,
                                                   "serialNumber": node.serial, "version": "4.31.2F"}  # fmt: skip
        if command == "show hostname":
            name = self._wiring().description(node.guid)
            return {"hostname": name, "fqdn": name}
        if command == "show lldp neighbors detail":
            return {"lldpNeighbors": {
                port_name(node, port.end.port): {"lldpNeighborInfo": [_eapi_neighbour(said)] if said else []}
                for port, said in self._said(node)
            }}  # fmt: skip
        if command == "show interfaces status":
            return {"interfaceStatuses": {
                port_name(node, port.end.port): {
                    "linkStatus": "connected" if port.up else "disabled" if port.physical == "Disabled" else
                    "notconnect", "bandwidth": node.speed_gbps * 10**9 if port.up else 0, "duplex": "duplexFull",
                    "interfaceType": "100GBASE-SR4" if port.cable else "Not Present", "description": "",
                }
                for port, _ in self._said(node)
            }}  # fmt: skip
        return None

    # ---- NVUE ----

    async def _nvue_system(self, request: web.Request) -> web.Response:
        node = self._node(request)
        return web.json_response({"hostname": self._wiring().description(node.guid), "build": "Cumulus Linux 5.9.1"})

    async def _nvue_platform(self, request: web.Request) -> web.Response:
        node = self._node(request)
        return web.json_response({"system-mac": node.mac, "product-name": node.model, "serial-number": node.serial})

    async def _nvue(self, request: web.Request) -> web.Response:
        node = self._node(request)
        rows: Row = {}
        for port, said in self._said(node):
            row: Row = {"type": "swp", "link": {"state": {"up" if port.up else "down": {}}}}
            if port.up:
                row["link"]["speed"] = f"{node.speed_gbps}G"
            if said is not None:
                row["lldp"] = {"neighbor": {said.name or said.chassis_mac: _nvue_neighbour(said)}}
            rows[port_name(node, port.end.port)] = row
        return web.json_response(rows)


def _eapi_neighbour(said: Neighbour) -> Row:
    mac = said.chassis_mac.replace(":", "")
    dotted = ".".join(mac[at : at + 4] for at in range(0, 12, 4))
    ids = {"mac": ("macAddress", said.port_id), "ifname": ("interfaceName", f'"{said.port_id}"')}
    kind, value = ids[said.port_id_type]
    return {
        "chassisIdType": "macAddress", "chassisId": dotted, "systemName": said.name,
        "systemDescription": said.text, "ttl": 120,
        "neighborInterfaceInfo": {"interfaceIdType": kind, "interfaceId": value,
                                  "interfaceDescription": said.port_description},
    }  # fmt: skip


def _nvue_neighbour(said: Neighbour) -> Row:
    kind = {"mac": "mac", "ifname": "ifname"}[said.port_id_type]
    return {
        "age": "11530", "last-update": "31",
        "chassis": {"chassis-id": said.chassis_mac, "management-address-ipv4": "10.0.0.9",
                    "system-description": said.text, "system-name": said.name},
        "port": {"id": said.port_id, "id-type": kind, "description": said.port_description, "ttl": 120},
    }  # fmt: skip
