"""What a scheduler runs, on pages: jobs, what waits, partitions, the floor; and who may read whose a job is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import Role, Site
from core.services import ensure_user
from drivers.scheduler import Asked, Job, MachineFacts, MachineState, Partition, Reservation, View
from health.models import SchedulerJob, SchedulerMachine, SchedulerPartition, SchedulerSource, WaitingJob
from health.schedulers.services import queue
from health.tests.factories import make_machines
from inventory.models import Machine

pytestmark = pytest.mark.django_db


@pytest.fixture
def machines() -> list[Machine]:
    return make_machines(4)


@pytest.fixture
def source(machines: list[Machine]) -> SchedulerSource:
    return SchedulerSource.objects.create(
        site=Site.objects.get(), url="http://127.0.0.1:1", state="good", last_read_at=timezone.now()
    )


def client(role: Role, site: Site | None = None) -> Client:
    user, _ = ensure_user(f"{role.value}-{site}", role=role, site=site)
    signed_in = Client()
    signed_in.force_login(user)
    return signed_in


def job(source: SchedulerSource, machines: list[Machine], **changes: Any) -> SchedulerJob:
    fields = {
        "job_id": "881", "label": "881", "name": "kestrel-7b", "user": "ann", "account": "nlp", "partition": "main",
        "state": "running", "started_at": timezone.now() - timedelta(hours=1), "time_limit_s": 7200, "gpus": 16,
        "machine_count": len(machines), "machine_ids": [each.pk for each in machines],
    }  # fmt: skip
    return SchedulerJob.objects.create(source=source, **(fields | changes))


def named(source: SchedulerSource, machine: Machine, **changes: Any) -> SchedulerMachine:
    fields = {"state": "idle", "closed": False, "answers": True, "jobs": 0, "gpus": 8, "since": timezone.now()}
    name = machine.device.name
    return SchedulerMachine.objects.create(source=source, machine=machine, name=name, **(fields | changes))


def view(source_jobs: tuple[Job, ...] = (), **changes: Any) -> View:
    facts = MachineFacts("gpu1", MachineState.IDLE, ("idle",), False, True, 0, partitions=("main", "all"))
    fields = {"reservations": (), "partitions": (Partition("main", "up", True, 3600, 1, frozenset({"gpu1"})),)}
    return View({"gpu1": facts}, source_jobs, None, **(fields | changes))


def waits(number: str, **asked: Any) -> Job:
    return Job(number, "pending", False, frozenset(), why="Priority", partition="main", asked=Asked(**asked))


# ---- keeping ----
def test_what_waits_is_replaced_by_the_next_answer_in_a_fixed_number_of_statements(source: SchedulerSource) -> None:
    now = int(timezone.now().timestamp())
    jobs = tuple(waits(str(n), name="llm", user="ann", priority=n, submitted=now, expected=now + 60) for n in range(50))
    with CaptureQueriesContext(connection) as few:
        assert queue.keep(source, view(jobs[:2]), {"gpu1": 7})
    with CaptureQueriesContext(connection) as many:
        assert queue.keep(source, view(jobs), {"gpu1": 7})
    assert len(many) <= len(few)
    assert WaitingJob.objects.count() == 50
    first = WaitingJob.objects.first()
    assert first is not None and (first.job_id, first.priority, first.why) == ("49", 49, "Priority")
    assert not queue.keep(source, view(jobs), {"gpu1": 7}), "the same again is no change"
    older = tuple(waits(each.id, name="llm", user="ann", priority=99, submitted=now, expected=now) for each in jobs)
    assert not queue.keep(source, view(older), {"gpu1": 7}), "a priority that grows is nothing to fetch a page for"
    assert WaitingJob.objects.filter(priority=99).count() == 50
    assert queue.keep(source, view(), {"gpu1": 7}) and not WaitingJob.objects.exists()


def test_partitions_are_known_from_the_machines_where_no_more_is_said(source: SchedulerSource) -> None:
    queue.keep(source, view(partitions=None), {"gpu1": 7})
    assert list(SchedulerPartition.objects.values_list("name", "state", "machine_ids")) == [
        ("all", "", [7]), ("main", "", [7]),
    ]  # fmt: skip
    queue.keep(source, view(), {"gpu1": 7})
    main = SchedulerPartition.objects.get(name="main")
    assert (main.state, main.default, main.max_time_s, main.machine_count) == ("up", True, 3600, 1)


# ---- answers ----
def test_users_are_given_out_to_whom_the_site_allows(
    source: SchedulerSource, machines: list[Machine], settings: Settings
) -> None:
    found = job(source, machines[:2])
    WaitingJob.objects.create(source=source, job_id="900", label="900", user="ben")
    paths = ("/api/scheduler/jobs/", f"/api/scheduler/jobs/{found.pk}/", "/api/scheduler/waiting/",
             f"/api/scheduler/floor/?site={source.site_id}", f"/api/runs/running-on/?on={machines[0].pk}",
             f"/api/scheduler/jobs/{found.pk}/history/")  # fmt: skip
    for role, least, told in [
        (Role.OPERATOR, "operator", True), (Role.VIEWER, "operator", False), (Role.VIEWER, "viewer", True),
        (Role.ADMIN, "nobody", False),
    ]:  # fmt: skip
        settings.JOB_USERS = least
        for path in paths:
            text = client(role).get(path).content.decode()
            assert (('"ann"' in text) or ('"ben"' in text)) is told, (role, least, path)
    settings.JOB_USERS = "operator"
    for query in ("search=ann", "user=ann"):
        assert client(Role.VIEWER).get(f"/api/scheduler/jobs/?{query}").json()["count"] == 0, "not by asking either"
        assert client(Role.OPERATOR).get(f"/api/scheduler/jobs/?{query}").json()["count"] == 1


def test_a_job_says_when_its_limit_ends_it_and_where_it_runs(source: SchedulerSource, machines: list[Machine]) -> None:
    found = job(source, machines[:2])
    job(source, machines[:1], state="requeued", started_at=timezone.now() - timedelta(hours=9),
        ended_at=timezone.now() - timedelta(hours=8))  # fmt: skip
    reader = client(Role.VIEWER)
    row = reader.get(f"/api/scheduler/jobs/{found.pk}/").json()
    assert (row["label"], row["machines"], row["gpus"], row["user"]) == ("881", 2, 16, None)
    assert row["ends_by"] is not None
    within = reader.get(f"/api/scheduler/jobs/{found.pk}/machines/").json()["results"]
    assert [each["name"] for each in within] == sorted(each.device.name for each in machines[:2])
    history = reader.get(f"/api/scheduler/jobs/{found.pk}/history/").json()
    assert [run["state"] for run in history["runs"]] == ["running", "requeued"]
    assert reader.get(f"/api/scheduler/jobs/?machine={machines[0].pk}&live=true").json()["count"] == 1


def test_partitions_count_what_runs_and_waits_in_one_statement(
    source: SchedulerSource, machines: list[Machine]
) -> None:
    ids = [each.pk for each in machines]
    for name in ("main", "night"):
        SchedulerPartition.objects.create(source=source, name=name, machine_count=4, machine_ids=ids)
    named(source, machines[0], jobs=1)
    named(source, machines[1], closed=True)
    job(source, machines[:1])
    WaitingJob.objects.create(source=source, job_id="900", label="900", partition="night,main")
    rows = client(Role.VIEWER).get("/api/scheduler/partitions/").json()["results"]
    assert [(row["name"], row["busy"], row["closed"], row["gpus"], row["running"], row["waiting"]) for row in rows] == [
        ("main", 1, 1, 16, 1, 1), ("night", 1, 1, 16, 0, 1),
    ]  # fmt: skip


def test_the_floor_by_job_takes_as_many_statements_for_many_jobs(
    source: SchedulerSource, machines: list[Machine]
) -> None:
    reader, path = client(Role.OPERATOR), f"/api/scheduler/floor/?site={source.site_id}"
    reader.get(path)
    with CaptureQueriesContext(connection) as none:
        assert reader.get(path).json()["jobs"]["rows"] == []
    for number, machine in enumerate(machines):
        job(source, [machine], job_id=str(number), label=str(number))
        named(source, machine, jobs=1)
    SchedulerPartition.objects.create(source=source, name="main", machine_count=4, machine_ids=[machines[0].pk])
    with CaptureQueriesContext(connection) as some:
        found = reader.get(path).json()
    assert len(some) == len(none)
    assert len(found["jobs"]["rows"]) == 4 and sorted(found["named"]) == sorted(each.pk for each in machines)
    assert found["partitions"] == [{"name": "main", "state": "", "machines": [machines[0].pk]}]
    assert found["scheduler"]["state"] == "good"


def test_a_site_without_a_scheduler_says_so(machines: list[Machine]) -> None:
    found = client(Role.VIEWER).get(f"/api/scheduler/floor/?site={Site.objects.get().pk}").json()
    assert found["scheduler"] is None and found["jobs"]["rows"] == []


def test_another_site_is_not_seen(source: SchedulerSource, machines: list[Machine]) -> None:
    found = job(source, machines[:1])
    stranger = client(Role.ADMIN, Site.objects.create(slug="osl1", name="Oslo 1"))
    assert stranger.get("/api/scheduler/jobs/").json()["count"] == 0
    assert stranger.get(f"/api/scheduler/jobs/{found.pk}/machines/").status_code == 404
    assert stranger.get(f"/api/scheduler/floor/?site={source.site_id}").status_code == 404
    assert stranger.get("/api/scheduler/partitions/").json()["results"] == []
    assert stranger.get(f"/api/runs/running-on/?on={machines[0].pk}").json()["hurt"] == []


def test_a_reservation_that_ended_is_not_listed(source: SchedulerSource) -> None:
    now = int(timezone.now().timestamp())
    kept = (
        Reservation("over", frozenset({"gpu1"}), now - 100, now - 50, "ann"),
        Reservation("soon", frozenset({"gpu1"}), now + 100, 2**40, "ann"),
    )
    queue.keep(source, view(reservations=kept), {"gpu1": 7})
    (row,) = client(Role.OPERATOR).get("/api/scheduler/reservations/").json()["results"]
    assert (row["name"], row["holders"], row["ends_at"], row["machines"]) == ("soon", "ann", None, 1)
    (row,) = client(Role.VIEWER).get("/api/scheduler/reservations/").json()["results"]
    assert row["holders"] is None
