"""Work handed to a worker by the name of its task, such as `health.monitoring.tasks.verify_machine`.

Whoever asks for work so never imports the tasks, which import the services that do it.
"""

from __future__ import annotations

import threading
from typing import Any

from celery import current_app
from django.db import transaction

_import = threading.Lock()


def enqueue(task: str, *args: Any, **options: Any) -> None:
    """Queue a task now. `options` are Celery's: countdown, expires (seconds), queue.

    Raises celery.exceptions.NotRegistered for a name that is no task, and what the broker raises.
    """
    if task not in current_app.tasks:  # a worker has them all; another process only those it imported
        with _import:  # a second caller would be sent on while the first still imports
            current_app.loader.import_default_modules()
    current_app.tasks[task].apply_async(args, **options)


def after_commit(task: str, *args: Any, robust: bool = False, **options: Any) -> None:
    """Queue a task once this transaction is there to be seen, or now where none is open.

    `robust`: a broker that is away is logged and nothing else, where a periodic task does the same work later.
    """
    transaction.on_commit(lambda: enqueue(task, *args, **options), robust=robust)
