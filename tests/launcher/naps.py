"""A Celery application whose tasks do nothing for a while, for workers that are started with the words of ours."""

import os
import time
from pathlib import Path

from celery import Celery
from django.conf import settings

app = Celery("naps", broker=os.environ["RACKSIDE_BROKER_URL"], set_as_current=False)
app.conf.update(
    broker_transport_options={**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "global_keyprefix": "naps:"},
    task_acks_late=settings.CELERY_TASK_ACKS_LATE,
    worker_prefetch_multiplier=settings.CELERY_WORKER_PREFETCH_MULTIPLIER,
    task_ignore_result=True,
)


@app.task(name="nap")
def nap(seconds: float, mark: str) -> None:
    """Leave a file with our process id, then sleep."""
    Path(mark).write_text(str(os.getpid()))
    time.sleep(seconds)
