"""Celery tasks: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task


@shared_task
def sync_indicator_leds() -> None:
    from tickets import services

    services.sync_indicator_leds()
