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
from simulator.redfish import collections, environment, hardware, setup
from simulator.redfish import resources as show
from simulator.redfish.styles import RESET_TYPES, ROOT, VIRTUAL_CD
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
        app.router.add_patch(r"/redfish/v1{path:.*}", self._patch)
        app.router.add_post(r"/redfish/v1{path:.*}", self._post)
        app.router.add_get(r"/redfish/v1{path:.*}", self._get)
        app.router.add_get("/ahsdata/{name}", self._get)
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
        machine = self._machine(request)
        if machine.fault("bmc_dead") or self._hall.dark(machine):
            assert request.transport is not None
            request.transport.abort()
            return web.Response(status=503)
        if not await self._goes_on(request):
            return web.Response(status=503)
        try:
            if not self._may(request):
                raise RedfishError(401, "Base.1.18.AccessDenied", "The authentication credentials included with this "
                                   "request are missing or invalid.")  # fmt: skip
            self._refuse_expired(request)
            setup.follow_tasks(self._machine(request), self._hall.clock())
            answer = await handler(request)
        except setup.Refusal as error:
            answer = web.json_response(extended(error.message_id, str(error)), status=400)
        except RedfishError as error:
            headers = {"WWW-Authenticate": 'Basic realm="RedfishService"'} if error.status == 401 else None
            answer = web.json_response(extended(error.message_id, str(error)), status=error.status, headers=headers)
        except web.HTTPException as error:
            answer = web.json_response(extended("Base.1.18.GeneralError", error.reason), status=error.status)
        answer.headers["OData-Version"] = "4.0"
        answer.headers["Server"] = show.style(self._machine(request)).manager_model
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
        return self._known(self._machine(request), user, password)

    def _known(self, machine: Machine, user: str, password: str) -> bool:
        if machine.fault("bmc_password"):
            return False
        plan = self._hall.plan
        right = hmac.compare_digest(user.encode(), plan.bmc_user.encode())
        return right and setup.knows(machine, plan.bmc_password, password, self._hall.clock())

    def _refuse_expired(self, request: web.Request) -> None:
        """With a password that must be changed nothing but the account is to be had (DSP0266, 13.3.7.2)."""
        path = request.path.rstrip("/")
        if setup.must_change(self._machine(request)) and path not in ("/redfish", ROOT, setup.ACCOUNT, _SESSIONS):
            raise RedfishError(403, "Base.1.18.PasswordChangeRequired", "The password provided for this account must "
                               f"be changed before access is granted: PATCH {setup.ACCOUNT}.")  # fmt: skip

    # ---- sessions ----

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"v1": "/redfish/v1/"})

    async def _log_in(self, request: web.Request) -> web.Response:
        body, machine = await _body(request), self._machine(request)
        if not self._known(machine, str(body.get("UserName", "")), str(body.get("Password", ""))):
            raise RedfishError(401, "Base.1.18.AccessDenied", "Unable to log in: user name or password is wrong.")
        token, number = secrets.token_hex(16), secrets.token_hex(4)
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
        now = self._hall.clock()
        if (content := collections.content(machine, path, now)) is not None:
            return web.Response(body=content, content_type="application/octet-stream")
        body = collections.resources(machine, now).get(path) or self._resource(machine, path, request)
        if body is None:
            raise _missing(path)
        place = collections.place_of(machine, path, now)
        return web.json_response(body, headers={"ETag": _etag(machine), **({"Location": place} if place else {})})

    def _resource(self, machine: Machine, path: str, request: web.Request) -> dict[str, Any] | None:
        now, own = self._hall.clock(), show.style(machine)
        simple: dict[str, Callable[[], dict[str, Any]]] = {
            ROOT: lambda: show.service_root(machine),
            f"{ROOT}/Systems": lambda: show.collection(
                path, "ComputerSystem", [*(["HGX_Baseboard_0"] if own.board else []), own.system_id]),
            own.system: lambda: show.system(machine, now),
            f"{own.system}/EthernetInterfaces": lambda: show.collection(
                path, "EthernetInterface", [own.nic_id, own.other_nic_id]),
            own.nic: lambda: show.ethernet_interface(machine),
            own.other_nic: lambda: show.other_interface(machine),
            f"{own.system}/ResetActionInfo": lambda: show.reset_info(machine),
            f"{ROOT}/Chassis": lambda: show.collection(path, "Chassis", [own.chassis_id]),
            own.chassis: lambda: show.chassis(machine, now),
            f"{own.chassis}/Thermal": lambda: show.thermal(machine, now),
            f"{own.chassis}/Power": lambda: show.power(machine, now),
            f"{ROOT}/Managers": lambda: show.collection(
                path, "Manager", [*(["HGX_BMC_0"] if own.board else []), own.manager_id]),
            own.manager: lambda: show.manager(machine, now),
            f"{own.manager}/EthernetInterfaces": lambda: show.collection(path, "EthernetInterface", ["NIC.1"]),
            f"{own.manager}/EthernetInterfaces/NIC.1": lambda: show.manager_interface(machine),
            f"{own.of(own.media_owner)}/VirtualMedia": lambda: show.collection(
                path, "VirtualMedia", [name for name, _ in own.media]),
            f"{ROOT}/SessionService": lambda: show.resource(
                path, "SessionService.v1_1_9.SessionService", Id="SessionService", Name="Session Service",
                ServiceEnabled=True, SessionTimeout=1800, Sessions=show.link(_SESSIONS)),
            _SESSIONS: lambda: show.collection(
                path, "Session", [number for name, number in self._sessions.values() if name == machine.plan.name]),
            f"{ROOT}/UpdateService/FirmwareInventory": lambda: show.collection(
                path, "SoftwareInventory", list(show.firmware(machine))),
        }  # fmt: skip
        if own.settings:
            simple[own.boot_at] = lambda: show.settings(machine)
        if own.root["Vendor"] == "Dell":
            simple[f"{own.manager}/Oem/Dell/DellAttributes/{own.manager_id}"] = lambda: show.attributes(machine)
        if own.board:
            simple |= {show.BOARD: show.board, show.BOARD_MANAGER: show.board_manager}
        if path in simple:
            return simple[path]()
        parent, _, name = path.rpartition("/")
        if parent == f"{ROOT}/UpdateService/FirmwareInventory":
            return show.firmware(machine).get(name)
        if parent == f"{own.of(own.media_owner)}/VirtualMedia" and name in dict(own.media):
            return show.media(machine, name)
        if set_up := setup.resources(machine, self._hall.plan.bmc_user, now).get(path):
            return set_up
        if parent == setup.TASKS:
            return setup.task(machine, name, now)
        expand = "$expand" in request.query
        found = hardware.resource_at(machine, own, path, expand=expand) or environment.resource_at(
            machine, own, path, now, expand=expand
        )
        return found or self._log(machine, path, request)

    def _log(self, machine: Machine, path: str, request: web.Request) -> dict[str, Any] | None:
        own = show.style(machine)
        for owner in ("manager", "system"):
            at = f"{own.of(owner)}/LogServices"
            logs = [log for log in own.logs if log.owner == owner]
            if path == at and logs:
                return show.collection(path, "LogService", [log.id for log in logs])
            for log in logs:
                if path == f"{at}/{log.id}":
                    return show.log_service(own, log)
                if path == f"{at}/{log.id}/Entries":
                    skip, top = (_number(request, key, default) for key, default in (("$skip", 0), ("$top", show.PAGE)))
                    return show.log_entries(machine, log, skip, min(top, show.PAGE))
        return None

    # ---- writes ----

    async def _patch(self, request: web.Request) -> web.Response:
        """Boot override, locator light, virtual media; If-Match is honoured where it is sent, and some insist on it."""
        machine, body, path = self._machine(request), await _body(request), request.path.rstrip("/")
        own = show.style(machine)
        wanted = request.headers.get("If-Match", "" if own.etag else "*")
        if wanted not in ("*", _etag(machine)):
            raise RedfishError(412, "Base.1.18.PreconditionFailed", "The ETag supplied did not match the current one.")
        at_media, _, name = path.rpartition("/")
        if path in (own.system, own.chassis, own.boot_at):
            setup.change_system(machine, body)
            self._set_boot(machine, path, {key: value for key, value in body.get("Boot", {}).items()
                                           if key != "BootOrder"})  # fmt: skip
            self._set_light(machine, body)
        elif path == setup.ACCOUNT:
            setup.change_account(machine, body)
        elif path == f"{own.system}/Bios/Settings":
            setup.change_bios(machine, body)
        elif path == f"{own.manager}/NetworkProtocol":
            setup.change_protocols(machine, body)
        elif at_media == f"{own.of(own.media_owner)}/VirtualMedia" and name in dict(own.media):
            self._patch_media(machine, name, body)
        elif own.root["Vendor"] == "Dell" and path.endswith(f"/DellAttributes/{own.manager_id}"):
            self._patch_attributes(machine, body)
        else:
            raise _missing(path)
        machine.touch()
        self._hall.settle(machine)
        done = extended("Base.1.18.Success", "The request completed successfully.", "OK")["error"]
        return web.json_response(
            {"@Message.ExtendedInfo": done["@Message.ExtendedInfo"]}, headers={"ETag": _etag(machine)}
        )

    def _set_boot(self, machine: Machine, path: str, boot: dict[str, Any]) -> None:
        own, known = show.style(machine), machine.state.boot_override
        if not boot:
            return
        if path != own.boot_at:
            raise RedfishError(400, "Base.1.18.PropertyNotWritable", f"Boot is to be written at {own.boot_at}.")
        target = _allowed(boot, "BootSourceOverrideTarget", own.boot_targets, known.target)
        enabled = _allowed(boot, "BootSourceOverrideEnabled", ("Disabled", "Once", "Continuous"), known.enabled)
        mode = _allowed(boot, "BootSourceOverrideMode", own.boot_modes, known.mode)
        if "BootSourceOverrideTarget" in boot and "BootSourceOverrideEnabled" not in boot:
            enabled = "Disabled" if target == "None" else "Once"
        http_uri = str(boot.get("HttpBootUri", known.http_uri) or "")
        machine.state.boot_override = BootOverride(enabled, target, mode, http_uri)

    def _set_light(self, machine: Machine, body: dict[str, Any]) -> None:
        own = show.style(machine)
        unknown = {"IndicatorLED", "LocationIndicatorActive"} & body.keys() - set(own.light)
        if unknown:
            raise RedfishError(400, "Base.1.18.PropertyUnknown", f"This BMC has no {', '.join(sorted(unknown))}.")
        led = _allowed(body, "IndicatorLED", own.light_words, machine.state.led)
        if "LocationIndicatorActive" in body:
            led = "Blinking" if body["LocationIndicatorActive"] else "Off"
        machine.state.led = led

    def _patch_media(self, machine: Machine, name: str, body: dict[str, Any]) -> None:
        own = show.style(machine)
        if own.media_by == "patch" and "Image" in body:
            if body["Image"] is None:
                machine.state.media.pop(name, None)
            elif body.get("Inserted") and name.startswith("EXT"):
                machine.state.media[name] = str(body["Image"])
            else:
                raise RedfishError(400, "Base.1.18.PropertyMissing", f"{name} takes no image in this way.")
        elif own.root["Vendor"] == "HPE":
            once = body.get("Oem", {}).get("Hpe", {}).get("BootOnNextServerReset")
            machine.state.boot_override = BootOverride("Once", VIRTUAL_CD) if once else BootOverride()
        else:
            raise RedfishError(405, "Base.1.18.OperationNotAllowed", "Virtual media are changed by their actions.")

    def _patch_attributes(self, machine: Machine, body: dict[str, Any]) -> None:
        asked = body.get("Attributes", {})
        setup.change_attributes(machine, asked)
        if asked.get("ServerBoot.1.FirstBootDevice") == "VCD-DVD" and asked.get("ServerBoot.1.BootOnce") == "Enabled":
            machine.state.boot_override = BootOverride("Once", VIRTUAL_CD)

    async def _post(self, request: web.Request) -> web.Response:
        machine, path = self._machine(request), request.path.rstrip("/")
        own = show.style(machine)
        at, _, action = path.partition("/Actions/")
        media, _, name = at.rpartition("/")
        if path == f"{own.system}/Actions/ComputerSystem.Reset":
            return await self._reset(request)
        if path == f"{own.manager}/Actions/Manager.Reset":
            return web.Response(status=204)
        if path == f"{setup.UPDATE}/Actions/UpdateService.SimpleUpdate":
            body = await _body(request)
            return self._update(machine, str(body.get("ImageURI", "")), body.get("Targets", []))
        if own.root["Vendor"] == "Dell" and path == f"{collections.lc_service(own)}/Actions/{collections.ACTION}":
            now, takes_s = self._hall.clock(), self._hall.timing.collect_s
            place = collections.order(machine, await _body(request), now, takes_s)
            return web.Response(status=202, headers={"Location": place})
        if path == f"{setup.UPDATE}/upload":
            return await self._upload(request)
        if action == "LogService.ClearLog" and any(
            at == f"{own.of(log.owner)}/LogServices/{log.id}" for log in own.logs if log.holds == "sel"
        ):
            return await self._clear_sel(request)
        if media == f"{own.of(own.media_owner)}/VirtualMedia" and name in dict(own.media) and own.media_by == "action":
            self._media_action(machine, name, action, await _body(request))
            return web.Response(status=204)
        raise _missing(path)

    def _update(self, machine: Machine, image: str, targets: list[Any]) -> web.Response:
        takes_s = self._hall.timing.update_s
        path = setup.update(machine, image, targets, self._hall.clock(), takes_s)
        self._hall.settle(machine)
        task = setup.task(machine, path.rpartition("/")[2], self._hall.clock())
        return web.json_response(task, status=202, headers={"Location": path})

    async def _upload(self, request: web.Request) -> web.Response:
        """Multipart push (DSP0266, 12.6.3): the parameters as JSON, then the file."""
        parameters, image = {}, ""
        async for part in await request.multipart():
            name = getattr(part, "name", None)
            if name == "UpdateParameters":
                parameters = json.loads(await part.text())  # type: ignore[union-attr]
            elif name == "UpdateFile":
                image = str(getattr(part, "filename", ""))
                while await part.read_chunk():  # type: ignore[union-attr]
                    pass
        return self._update(self._machine(request), image, parameters.get("Targets", []))

    def _media_action(self, machine: Machine, name: str, action: str, body: dict[str, Any]) -> None:
        own = show.style(machine)
        if action == "VirtualMedia.EjectMedia":
            machine.state.media.pop(name, None)
        elif not str(body.get("Image", "")).startswith(("http://", "https://")):
            raise RedfishError(400, "Base.1.18.ActionParameterMissing", "The action requires the parameter Image.")
        elif own.transfer and not {"TransferProtocolType", "TransferMethod"} <= body.keys():
            words = "The action InsertMedia requires the parameters TransferProtocolType and TransferMethod."
            raise RedfishError(400, "Base.1.18.ActionParameterMissing", words)
        elif refused := set(own.media_refuses) & body.keys():
            words = f"The action InsertMedia does not take {', '.join(sorted(refused))}."
            raise RedfishError(400, "Base.1.18.ActionParameterUnknown", words)
        else:
            machine.state.media[name] = str(body["Image"])
        machine.touch()
        self._hall.settle(machine)

    async def _reset(self, request: web.Request) -> web.Response:
        machine, body = self._machine(request), await _body(request)
        action = str(body.get("ResetType", ""))
        offered = show.style(machine).resets
        if action not in offered:
            words = f"The value {action!r} of ResetType is not one of {', '.join(offered)}."
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


def _missing(path: str) -> RedfishError:
    return RedfishError(404, "Base.1.18.ResourceMissingAtURI", f"The resource at the URI {path} was not found.")


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
