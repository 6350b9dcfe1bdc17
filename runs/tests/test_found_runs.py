"""Runs that nobody reported: from the scheduler's jobs and the processes on GPUs to rows with ranks and their ends."""

from __future__ import annotations

import gzip
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import Role, Site
from drivers.scheduler import Job
from health.models import ActiveMachine, ActiveRun, GpuProcesses, MachineReport, SchedulerJob, SchedulerSource
from health.monitoring.models.verdicts import Layout
from health.schedulers.services import history
from health.tests import factories as make
from health.tests.test_api import signed_in
from health.tests.test_reports import make_source
from inventory.models import Machine
from live.models import Event
from runs.collection import answer
from runs.collection.script import JOURNAL
from runs.models import CollectedMachine, Collection, RunRank, TrainingRun
from runs.services import finding, judgement, pulse
from runs.tests.test_reported_runs import body, post, steps

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def machines() -> list[Machine]:
    return make.make_machines(2)


@pytest.fixture
def source(machines: list[Machine]) -> SchedulerSource:
    return SchedulerSource.objects.create(
        site=Site.objects.get(), url="http://127.0.0.1:1", state="good", last_read_at=timezone.now()
    )


def ago(minutes: float) -> datetime:
    return timezone.now() - timedelta(minutes=minutes)


def job(source: SchedulerSource, number: str = "88213", **more: Any) -> SchedulerJob:
    machines = list(Machine.objects.order_by("pk").values_list("pk", flat=True))
    fields = {"started_at": ago(60), "state": "running", "machine_count": 2, "machine_ids": machines, "gpus": 16}
    return SchedulerJob.objects.create(source=source, job_id=number, **(fields | more))


def ranks(
    machine: Machine, numbers: range, *, world: int = 16, began: float = 50.0, **more: Any
) -> list[dict[str, Any]]:
    """Rows of processes, one a GPU, that began so many minutes ago; the machine did two hours ago."""
    variables = {
        "WORLD_SIZE": str(world), "MASTER_ADDR": "gpu-ams1-0000", "MASTER_PORT": "29500",
        **{name: str(value) for name, value in more.items()},
    }  # fmt: skip
    return [
        {
            "pid": 100_000 - round(began * 100) + local, "parent": 1, "started_s": 7200 - began * 60, "user": "mk", "container": "",
            "gpus": [{"uuid": f"GPU-{machine.pk}-{local}", "slot": f"GPU {local}", "serial": f"S{local}", "gib": 70}],
            "variables": {"RANK": str(rank), "LOCAL_RANK": str(local), **variables},
        }
        for local, rank in enumerate(numbers)
    ]  # fmt: skip


BOOTED = timedelta(minutes=120)


def saw(machine: Machine, processes: list[dict[str, Any]], *, trouble: str = "", heard: bool = True) -> None:
    """What a sweep just saw there."""
    now = timezone.now()
    GpuProcesses.objects.update_or_create(
        machine=machine,
        defaults={
            "booted_at": now - BOOTED, "processes": processes, "trouble": trouble, "changed_at": now, "digest": str(now),
        },
    )  # fmt: skip
    layout, _ = Layout.objects.get_or_create(checks_version="1", model="m", digest="d", defaults={"entries": []})
    MachineReport.objects.update_or_create(
        machine=machine,
        defaults={"layout": layout, "verdicts": b"", "checked_at": now, "heard_at": now if heard else ago(600)},
    )


def states() -> list[tuple[str, int, int, str]]:
    return list(TrainingRun.objects.order_by("pk").values_list("key", "attempt", "repeat", "state"))


# ---- the scheduler ----
def test_a_gpu_job_that_nobody_reported_is_a_run_and_ends_as_the_scheduler_says(source: SchedulerSource) -> None:
    own = job(source)
    job(source, "9", gpus=0)
    assert finding.find() == 1
    run = TrainingRun.objects.get()
    assert (run.key, run.job, run.state, run.found_by) == ("88213", "88213", "running", ["scheduler"])
    assert finding.find() == 0, "the same again changes nothing"
    pulse.follow()
    assert states() == [("88213", 0, 0, "running")]

    SchedulerJob.objects.filter(pk=own.pk).update(state="timeout", ended_at=timezone.now(), exit_status=0, signal=15)
    assert finding.find() == 1
    run.refresh_from_db()
    assert run.state == "ended" and run.verdict["class"] == "slurm-timeout" and run.verdict["owner"] == "scheduler"
    told = signed_in(Role.VIEWER).get(f"/api/runs/{run.pk}/").json()
    assert (told["scheduler"]["state"], told["scheduler"]["signal"], told["found_by"]) == ("timeout", 15, ["scheduler"])
    assert finding.find() == 0


