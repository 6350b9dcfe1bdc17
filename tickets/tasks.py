"""Celery tasks: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from core.work.alone import alone
from tickets import services
from tickets.desk import rounds
from tickets.runbooks import machine_steps
from tickets.services import incidents
from tickets.services.cabling import clearances, link_tickets, port_checks, work_orders


@shared_task
@outward
def sync_indicator_leds() -> None:
    services.sync_indicator_leds()


@shared_task
@outward
def run_steps() -> None:
    """Every 5 s, and at once when somebody pressed a step that the machine runs."""
    machine_steps.sync()


@shared_task
def settle_clearances() -> None:
    """Take out of use what work in progress needs so, and give back what nobody needs."""
    clearances.settle()


@shared_task
def follow_desk() -> None:
    """Every minute: snoozes end, and priorities follow what tickets cost now."""
    rounds.follow()


@shared_task
def check_step(step_id: int) -> None:
    """Look at the ports of one step of a work order."""
    port_checks.check_step(step_id)


@shared_task
def measure_step(step_id: int) -> None:
    """Measure a link after a step of its ticket."""
    link_tickets.measure_step(step_id)


@shared_task
def measure_link_ticket(number: int) -> None:
    """Measure a link because its ticket says that it is done."""
    link_tickets.measure_ticket(number)


@shared_task
def settle_orders() -> None:
    """Every 30 s: what was asked for and got lost is asked for again."""
    with alone("clearances_not_settled"):
        clearances.settle()
    with alone("incident_tickets_not_settled"):
        incidents.settle_all()
    with alone("looks_not_asked_again"):
        port_checks.settle()
    with alone("what_is_left_not_opened"):
        work_orders.open_what_is_left()
