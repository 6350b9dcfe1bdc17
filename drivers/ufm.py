"""NVIDIA UFM Enterprise over its REST API.

    async with UfmClient("https://10.0.0.9", SignIn.basic("admin", password), pinned=None) as ufm:
        capture = await ufm.capture()
        record(ufm.fingerprint)

UFM has three doors, told apart by how the path begins: `/ufmRest` with Basic authentication, `/ufmRestV2` with the
cookie of a session, `/ufmRestV3` with an access token. A resource it does not have may answer 200 with `{}`: that is
"no data" (None here), never an empty list. GUIDs are written without 0x, ports as `GUID_NUMBER`.

Source: UFM Enterprise REST API Guide, 6.11 to 6.24. Actions that the guide does not spell out are in `Unconfirmed`, so
that nobody takes them for documented ones.
"""

from __future__ import annotations

import asyncio
import base64
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from drivers.gate import Gate
from drivers.https import Answer, ApplianceError, BadStatus, HttpsSession, SignInRefused

Row = dict[str, Any]

MOST_PER_PAGE = 1000
_PORT_NAME = re.compile(r"^[0-9a-f]{16}_\d+$")


class Door(StrEnum):
    """The path that each form of signing in goes through."""

    BASIC = "/ufmRest"
    SESSION = "/ufmRestV2"
    TOKEN = "/ufmRestV3"


@dataclass(frozen=True, slots=True)
class SignIn:
    """How to sign in. Made by `basic`, `session` or `token`."""

    door: Door
    username: str = ""
    secret: str = field(default="", repr=False)

    @classmethod
    def basic(cls, username: str, password: str) -> SignIn:
        return cls(Door.BASIC, username, password)

    @classmethod
    def session(cls, username: str, password: str) -> SignIn:
        return cls(Door.SESSION, username, password)

    @classmethod
    def token(cls, token: str) -> SignIn:
        return cls(Door.TOKEN, secret=token)

    def headers(self) -> dict[str, str]:
        """UFM takes a token in the Basic scheme too, as it is."""
        if self.door is Door.SESSION:
            return {}
        login = self.secret
        if self.door is Door.BASIC:
            login = base64.b64encode(f"{self.username}:{self.secret}".encode()).decode()
        return {"Authorization": f"Basic {login}"}


class IncompleteList(ApplianceError):
    """UFM said how many rows there are and gave fewer, or a page of the list failed."""


class ActionFailed(ApplianceError):
    """UFM took an order and its job did not end well."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job of UFM: `state` as it says (Running, Completed, Completed With Errors, Failed ..)."""

    id: str
    state: str
    text: str

    @property
    def running(self) -> bool:
        return self.state.lower() in ("", "running", "pending", "scheduled", "created")

    @property
    def well(self) -> bool:
        return self.state.lower() == "completed"


