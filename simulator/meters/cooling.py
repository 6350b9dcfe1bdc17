"""Redfish of a cooling unit, by the schemas of DMTF's release 2024 (ThermalEquipment, CoolingUnit, CoolantConnector).

One application for all units: which is asked is known by the address that was called, as it is with BMCs.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from simulator.heat import cooling
from simulator.heat.answers import CoolingNow, ManifoldNow

ROOT = "/redfish/v1"
SESSIONS = f"{ROOT}/SessionService/Sessions"
EQUIPMENT = f"{ROOT}/ThermalEquipment"
UNIT = f"{EQUIPMENT}/CDUs/1"
CHASSIS = f"{ROOT}/Chassis/1"
Body = dict[str, Any]
OK = {"State": "Enabled", "Health": "OK"}
SERVICE_HOURS = 3000


def resources(name: str, capacity_w: float, now: CoolingNow) -> dict[str, Body]:
    """Path to resource, members of collections among them."""
    found: dict[str, Body] = {
        ROOT: _resource(ROOT, "ServiceRoot.v1_17_0.ServiceRoot", "Root Service", Id="RootService", Vendor="Example",
                        RedfishVersion="1.20.1", Product="Coolant distribution unit", ThermalEquipment=_link(EQUIPMENT),
                        Chassis=_link(f"{ROOT}/Chassis"), Links={"Sessions": _link(SESSIONS)}),
        EQUIPMENT: _resource(EQUIPMENT, "ThermalEquipment.v1_1_2.ThermalEquipment", "Cooling equipment",
                             CDUs=_link(f"{EQUIPMENT}/CDUs"), Status=OK),
        UNIT: _unit(name, capacity_w, now),
        CHASSIS: _resource(CHASSIS, "Chassis.v1_25_0.Chassis", name, ChassisType="HeatExchanger", Status=OK,
                           Sensors=_link(f"{CHASSIS}/Sensors"), Links={"CoolingUnits": [_link(UNIT)]}),
        f"{UNIT}/EnvironmentMetrics": _environment(now),
        f"{UNIT}/LeakDetection": _resource(
            f"{UNIT}/LeakDetection", "LeakDetection.v1_1_0.LeakDetection", "Leak detection",
            Status=_status("Critical" if any(now.wet.values()) else "OK"),
            LeakDetectors=_link(f"{UNIT}/LeakDetection/LeakDetectors")),
    }  # fmt: skip
    _add(found, f"{EQUIPMENT}/CDUs", "CoolingUnit", [found[UNIT]])
    _add(found, f"{ROOT}/Chassis", "Chassis", [found[CHASSIS]])
    _add(found, f"{UNIT}/PrimaryCoolantConnectors", "CoolantConnector", [
        _connector(f"{UNIT}/PrimaryCoolantConnectors/1", "Facility water", now.primary, 350.0)])  # fmt: skip
    at = f"{UNIT}/SecondaryCoolantConnectors"
    _add(found, at, "CoolantConnector", [
        _connector(f"{at}/1", "Secondary loop", now.secondary, now.pressure_kpa),
        *(_connector(f"{at}/{each.rack}", f"Manifold {each.rack}", each, now.pressure_kpa) for each in now.manifolds),
    ])  # fmt: skip
    _add(found, f"{UNIT}/Pumps", "Pump", [_pump(n, p) for n, p in enumerate(now.pump_percents, start=1)])
    _add(found, f"{UNIT}/Filters", "Filter", [_filter(now)])
    _add(found, f"{UNIT}/LeakDetection/LeakDetectors", "LeakDetector",
         [_detector(detector, wet) for detector, wet in now.wet.items()])  # fmt: skip
    _add(found, f"{CHASSIS}/Sensors", "Sensor", _sensors(now))
    return found


def _link(path: str) -> dict[str, str]:
    return {"@odata.id": path}


def _resource(path: str, kind: str, name: str, **fields: Any) -> Body:
    return {"@odata.id": path, "@odata.type": f"#{kind}", "Id": path.rpartition("/")[2], "Name": name, **fields}


def _status(health: str, state: str = "Enabled") -> dict[str, str]:
    return {"State": state, "Health": health}


def _reading(value: float, digits: int = 1, **more: Any) -> Body:
    return {"Reading": round(value, digits), **more}


def _add(found: dict[str, Body], path: str, kind: str, members: list[Body]) -> None:
    found[path] = {
        "@odata.id": path, "@odata.type": f"#{kind}Collection.{kind}Collection", "Name": f"{kind} Collection",
        "Members": [_link(member["@odata.id"]) for member in members], "Members@odata.count": len(members),
    }  # fmt: skip
    found |= {member["@odata.id"]: member for member in members}


def _unit(name: str, capacity_w: float, now: CoolingNow) -> Body:
    broken = any(percent == 0 for percent in now.pump_percents)
    health = "Critical" if any(now.wet.values()) else "Warning" if broken or now.dirt >= 0.5 else "OK"
    parts = ("PrimaryCoolantConnectors", "SecondaryCoolantConnectors", "Pumps", "Filters", "LeakDetection",
             "EnvironmentMetrics")  # fmt: skip
    return _resource(
        UNIT, "CoolingUnit.v1_2_0.CoolingUnit", name, EquipmentType="CDU", Status=_status(health),
        Manufacturer="Example", Model="CDU 1000", CoolingCapacityWatts=round(capacity_w), UserLabel=name,
        Coolant={"CoolantType": "Water", "SpecificHeatkJoulesPerKgK": 4.186},
        PumpRedundancy=[{"RedundancyType": "NPlusM", "MinNeededInGroup": 1, "MaxSupportedInGroup": 2,
                         "Status": _status("Warning" if broken else "OK")}],
        Links={"Chassis": [_link(CHASSIS)]}, **{part: _link(f"{UNIT}/{part}") for part in parts},
    )  # fmt: skip


def _connector(path: str, name: str, now: ManifoldNow, pressure_kpa: float) -> Body:
    drop_kpa = 0.4 * pressure_kpa if now.lpm > 0.5 else 0.0
    return _resource(
        path, "CoolantConnector.v1_2_0.CoolantConnector", name, CoolantConnectorType="Pair", Status=OK,
        CoolingLoopName=name, FlowLitersPerMinute=_reading(now.lpm), ValvePositionPercent=_reading(now.open_percent, 0),
        SupplyTemperatureCelsius=_reading(now.supply_c), ReturnTemperatureCelsius=_reading(now.return_c),
        DeltaTemperatureCelsius=_reading(now.return_c - now.supply_c), SupplyPressurekPa=_reading(pressure_kpa),
        ReturnPressurekPa=_reading(pressure_kpa - drop_kpa), DeltaPressurekPa=_reading(drop_kpa),
        HeatRemovedkW=_reading(now.watts / 1000, 2),
    )  # fmt: skip


def _pump(number: int, percent: float) -> Body:
    failed = percent == 0
    return _resource(
        f"{UNIT}/Pumps/{number}", "Pump.v1_1_0.Pump", f"Pump {number}", PumpType="Liquid",
        PumpSpeedPercent=_reading(percent, 0, SpeedRPM=round(30 * percent)), ServiceHours=SERVICE_HOURS,
        Status=_status("Critical", "UnavailableOffline") if failed else OK,
    )  # fmt: skip


def _filter(now: CoolingNow) -> Body:
    """The schema has no pressure: that is a sensor of the chassis."""
    return _resource(
        f"{UNIT}/Filters/1", "Filter.v1_0_2.Filter", "Filter 1", ServiceHours=SERVICE_HOURS, RatedServiceHours=8760,
        Status=_status("Warning" if now.dirt >= 0.5 else "OK"),
    )  # fmt: skip


def _detector(name: str, wet: bool) -> Body:
    word = "Critical" if wet else "OK"
    return _resource(
        f"{UNIT}/LeakDetection/LeakDetectors/{name.replace(' ', '')}", "LeakDetector.v1_1_0.LeakDetector", name,
        LeakDetectorType="Moisture", DetectorState=word, Status=_status(word),
    )  # fmt: skip


def _environment(now: CoolingNow) -> Body:
    return _resource(
        f"{UNIT}/EnvironmentMetrics", "EnvironmentMetrics.v1_3_2.EnvironmentMetrics", "Environment metrics",
        TemperatureCelsius=_reading(now.air_c), HumidityPercent=_reading(now.humidity_percent, 0),
        DewPointCelsius=_reading(cooling.dew_point_c(now.air_c, now.humidity_percent)),
        PowerWatts=_reading(now.watts, 0),
    )  # fmt: skip


def _sensors(now: CoolingNow) -> list[Body]:
    def sensor(name: str, kind: str, unit: str, value: float, about: str) -> Body:
        return _resource(
            f"{CHASSIS}/Sensors/{name.replace(' ', '')}", "Sensor.v1_9_1.Sensor", name, ReadingType=kind,
            ReadingUnits=unit, Reading=round(value, 1), Status=OK, RelatedItem=[_link(about)],
        )  # fmt: skip

    filter_1, valve = f"{UNIT}/Filters/1", f"{UNIT}/PrimaryCoolantConnectors/1"
    return [
        sensor("Filter 1 differential pressure", "PressurekPa", "kPa", now.filter_kpa, filter_1),
        sensor("Primary valve", "Valve", "%", now.primary.open_percent, valve),
    ]


class CoolingUnits:
    """The application; `unit` tells whose resources are at an address, or None while it does not answer."""

    def __init__(self, username: str, password: str, unit: Callable[[str, int], dict[str, Body] | None]) -> None:
        self._basic = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
        self._login = {"UserName": username, "Password": password}
        self._unit = unit
        self._tokens: set[str] = set()

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.router.add_post(SESSIONS, self._log_in)
        app.router.add_delete(SESSIONS + "/{token}", self._log_out)
        app.router.add_get(r"/redfish{_:/?}", self._version)
        app.router.add_get(r"/redfish/v1{path:.*}", self._get)
        return app

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        path = request.path.rstrip("/")
        free = path in ("/redfish", ROOT) or (path == SESSIONS and request.method == "POST")
        basic = hmac.compare_digest(request.headers.get("Authorization", "").encode(), self._basic.encode())
        if not (free or basic or request.headers.get("X-Auth-Token") in self._tokens):
            return web.json_response(_error("AccessDenied"), status=401)
        answer = await handler(request)
        answer.headers["OData-Version"] = "4.0"
        return answer

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"v1": f"{ROOT}/"})

    async def _log_in(self, request: web.Request) -> web.Response:
        if await request.json() != self._login:
            return web.json_response(_error("AccessDenied"), status=401)
        token = secrets.token_hex(16)
        self._tokens.add(token)
        path = f"{SESSIONS}/{token[:8]}"
        session = _resource(path, "Session.v1_7_0.Session", "User session", UserName=self._login["UserName"])
        return web.json_response(session, status=201, headers={"X-Auth-Token": token, "Location": path})

    async def _log_out(self, request: web.Request) -> web.Response:
        self._tokens = {token for token in self._tokens if not token.startswith(request.match_info["token"])}
        return web.Response(status=204)

    async def _get(self, request: web.Request) -> web.Response:
        assert request.transport is not None
        address, port = request.transport.get_extra_info("sockname")[:2]
        found = self._unit(address, port)
        if found is None:
            request.transport.abort()
            return web.Response(status=503)
        body = found.get(request.path.rstrip("/"))
        if body is None:
            return web.json_response(_error("ResourceMissingAtURI"), status=404)
        if "$expand" in request.query and "Members" in body:
            body = {**body, "Members": [found[member["@odata.id"]] for member in body["Members"]]}
        return web.json_response(body)


def _error(word: str) -> Body:
    return {"error": {"code": f"Base.1.18.{word}", "message": word, "@Message.ExtendedInfo": []}}