def test_a_launch_check_is_no_training_run(machines: list[Machine], source: SchedulerSource) -> None:
    job(source, name="rackside-12.34.1-9f3a51c2")
    check = ActiveRun.objects.create(site=source.site, kind="groups", status="running", requested_by="olga")
    ActiveMachine.objects.bulk_create(ActiveMachine(run=check, machine=machine) for machine in machines)
    for number, machine in enumerate(machines):
        saw(machine, ranks(machine, range(8 * number, 8 * number + 8), SLURM_JOB_ID=88213))
    assert finding.find() == 0 and not TrainingRun.objects.exists()
    ActiveMachine.objects.update(released_at=timezone.now())
    assert finding.find() == 1, "what runs there without a check is one"


def test_where_the_scheduler_does_not_say_the_machines_tell_whether_a_job_has_gpus(source: SchedulerSource) -> None:
    job(source, "5", gpus=None)
    job(source, "6", gpus=None, machine_ids=[10**9])
    finding.find()
    assert [key for key, *_ in states()] == ["5"]


def test_a_job_that_is_requeued_at_once_has_a_run_for_each_start(source: SchedulerSource) -> None:
    job(source, state="node_fail", started_at=ago(4), ended_at=ago(2))
    job(source, started_at=ago(1), restarts=1)
    assert finding.find() == 2
    assert finding.find() == 0
    assert states() == [("88213", 0, 0, "failed"), ("88213", 1, 0, "running")]
    assert TrainingRun.objects.get(attempt=0).verdict["class"] == "slurm-nodefail"


@pytest.mark.parametrize(
    ("word", "state"),
    [("completed", "completed"), ("failed", "failed"), ("out_of_memory", "failed"), ("cancelled", "ended"), ("unknown", "ended")],
)  # fmt: skip
def test_a_job_that_ended_before_it_was_found_is_an_ended_run(source: SchedulerSource, word: str, state: str) -> None:
    job(source, state=word, ended_at=ago(5))
    finding.find()
    assert [row[-1] for row in states()] == [state]


def test_a_reported_run_joins_its_job_and_is_one_row(source: SchedulerSource) -> None:
    token = make_source(name="trainer")[1]
    own = job(source, started_at=ago(2))
    finding.find()
    assert post(token, body(ranks=range(8), steps=[steps(0, 5, end=timezone.now().timestamp())])).status_code == 200
    run = TrainingRun.objects.get()
    assert run.found_by == ["report", "scheduler"] and run.scheduler_job == own and run.steps == 5
    assert run.name == "kestrel-405b" and run.ranks.count() == 8


def test_a_job_that_is_found_after_its_report_joins_it(source: SchedulerSource) -> None:
    token = make_source(name="trainer")[1]
    post(token, body(ranks=range(8)))
    own = job(source, started_at=ago(2))
    finding.find()
    run = TrainingRun.objects.get()
    assert run.found_by == ["report", "scheduler"] and run.scheduler_job == own


def test_a_requeued_job_is_another_attempt(source: SchedulerSource) -> None:
    job(source, state="requeued", started_at=ago(60), ended_at=ago(20))
    finding.find()
    job(source, started_at=ago(15), restarts=1)
    finding.find()
    assert states() == [("88213", 0, 0, "ended"), ("88213", 1, 0, "running")]


def test_a_job_id_that_is_used_again_is_another_run(source: SchedulerSource) -> None:
    token = make_source(name="trainer")[1]
    job(source, state="completed", started_at=ago(900), ended_at=ago(800))
    finding.find()
    job(source, started_at=ago(3))
    finding.find()
    assert states() == [("88213", 0, 0, "completed"), ("88213", 0, 1, "running")]
    post(token, body(ranks=range(8), steps=[steps(0, 3, end=timezone.now().timestamp())]))
    old, new = TrainingRun.objects.order_by("pk")
    assert (old.steps, new.steps, new.found_by) == (0, 3, ["report", "scheduler"])


