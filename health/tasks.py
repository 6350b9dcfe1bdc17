"""Celery tasks: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from typing import Any

from celery import shared_task


@shared_task
def start_sweep() -> None:
    from health.services import sweeping

    sweeping.start_scheduled()


@shared_task(bind=True, max_retries=2)
def run_shard(self: Any, shard_id: int) -> None:
    from health.services import sweeping

    try:
        sweeping.run(shard_id)
    except Exception as error:
        raise self.retry(exc=error, countdown=2) from error


@shared_task
def confirm_due() -> None:
    """Every few seconds: second looks, drains that waited, maintenance that is over, machines that answer again."""
    from health.services import answering, draining, sweeping, verifying

    sweeping.confirm_due()
    draining.drain_waiting()
    verifying.end_due_maintenance()
    answering.verify_what_answers_again()


@shared_task
def requeue_lost_shards() -> None:
    from health.services import sweeping

    sweeping.requeue_lost()


@shared_task
def close_late_sweeps() -> None:
    from health.services import sweeping

    sweeping.close_late()


@shared_task
def mark_silent() -> None:
    from health.services import silence

    silence.mark_silent()


@shared_task
def maintain_partitions() -> None:
    from health.services import partitions

    partitions.maintain()


@shared_task
def verify_machine(verification_id: int) -> None:
    from health.services import observing, verifying

    verification = verifying.claim(verification_id)
    if verification is None:
        return
    observations = observing.observe([verification.machine_id], actor="verification", afresh=True)
    for observation in observations:
        verifying.decide(verification, observation)


@shared_task
def requeue_verifications() -> None:
    from health.services import verifying

    for pk in verifying.due():
        verify_machine.delay(pk)


@shared_task
def drain_waiting() -> None:
    from health.services import draining

    draining.drain_waiting()


@shared_task
def settle_reports(machine_ids: list[int]) -> None:
    from health.services import settling

    settling.settle_all(machine_ids)


@shared_task
def follow_reports() -> None:
    from health.services import settling

    settling.follow()
