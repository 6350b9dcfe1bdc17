"""Send what is wished of a scheduler: no transaction is open meanwhile, and what was wished since wins."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog
from django.db import transaction
from django.utils import timezone

from drivers.scheduler import Outcome, Scheduler, SchedulerError
from health.machines.lifecycle import LifecycleEvent, State
from health.machines.models.machines import MachineHealth
from health.machines.services import kill_switch
from health.machines.services.changes import changing
from health.schedulers.models import SchedulerSource, SchedulerWish
from health.schedulers.services import desired_state
from health.schedulers.services.reach import OFF, driver_of, keep_identities

log = structlog.get_logger(__name__)
STOPPED_S, UNDECLARED_S = 10, 60
"""When a wish is looked at again that the kill switch stops, or that nobody knows a scheduler for."""
Status, Want = SchedulerWish.Status, SchedulerWish.Want


@dataclass(frozen=True)
class Taken:
    """A wish to be sent now, as it was when it was taken, and what its scheduler calls the machine."""

    wish: SchedulerWish
    name: str


def send(machine_id: int) -> str:
    """Send the waiting wish of one machine; returns its status after that, empty when there was nothing to send.

    Safe to run twice: a drain that stands and a resume that was made are found as they are. While the kill switch is on
    only what a person wished is sent; the rest waits and says so.
    """
    source = _source(machine_id)
    if source is None:
        return _without_scheduler(machine_id)
    taken = _take(source, machine_id)
    if taken is None:
        return ""
    if not source.enabled:
        return _settle(taken, None, OFF)
    try:
        driver = driver_of(source)
        if stopped := kill_switch.why_stopped(source.site_id, by_person=kill_switch.is_person(taken.wish.by)):
            return _wait(taken, stopped)
        outcome = asyncio.run(_carry_out(driver, taken))
        keep_identities(source, driver)
    except (SchedulerError, ValueError) as error:
        log.warning("scheduler_did_not_take_wish", machine=taken.name, want=taken.wish.want, error=str(error))
        return _settle(taken, None, str(error))
    return _settle(taken, outcome, _WORDS.get((taken.wish.want, outcome), ""))


_WORDS = {
    (Want.DRAIN.value, Outcome.THEIRS): "somebody else drained it already",
    (Want.RESUME.value, Outcome.THEIRS): "not resumed: its drain is not ours, or was edited",
    (Want.RESUME.value, Outcome.SILENT): "not resumed yet: it is down, or does not answer the scheduler",
}


async def _carry_out(driver: Scheduler, taken: Taken) -> Outcome:
    if taken.wish.want == Want.DRAIN:
        return await driver.drain(taken.name, taken.wish.reason, ours=taken.wish.written)
    # A worker may have died between writing a new reason and recording it: either is ours.
    standing = (await driver.machine(taken.name)).reason
    return await driver.resume(taken.name, ours=standing if standing == taken.wish.reason else taken.wish.written)


def _source(machine_id: int) -> SchedulerSource | None:
    health = MachineHealth.objects.select_related("machine__device").filter(pk=machine_id).first()
    return desired_state.scheduler_of(health) if health is not None else None


def _take(source: SchedulerSource, machine_id: int) -> Taken | None:
    wish = desired_state.WORK.take(machine_id, SchedulerWish.objects.select_related("machine__device"))
    return None if wish is None else Taken(wish, desired_state.name_at(source, wish.machine.device.name))


@transaction.atomic
def _settle(taken: Taken, outcome: Outcome | None, message: str) -> str:
    """Record what became of it. Of a wish that changed meanwhile, or that another worker took over, only the reason
    that now stands there is kept."""
    wish = SchedulerWish.objects.select_for_update().filter(pk=taken.wish.pk).first()
    if wish is None:
        return ""
    if taken.wish.want == Want.DRAIN and outcome in (Outcome.DONE, Outcome.ALREADY):
        wish.written = taken.wish.reason
        wish.save(update_fields=["written"])
    if (wish.version, wish.next_try_at) != (taken.wish.version, taken.wish.next_try_at):
        return str(wish.status)
    if outcome is None or outcome is Outcome.SILENT:
        desired_state.WORK.put_back(wish, message)
        return str(wish.status)
    status = Status.THEIRS if outcome is Outcome.THEIRS else Status.DONE
    desired_state.WORK.finish(wish, status=status, error=message, done_at=timezone.now())
    return str(wish.status)


def _wait(taken: Taken, why: str) -> str:
    """A wish that was not sent stays as it was, without a try more, and says what it waits for."""
    desired_state.WORK.put_back(taken.wish, why, after_s=STOPPED_S, uncounted=True)
    status = SchedulerWish.objects.filter(pk=taken.wish.pk).values_list("status", flat=True).first()
    return str(status or "")


def _without_scheduler(machine_id: int) -> str:
    """No scheduler is known for the machine. Where a person declared that there is none, its drain is complete; else
    the wish waits for a scheduler, or for that word."""
    if not SchedulerWish.objects.filter(pk=machine_id).exists():
        return ""
    with changing(machine_id, actor="scheduler") as change:
        wish = SchedulerWish.objects.select_for_update().filter(pk=machine_id).first()
        if wish is None or desired_state.is_scheduled(change.health):
            return ""
        if desired_state.has_none(change.health) or change.health.state == State.READY:
            follow = dict(wish.follow)
            wish.delete()
            if change.health.state == State.DRAINING:
                change.move(LifecycleEvent.DRAINED, reason="no scheduler gives work to it")
                change.follow_drain(follow)
            return ""
        desired_state.WORK.put_back(wish, desired_state.NOBODY_SAYS, after_s=UNDECLARED_S)
        return str(wish.status)
