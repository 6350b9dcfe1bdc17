"""Who is hurt by a drain: jobs and training runs on the machines, named once, with what is left of their time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.models import SchedulerJob, SchedulerMachine, SchedulerSource
from health.tests.factories import make_machines
from inventory.models import Machine
from runs.models import RunRank, TrainingRun

pytestmark = pytest.mark.django_db


@pytest.fixture
def machines() -> list[Machine]:
    return make_machines(4)


def asked(machines: list[Machine], role: Role = Role.OPERATOR) -> dict[str, Any]:
    user, _ = ensure_user(role.value, role=role)
    reader = Client()
    reader.force_login(user)
    answer = reader.get(f"/api/runs/running-on/?on={','.join(str(each.pk) for each in machines)}")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def read(machines: list[Machine]) -> SchedulerSource:
    now = timezone.now()
    source = SchedulerSource.objects.create(site=Site.objects.get(), local=True, state="good", last_read_at=now)
    for each in machines:
        SchedulerMachine.objects.create(
            source=source, machine=each, name=each.device.name, state="idle", closed=False, answers=True, since=now
        )
    return source


def run(machines: list[Machine], **changes: Any) -> TrainingRun:
    now = timezone.now()
    fields = {"key": "k", "user": "ann", "world_size": 16, "started_at": now, "last_report_at": now}
    made = TrainingRun.objects.create(site=Site.objects.get(), **(fields | changes))
    for rank, each in enumerate(machines):
        RunRank.objects.create(run=made, rank=rank, machine=each, machine_name=each.device.name)
    return made


def job(source: SchedulerSource, machines: list[Machine], **changes: Any) -> SchedulerJob:
    fields = {
        "job_id": "881", "label": "881", "user": "ann", "state": "running", "time_limit_s": 7200, "gpus": 16,
        "started_at": timezone.now() - timedelta(hours=1), "machine_count": 2,
        "machine_ids": [each.pk for each in machines],
    }  # fmt: skip
    return SchedulerJob.objects.create(source=source, **(fields | changes))


def test_a_job_and_its_training_run_are_one_and_a_run_of_its_own_is_another(machines: list[Machine]) -> None:
    source = read(machines)
    of_slurm = job(source, machines[:2])
    its = run(machines[:2], key="881", job="881")
    alone = run(machines[1:2], key="by-hand", world_size=8)
    run(machines[:1], key="over", state="completed", ended_at=timezone.now() + timedelta(seconds=1))
    job(source, machines[3:], job_id="7", label="7")
    found = asked(machines[:2])
    assert found["known"] and found["as_of"] is not None
    first, second = found["hurt"]
    assert (first["job"], first["run"], first["user"], first["gpus"]) == (of_slurm.pk, its.pk, "ann", 16)
    assert (first["machines"], first["machines_here"]) == (2, 2) and 3500 < first["remaining_s"] <= 3600
    assert (second["job"], second["run"], second["gpus"], second["machines_here"]) == (None, alone.pk, 8, 1)
    assert asked(machines[2:3])["hurt"] == []


def test_nothing_found_is_not_known_where_no_scheduler_answers(machines: list[Machine]) -> None:
    assert asked(machines[:1]) == {"known": False, "as_of": None, "hurt": []}
    read(machines[:1])
    assert asked(machines[:1])["known"] and not asked(machines[:2])["known"], "one of them is not named"
    SchedulerSource.objects.update(state="stale")
    assert not asked(machines[:1])["known"]


def test_a_limit_that_has_passed_leaves_no_time_and_none_leaves_it_unknown(machines: list[Machine]) -> None:
    source = read(machines)
    job(source, machines[:1], time_limit_s=60)
    job(source, machines[:1], job_id="9", time_limit_s=None)
    assert sorted(str(each["remaining_s"]) for each in asked(machines[:1])["hurt"]) == ["0", "None"]


def test_as_many_statements_for_many_machines(machines: list[Machine]) -> None:
    source = read(machines)
    asked(machines[:1])
    with CaptureQueriesContext(connection) as one:
        job(source, machines[:1], job_id="0"), run(machines[:1], key="0")
        before = len(one)
        asked(machines[:1])
        one_asked = len(one) - before
    for number in range(1, 6):
        job(source, machines, job_id=str(number)), run(machines, key=str(number))
    with CaptureQueriesContext(connection) as many:
        asked(machines)
    assert len(many) == one_asked


def test_machines_are_asked_for_by_id_or_name(machines: list[Machine]) -> None:
    run(machines[:1])
    user, _ = ensure_user("op", role=Role.OPERATOR)
    reader = Client()
    reader.force_login(user)
    for asked_for in (str(machines[0].pk), machines[0].device.name):
        assert len(reader.get(f"/api/runs/running-on/?on={asked_for}").json()["hurt"]) == 1
    assert reader.get("/api/runs/running-on/?on=nothing").json()["hurt"] == []
    assert reader.get("/api/runs/running-on/").status_code == 400
