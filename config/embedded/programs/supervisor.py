"""Starts the programs of a stack, watches them, starts again what ends, and stops them in order.

Single-threaded on purpose.

The parent-death signal follows the thread that started a child, and `preexec_fn` is only safe without other threads.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any

from config.embedded.account import Account
from config.embedded.data_folder import DataFolder
from config.embedded.programs import preloaded
from config.embedded.programs.guard import PATIENCE_S, Guard, signal_group
from config.embedded.programs.kernel import die_with
from config.embedded.programs.restarts import Deaths
from config.embedded.progress import LaunchError, Progress

LOG_LIMIT_BYTES = 10_000_000
LOGS_KEPT = 3
INSTANCE_VARIABLE = "RACKSIDE_INSTANCE"
Process = subprocess.Popen[bytes] | preloaded.Forked


@dataclass(frozen=True)
class Program:
    """One process of a stack: what to run, how to know that it is up, how to stop it."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    ready: Callable[[], bool] | None = None
    start_timeout_s: float = 180.0  # generous: a busy machine is no failure
    stop_signal: int = signal.SIGTERM
    patience_s: float = PATIENCE_S
    """How long it may take to stop before it is killed."""
    account: Account | None = None
    directory: Path = Path("/")
    forked: bool = False
    """It may be forked from the preloaded process, whose settings are its own; else it is started by itself."""
    prepare: Callable[[], None] = lambda: None
    """What has to be cleared away before it is started again after it was killed."""


@dataclass
class Child:
    """A started program; `up` once it was seen ready, `down` while it waits to be started again."""

    program: Program
    process: Process
    started: float = field(default_factory=time.monotonic)
    deaths: Deaths = field(default_factory=Deaths)
    up: bool = False
    down: bool = False

    @property
    def name(self) -> str:
        return self.program.name


