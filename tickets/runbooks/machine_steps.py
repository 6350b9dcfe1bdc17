"""Steps that the machine runs itself, as durable work: ordered once, looked at until it was seen, then ticked.

A person pressed each of them. The kill switch leaves a person's acts alone, a paused instance sends nothing, and what
stands against switching a machine is asked again right before the order is sent. An order is written down before it is
given: a worker that is lost leaves the order and its time, and the next one looks before it orders.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.bmc import BmcResult, failed, known_by
from access.queries import BmcTarget, bmc_targets
from access.services import record_bmc_identities
from core.work.kinds import Lease, LostLease, Work
from core.work.rules import Backoff
from drivers.redfish import RedfishClient, RedfishError
from health.machines.lifecycle import LifecycleEvent, State, allowed
from health.machines.services import kill_switch
from health.machines.services.changes import changing as changing_machine
from health.models import MachineHealth
from tickets.models import IndicatorLed, Step
from tickets.runbooks.actions import hands_in, refusal
from tickets.runbooks.models import OPEN_RUN_STATES, StepRun
from tickets.runbooks.power import GIVE_UP_S, Next, Shown, decide, input_watts
from tickets.services.changes import changing
from tickets.services.leds import refresh_wish
from tickets.services.news import lock_machine
from tickets.workflow import Status

log = structlog.get_logger(__name__)

ACTOR = "runbook"
AT_ONCE = 16
REQUEST_TIMEOUT_S = 8.0
MACHINE_TIMEOUT_S = 40.0
LOOK_AGAIN_S = 3.0
DRAIN_AGAIN_S = 15.0
POWER = {"power_off": "off", "power_on": "on"}

WORK = Work(
    name="step that a machine runs",
    model=StepRun,
    open=Q(state__in=OPEN_RUN_STATES),
    hold=Lease(60),
    due="next_try_at",
    attempts="attempts",
    retry=Backoff(5, 60),
    reason="text",
)


@dataclass(frozen=True)
class Look:
    """What a BMC showed, or why it showed nothing."""

    shown: Shown | None = None
    error: str = ""


def sync() -> int:
    """Move every step that is due on by one look; how many were looked at. Safe to run at any time, and twice."""
    rows = WORK.claim(StepRun.objects.select_related("step__ticket__device__model", "asked_by"), limit=AT_ONCE)
    power = [row for row in rows if row.runs in POWER]
    targets = {target.machine_id: target for target in bmc_targets([_machine(row) for row in power])}
    looks = asyncio.run(_look_at_all(power, targets)) if power else []
    for row, look in zip(power, looks, strict=True):
        _advance_power(row, look, targets.get(_machine(row)))
    for row in rows:
        if row.runs == "drain":
            _advance_drain(row)
        elif row.runs == "led_on":
            _advance_led(row)
    return len(rows)


def _machine(row: StepRun) -> int:
    machine_id = row.step.ticket.machine_id
    assert machine_id is not None  # only machines run steps
    return machine_id


# ---- power ----


async def _look_at_all(rows: Sequence[StepRun], targets: Mapping[int, BmcTarget]) -> list[Look]:
    return list(await asyncio.gather(*(_look(row, targets.get(_machine(row))) for row in rows)))


async def _look(row: StepRun, target: BmcTarget | None) -> Look:
    """Never raises."""
    if target is None or not target.address:
        return Look(error="no BMC address is known")
    client = target.client(REQUEST_TIMEOUT_S)
    try:
        async with asyncio.timeout(MACHINE_TIMEOUT_S), client:
            state = await client.power_state()
            watts = await _watts(client) if row.runs == "power_off" and state == "off" else None
    except (RedfishError, TimeoutError) as error:
        return Look(error=str(error) or "the BMC does not answer in time")
    return Look(Shown(state, watts))


async def _watts(client: RedfishClient) -> float | None:
    answers = await client.report()
    return input_watts(answers.power, answers.power_subsystem)


def _advance_power(row: StepRun, look: Look, target: BmcTarget | None) -> None:
    now = timezone.now()
    wanted = POWER[row.runs]
    if look.shown is None:
        too_long = (now - row.asked_at).total_seconds() >= GIVE_UP_S
        if too_long:
            _end(row, "failed", f"The BMC does not show whether it is {wanted}: {look.error}")
        else:
            WORK.put_back(row, look.error)
        return
    since = row.ordered_at or row.asked_at
    model_w = row.step.ticket.device.model.power_w if row.step.ticket.device else None
    age_s = (now - since).total_seconds()
    step = decide(wanted, look.shown, ordered=row.ordered, age_s=age_s, rated_w=model_w)
    if step.seen or step.failed:
        _end(row, "seen" if step.seen else "failed", step.text)
    elif step.order:
        _order(row, step, now, target)
    else:
        WORK.put_back(row, step.text, after_s=LOOK_AGAIN_S, uncounted=True)


def _order(row: StepRun, step: Next, now: datetime, target: BmcTarget | None) -> None:
    """Write the order down, then give it."""
    ticket = row.step.ticket
    why = kill_switch.why_stopped(ticket.site_id, by_person=True)
    if why:
        WORK.put_back(row, why, after_s=DRAIN_AGAIN_S, uncounted=True)
        return
    why = refusal(_machine(row)) or _not_worked_on(row) or (hands_in(row.step) if row.runs == "power_on" else "")
    if why:
        _end(row, "failed", f"Not sent. {why}")
        return
    if not WORK.renew(row, state="asked", ordered=step.order, ordered_at=now, text=step.text) or target is None:
        return
    error, met = asyncio.run(_send(target, step.order))
    record_bmc_identities([met], actor=ACTOR)
    WORK.put_back(row, error or step.text, after_s=LOOK_AGAIN_S, uncounted=not error)
    _announce(row)


def _not_worked_on(row: StepRun) -> str:
    status = Step.objects.filter(pk=row.step_id).values_list("ticket__status", flat=True).first()
    return "" if status == Status.IN_WORK else "Nobody works on the ticket any more."


async def _send(target: BmcTarget, order: str) -> tuple[str, BmcResult]:
    """Why the BMC did not take the order, empty when it took it; and what was met. Never raises."""
    client = target.client(REQUEST_TIMEOUT_S)
    try:
        async with asyncio.timeout(MACHINE_TIMEOUT_S), client:
            await client.power(order)
    except RedfishError as error:
        return str(error), failed(target, client, error)
    except TimeoutError:
        return "the BMC took too long", BmcResult(target, fingerprint=known_by(client))
    return "", BmcResult(target, fingerprint=known_by(client))


# ---- drain and light ----


def _advance_drain(row: StepRun) -> None:
    machine_id = _machine(row)
    by = row.asked_by.get_username()
    key = row.step.ticket.key
    state, allocation = MachineHealth.objects.filter(pk=machine_id).values_list("state", "allocation").get()
    if state == State.READY:
        if row.state == "asked":  # once is enough: who put it back is not argued with
            _end(row, "failed", "It was put back into service.")
            return
        if why := _not_worked_on(row):
            _end(row, "failed", f"Not drained. {why}")
            return
        with changing_machine(machine_id, actor=by) as change:
            change.take_out(reason=f"{key}: the repair needs it out", evidence={"ticket": key})
            state = change.health.state
    if state in (State.READY, State.DRAINING) or allocation == MachineHealth.Allocation.ALLOCATED:
        WORK.put_back(row, "Draining: its jobs end first.", after_s=DRAIN_AGAIN_S, uncounted=True, state="asked")
        return
    if not _not_worked_on(row):
        _take_along(machine_id, key, by)
    _end(row, "seen", "Out of service, no job runs on it.")


def _take_along(machine_id: int, key: str, by: str) -> None:
    """Into repair, as taking the ticket does with a machine that is out of service already."""
    with changing_machine(machine_id, actor=by) as change:
        if allowed(change.health.state, LifecycleEvent.START_REPAIR):
            change.move(LifecycleEvent.START_REPAIR, reason=f"{key} is worked on", evidence={"ticket": key})


def _advance_led(row: StepRun) -> None:
    machine_id = _machine(row)
    seen = IndicatorLed.objects.filter(pk=machine_id).values_list("seen", "error").first()
    if seen is not None and seen[0] == "on":
        _end(row, "seen", "Its locating LED was switched on.")
    elif row.state == "queued":
        with transaction.atomic():
            lock_machine(machine_id)
            ticket = row.step.ticket
            type(ticket).objects.filter(pk=ticket.pk).update(led_wanted=True)
            refresh_wish(machine_id)
        WORK.put_back(row, "Asked for its light.", after_s=LOOK_AGAIN_S, uncounted=True, state="asked")
    elif (timezone.now() - row.asked_at).total_seconds() >= GIVE_UP_S:
        _end(row, "failed", (seen[1] if seen else "") or "The BMC did not switch the light.")
    else:
        WORK.put_back(row, (seen[1] if seen else "") or row.text, after_s=LOOK_AGAIN_S, uncounted=True)


# ---- the end ----


def _end(row: StepRun, state: str, text: str) -> None:
    """Say at the ticket how it ended, and tick the step that was seen while somebody works on it."""
    now = timezone.now()
    with suppress(LostLease), changing(row.step.ticket.number, room=ACTOR) as change:
        WORK.hold_on(row)
        WORK.finish(row, state=state, text=text[:300], ended_at=now)
        step = Step.objects.get(pk=row.step_id)
        change.note(f"Step {step.number}: {text}", step=step.number, runs=row.runs, state=state)
        if state == "seen" and step.done_at is None and change.ticket.status == Status.IN_WORK:
            step.done_at, step.done_by = now, row.asked_by.display_name()[:150]
            step.save(update_fields=["done_at", "done_by"])
            change.bump = True
    log.info("step_run_ended", step=row.step_id, runs=row.runs, state=state)


def _announce(row: StepRun) -> None:
    """Progress that the ticket's page shows at once."""
    with changing(row.step.ticket.number, room=ACTOR):
        pass
