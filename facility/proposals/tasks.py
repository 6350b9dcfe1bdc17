"""Celery tasks of proposals: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from facility.proposals import services


@shared_task
def carry_out(proposal_id: int) -> None:
    """Go on with the steps of a proposal, or take them back."""
    services.carry_out(proposal_id)
