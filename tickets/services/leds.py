"""The locating light of the machines somebody works on.

The wish follows the tickets in their own transaction; a task carries it to the BMC. A BMC that does not answer is tried
again, later and later, and never keeps anybody from working.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from access.bmc import BmcResult
from access.queries import BmcTarget, bmc_targets
from access.services import record_bmc_identities
from core.work.queue import after_commit
from drivers.redfish import CertificateChanged, RedfishError
from health.machines.services import kill_switch
from tickets.models import IndicatorLed, Ticket
from tickets.services.news import announce, lock_machine
from tickets.workflow import HANDS_ON

log = structlog.get_logger(__name__)

AT_ONCE = 32
REQUEST_TIMEOUT_S = 5.0
MACHINE_TIMEOUT_S = 20.0
LEASE = timedelta(seconds=40)
FIRST_RETRY_S = 15
LONGEST_RETRY_S = 600
ROUNDS_S = 25.0  # no new round after this: a task has its own time limit
NO_ADDRESS = "no BMC address is known"


@dataclass(frozen=True)
class Order:
    """One light to switch. On is what somebody wants who took the ticket; off follows by itself."""

    machine_id: int
    on: bool
    site_id: int


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
        later = timezone.now() + timedelta(seconds=FIRST_RETRY_S)
        rows = IndicatorLed.objects.filter(machine_id=order.machine_id, attempts__gt=0)
        rows.update(lease_until=None, next_try_at=later, error=why[:300], attempts=F("attempts") - 1)
    return free


def claim(limit: int = AT_ONCE) -> list[Order]:
    """Take the lights that are due, and write down that they are about to be switched."""
    now = timezone.now()
    with transaction.atomic():
        due = (
            IndicatorLed.objects.select_for_update(of=("self",), skip_locked=True)
            .select_related("machine__device")
            .filter(~Q(wanted=F("seen")), Q(lease_until=None) | Q(lease_until__lt=now), next_try_at__lte=now)
            .order_by("next_try_at")[:limit]
        )
        leds = list(due)
        for led in leds:
            led.seen, led.lease_until, led.attempts = IndicatorLed.Seen.UNKNOWN, now + LEASE, led.attempts + 1
        IndicatorLed.objects.bulk_update(leds, ["seen", "lease_until", "attempts"])
    return [Order(led.machine_id, led.wanted == "on", led.machine.device.site_id) for led in leds]


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
    except CertificateChanged as error:
        return Outcome(order, str(error), BmcResult(target, changed_to=error.presented))
    except (RedfishError, TimeoutError) as error:
        return Outcome(order, str(error) or "no answer in time")
    return Outcome(order, "", BmcResult(target, fingerprint=client.fingerprint))


def _record(outcome: Outcome) -> bool:
    """Write down how it went. A wish that changed meanwhile is still due then."""
    if outcome.contact is not None:
        record_bmc_identities([outcome.contact], actor="indicator light")
    order, now = outcome.order, timezone.now()
    with transaction.atomic():
        lock_machine(order.machine_id)
        tickets = list(
            Ticket.objects.select_for_update(of=("self",))
            .filter(machine_id=order.machine_id, status__in=[s.value for s in HANDS_ON])
            .select_related("device", "cable", "assignee")
            .order_by("pk")
        )
        led = IndicatorLed.objects.select_for_update().get(pk=order.machine_id)
        led.lease_until = None
        led.error = outcome.error[:300]
        if outcome.error:
            still_wanted = (led.wanted == "on") == order.on
            wait_s = min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** min(led.attempts - 1, 10))
            led.next_try_at = now + timedelta(seconds=wait_s if still_wanted else 0)
            log.warning("indicator_led_not_switched", machine=order.machine_id, on=order.on, error=outcome.error)
        else:
            led.seen, led.attempts = ("on" if order.on else "off"), 0
            led.changed_at = now
        led.save()
        for ticket in tickets:
            announce(ticket, "indicator light")
    return not outcome.error
