"""Celery tasks of vendor cases: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from tickets.vendors import bundles, dispatch


@shared_task(soft_time_limit=240, time_limit=300)  # BMC and host take up to 45 s, and their logs are large
@outward
def make_bundle(bundle_id: int) -> None:
    bundles.make(bundle_id)


@shared_task
@outward
def send_message(message_id: int) -> None:
    dispatch.send_message(message_id)


@shared_task
def prune_bundles() -> None:
    bundles.prune()
