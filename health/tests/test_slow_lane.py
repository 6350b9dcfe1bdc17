"""Machines that hang never delay the others: over real SSH and real Redfish of the virtual hall."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks
from pytest_django.fixtures import Settings

from drivers.ssh import Limits
from health.models import CurrentVerdict, MachineReport, SlowMachine, Sweep, SweepShard
from health.monitoring import lanes
from health.monitoring.merge import WORDS
from health.monitoring.services.sweeps import observation, sessions, sweep_runs
from health.monitoring.services.sweeps.slow_lane import HANDED_OVER
from health.monitoring.services.sweeps.stored import read_layouts
from health.monitoring.tasks import verify_machine, verify_patiently
from health.services import request_sweep
from health.tests import factories as make
from health.tests.hall import RunningHall, running_hall
from health.tests.real import twins
from inventory.models import Machine

HANGS = {
    "machine_hang": (None, "waiting for the SSH banner"),
    "ssh_stalls banner": ("banner", "exchanging keys"),
    "ssh_stalls login": ("login", "logging in"),
    "ssh_stalls output": ("output", "waiting for the first output"),
    "ssh_stalls half": ("half", "reading the output"),
    "ssh_stalls trickle": ("trickle", "reading the output"),
}
Lane = SweepShard.Lane


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[int, ...], str]]:
    """(task, arguments, queue) of what was sent to workers; nothing runs by itself."""
    found: list[tuple[str, tuple[int, ...], str]] = []

    def apply_async(task: Any, args: Any = (), kwargs: Any = None, **options: Any) -> None:
        found.append((task.name, tuple(args), options.get("queue", "")))

    monkeypatch.setattr("celery.app.task.Task.apply_async", apply_async)
    return found


def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the limits of a look, so that nobody waits for three quarters of a minute."""
    limits = Limits(
        connect_timeout_s=3,
        login_timeout_s=2,
        command_timeout_s=5,
        first_output_timeout_s=3,
        silence_timeout_s=3,
    )
    monkeypatch.setattr(observation, "probe_limits", lambda spec: limits)
    monkeypatch.setattr(sessions, "BMC_TIMEOUT_S", 2)


def hang(hall: RunningHall, machine: Machine, name: str) -> None:
    fault, _, place = name.partition(" ")
    params = {"at": place} if place else None
    hall.do(lambda h: h.inject(h.machines[machine.device.name], fault, params=params))


def words(report: MachineReport) -> dict[tuple[str, str], str]:
    """The verdict of each check and part, as the packed report has it."""
    entries = read_layouts([report.layout_id])[report.layout_id]
    return {key: WORDS[code] for key, code in zip(entries, bytes(report.verdicts), strict=True)}


def run_lane(sweep: Sweep, lane: str) -> None:
    for shard in sweep.shards.filter(lane=lane):
        assert sweep_runs.run(shard.pk) == "done"


def asked(*machines: Machine) -> Sweep:
    (sweep,) = request_sweep([machine.pk for machine in machines], "manual", actor="test")
    return sweep


@pytest.mark.slow
@pytest.mark.django_db
def test_good_machines_are_stored_while_the_hung_are_left_to_the_slow_lane_and_the_next_sweep_asks_them_apart(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    sent: Any,
) -> None:
    monkeypatch.setattr(sessions, "QUIET_S", 2.0)  # beside a busy processor a good machine may pause
    fleet = [twin.machine for twin in twins(len(HANGS) + 4)]
    hung = dict(zip([machine.pk for machine in fleet], HANGS, strict=False))
    mute = fleet[len(HANGS)]
    good = fleet[len(HANGS) + 1 :]
    ids = {machine.pk for machine in fleet}
    with running_hall("ams1", tmp_path) as hall:
        run_lane(asked(*fleet), Lane.FAST)  # first contacts
        for machine, name in zip(fleet, HANGS, strict=False):
            hang(hall, machine, name)
        hang(hall, mute, "bmc_stalls http")
        sweep = asked(*fleet)
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            run_lane(sweep, Lane.FAST)
        done = set(MachineReport.objects.filter(sweep_id=sweep.pk).values_list("machine_id", flat=True))
        assert done >= {machine.pk for machine in good}
        taken = SweepShard.objects.get(sweep=sweep, lane=Lane.SLOW)
        assert done.isdisjoint(taken.machine_ids) and done | set(taken.machine_ids) == ids
        assert {pk for pk, name in hung.items() if name.startswith("ssh_stalls")} - done, "nobody waited for those"
        assert taken.number == HANDED_OVER
        assert ("health.monitoring.tasks.run_shard", (taken.pk,), "slow") in sent, "other workers wait for them"

        sweep.refresh_from_db()
        assert sweep.status == "running"
        cut(monkeypatch)
        run_lane(sweep, Lane.SLOW)
        sweep.refresh_from_db()
        assert (sweep.status, sweep.reachable) == ("finished", len(good) + 1)
        for pk, name in hung.items():
            said = dict(CurrentVerdict.objects.filter(machine_id=pk).values_list("check_id", "message"))
            assert f"timed out {HANGS[name][1]}" in said["machine.reachable"], (name, said["machine.reachable"])
            own = {word for (check, _), word in words(MachineReport.objects.get(pk=pk)).items() if "bmc" not in check}
            assert own == {"unknown", "fail"}, f"never ok: {name}"
            fails = CurrentVerdict.objects.filter(machine_id=pk, verdict="fail")
            assert list(fails.values_list("check_id", flat=True)) == ["machine.reachable"]
            assert make.health(Machine.objects.get(pk=pk)).worst in ("unknown", "fail")
        assert "no answer in time" in CurrentVerdict.objects.get(machine=mute, check_id="bmc.reachable").message
        assert set(SlowMachine.objects.values_list("machine_id", flat=True)) == {*hung, mute.pk}

        following = asked(*fleet)
        shards = {shard.lane: set(shard.machine_ids) for shard in following.shards.all()}
        assert shards == {Lane.FAST: {m.pk for m in good}, Lane.SLOW: ids - {m.pk for m in good}}
        run_lane(following, Lane.FAST)
        assert following.shards.count() == 2, "nobody of the good was waited for in vain"

        for machine in fleet:
            hall.do(lambda h, m=machine: h.clear(h.machines[m.device.name]))
        run_lane(following, Lane.SLOW)
        assert not SlowMachine.objects.exists(), "who answers again is asked with the others"


