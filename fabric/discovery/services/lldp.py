"""LLDP as the machines of a site hear it: `lldpctl -f json0` on each, over SSH, many at a time.

Options of the source: `timeout_s` of each machine, `max_silent_percent` of the machines that may not answer before the
look is partial (5). A machine that does not answer is not seen: its links are then told as those of a device that is
off, not as missing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from access.queries import ssh_targets
from access.services import record_identities
from drivers.ssh import Limits, SshResult, SshTarget, run_many
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.ibdiags import option_number
from fabric.discovery.services.readers import CaptureParts, Part, SourceUnreadable
from inventory.models import Port

COMMAND = "timeout -k 5 15 lldpctl -f json0"
TIMEOUT_S = 20.0
MAX_SILENT_PERCENT = 5.0
AT_ONCE = 64


def read_source(source: FabricSource) -> CaptureParts:
    """Raises SourceUnreadable when no machine of the site answers."""
    timeout_s = option_number(source.options, "timeout_s", TIMEOUT_S, 300)
    allowed = option_number(source.options, "max_silent_percent", MAX_SILENT_PERCENT, 100)
    targets = ssh_targets(machines(source.site_id))
    if not targets:
        raise SourceUnreadable("no machine of the site has an Ethernet port")
    results = asyncio.run(_all(targets, timeout_s))
    record_identities(results, actor=f"fabric source {source.name}")
    heard, silent = [], []
    for result in sorted(results, key=lambda each: each.target.name):
        document = _document(result)
        if document is None:
            silent.append(f"{result.target.name}: {result.failure or 'lldpctl printed nothing that can be read'}")
        else:
            heard.append({"machine": result.target.name, "lldpctl": document})
    if not heard:
        raise SourceUnreadable(f"none of {len(targets)} machines answered; {silent[0]}")
    parts = [Part(COMMAND, "lldp", json.dumps(heard, separators=(",", ":")), 0)]
    if len(silent) * 100 > allowed * len(targets):
        why = f"{len(silent)} of {len(targets)} machines gave no answer; {silent[0]}"
        parts.append(Part("machines without an answer", "lldp", "", None, why[:500]))
    return CaptureParts(parts)


def machines(site_id: int) -> list[int]:
    """Machines in service with Ethernet ports that a cable is planned for."""
    ports = Port.objects.filter(
        device__site_id=site_id, device__kind="machine", device__status="active", kind="ethernet",
        strand_ends__change_set=None, strand_ends__isnull=False,
    )  # fmt: skip
    return list(ports.order_by("device_id").values_list("device_id", flat=True).distinct())


async def _all(targets: Sequence[SshTarget], timeout_s: float) -> list[SshResult]:
    results = run_many(targets, COMMAND, concurrency=AT_ONCE, limits=Limits(command_timeout_s=timeout_s))
    return [result async for result in results]


def _document(result: SshResult) -> Any:
    if result.failure is not None or result.exit_status != 0:
        return None
    try:
        return json.loads(result.stdout)
    except ValueError:
        return None
