"""Leases of Kea over its control API: JSON commands by POST, read only.

    async with KeaClient("http://10.0.0.2:8000", gate=gate) as kea:
        leases = await kea.leases()

Sources: Kea Administrator Reference Manual, "Management API" and "lease_cmds: Lease Commands for Easier Lease
Management" (the hook that these commands need); result 0 success, 1 error, 2 unsupported, 3 empty.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from drivers.gate import Gate
from drivers.https import ApplianceError, BadStatus, HttpsSession, SignInRefused

PAGE = 1000
MOST_LEASES = 20_000
_SUCCESS, _UNSUPPORTED, _EMPTY = 0, 2, 3


class KeaClient:
    """One control agent, or a server with a control socket of its own over HTTP. Use as an async context manager.

    Every method raises ApplianceError's family, nothing else.
    """

    def __init__(self, base_url: str, *, timeout_s: float = 10, gate: Gate | None = None) -> None:
        self._https = HttpsSession(base_url, timeout_s=timeout_s, total_s=60, gate=gate)

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    async def leases(self) -> list[Any]:
        """Those of DHCPv4 and DHCPv6, as Kea tells them; of a service that is not there, none.

        Raises ApplianceError when neither service has leases to tell, or there are more than MOST_LEASES.
        """
        found: list[Any] = []
        silent: list[str] = []
        for version in ("4", "6"):
            try:
                async for page in _pages(self, version):
                    found += page
                    if len(found) > MOST_LEASES:
                        raise ApplianceError(f"more than {MOST_LEASES:,} leases: name the file of one server instead")
            except ServiceSilent as error:
                silent.append(str(error))
        if len(silent) == 2:
            raise ApplianceError("; ".join(dict.fromkeys(silent)))
        return found

    async def command(self, name: str, service: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer of one service. Raises ServiceSilent where that service is not there or does not know it."""
        body = {"command": name, "service": [service], **({"arguments": arguments} if arguments else {})}
        try:
            value = (await self._https.send("POST", "/", body=body)).value
        except SignInRefused as error:
            raise ApplianceError(f"{name}: Kea asks for a user and a password, which are not sent") from error
        except BadStatus as error:
            raise ApplianceError(f"{name}: {error}") from error
        answer = value[0] if isinstance(value, list) and value else value
        if not isinstance(answer, dict) or not isinstance(answer.get("result"), int):
            raise ApplianceError(f"{name}: this is no answer of Kea's control API")
        if answer["result"] not in (_SUCCESS, _EMPTY):
            hook = " (is the hook lease_cmds loaded?)" if answer["result"] == _UNSUPPORTED else ""
            raise ServiceSilent(f"{service}: {name}: {str(answer.get('text') or 'refused')[:200]}{hook}")
        return answer


class ServiceSilent(ApplianceError):
    """Kea answered, and this service of it did not, or has no such command."""


async def _pages(client: KeaClient, version: str) -> AsyncIterator[list[Any]]:
    """Page by page, each after the last address of the one before."""
    last, name = "start", f"lease{version}-get-page"
    while True:
        answer = await client.command(name, f"dhcp{version}", {"from": last, "limit": PAGE})
        rows = list(_rows(answer))
        if rows:
            yield rows
        told = [str(row.get("ip-address") or "") for row in rows if isinstance(row, dict)]
        if len(rows) < PAGE or not told or told[-1] in ("", last):
            return
        last = told[-1]


def _rows(answer: dict[str, Any]) -> Iterator[Any]:
    arguments = answer.get("arguments")
    rows = arguments.get("leases") if isinstance(arguments, dict) else None
    yield from rows if isinstance(rows, list) else ()
