from celery import shared_task

from live import events, relay


@shared_task
def retry_failed_handlers() -> None:
    events.retry_failures()


@shared_task
def prune_events() -> None:
    relay.prune()
