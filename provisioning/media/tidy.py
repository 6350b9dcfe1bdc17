"""Boot media that stayed in their BMCs when their run ended: failed, cancelled, or its worker lost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog

from access.bmc import BmcResult
from access.queries import BmcTarget, bmc_targets
from access.services import record_bmc_identities
from drivers.redfish import RedfishError
from health.machines.services import kill_switch
from provisioning.engines.media import eject_leftover
from provisioning.engines.redfish import REQUEST_TIMEOUT_S
from provisioning.models import BootMedium
from provisioning.services import media

log = structlog.get_logger(__name__)
LIMIT_S, AT_ONCE = 30.0, 32


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one BMC: `out` when it shows the medium no more."""

    out: bool
    met: BmcResult | None = None


def tidy() -> int:
    """Take out what is due and may be; returns how many are out. Nobody's content is left by then in any case."""
    due = []
    for row in media.take_due():
        if why := why_stopped(row):
            media.WORK.put_back(row, why, after_s=0, uncounted=True)
        else:
            due.append(row)
    targets = {target.machine_id: target for target in bmc_targets([row.run_machine.machine_id for row in due])}
    tried = asyncio.run(_all([(row, targets[row.run_machine.machine_id]) for row in due])) if due else []
    record_bmc_identities([each.met for each in tried if each.met is not None], actor="provisioning")
    for row, each in zip(due, tried, strict=True):
        if each.out:
            media.ejected(row)
        else:
            media.WORK.fail(row, "the BMC shows it still, or does not answer")
    return sum(each.out for each in tried)


def why_stopped(row: BootMedium) -> str:
    """Why nothing of this run may be written to a BMC now; empty when it may."""
    run = row.run_machine.run
    return kill_switch.why_run_stopped(run.site_id, by=run.created_by, begun_at=run.created_at)


async def _all(rows: list[tuple[BootMedium, BmcTarget]]) -> list[Tried]:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(row: BootMedium, target: BmcTarget) -> Tried:
        async with room:
            return await _one(row, target)

    return await asyncio.gather(*(one(row, target) for row, target in rows))


async def _one(row: BootMedium, target: BmcTarget) -> Tried:
    if not target.address:
        return Tried(False)
    client = target.client(REQUEST_TIMEOUT_S)
    try:
        async with asyncio.timeout(LIMIT_S), client:
            left = await eject_leftover(client, row.token_hash)
    except (RedfishError, TimeoutError) as error:
        log.info("boot_medium_not_ejected", medium=row.pk, error=type(error).__name__)
        return Tried(False)
    return Tried(not left, BmcResult(target, fingerprint=client.fingerprint))
