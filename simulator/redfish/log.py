"""Entries of a BMC's two logs: the system event log (SEL) and the everyday log, in Dell's words and numbers."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from simulator.state import Machine

_ROUTINE = (
    ("USR0030", "Successfully logged in using {user}, from 10.0.0.12 and REDFISH.", "Audit"),
    ("USR0032", "The session for {user} from 10.0.0.12 using REDFISH is logged off.", "Audit"),
    ("LOG203", "The SSD wear level is within limits.", "Storage"),
    ("SYS1003", "System CPU Resetting.", "Audit"),
    ("RAC0717", "A system time update was received from the time server.", "Configuration"),
)


def timestamp(epoch: float) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%S+00:00")


def entry(message_id: str, severity: str, message: str, now: float, fqdd: str = "") -> dict[str, str]:
    return {"id": message_id, "severity": severity, "message": message, "created": timestamp(now), "fqdd": fqdd}


def log_both(machine: Machine, now: float, message_id: str, severity: str, message: str, fqdd: str = "") -> None:
    row = entry(message_id, severity, message, now, fqdd)
    machine.state.sel.append(row)
    machine.state.lifecycle_log.append(row)
    machine.touch()


def log_psu(machine: Machine, slot: str, now: float, *, lost: bool) -> None:
    """The entries of a power supply that lost its input, or has it again."""
    number = slot.split(" ")[1]
    fqdd = f"PSU.Slot.{number}"
    if lost:
        log_both(machine, now, "PSU0003", "Critical", f"The power input for power supply {number} is lost.", fqdd)
        log_both(machine, now, "RDU0012", "Critical", "Power supply redundancy is lost.", "iDRAC.Embedded.1")
    else:
        log_both(machine, now, "PSU0017", "OK", f"Power supply {number} is operating normally.", fqdd)
        log_both(machine, now, "RDU0011", "OK", "The power supplies are redundant.", "iDRAC.Embedded.1")


def log_power(machine: Machine, now: float, *, on: bool) -> None:
    message_id, message = ("SYS1000", "System is turning on.") if on else ("SYS1001", "System is turning off.")
    machine.state.lifecycle_log.append(entry(message_id, "OK", message, now, "System.Chassis.1"))
    machine.touch()


def routine_entries(machine: Machine, count: int = 130) -> list[dict[str, str]]:
    """The everyday lifecycle entries of the weeks before: more than one page of them."""
    rng = random.Random(machine.plan.serial)
    start = 1_700_000_000 + machine.plan.seed % 1_000_000
    return [
        entry(message_id, "OK", message.format(user="root"), start + 3600 * n, "iDRAC.Embedded.1")
        for n, (message_id, message, _category) in enumerate(rng.choices(_ROUTINE, k=count))
    ]
