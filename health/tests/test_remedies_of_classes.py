"""Every class of fault that automation may begin with has an executor that can do something about it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from drivers.ssh import SshResult, SshTarget
from health.checks.faults import FAULT_CLASSES
from health.checks.levels import Rung
from health.machines import remote
from health.machines.calls import Report
from health.remediation.executors import Job, host, once, registered
from health.remediation.executors import executor as executor_of
from health.remediation.remedies import BY_RUNG
from health.remediation.types import AUTOMATIC, Guard, Refusal
from health.tests import factories as make

PCI = "0000:1b:00.0"
# What the finding says, where the class alone does not tell what to work on.
SAYS = {
    "service.failed": {"message": "lldpd.service has failed", "slot": "machine"},
    "disk.mount": {"message": "/data is not mounted", "slot": "/data"},
}


def job(fault_class: str, **more: str) -> Job:
    about = {"fault_class": fault_class, "slot": "GPU 0", "message": "", "pci": PCI} | more
    return Job(1, "gpu-1", "1:2:1:1", about)


@pytest.mark.parametrize("name", [n for n, known in FAULT_CLASSES.items() if known.start_rung in AUTOMATIC])
def test_the_rung_where_a_class_starts_has_something_to_do(name: str) -> None:
    known = FAULT_CLASSES[name]
    hand = executor_of(BY_RUNG[known.start_rung].name)
    assert hand is not None, "nothing carries this rung out"
    target = hand.target(job(name, **SAYS.get(name, {})))
    assert target is not None, "the executor does not know what to do it to"
    assert target or known.start_rung >= Rung.REBOOT


def test_classes_that_start_with_a_gpu_are_of_gpus() -> None:
    """A reset needs the address of a GPU, which only a fault in a GPU's slot has."""
    for name, known in FAULT_CLASSES.items():
        if known.start_rung is Rung.GPU_RESET:
            assert name.split(".")[0] in ("gpu", "nvlink"), name


