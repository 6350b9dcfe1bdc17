"""Celery tasks of training runs: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from runs.services import expiry, finding, judgement, pulse


@shared_task
def judge_run(run_id: int) -> None:
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
