"""Redfish services of PDUs, a cooling unit and a room's sensors, made here after DMTF's schemas, over real HTTPS."""

from __future__ import annotations

import base64
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

ROOT, PASSWORD = "/redfish/v1", "of-the-tests"
PDU = f"{ROOT}/PowerEquipment/RackPDUs/1"
CDU = f"{ROOT}/ThermalEquipment/CDUs/1"
ROOM = f"{ROOT}/Chassis/Hall"
Resources = dict[str, dict[str, Any]]


def at(path: str) -> dict[str, str]:
    return {"@odata.id": path}


def collection(path: str, members: Iterable[dict[str, Any]]) -> Resources:
    """A collection, and its members by their Id."""
    rows = {f"{path}/{each['Id']}": each for each in members}
    return {path: {"Name": "Collection", "Members": [at(each) for each in rows]}, **rows}


def excerpt(reading: Any, sensor: str = "", **more: Any) -> dict[str, Any]:
    return {"Reading": reading, **({"DataSourceUri": sensor} if sensor else {}), **more}


def pdu(path: str = PDU, count: int = 3) -> Resources:
    """A three-phase PDU: two branches, outlets, sensors of which two are of the air."""
    sensors, number = f"{path}/Sensors", path.rpartition("/")[2]
    outlets = [
        {
            "Id": f"A{n}", "Name": f"Outlet A{n}, Branch Circuit A", "Status": {"State": "Enabled", "Health": "OK"},
            "PowerWatts": excerpt(1_100 + n, f"{sensors}/PowerA{n}", PowerFactor=0.98),
            "CurrentAmps": excerpt(4.8 + n / 100, f"{sensors}/CurrentA{n}"), "Voltage": excerpt(230.5),
            "EnergykWh": excerpt(36_166 + n), "PolyPhaseCurrentAmps": {},
        }
        for n in range(1, count + 1)
    ]  # fmt: skip
    main = {
        "Id": "AC1", "Name": "AC Input", "PhaseWiringType": "ThreePhase5Wire", "Status": {"State": "Enabled"},
        "PowerWatts": excerpt(16_480.0), "EnergykWh": excerpt(325_675),
        "PolyPhaseCurrentAmps": {"Line1": excerpt(24.1), "Line2": excerpt(23.9), "Neutral": excerpt(0.3)},
        "PolyPhaseVoltage": {"Line1ToNeutral": excerpt(231.3), "Line1ToLine2": excerpt(400.1)},
        "PolyPhasePowerWatts": {"Line1ToNeutral": excerpt(5_560)},
    }  # fmt: skip
    branches = [
        {"Id": "A", "Name": "Branch Circuit A", "CurrentAmps": excerpt(8.2, f"{sensors}/CurrentBranchA")},
        {"Id": "B", "Name": "Branch Circuit B", "CurrentAmps": excerpt(None)},
    ]
    readings = [
        {"Id": "CurrentBranchA", "ReadingType": "Current", "Reading": 8_200, "ReadingUnits": "mA"},
        *({"Id": f"PowerA{n}", "ReadingType": "Power", "Reading": 1_100 + n, "ReadingUnits": "W"}
          for n in range(1, count + 1)),
        {"Id": "Top", "Name": "Top front", "ReadingType": "Temperature", "Reading": 77, "ReadingUnits": "[degF]"},
        {"Id": "Damp", "Name": "Top front", "ReadingType": "Humidity", "Reading": 41.0, "ReadingUnits": "%"},
        {"Id": "Gone", "Name": "Bottom", "ReadingType": "Temperature", "Reading": 0, "ReadingUnits": "Cel",
         "Status": {"State": "Absent"}},
    ]  # fmt: skip
    links = {name: at(f"{path}/{name}") for name in ("Metrics", "Mains", "Branches", "Outlets", "Sensors")}
    return {
        path: {"Id": number, "Name": "RackPDU1", "Manufacturer": "Contoso", "Model": "ZAP4000", **links},
        f"{path}/Metrics": {"PowerWatts": excerpt(16_480.0), "EnergykWh": excerpt(325_675)},
        **collection(f"{path}/Mains", [main]),
        **collection(f"{path}/Branches", branches),
        **collection(f"{path}/Outlets", outlets),
        **collection(sensors, readings),
    }


def power_equipment(*pdus: Resources) -> Resources:
    paths = [next(iter(each)) for each in pdus]
    return {
        f"{ROOT}/": {"Vendor": "Contoso", "Product": "PDU", "PowerEquipment": at(f"{ROOT}/PowerEquipment")},
        f"{ROOT}/PowerEquipment": {"RackPDUs": at(f"{ROOT}/PowerEquipment/RackPDUs")},
        f"{ROOT}/PowerEquipment/RackPDUs": {"Members": [at(path) for path in paths]},
        **{path: resource for each in pdus for path, resource in each.items()},
    }