def test_a_reported_job_id_that_is_used_again_does_not_go_on_in_the_old_run(machines: list[Machine]) -> None:
    token, now = make_source(name="trainer")[1], timezone.now().timestamp()
    post(token, body(ranks=range(8), steps=[steps(0, 3, end=now - 3600)], ended=[{"rank": 0, "at": now - 3590}]))
    post(token, body(ranks=range(8), steps=[steps(0, 3, end=now)]))
    assert states() == [("88213", 0, 0, "completed"), ("88213", 0, 1, "running")]
    post(token, body(ranks=range(8), steps=[steps(3, 1, end=now - 3598)]))
    assert [run.steps for run in TrainingRun.objects.order_by("pk")][1] == 3, "what comes late is of the old one"


def test_tasks_of_an_array_are_runs_and_components_of_a_heterogeneous_job_one(source: SchedulerSource) -> None:
    job(source, "91", label="90_1")
    job(source, "92", label="90_2")
    job(source, "700", label="700", component=0, gpus=0)  # the leading one has processors only
    job(source, "701", label="700", component=1)
    finding.find()
    assert sorted(key for key, *_ in states()) == ["700", "90_1", "90_2"]


# ---- processes ----
def test_processes_of_a_run_outside_any_scheduler_are_a_run_with_placed_ranks(machines: list[Machine]) -> None:
    one, two = machines
    saw(one, ranks(one, range(8)))
    saw(two, ranks(two, range(8, 16)))
    assert finding.find() == 1
    run = TrainingRun.objects.get()
    assert (run.key, run.world_size, run.state, run.found_by, run.user) == (
        "gpu-ams1-0000:29500", 16, "running", ["processes"], "mk",
    )  # fmt: skip
    rank = RunRank.objects.get(rank=11)
    assert (rank.machine, rank.slot, rank.serial) == (two, "GPU 3", "S3")
    assert finding.find() == 0
    pulse.follow()
    assert states()[0][-1] == "running"

    for machine in machines:
        saw(machine, [])
    assert finding.find() == 1
    assert states()[0][-1] == "ended"
    assert Event.objects.filter(kind="training_run.changed").count() == 2


def test_processes_of_a_job_join_the_run_of_the_job(source: SchedulerSource, machines: list[Machine]) -> None:
    job(source)
    finding.find()
    saw(machines[0], ranks(machines[0], range(8), world=8, SLURM_JOB_ID=88213))
    finding.find()
    run = TrainingRun.objects.get()
    assert run.found_by == ["processes", "scheduler"] and run.ranks.count() == 8 and run.world_size == 8
    saw(machines[0], [])
    finding.find()
    assert states()[0][-1] == "running", "how it ended, the scheduler says"


def test_a_machine_that_refuses_or_is_not_heard_ends_no_run_and_no_rank(machines: list[Machine]) -> None:
    one, two = machines
    for machine, numbers in ((one, range(8)), (two, range(8, 16))):
        saw(machine, ranks(machine, numbers))
    finding.find()
    saw(one, [], trouble="refused: only root may read whose processes hold its GPUs")
    saw(two, [], heard=False)
    assert finding.find() == 0
    run = TrainingRun.objects.get()
    assert run.state == "running" and not RunRank.objects.exclude(gone_at=None).exists()
    told = signed_in(Role.VIEWER).get(f"/api/runs/{run.pk}/roll-call/").json()
    assert [each["name"] for each in told["unknown"]] == ["gpu-ams1-0000", "gpu-ams1-0001"]
    assert told["missing"] == [] and "not known" in told["sentences"][-1]


def test_a_rank_whose_process_is_gone_while_the_others_go_on_is_told(machines: list[Machine]) -> None:
    one = machines[0]
    saw(one, ranks(one, range(8), world=8))
    finding.find()
    saw(one, ranks(one, range(8), world=8)[:-1])
    finding.find()
    run = TrainingRun.objects.get()
    told = signed_in(Role.VIEWER).get(f"/api/runs/{run.pk}/roll-call/").json()
    assert told["gone"] == [[7, 7]] and told["missing"] == []
    saw(one, ranks(one, range(8), world=8))
    finding.find()
    assert not RunRank.objects.exclude(gone_at=None).exists()


