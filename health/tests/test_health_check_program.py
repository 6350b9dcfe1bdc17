"""The programs for Slurm: the health check that asks and reports, and the forced command of the login machine."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from pathlib import Path

import pytest

from core.models import Role
from core.services import ensure_user, make_token
from drivers.scheduler import MachineState, Outcome, SchedulerError
from drivers.slurm.commands import SlurmCommands, SshShell
from drivers.tests.ports import free_ports, until
from drivers.tests.slurm import PrivateSlurm
from health.models import MachineHealth, ReportedMachine
from health.tests.factories import make_machines
from health.tests.test_reports import make_source
from inventory.models import Machine

pytestmark = pytest.mark.services
with_a_server = pytest.mark.django_db(transaction=True)
FOLDER = Path(__file__).resolve().parents[2] / "contrib" / "slurm"
NAME = "gpu-ams1-0000"


def configured(folder: Path, url: str, token: str, **more: str) -> Path:
    """The program's file of settings; gives its path."""
    (folder / "token").write_text(token + "\n")
    lines = {"RACKSIDE_URL": url, "RACKSIDE_TOKEN_FILE": str(folder / "token"), "RACKSIDE_TIMEOUT": "5", **more}
    conf = folder / "health-check.conf"
    conf.write_text("".join(f"export {name}='{value}'\n" for name, value in lines.items()))
    return conf


def run(conf: Path, *words: str, name: str = NAME) -> tuple[int, str]:
    command = [str(FOLDER / "rackside-health-check"), "-c", str(conf), "-n", name, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, env={"PATH": "/usr/bin:/bin"})
    return done.returncode, done.stdout.strip()


@pytest.fixture
def token(db: None) -> str:
    user, _ = ensure_user("slurm", role=Role.VIEWER)
    _, text = make_token(user, name="health check", role=Role.VIEWER)
    return text


def set_state(machine: Machine, state: str, ticket: str = "") -> None:
    MachineHealth.objects.filter(pk=machine.pk).update(state=state, ticket_key=ticket, reachability="reachable")


@with_a_server
def test_the_program_says_what_rackside_says(token: str, live_server: object, tmp_path: Path) -> None:
    (machine,) = make_machines(1)
    conf = configured(tmp_path, live_server.url, token)  # type: ignore[attr-defined]
    set_state(machine, "ready")
    assert run(conf) == (0, "ok")
    set_state(machine, "repair", "REP-9")
    assert run(conf) == (1, "bad: repair: REP-9")
    assert run(conf, name="nobody-knows-me") == (0, "unknown: Rackside does not know this machine")
    for name in ("a b", "../x", "$(id)"):
        status, said = run(conf, name=name)
        assert status == 0 and said.startswith("unknown: no name")


def test_a_rackside_that_is_down_or_refuses_is_unknown_and_by_default_no_failure(tmp_path: Path) -> None:
    with socket.socket() as silent:  # takes connections and never answers
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        hanging = f"http://127.0.0.1:{silent.getsockname()[1]}"
        conf = configured(tmp_path, hanging, "x", RACKSIDE_TIMEOUT="1")
        status, said = run(conf)
        assert status == 0 and said.startswith("unknown: Rackside did not answer")
    (port,) = free_ports(1)
    conf = configured(tmp_path, f"http://127.0.0.1:{port}", "x", RACKSIDE_UNKNOWN="3")
    assert run(conf)[0] == 3
    (tmp_path / "token").unlink()
    assert run(conf)[0] == 3 and "no token" in run(conf)[1]


@with_a_server
def test_the_program_reports_a_result_with_any_text(live_server: object, tmp_path: Path) -> None:
    (machine,) = make_machines(1)
    source, token = make_source()
    conf = configured(tmp_path, live_server.url, token)  # type: ignore[attr-defined]
    status, said = run(conf, "report", "nhc", "warn", 'scratch "is" \\ full\n95 %')
    assert status == 0, said
    assert ReportedMachine.objects.filter(source=source, machine=machine).exists()
    assert run(conf, "report", "nhc", "burning", "x")[0] == 1, "a word that is no verdict is refused"


@with_a_server
def test_slurmd_runs_the_program_drains_by_it_and_resumes(token: str, live_server: object, tmp_path: Path) -> None:
    (machine,) = make_machines(1)
    set_state(machine, "ready")
    wrapper = tmp_path / "health-check"
    tmp_path.chmod(0o755)
    more = f"HealthCheckProgram={wrapper}\nHealthCheckInterval=1\nHealthCheckNodeState=ANY"
    slurm = PrivateSlurm([NAME], more=more)
    url = live_server.url  # type: ignore[attr-defined]
    conf = configured(tmp_path, url, token, RACKSIDE_DRAIN="1", SLURM_CONF=slurm.environment["SLURM_CONF"])
    wrapper.write_text(f"#!/bin/sh\nexec {FOLDER}/rackside-health-check -c {conf}\n")
    wrapper.chmod(0o755)
    with slurm:
        set_state(machine, "repair", "REP-9")
        until(lambda: slurm.state(NAME).startswith("drained"), 40, "slurmd did not drain by the program")
        assert slurm.reason(NAME) == "rackside-check: repair: REP-9"
        set_state(machine, "ready")
        until(lambda: slurm.state(NAME) == "idle", 40, "the program did not resume its own drain")
        slurm.scontrol("update", f"NodeName={NAME}", "State=DRAIN", "Reason=bob: riser")
        assert run(conf) == (0, "ok")
        assert slurm.state(NAME).startswith("drained"), "a drain of somebody else stays"


def test_the_forced_command_lets_through_what_is_needed_and_nothing_else(tmp_path: Path) -> None:
    with PrivateSlurm([NAME]) as slurm:
        shell = SshShell(slurm.start_sshd(forced_command=str(FOLDER / "rackside-scontrol")))
        scheduler = SlurmCommands(shell)
        view = asyncio.run(scheduler.read())
        assert view is not None and list(view.machines) == [NAME]
        assert asyncio.run(scheduler.drain(NAME, "incident 4: it's $(touch /tmp/x) `id`; reboot")) is Outcome.DONE
        facts = asyncio.run(scheduler.machine(NAME))
        assert facts.drained and facts.reason == "rackside: incident 4: it s (touch /tmp/x) id ; reboot"
        until(lambda: asyncio.run(scheduler.machine(NAME)).answers, 20, "the machine stays silent")
        assert asyncio.run(scheduler.resume(NAME, ours=facts.reason)) is Outcome.DONE
        assert asyncio.run(scheduler.machine(NAME)).state is MachineState.IDLE
        slurm.scontrol("update", f"NodeName={NAME}", "State=DRAIN", "Reason=bob")
        refused = [
            ("id",), ("scontrol", "shutdown"), ("scontrol", "show", "config"), ("scontrol", "show", "node", "a;id"),
            ("scontrol", "update", f"NodeName={NAME}", "State=RESUME"),
            ("scontrol", "update", "NodeName=ALL", "State=DRAIN", "Reason=rackside: x"),
            ("scontrol", "update", f"NodeName={NAME}", "State=DRAIN", "Reason=mine"),
            ("scontrol", "update", f"NodeName={NAME}", "State=DOWN", "Reason=rackside: x"),
            ("scontrol", "update", f"NodeName={NAME}", "State=DRAIN", "Reason=rackside: x' 'Weight=9"),
        ]  # fmt: skip
        for words in refused:
            assert asyncio.run(shell.run(words)).status == 126, words
        assert slurm.reason(NAME) == "bob"
        with pytest.raises(SchedulerError):
            asyncio.run(scheduler.drain("gpu[1-2]", "x"))
