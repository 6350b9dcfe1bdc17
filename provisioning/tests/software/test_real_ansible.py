"""A real Ansible over real OpenSSH servers: what is written, refused, hidden, stopped and left behind; and the shipped
roles as Ansible reads them."""

from __future__ import annotations

import getpass
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from access.models import AccessKind, Endpoint
from access.tests.fleet import first_contact, make_machine
from core.services import set_credential
from drivers.tests.ports import until
from health.models import MachineHealth
from inventory.models import Machine
from provisioning.models import SoftwareRun, SoftwareTask
from provisioning.software import clearance, progress, services
from provisioning.software.catalogue import SHIPPED, read_catalogue
from provisioning.software.plays.hosts import Host
from provisioning.software.plays.play import Played, play
from provisioning.software.plays.results import TaskResult
from provisioning.software.plays.workspace import PREFIX, remove_left, workspace
from provisioning.software.words import Outcome
from provisioning.tests.software.sshd import Servers

ROLES = Path(__file__).parent / "roles"
SECRET = "the-secret-of-the-task"
pytestmark = [pytest.mark.services, pytest.mark.slow]


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """Five machines; what a play needs of a folder stands in one of this test."""
    private = Path(tempfile.mkdtemp(prefix="sw"))  # short: ssh's sockets are in it
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    with Servers(tmp_path, 5) as found:
        yield found
    assert not list(private.glob(f"{PREFIX}*")), "something of a play was left"
    private.rmdir()


class Heard(list[tuple[int, TaskResult]]):
    def __call__(self, host: Host, result: TaskResult) -> None:
        self.append((host.machine_id, result))

    def of(self, machine: int) -> list[tuple[str, str]]:
        return [(each.task, each.outcome.value) for number, each in self if number == machine]


def played(
    hosts: list[Host], role: str, *, check: bool = False, goes_on: Callable[[], bool] = lambda: True
) -> tuple[Played, Heard]:
    heard = Heard()
    ended = play(hosts, role, role_paths=[ROLES], check=check, timeout_s=120, on_result=heard, goes_on=goes_on)
    return ended, heard


def test_a_role_writes_on_every_machine_and_the_second_time_changes_nothing(servers: Servers) -> None:
    hosts = [servers.host(number) for number in range(5)]
    hostile = {
        "machine": "{{ 1 + 1 }}", "home": str(servers.home(0)),
        "expected": {"driver_version": "{{ lookup('pipe', 'id') }}"},
    }  # fmt: skip
    hosts[0] = servers.host(0, variables=hostile)
    ended, heard = played(hosts, "files")
    assert ended.complete, ended.text
    for number in range(5):
        assert heard.of(number)[0] == ("Gathering Facts", "ok") and ("A file is written", "changed") in heard.of(number)
        assert ("Never done", "skipped") in heard.of(number)
    assert (servers.home(3) / "written").read_text() == "gpu-003 of none\n"
    assert (servers.home(0) / "written").read_text() == "{{ 1 + 1 }} of {{ lookup('pipe', 'id') }}\n", "no template"
    assert (servers.home(1) / "secret").read_text() == SECRET and SECRET not in str(heard)
    _, again = played(hosts, "files")
    assert not [each for _, each in again if each.outcome is Outcome.CHANGED]


def test_a_dry_run_says_what_it_would_change_and_changes_nothing(servers: Servers) -> None:
    ended, heard = played([servers.host(0)], "files", check=True)
    assert ended.complete and ("A file is written", "changed") in heard.of(0)
    assert not list(servers.home(0).iterdir())


def test_one_that_is_down_or_has_another_host_key_is_unreachable_and_the_others_are_done(servers: Servers) -> None:
    servers.stop(1)
    hosts = [servers.host(0), servers.host(1), servers.host(2, known_host=servers.known_host(0))]
    (servers.home(0) / "fails").touch()
    ended, heard = played([*hosts, servers.host(3)], "broken")
    assert ended.complete
    assert heard.of(1) == heard.of(2) == [("Gathering Facts", "unreachable")]
    changed = next(each.text for number, each in heard if number == 2)
    assert "Host key verification failed" in changed or "HOST IDENTIFICATION" in changed, changed
    assert heard.of(0)[-1][1] == "failed" and heard.of(3)[-1] == ("It fails where a file says so", "ok")


