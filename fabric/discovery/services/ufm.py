"""UFM of a source: how to sign in, and what it is asked to do.

Options of the source: `sign_in` (basic, session or token; the credential's secret is the password or the token),
`page_size`, `timeout_s` of a request, `write_names` to let approved names be written, `naming` (`hostname` through the
switch's command line, which managed switches take, or `description`).
"""

from __future__ import annotations

import asyncio

from core.outgoing.binding import Refused
from drivers.https import ApplianceError
from drivers.ufm import MOST_PER_PAGE, SignIn, UfmClient
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.addresses import opened_of
from fabric.discovery.services.ibdiags import option_number
from fabric.discovery.services.readers import SourceUnreadable

TIMEOUT_S = 120.0
LONGEST_S = 900.0
SIGN_INS = ("basic", "session", "token")


def client_of(source: FabricSource) -> UfmClient:
    """A client to be entered with `async with`. Raises SourceUnreadable for settings that cannot be used."""
    address = source.address if "://" in source.address else f"https://{source.address}"
    try:
        login = opened_of(source).at(address)
    except Refused as error:
        raise SourceUnreadable(str(error)) from error
    way = source.options.get("sign_in", "basic")
    if way not in SIGN_INS:
        raise SourceUnreadable(f"the option sign_in is one of {', '.join(SIGN_INS)}")
    sign_in = SignIn.token(login.secret) if way == "token" else getattr(SignIn, way)(login.username, login.secret)
    try:
        pinned = bytes.fromhex(source.identity) if source.identity else None
    except ValueError as error:
        raise SourceUnreadable("the identity of a UFM is the SHA-256 of its certificate, in hex digits") from error
    total_s = option_number(source.options, "timeout_s", TIMEOUT_S, LONGEST_S)
    page_size = int(option_number(source.options, "page_size", MOST_PER_PAGE, MOST_PER_PAGE))
    return UfmClient(
        address, sign_in, pinned, min(30.0, total_s), total_s=total_s, page_size=page_size, gate=login.gate
    )


def write_name(source: FabricSource, guid: str, name: str) -> str:
    """Name a switch through UFM; returns why it could not, empty when UFM did it."""
    try:
        client = client_of(source)
        asyncio.run(_name(client, guid, name, by_description=source.options.get("naming") == "description"))
    except (SourceUnreadable, ApplianceError) as error:
        return str(error) or type(error).__name__
    return ""


async def _name(client: UfmClient, guid: str, name: str, *, by_description: bool) -> None:
    async with client:
        systems = await client.systems() or []
        if not any(str(row.get("guid") or row.get("system_guid") or "").lower() == guid for row in systems):
            raise ApplianceError(f"UFM knows no system {guid}")
        order = client.unconfirmed.set_node_description if by_description else client.set_hostname
        await client.wait_for_job(await order(guid, name))
        await client.refresh_discovery()