class UfmClient:
    """One UFM. Use as an async context manager. Every method raises ApplianceError's family, nothing else.

    `page_size` is the most rows to ask for at once; `timeout_s` bounds each wait, `total_s` each request.
    """

    def __init__(
        self,
        base_url: str,
        sign_in: SignIn,
        pinned: bytes | None = None,
        timeout_s: float = 10,
        *,
        total_s: float = 120,
        page_size: int = MOST_PER_PAGE,
        poll_s: float = 1.0,
        gate: Gate | None = None,
    ) -> None:
        self.sign_in = sign_in
        self.page_size = page_size
        self.poll_s = poll_s
        self._https = HttpsSession(
            base_url, headers=sign_in.headers(), pinned=pinned, timeout_s=timeout_s, total_s=total_s, gate=gate
        )

    @property
    def fingerprint(self) -> bytes | None:
        """SHA-256 of the certificate that this session trusts."""
        return self._https.fingerprint

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        if self.sign_in.door is Door.SESSION:
            try:
                await self._log_in()
            except BaseException:
                await self._https.__aexit__()
                raise
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    async def _log_in(self) -> None:
        """The login form; UFM answers a wrong password with 401 or by sending back to the form without a cookie."""
        form = {"httpd_username": self.sign_in.username, "httpd_password": self.sign_in.secret}
        await self._https.send("POST", "/dologin", form=form)
        if not self._https.cookie("session"):
            raise SignInRefused("POST /dologin: UFM opened no session for this user name and password")

    async def _send(self, method: str, path: str, params: Mapping[str, str] | None = None, body: Any = None) -> Answer:
        full = f"{self.sign_in.door}/{path}"
        try:
            answer = await self._https.send(method, full, params=params, body=body)
        except SignInRefused:
            if self.sign_in.door is not Door.SESSION:
                raise
            await self._log_in()  # sessions end by themselves
            answer = await self._https.send(method, full, params=params, body=body)
        if 300 <= answer.status < 400:
            raise SignInRefused(f"{method} {full}: UFM sends to {answer.location or 'its login page'}")
        return answer

    # ---- reading ----

    async def get(self, path: str, params: Mapping[str, str] | None = None) -> Any:
        """The JSON of one resource; None where UFM has none (404, an empty body, or `{}`)."""
        try:
            value = (await self._send("GET", path, params)).value
        except BadStatus as error:
            if error.status == 404:
                return None
            raise
        return None if value in (None, {}) else value

    async def rows(self, path: str, params: Mapping[str, str] | None = None) -> list[Row] | None:
        """A whole list, page by page; None for no data. Raises IncompleteList when rows are missing.

        A UFM that knows no pages of a resource answers with all of it, whatever page it is asked for.
        """
        found: list[Row] = []
        number = 1
        while True:
            page = {**(params or {}), "page_number": str(number), "rpp": str(self.page_size)}
            value = await self.get(path, page)
            if value is None and number == 1:
                return None
            rows, total = _page(path, value)
            if number > 1 and rows and rows[0] == found[0]:
                break  # the same again: it knows no pages
            found += rows
            if total is not None and len(found) >= total:
                break
            if len(rows) != self.page_size:  # the last page, or all at once
                if total is not None and len(found) < total:
                    raise IncompleteList(f"{path}: UFM has {total} rows and gave {len(found)}")
                break
            number += 1
        return found

    async def version(self) -> str:
        """UFM's release, such as `6.19.3-5`; empty when it does not tell."""
        value = await self.get("app/ufm_version")
        return str(value.get("ufm_release_version", "")) if isinstance(value, dict) else ""

    async def systems(self) -> list[Row] | None:
        """Switches and machines as UFM groups them."""
        return await self.rows("resources/systems")

    async def ports(self) -> list[Row] | None:
        """Every port with its states and counters, those that are down too."""
        return await self.rows("resources/ports", {"show_disabled": "true", "cable_info": "true"})

    async def links(self, system: str = "") -> list[Row] | None:
        """Every link, or those of one system, with what the memory of the cable says."""
        params = {"cable_info": "true", "monitoring_counters_info": "false"}
        return await self.rows("resources/links", {**params, "system": system} if system else params)

    async def alarms(self) -> list[Row] | None:
        return _list(await self.get("app/alarms"))

    async def events(self) -> list[Row] | None:
        """What happened, as far back as UFM keeps it; each has an `id` that only grows."""
        return _list(await self.get("app/events"))

    async def unhealthy_ports(self) -> list[Row] | None:
        """Ports that the subnet manager was told, or decided, to leave out."""
        return _list(await self.get("app/unhealthy_ports"))

    async def capture(self) -> dict[str, Any]:
        """Systems, ports, links and unhealthy ports in one document, as `fabric.formats.ufm.read` takes it; null for no
        data."""
        return {
            "systems": await self.systems(), "ports": await self.ports(), "links": await self.links(),
            "unhealthy": await self.unhealthy_ports(),
        }  # fmt: skip

    # ---- what may be changed, as documented ----

    async def isolate(self, ports: Sequence[str]) -> None:
        """Take ports (`GUID_NUMBER`) out of routing; their links stay up and carry no traffic."""
        await self._policy(ports, {"ports_policy": "UNHEALTHY", "action": "isolate"})

    async def stop_discovering(self, ports: Sequence[str]) -> None:
        """Take ports out of the fabric: the subnet manager does not look beyond them."""
        await self._policy(ports, {"ports_policy": "UNHEALTHY", "action": "no_discover"})

    async def stop_isolating(self, ports: Sequence[str]) -> None:
        """Let ports carry traffic again, whatever they were told before."""
        await self._policy(ports, {"ports_policy": "HEALTHY"})

    async def _policy(self, ports: Sequence[str], policy: Row) -> None:
        wrong = [port for port in ports if not _PORT_NAME.match(port)]
        if wrong or not ports:
            raise ApplianceError(f"not a port of the form GUID_NUMBER: {', '.join(wrong) or 'none given'}")
        await self._send("PUT", "app/unhealthy_ports", body={"ports": list(ports), **policy})

    async def refresh_discovery(self) -> None:
        """Let UFM look at the fabric again now; needed before it shows a new node description."""
        await self._send("POST", "actions/fabric_discovery_refresh")

    async def run_cli(self, systems: Sequence[str], lines: Sequence[str], *, why: str = "") -> str:
        """Run command lines on managed switches, named by their ids; returns the id of the job."""
        return await self._order({
            "action": "run_cli", "identifier": "id", "params": {"commandline": list(lines), "arguments": {}},
            "description": why, "object_ids": list(systems), "object_type": "System",
        })  # fmt: skip

    async def set_hostname(self, system: str, name: str) -> str:
        """Name a managed switch by its own command line; it reports the name in its node description afterwards."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,62}", name):
            raise ApplianceError(f"{name!r} is not a host name of a switch")
        lines = ["enable", "configure terminal", f"hostname {name}", "configuration write"]
        return await self.run_cli([system], lines, why=f"name {name}")

    async def _order(self, order: Row) -> str:
        answer = await self._send("POST", "actions", body=order)
        job = answer.location.rstrip("/").rpartition("/")[2]
        if not job and isinstance(answer.value, dict):
            job = str(answer.value.get("job_id") or answer.value.get("ID") or "")
        if not job:
            raise ActionFailed(f"UFM answered {answer.status} and named no job")
        return job

    async def job(self, job_id: str) -> Job:
        """How far a job is. Raises ApplianceError when UFM knows none of this id."""
        value = await self.get(f"jobs/{job_id}")
        if not isinstance(value, dict):
            raise ApplianceError(f"UFM knows no job {job_id}")
        folded = {key.lower(): each for key, each in value.items()}
        state = str(folded.get("status") or folded.get("state") or "")
        return Job(job_id, state, str(folded.get("summary") or folded.get("progress") or ""))

    async def wait_for_job(self, job_id: str, wait_s: float = 60) -> Job:
        """The job when it ended well. Raises ActionFailed when it did not, or runs on after `wait_s`."""
        deadline = time.monotonic() + wait_s
        while (job := await self.job(job_id)).running:
            if time.monotonic() >= deadline:
                raise ActionFailed(f"job {job_id} still runs after {wait_s:g} s")
            await asyncio.sleep(self.poll_s)
        if not job.well:
            raise ActionFailed(f"job {job_id}: {job.state} {job.text}".rstrip())
        return job

    @property
    def unconfirmed(self) -> Unconfirmed:
        return Unconfirmed(self)


class Unconfirmed:
    """What UFM's own dashboard sends and its guide does not describe: the name of the action may differ by release.

    It returns the id of a job; the caller falls back to a node-name-map file.
    """

    def __init__(self, ufm: UfmClient) -> None:
        self._ufm = ufm

    async def set_node_description(self, system: str, name: str) -> str:
        return await self._ufm._order({
            "action": "set_node_description", "identifier": "id", "params": {"node_description": name},
            "description": "", "object_ids": [system], "object_type": "System",
        })  # fmt: skip


def _page(path: str, value: Any) -> tuple[list[Row], int | None]:
    """Rows of a page and how many there are in all; some releases wrap a page in an object, some do not."""
    total = None
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        count = value.get("total_resources", value.get("total"))
        total = count if isinstance(count, int) else None
        value = value["data"]
    return _list(value, path) or [], total


def _list(value: Any, path: str = "") -> list[Row] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise ApplianceError(f"{path or 'UFM'}: the answer is not a list of objects")
    return value