@pytest.mark.django_db
def test_a_verification_of_a_machine_that_hangs_is_left_to_the_slow_lane(tmp_path: Path, sent: Any) -> None:
    from health.services import request_verification

    machine = twins(1)[0].machine
    SlowMachine.objects.create(machine=machine, reason="timed out")
    verification = request_verification(machine.pk, fault_ids=[], owner="test", actor="test")
    verify_machine(verification.pk)
    assert sent[-1][:2] == ("health.monitoring.tasks.verify_patiently", (verification.pk,))
    verification.refresh_from_db()
    assert verification.is_open, "nothing is decided by a look that did not take place"
    with running_hall("ams1", tmp_path):
        verify_patiently(verification.pk)
    verification.refresh_from_db()
    assert verification.status == "passed", verification.reason


# ---- planning, without the network ----


@pytest.mark.django_db
def test_stragglers_do_not_hold_back_the_next_sweep_and_are_not_asked_twice(settings: Settings) -> None:
    settings.SWEEP_PERIOD_S = 300
    machines = make.make_machines(4)
    SlowMachine.objects.create(machine_id=machines[0].pk, reason="timed out")
    (first,) = sweep_runs.start_scheduled()
    assert sweep_runs.start_scheduled() == []
    SweepShard.objects.filter(sweep_id=first, lane=Lane.FAST).update(status="done")
    Sweep.objects.update(slot_at=None)  # the next period
    (second,) = sweep_runs.start_scheduled(at_once=True)
    shards = SweepShard.objects.filter(sweep_id=second)
    assert [(shard.lane, sorted(shard.machine_ids)) for shard in shards] == [
        (Lane.FAST, sorted(machine.pk for machine in machines[1:]))
    ]


def test_who_ran_into_a_time_out_is_slow_until_it_answers_as_fast_as_the_others() -> None:
    assert lanes.is_slow("timed out logging in", 3, was_slow=False, normal_s=2)
    assert not lanes.is_slow("", 40, was_slow=False, normal_s=2), "late once is no reason"
    assert lanes.is_slow("", 12, was_slow=True, normal_s=2)
    assert not lanes.is_slow("", 12, was_slow=True, normal_s=9), "where all take so long, it is not slow"
    assert not lanes.is_slow("", 4, was_slow=True, normal_s=None)


def test_the_first_answer_is_waited_for_as_the_fleet_needs_it() -> None:
    assert lanes.first_answer_s(None) == lanes.FIRST_S
    assert lanes.first_answer_s(0.2) == lanes.LEAST_FIRST_S
    assert lanes.first_answer_s(4) == 8
    assert lanes.first_answer_s(60) == lanes.FIRST_S


@pytest.mark.slow
@pytest.mark.django_db
def test_answers_come_in_batches_before_the_last_question_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut(monkeypatch)
    fleet = [twin.machine for twin in twins(4)]
    with running_hall("ams1", tmp_path) as hall:
        hang(hall, fleet[0], "ssh_stalls trickle")
        began, seen = time.monotonic(), []
        for batch in observation.Watch([machine.pk for machine in fleet]):
            seen.append(({each.observation.machine_id for each in batch}, time.monotonic() - began))
    assert seen[-1][0] == {fleet[0].pk} and len(seen) >= 2
    assert seen[-1][1] - seen[0][1] > 1, "the others were handed out before"
