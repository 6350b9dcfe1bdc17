"""Celery tasks of BMC set-up: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from provisioning.bmc import progress, readings, rotation
from provisioning.bmc.looks import LOOK_S

LONGEST_S = int(LOOK_S * 8)


@shared_task(soft_time_limit=LONGEST_S, time_limit=LONGEST_S + 60)
@outward
def advance(run_id: int) -> None:
    """Look once at the machines of a BMC run."""
    progress.advance(run_id)


@shared_task
@outward
def settle_password(password_id: int) -> None:
    """Find out which password of a BMC is in force."""
    rotation.settle(password_id)


@shared_task(soft_time_limit=LONGEST_S, time_limit=LONGEST_S + 60)
@outward
def read_due() -> None:
    """Read settings and firmware of the BMCs that are due."""
    readings.read_due()
