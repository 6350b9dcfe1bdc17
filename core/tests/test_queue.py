"""Work is asked for by the name of its task."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import pytest
from celery import current_app
from celery.exceptions import NotRegistered
from django.db import transaction

from core.work.queue import after_commit, enqueue

ROOT = Path(__file__).resolve().parents[2]
CALL = re.compile(r"""\b(?:enqueue|after_commit)\(\s*"([\w.]+)\"""")
A_TASK = "live.tasks.prune_events"


def test_every_task_that_is_asked_for_by_name_exists() -> None:
    current_app.loader.import_default_modules()
    rooms = [path.parent for path in ROOT.glob("*/apps.py")]
    asked = {
        name
        for room in rooms
        for path in room.rglob("*.py")
        if "tests" not in path.parts
        for name in CALL.findall(path.read_text())
    }
    assert len(asked) > 20
    assert asked - set(current_app.tasks) == set()


def test_a_name_that_is_no_task_is_refused_at_once() -> None:
    with pytest.raises(NotRegistered):
        enqueue("live.tasks.prune_evnets")


def test_two_requests_of_a_new_process_both_wait_until_the_tasks_are_imported() -> None:
    """The second was told that there is no such task while the first still imported them."""
    tasks = current_app.tasks
    current_app.loader.import_default_modules()
    task, importing = tasks[A_TASK], threading.Event()

    def slowly() -> None:
        if not importing.is_set():
            importing.set()
            time.sleep(0.2)
            tasks[A_TASK] = task

    del tasks[A_TASK]
    with patch.object(type(task), "apply_async") as sent, patch.object(
        current_app.loader, "import_default_modules", slowly
    ), ThreadPoolExecutor(2) as threads:  # fmt: skip
        first = threads.submit(enqueue, A_TASK)
        importing.wait(5)
        second = threads.submit(enqueue, A_TASK)
        first.result(5), second.result(5)
    assert sent.call_count == 2


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_spoils_no_change_whose_work_the_clock_asks_for_as_well() -> None:
    with patch("celery.app.task.Task.apply_async", side_effect=OSError("no broker")), transaction.atomic():
        after_commit(A_TASK, robust=True)


@pytest.mark.django_db(transaction=True)
def test_work_is_queued_after_the_commit_and_never_for_a_change_that_was_undone() -> None:
    with patch("celery.app.task.Task.apply_async") as sent:
        with transaction.atomic():
            after_commit(A_TASK, countdown=3)
            assert not sent.called
        sent.assert_called_once_with((), countdown=3)
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            after_commit(A_TASK)
            raise ZeroDivisionError
        assert sent.call_count == 1
