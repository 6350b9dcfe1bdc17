"""Celery tasks of meters: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance import space
from core.work.locks import only_here
from facility.history import rollup, tables
from facility.meters import rounds

LOCK, ROUNDS = 7_215, 2


@shared_task(soft_time_limit=120, time_limit=150)
def read_due() -> None:
    """Every 5 s: ask the meters that are due. Two rounds at most: one may wait for what hangs, the other goes on; more
    would only ask a busy network for more at once."""
    if space.shortage():
        return
    tables.ensure()
    for lane in range(ROUNDS):
        with only_here(LOCK, lane) as here:
            if here:
                rounds.read_due()
                return


@shared_task(soft_time_limit=300, time_limit=330)
def roll_up() -> None:
    """Every minute: minutes, quarters of an hour and days from what was read."""
    rollup.roll_up()


@shared_task
def maintain_history() -> None:
    """Every hour: the partitions of the coming time; what expired goes."""
    tables.maintain()
