"""What this room asks of its workers: to look at machines, and to start those that wait for room."""

from __future__ import annotations

from core.work.queue import enqueue

SLOW_QUEUE = "slow"
"""Workers that no good machine waits for."""


def enqueue_look(wait_s: float = 0, *, slow: bool = False, early: tuple[int, ...] = ()) -> None:
    apart = {"queue": SLOW_QUEUE} if slow else {}
    enqueue("provisioning.tasks.look", slow, early, countdown=wait_s or None, **apart)


def enqueue_fill() -> None:
    enqueue("provisioning.tasks.fill")
