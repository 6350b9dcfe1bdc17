"""Celery tasks of drains that waited, and automation: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import is_paused, outward
from core.work.alone import alone
from health.remediation.services import actions, automation, drains
from health.remediation.services.causes import mass


@shared_task
def verify_incident(incident_id: int, actor: str) -> None:
    """Look again at the machines of an incident that somebody says is mended."""
    mass.verify(incident_id, actor=actor)


@shared_task
def drain_waiting() -> None:
    drains.drain_waiting()


@shared_task
def remediate() -> None:
    """Every few seconds: drains that waited, what machines share, the breaker, the next steps, and actions that are in
    nobody's hands. A paused instance only looks for what they share."""
    with alone("waiting_not_drained"):
        drains.drain_waiting()
    automation.round_of_all()
    if is_paused():
        return
    for pk in actions.due():
        carry_out.delay(pk)


@shared_task(soft_time_limit=110, time_limit=115)
@outward
def carry_out(action_id: int, owner: str = "") -> None:
    """Shorter than a lease, so that nobody else takes an action while it is carried out."""
    actions.carry_out(action_id, owner)


@shared_task
def mark_stuck() -> None:
    automation.mark_stuck()
