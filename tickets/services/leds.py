"""The locating light of the machines somebody works on.

The wish follows the tickets in their own transaction; a task carries it to the BMC. A BMC that does not answer is tried
again, later and later, and never keeps anybody from working.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from access.bmc import BmcResult, failed
from access.queries import BmcTarget, bmc_targets
from access.services import record_bmc_identities
from core.work.kinds import Lease, LostLease, Work
from core.work.queue import after_commit
from core.work.rules import Backoff
from drivers.redfish import RedfishError
from health.machines.services import kill_switch
from tickets.models import IndicatorLed, Ticket
from tickets.services.news import announce, lock_machine
from tickets.workflow import HANDS_ON

log = structlog.get_logger(__name__)

AT_ONCE = 32
REQUEST_TIMEOUT_S = 5.0
MACHINE_TIMEOUT_S = 20.0
STOPPED_S = 15.0
ROUNDS_S = 25.0  # no new round after this: a task has its own time limit
NO_ADDRESS = "no BMC address is known"

WORK = Work(
    name="indicator light",
    model=IndicatorLed,
    open=~Q(wanted=F("seen")),
    hold=Lease(40),
    due="next_try_at",
    attempts="attempts",
    retry=Backoff(15, 600),
    reason="error",
    taken=lambda led, now: {"seen": IndicatorLed.Seen.UNKNOWN},
)


@dataclass(frozen=True)
class Order:
    """One light to switch. On is what somebody wants who took the ticket; off follows by itself."""

    led: IndicatorLed
    on: bool
    site_id: int

    @property
    def machine_id(self) -> int:
        return self.led.machine_id


@dataclass(frozen=True)
class Outcome:
    """How it went; `error` is empty when the BMC took the order."""

    order: Order
    error: str
    contact: BmcResult | None = None


def refresh_wish(machine_id: int) -> None:
    """Want the light on while hands are on one of the machine's tickets, in the caller's transaction."""
    lit = Ticket.objects.filter(machine_id=machine_id, status__in=[s.value for s in HANDS_ON], led_wanted=True)
    wanted = "on" if lit.exists() else "off"
    led = IndicatorLed.objects.select_for_update().filter(machine_id=machine_id).first()
    if led is None and wanted == "off":
        return  # never lit by us: somebody else's light is left alone
    if led is not None and led.wanted == wanted:
        return
    IndicatorLed.objects.update_or_create(
        machine_id=machine_id,
        defaults={"wanted": wanted, "attempts": 0, "error": "", "next_try_at": timezone.now()},
    )
    _soon()


def _soon() -> None:
    after_commit("tickets.tasks.sync_indicator_leds")


def sync() -> int:
    """Switch every light that is due; returns how many BMCs took the order. Safe to run at any time, and twice."""
    switched, until = 0, time.monotonic() + ROUNDS_S
    while time.monotonic() < until and (orders := claim()):
        targets = {target.machine_id: target for target in bmc_targets([order.machine_id for order in orders])}
        orders = _not_stopped(orders)
        outcomes = asyncio.run(_switch_all(orders, targets))
        for outcome in outcomes:
            switched += _record(outcome)
    return switched


def _not_stopped(orders: Sequence[Order]) -> list[Order]:
    """Those that may be given now. One that is stopped waits, without an attempt more, and says why.

    A light goes on by the act of a person, which the kill switch leaves alone; in a paused instance nobody writes.
    """
    asked = {(order.site_id, order.on) for order in orders}
    stopped = {(site_id, on): kill_switch.why_stopped(site_id, by_person=on) for site_id, on in asked}
    free = []
    for order in orders:
        why = stopped[order.site_id, order.on]
        if not why:
            free.append(order)
            continue
        WORK.put_back(order.led, why, after_s=STOPPED_S, uncounted=True)
    return free


def claim(limit: int = AT_ONCE) -> list[Order]:
    """Take the lights that are due, and write down that they are about to be switched."""
    leds = WORK.claim(IndicatorLed.objects.select_related("machine__device"), limit=limit)
    return [Order(led, led.wanted == "on", led.machine.device.site_id) for led in leds]


async def _switch_all(orders: Sequence[Order], targets: Mapping[int, BmcTarget]) -> list[Outcome]:
    return list(await asyncio.gather(*(_switch(order, targets.get(order.machine_id)) for order in orders)))


async def _switch(order: Order, target: BmcTarget | None) -> Outcome:
    """Tell one BMC; never raises."""
    if target is None or not target.address:
        return Outcome(order, NO_ADDRESS)
    client = target.client(REQUEST_TIMEOUT_S)
    try:
        async with asyncio.timeout(MACHINE_TIMEOUT_S), client:
            await client.set_indicator(order.on)
    except (RedfishError, TimeoutError) as error:
        return Outcome(order, str(error) or "no answer in time", failed(target, client, error))
    return Outcome(order, "", BmcResult(target, fingerprint=client.fingerprint))


def _record(outcome: Outcome) -> bool:
    """Write down how it went, while the order is ours. A wish that changed meanwhile is still due then."""
    if outcome.contact is not None:
        record_bmc_identities([outcome.contact], actor="indicator light")
    order = outcome.order
    with suppress(LostLease), transaction.atomic():
        lock_machine(order.machine_id)
        tickets = list(
            Ticket.objects.select_for_update(of=("self",))
            .filter(machine_id=order.machine_id, status__in=[s.value for s in HANDS_ON])
            .select_related("device", "cable", "assignee")
            .order_by("pk")
        )
        led = WORK.hold_on(order.led)
        if outcome.error:
            still_wanted = (led.wanted == "on") == order.on
            WORK.put_back(led, outcome.error, after_s=None if still_wanted else 0)
            log.warning("indicator_led_not_switched", machine=order.machine_id, on=order.on, error=outcome.error)
        else:
            WORK.finish(led, seen="on" if order.on else "off", attempts=0, error="", changed_at=timezone.now())
        for ticket in tickets:
            announce(ticket, "indicator light")
        return not outcome.error
    return False