def cdu() -> Resources:
    """A cooling unit with one connector to the building and two manifolds; a pump that stands by, a wet detector."""

    def connector(name: str, supply: float, back: float) -> dict[str, Any]:
        return {
            "Id": name, "Name": f"Connector {name}", "CoolantConnectorType": "Pair",
            "FlowLitersPerMinute": excerpt(410.5), "HeatRemovedkW": excerpt(312),
            "SupplyTemperatureCelsius": excerpt(supply), "ReturnTemperatureCelsius": excerpt(back),
            "DeltaTemperatureCelsius": excerpt(back - supply), "SupplyPressurekPa": excerpt(220.0),
        }  # fmt: skip

    pumps = [
        {"Id": "1", "Name": "Pump 1", "PumpSpeedPercent": excerpt(62.0, SpeedRPM=3_100)},
        {"Id": "2", "Name": "Pump 2", "Status": {"State": "Disabled"}, "PumpSpeedPercent": excerpt(0, SpeedRPM=0)},
    ]
    detectors = [
        {"Id": "Base", "Name": "Under the unit", "DetectorState": "OK"},
        {"Id": "Rope", "Name": "Rope along row B", "DetectorState": "Critical"},
        {"Id": "Tray", "Name": "Tray", "DetectorState": "Unavailable"},
    ]
    sensors = [
        {"Id": "FilterDP", "Name": "Filter 1", "ReadingType": "PressurekPa", "PhysicalContext": "Filter",
         "Reading": 0.42, "ReadingUnits": "bar"},
        {"Id": "Valve", "Name": "Primary valve", "ReadingType": "Valve", "Reading": 48, "ReadingUnits": "%"},
    ]  # fmt: skip
    names = ("PrimaryCoolantConnectors", "SecondaryCoolantConnectors", "Pumps", "LeakDetection", "EnvironmentMetrics")
    return {
        f"{ROOT}/": {"Vendor": "Contoso", "Product": "CDU", "ThermalEquipment": at(f"{ROOT}/ThermalEquipment")},
        f"{ROOT}/ThermalEquipment": {"CDUs": at(f"{ROOT}/ThermalEquipment/CDUs")},
        f"{ROOT}/ThermalEquipment/CDUs": {"Members": [at(CDU)]},
        CDU: {
            "Id": "1", "Name": "Row B CDU", "EquipmentType": "CDU", **{name: at(f"{CDU}/{name}") for name in names},
            "Links": {"Chassis": [at(f"{ROOT}/Chassis/CDU")]},
        },
        **collection(f"{CDU}/PrimaryCoolantConnectors", [connector("1", 17.0, 24.0)]),
        **collection(f"{CDU}/SecondaryCoolantConnectors", [connector("1", 30.0, 41.0), connector("2", 30.1, 40.0)]),
        **collection(f"{CDU}/Pumps", pumps),
        f"{CDU}/LeakDetection": {"LeakDetectors": at(f"{CDU}/LeakDetection/LeakDetectors")},
        **collection(f"{CDU}/LeakDetection/LeakDetectors", detectors),
        f"{CDU}/EnvironmentMetrics": {
            "PowerWatts": excerpt(7_900), "HumidityPercent": excerpt(44.0), "TemperatureCelsius": excerpt(24.5),
            "DewPointCelsius": excerpt(11.4),
        },
        f"{ROOT}/Chassis/CDU": {"Id": "CDU", "Sensors": at(f"{ROOT}/Chassis/CDU/Sensors")},
        **collection(f"{ROOT}/Chassis/CDU/Sensors", sensors),
    }  # fmt: skip


def room() -> Resources:
    """A chassis that is nothing but its sensors."""
    sensors = [
        {"Id": "T1", "Name": "Row B cold aisle", "ReadingType": "Temperature", "Reading": 22.5, "ReadingUnits": "Cel"},
        {"Id": "H1", "Name": "Row B cold aisle", "ReadingType": "Humidity", "Reading": 45.5, "ReadingUnits": "%"},
        {"Id": "D1", "Name": "Row B dew point", "ReadingType": "Temperature", "Reading": 10.1, "ReadingUnits": "Cel"},
        {"Id": "P1", "Name": "Door", "ReadingType": "Percent", "Reading": 3, "ReadingUnits": "%"},
        {"Id": "X1", "Name": "Row C", "ReadingType": "Temperature", "Reading": 22.5, "ReadingUnits": "lx"},
        {"Id": "X2", "Name": "Row D", "ReadingType": "Temperature", "Reading": 22.5},
    ]
    return {
        f"{ROOT}/": {"Vendor": "Contoso", "Chassis": at(f"{ROOT}/Chassis")},
        f"{ROOT}/Chassis": {"Members": [at(ROOM)]},
        ROOM: {"Id": "Hall", "Name": "Hall 1", "Sensors": at(f"{ROOM}/Sensors"), "LeakDetectors": at(f"{ROOM}/Leaks")},
        **collection(f"{ROOM}/Sensors", sensors),
        **collection(f"{ROOM}/Leaks", [{"Id": "Rope", "DetectorState": "OK"}]),
    }


@dataclass
class Service:
    """Serves resources to `rackside`; `requests` are the paths asked for. `date`: what it says the time is."""

    resources: Resources
    expands: bool = False
    date: str = ""
    requests: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.requests.append(request.path_qs)
        told = base64.b64decode(request.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        if told != f"rackside:{PASSWORD}":
            return web.json_response({}, status=401)
        found = self.resources.get(request.path)
        if found is None:
            return web.json_response({"error": {"message": "not found"}}, status=404)
        if "$expand" in request.query:
            if not self.expands:
                return web.json_response({"error": {"message": "not supported"}}, status=501)
            rows = [{**each, **self.resources[each["@odata.id"]]} for each in found.get("Members", ())]
            found = {**found, "Members": rows}
        headers = {"Date": self.date} if self.date else {}
        return web.json_response({"@odata.id": request.path.rstrip("/"), **found}, headers=headers)


@asynccontextmanager
async def serving(service: Service, pem: Path) -> AsyncIterator[int]:
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", service.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
