"""Celery tasks: each calls a function and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from core.work.alone import alone
from core.work.queue import enqueue
from tickets.systems import exchange
from tickets.systems.models import TicketSystem


@shared_task
@outward
def tell(system_id: int) -> None:
    exchange.tell(system_id)


@shared_task
@outward
def poll(system_id: int) -> None:
    exchange.poll(system_id)


@shared_task
@outward
def check(system_id: int) -> None:
    exchange.check(TicketSystem.objects.get(pk=system_id))


@shared_task
@outward
def poll_all() -> None:
    """Every minute: each system in a task of its own, so that one that hangs holds up no other."""
    for pk in TicketSystem.objects.filter(active=True).values_list("pk", flat=True):
        with alone("system_not_polled", system=pk):
            enqueue("tickets.systems.tasks.poll", pk)
