from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from provisioning.tests.ironic_site import IronicSite
from provisioning.tests.maas_site import MaasSite
from provisioning.tests.world import BareMachine, Loop, Pump


@pytest.fixture(scope="session")
def loop_thread() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.stop()


@pytest.fixture
def pump(monkeypatch: pytest.MonkeyPatch) -> Pump:
    monkeypatch.setattr("health.monitoring.tasks.verify_machine.apply_async", lambda args: None)
    return Pump(monkeypatch)


@pytest.fixture
def bare_machine(loop_thread: Loop, tmp_path: Path) -> Iterator[Callable[..., BareMachine]]:
    made: list[BareMachine] = []

    def make(name: str = "gpu-001") -> BareMachine:
        made.append(BareMachine(loop_thread, tmp_path, name))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def maas_site(loop_thread: Loop, tmp_path: Path, bare_machine: Callable[..., BareMachine]) -> Iterator[MaasSite]:
    made = MaasSite(loop_thread, tmp_path, bare_machine())
    yield made
    made.close()


@pytest.fixture
def ironic_site(loop_thread: Loop, tmp_path: Path, bare_machine: Callable[..., BareMachine]) -> Iterator[IronicSite]:
    made = IronicSite(loop_thread, tmp_path, bare_machine())
    yield made
    made.close()
