from celery import shared_task

from core.instance.state import outward
from core.webhooks import dispatch, services


@shared_task
@outward
def deliver() -> None:
    dispatch.run()


@shared_task
def prune() -> None:
    services.prune()
