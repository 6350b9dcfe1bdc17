"""Celery tasks of the quality of links: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from fabric.quality.services import events, measurements, rounds, samples


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
    """Every 30 s: links not measured for too long, incidents that are over."""
    rounds.mark_stale()
    events.close_over()


@shared_task
def read_fabric_events() -> None:
    events.fetch_all()


@shared_task
def maintain_samples() -> None:
    """Every hour: partitions of the samples, events that are too old."""
    samples.maintain()
    events.prune()
