"""What is asked right before a run writes to a BMC or to a deployer (MAAS, Ironic): whether somebody wants it still,
the kill switch, and whether a restart would stop anything.

A machine that was never in service has nothing of ours: only what is known to run there keeps it. Any other must say
itself that nothing runs on it, as before a power cycle (`health.remediation.records.busy`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from django.db import connections
from django.utils import timezone

from health.machines.lifecycle import LifecycleEvent, State
from health.machines.remote import workload_of
from health.machines.services import kill_switch
from health.models import LifecycleChange
from health.remediation import records
from health.remediation.executors.power import power_of
from health.remediation.remedies import BY_NAME
from health.remediation.types import World
from health.schedulers.services.reach import facts_now
from provisioning.models import RunMachine
from provisioning.services import wanted
from provisioning.steps import StepName

RESTARTS = frozenset({StepName.POWER_ON, StepName.COMMISSION, StepName.INSPECT})
"""Steps that stop what runs on the machine."""
WRITES = RESTARTS | {
    StepName.BOOT_OVERRIDE, StepName.INSERT_MEDIA, StepName.EJECT_MEDIA, StepName.MAAS_RECORD, StepName.IRONIC_NODE,
    StepName.CLEAN, StepName.DEPLOY,
}  # fmt: skip
"""Steps that an engine carries out by writing to a BMC or to a deployer; the others only read."""

AT_ONCE = 16
"""Machines and schedulers that keep one question waiting must not hold back the looks at the others. Each question
holds a database connection of its own while it waits: two workers take 32 of the 100 that `./rackside` gives."""


@cache
def _threads(process: int) -> ThreadPoolExecutor:
    """The threads of a process. A pool that a fork inherits counts on threads that stayed in the parent."""
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix="asking")


async def why_waits(run_machine_id: int, step: StepName, *, may_stop: bool) -> str:
    """Why this look may not write now; empty when it may. `may_stop`: it may switch the machine off.

    Who is cancelled while a thread still asks gets no answer, and so writes nothing; the thread ends by its own limits.
    """
    if step not in WRITES:
        return ""
    return await in_thread(_refusal, run_machine_id, step, may_stop)


T = TypeVar("T")


async def in_thread(ask: Callable[..., T], *args: object) -> T:
    """What the database is asked for in the middle of a look."""
    return await asyncio.get_running_loop().run_in_executor(_threads(os.getpid()), _alone, ask, args)


def _alone(ask: Callable[..., T], args: tuple[object, ...]) -> T:
    try:
        return ask(*args)
    finally:
        connections.close_all()  # those of this thread


def _refusal(run_machine_id: int, step: StepName, may_stop: bool) -> str:
    row = RunMachine.objects.select_related("run").get(pk=run_machine_id)
    by, begun = row.run.created_by, row.run.created_at
    if why := wanted.why_unwanted(row.run):
        return why
    if step in RESTARTS and may_stop and (busy := _busy(row.machine_id, kill_switch.is_person(by))):
        return busy
    return kill_switch.why_run_stopped(row.run.site_id, by=by, begun_at=begun)


def _busy(machine_id: int, by_person: bool) -> str:
    machine, said = workload_of(machine_id), facts_now(machine_id)
    if _was_new(machine_id):
        jobs = f"{said.jobs} jobs run on it" if said.jobs else ""
        return jobs or machine.running or (machine.refuses if machine.logins else "")
    world = World(
        timezone.now(),
        heard=machine.heard,
        power="unknown" if machine.heard else power_of(machine_id),
        jobs=said.jobs,
        reservation_by_others=said.reservation_by_others,
        logins=machine.logins,
        drained=None if said.drained is None else True,  # it is `provisioning` here, and closed at the scheduler
        drain_is_ours=True,
        named=said.named,
        running=machine.running,
        unknown=said.reason if said.jobs is None else machine.unknown,
    )
    refusal = records.busy(BY_NAME["reimage"], world, by_person=by_person)
    return refusal.reason if refusal is not None else ""


def _was_new(machine_id: int) -> bool:
    """Whether the run took a machine that was never in service."""
    taken = LifecycleChange.objects.filter(
        machine_id=machine_id, transition__event=LifecycleEvent.PROVISION.value
    ).order_by("-id")
    return taken.values_list("transition__from_state", flat=True).first() == State.NEW.value
