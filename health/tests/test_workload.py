"""What runs on a machine by its own word: the script on a real shell, what its answer means, and the hall's answer."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from drivers.ssh import SshFailure, SshFailureKind, SshResult, SshTarget
from health.machines import remote, workload
from health.remediation import records
from health.remediation.remedies import BY_NAME
from health.remediation.types import World
from simulator import faults
from simulator.machine.shell import execute
from simulator.plan import sample_plan
from simulator.state import Machine, first_state

NOW = 1_772_000_000.0
HEAD = """== rackside-workload account
0
root
rackside
readable
== rackside-workload boot
d710860e-52d5-4953-907d-6e92227cca75
1506.06 1834.47
== rackside-workload who
"""
QUIET = """    1     0     0 /sbin/init
  812     1     0 sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups
 1204     1   113 /usr/bin/nvidia-persistenced --user nvidia-persistenced
 1433     1     0 /usr/sbin/slurmstepd infinity
  903     1 61500 /usr/lib/systemd/systemd-networkd
 4001   812     0 sshd: rackside [priv]
 4007  4001  1000 sshd: rackside@notty
"""


def answer(processes: str = "", *, who: str = "", gpus: str = "exit 0\n", **more: str) -> str:
    """What the script prints; `more`: holders, contained, docker."""
    parts = {
        "holders": "",
        "contained": "",
        "docker": "",
        **more,
        "processes": QUIET + processes,
        "gpus": gpus,
        "end": "",
    }
    return HEAD + who + "".join(f"== {workload.MARK} {name}\n{text}" for name, text in parts.items())


def test_a_machine_with_only_its_own_services_runs_nothing() -> None:
    said = workload.read(answer(holders="/proc/1204/fd/7\n", contained="/proc/903/ns/user\n"))
    assert (said.heard, said.running, said.logins, said.refuses) == (True, "", 0, "")
    assert (said.boot_id[:8], said.uptime_s) == ("d710860e", 1506.06)


@pytest.mark.parametrize(
    ("processes", "more", "words"),
    [
        ("", {"gpus": "4242, /usr/bin/python3\nexit 0\n"}, "1 process holds its GPUs (/usr/bin/python3)"),
        (" 4242 1 1002 /usr/bin/python3 train.py\n", {"holders": "/proc/4242/fd/9\n/proc/4242/fd/12\n"}, "train.py"),
        (" 4242 1 1002 ./a.out\n", {"gpus": "exit 15\n", "holders": "/proc/4242/fd/9\n"}, "a.out"),
        (" 6100 1 0 /usr/bin/containerd-shim-runc-v2 -namespace moby -id aaa -address /run\n",
         {"docker": "aaa nvcr.io/pytorch:24.08 llm\n"}, "1 container runs (llm)"),
        (" 6100 1 0 /usr/bin/conmon --api-version 1 -c bbb\n", {}, "1 container runs (conmon)"),
        (" 6101 1 1002 /bin/bash run.sh\n", {"contained": "/proc/6101/ns/user\n"}, "1 container runs (run.sh)"),
        (" 6101 1 1002 enroot-nsenter --user\n", {}, "1 container runs (enroot-nsenter)"),
        (" 7000 1 0 slurmstepd: [4711.batch]\n", {}, "1 launcher of a job runs (slurmstepd)"),
        (" 7000 1 1002 /usr/bin/python3 /opt/bin/torchrun --nproc-per-node 8 t.py\n", {}, "(torchrun)"),
        (" 7000 1 1002 python -m torch.distributed.run t.py\n", {}, "1 launcher of a job runs"),
        (" 7000 1 1002 mpirun -np 16 ./a.out\n 7001 1 1002 orted --hnp\n", {}, "2 launchers of jobs run"),
        (" 7000 1 1002 srun -N 2 x\n", {}, "(srun)"),
    ],
)  # fmt: skip
def test_somebody_s_work_is_seen_whoever_started_it(processes: str, more: dict[str, str], words: str) -> None:
    said = workload.read(answer(processes, **more))
    assert said.running is not None and words in said.running and words in said.refuses


@pytest.mark.parametrize(
    ("processes", "who", "logins"),
    [
        (" 6300 1 0 sshd: ada [priv]\n 6301 6300 1003 sshd: ada@pts/0\n", "ada pts/0 2026-03-02 11:02 (10.0.0.9)\n", 1),
        (" 6301 1 1003 sshd: ada@pts/0,pts/1\n", "", 2),
        (" 6301 1 1003 sshd-session: ada@notty\n", "", 1),
        ("", "root tty1 2026-03-02 11:02\n", 1),
        (" 6301 1 1000 sshd: rackside@pts/3\n", "", 1),
        (" 6301 1 1000 sshd: rackside@notty\n", "", 0),
    ],
)  # fmt: skip
def test_sessions_of_people_are_counted_and_not_those_of_this_service(processes: str, who: str, logins: int) -> None:
    said = workload.read(answer(processes, who=who))
    assert said.logins == logins and bool(said.refuses) == bool(logins)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing was printed"),
        ("sudo: a password is required\n", "a password is required"),
        (answer().partition("== rackside-workload processes")[0], "breaks off"),
        (answer().removesuffix("== rackside-workload end\n"), "breaks off"),
        (answer().replace("readable\n", ""), "only root may ask"),
        (answer().replace("d710860e", "nonsense"), "another shape"),
    ],
)
def test_what_is_missing_is_unknown_and_refuses(text: str, words: str) -> None:
    said = workload.read(text)
    assert said.heard and said.running is None, "whoever printed this is up"
    assert "not known what runs on it" in said.refuses and words in said.refuses


K = SshFailureKind


@pytest.mark.parametrize(
    ("kind", "shown", "up"),
    [(K.AUTH_DENIED, True, True), (K.HOST_KEY_CHANGED, True, True), (K.COMMAND_TIMEOUT, True, True),
     (K.OUTPUT_TOO_LARGE, True, True), (K.PROTOCOL, True, True), (K.TIMEOUT, True, True), (K.TIMEOUT, False, False),
     (K.REFUSED, False, False), (K.NO_BANNER, False, False), (K.OTHER, False, False)],
)  # fmt: skip
def test_a_machine_that_showed_its_host_key_is_up_whatever_failed_after(kind: K, shown: bool, up: bool) -> None:
    target = SshTarget("10.0.0.1", 22, "rackside", "")
    said = remote._told(SshResult(target, SshFailure(kind, "why"), presented_key="ssh-ed25519 A" if shown else None))
    assert said.heard is up and said.running is None and "why" in said.refuses
    now = datetime.now(UTC)
    world = World(now, heard=said.heard, power="on", jobs=0, reservation_by_others=False, drained=True,
                  drain_is_ours=True, named=True, logins=said.logins, running=said.running,
                  unknown=said.unknown)  # fmt: skip
    for remedy in ("power_cycle", "reimage"):
        assert bool(records.busy(BY_NAME[remedy], world, by_person=True)) is up, "the scheduler's word is not enough"


@pytest.mark.parametrize(
    ("shim", "docker"),
    [
        ("/usr/bin/containerd-shim-runc-v2 -namespace k8s.io -id aaa -address /run/containerd/containerd.sock", ""),
        ("/usr/bin/conmon -b /run/x -c aaa --exit-dir /var/run/crio/exits -l /var/log/pods/ns_pod_uid/c/0.log", ""),
        ("/usr/bin/containerd-shim-runc-v2 -namespace moby -id aaa -address /run", "aaa img:1 k8s_train_p_ns_uid_0\n"),
    ],
    ids=["containerd", "CRI-O", "Docker"],
)
def test_containers_of_the_kubelet_are_told_by_kubernetes_where_it_is_read(shim: str, docker: str) -> None:
    text = answer(f" 6100 1 0 {shim}\n", docker=docker)
    assert "1 container runs" in (workload.read(text).running or ""), "nobody reads it: somebody's work"
    assert workload.read(text, kubelet=True).running == ""
    by_hand = answer(" 6100 1 0 /usr/bin/containerd-shim-runc-v2 -namespace default -id bbb -address /run\n")
    assert "1 container runs" in (workload.read(by_hand, kubelet=True).running or "")
    holding = answer(f" 6100 1 0 {shim}\n 7 1 0 python train.py\n", holders="/proc/7/fd/3\n", docker=docker)
    assert "1 process holds its GPUs" in (workload.read(holding, kubelet=True).running or "")


def test_what_the_site_runs_everywhere_is_nobody_s_work() -> None:
    shim = " 6100 1 0 /usr/bin/containerd-shim-runc-v2 -namespace moby -id aaa -address /run\n"
    text = answer(shim, docker="aaa node-exporter:1.8 exporter\n", gpus="exit 0\n")
    assert workload.read(text).running and workload.read(text, system=["node-exporter:1.8"]).running == ""
    assert workload.read(text, system=["exporter"]).running == ""
    agent = " 6200 1 0 /opt/agent --gpus\n"
    assert workload.read(answer(agent, holders="/proc/6200/fd/3\n"), system=["agent"]).running == ""


def test_the_script_finds_a_process_that_holds_a_device_on_a_real_machine(tmp_path: Path) -> None:
    device = tmp_path / "nvidia0"
    device.touch()
    ask = ["sh", "-c", workload.script(f"{tmp_path}/nvidia*")]
    before = workload.read(subprocess.run(ask, capture_output=True, text=True, timeout=60).stdout)
    assert before.heard and before.running is not None and "python" not in before.running
    holding = f"f = open({str(device)!r}); import time; time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", holding]) as job:
        try:
            until = time.monotonic() + 20
            while True:
                said = workload.read(subprocess.run(ask, capture_output=True, text=True, timeout=60).stdout)
                if said.running or time.monotonic() > until:
                    break
            assert said.running is not None and "1 process holds its GPUs" in said.running
        finally:
            job.kill()


@pytest.mark.slow
def test_a_driver_call_that_never_returns_leaves_the_rest_of_the_answer(tmp_path: Path) -> None:
    """`timeout` waits for a process that nothing can kill; here it is played, since no driver hangs on demand."""
    for name, text in {"timeout": 'case "$*" in *nvidia*) exec sleep 30; esac', "nvidia-smi": "exit 0"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    ask = ["sh", "-c", workload.script(f"{tmp_path}/none*", gpus_s=1)]
    began = time.monotonic()
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    said = workload.read(subprocess.run(ask, capture_output=True, text=True, timeout=25, env=env).stdout)
    assert said.heard and said.logins is not None and said.unknown != "the answer breaks off"
    assert time.monotonic() - began < 20
    assert not list(Path("/dev/shm").glob(f"{workload.MARK}.*")), "its file is gone"


@pytest.mark.slow
def test_many_machines_are_asked_at_once_and_the_whole_question_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    under_way, most = 0, 0

    async def run_one(target: SshTarget, script: str, limits: object) -> SshResult:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(60 if target.machine_id == 7 else 0.05)
        under_way -= 1
        return SshResult(target, None, 0, answer().encode(), presented_key="ssh-ed25519 A")

    targets = [SshTarget("10.0.0.1", 22, "root", "", machine_id=pk) for pk in range(1, 41)]
    monkeypatch.setattr(remote, "ssh_targets", lambda ids: targets)
    monkeypatch.setattr(remote, "record_identities", lambda results, actor: None)
    monkeypatch.setattr(remote, "run_one", run_one)
    monkeypatch.setattr(remote.hooks, "scheduler", lambda: SimpleNamespace(tells_containers=lambda ids: set()))
    monkeypatch.setattr(remote, "ASKED_AT_ONCE", 8)
    monkeypatch.setattr(remote, "ASKED_WITHIN_S", 2.0)
    began = time.monotonic()
    said = remote.workloads_of(range(1, 42))
    assert most == 8 and time.monotonic() - began < 10
    assert {pk for pk, each in said.items() if each.refuses} == {7, 41}, "one is late, one has no address"
    assert said[7].heard and "no answer within 2 s" in said[7].refuses and not said[41].heard


def test_only_of_nodes_of_kubernetes_are_containers_of_the_kubelet_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    shim = " 6100 1 0 /usr/bin/containerd-shim-runc-v2 -namespace k8s.io -id aaa -address /run/x\n"

    async def run_one(target: SshTarget, script: str, limits: object) -> SshResult:
        return SshResult(target, None, 0, answer(shim).encode(), presented_key="ssh-ed25519 A")

    targets = [SshTarget("10.0.0.1", 22, "root", "", machine_id=pk) for pk in (1, 2)]
    monkeypatch.setattr(remote, "ssh_targets", lambda ids: targets)
    monkeypatch.setattr(remote, "record_identities", lambda results, actor: None)
    monkeypatch.setattr(remote, "run_one", run_one)
    monkeypatch.setattr(remote.hooks, "scheduler", lambda: SimpleNamespace(tells_containers=lambda ids: {2} & set(ids)))
    said = remote.workloads_of([1, 2])
    assert ("1 container runs" in (said[1].running or ""), said[2].running) == (True, "")


# ---- the hall answers as a machine does ----


@pytest.fixture
def machine() -> Machine:
    plan = sample_plan(1).machines[0]
    return Machine(plan, first_state(plan, NOW, "11111111-2222-4333-8444-555555555555"))


def asked(machine: Machine) -> workload.Workload:
    return workload.read(execute(machine, f"sudo -n sh -c '{workload.script()}'", NOW).text)


def test_an_idle_machine_of_the_hall_runs_nothing(machine: Machine) -> None:
    said = asked(machine)
    assert (said.heard, said.running, said.logins) == (True, "", 0) and said.boot_id == machine.state.boot_id


@pytest.mark.parametrize(
    ("fault", "words"),
    [("gpu_busy", "8 processes hold its GPUs"), ("container_runs", "1 container runs (train)"),
     ("launcher_runs", "slurmstepd"), ("somebody_logged_in", "1 person is logged in")],
)  # fmt: skip
def test_work_in_the_hall_shows_until_the_machine_starts_again(machine: Machine, fault: str, words: str) -> None:
    faults.inject(machine, fault, NOW)
    assert words in asked(machine).refuses
    machine.boot(NOW, "11111111-2222-4333-8444-666666666666", 0.0)
    assert asked(machine).refuses == ""


def test_a_test_under_load_of_ours_shows_as_its_processes(machine: Machine) -> None:
    from health.diagnostics import jobs
    from health.diagnostics.commands import Command

    start = jobs.start("1.1.1", Command("python3 gpu_stress.py --seconds 60", {}), 90)
    assert "started" in execute(machine, start, NOW).text
    assert "gpu_stress.py" in asked(machine).refuses
    execute(machine, jobs.stop("1.1.1"), NOW)
    assert asked(machine).refuses == ""
