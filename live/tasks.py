from celery import shared_task

from live import relay


@shared_task
def prune_events() -> None:
    relay.prune()