def test_missing_and_doubled_ranks_are_told_by_the_api(machines: list[Machine]) -> None:
    one, two = machines
    saw(one, ranks(one, range(8), world=12))
    saw(two, ranks(two, range(7, 10), world=12))
    finding.find()
    run = TrainingRun.objects.get()
    told = signed_in(Role.VIEWER).get(f"/api/runs/{run.pk}/roll-call/").json()
    assert told["counted"] and told["missing"] == [[10, 11]]
    assert told["doubled"] == [{"rank": 7, "at": ["gpu-ams1-0000 GPU 7", "gpu-ams1-0001 GPU 0"]}]


def test_of_a_run_whose_processes_were_never_seen_no_rank_is_missing(source: SchedulerSource) -> None:
    token = make_source(name="trainer")[1]
    post(token, body(ranks=range(1)))
    told = signed_in(Role.VIEWER).get(f"/api/runs/{TrainingRun.objects.get().pk}/roll-call/").json()
    assert (told["counted"], told["missing"], told["world_size"]) == (False, [], 16)


def test_a_restart_between_two_sweeps_is_another_run(machines: list[Machine]) -> None:
    one = machines[0]
    saw(one, ranks(one, range(8), world=8))
    finding.find()
    saw(one, ranks(one, range(8), world=8, began=2))
    finding.find()
    assert states() == [("gpu-ams1-0000:29500", 0, 0, "ended"), ("gpu-ams1-0000:29500", 0, 1, "running")]


def test_an_elastic_restart_that_changes_the_world_size_is_another_run(machines: list[Machine]) -> None:
    one, two = machines
    told: dict[str, Any] = {"TORCHELASTIC_RUN_ID": "night", "TORCHELASTIC_RESTART_COUNT": 0}
    saw(one, ranks(one, range(8), **told))
    saw(two, ranks(two, range(8, 16), **told))
    finding.find()
    saw(one, ranks(one, range(8), world=8, began=2, **told))
    saw(two, [])
    finding.find()
    assert states() == [("night", 0, 0, "ended"), ("night", 0, 1, "running")]
    assert list(TrainingRun.objects.order_by("pk").values_list("world_size", flat=True)) == [16, 8]


def test_reports_of_another_world_size_are_another_run(machines: list[Machine]) -> None:
    token, now = make_source(name="trainer")[1], timezone.now().timestamp()
    told = body(ranks=range(8), steps=[steps(0, 3, end=now - 60)])
    post(token, told)
    again = body(ranks=range(8), steps=[steps(3, 3, end=now)])
    again["run"]["world_size"] = 8
    post(token, again)
    post(token, told)
    assert [(run.world_size, run.steps) for run in TrainingRun.objects.order_by("pk")] == [(16, 3), (8, 3)]


def test_several_runs_on_one_machine_are_rows_of_their_own(machines: list[Machine]) -> None:
    one = machines[0]
    second = ranks(one, range(4), world=4, began=40, MASTER_PORT=29501)
    for row, gpu in zip(second, range(4, 8), strict=True):
        row["gpus"][0]["slot"] = f"GPU {gpu}"
    saw(one, ranks(one, range(4), world=4) + second)
    assert finding.find() == 2
    assert finding.find() == 0
    assert sorted(RunRank.objects.filter(rank=0).values_list("slot", flat=True)) == ["GPU 0", "GPU 4"]


def test_processes_left_behind_by_an_ended_job_are_no_run_of_their_own(
    source: SchedulerSource, machines: list[Machine]
) -> None:
    own = job(source)
    saw(machines[0], ranks(machines[0], range(8), world=8, SLURM_JOB_ID=88213))
    finding.find()
    SchedulerJob.objects.filter(pk=own.pk).update(state="completed", ended_at=timezone.now())
    finding.find()
    finding.find()
    assert states() == [("88213", 0, 0, "completed")]


def test_a_report_does_not_move_a_rank_off_the_gpu_its_process_holds(machines: list[Machine]) -> None:
    token = make_source(name="trainer")[1]
    rows = ranks(machines[0], range(8), world=16, SLURM_JOB_ID=88213)
    rows[0]["gpus"][0]["slot"] = "GPU 7"
    saw(machines[0], rows)
    finding.find()
    post(token, body(ranks=range(8)))
    assert RunRank.objects.get(rank=0).slot == "GPU 7"


