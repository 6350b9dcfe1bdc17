"""Where leases are read: a file that this server sees, in a folder that its operator allowed, or Kea's control API."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable
from pathlib import Path

from django.utils import timezone

from core.counts import counted
from core.outgoing.binding import Refused
from core.outgoing.permits import permit
from drivers.discovery.kea import KeaClient
from drivers.https import ApplianceError
from provisioning.conf import config
from provisioning.discovery.addresses.leases import Lease, Leases, Unreadable, inside, read_kea_answer, read_leases
from provisioning.discovery.addresses.ranges import MOST_ADDRESSES, addresses_of
from provisioning.discovery.models import DiscoveredBmc, Discovery, LeaseSource

MOST_BYTES = 8 * 1024 * 1024


class SourceUnreadable(Exception):
    """The leases cannot be read, or name nothing to ask; the text is a sentence for a person."""


def read(row: Discovery) -> Leases:
    """The leases of the source of a discovery, now. Raises SourceUnreadable."""
    source = row.source
    if source is None:
        raise SourceUnreadable("its lease source was removed")
    if source.kind == LeaseSource.Kind.KEA_API:
        return _of_kea(source)
    return of_text(_of_file(source))


def of_text(text: str) -> Leases:
    """Raises SourceUnreadable."""
    try:
        return read_leases(text, now=time.time())
    except Unreadable as error:
        raise SourceUnreadable(f"this is no lease file: {error}") from error


def _of_file(source: LeaseSource) -> str:
    if why := problem_of_path(source.place):
        raise SourceUnreadable(why)
    try:
        with Path(source.place).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SourceUnreadable(f"{source.place}: {error.strerror or error}") from error
    if len(content) > MOST_BYTES:
        raise SourceUnreadable(f"{source.place} has more than {MOST_BYTES // 1024**2} MB")
    return content.decode(errors="replace")


def problem_of_path(place: str) -> str:
    """Why a file is not read; empty when it is. Links are followed first, so that none leads out of the folders."""
    folders = config().lease_folders
    if not os.path.isabs(place):
        return "a path from the root, such as /var/lib/misc/dnsmasq.leases"
    real = os.path.realpath(place)
    if not any(real.startswith(f"{os.path.realpath(folder).rstrip('/')}/") for folder in folders):
        return f"{place} is in none of the folders that RACKSIDE_LEASE_FOLDERS names: {', '.join(folders) or 'none'}"
    return ""


def _of_kea(source: LeaseSource) -> Leases:
    try:
        gate = permit(None, None, source.place, site=source.site_id)
    except Refused as error:
        raise SourceUnreadable(str(error)) from error

    async def ask() -> list[object]:
        async with KeaClient(source.place, gate=gate) as kea:
            return await kea.leases()

    try:
        told = asyncio.run(ask())
    except ApplianceError as error:
        raise SourceUnreadable(f"{source.place}: {error}") from error
    return read_kea_answer(told, now=time.time())


def add_leases(row: Discovery, found: Leases) -> None:
    """The addresses of a locked discovery, out of leases. Raises SourceUnreadable when there are none, or too many."""
    leases = list(inside(found.leases, addresses_of(row.ranges) if row.ranges else ()))
    if not leases:
        others = f"; {counted(found.over, 'lease')} over" if found.over else ""
        unread = f"; {counted(found.unread, 'line')} could not be read" if found.unread else ""
        raise SourceUnreadable(f"no lease that holds now names an address to ask{others}{unread}")
    if len(leases) > MOST_ADDRESSES:
        raise SourceUnreadable(f"{len(leases):,} leases, at most {MOST_ADDRESSES:,} are asked: name the addresses")
    row.unread_lines, row.leases_over = found.unread, found.over
    row.problems = [{"line": problem.line, "reason": problem.reason[:200]} for problem in found.problems]
    row.read_at = timezone.now()
    row.save(update_fields=["unread_lines", "leases_over", "problems", "read_at"])
    add_addresses(row, leases)


def add_addresses(row: Discovery, leases: Iterable[Lease]) -> None:
    DiscoveredBmc.objects.bulk_create(
        DiscoveredBmc(
            discovery=row, number=number, address=lease.address, mac=lease.mac,
            hostname="".join(sign for sign in lease.hostname if sign.isprintable())[:255],
        )
        for number, lease in enumerate(leases, start=1)
    )  # fmt: skip
