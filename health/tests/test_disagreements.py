"""Where the scheduler and we differ: each kind, and nothing where both agree. Pure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from health.machines.lifecycle import State
from health.schedulers.disagreements import KINDS, Disagreement, Ours, Theirs, disagreements

OURS = Ours(id=1, name="gpu-1", state="ready", cpus=128, memory_mb=2_000_000, gpus=8)
THEIRS = Theirs("gpu-1", "idle", closed=False, jobs=0, cpus=128, memory_mb=1_900_000, gpus=8)
DRAINED = replace(THEIRS, state="drained", closed=True, reason="bob: riser", by="bob")


def found(ours: Ours | None, theirs: Theirs | None) -> list[Disagreement]:
    return list(disagreements([(ours, theirs)]))


def kinds(ours: Ours | None, theirs: Theirs | None) -> list[str]:
    return [each.kind for each in found(ours, theirs)]


def test_two_that_agree_are_no_disagreement() -> None:
    assert kinds(OURS, THEIRS) == []
    assert kinds(OURS, replace(THEIRS, state="allocated", jobs=3)) == []
    assert kinds(replace(OURS, state="repair", ticket="REP-9"), DRAINED) == []
    assert kinds(replace(OURS, state="draining"), replace(THEIRS, state="allocated", closed=True, jobs=1)) == []


def test_a_drain_that_no_ticket_explains_names_who_and_why() -> None:
    (only,) = found(OURS, DRAINED)
    assert only.kind == "drained_without_ticket" and "bob drained it" in only.text and "bob: riser" in only.text
    assert kinds(replace(OURS, ticket="REP-9"), DRAINED) == []


def test_our_own_drain_of_a_machine_in_service_is_one_that_was_left() -> None:
    ours = replace(DRAINED, reason="rackside: incident 3: x", by="rackside")
    assert kinds(OURS, ours) == ["closed_still_drained"]
    assert kinds(replace(OURS, waiting=True), ours) == [], "its resume is on the way"


@pytest.mark.parametrize("state", ["drained", "remediating", "verifying", "triage", "repair", "maintenance"])
def test_a_machine_out_of_service_that_runs_jobs_or_may_is_told(state: str) -> None:
    bad = replace(OURS, state=state)
    assert kinds(bad, THEIRS) == ["bad_allocated"]
    assert kinds(bad, replace(DRAINED, state="allocated", jobs=2)) == ["bad_allocated"]
    assert kinds(bad, replace(THEIRS, state="down")) == []
    assert kinds(bad, DRAINED) == []


def test_a_confirmed_fault_in_service_is_told_only_while_jobs_run() -> None:
    bad = replace(OURS, confirmed=1)
    assert kinds(bad, replace(THEIRS, state="allocated", jobs=1)) == ["bad_allocated"]
    assert kinds(bad, THEIRS) == []


def test_facts_that_differ_are_told_with_both_numbers() -> None:
    (only,) = found(OURS, replace(THEIRS, cpus=64, gpus=7, memory_mb=1_000_000))
    assert only.kind == "facts_differ"
    assert [(each["what"], each["ours"], each["theirs"]) for each in only.details["facts"]] == [
        ("CPUs", 128, 64), ("GPUs", 8, 7), ("MB of memory", 2_000_000, 1_000_000),
    ]  # fmt: skip


def test_what_one_side_does_not_tell_is_not_compared() -> None:
    assert kinds(replace(OURS, cpus=None, memory_mb=None, gpus=None), THEIRS) == []
    assert kinds(OURS, replace(THEIRS, cpus=None, memory_mb=None, gpus=None)) == []


def test_a_machine_that_only_one_of_them_has() -> None:
    assert kinds(None, THEIRS) == ["unknown_machine"]
    assert kinds(OURS, None) == ["missing_machine"]
    assert kinds(replace(OURS, state="new"), None) == [] and kinds(replace(OURS, state="retired"), None) == []


@pytest.mark.parametrize("state", [state.value for state in State])
def test_every_state_is_judged_and_gives_known_kinds(state: str) -> None:
    for theirs in (THEIRS, DRAINED, replace(THEIRS, state="unknown", jobs=None), None):
        assert set(kinds(replace(OURS, state=state), theirs)) <= set(KINDS)
