"""Celery tasks of the fabric: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core import space
from core.instance import outward
from fabric.services import (
    burn_in_planning,
    burning_in,
    discovering,
    events,
    measuring,
    naming,
    port_orders,
    quality,
    samples,
)


@shared_task(soft_time_limit=1800, time_limit=1860)
def discover(discovery_id: int) -> None:
    """Do one queued look at a source."""
    discovering.run(discovery_id)


@shared_task
def start_due() -> None:
    """Every 15 s: looks that are due, looks whose worker died, sources that went silent, names to be written."""
    for discovery_id in discovering.reap():
        discover.delay(discovery_id)
    if not space.shortage():  # a look writes captures and samples
        discovering.start_due()
    discovering.mark_stale()
    for source_id in naming.sources_to_write():
        write_names.delay(source_id)


@shared_task
def prune_captures() -> None:
    discovering.prune()


@shared_task(soft_time_limit=1800, time_limit=1860)
@outward
def write_names(source_id: int) -> None:
    """Give the fabric the names that were approved."""
    naming.write_back(source_id)


@shared_task
@outward
def carry_out_port_actions() -> None:
    port_orders.carry_out()


@shared_task
def remind_of_ports() -> None:
    port_orders.remind()


@shared_task
def record_counters(discovery_id: int) -> None:
    """What a finished look says of the quality of the links."""
    quality.record_discovery(discovery_id)


@shared_task
def measure_link(measurement_id: int) -> None:
    """Take the next reading of a link that somebody wants measured."""
    measuring.step(measurement_id)


@shared_task
def follow_quality() -> None:
    """Every 30 s: links not measured for too long, measurements whose worker was lost, incidents that are over."""
    quality.mark_stale()
    for measurement_id in measuring.due():
        measure_link.delay(measurement_id)
    events.close_over()


@shared_task
def read_fabric_events() -> None:
    events.fetch_all()


@shared_task
def maintain_samples() -> None:
    """Every hour: partitions of the samples, events that are too old."""
    samples.maintain()
    events.prune()


@shared_task(soft_time_limit=600, time_limit=660)
def plan_burn_in(run_id: int) -> None:
    burn_in_planning.make_plan(run_id)


@shared_task(soft_time_limit=1500, time_limit=1560)
@outward
def run_burn_in(run_id: int) -> None:
    """Do the next stage of a burn-in: at most twice ten minutes and what connecting takes."""
    burning_in.advance(run_id)


@shared_task
@outward
def resume_burn_ins() -> None:
    """Every minute: runs whose worker was lost go on; one that is worked on holds its lock."""
    for run_id in burning_in.unfinished():
        run_burn_in.delay(run_id)
