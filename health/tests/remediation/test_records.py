"""The action record: its steps, what a worker does that finds one, and what is asked right before sending."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest

from health.checks.levels import Rung
from health.machines.calls import Report
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.remediation import records
from health.remediation.records import Decision, IllegalStep, UnreadableRecord, What
from health.remediation.remedies import BY_RUNG
from health.remediation.types import Action, ActionState, Guard, Proposal, Refusal, Step
from health.tests.remediation.make import NOW, action, ended, world

LIMITS = Limits()
ONCE = [Rung.GPU_RESET, Rung.REBOOT, Rung.POWER_CYCLE, Rung.REIMAGE]
EVERY = [Rung.SERVICE, *ONCE]
LATE = NOW + timedelta(hours=4)


def found(act: Action, **said: Any) -> What:
    return records.after_crash(act, world(**said), LIMITS).what


def granted_now(rung: Rung = Rung.REBOOT) -> Action:
    proposal = Proposal(1, 7, Step.REMEDY, rung, "x", BY_RUNG[rung], 1)
    return records.granted(proposal, owner="me", now=NOW, limits=LIMITS)


# ---- a worker that finds an action ----


@pytest.mark.parametrize("rung", EVERY)
def test_with_a_live_lease_an_action_is_somebody_else_s(rung: Rung) -> None:
    assert found(action(rung, lease_until=NOW + timedelta(seconds=1)), boot_id="b2") is What.WAIT


@pytest.mark.parametrize("rung", EVERY)
def test_what_was_granted_and_never_sent_is_cancelled(rung: Rung) -> None:
    assert found(replace(granted_now(rung), lease_until=NOW)) is What.CANCEL


@pytest.mark.parametrize("rung", [Rung.SERVICE, Rung.GPU_RESET, Rung.REBOOT, Rung.POWER_CYCLE])
def test_another_boot_id_shows_that_it_happened(rung: Rung) -> None:
    assert found(action(rung), boot_id="b2") is What.CONFIRM
    assert found(action(rung), boot_id="b2", heard=False) is not What.CONFIRM
    assert found(action(rung, boot_id_before=""), boot_id="b2") is not What.CONFIRM


@pytest.mark.parametrize("rung", [Rung.SERVICE, Rung.GPU_RESET, Rung.REIMAGE])
def test_a_trace_of_its_own_shows_that_it_happened(rung: Rung) -> None:
    assert found(action(rung), trace=True) is What.CONFIRM
    assert found(action(rung), trace=None) is not What.CONFIRM


@pytest.mark.parametrize("rung", [Rung.REBOOT, Rung.POWER_CYCLE])
def test_only_another_boot_shows_a_reboot_whatever_was_told(rung: Rung) -> None:
    assert found(action(rung, report=Report.DONE)) is What.WAIT
    assert found(action(rung), uptime_s=3.0) is What.WAIT


def test_a_restart_that_cannot_be_seen_is_sent_again() -> None:
    assert found(action(Rung.SERVICE)) is What.SEND
    assert found(action(Rung.SERVICE, report=Report.ACCEPTED)) is What.WAIT


@pytest.mark.parametrize("rung", ONCE)
def test_what_must_not_be_repeated_waits_for_its_deadline_and_then_for_a_person(rung: Rung) -> None:
    assert found(action(rung)) is What.WAIT
    assert found(action(rung), now=LATE) is What.AMBIGUOUS
    assert found(action(rung), now=LATE, heard=False, power="off") is What.AMBIGUOUS


@pytest.mark.parametrize("rung", ONCE)
def test_what_was_accepted_and_had_no_effect_failed(rung: Rung) -> None:
    assert found(action(rung, report=Report.ACCEPTED), now=LATE) is What.FAIL


@pytest.mark.parametrize("report", [Report.REFUSED, Report.FAILED, Report.IMPOSSIBLE])
def test_a_call_that_said_no_failed_unless_its_effect_shows(report: Report) -> None:
    assert found(action(Rung.REBOOT, report=report)) is What.FAIL
    assert found(action(Rung.REBOOT, report=report), boot_id="b2") is What.CONFIRM


def test_a_cycle_that_left_the_machine_off_is_finished_after_two_minutes() -> None:
    cycle = action(Rung.POWER_CYCLE)
    off: dict[str, Any] = {"power": "off", "heard": False}
    assert found(cycle, **off) is What.WAIT
    assert found(cycle, **off, now=NOW + timedelta(seconds=61)) is What.FINISH
    assert found(cycle, **off, now=NOW - timedelta(hours=2), trace=None) is What.WAIT  # its lease lives again
    assert (
        found(replace(cycle, lease_until=NOW - timedelta(days=1)), **off, now=NOW - timedelta(hours=2)) is What.FINISH
    )
    assert found(action(Rung.REBOOT), **off) is What.WAIT


def test_an_ended_action_is_left_alone() -> None:
    assert found(ended(Rung.REBOOT)) is What.WAIT


# ---- steps ----


def test_only_the_steps_of_the_table_can_be_taken() -> None:
    for state in ActionState:
        act = replace(action(), state=state)
        for what, end in records.ENDS.items():
            decision = Decision(what, "x")
            if end in records.STEPS[state]:
                assert records.finished(act, decision, NOW).state is end
            else:
                with pytest.raises(IllegalStep):
                    records.finished(act, decision, NOW)
    for what in (What.WAIT, What.SEND, What.FINISH):
        with pytest.raises(IllegalStep):
            records.finished(action(), Decision(what, "x"), NOW)


def test_sending_needs_the_lease_and_keeps_what_the_world_was() -> None:
    sent = records.sent(granted_now(), world(), owner="me", limits=LIMITS)
    assert (sent.state, sent.sent_at, sent.boot_id_before) == (ActionState.SENT, NOW, "b1")
    assert sent.deadline == NOW + timedelta(seconds=BY_RUNG[Rung.REBOOT].deadline_s)
    with pytest.raises(IllegalStep):
        records.sent(granted_now(), world(), owner="other", limits=LIMITS)
    with pytest.raises(IllegalStep):
        records.sent(sent, world(), owner="me", limits=LIMITS)


def test_a_worker_that_wakes_up_late_may_not_call() -> None:
    sent = records.sent(granted_now(), world(), owner="me", limits=LIMITS)
    assert records.may_call(sent, owner="me", now=NOW)
    assert not records.may_call(sent, owner="me", now=NOW + timedelta(seconds=LIMITS.lease_s))
    assert not records.may_call(sent, owner="other", now=NOW)
    assert not records.may_call(replace(sent, state=ActionState.FAILED), owner="me", now=NOW)


@pytest.mark.parametrize("rung", ONCE)
def test_no_record_lets_a_call_be_repeated_that_must_not_be(rung: Rung) -> None:
    fine: dict[str, Any] = {"state": State.DRAINED, "held_by": (), "killed": False, "breaker_open": False}
    refused = records.before_repeat(action(rung), world(), **fine)
    assert refused is not None and refused.guard is Guard.LEASE
    assert records.before_repeat(action(Rung.SERVICE), world(), **fine) is None


def test_a_repeated_restart_keeps_its_deadline() -> None:
    before = action(Rung.SERVICE)
    after = records.leased(before, owner="me", now=NOW, limits=LIMITS)
    assert (after.deadline, after.sent_at, after.lease_owner) == (before.deadline, before.sent_at, "me")


def test_nothing_without_leave_becomes_a_record() -> None:
    remedy = BY_RUNG[Rung.REBOOT]
    for proposal in (
        Proposal(1, 7, Step.REMEDY, Rung.REBOOT, "x", remedy, 1, dry_run=True),
        Proposal(1, 7, Step.DRAIN, Rung.REBOOT, "x"),
    ):
        with pytest.raises(IllegalStep):
            records.granted(proposal, owner="me", now=NOW, limits=LIMITS)


def test_an_answer_after_the_end_changes_nothing() -> None:
    over = ended(Rung.REBOOT, report=Report.NONE)
    assert records.reported(over, Report.ACCEPTED) is over
    first = records.reported(action(), Report.ACCEPTED)
    assert records.reported(first, Report.REFUSED) is first


def test_only_a_report_newer_than_the_effect_verifies() -> None:
    done = ended(Rung.REBOOT, verified=None)
    assert done.finished_at is not None
    assert records.verified(done, True, done.finished_at) is done
    assert records.verified(done, True, done.finished_at + timedelta(seconds=1)).verified is True
    assert records.verified(action(), True, LATE).verified is None


# ---- reading ----


def row(act: Action) -> dict[str, Any]:
    values = {field.name: getattr(act, field.name) for field in fields(Action)}
    return values | {"rung": int(act.rung), "state": str(act.state), "report": str(act.report)}


@pytest.mark.parametrize("act", [action(), ended(Rung.REBOOT), granted_now(), ended(Rung.SERVICE)])
def test_a_record_is_read_as_it_was_written(act: Action) -> None:
    assert records.read(row(act)) == act


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "begun"},
        {"rung": 9},
        {"remedy": "kick"},
        {"rung": 4},
        {"attempt": 0},
        {"sent_at": None},
        {"deadline": None},
        {"lease_until": None},
        {"report": "maybe"},
        {"state": "granted"},
        {"state": "confirmed"},
    ],
)
def test_a_record_that_contradicts_itself_is_an_error_and_never_none(wrong: dict[str, Any]) -> None:
    with pytest.raises(UnreadableRecord):
        records.read(row(action()) | wrong)
    short = row(action())
    del short["sent_at"]
    with pytest.raises(UnreadableRecord):
        records.read(short)


# ---- right before sending ----


def asked(rung: Rung = Rung.REBOOT, /, *, by_person: bool = False, **said: Any) -> Guard | None:
    standing: dict[str, Any] = {
        "owner": "me",
        "state": State.DRAINED,
        "held_by": (),
        "killed": False,
        "breaker_open": False,
    }
    for name in list(said):
        if name in standing:
            standing[name] = said.pop(name)
    answer = records.before_send(granted_now(rung), world(**said), by_person=by_person, **standing)
    assert answer is None or isinstance(answer, Refusal)
    return answer.guard if answer else None


BUSY = [
    ({"jobs": None}, Guard.SCHEDULER),
    ({"reservation_by_others": None}, Guard.SCHEDULER),
    ({"drained": None}, Guard.SCHEDULER),
    ({"jobs": 1}, Guard.JOBS),
    ({"reservation_by_others": True}, Guard.RESERVATION),
    ({"logins": 1}, Guard.LOGINS),
    ({"logins": None}, Guard.LOGINS),
    ({"running": "1 container runs (train)"}, Guard.JOBS),
    ({"running": None}, Guard.UNKNOWN),
    ({"drained": False}, Guard.NOT_DRAINED),
    ({"drain_is_ours": False}, Guard.FOREIGN_DRAIN),
    ({"drain_is_ours": None}, Guard.FOREIGN_DRAIN),
]


@pytest.mark.parametrize(("said", "guard"), BUSY)
@pytest.mark.parametrize("rung", ONCE)
def test_what_stops_work_is_sent_only_to_an_empty_machine(rung: Rung, said: dict[str, Any], guard: Guard) -> None:
    assert asked(rung) is None
    assert asked(rung, **said) is guard
    assert asked(rung, by_person=True, **said) is (None if guard is Guard.FOREIGN_DRAIN else guard)


@pytest.mark.parametrize(
    ("said", "guard", "of_a_person"),
    [
        ({"killed": True}, Guard.KILLED, None),
        ({"killed": None}, Guard.KILLED, None),
        ({"breaker_open": True}, Guard.BREAKER, None),
        ({"breaker_open": None}, Guard.BREAKER, None),
        ({"held_by": ("person:olga",)}, Guard.HELD, None),
        ({"held_by": ("active:3", "person:olga")}, Guard.HELD, Guard.HELD),
        ({"state": State.TRIAGE}, Guard.STATE, None),
        ({"state": State.REPAIR}, Guard.STATE, Guard.STATE),
        ({"state": State.READY}, Guard.STATE, Guard.STATE),
        ({"owner": "other"}, Guard.LEASE, Guard.LEASE),
        ({"now": LATE}, Guard.LEASE, Guard.LEASE),
        ({"boot_id": ""}, Guard.UNKNOWN, Guard.UNKNOWN),
        ({"power": "off"}, Guard.UNREACHABLE, Guard.UNREACHABLE),
    ],
)
def test_what_stops_automation_alone_and_what_stops_a_person_too(
    said: dict[str, Any], guard: Guard, of_a_person: Guard | None
) -> None:
    assert asked(Rung.REBOOT, **said) is guard
    assert asked(Rung.REBOOT, by_person=True, **said) is of_a_person


def test_each_remedy_needs_the_way_it_goes() -> None:
    dead: dict[str, Any] = {"heard": False, "logins": None}
    assert asked(Rung.GPU_RESET, **dead) is Guard.UNREACHABLE
    assert asked(Rung.SERVICE, **dead) is Guard.UNREACHABLE
    assert asked(Rung.REBOOT, **dead) is Guard.UNREACHABLE
    assert asked(Rung.POWER_CYCLE, power="unknown") is Guard.UNREACHABLE
    assert asked(Rung.POWER_CYCLE, **dead, power="off") is None


def test_a_silent_machine_is_power_cycled_only_on_the_scheduler_s_word_or_a_person_s() -> None:
    silent: dict[str, Any] = {"heard": False, "logins": None, "running": None}
    assert asked(Rung.POWER_CYCLE, **silent) is None, "the scheduler named it and has no job there"
    assert asked(Rung.POWER_CYCLE, **silent, named=False) is Guard.UNREACHABLE, "nobody can say"
    assert asked(Rung.POWER_CYCLE, **silent, named=False, power="off") is None, "nothing runs where no power is"
    assert asked(Rung.POWER_CYCLE, by_person=True, **silent, named=False) is None
    assert asked(Rung.POWER_CYCLE, by_person=True, **silent, jobs=None) is Guard.SCHEDULER
    assert asked(Rung.REBOOT, by_person=True, **silent) is Guard.UNREACHABLE


def test_a_service_restarts_in_service_but_not_under_a_job() -> None:
    in_service: dict[str, Any] = {"state": State.READY, "drained": False, "drain_is_ours": False}
    assert asked(Rung.SERVICE, **in_service) is None
    assert asked(Rung.SERVICE, **in_service, jobs=1) is Guard.JOBS
