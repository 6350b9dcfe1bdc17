"""Celery tasks of sweeps and verifications: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from core.work.alone import alone
from health.monitoring.services import (
    decisions,
    fault_responses,
    partitions,
    recoveries,
    unreachable,
    verification_checks,
    verifications,
)
from health.monitoring.services.sweeps import familiar, sweep_runs


@shared_task
def start_sweep(*, at_once: bool = False) -> None:
    sweep_runs.start_scheduled(at_once=at_once)


@shared_task(bind=True, max_retries=2)
def run_shard(self: Any, shard_id: int) -> None:
    """One shard of the sweep: this one, or another that is open and that this process knows better."""
    for pk in familiar.in_order(shard_id):
        try:
            if sweep_runs.run(pk) in ("done", "failed"):
                return
        except Exception as error:
            raise self.retry(args=[pk], exc=error, countdown=2) from error


@shared_task
def confirm_due() -> None:
    """Every few seconds: second looks, maintenance that is over, machines that answer again."""
    with alone("second_looks_not_asked"):
        sweep_runs.confirm_due()
    with alone("maintenance_not_ended"):
        verifications.end_due_maintenance()
    with alone("answers_not_verified"):
        recoveries.verify_what_answers_again()


@shared_task
def requeue_lost_shards() -> None:
    sweep_runs.requeue_lost()


@shared_task
def close_late_sweeps() -> None:
    sweep_runs.close_late()


@shared_task
def mark_unreachable() -> None:
    unreachable.mark_unreachable()


@shared_task
def maintain_partitions() -> None:
    partitions.maintain()


@shared_task
def verify_machine(verification_id: int) -> None:
    """Look at a machine for its verification; one that keeps us waiting is left to the workers of the slow lane."""
    verification = verifications.WORK.take(verification_id)
    if verification is not None and not verification_checks.look(verification):
        verify_patiently.delay(verification_id)


@shared_task
def verify_patiently(verification_id: int) -> None:
    """The look that `verify_machine` claimed and did not wait for."""
    verification_checks.look_patiently(verification_id)


@shared_task
def end_expired_responses() -> None:
    decisions.end_expired()


@shared_task
def follow_response(fault_class: str, site_id: int | None) -> None:
    """Carry a changed response of a class of fault to the machines that have one."""
    fault_responses.follow(fault_class, site_id)