def test_a_role_that_ansible_cannot_read_is_told_with_its_words(servers: Servers) -> None:
    ended, heard = played([servers.host(0)], "nothing_of_that_name")
    assert not ended.complete and "nothing_of_that_name" in ended.text and not heard


def test_no_key_and_nothing_of_our_environment_is_given_to_ansible(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACKSIDE_SECRET_KEY", "our-own-key")
    seen: list[str] = []
    over = threading.Event()

    def look() -> None:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if (
                    line.count("ansible-playbook")
                    and "play.yml" in line
                    and "plays/program.py" not in line
                    and "/bin/sh" not in line
                ):
                    environment = (process / "environ").read_bytes().decode(errors="replace")
                    if "ANSIBLE_CONFIG" in environment and "AWX_" in environment:
                        seen.append(line + environment)
            except OSError:
                continue

    def watch() -> None:
        while not over.wait(0.02):  # a play of a second: asking whether it goes on comes too late
            look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    played([servers.host(0)], "files")
    over.set()
    watcher.join()
    assert seen, "it was not seen"
    body = servers.secret.splitlines()[2]
    assert not [each for each in seen if body in each]
    assert not [each for each in seen if "our-own-key" in each]


def test_a_cancelled_play_ends_within_seconds(servers: Servers) -> None:
    begun = servers.home(0) / "begun"
    started = time.monotonic()
    ended, _ = played([servers.host(0)], "slow", goes_on=lambda: not begun.exists())
    assert ended.cancelled and not ended.complete and time.monotonic() - started < 25
    assert not (servers.home(0) / "ended").exists()


def test_a_folder_of_keys_that_a_killed_worker_left_is_removed_and_one_in_use_stays(tmp_path: Path) -> None:
    left = tmp_path / f"{PREFIX}left"
    left.mkdir()
    (left / "lock").touch()
    old, new = tmp_path / f"{PREFIX}old", tmp_path / f"{PREFIX}new"
    for folder, age_s in ((old, 7200), (new, 0)):
        folder.mkdir()
        os.utime(folder, (time.time() - age_s,) * 2)
    with workspace([], "files", role_paths=[], forks=1, root=tmp_path) as space:
        assert not left.exists() and not old.exists() and new.exists(), "one without a lock may be just being made"
        assert oct(space.folder.stat().st_mode & 0o777) == "0o700"
        assert remove_left(tmp_path) == 0 and space.folder.exists()
    assert list(tmp_path.iterdir()) == [new]


# ---- the whole of it ----


@pytest.fixture
def fleet(servers: Servers, monkeypatch: pytest.MonkeyPatch, db: None) -> list[Machine]:
    monkeypatch.setattr(services, "take_turn", lambda run_id: None)
    monkeypatch.setenv("RACKSIDE_SOFTWARE_ROLES", str(ROLES))
    set_credential("ssh", kind="ssh_key", username=getpass.getuser(), secret=servers.secret, hosts=["127.0.0.0/8"])
    made = []
    for number, port in enumerate(servers.ports):
        machine = make_machine(f"gpu-{number:03}")
        Endpoint.objects.create(machine=machine, kind=AccessKind.SSH, address="127.0.0.1", port=port)
        MachineHealth.objects.create(machine=machine, state="drained")
        first_contact(machine, servers.known_host(number))
        made.append(machine)
    homes = {machine.pk: str(servers.home(number)) for number, machine in enumerate(made)}
    of = clearance.variables_of
    monkeypatch.setattr(
        clearance, "variables_of",
        lambda ids, run: {pk: {**told, "home": homes[pk]} for pk, told in of(ids, run).items()},
    )  # fmt: skip
    return made


def done(run: SoftwareRun) -> SoftwareRun:
    while progress.advance(run.pk) == "played":
        pass
    run.refresh_from_db()
    return run


def test_a_run_over_real_machines_in_waves_with_one_that_fails(servers: Servers, fleet: list[Machine]) -> None:
    (servers.home(2) / "fails").touch()
    ids = [machine.pk for machine in fleet]
    run = done(services.start(ids, ["broken", "files"], actor="olga", dry_run=False, limit=4, stop_share=0.5))
    assert run.status == "failed" and list(run.machines.order_by("pk").values_list("status", "wave")) == [
        ("ok", 1), ("ok", 2), ("failed", 2), ("ok", 2), ("ok", 2),
    ]  # fmt: skip
    assert [(servers.home(number) / "written").exists() for number in range(5)] == [True, True, False, True, True]
    row = run.machines.get(machine=fleet[2])
    assert row.outcomes == {"broken": "failed"} and row.message.startswith("It fails where a file says so: ")
    tasks = SoftwareTask.objects.filter(run_machine__run=run)
    assert not tasks.filter(text__contains=SECRET).exists()
    numbers = list(tasks.filter(run_machine__machine=fleet[0]).values_list("n", flat=True))
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) == 6


