"""A small BMC for tests: Redfish over TLS with Basic authentication, told how to behave by its attributes."""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
import hashlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

SYSTEM = "/redfish/v1/Systems/System.Embedded.1"
CHASSIS = "/redfish/v1/Chassis/System.Embedded.1"
_NEWER = ("ThermalSubsystem", "PowerSubsystem", "EnvironmentMetrics", "Sensors")
MANAGER = "/redfish/v1/Managers/iDRAC.Embedded.1"
SESSIONS = "/redfish/v1/SessionService/Sessions"
TOKEN = "a1b2c3"


def self_signed(folder: Path, name: str = "bmc") -> tuple[Path, bytes]:
    """A certificate with its key in one PEM file, and the SHA-256 of the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=10))
        .sign(key, hashes.SHA256())
    )
    pem = folder / f"{name}.pem"
    pem.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return pem, hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).digest()


@dataclass
class FakeBmc:
    serial: str = "ABC1234"
    uuid: str = "4c4c4544-0042-4310-8031-b4c04f4e3532"
    power: str = "Off"
    offered: list[str] | None = field(default_factory=lambda: ["On", "ForceOff", "ForceRestart", "GracefulShutdown"])
    power_delay_s: float = 0.0
    mac: str = "aa:bb:cc:00:00:01"
    link: str = "LinkUp"
    second_link: str = ""
    progress: str = ""
    stays_off: bool = False
    led_property: str = "LocationIndicatorActive"
    boot: dict[str, Any] = field(default_factory=dict)
    led: Any = None
    newer_trees: bool = False
    expands: bool = False
    stale_etags: int = 0
    slow_s: float = 0.0
    basic: bool = True
    sessions: int = 0
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    password: str = "secret"
    logins: list[str] = field(default_factory=list)
    """Of each request that did not open a session: `root:secret`, or nothing."""
    vendor: str = ""
    neighbour: tuple[str, str] | None = None
    """Switch and port that its network port hears by LLDP."""
    media: dict[str, str] | None = None
    """Virtual CDs, and the image in each (empty: none); None: it has no virtual media."""
    media_of_system: bool = False
    licensed: bool = True
    keeps_media: bool = False
    """It says that it ejects, and does not."""
    draws_w: float | None = None
    """What its power supply takes in; None: it does not tell."""

    @property
    def orders(self) -> list[str]:
        """The reset types asked for, in order."""
        posted = [body for method, _, body in self.requests if method == "POST"]
        return [body["ResetType"] for body in posted if "ResetType" in body]

    def resources(self) -> dict[str, dict[str, Any]]:
        reset: dict[str, Any] = {"target": f"{SYSTEM}/Actions/ComputerSystem.Reset"}
        if self.offered is not None:
            reset["ResetType@Redfish.AllowableValues"] = self.offered

        def at(path: str) -> dict[str, str]:
            return {"@odata.id": path}

        return {
            "/redfish/v1/": {
                "Systems": at("/redfish/v1/Systems"),
                "Managers": at("/redfish/v1/Managers"),
                **({"Vendor": self.vendor} if self.vendor else {}),
            },
            "/redfish/v1/Systems": {"Members": [at(SYSTEM)]},
            "/redfish/v1/Managers": {"Members": [at(MANAGER)]},
            SYSTEM: {
                "SerialNumber": "CNBOARD0001",
                "SKU": self.serial,
                "UUID": self.uuid,
                "PowerState": self.power,
                **({"BootProgress": {"LastState": self.progress}} if self.progress else {}),
                "Boot": self.boot,
                "Actions": {"#ComputerSystem.Reset": reset},
                "EthernetInterfaces": at(f"{SYSTEM}/EthernetInterfaces"),
                "Links": {"Chassis": [at(CHASSIS)], "ManagedBy": [at(MANAGER)]},
                self.led_property: self.led,
                **({"VirtualMedia": at(f"{SYSTEM}/VirtualMedia")} if self.media_of_system else {}),
            },
            **self._media(at),
            f"{SYSTEM}/EthernetInterfaces": {"Members": [at(f"{SYSTEM}/EthernetInterfaces/NIC.{n}") for n in (1, 2)]},
            f"{SYSTEM}/EthernetInterfaces/NIC.1": {"MACAddress": self.mac.upper(), "LinkStatus": self.link},
            f"{SYSTEM}/EthernetInterfaces/NIC.2": {"Id": "NIC.2", "LinkStatus": self.second_link or None},
            CHASSIS: {"Thermal": at(f"{CHASSIS}/Thermal"), "Power": at(f"{CHASSIS}/Power")}
            if not self.newer_trees
            else {name: at(f"{CHASSIS}/{name}") for name in _NEWER},
            **(self._newer(at) if self.newer_trees else {}),
            f"{CHASSIS}/Thermal": {"Temperatures": [{"Name": "Inlet", "ReadingCelsius": 23}]},
            **({} if self.draws_w is None else self._power()),
            MANAGER: {
                "FirmwareVersion": "7.10.50.00",
                "LogServices": at(f"{MANAGER}/LogServices"),
                "VirtualMedia": at(f"{MANAGER}/VirtualMedia"),
                **({"DedicatedNetworkPorts": at(f"{MANAGER}/DedicatedNetworkPorts")} if self.neighbour else {}),
            },
            **(self._heard(at) if self.neighbour else {}),
            f"{MANAGER}/LogServices": {
                "Members": [at(f"{MANAGER}/LogServices/Lclog"), at(f"{MANAGER}/LogServices/Sel")]
            },
            f"{MANAGER}/LogServices/Lclog": {"Entries": at(f"{MANAGER}/LogServices/Lclog/Entries")},
            f"{MANAGER}/LogServices/Sel": {"Entries": at(f"{MANAGER}/LogServices/Sel/Entries")},
            f"{MANAGER}/LogServices/Lclog/Entries": {"Members": []},
            f"{MANAGER}/LogServices/Sel/Entries": {
                "Members": [{"Id": "1", "Message": "Power supply redundancy is lost."}]
            },
        }

    def _power(self) -> dict[str, dict[str, Any]]:
        return {f"{CHASSIS}/Power": {"PowerSupplies": [{"Name": "PS1", "PowerInputWatts": self.draws_w}]}}

    def _media(self, at: Any) -> dict[str, dict[str, Any]]:
        if self.media is None:
            return {}
        base = f"{SYSTEM if self.media_of_system else MANAGER}/VirtualMedia"
        slots = {
            f"{base}/{name}": {
                "Id": name, "MediaTypes": ["CD", "DVD"], "Inserted": bool(image), "Image": image or None,
                "Actions": {f"#VirtualMedia.{each}Media": {"target": f"{base}/{name}/Actions/VirtualMedia.{each}Media"}
                            for each in ("Insert", "Eject")},
            }
            for name, image in self.media.items()
        }  # fmt: skip
        return {base: {"Members": [at(path) for path in slots]}, **slots}

    def change_media(self, path: str, body: dict[str, Any]) -> web.Response:
        name, _, action = path.rpartition("/VirtualMedia/")[2].partition("/Actions/VirtualMedia.")
        if not self.licensed:
            text = {"error": {"code": "iLO.2.25.LicenseKeyRequired", "message": "A license key is required"}}
            return web.json_response(text, status=403)
        if self.media is None or name not in self.media:
            return web.json_response({"error": {"message": "not found"}}, status=404)
        if action == "InsertMedia":
            self.media[name] = body["Image"]
        elif not self.keeps_media:
            self.media[name] = ""
        return web.Response(status=204)

    def _heard(self, at: Any) -> dict[str, dict[str, Any]]:
        switch, number = self.neighbour or ("", "")
        port = f"{MANAGER}/DedicatedNetworkPorts/1"
        told = {"SystemName": switch, "PortId": number, "PortIdSubtype": "IfName"}
        return {
            f"{MANAGER}/DedicatedNetworkPorts": {"Members": [at(port)]},
            port: {"Id": "1", "Ethernet": {"LLDPEnabled": True, "LLDPReceive": told}},
        }

    def _newer(self, at: Any) -> dict[str, dict[str, Any]]:
        """ThermalSubsystem and what else stands beside it, each member a resource of its own."""
        fan, psu = f"{CHASSIS}/ThermalSubsystem/Fans/1", f"{CHASSIS}/PowerSubsystem/PowerSupplies/0"
        inlet = f"{CHASSIS}/Sensors/Inlet"
        return {
            f"{CHASSIS}/ThermalSubsystem": {"Fans": at(f"{CHASSIS}/ThermalSubsystem/Fans")},
            f"{CHASSIS}/ThermalSubsystem/Fans": {"Members": [at(fan)]},
            fan: {"Name": "Fan 1", "SpeedPercent": {"Reading": 40, "SpeedRPM": 9000}, "Status": {"Health": "OK"}},
            f"{CHASSIS}/Sensors": {"Members": [at(inlet)]},
            inlet: {"Name": "Inlet", "ReadingType": "Temperature", "PhysicalContext": "Intake", "Reading": 24},
            f"{CHASSIS}/PowerSubsystem": {"PowerSupplies": at(f"{CHASSIS}/PowerSubsystem/PowerSupplies")},
            f"{CHASSIS}/PowerSubsystem/PowerSupplies": {"Members": [at(psu)]},
            psu: {"Id": "0", "Name": "PSU0", "Status": {"Health": "OK"}, "Metrics": at(f"{psu}/Metrics")},
            f"{psu}/Metrics": {
                "InputVoltage": {"Reading": 0},
                **({} if self.draws_w is None else {"InputPowerWatts": {"Reading": self.draws_w}}),
            },
            f"{CHASSIS}/EnvironmentMetrics": {"PowerWatts": {"Reading": 3100}},
        }

    def _expanded(self, found: dict[str, Any]) -> dict[str, Any]:
        resources = self.resources()
        members = [{**each, **resources[each["@odata.id"]]} for each in found.get("Members", ())]
        return {**found, "Members": members}

    async def handle(self, request: web.Request) -> web.Response:
        body: Any = await request.json() if request.can_read_body else None
        self.requests.append((request.method, request.path, body))
        if self.slow_s:
            await asyncio.sleep(self.slow_s)
        if not self.basic:
            if request.path == SESSIONS and request.method == "POST":
                return self.log_in(body)
            if request.path != "/redfish/v1/" and request.headers.get("X-Auth-Token") != TOKEN:
                return web.json_response({}, status=401, headers={"WWW-Authenticate": "Redfish"})
            if request.method == "DELETE":
                self.sessions -= 1
                return web.Response(status=204)
        elif not self.lets_in(request):
            return web.json_response({}, status=401)
        if request.method == "POST" and "/VirtualMedia/" in request.path:
            return self.change_media(request.path, body)
        if request.method == "POST":
            return await self.reset(body["ResetType"])
        if request.method == "PATCH":
            return self.patch(request, body)
        found = self.resources().get(request.path)
        if found is None:
            return web.json_response({"error": {"message": "not found"}}, status=404)
        if "$expand" in request.query:
            if not self.expands:
                return web.json_response({"error": {"message": "query not supported"}}, status=400)
            found = self._expanded(found)
        return web.json_response({"@odata.id": request.path, **found}, headers={"ETag": 'W/"1"'})

    def lets_in(self, request: web.Request) -> bool:
        """The root is for everybody; whoever signs in there as well is asked who they are."""
        told = base64.b64decode(request.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        self.logins.append(told)
        return told == f"root:{self.password}" or (not told and request.path == "/redfish/v1/")

    def log_in(self, body: dict[str, str]) -> web.Response:
        if body != {"UserName": "root", "Password": self.password}:
            return web.json_response({}, status=401)
        self.sessions += 1
        return web.json_response({}, status=201, headers={"X-Auth-Token": TOKEN, "Location": f"{SESSIONS}/1"})

    async def reset(self, word: str) -> web.Response:
        if self.offered is not None and word not in self.offered:
            return web.json_response({"error": {"message": "not supported"}}, status=501)
        wanted = "Off" if self.stays_off or word in ("ForceOff", "GracefulShutdown") else "On"

        async def later() -> None:
            await asyncio.sleep(self.power_delay_s)
            self.power = wanted

        self._task = asyncio.create_task(later())
        return web.Response(status=204)

    def patch(self, request: web.Request, body: dict[str, Any]) -> web.Response:
        if request.headers.get("If-Match") != 'W/"1"' or self.stale_etags:
            self.stale_etags -= 1
            return web.json_response({"error": {"message": "changed meanwhile"}}, status=412)
        self.boot = {**self.boot, **body.get("Boot", {})}
        self.led = body.get(self.led_property, self.led)
        return web.Response(status=204)


@asynccontextmanager
async def serving(bmc: FakeBmc, pem: Path, port: int = 0, address: str = "127.0.0.1") -> AsyncIterator[int]:
    """Serve this BMC on loopback over TLS; gives the port."""
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", bmc.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    site = web.TCPSite(runner, address, port, ssl_context=context)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
