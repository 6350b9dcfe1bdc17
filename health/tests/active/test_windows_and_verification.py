"""The weekly burn-in keeps its window and its pools' allowance; a fault of an active check is gone when it passes."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.work.dispatch import follow
from health.checks.model import Finding
from health.checks.verdicts import Verdict
from health.diagnostics import services
from health.diagnostics.services import outcomes, proofs, remote
from health.diagnostics.services.candidates import scheduler_refuses
from health.diagnostics.services.windows import occurrence
from health.diagnostics.tasks import advance_active_run
from health.models import (
    ActiveMachine,
    ActiveRun,
    ActiveStep,
    ActiveWindow,
    Fault,
    MachineHealth,
    Pool,
    SchedulerMachine,
    SchedulerSource,
    SiteAutomation,
)
from health.monitoring.judgement import Target
from health.remediation.services import automation
from health.services import request_verification
from health.tests import factories as make
from inventory.models import Machine

pytestmark = pytest.mark.django_db
MONDAY = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def idle_machines(count: int, *, share: float = 1.0) -> list[Machine]:
    machines = make.make_machines(count, share=share)
    MachineHealth.objects.update(
        state="ready", allocation="idle", reachability="reachable", last_seen_at=timezone.now()
    )
    return machines


def window(machines: list[Machine], **more: Any) -> ActiveWindow:
    values = {"weekday": 0, "starts": time(22), "ends": time(4), "kinds": ["copies"], "created_by": "olga"} | more
    return ActiveWindow.objects.create(site=machines[0].device.site, **values)


def stop(machine: Machine, why: str) -> None:
    """Throw the kill switch, or open the breaker, of the machine's site."""
    if why == "killed":
        automation.kill(machine.device.site_id, reason="odd", actor="olga")
    elif why == "breaker":
        SiteAutomation.objects.update_or_create(
            site_id=machine.device.site_id, defaults={"breaker_open_at": timezone.now(), "breaker_reason": "odd"}
        )


@pytest.mark.parametrize(
    ("at", "is_open"),
    [(MONDAY, True), (MONDAY.replace(hour=21), False), (MONDAY + timedelta(hours=4), True),
     (MONDAY + timedelta(hours=5), False), (MONDAY - timedelta(days=1), False)],
)  # fmt: skip
def test_a_window_over_midnight_is_open_until_the_morning(at: datetime, is_open: bool) -> None:
    unsaved = ActiveWindow(weekday=0, starts=time(22), ends=time(4))
    found = occurrence(unsaved, at)
    assert (found is not None) is is_open
    if found:
        assert found == (datetime(2026, 3, 2, 22, tzinfo=UTC), datetime(2026, 3, 3, 4, tzinfo=UTC))


def test_the_weekly_burn_in_takes_no_more_machines_than_the_pool_spares_and_only_idle_ones() -> None:
    machines = idle_machines(10, share=0.3)
    MachineHealth.objects.filter(pk=machines[0].pk).update(allocation="allocated")
    window(machines)
    (run_id,) = services.start_due(now=MONDAY)
    used = set(ActiveMachine.objects.filter(run_id=run_id).values_list("machine_id", flat=True))
    assert len(used) == 3 and machines[0].pk not in used
    run = ActiveRun.objects.get(pk=run_id)
    assert run.must_end_at == datetime(2026, 3, 3, 4, tzinfo=UTC) and run.kind == "burn_in"
    assert services.start_due(now=MONDAY) == [], "one run of a window at a time"
    services.cancel(run_id, by="olga")
    services.advance(run_id)
    (second,) = services.start_due(now=MONDAY)
    others = set(ActiveMachine.objects.filter(run_id=second).values_list("machine_id", flat=True))
    assert len(others) == 3 and not others & used, "the next of them in the same window"


@pytest.mark.parametrize("reason", ["closed", "disabled", "dry run", "busy", "full", "killed", "breaker"])
def test_no_burn_in_begins(reason: str) -> None:
    machines = idle_machines(4, share=0.0 if reason == "full" else 1.0)
    window(machines, enabled=reason != "disabled")
    if reason == "busy":
        MachineHealth.objects.update(allocation="unknown")
    if reason == "dry run":
        Pool.objects.update(automation="dry_run")
    stop(machines[0], reason)
    at = MONDAY - timedelta(hours=12) if reason == "closed" else MONDAY
    assert services.start_due(now=at) == [] and not ActiveRun.objects.exists()


def test_nothing_is_begun_that_would_end_after_the_window() -> None:
    machines = make.make_machines(1)
    MachineHealth.objects.update(state="drained")
    run = services.create(
        machines[0].device.site_id, "copies", [machines[0].pk], by="weekly burn-in",
        must_end_at=timezone.now() + timedelta(seconds=20),
    )  # fmt: skip
    services.advance(run.pk)
    run.refresh_from_db()
    (step,) = run.steps.all()
    assert (step.attempts, step.verdict, run.status) == (0, "unknown", "failed") and "window" in step.message


