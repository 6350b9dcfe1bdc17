"""LLDP as Ethernet switches hear it: Arista over eAPI, Cumulus over NVUE, many at a time.

Options of the source: `switches`, a list of addresses (HOST, HOST:PORT or an URL); without it the addresses of the
site's Ethernet switches in the inventory. All share the source's credential. The identity of the source keeps one line
for each switch: its address and the SHA-256 of its certificate.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from access.logins import Opened
from core.outgoing.binding import Refused
from drivers.eapi import EapiClient
from drivers.https import ApplianceError, CertificateChanged
from drivers.nvue import NvueClient
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.addresses import opened_of
from fabric.discovery.services.readers import CaptureParts, Part, SourceUnreadable, SourceUntrusted
from inventory.models import IpAddress

CLIENTS: Mapping[str, type[EapiClient] | type[NvueClient]] = {"eapi": EapiClient, "nvue": NvueClient}
AT_ONCE = 32
MOST_SWITCHES = 2000
TIMEOUT_S = 60.0
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")

Answer = tuple[str, dict[str, Any] | None, str]  # address, document, certificate or why there is none


def read_source(source: FabricSource) -> CaptureParts:
    """Raises SourceUnreadable when no switch answers, SourceUntrusted when one is not what was pinned. One that does
    not answer makes the look partial."""
    login = opened_of(source)
    targets = addresses(source)
    pins = pinned(source.identity)
    of_inventory = source.options.get("switches") is None
    answers = asyncio.run(_all(source.kind, targets, login, pins, of_inventory=of_inventory))
    documents = [document for _, document, _ in answers if document is not None]
    silent = [(address, why) for address, document, why in answers if document is None]
    if not documents:
        raise SourceUnreadable(f"none of {len(targets)} switches answered; {silent[0][0]}: {silent[0][1]}")
    parts = [Part("neighbours", source.kind, json.dumps(documents, separators=(",", ":")))]
    parts += [Part(address, source.kind, "", None, why[:500]) for address, why in silent]
    met = {address: mark for address, document, mark in answers if document is not None and mark}
    lines = [f"{address} {mark}" for address, mark in sorted((met | pins).items())]
    return CaptureParts(parts, "\n".join(lines))


def addresses(source: FabricSource) -> list[str]:
    """Raises SourceUnreadable when there are none."""
    told = source.options.get("switches")
    if told is None:
        rows = IpAddress.objects.filter(
            device__site_id=source.site_id, device__switch__fabric="ethernet", device__status="active"
        )
        first: dict[int, str] = {}
        for device, address in rows.order_by("device", "id").values_list("device_id", "address"):
            first.setdefault(device, f"[{address}]" if ":" in address else address)
        told = list(first.values())
    if not isinstance(told, list) or not all(isinstance(each, str) and each for each in told):
        raise SourceUnreadable("the option switches takes a list of addresses")
    if not 0 < len(told) <= MOST_SWITCHES:
        raise SourceUnreadable("no Ethernet switch of the site has an address; or name them in the option switches")
    return list(dict.fromkeys(told))


def pinned(identity: str) -> dict[str, str]:
    """Address to certificate, of the lines that tell both."""
    pairs = (line.rsplit(" ", 1) for line in identity.splitlines())
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and _FINGERPRINT.fullmatch(pair[1])}


async def _all(
    kind: str, targets: Sequence[str], login: Opened, pins: Mapping[str, str], *, of_inventory: bool
) -> list[Answer]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(address: str) -> Answer:
        async with gate:
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    return await _one(kind, address, login, pins.get(address, ""), of_inventory=of_inventory)
            except CertificateChanged as error:
                raise SourceUntrusted(f"{address}: {error}") from error
            except (ApplianceError, Refused, TimeoutError) as error:
                return address, None, str(error) or f"no answer within {TIMEOUT_S:g} s"

    return list(await asyncio.gather(*(one(address) for address in targets)))


async def _one(kind: str, address: str, login: Opened, pin: str, *, of_inventory: bool) -> Answer:
    url = address if "://" in address else f"https://{address}"
    one = login.at(url, of_inventory=of_inventory)
    client = CLIENTS[kind](url, one.username, one.secret, bytes.fromhex(pin) if pin else None, gate=one.gate)
    async with client as switch:
        document = await switch.capture()
        return address, document, switch.fingerprint.hex() if switch.fingerprint else ""
