"""Drains and resumes of machines with a real Slurm behind them: scontrol over a real sshd, reading over slurmrestd."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from core.models import Site
from core.services import set_credential
from drivers.tests.ports import until
from drivers.tests.slurm import PrivateSlurm
from health import services
from health.insights.queries.lemons import lemons
from health.machines.calls import Report
from health.machines.lifecycle import LifecycleEvent
from health.machines.workload import Workload
from health.models import (
    Hold,
    LifecycleChange,
    MachineHealth,
    RemediationAction,
    SchedulerChange,
    SchedulerJob,
    SchedulerMachine,
    SchedulerPartition,
    SchedulerSource,
    SchedulerWish,
    WaitingJob,
)
from health.monitoring.services import partitions
from health.overview.queries import timeline
from health.remediation import executors
from health.remediation.executors import Answer, Job, Simple, not_sent
from health.remediation.services import actions, by_hand
from health.schedulers.services import delivery, desired_state, readings
from health.schedulers.services.reach import NO_SCHEDULER, facts_now, facts_of_many
from health.tests.factories import health, make_machines
from health.tests.scheduler_steps import drain, look, wish
from inventory.models import Machine
from live.models import Event

pytestmark = [pytest.mark.services, pytest.mark.django_db]
NAMES = [f"gpu-ams1-{number:04}" for number in range(3)]


@pytest.fixture
def slurm() -> Iterator[PrivateSlurm]:
    with PrivateSlurm(NAMES) as running:
        running.target = running.start_sshd()  # type: ignore[attr-defined]
        yield running


@pytest.fixture
def machines(slurm: PrivateSlurm) -> list[Machine]:
    slurm.command("scancel", "-u", getpass.getuser())
    for name in NAMES:
        if slurm.state(name) != "idle":  # also one that a job of the test before still holds
            slurm.scontrol("update", f"NodeName={name}", "State=DOWN", "Reason=the next test begins")
            slurm.scontrol("update", f"NodeName={name}", "State=RESUME")
    until(lambda: all(slurm.state(name) == "idle" for name in NAMES), 60, "the machines are not idle")
    return make_machines(3)


@pytest.fixture
def source(slurm: PrivateSlurm, machines: list[Machine]) -> SchedulerSource:
    target = slurm.target  # type: ignore[attr-defined]
    return SchedulerSource.objects.create(
        site=Site.objects.get(),
        url=slurm.url,
        credential=set_credential(
            "slurm", kind="password", username="root", secret=slurm.key_text, purpose="slurm", hosts=["127.0.0.1"]
        ),
        ssh_address=f"127.0.0.1:{target.port}",
        ssh_credential=set_credential(
            "login", kind="ssh_key", username=target.username, secret=slurm.ssh_key, purpose="ssh", hosts=["127.0.0.1"]
        ),
        settle_s=0,
    )


def test_a_drain_is_sent_with_its_incident_completed_by_slurm_and_resumed(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[0]
    drain(machine)
    assert health(machine).state == "draining" and wish(machine).status == "waiting"
    look(source)
    assert health(machine).state == "draining", "nothing was sent yet"
    assert delivery.send(machine.pk) == "done"
    assert slurm.reason(NAMES[0]) == "rackside: incident 12: GPU 5: missing"
    look(source)
    assert health(machine).state == "drained"
    said = facts_now(machine.pk)
    assert said.drained is True and said.reason == "rackside: incident 12: GPU 5: missing"
    services.return_to_service(machine.pk, reason="repaired", actor="ann")
    assert health(machine).state == "ready" and slurm.state(NAMES[0]).startswith("drained")
    assert delivery.send(machine.pk) == "done" and slurm.state(NAMES[0]).startswith("idle")
    look(source, 1)
    kinds = [(each.kind, each.ours) for each in SchedulerChange.objects.filter(machine=machine).order_by("id")]
    assert kinds == [("drained", True), ("resumed", True)]
    assert not Event.objects.filter(kind="scheduler.resumed_by_other").exists()


def test_a_running_job_keeps_a_machine_draining_until_it_ends(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[1]
    MachineHealth.objects.update(reachability="reachable", worst="ok")
    job = slurm.run_job(NAMES[1])
    look(source, 1)
    assert health(machine).cell == "allocated"
    assert health(machine).allocation == "allocated"
    services.change_state(machine.pk, LifecycleEvent.START_REPAIR, reason="REP-9 was taken", actor="tina")
    delivery.send(machine.pk)
    look(source, 3)
    assert health(machine).state == "draining" and facts_now(machine.pk).jobs == 1
    assert slurm.job_state(job) == "RUNNING"
    slurm.cancel(job)
    until(lambda: facts_now(machine.pk).drained is True, 20, "the job does not end")
    look(source, 3)
    assert health(machine).state == "repair" and health(machine).allocation == "idle"
    last = LifecycleChange.objects.filter(machine=machine).first()
    assert last is not None and (last.actor, last.reason) == ("tina", "REP-9 was taken")


def test_two_looks_without_a_job_must_lie_apart(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    SchedulerSource.objects.update(settle_s=30)
    drain(machines[0])
    delivery.send(machines[0].pk)
    look(source, 3)
    assert health(machines[0]).state == "draining"
    SchedulerWish.objects.update(
        idle_since=timezone.now() - timedelta(seconds=31), wished_at=timezone.now() - timedelta(seconds=60)
    )
    look(source, 1)
    assert health(machines[0]).state == "drained"


def test_a_drain_of_an_administrator_counts_and_is_never_resumed(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[2]
    slurm.scontrol("update", f"NodeName={NAMES[2]}", "State=DRAIN", "Reason=bob: new riser")
    drain(machine)
    assert delivery.send(machine.pk) == "theirs"
    look(source)
    assert health(machine).state == "drained", "nothing runs there, whoever drained it"
    services.return_to_service(machine.pk, reason="fine", actor="ann")
    assert delivery.send(machine.pk) == "theirs" and "not ours" in wish(machine).error
    assert slurm.state(NAMES[2]).startswith("drained") and slurm.reason(NAMES[2]) == "bob: new riser"


def test_an_administrator_who_resumes_our_drain_is_heard_and_not_fought(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[0]
    look(source, 1)
    drain(machine)
    delivery.send(machine.pk)
    look(source)
    slurm.scontrol("update", f"NodeName={NAMES[0]}", "State=RESUME")
    look(source)
    event = Event.objects.get(kind="scheduler.resumed_by_other")
    assert event.data["machine"] == machine.pk and "incident 12" in event.data["reason"]
    assert wish(machine).status == "theirs" and desired_state.WORK.due_ids() == []
    assert not slurm.state(NAMES[0]).startswith("dra")
    assert SchedulerChange.objects.filter(machine=machine, kind="resumed", ours=False).exists()


@pytest.mark.slow
def test_news_from_before_a_drain_was_sent_does_not_undo_it(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    """A read that began before the drain was written finds the machine open: that is nobody's resume."""
    machine = machines[0]
    look(source, 1)
    drain(machine)
    delivery.send(machine.pk)
    SchedulerWish.objects.update(done_at=timezone.now() + timedelta(minutes=1))
    slurm.scontrol("update", f"NodeName={NAMES[0]}", "State=RESUME")
    look(source, 1)
    assert wish(machine).status == "done" and not Event.objects.filter(kind="scheduler.resumed_by_other").exists()
    # Not earlier: a machine that registered after its drain was written would have forgotten it.
    SchedulerWish.objects.update(done_at=timezone.now())
    look(source, 1)
    event = Event.objects.get(kind="scheduler.resumed_by_other")
    assert event.data["machine"] == machine.pk, "it is noticed by a later read, though nothing changed since"
    assert health(machine).state == "ready", "whoever resumed it gave it back: it does not stay draining here"


