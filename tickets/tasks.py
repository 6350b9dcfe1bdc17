"""Celery tasks: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.alone import alone
from core.instance import outward
from tickets import services
from tickets.services import clearing, incidents, links, looking, ordering


@shared_task
@outward
def sync_indicator_leds() -> None:
    services.sync_indicator_leds()


@shared_task
def settle_clearances() -> None:
    """Take out of use what work in progress needs so, and give back what nobody needs."""
    clearing.settle()


@shared_task
def check_step(step_id: int) -> None:
    """Look at the ports of one step of a work order."""
    looking.check_step(step_id)


@shared_task
def measure_step(step_id: int) -> None:
    """Measure a link after a step of its ticket."""
    links.measure_step(step_id)


@shared_task
def measure_link_ticket(number: int) -> None:
    """Measure a link because its ticket says that it is done."""
    links.measure_ticket(number)


@shared_task
def settle_orders() -> None:
    """Every 30 s: what was asked for and got lost is asked for again."""
    with alone("clearances_not_settled"):
        clearing.settle()
    with alone("incident_tickets_not_settled"):
        incidents.settle_all()
    with alone("looks_not_asked_again"):
        looking.settle()
    with alone("what_is_left_not_opened"):
        ordering.open_what_is_left()
