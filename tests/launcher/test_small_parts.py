"""Small promises of the launcher, each without a service."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from celery import Celery

from config import pulse
from config.embedded import home, packages
from config.embedded.account import Account, closed_parent
from config.embedded.arguments import parse
from config.embedded.commands import launch, suites
from config.embedded.commands.launch import REFERENCE_MACHINES, last_json, refuse_another_size, try_words
from config.embedded.commands.maintenance import trouble_words
from config.embedded.data_folder import DataFolder
from config.embedded.instance import ROOT, Instance, free_port, read_settings_file
from config.embedded.programs import stack, supervisor
from config.embedded.programs.restarts import STEADY_S, Deaths
from config.embedded.progress import LaunchError, Progress, errors_as_exit_status
from config.embedded.pytest_plugin import own_databases
from config.embedded.terse_log import TerseLog, summarise
from config.management.commands.demo_setup import example
from inventory.fleet.expand import expand_file
from inventory.fleet.reference.three_tiers import fleet_file


# ---- where it is at home ----
@pytest.mark.parametrize(("owner", "counts"), [(1000, False), (0, True)])
def test_home_is_told_by_the_folder_s_owner_and_not_by_who_asks(
    owner: int, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uuid = tmp_path / "product_uuid"
    uuid.write_text("of this machine")
    monkeypatch.setattr(home, "_owner", lambda folder: owner)
    monkeypatch.setattr(home, "PRODUCT_UUID", uuid)
    by_root = home.home(tmp_path)
    monkeypatch.setattr(home, "PRODUCT_UUID", tmp_path / "may not be read")
    assert (home.home(tmp_path) != by_root) == counts


# ---- what the person sees ----
def test_a_step_is_one_plain_line_with_its_duration_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with Progress(stream).step("Migrating") as step:
        step.note("3 of 3")
    assert stream.getvalue().count("\n") == 1
    assert "ok Migrating" in stream.getvalue() and " s  3 of 3" in stream.getvalue()


def test_an_error_says_what_failed_and_what_to_do_and_exits_with_1() -> None:
    stream = io.StringIO()
    with pytest.raises(SystemExit) as stopped, errors_as_exit_status(Progress(stream)):
        raise LaunchError("The port is taken.", "Choose another.")
    assert stopped.value.code == 1
    assert "The port is taken.\n  Choose another." in stream.getvalue()


def test_a_closed_terminal_does_not_disturb_an_orderly_stop() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    stream.close()
    progress.line("nobody reads this")


def test_the_terminal_shows_warnings_and_news_of_the_fleet_only() -> None:
    data = {"id": 7, "fault": {"machine_name": "hgx-0007", "part": "GPU 5", "fault_class": "gpu.gone", "site": None}}
    news = {"event": "event_published", "level": "info", "kind": "fault.confirmed", "data": data}
    news["timestamp"] = "2026-01-01T10:11:12Z"
    assert summarise("relay", json.dumps(news)) == "10:11:12 fault.confirmed hgx-0007 GPU 5 gpu.gone"
    assert summarise("web", json.dumps({"event": "slow", "level": "warning"})) == "web WARNING slow"
    assert summarise("web", json.dumps({"event": "request", "level": "info"})) is None
    assert summarise("postgres", "LOG: checkpoint complete") is None
    assert summarise("postgres", "FATAL: no space") == "postgres: FATAL: no space"


def test_the_first_sweep_says_how_far_it_is_and_the_later_ones_nothing(tmp_path: Path) -> None:
    def line(kind: str, heard: int, of: str = "scheduled") -> str:
        data = {"id": 1, "kind": of, "machines": 511, "reachable": heard, "duration_s": 18.2}
        return json.dumps({"event": "event_published", "level": "info", "kind": kind, "data": data})

    log = tmp_path / "relay.log"
    log.touch()
    terse = TerseLog([log])
    lines = (
        line("sweep.progress", 64), line("sweep.progress", 64), line("sweep.finished", 1, "confirm"),
        line("sweep.progress", 320), line("sweep.progress", 330), line("sweep.finished", 509),
        line("sweep.progress", 64),
        line("sweep.finished", 511),
    )  # fmt: skip
    log.write_text("\n".join([*lines, ""]))
    assert terse.news() == [
        "First sweep: 64 of 511 machines", "First sweep: 320 of 511 machines",
        "First sweep: 509 of 511 machines answered.",
    ]  # fmt: skip


def test_the_terse_log_begins_at_the_present_and_survives_rotation(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_text("FATAL old\n")
    terse = TerseLog([log])
    assert terse.news() == []
    with log.open("a") as stream:
        stream.write("FATAL new\nFATAL half a li")
    assert terse.news() == ["web: FATAL new"]
    log.write_text("FATAL x\n")
    assert terse.news() == ["web: FATAL x"]


# ---- data folder ----
def test_secrets_are_made_once_and_readable_by_the_owner_only(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.create()
    first = folder.secret("secret_key")
    assert len(first) >= 50 and DataFolder(tmp_path / "data").secret("secret_key") == first
    assert (folder.path / "secrets" / "secret_key").stat().st_mode & 0o777 == 0o600
    assert folder.secret("credential_keys") != first


def test_a_folder_with_other_things_in_it_is_never_taken_or_erased(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(LaunchError, match="not a data folder"):
        DataFolder(tmp_path).create()
    assert (tmp_path / "thesis.txt").exists()


def test_the_lock_is_held_once_and_freed_with_its_holder(tmp_path: Path) -> None:
    first, second = DataFolder(tmp_path / "data"), DataFolder(tmp_path / "data")
    first.create()
    first.acquire()
    assert second.owner() == os.getpid()
    with pytest.raises(LaunchError, match=f"in use by process {os.getpid()}"):
        second.acquire()
    first.release()
    assert second.owner() is None
    second.acquire()
    second.release()


def test_a_record_that_was_cut_off_reads_as_empty(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.create()
    folder.mark_done("migrate", "x")
    assert folder.is_done("migrate", "x") and not folder.is_done("migrate", "y")
    (folder.path / "done.json").write_text('{"migr')
    assert not folder.is_done("migrate", "x")


def test_a_closed_parent_folder_is_found(tmp_path: Path) -> None:
    stranger = Account("stranger", 54321, 54321)
    assert closed_parent(tmp_path / "not" / "there", stranger) is None
    (tmp_path / "closed" / "in").mkdir(parents=True)
    (tmp_path / "closed").chmod(0o700)
    assert closed_parent(tmp_path / "closed" / "in", stranger) == tmp_path / "closed"


def test_logs_are_rotated_before_they_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "LOG_LIMIT_BYTES", 10)
    log = tmp_path / "web.log"
    with log.open("ab", buffering=0) as writer:  # as a child holds it open
        for turn in range(5):
            writer.write(b"%d" % turn * 20)
            supervisor.rotate(log)
        writer.write(b"goes on")
    assert log.read_bytes() == b"goes on"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["web.log", "web.log.1", "web.log.2", "web.log.3"]
    assert (tmp_path / "web.log.1").read_bytes() == b"4" * 20


def test_on_a_full_disk_a_log_is_emptied_rather_than_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "LOG_LIMIT_BYTES", 10)
    log = tmp_path / "web.log"
    log.write_bytes(b"x" * 20)

    def full(path: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    supervisor.rotate(log)
    assert log.stat().st_size == 0 and not (tmp_path / "web.log.1").exists()


# ---- starting again what ended ----
def test_a_program_that_ran_long_is_started_again_at_once_and_one_that_keeps_ending_ever_later() -> None:
    deaths = Deaths()
    delays = [deaths.note("ended", started=1000.0, now=1001.0) for _ in range(8)]
    assert delays == [0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 30.0]
    assert deaths.is_loop and deaths.retry_at == 1031.0
    assert deaths.note("ended", started=1031.0, now=1031.0 + STEADY_S) == 0.0 and not deaths.is_loop
    assert deaths.is_over(started=0.0, now=STEADY_S) and not deaths.is_over(started=0.0, now=1.0)


def test_what_worked_until_it_was_killed_is_never_waited_for_longer_than_others_can_bear() -> None:
    """A database killed eight times within minutes kept the whole stack waiting for half a minute each time."""
    deaths = Deaths()
    delays = [deaths.note("was killed by SIGKILL", started=0.0, now=9.0, was_up=True) for _ in range(8)]
    assert delays == [0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0] and deaths.is_loop


def test_status_tells_a_restart_from_a_crash_loop() -> None:
    once = {"name": "web", "how": "was killed by SIGKILL", "deaths": 1, "at": 90.0, "loop": False, "said": ["x"]}
    assert trouble_words(once, 100.0) == ["restarted: it was killed by SIGKILL 10 s ago"]
    loop = {**once, "how": "ended with status 1", "deaths": 5, "loop": True, "said": ["no module named x"]}
    first, last = trouble_words(loop, 100.0)
    assert first == "CRASH LOOP: it ended with status 1 10 s ago, 5 times in a row; its log ends with"
    assert last == "| no module named x"


# ---- ports, slices, settings ----
def test_a_taken_port_is_named_with_a_free_one(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LaunchError, match=f"127.0.0.1:{port}.*\n.*--port {free_port('127.0.0.1', port + 1)}"):
            Instance(tmp_path, Progress(), port=port).refuse_taken_port()


def test_two_halls_get_different_slices_and_each_gets_its_own_again() -> None:
    first, claim = stack.claim_slice(None)
    with claim:
        second, other = stack.claim_slice(first)
        other.close()
        assert second != first
    again, claim = stack.claim_slice(first)
    claim.close()
    assert again == first


def test_a_sites_own_settings_are_read_and_a_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("# mail\n\nRACKSIDE_EMAIL_URL='smtp://mail:25'\n")
    assert read_settings_file(file) == {"RACKSIDE_EMAIL_URL": "smtp://mail:25"}
    file.write_text("RACKSIDE_EMAIL_URL='smtp://mail:25'\nnonsense\n")
    with pytest.raises(LaunchError, match="line 2"):
        read_settings_file(file)


def test_an_instance_decides_its_services_and_leaves_the_rest_to_the_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACKSIDE_DATABASE_URL", "postgres://elsewhere/production")
    monkeypatch.setenv("RACKSIDE_SWEEP_PERIOD_S", "77")
    instance = Instance(tmp_path / "data", Progress())
    instance.folder.create()
    instance.defaults["RACKSIDE_SWEEP_PERIOD_S"] = "30"
    environment = instance.environment()
    assert str(instance.folder.sockets).replace("/", "%2F") in environment["RACKSIDE_DATABASE_URL"].replace("/", "%2F")
    assert environment["RACKSIDE_SWEEP_PERIOD_S"] == "77"


# ---- demo ----
def test_a_data_folder_keeps_the_size_of_its_fleet(tmp_path: Path) -> None:
    instance = Instance(tmp_path / "data", Progress())
    instance.folder.create()
    refuse_another_size(instance, 511)
    instance.folder.mark_done("fleet", "20")
    refuse_another_size(instance, None)
    refuse_another_size(instance, 20)
    with pytest.raises(LaunchError, match="a fleet of 20 machines, not 511"):
        refuse_another_size(instance, 511)


def test_a_first_start_loads_its_fleet_also_where_the_sockets_lie_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = Instance(tmp_path / ("long" * 40), Progress(io.StringIO()))
    instance.folder.create()
    assert not instance.folder.sockets.is_relative_to(tmp_path)
    mark: list[Path] = []

    @contextlib.contextmanager
    def managing(name: str, *arguments: str) -> Iterator[Callable[[], str]]:
        if name == "reference-fleet":
            mark.append(Path(arguments[arguments.index("--load-after") + 1]))
            assert not mark[0].exists(), "there are no tables yet"
        yield lambda: json.dumps({"login": "admin", "password": "told once"}) if mark[0].exists() else "too early"

    monkeypatch.setattr(instance, "managing", managing)
    monkeypatch.setattr(launch, "migrate", lambda *args, **options: None)
    monkeypatch.setattr(stack, "start_programs", lambda instance: None)
    launch.migrate_and_load(instance, 20, 4, past_days=0)
    assert instance.folder.read_record("done")["fleet"] == "20"
    assert instance.folder.read_record("login")["password"] == "told once"


def test_the_example_that_the_demo_prints_names_a_machine_of_its_fleet(tmp_path: Path) -> None:
    """In a hall of the usual size it is the README's, whose lines are typed from the page."""
    readme = set(re.findall(r"hgx-[a-z]\d\d-\d\d", (ROOT / "README.md").read_text()))
    for count in (1, 20, REFERENCE_MACHINES):
        (tmp_path / "fleet.yaml").write_text(fleet_file(count))
        (expansion,) = expand_file(tmp_path / "fleet.yaml")
        machines = list(expansion.rows.machines)
        (line,) = try_words(Instance(ROOT / "var" / "demo", Progress(io.StringIO())), example(machines))
        named = line.split("hall_fault ")[1].split()[0]
        assert named in machines
        assert readme == {named} or count < REFERENCE_MACHINES
    assert try_words(Instance(tmp_path, Progress(io.StringIO())), example([])) == []


