"""Log lines: one JSON object each, with the id of the request or task, and without secrets."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO

import pytest
import structlog
from django.conf import settings
from django.test import Client
from django_structlog.celery.steps import DjangoStructLogInitStep

from config.celery import app

TOKEN = "s" * 43


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What the service would write to standard error."""
    text = StringIO()
    handler = logging.StreamHandler(text)
    options = dict(settings.LOGGING["formatters"]["json"])
    handler.setFormatter(options.pop("()")(**options))
    logging.getLogger().addHandler(handler)
    yield text
    logging.getLogger().removeHandler(handler)


def told(text: StringIO, event: str) -> dict[str, str]:
    found = [line for line in map(json.loads, text.getvalue().splitlines()) if line["event"] == event]
    assert found, text.getvalue()
    return dict(found[-1])


@app.task(name="tests.speak")
def speak() -> None:
    structlog.get_logger("tests").warning("spoken_in_a_task")
    logging.getLogger("tests").warning("plainly spoken in a task")


def test_every_line_of_a_task_carries_its_task_id(lines: StringIO) -> None:
    """The worker's boot step connects the receiver; the task runs here as a worker runs it."""
    assert DjangoStructLogInitStep in app.steps["worker"]
    step = DjangoStructLogInitStep(None)
    sent = speak.apply()
    assert step.receiver and told(lines, "spoken_in_a_task")["task_id"] == sent.id
    assert told(lines, "plainly spoken in a task")["task_id"] == sent.id


@pytest.mark.django_db
def test_no_line_tells_a_boot_token(lines: StringIO, client: Client) -> None:
    for path in ("user-data", "network-config"):
        assert client.get(f"/boot/{TOKEN}/{path}").status_code == 404
    assert told(lines, "boot_refused")["path"] == "/boot/[token]/network-config"
    assert TOKEN not in lines.getvalue()


def test_the_web_server_does_not_start_with_a_key_that_everybody_knows() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "RACKSIDE_SECRET_KEY"}
    done = subprocess.run([sys.executable, "-c", "import config.asgi"], env=environment, capture_output=True, text=True)
    assert done.returncode != 0 and "RACKSIDE_SECRET_KEY is not set" in done.stderr
