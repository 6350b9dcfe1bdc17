"""What facility offers to the rooms below it. Done once at start-up."""

from __future__ import annotations

from core.work.kinds import kinds
from facility.meters import machines, rounds
from health.monitoring import hooks


def register() -> None:
    """Register everything. Safe to call again."""
    kinds.register(rounds.WORK)
    hooks.measured.register(machines.take)