@pytest.mark.parametrize(
    ("why", "words"),
    [("full", "is used up: 0 of 4 are out, 0 may be"), ("dry run", "a dry run"), ("killed", "the kill switch is on"),
     ("breaker", "the circuit breaker is open"), ("stale", "s old")],
)  # fmt: skip
def test_a_machine_in_service_that_automation_may_not_take_is_left_out_and_nothing_is_begun_on_it(
    monkeypatch: pytest.MonkeyPatch, why: str, words: str
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(remote, "begin", begun.append)
    (machine, *_) = idle_machines(4, share=0.0 if why == "full" else 1.0)
    if why == "dry run":
        Pool.objects.update(automation="dry_run")
    if why == "stale":
        MachineHealth.objects.update(last_seen_at=timezone.now() - timedelta(seconds=2000))
    stop(machine, why)
    run = services.create(machine.device.site_id, "copies", [machine.pk], by="olga")
    services.advance(run.pk)
    run.refresh_from_db()
    assert begun == [] and run.status == "failed" and words in run.left_out[0]["reason"]
    assert make.health(machine).state == "ready" and run.steps.get().attempts == 0
    assert not ActiveMachine.objects.filter(released_at=None).exists()


def test_a_worker_that_was_lost_is_replaced_by_the_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = make.make_machines(1)
    MachineHealth.objects.update(state="drained")
    run = services.create(machines[0].device.site_id, "copies", [machines[0].pk], by="olga")
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr("core.work.dispatch.enqueue", lambda *what: asked.append(what))
    follow(30)
    assert (advance_active_run.name, run.pk) in asked


def test_old_runs_go_with_their_results() -> None:
    machines = make.make_machines(1)
    MachineHealth.objects.update(state="drained")
    run = services.create(machines[0].device.site_id, "copies", [machines[0].pk], by="olga")
    ActiveStep.objects.create(run=run, round=1, number=1, kind="copies", machine_ids=[machines[0].pk])
    assert services.prune(now=timezone.now() + timedelta(days=999)) == 0, "it is open"
    ActiveRun.objects.update(status="done", finished_at=timezone.now())
    assert services.prune() == 0 and services.prune(now=timezone.now() + timedelta(days=181)) == 1
    assert not ActiveStep.objects.exists()


# ---- what the scheduler says ----


@pytest.mark.parametrize(
    ("source", "told", "words"),
    [({"state": "failed"}, {}, "unreachable"), ({"last_read_at": None}, {}, "unreachable"),
     ({"last_read_at": MONDAY - timedelta(hours=1)}, {}, "unreachable"), ({}, None, "does not know it"),
     ({}, {"jobs": None}, "does not say"), ({}, {"jobs": 1}, "a job runs on it"),
     ({}, {"closed": False}, "may start a job"), ({}, {"reserved_from": MONDAY, "reservation": "demo"}, "reserved"),
     ({}, {}, ""), ({}, {"reserved_from": MONDAY, "reserved_until": MONDAY}, "")],
)  # fmt: skip
def test_what_the_scheduler_does_not_plainly_allow_is_forbidden(
    source: dict[str, Any], told: dict[str, Any] | None, words: str
) -> None:
    asked = SchedulerSource(**{"state": "good", "last_read_at": MONDAY, "stale_after_s": 120} | source)
    row = None if told is None else SchedulerMachine(**{"jobs": 0, "closed": True} | told)
    said = scheduler_refuses(asked, row, "drained", MONDAY)
    assert (words in said) if words else said == ""


# ---- verification ----


def failed_twice(machine: Machine) -> Fault:
    """The fault of a GPU that computed wrong in two tests of a run that is over."""
    run = services.create(machine.device.site_id, "stress", [machine.pk], by="olga")
    row = {"check": "gpu.stress", "part": "GPU 3", "verdict": "fail", "message": "another result", "action": "",
           "fault_class": "gpu.suspect", "value": None}  # fmt: skip
    for number in (1, 2):
        done(run, number, row)
    ActiveRun.objects.filter(pk=run.pk).update(status="done", finished_at=timezone.now())
    run.machines.update(released_at=timezone.now())
    outcomes.sight(machine.pk, [outcomes.finding_of(row)])
    return Fault.objects.get()


def done(run: ActiveRun, number: int, row: dict[str, Any]) -> ActiveStep:
    return ActiveStep.objects.create(
        run=run, round=number, number=1, kind="stress", machine_ids=[run.machines.get().machine_id], status="done",
        attempts=1, verdict="fail" if row["verdict"] == "fail" else "pass", findings=[row], finished_at=timezone.now(),
    )  # fmt: skip


def test_a_fault_of_an_active_check_asks_for_that_check_and_passes_only_by_it() -> None:
    (machine,) = make.make_machines(1)
    MachineHealth.objects.update(state="drained")
    fault = failed_twice(machine)
    assert fault.status == "confirmed" and fault.slot == "GPU 3"
    asked = request_verification(machine.pk, fault_ids=[fault.pk], owner="ticket:REP-1", actor="tina")
    run = ActiveRun.objects.get(status="waiting")
    assert run.options["kinds"] == ["stress"] and run.reason == "verification"
    assert asked.deadline_at - asked.requested_at > timedelta(minutes=30)
    target = [Target("GPU 3", frozenset({"gpu.stress"}))]
    (before,) = proofs.since(machine.pk, target)
    assert before.verdict is Verdict.UNKNOWN and "not passed since it failed" in before.message
    passed = {"check": "gpu.stress", "part": "GPU 3", "verdict": "ok", "message": "", "action": "", "fault_class": "",
              "value": None}  # fmt: skip
    done(run, 3, passed)
    (after,) = proofs.since(machine.pk, target)
    assert isinstance(after, Finding) and after.verdict is Verdict.OK


def test_a_machine_in_a_state_where_hands_are_on_it_gets_no_fault() -> None:
    (machine,) = make.make_machines(1)
    MachineHealth.objects.update(state="repair")
    row = {"check": "gpu.stress", "part": "GPU 3", "verdict": "fail", "message": "another result", "action": "",
           "fault_class": "gpu.suspect", "value": None}  # fmt: skip
    outcomes.sight(machine.pk, [outcomes.finding_of(row)])
    assert not Fault.objects.exists()
