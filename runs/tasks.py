"""Celery tasks of training runs: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from core.work.queue import enqueue
from runs.metrics import services as metrics
from runs.services import collections, expiry, finding, judgement, pulse


@shared_task(soft_time_limit=300, time_limit=330)
def judge_run(run_id: int) -> None:
    """Dumps of 4,088 ranks take a minute to read."""
    judgement.judge_run(run_id)


@shared_task
def follow_runs() -> None:
    pulse.follow()


@shared_task
def prune_runs() -> None:
    expiry.prune()


@shared_task
def find_runs() -> None:
    finding.find()


@shared_task(soft_time_limit=300, time_limit=330)
def correct_end(run_id: int) -> None:
    finding.correct_end(run_id)


@shared_task(soft_time_limit=540, time_limit=570)
@outward
def collect(collection_id: int) -> None:
    """Fetch the evidence of a run from its machines; nothing is changed there."""
    collections.collect(collection_id)


@shared_task
def collect_of_hang(run_id: int) -> None:
    collections.start_for_hang(run_id)


@shared_task
def prune_collections() -> None:
    collections.prune()


@shared_task
def read_metrics() -> None:
    """Each site's Prometheus by itself: one that does not answer keeps no other from being read."""
    for site in metrics.due():
        enqueue("runs.tasks.read_metrics_of", site, expires=30)


@shared_task(soft_time_limit=150, time_limit=180)
def read_metrics_of(site: int) -> None:
    metrics.read_site(site)


@shared_task(soft_time_limit=540, time_limit=570)
def read_past_metrics(run_id: int) -> None:
    metrics.read_past(run_id)
