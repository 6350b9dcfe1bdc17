"""A MAAS region over its REST API 2.0 (MAAS 3.x).

    async with MaasClient("https://maas.example:5443/MAAS", api_key, trust=trust_of("")) as maas:
        machine = await maas.machine("4y3h7n")
        await maas.commission(machine.system_id)

An API key is `consumer:token:secret`. Every request is signed by OAuth 1.0 PLAINTEXT with an empty consumer secret, as
MAAS's own clients sign it (RFC 5849, section 3.4.4); `oauthlib` writes the header. What takes long is only begun by a
call, and followed by reading the machine again.
"""

from __future__ import annotations

import base64
import ssl
from collections.abc import Mapping, Sequence
from typing import Self

from oauthlib.oauth1 import SIGNATURE_PLAINTEXT, Client  # type: ignore[import-untyped]

from drivers.gate import Gate
from drivers.https import (
    Answer,
    ApplianceError,
    BadStatus,
    HttpsSession,
    Later,
    NoSuchRecord,
    NotJson,
    SignInRefused,
    sorted_out,
)
from drivers.maas import shapes
from drivers.maas.shapes import Event, Machine, Version

ROOT = "/api/2.0"
MOST_BYTES = 64 << 20
"""A machine with eight GPUs and a dozen cards is some 60 KB; a list by MAC address has one."""
MOST_EVENTS = 1000
"""MAAS refuses to give more at once."""
OLDEST = 3
Form = Sequence[tuple[str, str]]


def key_parts(api_key: str) -> tuple[str, str, str]:
    """Consumer, token and secret. Raises ValueError, which does not repeat the key."""
    parts = api_key.strip().split(":")
    if len(parts) != 3 or not all(part.isascii() and part.isalnum() for part in parts):
        raise ValueError("an API key of MAAS is three words with colons between: consumer:token:secret")
    return parts[0], parts[1], parts[2]


