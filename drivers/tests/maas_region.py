"""A MAAS region for tests: the documented API 2.0 with state, over TLS, every request signed by OAuth 1.0 PLAINTEXT.

What takes long in MAAS takes `LOOKS` readings of the machine here. Tests reach into `records` as somebody does who uses
MAAS's own screens: deletes, renames, marks broken. `answers_first` are statuses given instead of the next answers.
Source: MAAS's API documentation 3.x; which operation is refused in which state: `NODE_TRANSITIONS` as documented there.
"""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from drivers.maas.states import Status

KEY = "consumerkey:tokenkey:tokensecret"
LOOKS = 2
S = Status
NAMES = {status: status.name.replace("_", " ").capitalize() for status in Status}
FROM: dict[str, frozenset[Status]] = {
    "commission": frozenset({S.NEW, S.READY, S.FAILED_COMMISSIONING, S.FAILED_TESTING, S.BROKEN}),
    "allocate": frozenset({S.READY}),
    "deploy": frozenset({S.ALLOCATED}),
    "release": frozenset({S.ALLOCATED, S.RESERVED, S.DEPLOYED, S.DEPLOYING, S.FAILED_DEPLOYMENT, S.FAILED_RELEASING,
                          S.FAILED_DISK_ERASING}),
    "mark_broken": frozenset(S) - {S.RETIRED, S.COMMISSIONING},
    "mark_fixed": frozenset({S.BROKEN}),
    "exit_rescue_mode": frozenset({S.RESCUE_MODE, S.FAILED_ENTERING_RESCUE_MODE, S.FAILED_EXITING_RESCUE_MODE}),
}  # fmt: skip


@dataclass
class Record:
    """One machine. `finds` is what commissioning will read of its hardware; `fails` names scripts that will fail."""

    system_id: str
    hostname: str
    macs: list[str]
    status: Status = S.NEW
    message: str = ""
    finds: dict[str, Any] = field(default_factory=dict)
    fails: list[str] = field(default_factory=list)
    deploy_fails: str = ""
    power: dict[str, str] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)
    commissioned: int = 0
    results: list[dict[str, Any]] = field(default_factory=list)
    user_data: str = ""
    series: str = ""
    erased: list[str] = field(default_factory=list)
    comment: str = ""
    locked: bool = False
    looks: int = 0
    then: Callable[[], None] | None = None


