"""The lifecycle as a pure table: what the table promises, and what random histories cannot break."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from health.machines.cells import CELLS, ROWS, Condition, cell
from health.machines.lifecycle import (
    TRANSITIONS,
    InvalidTransition,
    LifecycleEvent,
    NotReady,
    State,
    allowed,
    next_state,
    obstacles,
    step,
)
from health.models import LifecycleTransition
from tests.effort import examples

BY_A_PERSON = {LifecycleEvent.RETURN, LifecycleEvent.ADOPT, LifecycleEvent.UNDRAIN}


def test_the_repair_path_leads_out_and_back() -> None:
    state = State.READY
    for event, expected in (
        ("drain", "draining"),
        ("drained", "drained"),
        ("start_repair", "repair"),
        ("verify", "verifying"),
        ("fail", "repair"),
        ("verify", "verifying"),
        ("pass", "ready"),
    ):
        state = next_state(state, event)
        assert state == expected


def test_every_state_is_reached_and_left() -> None:
    assert set(TRANSITIONS.values()) == set(State)
    assert {state for state, _ in TRANSITIONS} == set(State)


def test_every_state_finds_its_way_back_to_ready() -> None:
    reaches = {State.READY}
    while True:
        more = {state for (state, _), to in TRANSITIONS.items() if to in reaches} - reaches
        if not more:
            break
        reaches |= more
    assert reaches == set(State)


def test_a_machine_leaves_service_only_by_draining() -> None:
    assert {event for (state, event) in TRANSITIONS if state == State.READY} == {LifecycleEvent.DRAIN}


def test_unknown_words_and_steps_are_refused() -> None:
    for state, event in (("ready", "verify"), ("ready", "explode"), ("nowhere", "drain")):
        assert not allowed(state, event)
        with pytest.raises(InvalidTransition):
            next_state(state, event)


def test_obstacles_are_named() -> None:
    assert obstacles(holds=[], confirmed_faults=[], failing=0) == []
    reasons = obstacles(holds=["fault:1"], confirmed_faults=["gpu.gone of GPU 5"], failing=2)
    assert reasons == ["held by fault:1", "confirmed fault gpu.gone of GPU 5", "2 checks failing"]


@given(st.lists(st.sampled_from(list(LifecycleEvent)), max_size=40))
@settings(max_examples=examples(500), deadline=None)
def test_after_a_drain_only_a_pass_or_a_person_makes_a_machine_ready(history: list[LifecycleEvent]) -> None:
    state, by = State.READY, LifecycleEvent.ADOPT
    for event in history:
        if not allowed(state, event):
            with pytest.raises(InvalidTransition):
                next_state(state, event)
            continue
        before, state, by = state, next_state(state, event), event
        if state == State.READY:
            assert by in BY_A_PERSON | {LifecycleEvent.PASS}
            assert by != LifecycleEvent.PASS or before in (State.VERIFYING, State.BURN_IN)


THINGS = st.sampled_from(["fault:1", "ticket:REP-1", "person:olga"])
DEEDS = st.one_of(
    st.tuples(st.just("hold"), THINGS),
    st.tuples(st.just("lift"), THINGS),
    st.tuples(st.just("confirm"), st.sampled_from(["gpu.gone", "docker.down"])),
    st.tuples(st.just("clear"), st.sampled_from(["gpu.gone", "docker.down"])),
    st.tuples(st.just("failing"), st.integers(0, 2)),
    st.tuples(st.just("step"), st.sampled_from(list(LifecycleEvent))),
)


@pytest.mark.slow
@given(st.lists(DEEDS, max_size=60))
@settings(max_examples=examples(500), deadline=None)
def test_no_history_makes_a_machine_ready_that_is_held_faulty_or_failing(history: list[LifecycleEvent]) -> None:
    state, holds, faults, failing = State.READY, set(), set(), 0
    for deed, what in history:
        if deed == "hold":
            holds.add(what)
        elif deed == "lift":
            holds.discard(what)
        elif deed == "confirm":
            faults.add(what)
        elif deed == "clear":
            faults.discard(what)
        elif deed == "failing":
            failing = int(what)
        else:
            before = state
            reasons = obstacles(holds=list(holds), confirmed_faults=list(faults), failing=failing)
            try:
                state = step(before, what, lambda reasons=reasons: reasons)
            except InvalidTransition:
                assert not allowed(before, what)
            except NotReady as refusal:
                assert refusal.reasons == reasons and next_state(before, what) == State.READY
            else:
                assert state != State.READY or not (holds or faults or failing)
                assert TRANSITIONS[before, what] == state


# ---- cells ----

CONDITIONS = st.builds(
    Condition,
    state=st.sampled_from([state.value for state in State]),
    reachability=st.sampled_from(["never", "reachable", "late", "unreachable"]),
    worst=st.sampled_from(["fail", "unknown", "warn", "info", "ok"]),
    power=st.sampled_from(["unknown", "on", "off"]),
    allocation=st.sampled_from(["unknown", "idle", "allocated"]),
    suspected=st.booleans(),
    confirmed=st.booleans(),
)


@given(CONDITIONS)
@settings(max_examples=examples(500), deadline=None)
def test_every_condition_has_one_cell_and_only_a_sound_machine_looks_available(condition: Condition) -> None:
    word = cell(condition)
    assert word in CELLS
    if word in ("available", "allocated"):
        assert condition.state == State.READY and condition.reachability == "reachable"
        assert condition.worst not in ("fail", "unknown") and not condition.confirmed and not condition.suspected


def test_every_cell_is_used() -> None:
    assert {word for word, _, _ in ROWS} == set(CELLS)


# ---- the documents and the database say the same ----


def test_the_drawing_in_the_documents_is_the_table() -> None:
    text = (Path(__file__).parents[2] / "docs" / "lifecycle.md").read_text()
    drawn = {
        tuple(part.strip() for part in (left, right.split(":")[0], right.split(":")[1]))
        for line in text.splitlines()
        if "-->" in line and ":" in line and "[*]" not in line
        for left, right in [line.split("-->")]
    }
    table = {(state.value, to.value, event.value) for (state, event), to in TRANSITIONS.items()}
    lifecycle = {row for row in drawn if row[0] in set(State)}
    assert lifecycle == table


def test_the_cell_table_in_the_documents_is_the_table() -> None:
    text = (Path(__file__).parents[2] / "docs" / "lifecycle.md").read_text()
    for word, when, _ in ROWS:
        assert f"| {when} | `{word}` |" in text


@pytest.mark.django_db
def test_the_database_permits_what_the_table_permits() -> None:
    rows = set(LifecycleTransition.objects.values_list("from_state", "event", "to_state"))
    assert rows == {(state.value, event.value, to.value) for (state, event), to in TRANSITIONS.items()}


@pytest.mark.parametrize("state", ["draining", "drained"])
def test_a_machine_taken_out_on_purpose_is_not_painted_as_a_failed_one(state: str) -> None:
    assert cell(Condition(state)) == "drained"
    assert cell(Condition(state, worst="fail", reachability="unreachable")) == "drained"
    assert cell(Condition(state, confirmed=True, suspected=True)) == "failed"
    assert cell(Condition("triage")) == "failed"
