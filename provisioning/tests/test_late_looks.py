"""A look whose time is over writes to no BMC, however late the answer to what was asked before the write."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection, connections

from provisioning.engines import ENGINES
from provisioning.engines.contract import Again, Finished, Looked
from provisioning.services import permits, probes
from provisioning.steps import StepName

LIMIT_S = 0.2


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[StepName]:
    """The steps that were carried out."""
    steps: list[StepName] = []

    async def perform(step: StepName, job: Any) -> Looked:
        steps.append(step)
        return Looked(Finished("done"))

    monkeypatch.setitem(ENGINES, "late", SimpleNamespace(perform=perform))
    return steps


def claim() -> Any:
    return SimpleNamespace(
        engine="late", step=StepName.POWER_ON, job=SimpleNamespace(data={}), run_machine_id=1, looks=0
    )


def looked(stands_still_s: float = 0.0) -> Looked:
    with asyncio.Runner() as runner:
        flight = probes.Flight(runner, LIMIT_S)
        flight.start(claim())
        time.sleep(stands_still_s)
        ((_, found),) = flight.landed(5)
        time.sleep(3 * LIMIT_S)  # the thread goes on
        runner.run(asyncio.sleep(0.05))
        return found


def test_a_question_in_time_is_followed_by_the_write(written: list[StepName], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permits, "_refusal", lambda *args: "")
    assert isinstance(looked().outcome, Finished) and written == [StepName.POWER_ON]


def test_an_answer_after_the_look_s_time_is_followed_by_no_write(
    written: list[StepName], monkeypatch: pytest.MonkeyPatch
) -> None:
    answered: list[str] = []

    def late(*args: Any) -> str:
        time.sleep(2 * LIMIT_S)
        answered.append("")
        return ""

    monkeypatch.setattr(permits, "_refusal", late)
    found = looked()
    assert isinstance(found.outcome, Again) and found.silent
    assert answered == [""] and written == []


def test_a_look_that_stood_still_for_its_whole_time_writes_nothing(
    written: list[StepName], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permits, "_refusal", lambda *args: "")
    assert isinstance(looked(stands_still_s=2 * LIMIT_S).outcome, Again) and written == []


@pytest.mark.django_db(transaction=True)
def test_the_connection_of_a_question_is_its_own_and_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def ask(*args: Any) -> str:
        connections["default"].ensure_connection()
        seen.append(connections["default"])
        return ""

    monkeypatch.setattr(permits, "_refusal", ask)
    connection.ensure_connection()
    asyncio.run(permits.why_waits(1, StepName.POWER_ON, may_stop=True))
    (theirs,) = seen
    assert theirs is not connections["default"]
    assert theirs.connection is None and connection.connection is not None


def test_a_process_that_forks_after_a_question_can_ask_as_well() -> None:
    assert permits._threads(os.getpid()).submit(int).result(5) == 0

    def child() -> None:
        os._exit(permits._threads(os.getpid()).submit(int).result(5))

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(10)
    assert process.exitcode == 0
