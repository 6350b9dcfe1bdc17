"""The Celery application. Tasks live in each room's `tasks.py`; the schedule is `CELERY_BEAT_SCHEDULE` in settings."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_before_create_process
from django_structlog.celery.steps import DjangoStructLogInitStep

from config import heap, pulse  # noqa: F401  (pulse connects the sign of life of workers and beat)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("rackside")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
worker_before_create_process.connect(heap.freeze_before_fork)
app.steps["worker"].add(DjangoStructLogInitStep)  # every log line of a task carries its task_id


@setup_logging.connect
def use_django_logging(**_: Any) -> None:
    """Keep the structured log format of settings in workers and beat too."""
    import logging.config

    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)
