from celery import shared_task

from core.jobs import work


@shared_task
def prune() -> None:
    work.prune()
