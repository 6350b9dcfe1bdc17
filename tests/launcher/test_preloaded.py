"""Programs that are forked from the preloaded process live and die as those that the supervisor starts itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from config.embedded.data_folder import is_alive
from config.embedded.instance import PRELOADED, ROOT
from config.embedded.programs.supervisor import leftovers
from tests.launcher.conftest import Running, wait_until

pytestmark = pytest.mark.services
Start = Callable[..., Running]
STUBS = ("first", "pool", "last")


def pid_of(running: Running, name: str) -> int:
    """The child of the supervisor with this word on its command line."""
    pid = running.process.pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if name.encode() in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
            return int(child)
    raise AssertionError(f"no {name}")


def module_of(running: Running) -> int:
    return pid_of(running, "config.embedded.programs.preloaded")


def started_again(running: Running, find: Callable[[], int], old: int) -> bool:
    try:
        return find() != old
    except (AssertionError, OSError):
        return False


def test_a_forked_program_is_a_child_of_the_supervisor_with_its_own_words_group_folder_and_environment(
    start: Start,
) -> None:
    running = start("data", "--preload").wait_ready()
    for name in STUBS:
        pid = pid_of(running, name)
        assert os.getpgid(pid) == pid
        assert os.readlink(f"/proc/{pid}/cwd") == "/"
        assert f"{name} is up as {name}" in running.folder.log(name).read_text()
        files = {os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir()}
        assert files == {os.devnull, str(running.folder.log(name))}
        assert "preloaded" not in Path(f"/proc/{pid}/cmdline").read_text()
    assert os.readlink(f"/proc/{module_of(running)}/cwd") == str(ROOT)
    assert running.interrupt() == 130
    assert (running.data / "order.txt").read_text().split() == ["last", "pool", "first"]
    assert leftovers(running.folder) == []


@pytest.mark.slow
def test_kill_9_of_the_supervisor_takes_forked_programs_along(start: Start) -> None:
    running = start("data", "--preload").wait_ready()
    pids = [pid_of(running, name) for name in STUBS]
    running.process.kill()
    running.wait()
    wait_until(lambda: leftovers(running.folder) == [])
    assert not any(map(is_alive, pids))


@pytest.mark.slow
def test_a_forked_program_that_is_killed_is_forked_again_and_its_end_is_said(start: Start) -> None:
    running = start("data", "--preload").wait_ready()
    old = pid_of(running, "first")
    os.kill(old, signal.SIGKILL)
    wait_until(lambda: started_again(running, lambda: pid_of(running, "first"), old))
    assert "first was killed by SIGKILL; it is started again now." in running.said()
    assert Path(f"/proc/{pid_of(running, 'first')}/maps").read_text().count("_psycopg") > 0, "it was not forked"


@pytest.mark.slow
def test_without_the_preloaded_process_programs_start_by_themselves_until_it_is_back(start: Start) -> None:
    running = start("data", "--preload").wait_ready()
    parent, child = module_of(running), pid_of(running, "first")
    others = [pid_of(running, name) for name in ("pool", "last")]
    os.kill(parent, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: started_again(running, lambda: pid_of(running, "first"), child))
    assert "_psycopg" not in Path(f"/proc/{pid_of(running, 'first')}/maps").read_text()
    # The larger process takes longer to die: its end may be noticed a turn after its child was started again.
    wait_until(lambda: f"{PRELOADED} was killed by SIGKILL; it is started again now." in running.said())
    wait_until(lambda: started_again(running, lambda: module_of(running), parent))
    assert others == [pid_of(running, name) for name in ("pool", "last")], "they go on without it"
    assert running.interrupt() == 130
    assert leftovers(running.folder) == []
