"""A BMC over Redfish, its certificate pinned by fingerprint.

    async with RedfishClient("https://10.0.0.5", "root", password, pinned=None) as bmc:
        system = await bmc.system()
        record(bmc.fingerprint)

BMC certificates are self-signed, so the SHA-256 of the certificate itself is what is trusted. Without a pin the client
first looks at the certificate, takes it as the pin of this session (`fingerprint`, for the caller to record) and only
then sends the password; with a pin, another certificate is an error before anything is sent.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlsplit

import aiohttp

from drivers.gate import Gate, path_of, resolved, socket_factory

SERVICE_ROOT = "/redfish/v1/"
ANSWER_CAP_BYTES = 4 * 1024 * 1024
POWER_WORDS = {
    "on": "On",
    "off": "ForceOff",
    "graceful_off": "GracefulShutdown",
    "reset": "ForceRestart",
    "cycle": "PowerCycle",
}
"""What our power actions are called in `ResetType`."""


class RedfishError(Exception):
    """The BMC gave no usable answer."""


class RedfishUnreachable(RedfishError):
    """No connection, no TLS, or no answer in time."""


class RedfishTimedOut(RedfishUnreachable):
    """It took the connection, or nothing refused it, and no answer came in time."""


class RedfishAuthError(RedfishError):
    """The BMC refused the user name or password."""


class CertificateChanged(RedfishError):
    """The BMC presents another certificate than the pinned one."""

    def __init__(self, pinned: bytes, presented: bytes) -> None:
        super().__init__(f"the BMC's certificate changed: known is {pinned.hex()}, presented was {presented.hex()}")
        self.pinned, self.presented = pinned, presented


class RedfishStatus(RedfishError):
    """The BMC answered with an HTTP error."""

    def __init__(self, method: str, path: str, status: int, text: str) -> None:
        super().__init__(f"{method} {path} answered {status}: {text[:300]}")
        self.status = status


MOST_MEMBERS = 64
"""Of one collection, where a BMC gives its members only one by one."""


@dataclass(frozen=True, slots=True)
class BmcAnswers:
    """Resources of one BMC as it gave them; None where it has no such resource.

    The newer trees are asked where the older tell nothing: in `thermal_subsystem` and `power_subsystem` the members of
    `Fans` and `PowerSupplies` stand in the place of the link, with their `Metrics`; `sensors` is a list.
    """

    system: dict[str, Any]
    chassis: dict[str, Any] | None
    thermal: dict[str, Any] | None
    power: dict[str, Any] | None
    manager: dict[str, Any] | None
    thermal_subsystem: dict[str, Any] | None = None
    power_subsystem: dict[str, Any] | None = None
    environment: dict[str, Any] | None = None
    sensors: list[dict[str, Any]] | None = None


async def certificate_fingerprint(host: str, port: int, timeout_s: float, gate: Gate | None = None) -> bytes:
    """SHA-256 of the certificate a server presents. Raises RedfishUnreachable."""
    try:
        async with asyncio.timeout(timeout_s):
            _, where = await resolved(host, port, gate)
            _, writer = await asyncio.open_connection(where[0], port, ssl=_any_certificate(), server_hostname=host)
    except (OSError, TimeoutError) as error:
        raise _unreachable(f"{host}:{port}", error) from error
    try:
        certificate: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return hashlib.sha256(certificate).digest()
    finally:
        writer.transport.abort()


def _any_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _unreachable(what: str, error: BaseException) -> RedfishUnreachable:
    if isinstance(error, TimeoutError):
        return RedfishTimedOut(f"{what}: no answer in time")
    return RedfishUnreachable(f"{what}: {str(error) or type(error).__name__}")


class RedfishClient:
    """One BMC. Use as an async context manager. Every method raises RedfishError's family, nothing else.

    `timeout_s` bounds each request; `gate` decides about the address of every connection. A BMC that serves several
    systems is told apart by `system_path`.
    """

    def __init__(
        self,
        base_url: str,
        username: str,
        password: str,
        pinned: bytes | None = None,
        timeout_s: float = 10,
        *,
        system_path: str | None = None,
        poll_s: float = 1.0,
        gate: Gate | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.gate = gate
        self.pinned = pinned
        self.fingerprint: bytes | None = pinned
        self.let_in = False
        """Whether it answered a request that needs the password: only then it is known to be a BMC of ours."""
        self.timeout_s = timeout_s
        self.poll_s = poll_s
        login = base64.b64encode(f"{username}:{password}".encode()).decode()
        self._authorization = f"Basic {login}"
        self._system_path = system_path
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        parts = urlsplit(self.base_url)
        secure = parts.scheme == "https"
        if secure and self.fingerprint is None:
            self.fingerprint = await certificate_fingerprint(
                parts.hostname or "", parts.port or 443, self.timeout_s, self.gate
            )
        trust: aiohttp.Fingerprint | bool = aiohttp.Fingerprint(self.fingerprint or b"") if secure else True
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trust, limit=2, socket_factory=socket_factory(self.gate)),
            timeout=aiohttp.ClientTimeout(total=self.timeout_s),
            headers={
                "Accept": "application/json",
                "OData-Version": "4.0",
                "Authorization": self._authorization,
            },
            trust_env=False,
        )
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._session is not None:
            await self._session.close()

    # ---- requests ----

    async def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[dict[str, Any], str | None]:
        """The JSON object of the answer (empty for 204) and its ETag."""
        if self._session is None:
            raise RuntimeError("RedfishClient is used outside its `async with`")
        try:
            async with self._session.request(
                method, self.base_url + path_of(path), json=body, headers=headers, allow_redirects=False
            ) as response:
                raw = await response.content.read(ANSWER_CAP_BYTES + 1)
                while len(raw) <= ANSWER_CAP_BYTES and (more := await response.content.read(ANSWER_CAP_BYTES)):
                    raw += more
                answer = self._decode(method, path, response, raw)
                self.let_in = self.let_in or path != SERVICE_ROOT  # the root is readable without a password
                return answer
        except aiohttp.ServerFingerprintMismatch as error:
            raise CertificateChanged(error.expected, error.got) from error
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise _unreachable(f"{method} {path}", error) from error

    @staticmethod
    def _decode(
        method: str, path: str, response: aiohttp.ClientResponse, raw: bytes
    ) -> tuple[dict[str, Any], str | None]:
        if response.status in (401, 403):
            raise RedfishAuthError(f"{method} {path}: the BMC refused the user name or password")
        if response.status >= 300:
            raise RedfishStatus(method, path, response.status, raw.decode(errors="replace"))
        if len(raw) > ANSWER_CAP_BYTES:
            raise RedfishError(f"{method} {path}: the answer is larger than {ANSWER_CAP_BYTES} bytes")
        if not raw.strip():
            return {}, response.headers.get("ETag")
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise RedfishError(f"{method} {path}: the answer is not JSON") from error
        if not isinstance(answer, dict):
            raise RedfishError(f"{method} {path}: the answer is not a JSON object")
        return answer, response.headers.get("ETag") or answer.get("@odata.etag")

    async def get(self, path: str) -> dict[str, Any]:
        """One resource. Raises RedfishStatus for HTTP errors."""
        answer, _ = await self._request("GET", path)
        return answer

    async def _get_or_none(self, path: str | None) -> dict[str, Any] | None:
        """One resource, or None where the BMC has none; being unreachable or locked out still raises."""
        if path is None:
            return None
        try:
            return await self.get(path)
        except RedfishStatus as error:
            if error.status in (404, 405, 500, 501):
                return None
            raise

    async def _patch(self, path: str, body: Mapping[str, Any]) -> None:
        """Change a resource, with its ETag when it has one; one more try when it changed meanwhile."""
        for attempt in (1, 2):
            _, etag = await self._request("GET", path)
            try:
                await self._request("PATCH", path, body, {"If-Match": etag} if etag else None)
                return
            except RedfishStatus as error:
                if error.status != 412 or attempt == 2:
                    raise

    async def _first_member(self, collection: str) -> str:
        root = await self.get(SERVICE_ROOT)
        path = link(root, collection)
        if path is None:
            raise RedfishError(f"the service root lists no {collection}")
        found = members(await self.get(path))
        if not found:
            raise RedfishError(f"the BMC has no member in {collection}")
        return found[0]

    # ---- the system ----

    async def system_path(self) -> str:
        if self._system_path is None:
            self._system_path = await self._first_member("Systems")
        return self._system_path

    async def system(self) -> dict[str, Any]:
        return await self.get(await self.system_path())

    async def power_state(self) -> str:
        """`on`, `off`, or the BMC's own word in lower case (`poweringon`, ...); `unknown` when it gives none."""
        return str((await self.system()).get("PowerState") or "unknown").lower()

    async def power(self, action: str, *, wait_s: float = 30) -> None:
        """Change the power: `on`, `off`, `graceful_off`, `reset` or `cycle`.

        A BMC without PowerCycle is switched off, waited for (at most `wait_s`) and switched on. The others return when
        the BMC took the order; the state may follow seconds later.
        """
        word = POWER_WORDS[action]
        system = await self.system()
        reset = mapping(mapping(system, "Actions"), "#ComputerSystem.Reset")
        path = str(reset.get("target") or f"{await self.system_path()}/Actions/ComputerSystem.Reset")
        listed = reset.get("ResetType@Redfish.AllowableValues")
        offered = listed if isinstance(listed, list) else None
        if action == "cycle":
            if offered is None or word in offered:
                try:
                    await self._request("POST", path, {"ResetType": word})
                    return
                except RedfishStatus as error:
                    if error.status not in (400, 404, 405, 409, 501):
                        raise
            await self._off_wait_on(path, wait_s)
            return
        if action == "graceful_off" and offered is not None and word not in offered:
            word = "ForceOff"
        await self._request("POST", path, {"ResetType": word})

    async def _off_wait_on(self, path: str, wait_s: float) -> None:
        if await self.power_state() != "off":
            await self._request("POST", path, {"ResetType": "ForceOff"})
            await self.wait_for_power("off", wait_s)
        await self._request("POST", path, {"ResetType": "On"})

    async def wait_for_power(self, state: str, wait_s: float) -> None:
        """Return when the machine is in this power state. Raises RedfishError after `wait_s`."""
        deadline = time.monotonic() + wait_s
        while (seen := await self.power_state()) != state:
            if time.monotonic() >= deadline:
                raise RedfishError(f"the machine is still {seen} after {wait_s:g} s, wanted {state}")
            await asyncio.sleep(self.poll_s)

    async def set_boot_once(self, target: str = "Pxe") -> None:
        """Boot from `target` (Pxe, Hdd, Cd, UefiHttp, ...) at the next start only."""
        body = {"Boot": {"BootSourceOverrideTarget": target, "BootSourceOverrideEnabled": "Once"}}
        await self._patch(await self.system_path(), body)

    async def set_indicator(self, on: bool) -> None:
        """Switch the machine's locating light. Raises RedfishError when neither system nor chassis has one."""
        system = await self.system()
        places = [(await self.system_path(), system)]
        chassis_path = first_link(system, "Chassis")
        if chassis_path is not None and (chassis := await self._get_or_none(chassis_path)) is not None:
            places.append((chassis_path, chassis))
        for path, resource in places:
            if "LocationIndicatorActive" in resource:
                await self._patch(path, {"LocationIndicatorActive": on})
                return
            if "IndicatorLED" in resource:
                await self._patch(path, {"IndicatorLED": "Blinking" if on else "Off"})
                return
        raise RedfishError("the BMC offers no indicator light")

    async def ethernet_interfaces(self) -> list[dict[str, Any]]:
        """The machine's own network interfaces as the BMC sees them; empty when it shows none."""
        path = link(await self.system(), "EthernetInterfaces")
        collection = await self._get_or_none(path) or {}
        return [answer for each in members(collection) if (answer := await self._get_or_none(each)) is not None]

    # ---- what the checks read ----

    async def report(self) -> BmcAnswers:
        """System, chassis, thermal, power and manager in one go, as the BMC gives them."""
        system = await self.system()
        chassis = await self._get_or_none(first_link(system, "Chassis"))
        manager_path = first_link(system, "ManagedBy")
        if manager_path is None:
            manager_path = await self._first_member("Managers")
        answers = BmcAnswers(
            system=system,
            chassis=chassis,
            thermal=await self._get_or_none(link(chassis or {}, "Thermal")),
            power=await self._get_or_none(link(chassis or {}, "Power")),
            manager=await self._get_or_none(manager_path),
        )
        return await self._with_subsystems(answers, chassis or {})

    async def _with_subsystems(self, answers: BmcAnswers, chassis: Mapping[str, Any]) -> BmcAnswers:
        """What ThermalSubsystem, PowerSubsystem, EnvironmentMetrics and Sensors tell where Thermal or Power do not."""
        more: dict[str, Any] = {}
        thermal, power = answers.thermal or {}, answers.power or {}
        if not (thermal.get("Fans") and thermal.get("Temperatures")):
            more["thermal_subsystem"] = await self._with_members(link(chassis, "ThermalSubsystem"), "Fans")
            more["sensors"] = await self._all_of(link(chassis, "Sensors"))
        if not power.get("PowerSupplies"):
            more["power_subsystem"] = await self._with_members(link(chassis, "PowerSubsystem"), "PowerSupplies")
        if not power.get("PowerControl"):
            more["environment"] = await self._get_or_none(link(chassis, "EnvironmentMetrics"))
        return replace(answers, **more)

    async def _with_members(self, path: str | None, name: str) -> dict[str, Any] | None:
        """A resource with the members of its collection `name` in the place of the link, and the metrics of each."""
        resource = await self._get_or_none(path)
        if resource is None:
            return None
        rows = await self._all_of(link(resource, name)) or []
        for row in [resource, *rows]:
            metrics = link(row, "Metrics") or link(row, "ThermalMetrics")
            row["Metrics"] = await self._get_or_none(metrics) or {}
        return {**resource, name: rows}

    async def _all_of(self, path: str | None) -> list[dict[str, Any]] | None:
        """The members of a collection: in one answer where the BMC expands it, else one by one, so many at most."""
        if path is None:
            return None
        try:
            collection = await self.get(f"{path}?$expand=.($levels=1)")
        except RedfishStatus:  # a BMC that cannot expand says so in one of many ways
            collection = await self._get_or_none(path) or {}
        rows = collection.get("Members")
        whole = [row for row in rows if isinstance(row, dict) and len(row) > 1] if isinstance(rows, list) else []
        if whole and len(whole) == len(rows or ()):
            return whole
        paths = members(collection)[:MOST_MEMBERS]
        return [await self._get_or_none(each) or _untold(each) for each in paths]

    async def sel_entries(self, limit: int = 200) -> list[dict[str, Any]]:
        """The newest entries of the system event log: the manager's `Sel`, else the system's first log service."""
        system = await self.system()
        manager_path = first_link(system, "ManagedBy") or await self._first_member("Managers")
        manager = await self._get_or_none(manager_path) or {}
        for owner in (manager, system):
            services = await self._get_or_none(link(owner, "LogServices")) or {}
            for path in sorted(members(services), key=lambda path: not path.lower().rstrip("/").endswith("/sel")):
                service = await self._get_or_none(path) or {}
                entries = await self._get_or_none(link(service, "Entries"))
                if entries is not None:
                    rows = entries.get("Members")
                    return [row for row in rows if isinstance(row, dict)][:limit] if isinstance(rows, list) else []
        return []


def _untold(path: str) -> dict[str, Any]:
    """A member that is listed and cannot be read: there, and nothing known of it."""
    name = path.rstrip("/").rpartition("/")[2]
    return {"@odata.id": path, "Id": name, "Name": name}


def mapping(resource: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object a resource has under this name; an empty one where it has none or something else."""
    value = resource.get(name)
    return value if isinstance(value, Mapping) else {}


def members(collection: Mapping[str, Any]) -> list[str]:
    """The paths of a collection's members; what is not a link is left out."""
    listed = collection.get("Members")
    return [path for each in listed if (path := link({"m": each}, "m"))] if isinstance(listed, list) else []


def link(resource: Mapping[str, Any], name: str) -> str | None:
    """The path a resource points to under this name, or None."""
    value = resource.get(name)
    path = value.get("@odata.id") if isinstance(value, Mapping) else None
    return path if isinstance(path, str) else None


def first_link(resource: Mapping[str, Any], name: str) -> str | None:
    """The first path of `Links.NAME`, or None."""
    links = resource.get("Links")
    paths = links.get(name) if isinstance(links, Mapping) else None
    return link({"first": paths[0]}, "first") if isinstance(paths, list) and paths else None
