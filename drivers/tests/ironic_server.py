"""An Ironic for the quick tests: its API with state over TLS, with name and password, as a real Ironic 39 answered.

A node begins as the answer recorded from it (`ironic_node.json`); `test_ironic.py` puts the same questions to both.
What takes long takes `LOOKS` readings of the node. Tests reach into `nodes` as somebody does who works there: delete,
rename, set maintenance. `answers_first` are statuses given instead of the next answers.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from aiohttp import web

USER, PASSWORD = "rackside", "ironicsecret"
LOOKS = 2
TIMES = count(1)
RECORDED = json.loads((Path(__file__).parent / "ironic_node.json").read_text())
NAME = re.compile(r"[a-zA-Z0-9\-._~]+", re.ASCII)
FROM: dict[str, frozenset[str]] = {
    "manage": frozenset({"enroll", "available", "inspect failed", "clean failed", "adopt failed"}),
    "inspect": frozenset({"manageable", "inspect failed"}),
    "provide": frozenset({"manageable"}),
    "clean": frozenset({"manageable"}),
    "active": frozenset({"available", "deploy failed"}),
    "deleted": frozenset({"active", "deploy failed", "error", "rescue", "rescue failed", "unrescue failed",
                          "service failed", "wait call-back"}),
}  # fmt: skip


@dataclass
class Record:
    """One node. `finds` is what an inspection will read; `fails` says with which error a target will fail."""

    row: dict[str, Any]
    macs: list[str] = field(default_factory=list)
    finds: dict[str, Any] = field(default_factory=dict)
    fails: dict[str, str] = field(default_factory=dict)
    inventory: dict[str, Any] | None = None
    history: list[dict[str, Any]] = field(default_factory=list)
    user_data: str = ""
    meta_data: dict[str, Any] = field(default_factory=dict)
    password: str = ""
    cleaned: int = 0
    erased: list[str] = field(default_factory=list)
    looks: int = 0
    then: Callable[[], None] | None = None

    @property
    def uuid(self) -> str:
        return str(self.row["uuid"])

    @property
    def name(self) -> str:
        return str(self.row["name"])

    @property
    def state(self) -> str:
        return str(self.row["provision_state"])

    def be(self, state: str, target: str | None = None, error: str = "") -> None:
        self.row["provision_updated_at"] = f"2026-11-28T13:00:00.{next(TIMES):06d}+00:00"
        self.row.update(provision_state=state, target_provision_state=target, last_error=error or None)
        self.row["reservation"] = "conductor-1" if target and not state.endswith("failed") else None
        if error:
            at = f"2026-11-28T13:00:{len(self.history):02d}+00:00"
            self.history.append({"created_at": at, "severity": "ERROR", "event_type": "provisioning", "event": error})


class IronicServer:
    def __init__(self, user: str = USER, password: str = PASSWORD) -> None:
        self.user, self.password = user, password
        self.newest = "1.115"
        self.nodes: dict[str, Record] = {}
        self.answers_first: list[int] = []
        self.silent = False
        self.orders: Counter[str] = Counter()
        self.requests: list[tuple[str, str]] = []
        self.port = 0
        self.certificate = ""
        self.hardware: dict[str, Any] = {}
        """What an inspection reads of a node that has no `finds` of its own."""
        self._ids = count(1)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def add(self, name: str, *macs: str, state: str = "enroll", **fields: Any) -> Record:
        record = Record(deepcopy(RECORDED), [mac.lower() for mac in macs])
        record.row.update(uuid=f"04c795b1-4670-4c12-80f6-{next(self._ids):012x}", name=name, **fields)
        record.be(state)
        self.nodes[record.uuid] = record
        return record

    def of(self, name: str) -> Record:
        return next(record for record in self.nodes.values() if record.name == name)

    # ---- the API ----

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guarded])
        app.router.add_get("/v1", self._version)
        app.router.add_get("/v1/drivers", self._drivers)
        app.router.add_get("/v1/ports", self._ports)
        app.router.add_post("/v1/ports", self._add_port)
        app.router.add_get("/v1/nodes", self._list)
        app.router.add_post("/v1/nodes", self._enroll)
        app.router.add_get("/v1/nodes/{id}", self._read)
        app.router.add_patch("/v1/nodes/{id}", self._patch)
        app.router.add_get("/v1/nodes/{id}/inventory", self._inventory)
        app.router.add_get("/v1/nodes/{id}/history", self._history)
        app.router.add_put("/v1/nodes/{id}/states/provision", self._provision)
        app.router.add_put("/v1/nodes/{id}/maintenance", self._maintain)
        app.router.add_delete("/v1/nodes/{id}/maintenance", self._maintain)
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append((request.method, request.path))
        if self.silent:
            await asyncio.sleep(3600)
        wanted = "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        if request.path != "/v1" and request.headers.get("Authorization") != wanted:
            return _fault(401, "Incorrect username or password")
        asked = request.headers.get("X-OpenStack-Ironic-API-Version", "1.1").partition(".")
        if int(asked[2]) > int(self.newest.partition(".")[2]) and request.path != "/v1":
            return _fault(406, f"Version {''.join(asked)} was requested but the minor version is not supported.")
        if self.answers_first:
            return _fault(self.answers_first.pop(0), "Node is locked by host conductor-1, please retry after.")
        try:
            answer: web.StreamResponse = await handler(request)
        except Refusal as refusal:
            return _fault(refusal.status, refusal.text)
        return answer

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"id": "v1", "version": {"id": "v1", "min_version": "1.1", "version": self.newest}})

    async def _drivers(self, request: web.Request) -> web.Response:
        return web.json_response(
            {"drivers": [{"name": "fake-hardware", "hosts": ["conductor-1"]}, {"name": "redfish"}]}
        )

    async def _ports(self, request: web.Request) -> web.Response:
        mac = request.query["address"].lower()
        rows = [{"node_uuid": each.uuid} for each in self.nodes.values() if mac in each.macs]
        return web.json_response({"ports": rows})

    async def _add_port(self, request: web.Request) -> web.Response:
        body = await request.json()
        if any(body["address"] in each.macs for each in self.nodes.values()):
            raise Refusal(409, f"A port with MAC address {body['address']} already exists.")
        self.nodes[body["node_uuid"]].macs.append(body["address"])
        self.orders["port"] += 1
        return web.json_response({"uuid": "x", **body}, status=201)

    async def _list(self, request: web.Request) -> web.Response:
        rows, limit = list(self.nodes.values()), int(request.query.get("limit", 1000))
        if marker := request.query.get("marker"):
            rows = rows[[each.uuid for each in rows].index(marker) + 1 :]
        more = {"next": f"{self.url}/v1/nodes?marker={rows[limit - 1].uuid}"} if len(rows) > limit else {}
        return web.json_response({"nodes": [self._shown(each) for each in rows[:limit]], **more})

    async def _enroll(self, request: web.Request) -> web.Response:
        body = await request.json()
        if not NAME.fullmatch(body["name"]):
            raise Refusal(400, f"Cannot create node with invalid name '{body['name']}'")
        if any(each.name == body["name"] for each in self.nodes.values()):
            raise Refusal(409, f"A node with name {body['name']} already exists. {body['driver_info']}")
        self.orders["enroll"] += 1
        record = self.add(**body)
        record.password = body["driver_info"]["redfish_password"]
        return web.json_response(self._shown(record), status=201)

    def _found(self, request: web.Request) -> Record:
        ident = request.match_info["id"]
        found = next((each for each in self.nodes.values() if ident in (each.uuid, each.name)), None)
        if found is None:
            raise Refusal(404, f"Node {ident} could not be found.")
        return found

    async def _read(self, request: web.Request) -> web.Response:
        record = self._found(request)
        if record.then is not None:
            record.looks -= 1
            if record.looks <= 0:
                then, record.then = record.then, None
                then()
        return web.json_response(self._shown(record))

    async def _patch(self, request: web.Request) -> web.Response:
        record = self._found(request)
        if record.then is not None:
            raise Refusal(409, f"Node {record.name} can not be updated while a state transition is in progress.")
        for each in await request.json():
            record.row[each["path"].removeprefix("/")] = each["value"]
            self.orders[f"set {each['path'].removeprefix('/')}"] += 1
        return web.json_response(self._shown(record))

    async def _inventory(self, request: web.Request) -> web.Response:
        record = self._found(request)
        if record.inventory is None:
            raise Refusal(404, f"Node inventory record for node {record.name} could not be found.")
        return web.json_response({"inventory": record.inventory, "plugin_data": {}})

    async def _history(self, request: web.Request) -> web.Response:
        return web.json_response({"history": self._found(request).history})

    async def _maintain(self, request: web.Request) -> web.Response:
        record, on = self._found(request), request.method == "PUT"
        reason = (await request.json()).get("reason") if on else None
        record.row.update(maintenance=on, maintenance_reason=reason)
        self.orders["set maintenance" if on else "unset maintenance"] += 1
        return web.Response(status=202)

    async def _provision(self, request: web.Request) -> web.Response:
        record, body = self._found(request), await request.json()
        target = body["target"]
        if record.then is not None:
            raise Refusal(409, f"Node {record.uuid} is locked by host conductor-1, please retry after.")
        if record.row["maintenance"] and target == "active":
            raise Refusal(400, f"The provisioning operation can't be performed on node {record.uuid} because it's in "
                               "maintenance mode.")  # fmt: skip
        if record.state not in FROM[target]:
            raise Refusal(400, f'The requested action "{target}" can not be performed on node "{record.uuid}" while it '
                               f'is in state "{record.state}".')  # fmt: skip
        self.orders[target] += 1
        if target == "active":
            drive = body["configdrive"]
            record.user_data, record.meta_data = drive["user_data"], drive["meta_data"]
        if target == "clean":
            record.erased = [f"{each['interface']}.{each['step']}" for each in body["clean_steps"]]
        getattr(self, f"_do_{target}")(record)
        return web.Response(status=202)

    # ---- what the targets do ----

    def _later(self, record: Record, target: str, states: tuple[str, str, str], failed: str, end: Any = None) -> None:
        """`states`: while it lasts, what is aimed at, and where it ends."""
        during, aim, reached = states

        def finish() -> None:
            if error := record.fails.get(target):
                record.be(failed, aim if failed.endswith("failed") else None, error)
                record.row["maintenance"] |= failed == "clean failed"
                return
            record.be(reached)
            if end is not None:
                end()

        record.be(during, aim)
        record.looks, record.then = LOOKS, finish

    def _do_manage(self, record: Record) -> None:
        if record.state == "enroll":
            self._later(record, "manage", ("verifying", "manageable", "manageable"), "enroll")
        else:
            record.be("manageable")

    def _do_inspect(self, record: Record) -> None:
        def end() -> None:
            record.row["inspection_finished_at"] = f"2026-11-28T13:00:00.{next(TIMES):06d}+00:00"
            record.inventory = record.finds or self.hardware or None

        self._later(record, "inspect", ("inspecting", "manageable", "manageable"), "inspect failed", end)

    def _clean(self, record: Record) -> None:
        def end() -> None:
            record.cleaned += record.row["automated_clean"] is not False

        self._later(record, "clean", ("cleaning", "available", "available"), "clean failed", end)

    def _do_provide(self, record: Record) -> None:
        self._clean(record)

    def _do_clean(self, record: Record) -> None:
        self._later(record, "clean", ("cleaning", "manageable", "manageable"), "clean failed")

    def _do_active(self, record: Record) -> None:
        self._later(record, "active", ("deploying", "active", "active"), "deploy failed")

    def _do_deleted(self, record: Record) -> None:
        record.user_data = ""
        record.row["instance_info"] = {}
        self._clean(record)
        record.row["provision_state"] = "deleting"

    def _shown(self, record: Record) -> dict[str, Any]:
        info = record.row["driver_info"]
        masked = info | ({"redfish_password": "******"} if "redfish_password" in info else {})
        return record.row | {"driver_info": masked}


class Refusal(Exception):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


def _fault(status: int, text: str) -> web.Response:
    """An error as Ironic says it: JSON in the JSON."""
    inner = json.dumps({"faultcode": "Client", "faultstring": text, "debuginfo": None})
    return web.json_response({"error_message": inner}, status=status)


@asynccontextmanager
async def serving(server: IronicServer, pem: Path) -> AsyncIterator[int]:
    """The server over TLS on a port of its own; `server.certificate` is whom to trust."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    text = pem.read_text()
    server.certificate = text[text.index("-----BEGIN CERTIFICATE") :]
    runner = web.AppRunner(server.app(), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    server.port = runner.addresses[0][1]
    try:
        yield server.port
    finally:
        await runner.cleanup()