class MaasRegion:
    def __init__(self, key: str = KEY) -> None:
        self.key = key
        self.version = "3.5.2"
        self.records: dict[str, Record] = {}
        self.events: list[dict[str, Any]] = []
        self.answers_first: list[int] = []
        self.silent = False
        self.orders: Counter[str] = Counter()
        self.requests: list[tuple[str, str, str]] = []
        self.port = 0
        self.certificate = ""
        self.hardware: dict[str, Any] = {}
        """What commissioning reads of a machine that has no `finds` of its own."""
        self._nonces: set[str] = set()
        self._ids, self._results, self._events = count(1), count(100), count(5000)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}/MAAS"

    def add(self, hostname: str, *macs: str, status: Status = S.NEW, **fields: Any) -> Record:
        system_id = f"x{next(self._ids):05d}"
        self.records[system_id] = Record(system_id, hostname, [mac.lower() for mac in macs], status, **fields)
        return self.records[system_id]

    def of(self, hostname: str) -> Record:
        return next(record for record in self.records.values() if record.hostname == hostname)

    def say(self, record: Record, kind: str, description: str = "") -> None:
        self.events.append({
            "id": next(self._events), "node": record.system_id, "hostname": record.hostname, "level": "INFO",
            "type": kind, "description": description, "username": "unknown", "created": "Mon, 02 Mar. 2026 10:00:00",
        })  # fmt: skip

    # ---- the API ----

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guarded])
        root = "/MAAS/api/2.0"
        app.router.add_get(f"{root}/version/", self._version)
        app.router.add_get(f"{root}/users/", self._whoami)
        app.router.add_get(f"{root}/events/", self._query_events)
        app.router.add_get(f"{root}/machines/", self._list)
        app.router.add_post(f"{root}/machines/", self._post_machines)
        app.router.add_get(f"{root}/machines/{{id}}/", self._read)
        app.router.add_put(f"{root}/machines/{{id}}/", self._update)
        app.router.add_post(f"{root}/machines/{{id}}/", self._operate)
        app.router.add_get(f"{root}/nodes/{{id}}/results/", self._read_results)
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append((request.method, request.path, request.query.get("op", "")))
        if self.silent:
            await asyncio.sleep(3600)
        if not request.path.endswith("/version/") and (why := self._unsigned(request)):
            return web.Response(status=401, text=f"Authorization Error: {why}")
        if self.answers_first:
            status = self.answers_first.pop(0)
            return web.Response(status=status, text="no rack controller is connected", headers={"Retry-After": "5"})
        answer: web.StreamResponse = await handler(request)
        return answer

    def _unsigned(self, request: web.Request) -> str:
        """Why the OAuth header of a request is none; empty when it is good (RFC 5849)."""
        given = request.headers.get("Authorization", "")
        told = {name: unquote(value) for name, value in re.findall(r'(\w+)="([^"]*)"', given)}
        consumer, token, secret = self.key.split(":")
        wanted = {"oauth_consumer_key": consumer, "oauth_token": token, "oauth_signature": f"&{secret}",
                  "oauth_signature_method": "PLAINTEXT", "oauth_version": "1.0"}  # fmt: skip
        if not given.startswith("OAuth "):
            return "no OAuth header"
        wrong = [name for name, value in wanted.items() if told.get(name) != value]
        if wrong:
            return f"invalid {wrong[0]}"
        if abs(time.time() - int(told.get("oauth_timestamp", 0))) > 300:
            return "expired timestamp"
        nonce = told.get("oauth_nonce", "")
        if not nonce or nonce in self._nonces:
            return "the nonce was used"
        self._nonces.add(nonce)
        return ""

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"version": self.version, "subversion": "", "capabilities": ["networks-management"]})

    async def _whoami(self, request: web.Request) -> web.Response:
        return web.json_response({"username": "rackside", "email": "", "is_superuser": True})

    async def _query_events(self, request: web.Request) -> web.Response:
        limit = int(request.query.get("limit", 100))
        if limit > 1000:
            return web.Response(status=400, text="Requested number of events is greater than limit: 1000")
        if "after" in request.query:
            rows = [each for each in self.events if each["id"] > int(request.query["after"])][:limit]
        else:
            rows = self.events[-limit:]
        return web.json_response({"count": len(rows), "events": rows[::-1], "next_uri": "", "prev_uri": ""})

    async def _list(self, request: web.Request) -> web.Response:
        rows = list(self.records.values())
        if mac := request.query.get("mac_address"):
            rows = [each for each in rows if mac.lower() in each.macs]
        if name := request.query.get("hostname"):
            rows = [each for each in rows if each.hostname == name]
        if status := request.query.get("status"):
            rows = [each for each in rows if each.status.name.lower() == status]
        return web.json_response([self._shown(each) for each in rows])

    async def _post_machines(self, request: web.Request) -> web.Response:
        form = await request.post()
        if request.query.get("op") == "allocate":
            found = self.records.get(str(form["system_id"]))
            if found is None or found.status is not S.READY:
                return web.Response(status=409, text="No machine available matching constraints")
            self.orders["allocate"] += 1
            found.status = S.ALLOCATED
            return web.json_response(self._shown(found))
        name, macs = str(form["hostname"]), [str(mac).lower() for mac in form.getall("mac_addresses")]
        if any(set(macs) & set(each.macs) or each.hostname == name for each in self.records.values()):
            said = {"mac_addresses": ["One or more MAC addresses is already in use."]}
            return web.json_response({**said, "power": dict(form).get("power_parameters_power_pass", "")}, status=400)
        if form["commission"] != "false" or form["power_type"] != "redfish" or not form["architecture"]:
            return web.json_response({"architecture": ["Required."]}, status=400)
        self.orders["enlist"] += 1
        record = self.add(name, *macs)
        record.power = {key: str(value) for key, value in form.items() if key.startswith("power_parameters_")}
        return web.json_response(self._shown(record))

    def _found(self, request: web.Request) -> Record:
        record = self.records.get(request.match_info["id"])
        if record is None:
            raise web.HTTPNotFound(text="No Machine matches the given query.")
        return record

    async def _read(self, request: web.Request) -> web.Response:
        record = self._found(request)
        if record.then is not None:
            record.looks -= 1
            if record.looks <= 0:
                then, record.then = record.then, None
                then()
        return web.json_response(self._shown(record))

    async def _update(self, request: web.Request) -> web.Response:
        record, form = self._found(request), await request.post()
        record.hostname = str(form.get("hostname", record.hostname))
        self.orders["rename"] += 1
        return web.json_response(self._shown(record))

    async def _read_results(self, request: web.Request) -> web.Response:
        return web.json_response(self._found(request).results)

    async def _operate(self, request: web.Request) -> web.Response:
        record, operation = self._found(request), request.query["op"]
        form = {key: str(value) for key, value in (await request.post()).items()}
        if record.locked:
            return web.Response(status=403, text="the machine is locked")
        if record.status not in FROM[operation]:
            said = f"Cannot {operation} because it is in state {NAMES[record.status]}"
            return web.Response(status=409, text=said)
        self.orders[operation] += 1
        record.comment = form.get("comment", "")
        getattr(self, f"_do_{operation}")(record, form)
        return web.json_response(self._shown(record))

    # ---- what the operations do ----

    def _later(self, record: Record, status: Status, then: Callable[[], None]) -> None:
        record.status, record.looks, record.then = status, LOOKS, then
        self.say(record, NAMES[status])

    def _do_commission(self, record: Record, form: dict[str, str]) -> None:
        number = next(self._results)
        record.commissioned = number

        def end() -> None:
            scripts = ["00-maas-03-install-lldpd", "20-maas-03-machine-resources", *record.fails]
            results = [
                {"id": 1, "name": name, "status": 3 if name in record.fails else 2,
                 "status_name": "Failed" if name in record.fails else "Passed",
                 "exit_status": 1 if name in record.fails else 0}
                for name in scripts
            ]  # fmt: skip
            record.results.append({"id": number, "system_id": record.system_id, "type": 0, "results": results})
            record.seen = dict(record.finds or self.hardware)
            record.status = S.FAILED_COMMISSIONING if record.fails else S.READY
            self.say(record, NAMES[record.status])

        self._later(record, S.COMMISSIONING, end)

    def _do_deploy(self, record: Record, form: dict[str, str]) -> None:
        record.user_data = base64.b64decode(form["user_data"]).decode()
        record.series = form["distro_series"]

        def end() -> None:
            record.status, record.message = S.DEPLOYED, ""
            if record.deploy_fails:
                record.status, record.message = S.FAILED_DEPLOYMENT, record.deploy_fails
            self.say(record, NAMES[record.status], record.message)

        self._later(record, S.DEPLOYING, end)

    def _do_release(self, record: Record, form: dict[str, str]) -> None:
        record.erased = sorted(key for key, value in form.items() if value == "true")

        def end() -> None:
            record.status = S.READY

        self._later(record, S.DISK_ERASING if record.erased else S.RELEASING, end)

    def _do_mark_broken(self, record: Record, form: dict[str, str]) -> None:
        """A machine that somebody has is released by it, so what ran on it is lost."""
        record.status, record.message = S.BROKEN, form.get("comment", "")
        record.user_data = record.series = ""

    def _do_mark_fixed(self, record: Record, form: dict[str, str]) -> None:
        record.status, record.message = S.READY, ""

    def _do_exit_rescue_mode(self, record: Record, form: dict[str, str]) -> None:
        self._later(record, S.EXITING_RESCUE_MODE, lambda: setattr(record, "status", S.READY))

    def _shown(self, record: Record) -> dict[str, Any]:
        seen = record.seen
        return {
            "system_id": record.system_id, "hostname": record.hostname, "fqdn": f"{record.hostname}.maas",
            "status": int(record.status), "status_name": NAMES[record.status], "status_message": record.message,
            "hardware_uuid": seen.get("uuid"), "hardware_info": {"system_serial": seen.get("serial", "Unknown")},
            "interface_set": [
                {"name": f"eth{n}", "type": "physical", "mac_address": mac}
                for n, mac in enumerate([*record.macs, *seen.get("macs", ())])
            ],
            "cpu_count": seen.get("cpus", 0), "memory": seen.get("memory_mib", 0),
            "physicalblockdevice_set": [
                {"name": f"nvme{n}n1", "serial": serial, "size": 3840755982336}
                for n, serial in enumerate(seen.get("disks", ()))
            ],
            "current_commissioning_result_id": record.commissioned or None, "locked": record.locked,
            "owner": "rackside",
            "power_state": "on" if record.status in (S.DEPLOYED, S.DEPLOYING, S.COMMISSIONING) else "off",
            "power_type": "redfish", "pool": {"name": "default"}, "zone": {"name": "default"}, "tag_names": [],
        }  # fmt: skip


@asynccontextmanager
async def serving(region: MaasRegion, pem: Path) -> AsyncIterator[int]:
    """The region over TLS on a port of its own; `region.certificate` is whom to trust."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    region.certificate = pem.read_text()
    region.certificate = region.certificate[region.certificate.index("-----BEGIN CERTIFICATE") :]
    runner = web.AppRunner(region.app(), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    region.port = runner.addresses[0][1]
    try:
        yield region.port
    finally:
        await runner.cleanup()
