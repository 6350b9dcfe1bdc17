"""The way of a machine through a run, as a pure state machine under random happenings."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.steps import (
    ADOPT,
    HEARD_STEPS,
    INSTALL,
    IRONIC,
    MAAS,
    OPEN,
    STEPS,
    Cancelled,
    Done,
    Failed,
    FailureClass,
    Happening,
    Heard,
    Late,
    Position,
    Power,
    Retried,
    Started,
    Status,
    StepName,
    Way,
    move,
    power_phase,
    run_status,
)

ways = st.sampled_from([INSTALL, ADOPT, MAAS, IRONIC])
steps = st.sampled_from(list(StepName))
failures = st.sampled_from(list(FailureClass))
happenings: st.SearchStrategy[Happening] = st.one_of(
    st.just(Started()),
    st.builds(Done, steps),
    st.builds(Heard, st.sampled_from(HEARD_STEPS)),
    st.builds(Failed, steps, failures),
    st.builds(Late, steps, st.none() | failures),
    st.just(Cancelled()),
    st.just(Retried()),
)


def walk(happened: list[Happening], way: Way = INSTALL) -> list[Position]:
    positions = [Position(way=way)]
    for each in happened:
        positions.append(move(positions[-1], each))
    return positions


@given(st.lists(happenings, max_size=60), ways)
def test_whatever_happens_a_machine_has_a_failure_exactly_when_it_failed(happened: list[Happening], way: Way) -> None:
    for position in walk(happened, way):
        assert (position.failure is not None) == (position.status is Status.FAILED)


@given(st.lists(happenings, max_size=60), ways)
def test_no_machine_leaves_the_way_of_its_engine(happened: list[Happening], way: Way) -> None:
    assert {position.step for position in walk(happened, way)} <= set(way.steps)


@given(st.lists(happenings, max_size=60), ways)
def test_steps_never_go_back_within_an_attempt_and_attempts_only_grow_by_starting(
    happened: list[Happening], way: Way
) -> None:
    positions = walk(happened, way)
    for before, after, cause in zip(positions, positions[1:], happened, strict=False):
        if not isinstance(cause, Retried):
            assert way.number(after.step) >= way.number(before.step)
        started = isinstance(cause, Started) and before.status is Status.WAITING
        assert after.attempt == before.attempt + (1 if started else 0)


@given(st.lists(happenings, max_size=80), ways)
def test_done_is_final_and_only_reached_from_the_last_step(happened: list[Happening], way: Way) -> None:
    positions = walk(happened, way)
    for before, after in pairwise(positions):
        if before.status is Status.DONE:
            assert after == before
        elif after.status is Status.DONE:
            assert before.step is way.steps[-1]


@given(st.lists(happenings, max_size=40), happenings, ways)
def test_the_same_happening_twice_is_harmless(happened: list[Happening], twice: Happening, way: Way) -> None:
    once = move(walk(happened, way)[-1], twice)
    again = move(once, twice)
    if isinstance(twice, Done | Heard | Failed | Late):
        assert again == once, "a step that is behind, or ended, ignores what is said about it again"


@given(st.lists(happenings, max_size=40), steps, failures)
def test_news_of_another_step_than_the_current_one_changes_nothing(
    happened: list[Happening], step: StepName, failure: FailureClass
) -> None:
    position = walk(happened)[-1]
    if step is not position.step:
        for stale in (Done(step), Failed(step, failure), Late(step)):
            assert move(position, stale) == position


@given(st.lists(happenings, max_size=40))
def test_every_open_machine_can_be_cancelled_and_every_ended_one_but_done_retried(happened: list[Happening]) -> None:
    position = walk(happened)[-1]
    cancelled = move(position, Cancelled())
    assert (cancelled.status is Status.CANCELLED) == (position.status in (*OPEN, Status.CANCELLED))
    if position.status in (Status.FAILED, Status.CANCELLED):
        assert move(position, Retried()).status is Status.WAITING


@pytest.mark.parametrize("way", [INSTALL, ADOPT, MAAS, IRONIC])
def test_the_straight_way_ends_in_done(way: Way) -> None:
    position = move(Position(way=way), Started())
    for step in way.steps:
        assert position.step is step and position.status is Status.RUNNING
        position = move(position, Heard(step) if step in HEARD_STEPS else Done(step))
    assert position.status is Status.DONE


def test_a_machine_that_asks_before_its_bmc_says_on_is_already_further() -> None:
    position = Position(Status.RUNNING, StepName.POWER_ON, 1)
    assert move(position, Heard(StepName.BOOT_SCRIPT)).step is StepName.INSTALL_DATA
    early = Position(Status.RUNNING, StepName.BOOT_OVERRIDE, 1)
    assert move(early, Heard(StepName.BOOT_SCRIPT)) == early


def test_a_late_step_ends_in_its_own_boot_failure_class() -> None:
    classes = {step.name: move(Position(Status.RUNNING, step.name, 1), Late(step.name)).failure for step in STEPS}
    assert classes[StepName.IDENTITY] is FailureClass.NO_BMC
    assert classes[StepName.BOOT_SCRIPT] is FailureClass.NO_PXE_REQUEST
    assert classes[StepName.INSTALL_DATA] is FailureClass.NO_INSTALLER
    assert classes[StepName.PHONE_HOME] is FailureClass.NO_PHONE_HOME
    assert classes[StepName.SSH] is FailureClass.NO_SSH
    assert classes[StepName.CHECKS] is FailureClass.CHECKS_FAILED


def test_a_retry_keeps_a_standing_installation_and_otherwise_begins_anew() -> None:
    def retried(step: StepName, status: Status = Status.FAILED) -> StepName:
        return move(Position(status, step, 1, FailureClass.NO_SSH), Retried()).step

    assert retried(StepName.CHECKS) is StepName.SSH
    assert retried(StepName.PHONE_HOME) is StepName.IDENTITY
    assert retried(StepName.CHECKS, Status.CANCELLED) is StepName.IDENTITY


@given(st.lists(st.sampled_from(list(Status)), min_size=1))
def test_a_run_has_ended_when_all_its_machines_have(statuses: list[Status]) -> None:
    ended = run_status(statuses) not in OPEN
    assert ended == all(status not in OPEN for status in statuses)
    assert (run_status(statuses) is Status.DONE) == (set(statuses) == {Status.DONE})


@given(st.booleans(), st.lists(st.booleans(), max_size=30), st.integers(0, 5))
def test_a_restart_is_done_only_after_the_machine_was_seen_off(was_on: bool, lost: list[bool], delay: int) -> None:
    """Orders take `delay` looks to show, and any look may be lost after its order and before it is stored."""
    power, wanted, countdown, phase = ("on" if was_on else "off"), None, 0, ""
    seen_off = False
    for look in range(100):
        if wanted is not None:
            countdown -= 1
            if countdown < 0:
                power, wanted = wanted, None
        seen_off |= power == "off"
        order, next_phase, done = power_phase(phase, power)
        if done:
            assert seen_off and power == "on"
            return
        if order is not Power.NOTHING and wanted != order.value and power != order.value:
            wanted, countdown = order.value, delay
        if not (look < len(lost) and lost[look]):
            phase = next_phase
    raise AssertionError("the restart never ended")
