"""The Celery application. Tasks live in the `tasks.py` of each room, or of each package of a room that has several; the
schedule is `CELERY_BEAT_SCHEDULE` in settings."""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import setup_logging, task_postrun, worker_before_create_process, worker_init
from django.apps import AppConfig, apps
from django.conf import settings
from django_structlog.celery.steps import DjangoStructLogInitStep

from config import heap, pulse  # noqa: F401  (pulse connects the sign of life of workers and beat)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Wiring(AppConfig):
    """The Django app of this package. Tasks belong to the application of Celery, so that is loaded with Django, and not
    with the package: the supervisor, its guard and health checks of containers need none of it."""

    name = "config"


def packages_with_tasks() -> list[str]:
    """The packages of rooms that have tasks of their own, such as `health.monitoring`."""
    rooms = [room for room in apps.get_app_configs() if Path(room.path).parent == settings.BASE_DIR]
    return [f"{room.name}.{found.parent.name}" for room in rooms for found in Path(room.path).glob("*/tasks.py")]


app = Celery("rackside")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(packages_with_tasks)
worker_init.connect(heap.few_arenas)
worker_init.connect(heap.small_tls_buffers)
worker_before_create_process.connect(heap.freeze_before_fork)
task_postrun.connect(heap.give_back)
app.steps["worker"].add(DjangoStructLogInitStep)  # every log line of a task carries its task_id


@setup_logging.connect
def use_django_logging(**_: Any) -> None:
    """Keep the structured log format of settings in workers and beat too."""
    import logging.config

    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)
