"""Celery tasks: each calls a function and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from tickets.messages import delivery, rounds
from tickets.messages.mail import mailbox
from tickets.messages.rota import calendars


@shared_task
@outward
def plan() -> None:
    """Every 5 s: news and escalations become messages."""
    rounds.run()


@shared_task
@outward
def send(channel_id: int) -> None:
    delivery.send_due(channel_id)


@shared_task
def read_calendar(rota_id: int) -> None:
    calendars.read(rota_id)


@shared_task
@outward
def fetch_mail() -> None:
    """Every minute. A copy of this instance would take away the mail of the original."""
    mailbox.fetch()


@shared_task
def prune() -> None:
    rounds.prune()
