"""Machines that cannot even be looked at, because their model cannot be used: unknown, with the reason.

What was stored of such a machine stays in its layout, so that no fail is forgotten and nothing passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from health.monitoring.merge import Key
from health.monitoring.models.verdicts import MachineReport
from health.monitoring.policy import NO_POLICY, MachinePolicy
from health.monitoring.services.sweeps.observation_store import without_verdicts
from health.monitoring.services.sweeps.stored import Observation, read_layouts


@dataclass(frozen=True)
class Unjudged:
    """Why a machine has no verdicts of this look."""

    machine_id: int
    reason: str
    model: str = ""
    slots: frozenset[str] = frozenset()
    policy: MachinePolicy = NO_POLICY


def observations(some: Sequence[Unjudged], at: datetime) -> list[Observation]:
    """One for each machine, not heard. Two queries, and none when there is nobody."""
    if not some:
        return []
    stored = _last_layouts([each.machine_id for each in some])
    return [_observation(each, stored, at) for each in some]


def _observation(each: Unjudged, stored: Mapping[int, tuple[str, str, tuple[Key, ...]]], at: datetime) -> Observation:
    version, model, layout = stored.get(each.machine_id, ("", each.model, ()))
    seen = Observation(each.machine_id, at, False, "", (), layout, model, version, each.slots, policy=each.policy)
    return without_verdicts(seen, each.reason)


def _last_layouts(machine_ids: Sequence[int]) -> dict[int, tuple[str, str, tuple[Key, ...]]]:
    """Version of the checks, model and places of each machine's last report."""
    columns = ("machine_id", "layout_id", "layout__checks_version", "layout__model")
    rows = list(MachineReport.objects.filter(machine_id__in=machine_ids).values_list(*columns))
    layouts = read_layouts({layout for _, layout, _, _ in rows})
    return {machine: (version, model, layouts[layout]) for machine, layout, version, model in rows}
