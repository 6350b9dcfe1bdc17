from celery import shared_task

from live import events


@shared_task
def retry_failed_handlers() -> None:
    events.retry_failures()
