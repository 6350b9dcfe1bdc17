"""What facility offers to the rooms below it. Done once at start-up."""

from __future__ import annotations

from core.work.kinds import kinds
from facility.meters import machines, rounds
from facility.overview.incidents import supply_in_doubt
from facility.overview.layers import LAYERS
from health.monitoring import hooks
from health.overview.queries import layers
from health.remediation import hooks as remediation_hooks


def register() -> None:
    """Register everything. Safe to call again."""
    kinds.register(rounds.WORK)
    hooks.measured.register(machines.take)
    remediation_hooks.supply_in_doubt.register(supply_in_doubt)
    layers.offered.register(*LAYERS)
