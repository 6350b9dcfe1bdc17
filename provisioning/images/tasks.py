"""Celery tasks of placements: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from provisioning.images import turn

LONGEST_S = 300
"""Several rounds of sessions with as many machines as a turn asks."""


@shared_task(soft_time_limit=LONGEST_S, time_limit=LONGEST_S + 30)
@outward
def advance(placement_id: int) -> None:
    """One turn at a placement."""
    turn.advance(placement_id)
