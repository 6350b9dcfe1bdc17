"""Starting stub instances, and cleaning up after those that a test left half dead."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.embedded.data_folder import DataFolder
from config.embedded.instance import ROOT, Instance
from config.embedded.programs.supervisor import leftovers
from config.embedded.progress import Progress

START_TIMEOUT_S = 60.0


class Running:
    """A stub instance in a process of its own."""

    def __init__(self, data: Path, *options: str, command: list[str] | None = None) -> None:
        self.data = data
        self.folder = DataFolder(data)
        self.output = data.with_name(f"{data.name}.out")
        data.parent.mkdir(parents=True, exist_ok=True)
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [*(command or [sys.executable]), "-m", "tests.launcher.stub_instance", str(data), *options],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_ready(self) -> Running:
        wait_until(lambda: "\nready" in f"\n{self.said()}" or self.process.poll() is not None, START_TIMEOUT_S)
        assert self.process.poll() is None, self.said()
        return self

    def said(self) -> str:
        return self.output.read_text()

    def wait(self, timeout_s: float = 40.0) -> int:
        return self.process.wait(timeout_s)

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def instance(self) -> Instance:
        return Instance(self.data, Progress())

    def insert(self, number: int) -> None:
        with self.instance().postgres.connect() as connection:
            connection.execute("INSERT INTO kept VALUES (%s)", [number])

    def rows(self) -> list[int]:
        with self.instance().postgres.connect() as connection:
            return [int(str(row[0])) for row in connection.execute("SELECT id FROM kept ORDER BY id").fetchall()]

    def pid_of(self, name: str) -> int:
        """Process id of PostgreSQL's or Valkey's server, found among the processes of this data folder."""
        for pid in leftovers(self.folder):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if os.path.basename(words[0]).decode() == name and int(_stat(pid)[1]) == self.process.pid:
                return pid
        raise AssertionError(f"no {name} among {leftovers(self.folder)}")

    def has_another(self, name: str, old: int) -> bool:
        """Whether the server was started again."""
        try:
            return self.pid_of(name) != old
        except (AssertionError, OSError):
            return False

    def guard_pid(self) -> int:
        """The guard: the only child of the supervisor that was forked without an exec."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        own = Path(f"/proc/{self.process.pid}/cmdline").read_bytes()
        [guard] = [int(pid) for pid in children if Path(f"/proc/{pid}/cmdline").read_bytes() == own]
        return guard


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def wait_until(condition: Callable[[], bool], timeout_s: float = 25.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)


def open_up(folder: Path) -> None:
    """Let PostgreSQL's account through pytest's own folders, which are closed to others."""
    for each in (folder, *folder.parents):
        if each == Path(tempfile.gettempdir()):
            break
        each.chmod(0o711)


@pytest.fixture(autouse=True)
def reachable_folder(tmp_path: Path) -> None:
    """No test of this folder shall put its database outside its own temporary folder."""
    open_up(tmp_path)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Start stub instances: `start("name", option...)`; all are gone after the test."""
    running: list[Running] = []

    def start_one(name: str = "data", *options: str, command: list[str] | None = None) -> Running:
        running.append(Running(tmp_path / name, *options, command=command))
        return running[-1]

    yield start_one
    for each in running:
        if each.process.poll() is None:
            each.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                each.wait()
        for pid in [*leftovers(each.folder), each.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        each.process.wait()
