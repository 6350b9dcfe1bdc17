"""Celery tasks: each calls a function and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from core.work.alone import alone
from core.work.queue import enqueue
from tickets.desks import exchange
from tickets.desks.models import ExternalDesk


@shared_task
@outward
def tell(desk_id: int) -> None:
    exchange.tell(desk_id)


@shared_task
@outward
def poll(desk_id: int) -> None:
    exchange.poll(desk_id)


@shared_task
@outward
def check(desk_id: int) -> None:
    exchange.check(ExternalDesk.objects.get(pk=desk_id))


@shared_task
@outward
def poll_all() -> None:
    """Every minute: each desk in a task of its own, so that one that hangs holds up no other."""
    for pk in ExternalDesk.objects.filter(active=True).values_list("pk", flat=True):
        with alone("desk_not_polled", desk=pk):
            enqueue("tickets.desks.tasks.poll", pk)
