"""The supervisor under kill -9, Ctrl-C and a second start, with real PostgreSQL and Valkey and stub programs."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from config.embedded.account import closed_parent, database_account
from config.embedded.data_folder import OUTSIDE, SOCKET_PATH_LIMIT, DataFolder, is_alive
from config.embedded.instance import ROOT
from config.embedded.programs.supervisor import Program, Supervisor, leftovers
from config.embedded.progress import Progress
from tests.launcher.conftest import Running, wait_until

pytestmark = pytest.mark.services
Start = Callable[..., Running]
OTHER_USER = pwd.getpwnam("nobody").pw_uid


def test_ctrl_c_stops_everything_in_reverse_order_of_its_start(start: Start) -> None:
    running = start().wait_ready()
    assert running.interrupt() == 130
    assert (running.data / "order.txt").read_text().split() == ["last", "pool", "first"]
    assert leftovers(running.folder) == []
    assert "database system is shut down" in running.folder.log("postgres").read_text()


def sleeper(name: str, said: str = "") -> Program:
    words = f"import time; print({said!r}, flush=True); time.sleep({0 if said else 60})"
    return Program(name, [sys.executable, "-c", words], dict(os.environ))


def test_a_program_may_stop_after_one_that_was_started_before_it(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.create()
    supervisor = Supervisor(folder, Progress())
    supervisor.open()
    try:
        supervisor.start(sleeper("web"), sleeper("relay"))
        supervisor.start(sleeper("workers"))
        supervisor.start(sleeper("hall"), stops_after="web")
        supervisor.start(sleeper("beat"), stops_after="nobody")
        assert [child.name for child in supervisor.children] == ["hall", "web", "relay", "workers", "beat"]
    finally:
        supervisor.stop()


def test_a_command_runs_beside_another_and_one_that_nobody_waits_for_is_stopped(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.create()
    supervisor = Supervisor(folder, Progress())
    supervisor.open()
    try:
        with supervisor.running(sleeper("first", "one")) as first:
            assert supervisor.run(sleeper("second", "two")) == "two\n"
            assert first() == "one\n"
        with supervisor.running(sleeper("endless")):
            assert len(leftovers(folder)) == 1
        assert leftovers(folder) == []
    finally:
        supervisor.stop()


def test_kill_9_of_the_supervisor_leaves_no_orphan_and_loses_no_row(start: Start) -> None:
    running = start().wait_ready()
    running.insert(1)
    guard = running.guard_pid()
    running.process.kill()
    running.wait()
    again = start().wait_ready()  # waits for the guard, which holds the lock until the children are gone
    assert not is_alive(guard)
    assert again.rows() == [1]
    again.insert(2)
    assert again.interrupt() == 130
    assert leftovers(again.folder) == []


@pytest.mark.slow
def test_kill_9_of_the_supervisor_reaches_stuck_pool_processes_too(start: Start) -> None:
    running = start().wait_ready()
    assert len(leftovers(running.folder)) >= 7  # three stubs, two pool children, PostgreSQL, Valkey
    running.process.kill()
    running.wait()
    wait_until(lambda: leftovers(running.folder) == [])


@pytest.mark.parametrize("victim", ["postgres", "valkey-server"])
def test_a_killed_service_is_started_again_with_its_rows_and_the_rest_goes_on(start: Start, victim: str) -> None:
    running = start().wait_ready()
    running.insert(1)
    old = running.pid_of(victim)
    os.kill(old, signal.SIGKILL)
    wait_until(lambda: running.has_another(victim, old))
    service = running.instance().postgres if victim == "postgres" else running.instance().valkey
    wait_until(service.answers)
    assert running.rows() == [1]
    assert running.process.poll() is None
    name = victim.partition("-")[0]
    assert f"{name} was killed by SIGKILL; it is started again now." in running.said()
    assert not (running.data / "order.txt").exists(), "nothing else was stopped"
    assert running.interrupt() == 130
    assert leftovers(running.folder) == []


@pytest.mark.slow
def test_kill_9_of_everything_at_once_loses_no_row(start: Start) -> None:
    running = start().wait_ready()
    running.insert(1)
    for pid in [running.process.pid, running.guard_pid(), *leftovers(running.folder)]:
        with contextlib.suppress(ProcessLookupError):  # some go with the one that started them
            os.kill(pid, signal.SIGKILL)
    running.wait()
    assert start().wait_ready().rows() == [1]


@pytest.mark.slow
def test_what_outlives_supervisor_and_guard_is_ended_by_the_next_start(start: Start) -> None:
    running = start().wait_ready()
    os.kill(running.guard_pid(), signal.SIGKILL)
    running.process.kill()
    running.wait()
    stuck = leftovers(running.folder)
    assert len(stuck) >= 2  # the pool children ignore the parent-death signal
    again = start().wait_ready()
    assert not set(stuck) & set(leftovers(again.folder))


def test_a_program_that_ends_while_the_stack_starts_stops_it_and_its_last_words_are_shown(start: Start) -> None:
    running = start("data", "--dies", "pool", "--at-start")
    assert running.wait() == 1
    assert "pool ended with status 7" in running.said()
    assert "this stub has had enough" in running.said()
    assert leftovers(running.folder) == []


@pytest.mark.slow
def test_a_program_that_keeps_ending_is_tried_again_ever_later_and_called_a_crash_loop(start: Start) -> None:
    running = start("data", "--dies", "pool").wait_ready()
    wait_until(lambda: "pool keeps ending: 4 times in a row." in running.said(), 60)
    said = running.said()
    assert "this stub has had enough" in said.partition("pool keeps ending")[2]
    for when in ("now", "in 1 s", "in 2 s", "in 3 s"):
        assert f"pool ended with status 7; it is started again {when}." in said
    assert running.process.poll() is None
    running.insert(1)
    assert running.interrupt() == 130
    assert leftovers(running.folder) == []


def test_a_second_start_on_the_same_data_is_refused_with_the_owners_pid(start: Start) -> None:
    running = start().wait_ready()
    second = subprocess.run(
        [sys.executable, "-m", "tests.launcher.stub_instance", str(running.data)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode == 1
    assert f"in use by process {running.process.pid}" in second.stdout
    assert running.rows() == []  # the first is untouched


@pytest.mark.slow
def test_two_instances_run_side_by_side(start: Start) -> None:
    one, two = start("one"), start("two")
    one.wait_ready().insert(1)
    two.wait_ready().insert(2)
    assert (one.rows(), two.rows()) == ([1], [2])
    assert one.interrupt() == 130
    assert two.rows() == [2]


def test_a_long_path_gets_a_short_folder_for_its_sockets(start: Start) -> None:
    running = start("/".join(["a-folder-with-quite-a-long-name"] * 4)).wait_ready()
    assert len(str(running.folder.sockets)) < SOCKET_PATH_LIMIT
    running.insert(1)
    assert running.rows() == [1]


def test_sockets_in_a_folder_that_somebody_else_made_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = DataFolder(tmp_path / "data")
    trap = tmp_path / "elsewhere"
    trap.mkdir()
    (tmp_path / "link").symlink_to(trap)
    monkeypatch.setattr(DataFolder, "sockets", property(lambda self: tmp_path / "link"))
    with pytest.raises(Exception, match="belongs to somebody else"):
        folder.create()


def test_a_normal_user_can_run_it(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    command = [sys.executable]
    if os.geteuid() == 0:  # become another user, with a Python which that user can reach
        os.chown(home, OTHER_USER, OTHER_USER)
        command = ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups", "env"]
        command += ["HOME=/nonexistent", f"PYTHONPATH={site_packages()}", reachable_python()]
    running = start("home/data", command=command).wait_ready()
    assert Path(f"/proc/{running.process.pid}").stat().st_uid == (OTHER_USER if os.geteuid() == 0 else os.geteuid())
    assert running.folder.postgres.stat().st_uid == running.data.stat().st_uid
    assert (running.data / "secrets").stat().st_mode & 0o077 == 0
    assert running.interrupt() == 130


def test_root_keeps_the_database_outside_a_folder_that_nobody_can_enter(start: Start, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    running = start("closed/data").wait_ready()
    running.insert(1)
    try:
        account = database_account()
        if account is None:
            assert running.folder.postgres == running.data / "postgres"
        else:
            assert closed_parent(running.data, account) == closed
            assert running.folder.postgres.is_relative_to(OUTSIDE)
            closed.chmod(0o755)  # the database stays where it is
        assert running.interrupt() == 130
        assert start("closed/data").wait_ready().rows() == [1]
    finally:
        if running.folder.open_place.is_relative_to(OUTSIDE):
            shutil.rmtree(running.folder.open_place, ignore_errors=True)


def site_packages() -> str:
    return next(path for path in sys.path if path.endswith("site-packages"))


def reachable_python() -> str:
    """A Python of our minor version that any user may run."""
    names = [f"python{sys.version_info.major}.{sys.version_info.minor}", "python3"]
    places = [sys.executable, *(f"/usr/{part}bin/{name}" for name in names for part in ("", "local/"))]
    for place in places:
        words = ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups", "env", place, "-c"]
        if Path(place).exists():
            same = f"import sys; assert sys.version_info[:2] == {tuple(sys.version_info[:2])}"
            if subprocess.run([*words, same], capture_output=True).returncode == 0:
                return place
    raise AssertionError(f"no Python {names[0]} that a normal user can run; on Debian: apt-get install python3")
