"""The plan that is shown is what would be done: carried out row by row, exactly its allowed rows are granted."""

from __future__ import annotations

from random import Random

import pytest

from health.machines.lifecycle import TRANSITIONS, State
from health.machines.lifecycle import LifecycleEvent as E
from health.remediation import planner, records
from health.remediation.planner import plan_all
from health.remediation.types import Granted, Guard, Step
from health.tests.remediation.histories import History
from health.tests.remediation.make import ALL_ON, NOW, incident, machine, pool, ready, site
from health.tests.remediation.promises import LIMITS, Box
from health.tests.remediation.world import Site


def carry_out(place: Site, box: Box, granted: Granted) -> None:
    """Write what the service would write in the transaction of the grant, and nothing more."""
    if granted.proposal.step is Step.DRAIN:
        place._move(box, E.DRAIN)
        place.drains.append((place.now, box))
        box.drained_by_us = True
    elif granted.proposal.step is Step.REMEDY:
        box.actions.append(records.granted(granted.proposal, owner="w", now=place.now, limits=LIMITS))


@pytest.mark.parametrize("shard", range(4))
def test_carrying_out_the_plan_grants_exactly_what_it_allowed(shard: int) -> None:
    allowed = refused = 0
    for seed in range(shard * 100, shard * 100 + 100):
        place = History(seed, steps=14).run()
        boxes = {box.id: box for box in place.boxes}
        for _ in range(3):
            place.fail(place.random.choice(place.boxes))
        views = [place.view(box) for box in place.boxes]
        shown = plan_all(views, {1: place.pool()}, place.site(), place.rules, place.now)
        for row in shown:
            box = boxes[row.machine]
            answer = planner.decide(place.view(box), place.pool(), place.site(), place.rules, place.now)
            assert isinstance(answer, Granted) == row.allowed, (seed, row, answer)
            if isinstance(answer, Granted):
                assert answer.proposal == row.proposal
                carry_out(place, box, answer)
                allowed += 1
            else:
                assert row.refusal is not None
                assert answer.guard is row.refusal.guard, (seed, row, answer)
                refused += 1
    assert allowed > 20
    assert refused > 20


def test_the_worst_and_then_the_oldest_come_first_and_take_the_budget() -> None:
    fleet = [
        ready(id=1, causes=(), incident=incident(machine=1, precedence=3)),
        ready(id=2, causes=(), incident=incident(machine=2, precedence=0)),
        ready(id=3, causes=(), incident=incident(machine=3, precedence=1)),
    ]
    shown = plan_all(fleet, {1: pool(unavailable=3)}, site(), ALL_ON, NOW)
    assert [row.machine for row in shown] == [2, 3, 1]
    assert [row.allowed for row in shown] == [True, True, False]


def test_of_two_reboots_the_plan_allows_one_and_says_what_the_other_waits_for() -> None:
    fleet = [machine(id=n, incident=incident(machine=n, id=n)) for n in (1, 2)]
    shown = plan_all(fleet, {1: pool()}, site(), ALL_ON, NOW)
    assert [row.allowed for row in shown] == [True, False]
    assert shown[1].refusal is not None
    assert shown[1].refusal.guard is Guard.POWER_BUSY


def test_a_healthy_machine_is_not_in_the_plan_and_an_unreadable_one_says_so() -> None:
    shown = plan_all([machine(id=1, incident=None), machine(id=2, records=None)], {1: pool()}, site(), ALL_ON, NOW)
    assert [(row.machine, row.refusal.guard) for row in shown if row.refusal] == [(2, Guard.RECORD)]
    assert len(shown) == 1


def test_a_machine_said_to_be_remediating_without_a_record_is_stopped() -> None:
    answer = planner.decide(machine(state=State.REMEDIATING), pool(), site(), ALL_ON, NOW)
    assert not isinstance(answer, Granted)
    assert answer.guard is Guard.RECORD


def test_planning_reads_and_changes_nothing() -> None:
    place = Site(Random(5), 6)
    place.fail(place.boxes[0])
    views = [place.view(box) for box in place.boxes]
    first = plan_all(views, {1: place.pool()}, place.site(), place.rules, place.now)
    assert plan_all(views, {1: place.pool()}, place.site(), place.rules, place.now) == first


def test_the_lifecycle_leads_back_to_ready_only_by_a_verification_or_a_person() -> None:
    """`return` and `undrain` are a person's words, `adopt` of a machine that never failed."""
    ways = {(state, event) for (state, event), after in TRANSITIONS.items() if after is State.READY}
    assert {event for _, event in ways} == {E.PASS, E.RETURN, E.UNDRAIN, E.ADOPT}
    assert {state for state, event in ways if event is E.PASS} == {State.VERIFYING, State.BURN_IN}
    assert {state for state, _ in ways if state is State.REMEDIATING} == set()
    ours = {E.DRAIN, E.DRAINED, E.REMEDIATE, E.VERIFY, E.FAIL, E.RELEASE, E.ESCALATE}
    assert not any(event in ours for _, event in ways)
