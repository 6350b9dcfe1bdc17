"""Redfish of the BMCs: one web application; which BMC is asked is known by the address that was called."""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from aiohttp import web

from simulator import stalls
from simulator.redfish import resources as show
from simulator.redfish.resources import BOOT_TARGETS, CHASSIS, LED_STATES, MANAGER, RESET_TYPES, ROOT, SYSTEM
from simulator.state import BootOverride

if TYPE_CHECKING:
    from simulator.hall import Hall
    from simulator.state import Machine

__all__ = ["RESET_TYPES", "application"]
_SESSIONS_MOST = 64
_SESSIONS = f"{ROOT}/SessionService/Sessions"


class RedfishError(Exception):
    """An answer other than 2xx, with a message in Redfish's extended form."""

    def __init__(self, status: int, message_id: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.message_id = message_id


def extended(message_id: str, text: str, severity: str = "Critical") -> dict[str, Any]:
    info = {"MessageId": message_id, "Message": text, "Severity": severity, "MessageArgs": []}
    return {"error": {"code": "Base.1.18.GeneralError", "message": "A general error has occurred. See ExtendedInfo "
                      "for more information.", "@Message.ExtendedInfo": [info]}}  # fmt: skip


def application(hall: Hall) -> web.Application:
    """The application all BMCs share."""
    return _Bmc(hall).application()


class _Bmc:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._sessions: dict[str, tuple[str, str]] = {}  # token -> (machine, session id)

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.router.add_get(r"/redfish{_:/?}", self._version)
        app.router.add_post(_SESSIONS, self._log_in)
        app.router.add_delete(_SESSIONS + "/{session}", self._log_out)
        app.router.add_patch(SYSTEM, self._patch_system)
        app.router.add_patch(f"{SYSTEM}/Settings", self._patch_system)
        app.router.add_patch(CHASSIS, self._patch_system)
        app.router.add_post(f"{SYSTEM}/Actions/ComputerSystem.Reset", self._reset)
        app.router.add_post(f"{MANAGER}/Actions/Manager.Reset", self._accept)
        app.router.add_post(f"{MANAGER}/LogServices/Sel/Actions/LogService.ClearLog", self._clear_sel)
        app.router.add_get(r"/redfish/v1{path:.*}", self._get)
        return app

    def _machine(self, request: web.Request) -> Machine:
        assert request.transport is not None
        address, port = request.transport.get_extra_info("sockname")[:2]
        return self._hall.machine_at(address, port)

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Rights, and errors in Redfish's form. A dead BMC also drops the connections that were open."""
        if self._machine(request).fault("bmc_dead"):
            assert request.transport is not None
            request.transport.abort()
            return web.Response(status=503)
        if not await self._goes_on(request):
            return web.Response(status=503)
        try:
            if not self._may(request):
                raise RedfishError(401, "Base.1.18.AccessDenied", "The authentication credentials included with this "
                                   "request are missing or invalid.")  # fmt: skip
            answer = await handler(request)
        except RedfishError as error:
            headers = {"WWW-Authenticate": 'Basic realm="RedfishService"'} if error.status == 401 else None
            answer = web.json_response(extended(error.message_id, str(error)), status=error.status, headers=headers)
        except web.HTTPException as error:
            answer = web.json_response(extended("Base.1.18.GeneralError", error.reason), status=error.status)
        answer.headers["OData-Version"] = "4.0"
        answer.headers["Server"] = "iDRAC/9"
        if stalls.bmc_place(self._machine(request)) == "trickle" and isinstance(answer, web.Response):
            return await stalls.spell_response(request, bytes(answer.body or b""), answer.headers.items())  # type: ignore[arg-type]
        return answer

    async def _goes_on(self, request: web.Request) -> bool:
        """Wait while the BMC stalls; False when whoever asked has left: what they asked for is not done then."""
        machine = self._machine(request)
        await stalls.until(lambda: stalls.bmc_place(machine) != "http" or request.transport is None)
        return request.transport is not None

    def _may(self, request: web.Request) -> bool:
        path = request.path.rstrip("/")
        if path in ("/redfish", ROOT) or (path == _SESSIONS and request.method == "POST"):
            return True
        token = request.headers.get("X-Auth-Token", "")
        if token:
            return self._sessions.get(token, ("", ""))[0] == self._machine(request).plan.name
        scheme, _, encoded = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return False
        try:
            user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
        except ValueError:
            return False
        return self._known(user, password)

    def _known(self, user: str, password: str) -> bool:
        plan = self._hall.plan
        right = hmac.compare_digest(user.encode(), plan.bmc_user.encode())
        return hmac.compare_digest(password.encode(), plan.bmc_password.encode()) and right

    # ---- sessions ----

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"v1": "/redfish/v1/"})

    async def _log_in(self, request: web.Request) -> web.Response:
        body = await _body(request)
        if not self._known(str(body.get("UserName", "")), str(body.get("Password", ""))):
            raise RedfishError(401, "Base.1.18.AccessDenied", "Unable to log in: user name or password is wrong.")
        machine, token, number = self._machine(request), secrets.token_hex(16), secrets.token_hex(4)
        mine = [key for key, (name, _) in self._sessions.items() if name == machine.plan.name]
        if len(mine) >= _SESSIONS_MOST:
            del self._sessions[mine[0]]
        self._sessions[token] = (machine.plan.name, number)
        path = f"{_SESSIONS}/{number}"
        session = show.resource(path, "Session.v1_7_0.Session", Id=number, Name="User Session",
                                UserName=self._hall.plan.bmc_user)  # fmt: skip
        return web.json_response(session, status=201, headers={"X-Auth-Token": token, "Location": path})

    async def _log_out(self, request: web.Request) -> web.Response:
        number = request.match_info["session"]
        self._sessions = {token: who for token, who in self._sessions.items() if who[1] != number}
        return web.json_response({}, status=200)

    # ---- reads ----

    async def _get(self, request: web.Request) -> web.Response:
        machine, path = self._machine(request), request.path.rstrip("/")
        body = self._resource(machine, path, request)
        if body is None:
            raise RedfishError(404, "Base.1.18.ResourceMissingAtURI", f"The resource at the URI {path} was not found.")
        return web.json_response(body, headers={"ETag": _etag(machine)})

    def _resource(self, machine: Machine, path: str, request: web.Request) -> dict[str, Any] | None:
        now = self._hall.clock()
        simple: dict[str, Callable[[], dict[str, Any]]] = {
            ROOT: lambda: show.service_root(machine),
            f"{ROOT}/Systems": lambda: show.collection(path, "ComputerSystem", ["System.Embedded.1"]),
            SYSTEM: lambda: show.system(machine, now),
            f"{SYSTEM}/EthernetInterfaces": lambda: show.collection(path, "EthernetInterface", ["NIC.Embedded.1-1-1"]),
            f"{SYSTEM}/EthernetInterfaces/NIC.Embedded.1-1-1": lambda: show.ethernet_interface(machine),
            f"{ROOT}/Chassis": lambda: show.collection(path, "Chassis", ["System.Embedded.1"]),
            CHASSIS: lambda: show.chassis(machine),
            f"{CHASSIS}/Thermal": lambda: show.thermal(machine, now),
            f"{CHASSIS}/Power": lambda: show.power(machine, now),
            f"{ROOT}/Managers": lambda: show.collection(path, "Manager", ["iDRAC.Embedded.1"]),
            MANAGER: lambda: show.manager(machine, now),
            f"{MANAGER}/EthernetInterfaces": lambda: show.collection(path, "EthernetInterface", ["NIC.1"]),
            f"{MANAGER}/EthernetInterfaces/NIC.1": lambda: show.manager_interface(machine),
            f"{MANAGER}/LogServices": lambda: show.collection(path, "LogService", list(show.LOGS)),
            f"{ROOT}/SessionService": lambda: show.resource(
                path, "SessionService.v1_1_9.SessionService", Id="SessionService", Name="Session Service",
                ServiceEnabled=True, SessionTimeout=1800, Sessions=show.link(_SESSIONS)),
            _SESSIONS: lambda: show.collection(
                path, "Session", [number for name, number in self._sessions.values() if name == machine.plan.name]),
            f"{ROOT}/UpdateService": lambda: show.resource(
                path, "UpdateService.v1_14_0.UpdateService", Id="UpdateService", Name="Update Service",
                ServiceEnabled=True, FirmwareInventory=show.link(f"{path}/FirmwareInventory")),
            f"{ROOT}/UpdateService/FirmwareInventory": lambda: show.collection(
                path, "SoftwareInventory", list(show.firmware(machine))),
        }  # fmt: skip
        if path in simple:
            return simple[path]()
        parent, _, name = path.rpartition("/")
        if parent == f"{ROOT}/UpdateService/FirmwareInventory":
            return show.firmware(machine).get(name)
        if parent == f"{MANAGER}/LogServices" and name in show.LOGS:
            return show.log_service(name)
        if name == "Entries" and parent.removeprefix(f"{MANAGER}/LogServices/") in show.LOGS:
            skip, top = (_number(request, key, default) for key, default in (("$skip", 0), ("$top", show.PAGE)))
            return show.log_entries(machine, parent.rpartition("/")[2], skip, min(top, show.PAGE))
        return None

    # ---- writes ----

    async def _patch_system(self, request: web.Request) -> web.Response:
        """Boot override and locator light; If-Match is honoured when it is sent."""
        machine, body = self._machine(request), await _body(request)
        wanted = request.headers.get("If-Match", "*")
        if wanted not in ("*", _etag(machine)):
            raise RedfishError(412, "Base.1.18.PreconditionFailed", "The ETag supplied did not match the current one.")
        state = machine.state
        boot = body.get("Boot", {})
        target = _allowed(boot, "BootSourceOverrideTarget", BOOT_TARGETS, state.boot_override.target)
        enabled = _allowed(boot, "BootSourceOverrideEnabled", ("Disabled", "Once", "Continuous"),
                           state.boot_override.enabled)  # fmt: skip
        mode = _allowed(boot, "BootSourceOverrideMode", ("UEFI", "Legacy"), state.boot_override.mode)
        if "BootSourceOverrideTarget" in boot and "BootSourceOverrideEnabled" not in boot:
            enabled = "Disabled" if target == "None" else "Once"
        http_uri = str(boot.get("HttpBootUri", state.boot_override.http_uri) or "")
        led = _allowed(body, "IndicatorLED", LED_STATES, state.led)
        if "LocationIndicatorActive" in body:
            led = "Blinking" if body["LocationIndicatorActive"] else "Off"
        state.boot_override = BootOverride(enabled, target, mode, http_uri)
        state.led = led
        machine.touch()
        self._hall.settle(machine)
        done = extended("Base.1.18.Success", "The request completed successfully.", "OK")["error"]
        return web.json_response(
            {"@Message.ExtendedInfo": done["@Message.ExtendedInfo"]}, headers={"ETag": _etag(machine)}
        )

    async def _reset(self, request: web.Request) -> web.Response:
        machine, body = self._machine(request), await _body(request)
        action = str(body.get("ResetType", ""))
        if action not in RESET_TYPES:
            words = f"The value {action!r} of ResetType is not one of {', '.join(RESET_TYPES)}."
            raise RedfishError(400, "Base.1.18.ActionParameterNotSupported", words)
        state = machine.state.power
        if action == "On" and state == "on":
            raise RedfishError(409, "IDRAC.2.9.PSU501", "Unable to complete the operation because the server is "
                               "already powered ON.")  # fmt: skip
        if action not in ("On", "PushPowerButton") and state == "off":
            raise RedfishError(409, "IDRAC.2.9.PSU502", "Unable to complete the operation because the server is "
                               "already powered OFF.")  # fmt: skip
        self._hall.power(machine, action)
        return web.Response(status=204)

    async def _clear_sel(self, request: web.Request) -> web.Response:
        machine = self._machine(request)
        machine.state.sel = []
        machine.touch()
        self._hall.settle(machine)
        return web.Response(status=204)

    async def _accept(self, request: web.Request) -> web.Response:
        return web.Response(status=204)


def _etag(machine: Machine) -> str:
    return f'W/"{machine.state.revision}"'


def _number(request: web.Request, key: str, default: int) -> int:
    text = request.query.get(key, str(default))
    if not text.isdigit():
        raise RedfishError(400, "Base.1.18.QueryParameterValueTypeError", f"{key} is not a number: {text}")
    return int(text)


def _allowed(body: dict[str, Any], key: str, values: tuple[str, ...], default: Any) -> Any:
    value = body.get(key, default)
    if value not in values:
        raise RedfishError(400, "Base.1.18.PropertyValueNotInList", f"The value {value!r} for {key} is not one of "
                           f"{', '.join(values)}.")  # fmt: skip
    return value


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.text() or "{}")
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise RedfishError(400, "Base.1.18.MalformedJSON", "The request body is not a JSON object.")
    return body
