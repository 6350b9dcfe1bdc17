"""By the clock: lost workers are noticed, and every row that is due is handed to a worker."""

from __future__ import annotations

from core.audit.actor import Actor, acting
from core.work.alone import alone
from core.work.kinds import Work, kinds
from core.work.queue import enqueue

OWN_TASK = "core.work.tasks.follow"


def follow(every_s: int) -> int:
    """Follow every kind of that period, each on its own: returns how many rows were handed out. Safe to run twice."""
    started = 0
    for work in kinds:
        if work.every_s == every_s:
            task = work.task or OWN_TASK
            with alone("work_not_followed", kind=work.name), acting(Actor(f"task:{task}", "task", task)):
                started += _follow(work)
    return started


def _follow(work: Work) -> int:
    ids = work.follow() if work.follow is not None else [*work.reap(), *(work.due_ids() if work.task else [])]
    for pk in dict.fromkeys(ids):
        enqueue(work.task, pk)
    return len(ids)