class Supervisor:
    """Children in groups: groups start in order and stop in reverse; all members of a group go together."""

    def __init__(self, folder: DataFolder, progress: Progress) -> None:
        self.folder = folder
        self.progress = progress
        self.guard = Guard()
        self.groups: list[list[Child]] = []
        self.stop_requested = 0
        self._wake_reader, self._wake_writer = -1, -1
        self._handlers: dict[int, Any] = {}

    # ---- life ----
    def open(self) -> None:
        """Take over signals, end what a killed predecessor left behind, start the guard."""
        self._wake_reader, self._wake_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._handlers[number] = signal.signal(number, self._on_signal)
        self._handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)  # only to wake `pause`
        end_leftovers(self.folder)
        self.guard.start()

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self.stop_requested += 1

    def pause(self, seconds: float) -> None:
        """Sleep, but wake for a signal or the death of a child."""
        with contextlib.suppress(InterruptedError):
            if select.select([self._wake_reader], [], [], seconds)[0]:
                os.read(self._wake_reader, 4096)

    @property
    def children(self) -> list[Child]:
        return [child for group in self.groups for child in group]

    # ---- starting ----
    def start(self, *programs: Program, stops_after: str = "") -> None:
        """Start a group in parallel without waiting for it.

        It is stopped before all groups that were started earlier, or right after the one in which `stops_after` is.
        """
        group: list[Child] = []
        places = [place for place, some in enumerate(self.groups) if stops_after in [child.name for child in some]]
        self.groups.insert(places[0] if places else len(self.groups), group)
        for program in programs:
            group.append(self._spawn(program))

    def _spawn(self, program: Program, output: int | None = None) -> Child:
        rotate(self.folder.log(program.name))
        with self.folder.log(program.name).open("ab") as log:
            process = self._fork(program, log.fileno(), output) or self._execute(program, log.fileno(), output)
        self.guard.watch(process.pid, program.stop_signal)
        return Child(program, process)

    def _fork(self, program: Program, log: int, output: int | None) -> preloaded.Forked | None:
        if not program.forked:
            return None
        order = preloaded.Order(
            program.command, self._environment(program), str(program.directory), int(program.stop_signal), os.getpid()
        )
        return preloaded.fork(self.folder.preloaded, order, log if output is None else output, log)

    def _environment(self, program: Program) -> dict[str, str]:
        return {**program.environment, INSTANCE_VARIABLE: str(self.folder.path)}

    def _execute(self, program: Program, log: int, output: int | None) -> Process:
        account = program.account
        try:
            return subprocess.Popen(
                list(program.command),
                env=self._environment(program),
                cwd=program.directory,
                stdin=subprocess.DEVNULL,
                stdout=log if output is None else output,
                stderr=log,
                process_group=0,  # the terminal's Ctrl-C reaches only the supervisor
                preexec_fn=partial(die_with, os.getpid(), program.stop_signal),  # after the change of user
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
            )
        except OSError as error:
            raise LaunchError(f"{program.name} could not be started: {error}.") from error

    def wait_ready(self, *names: str) -> None:
        """Wait until the named children (all when none is named) are up; a death or a stop request ends it."""
        waiting = [child for child in self.children if not names or child.name in names]
        while waiting:
            self.check()
            for child in list(waiting):
                if child.program.ready is None or child.program.ready():
                    waiting.remove(child)
                elif time.monotonic() - child.started > child.program.start_timeout_s:
                    seconds = f"{child.program.start_timeout_s:.0f} s"
                    raise LaunchError(f"{child.name} was not ready after {seconds}.", self._last_words(child))
            self.progress.tick()
            if waiting:
                self.pause(0.05)

    def run(self, program: Program) -> str:
        """Run a program to its end and return what it wrote on standard output (standard error goes to its log)."""
        with self.running(program) as output:
            return output()

    @contextlib.contextmanager
    def running(self, program: Program) -> Iterator[Callable[[], str]]:
        """Run a program beside what the caller does: what is given waits for its end and returns its output.

        One that was not waited for is stopped at the end of the block.
        """
        with tempfile.TemporaryFile() as output:
            child = self._spawn(program, output.fileno())
            try:
                yield lambda: self._output(child, output)
            finally:
                self._end([child])

    def _output(self, child: Child, output: IO[bytes]) -> str:
        """What a program wrote until its end. Raises LaunchError when it failed."""
        while child.process.poll() is None:
            self.check()
            self.progress.tick()
            self.pause(0.1)
        output.seek(0)
        text = output.read().decode(errors="replace")
        if child.process.returncode != 0:
            raise LaunchError(
                f"{child.name} failed with status {child.process.returncode}.", self._last_words(child, text)
            )
        return text

    # ---- watching ----
    def check(self) -> None:
        """Raise KeyboardInterrupt after a stop signal, LaunchError when a child died."""
        if self.stop_requested:
            raise KeyboardInterrupt
        for child in self.children:
            if (how := how_it_ended(child.process)) is not None:
                raise LaunchError(f"{child.name} {how}.", self._last_words(child))

    def watch(self, each_turn: Callable[[], None], period_s: float = 0.5) -> None:
        """Stay until a signal, starting again whatever ends; rotate logs now and then."""
        turns = 0
        while True:
            if self.stop_requested:
                raise KeyboardInterrupt
            for child in self.children:
                self._tend(child)
            each_turn()
            turns += 1
            if turns % 60 == 0:
                for child in self.children:
                    rotate(self.folder.log(child.name))
            self.pause(period_s)

    def _tend(self, child: Child) -> None:
        """Note that a child ended, or start it again when it is time. The others go on meanwhile."""
        now = time.monotonic()
        if not child.down:
            how = how_it_ended(child.process)
            if how is not None:
                self._died(child, how, now)
            else:
                self._lives(child, now)
        if child.down and now >= child.deaths.retry_at:
            try:
                child.program.prepare()
                fresh = self._spawn(child.program)
            except (LaunchError, OSError) as error:
                child.deaths.note(f"could not be started: {error}", started=now, now=now)
                return
            child.process, child.started, child.up, child.down = fresh.process, fresh.started, False, False

    def _lives(self, child: Child, now: float) -> None:
        if not child.up and child.program.ready is not None:
            child.up = child.program.ready()
        if child.deaths.is_over(started=child.started, now=now):
            child.deaths = Deaths()

    def _died(self, child: Child, how: str, now: float) -> None:
        """Take what is left of its process group along, and say when it is started again."""
        signal_group(child.process.pid, signal.SIGKILL)
        self.guard.forget(child.process.pid)
        delay = child.deaths.note(how, started=child.started, now=now, was_up=child.up)
        child.down = True
        when = f"in {delay:.0f} s" if delay else "now"
        self.progress.line(f"{child.name} {how}; it is started again {when}.")
        if child.deaths.is_loop:
            self.progress.line(f"{child.name} keeps ending: {child.deaths.count} times in a row.")
            self.progress.line(f"  {self._last_words(child)}")

    def troubles(self) -> list[dict[str, Any]]:
        """Programs that ended lately: name, how, how many times in a row, whether that is a loop, its last words."""
        return [
            {
                "name": child.name,
                "how": child.deaths.how,
                "deaths": child.deaths.count,
                "at": time.time() - (time.monotonic() - child.deaths.last_at),
                "loop": child.deaths.is_loop,
                "down": child.down,
                "said": tail(self.folder.log(child.name), 3),
            }
            for child in self.children
            if child.deaths.count
        ]

    def _last_words(self, child: Child, output: str = "") -> str:
        log = self.folder.log(child.name)
        lines = [*output.splitlines(), *tail(log)][-12:]
        return "\n  ".join([f"The end of {log}:", *(f"| {line}" for line in lines)])

    # ---- stopping ----
    def stop(self) -> None:
        """Stop the groups in reverse order of their start; a second signal meanwhile kills at once.

        Afterwards signals mean again what they meant before `open`.
        """
        for group in reversed(self.groups):
            self._end(group)
        self.groups.clear()
        self.guard.dismiss()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()
        if self._wake_writer >= 0:
            signal.set_wakeup_fd(-1)
            os.close(self._wake_reader)
            os.close(self._wake_writer)
            self._wake_reader, self._wake_writer = -1, -1

    def _end(self, group: list[Child]) -> None:
        """Signal the members (each leads its own process group), wait, kill what is left of their groups."""
        asked = self.stop_requested
        for child in group:
            if child.process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    child.process.send_signal(child.program.stop_signal)
        began = time.monotonic()
        while running := [child for child in group if child.process.poll() is None]:
            if self.stop_requested > asked:
                break
            for child in running:
                if time.monotonic() - began > child.program.patience_s:
                    signal_group(child.process.pid, signal.SIGKILL)
            self.progress.tick()
            self.pause(0.05)
        for child in group:
            if child.down:
                continue  # its number may belong to somebody else by now
            signal_group(child.process.pid, signal.SIGKILL)
            child.process.wait()
            self.guard.forget(child.process.pid)


