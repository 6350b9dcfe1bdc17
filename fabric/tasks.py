"""Celery tasks of the fabric: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance import space
from core.instance.state import outward
from fabric.burn_in.services import plans, runs
from fabric.discovery.services import discoveries
from fabric.ports.services import orders
from fabric.quality.services import events, measurements, rounds, samples
from fabric.wiring.services import names


@shared_task(soft_time_limit=1800, time_limit=1860)
def discover(discovery_id: int) -> None:
    """Do one queued look at a source."""
    discoveries.run(discovery_id)


@shared_task
def start_due() -> None:
    """Every 15 s: looks that are due, looks whose worker died, sources that went silent, names to be written."""
    for discovery_id in discoveries.reap():
        discover.delay(discovery_id)
    if not space.shortage():  # a look writes captures and samples
        discoveries.start_due()
    discoveries.mark_stale()
    for source_id in names.sources_to_write():
        write_names.delay(source_id)


@shared_task
def prune_captures() -> None:
    discoveries.prune()


@shared_task(soft_time_limit=1800, time_limit=1860)
@outward
def write_names(source_id: int) -> None:
    """Give the fabric the names that were approved."""
    names.write_back(source_id)


@shared_task
@outward
def carry_out_port_actions() -> None:
    orders.carry_out()


@shared_task
def remind_of_ports() -> None:
    orders.remind()


@shared_task
def record_counters(discovery_id: int) -> None:
    """What a finished look says of the quality of the links."""
    rounds.record_discovery(discovery_id)


@shared_task
def measure_link(measurement_id: int) -> None:
    """Take the next reading of a link that somebody wants measured."""
    measurements.step(measurement_id)


@shared_task
def follow_quality() -> None:
    """Every 30 s: links not measured for too long, measurements whose worker was lost, incidents that are over."""
    rounds.mark_stale()
    for measurement_id in measurements.due():
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
    plans.make_plan(run_id)


@shared_task(soft_time_limit=1500, time_limit=1560)
@outward
def run_burn_in(run_id: int) -> None:
    """Do the next stage of a burn-in: at most twice ten minutes and what connecting takes."""
    runs.advance(run_id)


@shared_task
@outward
def resume_burn_ins() -> None:
    """Every minute: runs whose worker was lost go on; one that is worked on holds its lock."""
    for run_id in runs.unfinished():
        run_burn_in.delay(run_id)
