"""Celery tasks: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from core.alone import alone
from core.instance import is_paused, outward
from health.diagnostics import services as activating
from health.external.services import reconciliation
from health.insights import services as golden
from health.monitoring.services import (
    decisions,
    fault_responses,
    partitions,
    recoveries,
    sweep_runs,
    unreachable,
    verification_checks,
    verifications,
)
from health.remediation.services import actions, automation, drains, mass
from health.schedulers.services import delivery, desired_state, readings


@shared_task
def start_sweep() -> None:
    sweep_runs.start_scheduled()


@shared_task(bind=True, max_retries=2)
def run_shard(self: Any, shard_id: int) -> None:
    try:
        sweep_runs.run(shard_id)
    except Exception as error:
        raise self.retry(exc=error, countdown=2) from error


@shared_task
def confirm_due() -> None:
    """Every few seconds: second looks, drains that waited, maintenance that is over, machines that answer again."""
    with alone("second_looks_not_asked"):
        sweep_runs.confirm_due()
    with alone("waiting_not_drained"):
        drains.drain_waiting()
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
def mark_silent() -> None:
    unreachable.mark_silent()


@shared_task
def maintain_partitions() -> None:
    partitions.maintain()


@shared_task
def verify_machine(verification_id: int) -> None:
    """Look at a machine for its verification; one that keeps us waiting is left to the workers of the slow lane."""
    verification = verifications.claim(verification_id)
    if verification is not None and not verification_checks.look(verification):
        verify_patiently.delay(verification_id)


@shared_task
def verify_patiently(verification_id: int) -> None:
    """The look that `verify_machine` claimed and did not wait for."""
    verification_checks.look_patiently(verification_id)


@shared_task
def verify_incident(incident_id: int, actor: str) -> None:
    """Look again at the machines of an incident that somebody says is mended."""
    mass.verify(incident_id, actor=actor)


@shared_task
def requeue_verifications() -> None:
    for pk in verifications.due():
        verify_machine.delay(pk)


@shared_task
def drain_waiting() -> None:
    drains.drain_waiting()


@shared_task
def settle_reports(machine_ids: list[int]) -> None:
    reconciliation.settle_all(machine_ids)


@shared_task
def follow_reports() -> None:
    reconciliation.follow()


@shared_task(soft_time_limit=100, time_limit=110)
@outward
def send_to_scheduler(machine_id: int) -> None:
    """Send what is wished of the scheduler for one machine."""
    delivery.send(machine_id)


@shared_task(soft_time_limit=100, time_limit=110)
def read_scheduler(source_id: int) -> None:
    readings.read(source_id, when_due=True)


@shared_task
def follow_schedulers() -> None:
    """Every few seconds: wishes that wait for their next try, schedulers that are due to be read."""
    for machine_id in desired_state.due():
        send_to_scheduler.delay(machine_id)
    for source_id in readings.due():
        read_scheduler.delay(source_id)


@shared_task
def remediate() -> None:
    """Every few seconds: what machines share, the breaker, the next steps, and actions that are in nobody's hands. A
    paused instance only looks for what they share."""
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


@shared_task(soft_time_limit=240, time_limit=300)
@outward
def advance_active_run(run_id: int) -> None:
    """One turn of a run of active checks: it looks at what runs, and begins what comes next."""
    activating.advance(run_id)


@shared_task
@outward
def follow_active_runs() -> None:
    """Every half minute: runs whose worker was lost, and windows of the weekly burn-in that are open."""
    activating.start_due()
    for run_id in activating.unfinished():
        advance_active_run.delay(run_id)


@shared_task
def prune_active_runs() -> None:
    activating.prune()


@shared_task
def keep_golden_set() -> None:
    golden.promote_clean()


@shared_task
def end_expired_responses() -> None:
    decisions.end_expired()


@shared_task
def follow_response(fault_class: str, site_id: int | None) -> None:
    """Carry a changed response of a class of fault to the machines that have one."""
    fault_responses.follow(fault_class, site_id)