# ---- a worker that is killed ----

WORKER = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
import tempfile
tempfile.tempdir = {private!r}
from provisioning.software.plays.play import Played, play
from provisioning.software.plays.hosts import Host
host = Host(**{host!r})
play([host], "slow", role_paths=[Path({roles!r})], check=False, timeout_s=100, on_result=print, goes_on=lambda: True)
"""


def test_with_a_killed_worker_its_ansible_ends_and_the_next_play_repeats_the_role(servers: Servers) -> None:
    host = servers.host(0, variables={"home": str(servers.home(0)), "sleep_s": 8})
    fields = {name: getattr(host, name) for name in host.__slots__}
    root = str(Path(__file__).parents[3])
    code = WORKER.format(root=root, host=fields, roles=str(ROLES), private=tempfile.tempdir)
    worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until((servers.home(0) / "begun").exists, 40, "the role does not begin")
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait(10)
    until(lambda: not ansibles(), 20, "Ansible goes on without its worker")
    assert not (servers.home(0) / "ended").exists()
    left = list(Path(str(tempfile.tempdir)).glob(f"{PREFIX}*"))
    assert len(left) == 1, "nobody was there to remove it"
    ended, _ = played([servers.host(0, variables={"home": str(servers.home(0)), "sleep_s": 0})], "slow")
    assert ended.complete and (servers.home(0) / "ended").exists() and not left[0].exists()


def ansibles() -> list[str]:
    """Plays of this test that run."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if f"{tempfile.tempdir}/{PREFIX}" in line and "ssh" not in line.split("\0")[0]:
            found.append(line)
    return found


# ---- the shipped roles ----


def shipped(tmp_path: Path, *options: str, more: dict[str, object] | None = None) -> subprocess.CompletedProcess[str]:
    names = [role.name for role in read_catalogue(None).roles]
    book = [{"hosts": "all", "gather_facts": False, "roles": names, "vars": more or {}}]
    (tmp_path / "play.yml").write_text(yaml.safe_dump(book))
    program = Path(sys.executable).with_name("ansible-playbook")
    env = {"ANSIBLE_ROLES_PATH": str(SHIPPED), "HOME": str(tmp_path), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    command = [str(program), "-i", "localhost,", "-c", "local", *options, str(tmp_path / "play.yml")]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def test_ansible_takes_every_shipped_role(tmp_path: Path) -> None:
    found = shipped(tmp_path, "--syntax-check")
    assert found.returncode == 0, found.stdout + found.stderr


def test_every_task_of_the_shipped_roles_has_a_name_and_a_module_of_ansible_itself(tmp_path: Path) -> None:
    found = shipped(tmp_path, "--list-tasks")
    assert found.returncode == 0, found.stdout + found.stderr
    for role in read_catalogue(None).roles:
        for name in ("tasks", "handlers"):
            path = SHIPPED / role.name / name / "main.yml"
            for task in yaml.safe_load(path.read_text()) if path.is_file() else []:
                assert task.get("name"), (role.name, task)
                assert [key for key in task if key.startswith("ansible.builtin.")], (role.name, task["name"])
                assert not [key for key in task if key.count(".") > 1 and not key.startswith("ansible.builtin.")]
