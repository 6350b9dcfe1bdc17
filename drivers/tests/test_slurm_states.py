"""Every base state of Slurm with every flag: jobs come first, an unknown word is never healthy."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.scheduler import MachineState, Outcome, before_drain
from drivers.slurm.client import complete, facts_of
from drivers.slurm.states import (
    BASES,
    BUSY_BASES,
    BY_ITSELF,
    CLOSES,
    DEAD_BASES,
    FLAGS,
    IDLE_BASES,
    MARKS,
    OUT,
    SILENCES,
    WORKS,
    judged,
    state_words,
)


@pytest.mark.parametrize("base", sorted(BASES))
@pytest.mark.parametrize("many", [0, 1, 2])
def test_a_flag_never_hides_a_job_and_never_makes_a_machine_ready(base: str, many: int) -> None:
    for flags in combinations(sorted(FLAGS), many):
        check(base, frozenset(flags))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(BASES)), st.frozensets(st.sampled_from(sorted(FLAGS))))
def test_any_number_of_flags_says_the_same(base: str, flags: frozenset[str]) -> None:
    check(base, flags)


def check(base: str, flags: frozenset[str]) -> None:
    state, closed, answers = judged([base, *flags])
    assert judged([*flags, base]) == (state, closed, answers), "in any order"
    assert closed == bool(flags & CLOSES) and answers == (not flags & SILENCES)
    if base in BUSY_BASES or flags & WORKS:
        assert state is MachineState.ALLOCATED
        assert (facts_of("gpu1", [base, *flags]).jobs or 0) >= 1
    elif base in IDLE_BASES and not flags & OUT:
        assert state is (MachineState.DRAINED if closed else MachineState.IDLE)
    elif base in IDLE_BASES or base in DEAD_BASES:
        assert state is MachineState.DOWN
        assert facts_of("gpu1", [base, *flags]).jobs is None, "its jobs are those that Slurm lists"
    else:
        assert state is MachineState.UNKNOWN
    drained = complete(facts_of("gpu1", [base, *flags]), 0, ()).drained
    assert not drained or (closed and base not in BUSY_BASES and not flags & WORKS)


@pytest.mark.parametrize("base", sorted(BASES))
def test_a_word_of_a_later_slurm_is_unknown_beside_everything_but_a_job(base: str) -> None:
    facts = facts_of("gpu1", [base, "drain", "quantum_entangled"])
    if base in BUSY_BASES:
        assert facts.state is MachineState.ALLOCATED
    else:
        assert facts.state is MachineState.UNKNOWN and facts.jobs is None and not facts.drained


@pytest.mark.parametrize(
    "words",
    ["ALLOCATED+DRAIN+INVALID_REG", "MIXED+DRAIN+FAIL", "MIXED+FAIL", "ALLOCATED+DRAIN+POWERING_DOWN", "failing*",
     "ALLOCATED+POWER_DOWN", "MIXED+DRAIN+NOT_RESPONDING+REBOOT_ISSUED", "IDLE+COMPLETING+DRAIN+INVALID_REG"],
)  # fmt: skip
def test_a_busy_machine_is_busy_beside_what_hid_it(words: str) -> None:
    facts = facts_of("gpu1", state_words(words))
    assert facts.state is MachineState.ALLOCATED and facts.jobs == 1 and not facts.drained


@pytest.mark.parametrize(("mark", "word"), sorted(MARKS.items()))
def test_a_mark_is_the_flag_it_stands_for(mark: str, word: str) -> None:
    assert state_words(f"IDLE{mark}") == ("idle", word) and word in FLAGS


def test_only_what_nobody_decided_is_drained_over() -> None:
    def asked(words: str, reason: str) -> Outcome | None:
        return before_drain(
            facts_of("gpu1", state_words(words), reason=reason), "rackside: fault 7: x", "rackside: old"
        )

    for words in ("DOWN", "FAIL", "IDLE+DRAIN", "MIXED+DRAIN", "DOWN+DRAIN", "MIXED+FAIL"):
        assert asked(words, "bob: smells of smoke") is Outcome.THEIRS, words
        assert asked(words, "NHC: disk") is Outcome.THEIRS, words
        assert asked(words, "rackside: old") is None, "our own is replaced"
    for reason in BY_ITSELF:
        assert asked("DOWN*", reason.capitalize()) is None, "it may be back in a minute, and open"
    assert asked("IDLE+DRAIN", "Kill task failed") is Outcome.THEIRS, "its reason stays: it keeps jobs away as well"
    assert asked("IDLE", "") is None
