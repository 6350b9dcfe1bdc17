"""Remedies that people start by hand: what may be started now, on what, and the record that carries it out.

The record, the last look before sending, the verification and what follows are those of automation; what binds a
person is decided in `health.remediation.by_hand`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import changing
from health.machines.services.limits import automation_of, limits_of
from health.machines.specs import usable
from health.monitoring.models.faults import Fault
from health.remediation import by_hand as rules
from health.remediation.executors import executor
from health.remediation.models import RemediationAction
from health.remediation.services import incidents, plans, views
from health.remediation.services.incidents import for_a_person
from health.remediation.types import Refusal, Remedy

BY_NAME = {remedy.name: remedy for remedy in rules.REMEDIES_BY_HAND}


class NotNow(Exception):
    """A guard says no."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class UnknownPart(ValueError):
    """The remedy must be told what to do it to, or cannot be done to that; the message says what there is."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A remedy on a machine now. `parts`: what it can be done to, none: the machine itself. `suggested`: those that its
    faults point to, taken when nothing is named.
    """

    remedy: Remedy
    refusal: Refusal | None
    parts: tuple[str, ...]
    suggested: tuple[str, ...]


def offers(health: MachineHealth) -> list[Offer]:
    """Every remedy that there is for people, and what stands in its way. A fixed number of queries."""
    machine = views.machine_views([health.machine_id], timezone.now())[health.machine_id]
    faults = views.leading_faults(machine_id=health.machine_id)
    found = []
    for remedy in rules.REMEDIES_BY_HAND:
        parts, suggested = _parts(remedy.name, health, faults)
        found.append(Offer(remedy, rules.refusal(machine, remedy), tuple(parts), tuple(suggested)))
    return found


def _parts(
    remedy: str, health: MachineHealth, faults: list[Fault]
) -> tuple[dict[str, dict[str, Any]], dict[str, Fault]]:
    """What the remedy can be done to here, by name with its parameters; and those that faults point to."""
    hand = executor(remedy)
    spec = usable(health.machine.device.model.spec)
    known = hand.parts(spec) if hand is not None and spec is not None else {}
    parts = {name: dict(params) for name, params in known.items()}
    suggested: dict[str, Fault] = {}
    for fault in faults:
        target = plans.target_of(remedy, health, fault)
        if not target:
            continue
        name = next((name for name, params in parts.items() if params == target), " ".join(map(str, target.values())))
        parts.setdefault(name, target)
        suggested.setdefault(name, fault)
    return parts, suggested


def start(machine_id: int, remedy_name: str, *, part: str = "", reason: str, by: str) -> RemediationAction:
    """Write down that a person wants this remedy now, and queue the worker that carries it out.

    Raises NotNow, UnknownPart, or MachineHealth.DoesNotExist.
    """
    remedy = BY_NAME[remedy_name]
    with changing(machine_id, actor=by) as change:
        limits = limits_of(automation_of(change.site_id, lock=True))
        now = timezone.now()
        machine = views.machine_views([machine_id], now)[machine_id]
        if refusal := rules.refusal(machine, remedy):
            raise NotNow(refusal)
        about = f"{remedy.title}: {reason}"
        incident = for_a_person(change, about)
        fault, params = _aim(remedy.name, change.health, incident.pk, part)
        if change.health.state == State.TRIAGE:  # people have it: automation does not take it up from there
            incidents.call_person(change, incident, f"{by} took it in hand")
        proposal = rules.proposal(machine, remedy, incident.pk, about)
        return plans.record(change, proposal, limits, now, fault=fault, params=params, by=by)


def _aim(remedy: str, health: MachineHealth, incident_id: int, part: str) -> tuple[Fault | None, dict[str, Any]]:
    """The fault that it is about, if there is one, and what it is to be done to; several joined by commas."""
    faults = views.leading_faults(machine_id=health.machine_id, incident_id=incident_id)
    parts, suggested = _parts(remedy, health, faults)
    if part and part not in parts:
        raise UnknownPart(f"It can be done to {', '.join(parts)}." if parts else "It is done to the machine itself.")
    names = [part] if part else list(suggested)
    if parts and not names:
        raise UnknownPart(f"Say what to do it to: {', '.join(parts)}.")
    aimed = next((suggested[name] for name in names if name in suggested), None)
    params: dict[str, list[str]] = {}
    for name in names:
        for what, value in parts[name].items():
            params.setdefault(what, []).append(str(value))
    return aimed or next(iter(faults), None), {what: ",".join(values) for what, values in params.items()}