def test_a_found_run_that_nobody_sees_any_more_is_unknown(source: SchedulerSource) -> None:
    job(source)
    finding.find()
    TrainingRun.objects.update(last_report_at=ago(45))
    pulse.follow()
    assert states()[0][-1] == "unknown"


def test_a_rank_of_a_failed_run_keeps_its_end_beside_what_the_scheduler_says(source: SchedulerSource) -> None:
    token, now = make_source(name="trainer")[1], timezone.now().timestamp()
    own = job(source, started_at=ago(5))
    post(token, body(ranks=range(8), steps=[steps(0, 5, end=now - 30)]))
    finding.find()
    SchedulerJob.objects.filter(pk=own.pk).update(state="failed", ended_at=timezone.now(), exit_status=1)
    finding.find()
    post(token, body(ended=[{"rank": 2, "at": now - 5, "error": "Traceback\nKeyError: 'input_ids'"}]))
    run = TrainingRun.objects.get()
    judgement.judge_run(run.pk)
    run.refresh_from_db()
    assert run.state == "failed" and run.verdict["class"] == "user-error"


# ---- whose it is ----
@pytest.mark.parametrize(
    ("shown_to", "role", "seen"),
    [
        ("operator", Role.VIEWER, False),
        ("operator", Role.OPERATOR, True),
        ("viewer", Role.VIEWER, True),
        ("nobody", Role.ADMIN, False),
    ],
)
def test_users_are_shown_and_found_only_by_whom_the_site_allows(
    settings: Settings, machines: list[Machine], shown_to: str, role: Role, seen: bool
) -> None:
    settings.JOB_USERS = shown_to
    saw(machines[0], ranks(machines[0], range(8), world=8))
    finding.find()
    client: Client = signed_in(role)
    assert [run["user"] for run in client.get("/api/runs/").json()["results"]] == ["mk" if seen else ""]
    assert client.get("/api/runs/?user=mk").json()["count"] == int(seen)
    assert client.get("/api/runs/?search=mk").json()["count"] == int(seen)
    assert client.get("/api/runs/?search=29500").json()["count"] == 1


def test_a_rank_leads_to_serial_cable_and_switch_port(machines: list[Machine]) -> None:
    saw(machines[0], ranks(machines[0], range(8), world=8))
    finding.find()
    run = TrainingRun.objects.get()
    told = signed_in(Role.VIEWER).get(f"/api/runs/{run.pk}/ranks/3/").json()
    assert told["serial"] == "S3" and told["hca"] and told["pid"] and told["place"]
    assert told["cable"] is None and told["switch_port"] is None


# ---- ends that were guessed ----
def accounted(own: SchedulerJob, state: str, **more: Any) -> None:
    """What the accounting says of a job, kept as it is read."""
    told = Job(
        own.job_id, state, False, frozenset({"m"}), int(own.started_at.timestamp()), int(ago(3).timestamp()),
        **({"exit_status": 0} | more),
    )  # fmt: skip
    history.keep(own.source, [told], {"m": own.machine_ids[0]})


@pytest.mark.parametrize(
    ("guess", "said", "state", "cause"),
    [
        ("unknown", "out_of_memory", "failed", "slurm-oom"),
        ("node_fail", "completed", "completed", None),
        ("unknown", "timeout", "ended", "slurm-timeout"),
        ("node_fail", "cancelled", "ended", "slurm-cancel"),
    ],
)
def test_a_verdict_from_a_guessed_end_is_made_again_when_the_accounting_corrects_it(
    source: SchedulerSource, guess: str, said: str, state: str, cause: str | None
) -> None:
    began = ago(60).replace(microsecond=0)
    own = job(source, state=guess, started_at=began, ended_at=ago(1))
    finding.find()
    run = TrainingRun.objects.get()
    assert (run.verdict or {}).get("class") == {"node_fail": "slurm-nodefail"}.get(guess)
    assert not finding.correct_end(run.pk), "nothing is known better yet"

    accounted(own, said)
    assert finding.correct_end(run.pk)
    run.refresh_from_db()
    own.refresh_from_db()
    assert (run.state, run.ended_at, (run.verdict or {}).get("class")) == (state, own.ended_at, cause)
    before = TrainingRun.objects.values().get()
    assert not finding.correct_end(run.pk) and finding.find() == 0
    assert TrainingRun.objects.values().get() == before


