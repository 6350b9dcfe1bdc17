"""Celery tasks of burn-ins: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from fabric.burn_in.services import plans, runs


@shared_task(soft_time_limit=600, time_limit=660)
def plan_burn_in(run_id: int) -> None:
    plans.make_plan(run_id)


@shared_task(soft_time_limit=1500, time_limit=1560)
@outward
def run_burn_in(run_id: int) -> None:
    """Do the next stage of a burn-in: at most twice ten minutes and what connecting takes."""
    runs.advance(run_id)
