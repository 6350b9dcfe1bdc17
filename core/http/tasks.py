from celery import shared_task

from core.http import idempotency


@shared_task
def prune_idempotency_keys() -> None:
    idempotency.prune()
