"""What to do with a machine as MAAS has it, at each step of a run and because of its state here. Pure; see
`provisioning.deployers.decisions`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from uuid import UUID

from drivers.maas.shapes import Machine
from drivers.maas.states import Means, Status
from provisioning.deployers.decisions import (
    Decision,
    Due,
    Kind,
    Lost,
    Memory,
    Order,
    Reached,
    Remember,
    Verdict,
    Wait,
    contradiction,
    still_wanted,
)
from provisioning.steps import FailureClass


class Operation(StrEnum):
    COMMISSION = "commission"
    ALLOCATE = "allocate"
    DEPLOY = "deploy"
    RELEASE = "release"
    MARK_FIXED = "mark_fixed"
    EXIT_RESCUE = "exit_rescue_mode"


_O = Operation
_TO_BARE: Mapping[Means, Operation] = {
    Means.BROKEN: _O.MARK_FIXED,
    Means.HELD: _O.RELEASE,
    Means.RUNS: _O.RELEASE,
    Means.SPENT: _O.RELEASE,
    Means.RESCUE: _O.EXIT_RESCUE,
}
"""What brings a machine nearer to where it can be commissioned: a run installs it anew, whatever it was."""


def _stands_still(machine: Machine) -> Wait | Lost | None:
    """What no order of ours changes."""
    if machine.means is Means.GONE:
        return Lost(FailureClass.RECORD_LOST, f"MAAS has it as {machine.said}")
    if machine.means is Means.UNKNOWN:
        return Wait(f"MAAS is in a state that is not known here: {machine.said}")
    if machine.means is Means.WORKING:
        return Wait(f"MAAS: {machine.said}", works=True)
    return Wait("it is locked in MAAS: unlock it there") if machine.locked else None


def commission(machine: Machine, memory: Memory) -> Decision:
    """The next thing on the way to a machine that was commissioned since this step began (`memory["before"]`)."""
    if "before" not in memory:
        return Remember({"before": machine.commissioned})
    still = _stands_still(machine)
    if still is not None:
        return still
    if operation := _TO_BARE.get(machine.means):
        return Order(operation)
    if machine.commissioned == memory["before"]:
        return Order(_O.COMMISSION)
    if machine.means is Means.FREE:
        return Reached(f"commissioned as {machine.hostname} ({machine.system_id})")
    failure = FailureClass.COMMISSION_FAILED
    return Lost(failure, machine.said, asks=machine.status == Status.FAILED_COMMISSIONING)


def deploy(machine: Machine, memory: Memory) -> Decision:
    """The next thing on the way to a machine that this run deployed."""
    ordered = bool(memory.get("ordered"))
    still = _stands_still(machine)
    if still is not None:
        return still
    match machine.means:
        case Means.FREE:
            return Order(_O.ALLOCATE)
        case Means.HELD if machine.status != Status.ALLOCATED:
            return Lost(FailureClass.RECORD_LOST, f"MAAS has it as {machine.said}, and this run did not order that")
        case Means.HELD:
            return Order(_O.DEPLOY) if ordered else Remember({"ordered": True})
        case Means.RUNS if ordered:
            return Reached("MAAS has deployed it")
        case Means.RUNS:
            return Lost(FailureClass.RECORD_LOST, "MAAS has it as Deployed, and this run did not order that")
    return Lost(FailureClass.INSTALL_FAILED, f"MAAS: {machine.said}")


def difference(machine: Machine, *, serial: str, uuid: UUID | None) -> str:
    """How MAAS's record contradicts the inventory. Before it was commissioned it knows neither serial nor UUID."""
    return contradiction("MAAS", machine.serial, machine.hardware_uuid, serial=serial, uuid=uuid)


# ---- outside of runs ----


def due(kind: Kind, state: str, means: Means, *, also_in_use: bool) -> Due:
    """Whether it is still right to write this, and the reason where it is not.

    MAAS releases a machine that it marks broken: one that somebody has there loses what runs on it, so that needs the
    site's word (`also_in_use`). Source: MAAS's `mark_broken`.
    """
    if not still_wanted(kind, state):
        return Verdict.NEEDLESS, f"the machine is {state} now"
    if means is Means.WORKING:
        return Verdict.LATER, "MAAS is at it"
    if kind is Kind.MARK_BROKEN:
        if means is Means.BROKEN:
            return Verdict.NEEDLESS, "MAAS has it as broken already"
        if means in (Means.RUNS, Means.HELD) and not also_in_use:
            return Verdict.HELD_BACK, "it is in use in MAAS, which would release it"
        return Verdict.SEND, ""
    if kind is Kind.MARK_FIXED:
        return (Verdict.SEND, "") if means is Means.BROKEN else (Verdict.NEEDLESS, "MAAS has it as not broken already")
    if means in (Means.RUNS, Means.HELD, Means.SPENT):
        return Verdict.SEND, ""
    return Verdict.NEEDLESS, "it is not allocated in MAAS"
