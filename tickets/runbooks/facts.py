"""What is so now about the machine of a ticket: the words and states that the texts of its runbook use."""

from __future__ import annotations

from collections.abc import Iterable

from health.checks.faults import FAULT_CLASSES
from health.machines.lifecycle import State
from health.models import MachineHealth
from inventory.power.queries import Cord
from tickets.runbooks.models import StepRun

NO_ADVICE = "Check it against what this ticket shows; ask whoever reported it what mends it."


def words(
    *, machine: str, part: str, fault_class: str, place: str = "", serial: str = "", part_number: str = "",
    cords: Iterable[Cord] = (),
) -> dict[str, str]:  # fmt: skip
    known = FAULT_CLASSES.get(fault_class)
    return {
        "machine": machine,
        "part": part or machine,
        "place": place,
        "serial": serial,
        "part_number": part_number,
        "advice": known.advice if known else NO_ADVICE,
        "feeds": "; ".join(map(str, cords)),
    }


def states(
    health: MachineHealth | None, runs: Iterable[StepRun], *, led: str, fault_class: str, serial: str
) -> dict[str, bool | None]:
    """Pure of what was read. A machine without a record is neither in nor out of service."""
    known = FAULT_CLASSES.get(fault_class)
    found: dict[str, bool | None] = {
        "hot": known is not None and known.hot,
        "led_on": {"on": True, "off": False}.get(led),
        "serial_known": bool(serial),
    }
    if health is None:
        return found
    in_service = health.state in (State.READY, State.DRAINING)
    found["in_service"] = in_service
    found["drained"] = not in_service and health.allocation != MachineHealth.Allocation.ALLOCATED
    off = is_off(health, runs)
    return found | {"off": off, "on": None if off is None else not off}


def is_off(health: MachineHealth, runs: Iterable[StepRun]) -> bool | None:
    """Whether the machine is off, by the last that was seen: by a step of this ticket, or by a sweep after it."""
    power = [run for run in runs if run.runs in ("power_off", "power_on")]
    last = max(power, key=lambda run: (run.asked_at, run.pk), default=None)
    if last is None:
        return {"off": True, "on": False}.get(health.power)
    if last.state != "seen" or last.ended_at is None:
        return None  # it is being switched, or was not seen to be
    seen_since = health.last_seen_at is not None and health.last_seen_at > last.ended_at
    if last.runs == "power_off":
        return None if seen_since else True
    return False
