"""Celery tasks of what is shown of power and cooling: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from core.instance import space
from facility.findings import services as findings
from facility.overview import sums
from facility.proposals import services as proposals


@shared_task(soft_time_limit=60, time_limit=90)
def add_up() -> None:
    """Every minute: what racks, rooms and sites draw, and what is wrong; and what was approved and is not done yet."""
    proposals.carry_out_left()
    if not space.shortage():
        sums.add_up()


@shared_task(soft_time_limit=300, time_limit=330)
def look_closely() -> None:
    """Every hour: cords that are not where the inventory says, and ports that are too warm."""
    sums.look_closely()


@shared_task
def prune_findings() -> None:
    findings.prune(timezone.now())
