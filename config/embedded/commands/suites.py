"""`check`, `test` and `bench`: services in a temporary folder, then the checks, the tests or the benchmarks on them."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from config import processes
from config.embedded import packages
from config.embedded.instance import ROOT, Instance
from config.embedded.postgres import THROWAWAY, Postgres
from config.embedded.progress import Progress

PYTEST = [sys.executable, "-m", "pytest", "-p", "config.embedded.pytest_plugin"]
COUNTS_VARIABLE = "RACKSIDE_TEST_COUNTS"
PROCESSORS = 2
SERVICE_TESTS, BROWSER_TESTS, TYPES = "service tests", "browser tests", "types"
SHARES = (
    "health runs access live drivers simulator",
    "tickets tests",
    "provisioning inventory fabric facility core config",
)
"""The folders that each of three processes tests, which take about as long: to import all tests takes a process longer
than to run a tenth of them."""


class ThrowawayInstance(Instance):
    """Services that need not survive: no fsync, nothing kept."""

    @property
    def postgres(self) -> Postgres:
        return Postgres(self.folder, options=THROWAWAY)


@dataclass(frozen=True)
class Part:
    """One part of the whole run."""

    name: str
    command: Sequence[str]
    directory: Path = ROOT
    is_pytest: bool = False
    gives_way: bool = False  # takes the processor only when nothing else wants it


Result = tuple[Part, int, float]
"""A part, its exit status and its seconds."""


@dataclass
class Counts:
    """What pytest counted in all parts together."""

    passed: int = 0
    failed: int = 0
    slow: int = 0  # left out; each part meets all files, so each names all of them

    def add(self, told: Mapping[str, int]) -> None:
        """Add what one run of pytest told."""
        self.passed += told["passed"]
        self.failed += told["failed"]
        self.slow = max(self.slow, told["slow"])


def checks() -> list[Part]:
    """Formatting, lint, layers and types of both languages, the longest first: two run at a time."""

    def python(name: str, *words: str) -> Part:
        return Part(name, [sys.executable, "-m", *words], gives_way=True)

    def dashboard(name: str, *words: str) -> Part:
        return Part(name, ["npm", "run", "--silent", *words], ROOT / "frontend", gives_way=True)

    return [
        python(TYPES, "mypy", "."),
        dashboard("dashboard types", "check"),
        dashboard("dashboard lint", "lint"),
        dashboard("dashboard tests", "test"),
        Part("layers", [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"], gives_way=True),
        Part("migrations", processes.manage("makemigrations", "--check", "--dry-run"), gives_way=True),
        python("lint", "ruff", "check", "--no-cache", "."),
        python("format", "ruff", "format", "--no-cache", "--check", "."),
    ]


def parts(*, everything: bool) -> list[Part]:
    """The tests, quickest first; those marked `slow` and the large search of hypothesis only with `everything`."""
    search = "thorough" if everything else "ci"

    def tests(name: str, marks: str, *words: str) -> Part:
        return Part(name, [*PYTEST, "-q", "-m", marks, *options, *words], is_pytest=True)

    options = (f"--hypothesis-profile={search}", "--durations=5")
    # While one process waits, for the database or for a time to pass, two have work.
    three_at_once = ("-n", str(len(SHARES)), "--dist", "each", *(f"--share={share}" for share in SHARES))
    # Those with services of their own wait for them: with four, they end when the checks beside them do.
    four_files_at_once = ("-n", "4", "--dist", "loadfile")
    two_browsers = ("-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder", "tests/browser")
    quick = [
        tests("tests", "not browser and not services and not slow", *three_at_once),
        tests(SERVICE_TESTS, "services and not slow", *four_files_at_once, *files_marked("services")),
        tests(BROWSER_TESTS, "browser and not slow", *two_browsers),
    ]
    slow = [
        tests("slow tests", "slow and not browser and not services", *three_at_once),
        # Apart from those: a browser leaves an event loop running in its process.
        tests("slow browser tests", "slow and browser and not services", *two_browsers),
        tests("trials", "slow and services"),  # they measure time: nothing else runs beside them
    ]
    return quick + slow if everything else quick


def files_marked(mark: str) -> list[str]:
    """The files with such tests: to collect all others as well takes half a minute."""
    files = (path for path in ROOT.glob("[a-z]*/**/test_*.py") if not path.is_relative_to(ROOT / "frontend"))
    return sorted(str(path.relative_to(ROOT)) for path in files if f"mark.{mark}" in path.read_text(encoding="utf-8"))


def test(arguments: list[str], progress: Progress, *, everything: bool = False) -> int:
    """Run all parts, or pytest with the arguments (slow tests too); the exit status is 0 only when all of it passed."""
    packages.ensure(progress, everything=everything)
    with services(progress) as instance:
        if arguments:
            search = ["--hypothesis-profile=thorough"] if everything else []
            return run_part(Part("tests", [*PYTEST, *search, *arguments], is_pytest=True), instance, Counts())
        counts = Counts()
        # Services and browsers are waited for: the checks take the time that is left, the longest beside the browsers.
        types = [part for part in checks() if part.name == TYPES]
        beside = {SERVICE_TESTS: [part for part in checks() if part not in types], BROWSER_TESTS: types}
        results = []
        for part in sorted(parts(everything=everything), key=lambda part: part.name != SERVICE_TESTS):
            if part.name in beside:
                results += run_beside([part, *beside[part.name]], instance, progress, counts)
                continue
            progress.line(f"\n== {part.name}: {shlex.join(part.command[-6:])}")
            began = time.monotonic()
            status = run_part(part, instance, counts)
            results.append((part, status, time.monotonic() - began))
            instance.supervisor.check()
        for line in summary(results, counts, everything=everything):
            progress.line(line)
        return 1 if any(status for _, status, _ in results) else 0


def check(progress: Progress) -> int:
    """Run what needs no test: formatting, lint, layers and types."""
    packages.ensure(progress)
    with services(progress) as instance:
        results = run_beside(checks(), instance, progress, Counts())
        progress.line("\nSummary")
        for line in told(results):
            progress.line(line)
        return 1 if any(status for _, status, _ in results) else 0


def told(results: Sequence[Result]) -> Iterator[str]:
    """A line for each part, with its seconds."""
    for part, status, seconds in results:
        yield f"  {'ok' if status == 0 else 'FAILED':<7} {part.name:<16} {seconds:7.1f} s"


def summary(results: Sequence[Result], counts: Counts, *, everything: bool) -> Iterator[str]:
    """The closing lines: each part with its seconds, then what was counted and what was left out."""
    yield "\nSummary"
    yield from told(results)
    if not everything:
        yield f"\n{counts.slow} slow tests left out (./rackside test --all)"
    yield f"\n{counts.passed} passed, {counts.failed} failed"


def run_part(part: Part, instance: Instance, counts: Counts) -> int:
    """Run one part with its output on the terminal; adds what pytest counted to `counts`."""
    status = run_in_foreground(part.command, environment_of(part, instance), part.directory, instance)
    add_counted(instance, counts)
    return status


def environment_of(part: Part, instance: Instance) -> dict[str, str]:
    """What a part finds in its environment. One pytest runs at a time: there is one file for what it counts."""
    if not part.is_pytest:
        return instance.environment()
    environment = instance.environment({COUNTS_VARIABLE: str(count_file(instance))})
    for name in instance.own_defaults().keys() - os.environ.keys():
        del environment[name]  # tests meet the defaults of the settings; instances that they start set their own
    return environment


def count_file(instance: Instance) -> Path:
    return instance.folder.path / "counts.json"


def add_counted(instance: Instance, counts: Counts) -> None:
    """Add what the last pytest counted, once."""
    if count_file(instance).exists():
        counts.add(json.loads(count_file(instance).read_text()))
        count_file(instance).unlink()


def run_in_foreground(
    command: Sequence[str], environment: Mapping[str, str], directory: Path, instance: Instance
) -> int:
    """Run a command on our terminal; a stop request or the death of a service ends it with its whole group."""
    process = begin(command, environment, directory, instance)
    try:
        while process.poll() is None:
            instance.supervisor.check()
            instance.supervisor.pause(0.2)
    finally:
        end(process, instance)
    return process.returncode


def run_beside(chosen: Sequence[Part], instance: Instance, progress: Progress, counts: Counts) -> list[Result]:
    """Run parts beside each other, two at a time of those that give way; what each printed is shown at its end."""
    waiting, results = list(chosen), []
    running: dict[subprocess.Popen[bytes], tuple[Part, IO[bytes], float]] = {}
    try:
        while waiting or running:
            while waiting and sum(part.gives_way for part, _, _ in running.values()) < PROCESSORS:
                part = waiting.pop(0)
                output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed when it was shown)
                command = ["nice", *part.command] if part.gives_way else part.command
                process = begin(command, environment_of(part, instance), part.directory, instance, output)
                running[process] = (part, output, time.monotonic())
            instance.supervisor.check()
            instance.supervisor.pause(0.2)
            for process in [process for process in running if process.poll() is not None]:
                part, output, began = running.pop(process)
                end(process, instance)
                if part.is_pytest:
                    add_counted(instance, counts)
                results.append((part, process.returncode, time.monotonic() - began))
                with output:
                    output.seek(0)
                    said = output.read().decode(errors="replace").rstrip()
                progress.line(f"\n== {part.name}: {shlex.join(part.command[-6:])}\n{said}")
    finally:
        for process, (_, output, _) in running.items():
            end(process, instance)
            output.close()
    return results


def begin(
    command: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    instance: Instance,
    output: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command in a group of its own, which does not outlive us."""
    process = subprocess.Popen(
        command, env=environment, cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output, process_group=0
    )
    instance.supervisor.guard.watch(process.pid, signal.SIGTERM)
    return process


def end(process: subprocess.Popen[bytes], instance: Instance) -> None:
    """End what is left of a command's group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    instance.supervisor.guard.forget(process.pid)


@contextlib.contextmanager
def services(progress: Progress, kind: type[Instance] = ThrowawayInstance) -> Iterator[Instance]:
    """PostgreSQL and Valkey in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="rackside-") as folder:
        os.chmod(folder, 0o711)  # noqa: S103  (PostgreSQL's account must get through)
        with kind(Path(folder, "data"), progress).opened() as instance:
            yield instance


def bench(arguments: list[str], progress: Progress) -> int:
    """Run the benchmarks on a fresh database with the settings of a real one."""
    with services(progress, Instance) as instance:
        with progress.step("Migrating the database"):
            instance.manage("migrate", "migrate", "--noinput")
        command = [sys.executable, "-m", "benchmarks", *arguments]
        local = {"RACKSIDE_LOCAL_ADDRESSES": "1"}  # the virtual hall answers on loopback
        return run_in_foreground(command, instance.environment(local), ROOT, instance)
