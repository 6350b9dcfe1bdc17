"""The ways of a site: who keeps them, what they say, which one a run takes; what is usual where no model says it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from health.checks import Expectation
from health.diagnostics import services
from health.diagnostics.services import rounds, slurm_jobs, usual
from health.diagnostics.services.candidates import Candidate, job_refuses
from health.diagnostics.ways import Way, WayRefused
from health.models import ActiveRun, ActiveStep, LaunchWay, MachineHealth, SchedulerMachine, SchedulerPartition
from health.tests import factories as make
from health.tests.test_api import signed_in
from inventory.models import Machine

pytestmark = pytest.mark.django_db
WAYS, RUNS = "/api/health/launch-ways/", "/api/health/active-runs/"


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def machines() -> list[Machine]:
    found = make.make_machines(4)
    MachineHealth.objects.update(state="drained")
    return found


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(path, body, content_type="application/json")


def site_id() -> int:
    return Site.objects.get(slug="ams1").pk


def test_an_administrator_keeps_the_ways_of_a_site_and_others_read_them(machines: list[Machine]) -> None:
    admin, viewer = signed_in(Role.ADMIN, name="ada"), signed_in(Role.VIEWER, name="vera")
    body = {"site": site_id(), "name": "Slurm", "way": "srun", "partition": "train"}
    assert post(viewer, WAYS, **body).status_code == post(signed_in(), WAYS, **body).status_code == 403
    made = post(admin, WAYS, **body).json()
    assert (made["program"], made["usual"]) == ("nccl-tests", "srun --cpu-bind=none --mpi=pmix {container} {program}")
    assert post(admin, WAYS, **body).status_code == 409
    assert viewer.get(WAYS, {"site": site_id()}).json()["results"] == [made]
    path = f"{WAYS}{made['id']}/"
    changed = admin.patch(path, {"program": "torch", "image": "a/b:1"}, content_type="application/json").json()
    assert (
        changed["usual"] == "srun --cpu-bind=none {container} {program} --master {first}:{port}"
        and changed["image"] == "a/b:1"
    )
    refused = admin.patch(path, {"way": "mpi"}, content_type="application/json")
    assert refused.status_code == 400 and "for a job of Slurm" in str(refused.json()["error"]["fields"])
    assert admin.delete(path).status_code == 204 and not LaunchWay.objects.exists()


def test_what_runs_on_machines_is_written_by_administrators_of_every_site(machines: list[Machine]) -> None:
    own = signed_in(Role.ADMIN, name="anna", site=Site.objects.get(slug="ams1"))
    body = {"site": site_id(), "name": "mpi", "way": "mpi"}
    assert post(own, WAYS, **body, command="mpirun {program}; reboot").status_code == 403
    assert post(own, WAYS, **body).status_code == 201
    elsewhere = Site.objects.create(slug="else", name="Else")
    assert post(own, WAYS, **{**body, "site": elsewhere.pk}).status_code == 400


def test_a_run_takes_the_sites_first_way_unless_told_and_keeps_it_as_it_was(machines: list[Machine]) -> None:
    ids = [machine.pk for machine in machines[:2]]
    site = site_id()
    assert services.create(site, "groups", ids, by="olga").launch["way"] == "ssh"
    LaunchWay.objects.create(site_id=site, name="torchrun", way="torchrun", program="torch", position=1)
    second = LaunchWay.objects.create(site_id=site, name="mpi", way="mpi", position=2)
    LaunchWay.objects.create(site_id=site, name="off", way="srun", enabled=False)
    ids = [machine.pk for machine in machines[2:]]
    answer = post(signed_in(), RUNS, kind="groups", machines=ids, way="mpi")
    assert answer.status_code == 201, answer.content
    run = ActiveRun.objects.get(pk=answer.json()["id"])
    second.delete()
    assert run.launch["way"] == "mpi" and len(run.launch["key"]) == 8
    assert signed_in(Role.VIEWER, name="vera").get(f"{RUNS}{run.pk}/").json()["way"] == "mpi"
    assert [way.name for way in services.ways_at_site(site)] == ["torchrun"]
    lost = post(signed_in(), f"{RUNS}plan/", kind="groups", machines=ids, way="off")
    assert lost.status_code == 400 and "no way 'off'" in str(lost.json()["error"]["fields"])
    with pytest.raises(WayRefused):
        services.way_of_site(site, "mpi")


def test_through_slurm_a_machine_out_of_service_is_left_out_of_the_plan(machines: list[Machine]) -> None:
    LaunchWay.objects.create(site_id=site_id(), name="Slurm", way="srun")
    ids = [machine.pk for machine in machines[:2]]
    plan = post(signed_in(), f"{RUNS}plan/", kind="groups", machines=ids, options={"whole": True}).json()
    assert plan["machines"] == [] and "Slurm starts no job there: return it to service" in plan["left_out"][0]["reason"]


def told(**more: Any) -> SchedulerMachine:
    values = {"machine_id": 1, "name": "gpu-1", "state": "idle", "closed": False, "answers": True, "words": "idle"}
    return SchedulerMachine(**(values | more))


@pytest.mark.parametrize(
    ("machine", "partition", "words"),
    [
        (told(), None, ""),
        (told(closed=True, reason="a riser"), None, "it is drained in Slurm: a riser"),
        (told(answers=False, words="idle*"), None, "it does not answer Slurm: idle*"),
        (told(), SchedulerPartition(name="train", machine_ids=[2]), "it is not in the partition train"),
        (told(), SchedulerPartition(name="train", machine_ids=[1], state="down"), "the partition train is down"),
        (told(), SchedulerPartition(name="train", machine_ids=[1], state="up"), ""),
    ],
)
def test_why_slurm_would_not_start_a_job_is_told_before_it_is_asked(
    machine: SchedulerMachine, partition: SchedulerPartition | None, words: str
) -> None:
    job = Way("srun", partition="train" if partition else "")
    assert job_refuses(machine, job, partition) == words
    if partition:
        assert job_refuses(machine, job, None) == "it is not in the partition train"


# ---- all machines at once ----


def launched(machines: list[Machine], **more: Any) -> tuple[ActiveRun, list[Candidate]]:
    run = ActiveRun.objects.create(
        site_id=site_id(), kind="groups", status="running", requested_by="olga", options={"whole": True}, **more
    )
    return run, [Candidate(machine.pk, machine.device.name, make.spec(), False) for machine in machines]


def ended(run: ActiveRun, step: ActiveStep, verdict: str, **more: Any) -> ActiveStep:
    step.status, step.verdict, step.attempts = "done", verdict, more.pop("attempts", 1)
    for name, value in more.items():
        setattr(step, name, value)
    step.save()
    run.rounds += 1
    run.save()
    return step


@pytest.mark.parametrize(("verdict", "goes_on"), [("pass", False), ("fail", True), ("unknown", True)])
def test_the_search_begins_only_where_all_machines_together_did_not_pass(
    machines: list[Machine], verdict: str, goes_on: bool
) -> None:
    run, some = launched(machines)
    (step,) = rounds.next_steps(run, some, [])
    assert (step.level, step.machine_ids) == ("whole", [machine.pk for machine in machines])
    ended(run, step, verdict)
    following = rounds.next_steps(run, some, [step])
    assert bool(following) is goes_on and all(each.level == "members" for each in following)
    assert rounds.conclusions(run, some, [step]) == {}


def test_a_set_that_is_not_whole_any_more_or_was_refused_as_a_whole_is_not_tested_in_part(
    machines: list[Machine],
) -> None:
    run, some = launched(machines, left_out=[{"machine_id": 1, "name": "x", "reason": "y"}])
    assert rounds.next_steps(run, some[1:], []) == []
    run, some = launched(machines)
    (step,) = rounds.next_steps(run, some, [])
    ended(run, step, "unknown", attempts=0)
    assert rounds.next_steps(run, some, [step]) == []


# ---- what is usual ----


def measured(machines: list[Machine], us: float, verdict: str = "pass", program: str = "nccl-tests") -> ActiveStep:
    run, _ = launched(machines, launch={"program": program})
    row = {"check": "nvlink.allreduce_latency", "part": "machine", "verdict": "ok", "value": us}
    return ActiveStep.objects.create(
        run=run, round=1, number=1, kind="groups", machine_ids=[machine.pk for machine in machines], status="done",
        verdict=verdict, findings=[row], finished_at=timezone.now(),
    )  # fmt: skip


def test_the_usual_latency_is_the_median_of_equal_groups_that_passed(machines: list[Machine]) -> None:
    for us in (20.0, 21.0, 22.0, 90.0):
        measured(machines, us)
    measured(machines[:2], 9.0)
    measured(machines, 400.0, verdict="fail")
    measured(machines, 900.0, program="torch")
    now = measured(machines, 50.0)
    assert usual.usual_us(now) == 0, "four results say nothing of what is usual"
    measured(machines, 23.0)
    assert usual.usual_us(now) == 22.0
    told = usual.beside(Expectation(make.spec()), now)
    assert told.thresholds_of["nvlink.allreduce_latency"] == {"all_reduce_latency_usual_us": 22.0}
    said = Expectation(make.spec(), thresholds={"all_reduce_latency_us": 30})
    assert usual.beside(said, now) is said, "what the model or the site says is not overridden"


def test_a_job_whose_names_changed_is_still_ended_under_all_of_them(machines: list[Machine]) -> None:
    run, _ = launched(machines, launch={"way": "srun", "key": "ab12"})
    step = ActiveStep(pk=7, run=run, machine_ids=[machines[0].pk], attempts=2)
    job = slurm_jobs.named(run, step)
    assert job.names == [f"rackside-{run.pk}.7.1-ab12", f"rackside-{run.pk}.7.2-ab12"] and job.name == job.names[-1]
