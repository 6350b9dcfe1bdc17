"""The worker's part of a discovery: its leases are read, its addresses asked, what they tell kept as it comes.

A worker holds a discovery by a lease and gives it back after SLICE_S, so that no task is long. One that is lost leaves
its addresses *asking*; they are asked again, within what is left of their passwords.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone

from core.work.kinds import Lease, Work
from core.work.queue import after_commit
from live.events import emit
from provisioning.discovery import queries
from provisioning.discovery.addresses import sources
from provisioning.discovery.addresses.leases import Leases
from provisioning.discovery.logins import doors
from provisioning.discovery.models import IS_OPEN, DiscoveredBmc, Discovery
from provisioning.discovery.probe import KNOCK_S, MOST_LOGINS, READ_AT_ONCE, Answer, Door, Pace, ask
from provisioning.discovery.states import OPEN, WORDS, BmcState
from provisioning.steps import Status

log = structlog.get_logger(__name__)
TASK = "provisioning.discovery.tasks.discover"
SLICE_S = 15.0
"""Seconds in which a task begins with addresses; it ends when the last of them answered."""
SAVE_S = 1.0


def _give_up(row: Discovery, reason: str, **more: Any) -> bool:
    return finish(row, Status.FAILED, reason)


WORK = Work(
    name="BMC discovery",
    model=Discovery,
    open=IS_OPEN,
    hold=Lease(75, token="lease"),
    waiting={"status": Status.WAITING.value},
    taken=lambda row, now: {"status": Status.RUNNING.value},
    attempts="tries",
    most=5,
    reason="message",
    give_up=_give_up,
    lost="given up: {} workers died",
    task=TASK,
    every_s=15,
)


def run(discovery_id: int) -> bool:
    """Work on a discovery for SLICE_S; returns whether there is more to do, which is queued. Safe to run twice."""
    row = WORK.take(discovery_id, Discovery.objects.select_related("source", "site"))
    if row is None:
        return False
    try:
        if row.read_at is None:
            keep_leases(row, sources.read(row))
        more = _ask_some(row)
    except sources.SourceUnreadable as error:
        finish(row, Status.FAILED, str(error))
        return False
    if more is None:
        return False
    if not more:
        finish(row, Status.DONE)
        return False
    if WORK.put_back(row, uncounted=True):
        after_commit(TASK, row.pk, robust=True)
    return True


def keep_leases(row: Discovery, found: Leases) -> None:
    """The addresses of a source become those of the discovery."""
    with transaction.atomic():
        locked = WORK.hold_on(row)
        sources.add_leases(locked, found)
        row.read_at = locked.read_at
        tell(locked)


@transaction.atomic
def finish(row: Discovery, status: Status, message: str = "") -> bool:
    """End it, whatever was not asked yet; False when it is not ours any more."""
    done = WORK.finish(row, status=status.value, message=message[:500], finished_at=timezone.now())
    if done:
        tell(row)
    return done


def tell(row: Discovery) -> None:
    """Inside a transaction that has the row locked: how far it is, for whoever watches."""
    counted = queries.discoveries().get(pk=row.pk)
    totals = {name: getattr(counted, name) for name in ("addresses", "asked", "found")}
    emit(
        "bmc_discovery.changed", site_id=row.site_id, subject=f"bmc_discovery:{row.pk}",
        data={"id": row.pk, "status": row.status, **totals},
    )  # fmt: skip


# ---- asking ----


def _ask_some(row: Discovery) -> bool | None:
    """Ask for SLICE_S; whether there is more to ask, None when somebody cancelled it or took it over."""
    again(row)
    flight = _Flight(row.rate_per_s)
    until = time.monotonic() + SLICE_S
    with asyncio.Runner() as runner:
        while True:
            going = time.monotonic() < until
            rows = _next(row, flight.room()) if going else []
            runner.run(flight.start(_claimed(row, rows)))
            if not flight.tasks:
                break
            landed = runner.run(flight.landed(SAVE_S))
            if not keep(row, landed):
                runner.run(flight.stop())
                return None
    return row.bmcs.filter(state__in=OPEN).exists()


class _Flight:
    """Addresses that are being asked. The loop stands still while what came of some is stored."""

    def __init__(self, rate_per_s: int) -> None:
        self.tasks: dict[asyncio.Task[Answer], int] = {}
        self._pace = Pace(rate_per_s)
        self._most = int(rate_per_s * (KNOCK_S + SAVE_S)) + 2 * READ_AT_ONCE
        """As many as can be waited for at that rate, so that the silent ones do not hold up the others."""
        self._per_time = int(rate_per_s * SAVE_S) + 1
        self._reading = asyncio.Semaphore(READ_AT_ONCE)

    def room(self) -> int:
        """What is begun until the next time, and not more than fits."""
        return max(0, min(self._per_time, self._most - len(self.tasks)))

    async def start(self, wanted: Mapping[int, Door]) -> None:
        for pk, door in wanted.items():
            self.tasks[asyncio.create_task(_safely(ask, door, self._pace, self._reading))] = pk

    async def landed(self, wait_s: float) -> dict[int, Answer]:
        """Those that are over; waits `wait_s`, so that they are stored together."""
        done, _ = await asyncio.wait(self.tasks, timeout=wait_s)
        return {self.tasks.pop(task): task.result() for task in done}

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def _safely(work: Callable[..., Any], door: Door, *rest: Any) -> Answer:
    """A fault of ours at one address must not end the others."""
    try:
        answer: Answer = await work(door, *rest)
    except Exception as error:
        log.exception("discovery_failed_at_an_address", address=door.address)
        return Answer(BmcState.FAILED, f"reading it failed: {type(error).__name__}", logins=len(door.logins))
    return answer


def again(row: Discovery) -> None:
    """What a lost worker left behind waits again; where no password is left to be sent, it is left alone."""
    lost = row.bmcs.filter(state=BmcState.ASKING)
    lost.filter(logins__gte=MOST_LOGINS).update(
        state=BmcState.INTERRUPTED, reason=WORDS[BmcState.INTERRUPTED], asked_at=timezone.now()
    )
    lost.update(state=BmcState.WAITING)


def _next(row: Discovery, most: int) -> list[DiscoveredBmc]:
    return list(row.bmcs.filter(state=BmcState.WAITING).order_by("number")[:most]) if most else []


def _claimed(row: Discovery, rows: Sequence[DiscoveredBmc]) -> dict[int, Door]:
    """Before a password leaves, it is written down that it may have."""
    found = doors(row.site_id, row.port, rows) if rows else {}
    for each in rows:
        each.state, each.logins = BmcState.ASKING.value, each.logins + len(found[each.pk].logins)
    DiscoveredBmc.objects.bulk_update(rows, ["state", "logins"])
    return found


@transaction.atomic
def keep(row: Discovery, landed: Mapping[int, Answer]) -> bool:
    """Store answers and lease the discovery for as long again; False when it was cancelled or is not ours."""
    if not WORK.renew(row):
        return False
    now = timezone.now()
    rows = list(DiscoveredBmc.objects.filter(pk__in=landed, state=BmcState.ASKING))
    for each in rows:
        answer = landed[each.pk]
        each.state, each.reason, each.asked_at = answer.state.value, answer.reason[:500], now
        each.refused = sorted({*each.refused, *answer.refused})
        each.certificate = answer.certificate
        each.told = answer.machine.document() if answer.machine else None
    differ = queries.parts_differ(row.site_id, rows)
    for each in rows:
        each.parts_differ = differ.get(each.pk, "")
    columns = ["state", "reason", "asked_at", "refused", "certificate", "told", "parts_differ"]
    DiscoveredBmc.objects.bulk_update(rows, columns)
    if rows:
        tell(row)
    return True
