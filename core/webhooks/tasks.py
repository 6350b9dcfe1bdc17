from celery import shared_task

from core.webhooks import dispatch, services


@shared_task
def deliver() -> None:
    dispatch.run()


@shared_task
def prune() -> None:
    services.prune()
