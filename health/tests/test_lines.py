"""What stays open in a process between two looks, and what does not."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import threading
from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from typing import Any

import pytest

from drivers.ssh import Limits, SshResult, SshTarget
from health.monitoring.services.sweeps import lines as lines_module
from health.monitoring.services.sweeps import sessions, slow_lane
from health.monitoring.services.sweeps.lines import Lines, close_all, lines
from health.monitoring.services.sweeps.observation import Memories
from health.monitoring.services.sweeps.sessions import PATIENT, Asking, Pace, Questions

KEEPING = Pace(first_s=0.2, keeps=True)
where: ContextVar[str] = ContextVar("where", default="nowhere")


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What each look was given to keep its sessions in; machine 1 answers at once, 2 never."""
    given: list[Any] = []

    async def run_many(targets: Sequence[SshTarget], script: str, **options: Any) -> AsyncIterator[SshResult]:
        given.append(options["kept"])
        yield SshResult(targets[0], None)
        await asyncio.sleep(60)

    monkeypatch.setattr(sessions, "run_many", run_many)
    return given


def look(pace: Pace) -> list[int]:
    targets = [SshTarget("127.0.0.1", 22, "rackside", "key", machine_id=pk) for pk in (1, 2)]
    asking = Asking(Questions([1, 2], {"script": (Limits(), targets)}, [], {}), pace)
    return [answer.machine_id for batch in asking for answer in batch]


def test_one_look_after_the_other_finds_the_same_room(rooms: list[Any]) -> None:
    assert look(KEEPING) == [1] and look(KEEPING) == [1]
    assert rooms[0] is not None and rooms[0] is rooms[1]


def test_only_the_fast_lane_keeps_anything(rooms: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "LONGEST_S", 0.2)
    look(PATIENT)
    look(Pace(first_s=0.2))
    assert rooms == [None, None]
    assert slow_lane.pace_of("fast", 1.0).keeps and not slow_lane.pace_of("slow", 1.0).keeps


def test_a_question_that_nobody_waits_for_ends_with_its_look(rooms: list[Any]) -> None:
    look(KEEPING)

    async def left() -> int:
        return len(asyncio.all_tasks()) - 1

    with lines(keeps=True) as kept:
        assert kept.run(left()) == 0


def test_two_looks_at_the_same_time_do_not_share_a_loop() -> None:
    seen: list[Lines] = []

    def second() -> None:
        with lines(keeps=True) as other:
            seen.append(other)

    with lines(keeps=True) as first:
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(5)
    assert seen[0].runner is not first.runner and seen[0].ssh is None


def test_a_look_that_breaks_leaves_the_loop_to_the_next(rooms: list[Any]) -> None:
    with pytest.raises(RuntimeError, match="a bug"), lines(keeps=True):
        raise RuntimeError("a bug")
    assert look(KEEPING) == [1]


def test_what_does_not_end_costs_the_connections_and_no_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "ENDS_WITHIN_S", 0.05)

    async def stubborn() -> None:
        for _ in range(4):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.1)

    async def begin() -> asyncio.Task[None]:
        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0)
        return task

    with lines(keeps=True) as first:
        task = first.run(begin())
    with lines(keeps=True) as second:
        assert second.runner is not first.runner
    del task


def test_a_forked_process_does_not_use_what_its_parent_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    with lines(keeps=True) as first:
        pass
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: -1)
        with lines(keeps=True) as second:
            assert second.runner is not first.runner
        close_all()
    first.runner.close()


def test_each_look_runs_in_the_context_of_its_caller() -> None:
    async def told() -> str:
        return where.get()

    for word in ("here", "there"):
        token = where.set(word)
        with lines(keeps=True) as kept:
            assert kept.run(told()) == word
        where.reset(token)


@pytest.mark.parametrize(("limit", "room"), [((1024, 1024), 312), ((20_000, 20_000), 9_800), ((256, 256), 0)])
def test_how_many_are_kept_follows_from_the_limit_of_open_files(
    limit: tuple[int, int], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: limit)
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    assert lines_module._room() == room


def test_one_look_at_a_time_has_what_is_remembered() -> None:
    """Two sweeps that meet in one process, as two threads of it may, do not mix what they say of a machine."""
    memories, given = Memories(2), []

    def second() -> None:
        with memories.of(1) as memory:
            given.append(memory)

    with memories.of(1) as first:
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(5)
    second()
    assert first is not None and given == [None, first]


def test_of_more_machines_than_there_is_room_for_the_others_are_judged_afresh() -> None:
    memories = Memories(1)
    for machine, held in ((1, True), (2, False), (1, True)):
        with memories.of(machine) as memory:
            assert (memory is not None) == held