@pytest.mark.parametrize(("minutes", "counts"), [(90, False), (2, True)])
def test_a_corrected_end_is_not_put_down_to_what_a_kernel_said_before_the_run_began(
    source: SchedulerSource, machines: list[Machine], minutes: int, counts: bool
) -> None:
    own = job(source, state="unknown", started_at=ago(60).replace(microsecond=0), ended_at=ago(1))
    finding.find()
    run = TrainingRun.objects.get()
    xid = "NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus."
    said = f"1:0:{ago(minutes):%Y-%m-%dT%H:%M:%S+0000} kernel: {xid}\n"
    kept = answer.packed([answer.Piece("log.found", None, answer.OK, JOURNAL, gzip.compress(said.encode()))])
    row = Collection.objects.create(run=run, site_id=run.site_id, status="done", finished_at=timezone.now())
    CollectedMachine.objects.create(
        collection=row, machine=machines[0], name=machines[0].device.name, result="ok", evidence=kept, size=len(kept)
    )
    accounted(own, "failed", exit_status=1)
    assert finding.correct_end(run.pk)
    run.refresh_from_db()
    assert ((run.verdict or {}).get("class") == "gpu-lost") is counts


def test_a_correction_is_asked_for_until_it_is_done(source: SchedulerSource, monkeypatch: pytest.MonkeyPatch) -> None:
    own = job(source, state="unknown", started_at=ago(60).replace(microsecond=0), ended_at=ago(1))
    finding.find()
    accounted(own, "failed", exit_status=1)
    asked: list[int] = []
    monkeypatch.setattr(finding, "after_commit", lambda task, pk, **more: asked.append(pk))
    finding.find()
    finding.find()
    run = TrainingRun.objects.get()
    assert asked == [run.pk, run.pk]
    finding.correct_end(run.pk)
    finding.find()
    assert len(asked) == 2


def test_what_ranks_said_of_their_end_is_judged_again_by_what_they_said(source: SchedulerSource) -> None:
    own = job(source, state="node_fail", started_at=ago(60).replace(microsecond=0), ended_at=ago(1))
    finding.find()
    run = TrainingRun.objects.get()
    error = "Traceback (most recent call last):\n  File \"train.py\", line 3\nKeyError: 'lr'"
    RunRank.objects.create(run=run, rank=0, machine_name="gpu-ams1-0000", error=error, ended_at=ago(2))
    accounted(own, "failed", exit_status=1)
    finding.correct_end(run.pk)
    run.refresh_from_db()
    assert (run.state, run.verdict["class"]) == ("failed", "user-error")


def test_a_run_that_nobody_saw_end_ends_as_its_job_when_the_accounting_knows_it(
    source: SchedulerSource, machines: list[Machine]
) -> None:
    now = timezone.now()
    run = TrainingRun.objects.create(
        site=source.site, key="88213", job="88213", started_at=ago(60), last_report_at=ago(60 * 25), state="unknown"
    )
    TrainingRun.objects.filter(pk=run.pk).update(started_at=ago(60 * 26))
    pulse.follow()
    run.refresh_from_db()
    assert (run.state, run.ended_as) == ("ended", "unseen")
    job(source, started_at=ago(60 * 26), ended_at=now, state="out_of_memory", exit_status=1)
    finding.find()
    assert finding.correct_end(run.pk)
    run.refresh_from_db()
    assert (run.state, run.ended_at, run.verdict["class"]) == ("failed", now, "slurm-oom")


def test_an_end_that_ranks_reported_is_not_the_schedulers_to_correct(source: SchedulerSource) -> None:
    token = make_source(name="trainer")[1]
    end = ago(2).timestamp()
    post(token, body(steps=[steps(1, 20, end=end)], ended=[{"rank": 0, "at": end, "error": ""}]))
    job(source, state="unknown", ended_at=ago(1))
    finding.find()
    run = TrainingRun.objects.get()
    assert (run.state, run.ended_as) == ("completed", "")
    assert not finding.correct_end(run.pk)
