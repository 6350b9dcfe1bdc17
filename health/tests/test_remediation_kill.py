"""A worker that is killed with -9 in the middle of a remedy: what it sent is never sent again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from health.models import RemediationAction
from health.remediation.services import actions
from health.remediation.services.steps import step
from health.tests import factories as make
from health.tests.remediation_world import ago, broken, look_after

# A worker that carries out one action: its executor writes down that it was called and never comes back.
WORKER = """
import sys, time
from pathlib import Path
import django
django.setup()
from django.utils import timezone
from core.audit.actor import Actor, act_for_process
from health.remediation import executors
from health.remediation.types import World
from health.remediation.services import actions, world
act_for_process(Actor("automation", "task", "killed"))
class Hand(executors.Simple):
    def target(self, job): return {}
    def send(self, job):
        with Path(sys.argv[3]).open("a") as file: file.write(job.key + "\\n")
        time.sleep(600)
executors.register("reset_gpu", Hand())
world.read = lambda row: World(now=timezone.now(), heard=True, boot_id="boot-a", power="on", jobs=0,
    reservation_by_others=False, logins=0, running="", drained=True, drain_is_ours=True)
actions.carry_out(int(sys.argv[1]), sys.argv[2])
"""


def wait_for(what: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.1)


@pytest.mark.services
@pytest.mark.usefixtures("quiet")
@pytest.mark.django_db(transaction=True)
def test_a_remedy_whose_worker_was_killed_is_followed_and_not_sent_again(
    hands: Any, world: Any, tmp_path: Path
) -> None:
    (machine,) = broken()
    with make.trusted_checks():
        action_id = step(machine.pk)
    assert action_id is not None
    row = RemediationAction.objects.get(pk=action_id)
    database = settings.DATABASES["default"]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "RACKSIDE_DATABASE_URL": f"postgres://{database['USER']}@/{connection.settings_dict['NAME']}?host={database['HOST']}",
        "RACKSIDE_SECRET_KEY": settings.SECRET_KEY,
        "RACKSIDE_CREDENTIAL_KEYS": ",".join(settings.CREDENTIAL_KEYS),
    }
    calls = tmp_path / "calls"
    command = [sys.executable, "-c", WORKER, str(action_id), row.lease_owner, str(calls)]
    worker = subprocess.Popen(command, env=environment, cwd=settings.BASE_DIR, start_new_session=True)
    try:
        wait_for(lambda: calls.exists() and bool(calls.read_text()))
        assert RemediationAction.objects.get().state == "sent", "written and committed before the call"
    finally:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(10)
    assert actions.carry_out(action_id, row.lease_owner) == "leased by another worker", "a message that comes twice"
    RemediationAction.objects.update(lease_until=ago(1))  # two minutes pass
    assert actions.due() == [action_id] and actions.carry_out(action_id) == "wait"
    assert make.health(machine).state == "remediating"
    world["boot_id"] = "boot-b"  # somebody started it: whatever the reset did is over
    RemediationAction.objects.update(lease_until=timezone.now())
    assert actions.carry_out(action_id) == "confirmed"
    assert look_after(RemediationAction.objects.get(), boot_id="boot-b") == "passed"
    assert make.health(machine).state == "ready"
    assert calls.read_text().splitlines() == [row.key] and not hands["reset_gpu"].sent