def test_the_json_a_command_prints_last_is_found_among_other_lines() -> None:
    assert last_json('loading\n{"login": "admin"}\n') == {"login": "admin"}
    assert last_json("nothing\n[1]\n") == {}


# ---- tests themselves ----
NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""For a pytest inside a test: the installed plugins take seconds to import."""


@pytest.mark.slow
def test_in_ci_a_skipped_test_is_a_failure(tmp_path: Path) -> None:
    shutil.copy(ROOT / "conftest.py", tmp_path / "conftest.py")
    (tmp_path / "test_one.py").write_text("import pytest\ndef test_a():\n    pytest.skip('no GPU here')\n")
    (tmp_path / "test_file.py").write_text("import pytest\npytest.importorskip('no_such_module')\n")
    (tmp_path / "test_expected.py").write_text("import pytest\n@pytest.mark.xfail\ndef test_x():\n    assert 0\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA"]
    command += ["--continue-on-collection-errors", str(tmp_path)]
    outside = {name: value for name, value in os.environ.items() if name != "CI"} | NO_PLUGINS
    free = subprocess.run(command, cwd=tmp_path, env=outside, capture_output=True, text=True)
    assert free.returncode == 0, free.stdout
    strict = subprocess.run(command, cwd=tmp_path, env={**outside, "CI": "true"}, capture_output=True, text=True)
    assert strict.returncode != 0
    assert "no GPU here" in strict.stdout and "no_such_module" in strict.stdout
    assert "test_x" not in strict.stdout.partition("FAILED")[2]


def test_parallel_test_processes_share_no_database_of_valkey() -> None:
    environment = {"RACKSIDE_REDIS_URL": "unix:///s?db=0", "RACKSIDE_BROKER_URL": "redis+socket:///s?virtual_host=1"}
    urls = [*environment.values()]
    for worker in ("gw0", "gw1"):
        urls += own_databases(environment, worker).values()
    numbers = [url.rpartition("=")[2] for url in urls]
    assert len(set(numbers)) == 6


def test_without_root_the_missing_packages_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "NEEDED", {"/no/such/program": "a-package"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LaunchError, match=r"a-package.*\n.*apt-get install --no-install-recommends a-package"):
        packages.ensure(Progress(io.StringIO()))


def test_the_missing_packages_are_installed_without_the_virtual_environment() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-m", "config.embedded.packages"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), "they are all here, and it found that out itself"


def test_beat_sends_every_periodic_task_once_at_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Celery("test", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {"hourly": {"task": "some.task", "schedule": 3600.0}}
    sent: list[str] = []
    monkeypatch.setattr(
        pulse.PulsingScheduler, "apply_entry", lambda self, entry, producer=None: sent.append(entry.task)
    )
    monkeypatch.setenv("RACKSIDE_PULSE_FILE", str(tmp_path / "pulse"))
    scheduler = pulse.PulsingScheduler(app)
    for _ in range(4):
        assert scheduler.tick() <= pulse.LONGEST_TICK_S
    assert sent.count("some.task") == 1
    assert (tmp_path / "pulse").exists()


def test_what_the_broker_did_not_take_is_sent_as_soon_as_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Celery("test", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {name: {"task": name, "schedule": 3600.0} for name in ("a", "b")}
    sent: list[str] = []
    away = True

    def send(self: object, entry: object, producer: object = None, advance: bool = True) -> None:
        if away:
            raise ConnectionError("refused")
        sent.append(entry.task)  # type: ignore[attr-defined]

    monkeypatch.setattr(pulse.PulsingScheduler, "apply_async", send)
    scheduler = pulse.PulsingScheduler(app)
    for _ in range(5):
        assert scheduler.tick() <= 1.0
    away = False
    for _ in range(4):
        scheduler.tick()
    assert sorted(sent) == ["a", "b"], "once each, and not an hour later"


def test_slow_tests_run_only_with_all_or_when_named() -> None:
    def marks(*, everything: bool) -> list[str]:
        commands = [part.command for part in suites.parts(everything=everything) if part.is_pytest]
        return [command[command.index("-m", 3) + 1] for command in commands]

    every_change = marks(everything=False)
    assert len(every_change) == 3 and all(mark.endswith(" and not slow") for mark in every_change)
    slow = ["slow and not browser and not services", "slow and browser and not services", "slow and services"]
    assert marks(everything=True) == [*every_change, *slow]

    assert parse(["test"]).all is False
    assert parse(["test", "--all"]).all is True and parse(["test", "--all"]).arguments == []
    assert parse(["test", "-k", "socket", "live"]).arguments == ["-k", "socket", "live"]


def test_every_folder_with_tests_is_in_one_share() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert sorted(" ".join(suites.SHARES).split()) == sorted(options["testpaths"])


SHARED = ["-p", "xdist", "-n", "2", "--dist", "each", "--share=one", "--share=two"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "processes", [[], SHARED, pytest.param(["-p", "xdist", "-n", "2"], marks=pytest.mark.slow)], ids=str
)
def test_the_summary_says_how_many_slow_tests_were_left_out(tmp_path: Path, processes: list[str]) -> None:
    slow = "import pytest\n@pytest.mark.slow\n@pytest.mark.parametrize('n', range({}))\ndef test_long(n): pass\n"
    for folder, text in (("one", "def test_quick(): pass\n" + slow.format(1)), ("two", slow.format(2))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"test_{folder}.py").write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow: long\n  services: of its own")
    # Ours may be one of two processes itself.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = outside | NO_PLUGINS | {suites.COUNTS_VARIABLE: str(tmp_path / "counts.json")}
    counts = suites.Counts()
    for mark in ("not services and not slow", "services and not slow"):
        command = [*suites.PYTEST, "-p", "no:cacheprovider", "-m", mark, *processes, str(tmp_path)]
        subprocess.run(command, cwd=tmp_path, env=environment | {"PYTHONPATH": str(ROOT)}, capture_output=True)
        counts.add(json.loads((tmp_path / "counts.json").read_text()))
    assert counts == suites.Counts(passed=1, failed=0, slow=3)
    *_, left_out, last = suites.summary([], counts, everything=False)
    assert (left_out, last) == ("\n3 slow tests left out (./rackside test --all)", "\n1 passed, 0 failed")
    assert not any("left out" in line for line in suites.summary([], counts, everything=True))


def test_demo_help_answers_at_once() -> None:
    """It starts, prepares and installs nothing; of a busy machine only the processor's time says how long it takes."""
    used = "import os, subprocess, sys\nsubprocess.run([sys.executable, 'rackside', 'demo', '--help'], check=True)\n"
    used += "spent = os.times()\nprint(f'\\nSPENT {spent.children_user + spent.children_system}')"
    done = subprocess.run(
        [sys.executable, "-c", used], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    said, _, spent = done.stdout.rpartition("SPENT ")
    assert "--machines" in said or "--machines" in done.stdout
    assert float(spent) < 1.5
