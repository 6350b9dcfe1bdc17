"""Which rung comes next, and where the ladder ends at a person."""

from __future__ import annotations

from datetime import timedelta

import pytest

from health.checks.levels import Rung
from health.machines.calls import Report
from health.machines.limits import Limits
from health.remediation.ladder import next_rung
from health.remediation.remedies import BY_RUNG, REMEDIES
from health.remediation.types import AUTOMATIC, ActionState, Guard, MachineView
from health.tests.remediation import make
from health.tests.remediation.make import NOW, ended, machine

LIMITS = Limits()


def after(machine: MachineView, start: Rung = Rung.REBOOT) -> tuple[Rung, Guard | None]:
    choice = next_rung(machine, start, 7, LIMITS, NOW)
    return choice.rung, choice.guard


def test_the_table_has_each_automatic_rung_once_and_leads_upwards() -> None:
    assert {remedy.rung for remedy in REMEDIES} == AUTOMATIC
    assert len(BY_RUNG) == len(REMEDIES)
    for remedy in REMEDIES:
        assert remedy.next_rung > remedy.rung
        assert remedy.deadline_s > LIMITS.lease_s
        assert remedy.preconditions
        assert remedy.verification
        assert remedy.needs_drain or remedy.rung is Rung.SERVICE
        assert remedy.idempotent is (remedy.rung is Rung.SERVICE)


@pytest.mark.parametrize("start", [Rung(n) for n in range(9)])
def test_nothing_tried_starts_where_the_faults_do(start: Rung) -> None:
    assert after(machine(), start) == (start, None)


@pytest.mark.parametrize(
    ("tried", "following"),
    [
        (Rung.SERVICE, Rung.REBOOT),
        (Rung.GPU_RESET, Rung.REBOOT),
        (Rung.REBOOT, Rung.POWER_CYCLE),
        (Rung.POWER_CYCLE, Rung.REIMAGE),
        (Rung.REIMAGE, Rung.TICKET),
    ],
)
def test_what_did_not_help_is_followed_by_the_next_rung(tried: Rung, following: Rung) -> None:
    assert after(machine(records=(ended(tried),)), Rung.SERVICE)[0] is following


def test_a_worse_fault_skips_rungs_and_a_lesser_one_does_not_go_back() -> None:
    tried = machine(records=(ended(Rung.REBOOT),))
    assert after(tried, Rung.SWAP)[0] is Rung.SWAP
    assert after(tried, Rung.SERVICE)[0] is Rung.POWER_CYCLE


def test_what_was_never_begun_takes_no_rung() -> None:
    cancelled = make.action(Rung.REBOOT, state=ActionState.CANCELLED, sent_at=None, deadline=None, finished_at=NOW)
    refused = ended(Rung.REBOOT, state=ActionState.FAILED, report=Report.REFUSED, verified=None)
    assert after(machine(records=(cancelled, refused)))[0] is Rung.REBOOT


def test_after_an_ambiguous_action_a_person_decides() -> None:
    unsure = ended(Rung.REBOOT, state=ActionState.AMBIGUOUS, verified=None)
    assert after(machine(records=(unsure,))) == (Rung.TICKET, Guard.AMBIGUOUS)


def test_what_can_never_be_sent_ends_at_a_person() -> None:
    one = make.action(Rung.REBOOT, state=ActionState.CANCELLED, sent_at=None, deadline=None, finished_at=NOW)
    assert after(machine(records=(one,) * (LIMITS.retries - 1)))[0] is Rung.REBOOT
    assert after(machine(records=(one,) * LIMITS.retries)) == (Rung.TICKET, Guard.BACK_OFF)


@pytest.mark.parametrize("rung", [Rung.REBOOT, Rung.POWER_CYCLE])
def test_two_reboots_in_a_week_are_enough(rung: Rung) -> None:
    old = ended(Rung.REBOOT, incident=1, at=NOW - timedelta(days=6))
    older = ended(Rung.POWER_CYCLE, incident=1, at=NOW - timedelta(days=8))
    assert after(machine(records=(old, older)), rung) == (rung, None)
    assert after(machine(records=(old, old)), rung) == (Rung.TICKET, Guard.REBOOTS)


def test_five_remediations_in_a_week_are_a_lemon() -> None:
    done = ended(Rung.SERVICE, incident=1, at=NOW - timedelta(days=2))
    assert after(machine(records=(done,) * 4), Rung.SERVICE) == (Rung.SERVICE, None)
    assert after(machine(records=(done,) * 5), Rung.SERVICE) == (Rung.TICKET, Guard.LEMON)


def test_an_action_dated_after_now_still_counts() -> None:
    done = ended(Rung.REBOOT, incident=1, at=NOW + timedelta(hours=2))
    assert after(machine(records=(done, done))) == (Rung.TICKET, Guard.REBOOTS)


@pytest.mark.parametrize("shares", [True, None])
def test_no_power_cycle_where_others_may_lose_power(shares: bool | None) -> None:
    shared = machine(shares_power=shares)
    assert after(shared, Rung.POWER_CYCLE) == (Rung.TICKET, Guard.SHARED_POWER)
    assert after(shared, Rung.REBOOT) == (Rung.REBOOT, None)
