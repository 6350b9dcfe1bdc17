"""UFM of the virtual hall: three doors (`/ufmRest` Basic, `/ufmRestV2` session cookie, `/ufmRestV3` token), real TLS.

It keeps what it is told: isolated ports, node descriptions, ports switched off. What it does not have answers 200 with
`{}`, as the real one may.
"""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from simulator.fabric.ufm_rows import Row, Rows
from simulator.fabric.wiring import WiringError, parse_end

if TYPE_CHECKING:
    from simulator.fabric.hall import Fabric

DOORS = ("/ufmRest", "/ufmRestV2", "/ufmRestV3")
RELEASE = "6.22.1-5"
LONG_S = 3600.0


@dataclass(frozen=True)
class UfmAccess:
    """Who is let in."""

    username: str = "admin"
    password: str = ""
    token: str = ""


class Ufm:
    """The web application. `labels` false: a release before 6.20."""

    def __init__(self, fabric: Fabric, access: UfmAccess, *, labels: bool = True, most_per_page: int = 1000) -> None:
        self._fabric = fabric
        self._access = access
        self._labels = labels
        self._most = most_per_page
        self._sessions: set[str] = set()
        self._jobs: dict[str, Row] = {}
        self._made: tuple[tuple[Any, ...], list[Row]] | None = None

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.router.add_post("/dologin", self._log_in)
        for door in DOORS:
            app.router.add_get(f"{door}/resources/{{list}}", self._resources)
            app.router.add_get(f"{door}/app/ufm_version", self._version)
            app.router.add_get(f"{door}/app/events", self._events)
            app.router.add_get(f"{door}/app/alarms", self._alarms)
            app.router.add_get(f"{door}/app/unhealthy_ports", self._unhealthy)
            app.router.add_put(f"{door}/app/unhealthy_ports", self._set_unhealthy)
            app.router.add_post(f"{door}/actions", self._action)
            app.router.add_post(f"{door}/actions/fabric_discovery_refresh", self._refresh)
            app.router.add_get(f"{door}/jobs/{{id}}", self._job)
            app.router.add_get(f"{door}/{{other:.*}}", self._nothing)
        return app

    # ---- who may enter ----

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if self._fabric.wiring.source("ufm") == "silent":
            await asyncio.sleep(LONG_S)
        if request.path != "/dologin" and not self._may(request):
            return web.Response(status=401, text="Access denied", headers={"WWW-Authenticate": 'Basic realm="UFM"'})
        try:
            return await handler(request)
        except (WiringError, ValueError, KeyError) as error:
            return web.Response(status=400, text=str(error))

    def _may(self, request: web.Request) -> bool:
        door = request.path.split("/")[1]
        if door == "ufmRestV2":
            return request.cookies.get("session", "") in self._sessions
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Basic" or not given:
            return False
        if door == "ufmRestV3":
            return bool(self._access.token) and secrets.compare_digest(given, self._access.token)
        wanted = base64.b64encode(f"{self._access.username}:{self._access.password}".encode()).decode()
        return secrets.compare_digest(given, wanted)

    async def _log_in(self, request: web.Request) -> web.Response:
        form = await request.post()
        given = (str(form.get("httpd_username", "")), str(form.get("httpd_password", "")))
        if given != (self._access.username, self._access.password):
            return web.Response(status=302, headers={"Location": "/ufm_web/login.html"})
        session = secrets.token_urlsafe(16)
        self._sessions.add(session)
        answer = web.Response(status=302, headers={"Location": "/ufm_web/"})
        answer.set_cookie("session", session, httponly=True, secure=True)
        return answer

    # ---- reading ----

    def _rows(self) -> Rows:
        return Rows(self._fabric.wiring.as_told_by("ufm"), self._fabric.clock(), labels=self._labels)

    async def _resources(self, request: web.Request) -> web.StreamResponse:
        name, query = request.match_info["list"], request.query
        state = self._fabric.wiring.source("ufm")
        if name not in ("systems", "ports", "links") or state == "empty":
            return web.json_response({})
        number, size = int(query.get("page_number", "0")), min(self._most, int(query.get("rpp", "0") or self._most))
        rows = await asyncio.to_thread(self._list, name, dict(query))
        if state == "truncated":
            rows = rows[: len(rows) // 2]
        page = rows[(number - 1) * size : number * size] if number else rows
        if not number or number * size >= len(rows):
            self._made = None  # the last page: a fabric's ports are 20 MB
        if number > 1 and not page:
            return web.json_response({})
        text = json.dumps(page)
        return web.Response(text=text, content_type="application/json")

    def _list(self, name: str, query: dict[str, str]) -> list[Row]:
        """A list, kept while the pages of one reading of an unchanged fabric are asked for."""
        asked = {key: value for key, value in query.items() if key not in ("page_number", "rpp")}
        key = (name, tuple(sorted(asked.items())), self._fabric.wiring.changes.revision)
        if self._made is not None and self._made[0] == key and int(query.get("page_number", "0")) > 1:
            return self._made[1]
        rows, cables = self._rows(), query.get("cable_info") == "true"
        if name == "systems":
            made = rows.systems()
        elif name == "links":
            made = rows.links(system=query.get("system", ""), cable_info=cables)
        else:
            made = rows.ports(show_disabled=query.get("show_disabled") == "true", cable_info=cables)
        self._made = (key, made)
        return made

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"ufm_release_version": RELEASE, "opensm_version": "5.21.0"})

    async def _events(self, request: web.Request) -> web.Response:
        return web.json_response(self._rows().events())

    async def _alarms(self, request: web.Request) -> web.Response:
        return web.json_response(self._rows().alarms())

    async def _unhealthy(self, request: web.Request) -> web.Response:
        return web.json_response(self._rows().unhealthy())

    async def _nothing(self, request: web.Request) -> web.Response:
        return web.json_response({})

    # ---- changing ----

    async def _set_unhealthy(self, request: web.Request) -> web.Response:
        body = await request.json()
        policy, action = body.get("ports_policy"), body.get("action", "isolate")
        if policy not in ("UNHEALTHY", "HEALTHY") or action not in ("isolate", "no_discover"):
            return web.Response(status=400, text="Invalid ports_policy or action")
        ends = [parse_end(name) for name in body.get("ports", [])]
        for end in ends:
            self._fabric.wiring.port(end)
        for end in ends:
            for kept in ("isolated", "undiscovered"):
                told = policy == "UNHEALTHY" and (kept == "undiscovered") == (action == "no_discover")
                self._fabric.wiring.set_port(end, kept, told, self._fabric.clock())
        self._fabric.keep()
        return web.Response(status=200)

    async def _refresh(self, request: web.Request) -> web.Response:
        return web.Response(status=202)

    async def _action(self, request: web.Request) -> web.Response:
        body = await request.json()
        state, text = "Completed", ""
        try:
            self._act(str(body.get("action")), body)
        except (WiringError, KeyError) as error:
            state, text = "Completed With Errors", str(error)
        self._fabric.keep()
        job = str(len(self._jobs) + 1)
        self._jobs[job] = {
            "ID": job,
            "Status": state,
            "Summary": text,
            "Operation": body.get("action"),
            "Progress": 100,
        }
        return web.Response(status=202, headers={"Location": f"{request.path.rsplit('/', 1)[0]}/jobs/{job}"})

    def _act(self, action: str, body: Row) -> None:
        wiring, now, params = self._fabric.wiring, self._fabric.clock(), body.get("params", {})
        if action == "set_node_description":
            for guid in body["object_ids"]:
                wiring.rename(guid, str(params["node_description"]))
        elif action in ("disable", "enable"):
            wiring.set_port(parse_end(params["port_id"]), "disabled", action == "disable", now)
        elif action == "reset":
            end = parse_end(params["port_id"])
            for off in (True, False):
                wiring.set_port(end, "disabled", off, now)
        elif action == "run_cli":
            for line in params["commandline"]:
                if line.startswith("hostname "):
                    for guid in body["object_ids"]:
                        wiring.rename(guid, line.removeprefix("hostname ").strip())
        else:
            raise WiringError(f"unknown action {action}")

    async def _job(self, request: web.Request) -> web.Response:
        return web.json_response(self._jobs.get(request.match_info["id"], {}))