def how_it_ended(process: Process) -> str | None:
    """None while it runs."""
    status = process.poll()
    if status is None:
        return None
    return f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def rotate(log: Path) -> None:
    """Keep a log below its limit. Children append to an open file, so the file is copied and emptied, not renamed.

    On a full disk its content is dropped: a log must not keep the disk full.
    """
    if not log.exists() or log.stat().st_size < LOG_LIMIT_BYTES:
        return
    for number in range(LOGS_KEPT - 1, 0, -1):
        older = log.with_name(f"{log.name}.{number}")
        if older.exists():
            older.replace(log.with_name(f"{log.name}.{number + 1}"))
    copy = log.with_name(f"{log.name}.1")
    try:
        copy.write_bytes(log.read_bytes())
    except OSError:
        copy.unlink(missing_ok=True)
    os.truncate(log, 0)


def tail(log: Path, lines: int = 12, reach: int = 16_384) -> list[str]:
    """The last lines of a log."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - reach))
            return stream.read().decode(errors="replace").splitlines()[-lines:]
    except OSError:
        return []


def leftovers(folder: DataFolder) -> list[int]:
    """Processes started for this data folder that still run.

    Found by the variable in their environment; those of PostgreSQL, which overwrites it, by their working folder.
    """
    mark = f"{INSTANCE_VARIABLE}={folder.path}".encode()
    cluster = ""
    with contextlib.suppress(LaunchError):  # a folder whose database is gone has no processes of it
        cluster = str(folder.postgres)
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                at_home = os.readlink(entry / "cwd") == cluster
                if at_home or mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def end_leftovers(folder: DataFolder) -> None:
    """End what outlived a supervisor and a guard that were both killed. The caller holds the lock."""
    for number, patience_s in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        left = leftovers(folder)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        deadline = time.monotonic() + patience_s
        while left and time.monotonic() < deadline and leftovers(folder):
            time.sleep(0.1)
