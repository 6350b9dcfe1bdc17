"""What facility offers to the rooms below it. Done once at start-up."""

from __future__ import annotations

from core.work.kinds import kinds
from facility.meters import machines, rounds
from facility.overview.layers import LAYERS
from health.monitoring import hooks
from health.overview.queries import layers


def register() -> None:
    """Register everything. Safe to call again."""
    kinds.register(rounds.WORK)
    hooks.measured.register(machines.take)
    layers.offered.register(*LAYERS)
