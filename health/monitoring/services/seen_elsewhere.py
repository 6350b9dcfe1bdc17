"""Findings that no sweep made (active checks, training runs), entered like those of any look at the machine.

What sweeps say of the machine stays as it is. Silences, audit mode and states in which hands are on it count as for any
look.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from health.checks import CHECKS_VERSION, Finding
from health.machines.services.changes import changing
from health.monitoring.services import fault_changes
from health.monitoring.services.sweeps import observation
from health.monitoring.services.sweeps.clean_text import clean_finding
from health.monitoring.services.sweeps.stored import Observation, load
from inventory.specs.device_model import DeviceModelError


def subject_of(machine_id: int) -> observation.Subject:
    """Raises DeviceModelError when the machine's model cannot be used."""
    found, unusable = observation.prepared([machine_id])
    if unusable:
        raise DeviceModelError(unusable[0].reason)
    return found[0]


def observation_of(machine_id: int, findings: Sequence[Finding]) -> Observation:
    """Raises DeviceModelError when the machine's model cannot be used."""
    subject = subject_of(machine_id)
    return Observation(
        machine_id=machine_id,
        at=timezone.now(),
        heard=True,
        boot_id="",
        findings=tuple(clean_finding(each) for each in findings),
        layout=(),
        model=subject.spec.model,
        checks_version=CHECKS_VERSION,
        slots=frozenset(slot.name for slot in subject.spec.slots),
        policy=subject.policy,
    )


def enter(machine_id: int, findings: Sequence[Finding], *, actor: str) -> None:
    """Open, join, confirm and announce the faults that these findings show. Raises DeviceModelError, as above."""
    enter_look(observation_of(machine_id, findings), actor=actor)


def enter_look(look: Observation, *, actor: str) -> None:
    with changing(look.machine_id, actor=actor) as change:
        fault_changes.enter(change, look, load([look.machine_id])[look.machine_id])
