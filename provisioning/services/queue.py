"""What this room asks of its workers: to look at machines, and to start those that wait for room."""

from __future__ import annotations

import math
import time

import structlog
from django.core.cache import cache

from core.work.queue import enqueue

log = structlog.get_logger(__name__)
SLOW_QUEUE = "slow"
"""Workers that no good machine waits for."""
TURN_S = 0.5
"""Looks and starts asked for within such a time are one: a look claims every machine that is due, whoever asked."""
REMEMBERED_S = 120


def enqueue_look(wait_s: float = 0, *, slow: bool = False, early: tuple[int, ...] = ()) -> None:
    """Ask for a look at what is due in `wait_s`, or for one at `early` now."""
    apart = {"queue": SLOW_QUEUE} if slow else {}
    if not early:
        first, wait_s = _turn(f"look:{slow}", wait_s)
        if not first:
            return
    enqueue("provisioning.tasks.look", slow, early, countdown=wait_s or None, **apart)


def enqueue_fill() -> None:
    first, wait_s = _turn("fill", 0)
    if first:
        enqueue("provisioning.tasks.fill", countdown=wait_s)


def _turn(what: str, wait_s: float) -> tuple[bool, float]:
    """Whether nobody asked for this within the same turn yet, and the seconds until that turn is over.

    The task runs after its turn, so it meets what all who asked in it have committed. Without the cache each asks.
    """
    now = time.time()
    turn = math.floor((now + wait_s) / TURN_S) + 1
    try:
        first = cache.add(f"provisioning:{what}:{turn}", True, REMEMBERED_S)
    except Exception as error:  # whatever the cache's client raises: asking twice is harmless, not asking is not
        log.warning("provisioning_turn_unknown", error=str(error))
        first = True
    return first, turn * TURN_S - now
