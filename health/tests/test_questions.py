"""Whom a look waits for, and for how long: the answers are made here, the waiting is real."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from drivers.ssh import Limits, Phase, SshFailure, SshFailureKind, SshResult, SshTarget
from health.monitoring.services.sweeps import sessions
from health.monitoring.services.sweeps.sessions import PATIENT, Answer, Asking, Pace, Questions

Answering = Callable[[Mapping[int, float]], Questions]
NEVER_S = 60.0


def target(pk: int) -> SshTarget:
    return SshTarget("127.0.0.1", 22, "rackside", "key", machine_id=pk)


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """Machines that answer after so many seconds, by id."""

    def make(after_s: Mapping[int, float]) -> Questions:
        async def run_many(targets: Sequence[SshTarget], script: str, **_: Any) -> AsyncIterator[SshResult]:
            began = asyncio.get_running_loop().time()
            for each in sorted(targets, key=lambda t: after_s[t.machine_id or 0]):
                left = began + after_s[each.machine_id or 0] - asyncio.get_running_loop().time()
                await asyncio.sleep(max(0.0, left))
                yield SshResult(each, None)

        monkeypatch.setattr(sessions, "run_many", run_many)
        return Questions(list(after_s), {"script": (Limits(), [target(pk) for pk in after_s])}, [], {})

    return make


def answered(batches: Sequence[Sequence[Answer]]) -> list[int]:
    return [answer.machine_id for batch in batches for answer in batch]


def test_nobody_waits_for_one_that_hangs(answering: Answering) -> None:
    look = Asking(answering({**{pk: 0.02 * pk for pk in range(1, 11)}, 99: NEVER_S}), Pace())
    began = time.monotonic()
    assert answered(list(look)) == list(range(1, 11))
    assert look.unanswered == [99] and look.answered_s < NEVER_S / 4
    assert time.monotonic() - began < NEVER_S / 4


def test_one_that_hangs_costs_the_others_one_short_wait(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the rest of a batch's time nor, after it was stored, the whole wait once more."""
    monkeypatch.setattr(sessions, "BATCH_S", 5.0)
    began = time.monotonic()
    assert answered(list(Asking(answering({1: 0.0, 2: 0.0, 99: NEVER_S}), Pace()))) == [1, 2]
    assert time.monotonic() - began < 2 * sessions.QUIET_S + sessions.GRACE_S


def test_the_slow_lane_waits_for_all(answering: Answering) -> None:
    look = Asking(answering({1: 0.0, 2: 1.5 * sessions.QUIET_S}), PATIENT)
    assert answered(list(look)) == [1, 2] and look.unanswered == []


def test_where_nobody_answers_the_first_is_waited_for_as_long_as_asked(answering: Answering) -> None:
    look = Asking(answering({1: NEVER_S, 2: NEVER_S}), Pace(first_s=0.3))
    assert list(look) == [] and look.unanswered == [1, 2]


def test_nobody_is_given_up_in_the_time_in_which_nobody_listened(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored between two batches takes its time; an answer that came meanwhile counts."""
    monkeypatch.setattr(sessions, "BATCH_S", 0.05)
    look = Asking(answering({1: 0.0, 2: 0.4}), Pace())
    batches = []
    for batch in look:
        batches.append(batch)
        time.sleep(3 * sessions.QUIET_S)
    assert answered(batches) == [1, 2] and len(batches) == 2 and look.unanswered == []


def test_a_batch_is_no_larger_than_its_bound(answering: Answering) -> None:
    sizes = [len(batch) for batch in Asking(answering(dict.fromkeys(range(1, 80), 0.0)), Pace())]
    assert max(sizes) == sessions.BATCH and sum(sizes) == 79


def test_a_machine_that_nobody_can_ask_is_answered_for_at_once(answering: Answering) -> None:
    questions = Questions([7], {}, [], {})
    ((only,),) = list(Asking(questions, Pace()))
    assert (only.machine_id, only.ssh, only.kept_waiting) == (7, None, "")


def test_a_fault_of_ours_is_no_silent_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run_many(*_: Any, **__: Any) -> AsyncIterator[SshResult]:
        raise RuntimeError("a bug")
        yield

    monkeypatch.setattr(sessions, "run_many", run_many)
    look = Asking(Questions([1], {"script": (Limits(), [target(1)])}, [], {}), Pace(first_s=0.2))
    with pytest.raises(RuntimeError, match="a bug"):
        list(look)


def test_what_kept_us_waiting_is_told_with_its_phase_and_a_refusal_is_not() -> None:
    late = SshFailure(SshFailureKind.TIMEOUT, f"timed out {Phase.LOGIN}: slow", Phase.LOGIN)
    refused = SshFailure(SshFailureKind.REFUSED, "refused")
    assert Answer(1, SshResult(target(1), late)).kept_waiting == "timed out logging in: slow"
    assert Answer(1, SshResult(target(1), refused)).kept_waiting == ""


def test_looks_of_the_slow_lane_run_beside_each_other_in_threads(answering: Answering) -> None:
    questions = answering({1: 0.2, 2: 0.3})
    with ThreadPoolExecutor(2) as pool:
        looks = list(pool.map(lambda _: answered(list(Asking(questions, PATIENT))), range(2)))
    assert looks == [[1, 2], [1, 2]]
