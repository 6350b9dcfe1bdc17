"""Celery tasks of the weekly report: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from tickets.insights import services


@shared_task(soft_time_limit=120, time_limit=150)
@outward
def send_report(mail_id: int) -> None:
    services.send(mail_id)


@shared_task
@outward
def plan_reports() -> None:
    """Write down the mails that are due since Monday morning; `core.work` sends them."""
    services.plan_reports()
