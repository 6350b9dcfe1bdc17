"""Machines that were drained because nothing answered, and that answer again: nobody has to press a button for those.

No hand repairs a network that came back or a machine that finished booting, so no technician would ask for the look
that proves it. A verification is asked for instead, which clears the faults, or adds its findings to their evidence.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max, Q
from django.utils import timezone

from core.work.alone import alone
from health.machines.calls import AUTOMATION
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.monitoring.merge import WORDS
from health.monitoring.models.faults import Fault, Verification
from health.monitoring.models.verdicts import Sample
from health.monitoring.samples import codes
from health.monitoring.services.sweeps.stored import read_layouts
from health.monitoring.services.verifications import OPEN, request_verification

# What only says that nothing answered; everything else in a drained machine waits for whoever repairs it.
REACHABILITY = ("machine.unreachable", "bmc.unreachable")
LOOKS = 2
# A machine that comes and goes is left to a person after so many tries within a day.
MOST_TRIES = 3
TRIES_WITHIN = timedelta(days=1)


def verify_what_answers_again() -> int:
    """Ask for a verification of drained machines whose lost connection was seen to work on two looks in a row.

    Returns how many. One query while there is nothing to do; safe to run at any time and twice.
    """
    lost = Fault.objects.filter(
        fault_class__in=REACHABILITY,
        status=Fault.Status.CONFIRMED,
        led_by=None,
        machine__health__state=State.DRAINED.value,
        machine__health__reachability=MachineHealth.Reachability.REACHABLE,
    ).order_by("machine_id", "pk")
    by_machine: dict[int, list[Fault]] = {}
    for fault in lost:
        by_machine.setdefault(fault.machine_id, []).append(fault)
    asked = 0
    for machine_id, faults in by_machine.items():
        with alone("answer_not_verified", machine=machine_id):
            asked += _verify(machine_id, faults)
    return asked


def _verify(machine_id: int, faults: list[Fault]) -> bool:
    since = _not_before(machine_id, faults)
    good = [fault.pk for fault in faults if since is not None and _passes(fault, since)]
    if good:
        request_verification(machine_id, fault_ids=good, owner=AUTOMATION, actor=AUTOMATION)
    return bool(good)


def _not_before(machine_id: int, faults: list[Fault]) -> datetime | None:
    """From when on looks count: since the faults were confirmed and last verified. None: not now."""
    now = timezone.now()
    before = Verification.objects.filter(machine_id=machine_id).aggregate(
        running=Max("pk", filter=Q(status__in=OPEN)), finished=Max("finished_at")
    )
    tries = Verification.objects.filter(machine_id=machine_id, owner=AUTOMATION, requested_at__gt=now - TRIES_WITHIN)
    if before["running"] is not None or tries.count() >= MOST_TRIES:
        return None
    moments = [fault.confirmed_at for fault in faults] + [before["finished"]]
    return max((at for at in moments if at is not None), default=now)


def _passes(fault: Fault, since: datetime) -> bool:
    """Whether the last looks, all newer than `since`, saw every check of the fault pass; unknown is not a pass."""
    looks = Sample.objects.filter(machine_id=fault.machine_id, at__gt=since).order_by("-at")
    newest = list(looks.values_list("layout_id", "verdicts")[:LOOKS])
    layouts = read_layouts({layout for layout, _ in newest})
    for layout, packed in newest:
        places = layouts[layout]
        words = {key: WORDS[code] for key, code in zip(places, codes(bytes(packed), len(places)), strict=False)}
        if any(words.get((check, fault.slot), "unknown") in ("fail", "unknown") for check in fault.checks):
            return False
    return len(newest) == LOOKS