@pytest.mark.slow
def test_an_edit_of_our_reason_makes_the_drain_theirs(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[0]
    drain(machine)
    delivery.send(machine.pk)
    look(source)
    slurm.scontrol("update", f"NodeName={NAMES[0]}", "State=DRAIN", "Reason=bob keeps it")
    look(source, 1)
    assert wish(machine).status == "theirs" and "bob keeps it" in wish(machine).error
    services.return_to_service(machine.pk, reason="repaired", actor="ann")
    assert delivery.send(machine.pk) == "theirs" and slurm.state(NAMES[0]).startswith("drained")


@pytest.mark.slow
def test_slurmctld_that_was_killed_gets_the_wish_when_it_is_back(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[1]
    look(source, 1)
    slurm.kill("slurmctld")
    try:
        drain(machine)
        assert delivery.send(machine.pk) == "waiting"
        assert wish(machine).error and wish(machine).tries == 1
        assert desired_state.WORK.due_ids() == [], "it waits before the next try"
        facts = facts_now(machine.pk)
        assert (facts.jobs, facts.reservation_by_others, facts.drained) == (None, None, None)
        look(source)
        source.refresh_from_db()
        assert source.state == "stale" and source.message
        assert health(machine).state == "draining"
    finally:
        slurm.start_slurmctld()
    SchedulerWish.objects.update(next_try_at=timezone.now())
    assert desired_state.WORK.due_ids() == [machine.pk] and delivery.send(machine.pk) == "done"
    until(lambda: facts_now(machine.pk).drained is True, 30, "not drained")
    look(source, 3)
    assert health(machine).state == "drained"


def test_a_second_worker_reads_only_what_is_due(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    assert readings.WORK.due_ids() == [source.pk]
    assert readings.read(source.pk, when_due=True) is not None
    assert readings.WORK.due_ids() == [] and readings.read(source.pk, when_due=True) is None


def test_old_news_is_unknown(slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource) -> None:
    look(source, 1)
    assert health(machines[0]).allocation == "idle"
    SchedulerSource.objects.update(url="http://127.0.0.1:1", last_read_at=timezone.now() - timedelta(hours=1))
    look(source, 1)
    source.refresh_from_db()
    assert source.state == "failed" and health(machines[0]).allocation == "unknown"


def test_a_machine_that_slurm_does_not_know_is_never_called_drained(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    SchedulerSource.objects.update(names={NAMES[0]: "wrong-name"})
    drain(machines[0])
    assert delivery.send(machines[0].pk) == "waiting"
    look(source, 3)
    assert health(machines[0]).state == "draining" and wish(machines[0]).error
    assert facts_now(machines[0].pk).drained is None


def test_a_drain_withdrawn_before_it_was_sent_leaves_nothing_behind(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    drain(machines[0])
    services.return_to_service(machines[0].pk, reason="a mistake", actor="ann")
    assert delivery.send(machines[0].pk) == "done"
    assert slurm.state(NAMES[0]) == "idle" and health(machines[0]).state == "ready"


def test_planned_work_begins_when_the_last_job_ended_and_can_be_called_off(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    until_then = timezone.now() + timedelta(hours=2)
    for machine in machines[:2]:
        services.start_maintenance(machine.pk, reason="new riser", until=until_then, actor="ann")
        assert health(machine).state == "draining"
    services.return_to_service(machines[1].pk, reason="not today", actor="ann")
    assert not Hold.objects.filter(machine=machines[1], lifted_at=None).exists()
    delivery.send(machines[0].pk)
    look(source)
    assert health(machines[0]).state == "maintenance" and health(machines[0]).maintenance_until == until_then


def test_machines_of_other_roles_are_drained_at_once_where_a_person_said_that_nothing_schedules_them(
    machines: list[Machine], source: SchedulerSource
) -> None:
    SchedulerSource.objects.update(roles=["compute"], names={NAMES[0]: "not-there"})
    Machine.objects.filter(pk=machines[0].pk).update(role="storage")
    drain(machines[0])
    assert health(machines[0]).state == "drained" and facts_now(machines[0].pk) == NO_SCHEDULER


def test_a_scheduler_that_is_taken_away_lets_go_of_its_machines(
    machines: list[Machine], source: SchedulerSource
) -> None:
    drain(machines[0])
    SchedulerSource.objects.update(enabled=False)
    assert delivery.send(machines[0].pk) == "waiting" and "switched off" in wish(machines[0]).error
    assert health(machines[0]).state == "draining"
    source.delete()
    delivery.send(machines[0].pk)
    assert health(machines[0]).state == "drained" and not SchedulerWish.objects.exists()


def test_many_machines_cost_one_question(slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource) -> None:
    slurm.scontrol("create", "reservation", "ReservationName=exam", "starttime=now", "duration=60", "user=root",
                   "flags=maint,ignore_jobs", f"nodes={NAMES[2]}")  # fmt: skip
    try:
        facts = facts_of_many([machine.pk for machine in machines])
    finally:
        slurm.scontrol("delete", "ReservationName=exam")
    assert [facts[machine.pk].jobs for machine in machines] == [0, 0, 0]
    assert [facts[machine.pk].reservation_by_others for machine in machines] == [False, False, True]
    assert [facts[machine.pk].drained for machine in machines] == [False, False, False]


def test_a_wish_is_sent_right_after_the_commit(
    machines: list[Machine],
    source: SchedulerSource,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: object,
) -> None:
    sent: list[int] = []
    monkeypatch.setattr("health.schedulers.tasks.send_to_scheduler.apply_async", lambda args: sent.append(*args))
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        drain(machines[0])
        assert sent == []
    assert sent == [machines[0].pk]


@pytest.mark.slow
def test_a_lost_worker_s_wish_is_sent_again(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    drain(machines[0])
    assert delivery._take(source, machines[0].pk) is not None
    assert desired_state.WORK.due_ids() == [] and delivery.send(machines[0].pk) == "", "another worker has it"
    SchedulerWish.objects.update(next_try_at=timezone.now())
    assert desired_state.WORK.due_ids() == [machines[0].pk] and delivery.send(machines[0].pk) == "done"


def test_every_machine_of_a_site_without_a_scheduler_is_drained_at_once(machines: list[Machine]) -> None:
    drain(machines[0])
    assert health(machines[0]).state == "drained" and not SchedulerWish.objects.exists()
    assert MachineHealth.objects.get(pk=machines[0].pk).allocation == "unknown"


# ---- jobs ----


def lane(machine: Machine) -> list[tuple[str, str]]:
    found = timeline.timeline(machine.pk, timezone.now() - timedelta(hours=1), timezone.now() + timedelta(seconds=5))
    (jobs,) = [each["items"] for each in found["lanes"] if each["lane"] == "jobs"]
    return sorted((each["kind"], each["title"]) for each in jobs)


def failures(machine: Machine) -> int | None:
    found = lemons(None, since=timezone.now() - timedelta(days=30))
    (score,) = [score for score, about in found if about["id"] == machine.pk]
    return score.terms["job_failure"].count


def run_to_end(slurm: PrivateSlurm, *jobs: str) -> None:
    until(lambda: all(slurm.job_state(job) == "" for job in jobs), 30, "the jobs do not end")


@pytest.mark.slow
def test_jobs_are_kept_shown_and_their_failures_counted_once(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    SchedulerMachine.objects.all().delete()
    machine = machines[0]
    assert failures(machine) is None, "no scheduler was read yet: nobody tells"
    good = slurm.submit("true", "-w", NAMES[0])
    failed = [slurm.submit("exit 3", "-w", NAMES[0]) for _ in range(2)]
    on_two = slurm.submit("exit 1", "-N", "2", "-w", ",".join(NAMES[:2]))
    run_to_end(slurm, good, *failed, on_two)
    slurm.cancel(cancelled := slurm.run_job(NAMES[0]))
    running = slurm.run_job(NAMES[0])
    look(source, 1)
    rows = set(SchedulerJob.objects.values_list("pk", "job_id", "state", "ended_at"))
    SchedulerSource.objects.update(since=None)
    look(source, 2)
    assert set(SchedulerJob.objects.values_list("pk", "job_id", "state", "ended_at")) == rows, "read again: the same"
    expected = {
        ("ok", f"job {good}: completed"),
        *(("failed", f"job {job}: failed") for job in (*failed, on_two)),
        ("running", f"job {running}: running"),
        ("cancelled", f"job {cancelled}: cancelled"),
    }
    assert expected <= set(lane(machine))
    assert (failures(machine), failures(machines[1]), failures(machines[2])) == (1, 0, 0)
    slurm.cancel(running)
    look(source, 1)
    assert SchedulerJob.objects.get(job_id=running).state == "cancelled"


@pytest.mark.parametrize("requeued", [False, True], ids=["ended", "queued again"])
def test_a_job_whose_machine_failed_is_a_failure_of_the_machine(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, requeued: bool
) -> None:
    """Slurm forgets the run of a job that it puts back in the queue."""
    machine = machines[2]
    job = slurm.submit("sleep 600", "-w", NAMES[2], "--requeue" if requeued else "--no-requeue")
    until(lambda: slurm.job_state(job) == "RUNNING", 20, "the job does not start")
    look(source, 1)
    before = failures(machine)
    assert before is not None
    slurm.scontrol("update", f"NodeName={NAMES[2]}", "State=DOWN", "Reason=pulled")
    until(lambda: slurm.job_state(job) == ("PENDING" if requeued else ""), 30, "the job still runs")
    look(source, 1)
    row = SchedulerJob.objects.get(job_id=job)
    assert row.state == "node_fail" and row.ended_at is not None and failures(machine) == before + 1
    assert ("failed", f"job {job}: its machine failed") in lane(machine)
    slurm.cancel(job)


def test_an_end_that_nobody_saw_is_unknown_and_no_failure(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    look(source, 1)
    before, long_ago = failures(machines[0]), timezone.now() - timedelta(hours=2)
    words = {"source": source, "job_id": "999", "machine_count": 1, "machine_ids": [machines[0].pk]}
    SchedulerJob.objects.create(**words, state="running", started_at=long_ago)
    SchedulerSource.objects.update(since=None)
    look(source, 1)
    row = SchedulerJob.objects.get(job_id="999")
    assert row.state == "unknown" and row.ended_at is not None and failures(machines[0]) == before
    assert ("unknown", "job 999: its end was not seen") in lane(machines[0])


def test_jobs_are_forgotten_after_a_year(machines: list[Machine], source: SchedulerSource) -> None:
    now = timezone.now()
    words = {"source": source, "machine_count": 1, "machine_ids": [1], "state": "completed", "started_at": now}
    for days in (364, 366):
        SchedulerJob.objects.create(**words, job_id=str(days), ended_at=now - timedelta(days=days))
    partitions.maintain()
    assert list(SchedulerJob.objects.values_list("job_id", flat=True)) == ["364"]


@pytest.mark.slow
def test_what_runs_what_waits_and_partitions_are_kept_with_who_asked(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    first = slurm.submit("sleep 600", "-N", "2", "-w", ",".join(NAMES[:2]), "-J", "kestrel", "--gres=gpu:8", "-t", "60")
    until(lambda: slurm.job_state(first) == "RUNNING", 20, "the job does not start")
    late = slurm.submit("sleep 60", "-N", "3", "--gres=gpu:8", "-J", "late")
    until(lambda: "Resources" in slurm.command("squeue", "-h", "-j", late, "-o", "%r").stdout, 20, "no reason yet")
    look(source, 1)
    row = SchedulerJob.objects.get(job_id=first)
    assert (row.name, row.user, row.gpus, row.time_limit_s) == ("kestrel", getpass.getuser(), 16, 3600)
    assert row.machine_ids == sorted(each.pk for each in machines[:2])
    waits = WaitingJob.objects.get()
    assert (waits.job_id, waits.name, waits.why, waits.machine_count, waits.gpus) == (late, "late", "Resources", 3, 24)
    partition = SchedulerPartition.objects.get()
    assert (partition.name, partition.state, partition.default, partition.machine_count) == ("main", "up", True, 3)
    slurm.cancel(first)
    until(lambda: slurm.job_state(late) == "RUNNING", 20, "the job does not start")
    look(source, 1)
    assert not WaitingJob.objects.exists() and SchedulerJob.objects.get(job_id=late).ended_at is None
    slurm.cancel(late)


# ---- what protects jobs ----


class Sends(Simple):
    """A reboot that does `before` on its way, asks the last question, and counts what leaves."""

    def __init__(self, before: Callable[[], object] = lambda: None) -> None:
        self.before, self.left = before, 0

    def target(self, job: Job) -> dict[str, object]:
        return {}

    def send(self, job: Job) -> Answer:
        self.before()
        if refusal := job.refusal():
            return not_sent(refusal)
        self.left += 1
        return Answer(Report.ACCEPTED, "it goes down")


def reboot_by_hand(machine: Machine, hand: Sends, monkeypatch: pytest.MonkeyPatch) -> RemediationAction:
    monkeypatch.setattr(executors, "_executors", {"reboot": hand})
    idle = Workload(heard=True, boot_id="boot-a", uptime_s=9.0, logins=0, running="")
    monkeypatch.setattr("health.remediation.services.world.workload_of", lambda machine_id: idle)
    MachineHealth.objects.filter(pk=machine.pk).update(state="drained", boot_id="boot-a")
    row = by_hand.start(machine.pk, "reboot", reason="it hangs", by="olga")
    actions.carry_out(row.pk, row.lease_owner)
    return RemediationAction.objects.get(pk=row.pk)


def test_no_reboot_leaves_for_a_machine_with_a_job_though_its_scheduler_names_other_roles(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row said `roles: [gpu]`, so the machine counted as one without a scheduler, and as empty."""
    SchedulerSource.objects.update(roles=["gpu"])
    job = slurm.run_job(NAMES[1])
    hand = Sends()
    action = reboot_by_hand(machines[1], hand, monkeypatch)
    assert (action.state, action.refused_by, hand.left) == ("cancelled", "jobs", 0)
    assert slurm.job_state(job) == "RUNNING"
    look(source, 1)
    assert health(machines[1]).allocation == "allocated", "the map shows it too"
    MachineHealth.objects.update(state="ready")
    drain(machines[1])
    assert health(machines[1]).state == "draining", "what Slurm names, Slurm runs"
    slurm.cancel(job)


@pytest.mark.slow
def test_a_job_that_begins_between_the_plan_and_the_send_keeps_the_reboot_from_leaving(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    slurm.scontrol("update", f"NodeName={NAMES[1]}", "State=DRAIN", "Reason=bob: new riser")

    def somebody_resumes_it_and_a_job_begins() -> None:
        slurm.scontrol("update", f"NodeName={NAMES[1]}", "State=RESUME")
        slurm.run_job(NAMES[1])

    hand = Sends(somebody_resumes_it_and_a_job_begins)
    action = reboot_by_hand(machines[1], hand, monkeypatch)
    assert (action.state, action.report, action.refused_by, hand.left) == ("failed", "refused", "jobs", 0)
    slurm.command("scancel", "-w", NAMES[1])


def test_an_idle_machine_that_is_drained_is_rebooted(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    slurm.scontrol("update", f"NodeName={NAMES[1]}", "State=DRAIN", "Reason=bob: new riser")
    hand = Sends()
    assert reboot_by_hand(machines[1], hand, monkeypatch).state == "sent" and hand.left == 1


def test_a_drain_is_not_complete_while_the_machine_itself_names_work(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {machines[0].pk: Workload(heard=True, logins=0, running="1 container runs (train)")}
    monkeypatch.setattr(readings, "workloads_of", lambda ids: {pk: said[pk] for pk in ids})
    drain(machines[0])
    delivery.send(machines[0].pk)
    look(source, 3)
    assert health(machines[0]).state == "draining" and "1 container runs" in wish(machines[0]).error
    said[machines[0].pk] = Workload(heard=True, logins=0, running="")
    look(source, 2)
    assert health(machines[0]).state == "drained"


@pytest.mark.slow
def test_drains_of_many_machines_are_completed_so_many_at_a_time(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many of them keep their question waiting, one reading has an end, and the next one goes on."""
    asked: list[list[int]] = []

    def answer(ids: list[int]) -> dict[int, Workload]:
        asked.append(list(ids))
        return dict.fromkeys(ids, Workload(heard=True, logins=0, running=""))

    monkeypatch.setattr(readings, "workloads_of", answer)
    monkeypatch.setattr(readings, "ASKED_AT_ONCE", 1)
    for machine in machines[:2]:
        drain(machine)
        delivery.send(machine.pk)
    look(source, 4)
    assert asked == [[machines[0].pk], [machines[1].pk]]
    assert [health(machine).state for machine in machines[:2]] == ["drained", "drained"]


# ---- both sides agree ----


@pytest.mark.slow
def test_a_scheduler_that_is_configured_later_closes_what_is_out_of_service_here(
    slurm: PrivateSlurm, machines: list[Machine]
) -> None:
    drain(machines[0], "GPU 5: missing")
    services.change_state(machines[0].pk, LifecycleEvent.START_REPAIR, reason="REP-9 was taken", actor="tina")
    drain(machines[1])
    assert [health(machine).state for machine in machines] == ["repair", "drained", "ready"]
    MachineHealth.objects.filter(pk=machines[2].pk).update(state="new")
    target = slurm.target  # type: ignore[attr-defined]
    source = SchedulerSource.objects.create(
        site=Site.objects.get(), settle_s=0, ssh_address=f"127.0.0.1:{target.port}",
        ssh_credential=set_credential(
            "login", kind="ssh_key", username=target.username, secret=slurm.ssh_key, purpose="ssh", hosts=["127.0.0.1"]
        ),
    )  # fmt: skip
    look(source, 2)
    assert set(desired_state.WORK.due_ids()) == {machines[0].pk, machines[1].pk}, (
        "`new` ones are none of our business yet"
    )
    for machine in machines[:2]:
        assert delivery.send(machine.pk) == "done"
    assert slurm.reason(NAMES[0]) == "rackside: GPU 5: missing" and slurm.state(NAMES[1]).startswith("drained")
    look(source, 1)
    assert desired_state.WORK.due_ids() == [] and health(machines[0]).state == "repair"


@pytest.mark.parametrize("state", ["DOWN", "FAIL", "DRAIN"])
def test_the_state_and_the_reason_that_a_person_gave_are_never_overwritten(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, state: str
) -> None:
    slurm.scontrol("update", f"NodeName={NAMES[2]}", f"State={state}", "Reason=bob: smells of smoke")
    drain(machines[2])
    assert delivery.send(machines[2].pk) == "theirs"
    assert slurm.reason(NAMES[2]) == "bob: smells of smoke"
    look(source, 3)
    assert health(machines[2]).state == "drained", "nothing runs there and nothing begins"
    slurm.scontrol("update", f"NodeName={NAMES[2]}", "State=RESUME")
    until(lambda: slurm.state(NAMES[2]) == "idle", 20, "it is not back")
    look(source, 1)
    assert delivery.send(machines[2].pk) == "done", "it is out of service here: now our own drain is needed"
    assert slurm.reason(NAMES[2]).startswith("rackside: ")


@pytest.mark.slow
def test_a_machine_that_a_person_resumed_in_slurm_does_not_stay_draining_here(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource
) -> None:
    job = slurm.run_job(NAMES[0])
    services.place_hold(machines[0].pk, owner="fault:7", reason="GPU 5: missing", actor="automation")
    drain(machines[0])
    delivery.send(machines[0].pk)
    look(source, 2)
    assert health(machines[0]).state == "draining"
    slurm.scontrol("update", f"NodeName={NAMES[0]}", "State=RESUME")
    look(source, 2)
    assert health(machines[0]).state == "ready" and slurm.job_state(job) == "RUNNING"
    last = LifecycleChange.objects.filter(machine=machines[0]).first()
    assert last is not None and last.evidence["override"], "what stood against it is kept"
    assert delivery.send(machines[0].pk) == "done" and not slurm.state(NAMES[0]).startswith("dra")
    slurm.cancel(job)
