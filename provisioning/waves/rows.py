"""The machines of a run as rows: how many are in which state, who is in another open run, and why nothing was started.

Software runs, BMC runs and placements of images keep tables of their own, with the columns `status` and `machine`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from provisioning.waves.policy import OPEN_MACHINES, MachineState


class RunRefused(Exception):
    """Nothing was started; `reasons` says why, by the name of a machine or a field."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {reason}" for name, reason in reasons.items()))
        self.reasons = dict(reasons)


def totals_of(rows: QuerySet[Any]) -> dict[str, int]:
    """How many of these rows are in each state, those without any included."""
    counts = Counter(rows.values_list("status", flat=True))
    return {state.value: counts[state.value] for state in MachineState}


def taken_elsewhere(rows: QuerySet[Any], run: str, machine_ids: Iterable[int], words: str) -> dict[str, str]:
    """Of those of the machines that are in an open run, by name, in which. `run`: the column of its id."""
    states = [state.value for state in OPEN_MACHINES]
    found = rows.filter(machine_id__in=list(machine_ids), status__in=states)
    return {name: f"already in {words} {pk}" for name, pk in found.values_list("machine__device__name", run)}