class Machine:
    """A machine that runs what it is told: folders, and what it was asked."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.folders: set[str] = set()
        self.boot_id = "boot-a"
        self.dead_after = ""

    def run(self, machine_id: int, command: str, **more: Any) -> SshResult:
        self.said.append(command)
        out, status = "", 0
        for piece in command.replace(" ; ", " && ;").split(" && "):
            part = piece.removeprefix(";")
            if piece != part:
                status = 0
            if status:
                continue
            words = part.split()
            if words[0] == "mkdir":
                status = int(words[1] in self.folders)
                self.folders.add(words[1])
            elif words[0] == "test":
                status = int(words[2] not in self.folders)
            elif words[0] == "echo":
                out += words[1] + "\n"
            elif words[0] == "cat":
                out += self.boot_id + "\n"
            if self.dead_after and part.startswith(self.dead_after):
                raise SystemExit
        target = SshTarget("10.0.0.1", 22, "rackside", "", name="gpu-1", machine_id=1)
        text = b"mkdir: cannot create directory: File exists" if status and "mkdir" in command else b""
        return SshResult(target, None, status, out.encode(), text)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    for module in (host, once):
        monkeypatch.setattr(module, "run", made.run)
    return made


def nothing_runs() -> None:
    """The answer to the last question that lets a remedy go on."""


RESET = Job(1, "gpu-1", "1:2:2:1", {"pci": PCI}, "boot-a", nothing_runs)


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(registered()))
def test_an_executor_that_nobody_told_what_to_ask_sends_nothing(machine: Machine, name: str) -> None:
    hand = executor_of(name)
    assert hand is not None
    answer = hand.send(Job(1, "gpu-1", "1:2:2:1", {"pci": PCI, "service": "docker"}, "boot-a"))
    assert answer.report is Report.REFUSED and answer.guard == "unknown"
    assert machine.said == [], "not even a mark"


def test_a_reset_marks_its_beginning_and_its_end(machine: Machine) -> None:
    assert host.ResetGpu().send(RESET).report is Report.DONE
    assert machine.folders == {"/run/rackside-1-2-2-1", "/run/rackside-1-2-2-1/done"}
    assert once.marked(RESET) is Report.DONE


def test_a_lost_reset_that_never_began_cannot_begin_after_somebody_looked(machine: Machine) -> None:
    assert once.marked(RESET) is Report.REFUSED
    late = host.ResetGpu().send(RESET)
    assert late.report is Report.NONE and not any("gpu-reset" in said for said in machine.said)


def test_who_looks_for_a_lost_reset_makes_no_mark_while_the_kill_switch_is_on(machine: Machine) -> None:
    stopped = replace(RESET, refusal=lambda: Refusal(Guard.KILLED, "the cluster is odd"))
    assert once.marked(stopped) is Report.NONE and machine.folders == set()
    assert host.ResetGpu().send(RESET).report is Report.DONE
    assert once.marked(stopped) is Report.DONE, "what is there is read all the same"


@pytest.mark.parametrize("line", ["mkdir /run/rackside-1-2-2-1", "nvidia-smi --gpu-reset"])
def test_of_a_reset_that_was_cut_off_nothing_is_said(machine: Machine, line: str) -> None:
    machine.dead_after = line
    with pytest.raises(SystemExit):
        host.ResetGpu().send(RESET)
    machine.dead_after = ""
    assert once.marked(RESET) is Report.NONE


def test_a_mark_says_nothing_of_another_start_of_the_machine(machine: Machine) -> None:
    machine.boot_id = "boot-b"
    assert once.marked(RESET) is Report.NONE


def test_sudo_stands_before_each_command_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    async def run_one(target: SshTarget, command: str, limits: Any) -> SshResult:
        await asyncio.sleep(0)
        said.append(command)
        return SshResult(target, None, 0, b"", b"")

    target = SshTarget("10.0.0.1", 22, "rackside", "", name="gpu-1", machine_id=1)
    monkeypatch.setattr(remote, "ssh_targets", lambda ids: [target])
    monkeypatch.setattr(remote, "run_one", run_one)
    monkeypatch.setattr(remote, "record_identities", lambda results, actor: None)
    remote.run(1, "mountpoint -q /data || mount /data", as_root=True)
    remote.run(1, "cat a && mkdir b ; test -d c", as_root=True)
    assert said == [
        "sudo -n mountpoint -q /data || sudo -n mount /data",
        "sudo -n cat a && sudo -n mkdir b ; sudo -n test -d c",
    ]


@pytest.mark.parametrize(
    ("params", "commands"),
    [
        ({"service": "docker,slurmd"}, ["systemctl restart docker", "systemctl restart slurmd"]),
        ({"service": "chrony"}, ["systemctl restart chrony || systemctl restart chronyd"]),
        ({"module": "nvidia_peermem"}, ["modprobe nvidia_peermem"]),
        ({"mount": "/data"}, ["mountpoint -q /data || mount /data"]),
    ],
)
def test_what_a_machine_lacks_is_brought_back(machine: Machine, params: dict[str, str], commands: list[str]) -> None:
    assert host.RestartService().send(Job(1, "gpu-1", "1:2:1:1", params, refusal=nothing_runs)).report is Report.DONE
    assert machine.said == commands


@pytest.mark.parametrize(
    "params",
    [{}, {"service": "a;reboot"}, {"mount": "/data;reboot"}, {"mount": "-a"}, {"module": "-r"}, {"mount": ".."}],
)
def test_nothing_else_is_run(machine: Machine, params: dict[str, str]) -> None:
    assert (
        host.RestartService().send(Job(1, "gpu-1", "1:2:1:1", params, refusal=nothing_runs)).report is Report.IMPOSSIBLE
    )
    assert not machine.said


def test_a_gpu_of_the_model_has_an_address() -> None:
    assert all(slot.pci for slot in make.spec().slots if slot.kind == "gpu")
