"""Waves, the canary and the stop rule, played through with any machines that fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from provisioning.waves.policy import (
    BAD,
    Begin,
    MachineState,
    Next,
    Over,
    Passed,
    Play,
    Policy,
    Standing,
    Stop,
    next_of,
)

ROLES = ("time", "docker", "limits")
policies = st.builds(
    Policy,
    canary=st.integers(0, 3),
    limit=st.integers(1, 5),
    stop_share=st.sampled_from([0.1, 0.2, 0.5, 1.0]),
)
fates = st.lists(
    st.sampled_from([(state, role) for role in ROLES for state in ("failed", "unreachable", "refused")] + [None] * 12),
    max_size=14,
)
Fate = tuple[str, str] | None
Watch = Callable[[list[Standing], Next], None]


def played(fates: list[Fate], policy: Policy, watch: Watch = lambda *_: None) -> tuple[list[Standing], Next]:
    """Carry a run out: machine n meets `fates[n]` at that role, the others go through."""
    rows = {n: Standing(n, MachineState.WAITING, None, ()) for n in range(len(fates))}
    for _ in range(1000):
        step = next_of(list(rows.values()), ROLES, policy)
        watch(list(rows.values()), step)
        match step:
            case Begin(wave, machines):
                assert machines
                for n in machines:
                    assert rows[n].state is MachineState.WAITING
                    rows[n] = replace(rows[n], state=MachineState.RUNNING, wave=wave)
            case Play(role, machines):
                assert machines
                for n in machines:
                    assert rows[n].state is MachineState.RUNNING
                    assert list(rows[n].done) == list(ROLES[: ROLES.index(role)]), "each role once, in order"
                    fate = fates[n]
                    if fate is not None and fate[1] == role:
                        rows[n] = replace(rows[n], state=MachineState(fate[0]))
                    else:
                        rows[n] = replace(rows[n], done=(*rows[n].done, role))
            case Passed(machines):
                for n in machines:
                    assert tuple(rows[n].done) == ROLES
                    rows[n] = replace(rows[n], state=MachineState.OK)
            case _:
                return list(rows.values()), step
    raise AssertionError("it does not end")


@given(fates, policies)
def test_a_run_ends_and_never_has_more_machines_under_way_than_its_limit(fates: list[Fate], policy: Policy) -> None:
    def watch(rows: list[Standing], _: Next) -> None:
        running = sum(row.state is MachineState.RUNNING for row in rows)
        assert running <= max(policy.limit, policy.canary)

    rows, end = played(fates, policy, watch)
    assert isinstance(end, Over | Stop)
    if isinstance(end, Over):
        assert all(row.state not in (MachineState.WAITING, MachineState.RUNNING) for row in rows)


@given(fates, policies)
def test_no_machine_begins_beside_the_canaries_or_after_one_of_them_failed(fates: list[Fate], policy: Policy) -> None:
    if not policy.canary:
        return
    good = [False]

    def watch(rows: list[Standing], step: Next) -> None:
        good[0] |= any(row.state is MachineState.OK for row in rows)
        if isinstance(step, Begin) and len(step.machines) > policy.canary:
            assert good[0], "a wave before a canary went through"

    rows, _ = played(fates, policy, watch)
    first = min((row.wave for row in rows if row.wave and row.state is not MachineState.REFUSED), default=None)
    if any(row.state in BAD and row.wave == first for row in rows) and len(rows) > policy.canary:
        assert all(row.wave is None or row.wave <= (first or 0) for row in rows), "nobody went after it"


@given(st.integers(0, 14), policies)
def test_where_nothing_fails_every_machine_goes_through(count: int, policy: Policy) -> None:
    rows, end = played([None] * count, policy)
    assert end == Over() and all(row.state is MachineState.OK for row in rows)


@given(fates, policies)
def test_the_run_stops_as_soon_as_the_share_of_failed_machines_is_reached(fates: list[Fate], policy: Policy) -> None:
    def watch(rows: list[Standing], step: Next) -> None:
        went = [row for row in rows if row.wave is not None and row.state is not MachineState.REFUSED]
        bad = sum(row.state in BAD for row in went)
        if bad and bad >= policy.stop_share * len(went):
            assert isinstance(step, Stop | Over), (step, went)

    played(fates, policy, watch)


def test_the_reason_names_how_many_failed_and_the_canary_by_itself() -> None:
    rows, end = played([None, ("failed", "docker"), *[None] * 7], Policy(canary=1, limit=3, stop_share=0.25))
    assert end == Stop("1 of 4 machines failed, the run stops at 25%")
    assert [row.state.value for row in rows[4:]] == ["waiting"] * 5
    assert played([("failed", "time"), None], Policy(1, 8, 1.0))[1] == Stop("the canary failed")


def test_refused_machines_count_for_nothing_and_another_canary_goes() -> None:
    rows, end = played([("refused", "time"), None, None], Policy(canary=1, limit=8, stop_share=0.1))
    assert end == Over() and [row.wave for row in rows] == [1, 2, 3]


def test_a_lost_worker_leaves_the_role_to_be_played_again() -> None:
    rows = [Standing(1, MachineState.RUNNING, 1, ["time"]), Standing(2, MachineState.WAITING, None, [])]
    step = next_of(rows, ROLES, Policy(1, 8, 0.2))
    assert step == Play("docker", (1,)) == next_of(rows, ROLES, Policy(1, 8, 0.2))