class MaasClient:
    """One region. Use as an async context manager. Every method raises ApplianceError's family, nothing else.

    `timeout_s` bounds the wait for each piece of an answer, `total_s` one whole request; `gate` decides about the
    address of every connection.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        trust: ssl.SSLContext,
        timeout_s: float = 8,
        total_s: float = 30,
        gate: Gate | None = None,
    ) -> None:
        try:
            consumer, token, secret = key_parts(api_key)
        except ValueError as error:
            raise SignInRefused(str(error)) from error
        self._url = url.rstrip("/")
        self._signer = Client(
            consumer,
            client_secret="",
            resource_owner_key=token,
            resource_owner_secret=secret,
            signature_method=SIGNATURE_PLAINTEXT,
        )
        self._https = HttpsSession(
            self._url, trust=trust, timeout_s=timeout_s, total_s=total_s, most_bytes=MOST_BYTES, gate=gate
        )

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    # ---- reading ----

    async def version(self) -> Version:
        """Which MAAS it is; it answers that to anybody. Raises NotJson for what is no MAAS 3."""
        try:
            said = shapes.version_of((await self._send("GET", "/version/")).value)
        except NoSuchRecord as error:
            raise NotJson("there is no MAAS at this address: it ends in /MAAS") from error
        major = said.version.partition(".")[0]
        if not major.isdigit() or int(major) < OLDEST:
            raise NotJson(f"this is MAAS {said.version[:40]}; {OLDEST}.0 or newer is needed")
        return said

    async def who(self) -> str:
        """The name of the user whose key this is."""
        said = (await self._send("GET", "/users/", params={"op": "whoami"})).value
        name = said.get("username") if isinstance(said, dict) else None
        if not isinstance(name, str):
            raise NotJson("MAAS does not say whose key this is")
        return name

    async def machines(self, **filters: str) -> list[Machine]:
        """Those that all filters fit (`mac_address`, `hostname`, `status`, ...)."""
        return shapes.machines_of((await self._send("GET", "/machines/", params=filters)).value)

    async def machine(self, system_id: str) -> Machine:
        """Raises NoSuchRecord."""
        return shapes.machine_of((await self._send("GET", _of(system_id))).value)

    async def failed_scripts(self, system_id: str, number: int) -> list[str]:
        """What failed in its commissioning of this number, each in a few words."""
        said = await self._send("GET", f"/nodes/{_id(system_id)}/results/", params={"type": "commissioning"})
        return shapes.failed_scripts(said.value, number)

    async def events(self, *, after: int | None, level: str = "INFO") -> list[Event]:
        """Those after this one, 1,000 at most, in the order of their ids; without one the newest single one."""
        limit = {"limit": "1"} if after is None else {"limit": str(MOST_EVENTS), "after": str(after)}
        return shapes.events_of(
            (await self._send("GET", "/events/", params={"op": "query", "level": level, **limit})).value
        )

    # ---- writing ----

    async def enlist(self, *, hostname: str, mac: str, power: Mapping[str, str]) -> Machine:
        """Make its record, to be commissioned later. `power`: `power_address`, `power_user`, `power_pass` of its BMC,
        which no error repeats."""
        form = [
            ("architecture", "amd64/generic"), ("hostname", hostname), ("mac_addresses", mac),
            ("commission", "false"), ("power_type", "redfish"),
            *((f"power_parameters_{name}", value) for name, value in power.items()),
        ]  # fmt: skip
        try:
            return shapes.machine_of((await self._send("POST", "/machines/", form=form)).value)
        except BadStatus as error:
            raise ApplianceError(str(error).replace(power["power_pass"] or "\0", "***")) from None

    async def rename(self, system_id: str, hostname: str) -> None:
        await self._send("PUT", _of(system_id), form=[("hostname", hostname)])

    async def commission(self, system_id: str, scripts: Sequence[str] = ()) -> None:
        """Begin to commission it; `scripts` besides MAAS's own."""
        await self._order(system_id, "commission", [("commissioning_scripts", ",".join(scripts))] if scripts else [])

    async def allocate(self, system_id: str, comment: str) -> None:
        form = [("system_id", system_id), ("comment", comment)]
        await self._send("POST", "/machines/", params={"op": "allocate"}, form=form)

    async def deploy(self, system_id: str, *, series: str, user_data: str, comment: str) -> None:
        """Begin to install `series` (such as jammy) with this cloud-init user-data."""
        data = base64.b64encode(user_data.encode()).decode()
        form = [("distro_series", series), ("user_data", data), ("comment", comment)]
        await self._order(system_id, "deploy", form)

    async def release(self, system_id: str, *, erase: Sequence[str], comment: str) -> None:
        """Give it back; `erase` of `erase`, `secure_erase`, `quick_erase`."""
        form = [("comment", comment), *((option, "true") for option in erase)]
        await self._order(system_id, "release", form)

    async def mark_broken(self, system_id: str, comment: str) -> None:
        await self._order(system_id, "mark_broken", [("comment", comment)])

    async def mark_fixed(self, system_id: str, comment: str) -> None:
        await self._order(system_id, "mark_fixed", [("comment", comment)])

    async def exit_rescue_mode(self, system_id: str) -> None:
        await self._order(system_id, "exit_rescue_mode", [])

    async def _order(self, system_id: str, operation: str, form: Form) -> None:
        await self._send("POST", _of(system_id), params={"op": operation}, form=form)

    async def _send(
        self, method: str, path: str, *, params: Mapping[str, str] | None = None, form: Form | None = None
    ) -> Answer:
        _, headers, _ = self._signer.sign(f"{self._url}{ROOT}{path}")
        try:
            return await self._https.send(method, ROOT + path, params=params, form=form, headers=headers)
        except BadStatus as error:
            raise sorted_out(error) from error


def _id(system_id: str) -> str:
    """A part of a path: what MAAS calls its machines is letters and digits."""
    if not (system_id.isascii() and system_id.isalnum()):
        raise NotJson(f"{system_id[:40]!r} is no system id of MAAS")
    return system_id


def _of(system_id: str) -> str:
    return f"/machines/{_id(system_id)}/"


__all__ = ["Later", "MaasClient", "NoSuchRecord", "key_parts"]
