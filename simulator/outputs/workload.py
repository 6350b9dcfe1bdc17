"""What a machine answers to the service's question what runs on it: the script's parts, as its tools would print them.

The script is recognised by its first line, as the probe is. Ids of processes are made up and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from simulator.outputs import training
from simulator.state import Machine

MARK = "rackside-workload"
_FIRST = re.compile(rf"# {MARK}\n")
_HANG_S = 13.0
# pid, parent, user id, command line; the last three are the session that asks.
_ALWAYS = (
    (1, 0, 0, "/sbin/init"),
    (2, 0, 0, "[kthreadd]"),
    (812, 1, 0, "/usr/sbin/sshd -D"),
    (934, 1, 0, "/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock"),
    (951, 1, 0, "/usr/bin/containerd"),
    (1204, 1, 113, "/usr/bin/nvidia-persistenced --user nvidia-persistenced"),
    (1260, 1, 0, "/usr/bin/nv-hostengine -n --service-account nvidia-dcgm"),
    (1301, 1, 0, "/usr/bin/nv-fabricmanager -c /usr/share/nvidia/nvswitch/fabricmanager.cfg"),
    (1420, 1, 0, "/usr/sbin/slurmd -D -s"),
    (1433, 1, 0, "/usr/sbin/slurmstepd infinity"),
    (39_001, 812, 0, "sshd: rackside [priv]"),
    (39_007, 39_001, 1000, "sshd: rackside@notty"),
    (39_008, 39_007, 0, "sudo -n sh -c # rackside-workload"),
)
_HOLD = (1204, 1260, 1301)
_JOB, _CONTAINER, _LAUNCHER, _TEST, _PERSON = 4242, 60_100, 61_200, 62_300, 63_400


def asked(command: str) -> bool:
    return _FIRST.search(command) is not None


def answer(machine: Machine, tests: Sequence[str], now: float) -> tuple[str, float]:
    """What is printed, and after how many seconds. `tests`: commands of this service's own jobs that run there."""
    work = list(_work(machine, tests))
    processes = [*_ALWAYS, *work]
    holders = [*_HOLD, *(pid for pid, *_ in work if pid < _CONTAINER or _TEST <= pid < _PERSON)]
    hangs = machine.fault("command_hangs")
    stuck = hangs is not None and str(hangs.params["command"]).startswith("nvidia-smi")
    container = machine.fault("container_runs")
    parts = {
        "account": ["0", "root", "rackside", "readable"],
        "boot": [machine.state.boot_id, f"{machine.uptime_s(now):.2f} {96 * machine.uptime_s(now):.2f}"],
        "who": [f"{name} pts/0        2026-03-02 11:02 (10.0.0.9)" for name in machine.people()],
        "holders": [f"/proc/{pid}/fd/{n}" for pid in holders for n in (7, 9)],
        "contained": [],
        "docker": [f"{_id(machine)} {container.params['image']} {container.params['name']}"] if container else [],
        "processes": [f"{pid:>7} {parent:>7} {uid:>5} {args}" for pid, parent, uid, args in processes],
        "gpus": ["exit 124"] if stuck else [*_computing(machine), "exit 0"] if machine.plan.gpus else [],
        "end": [],
    }
    text = "".join(f"== {MARK} {name}\n" + "".join(f"{line}\n" for line in lines) for name, lines in parts.items())
    return text, _HANG_S if stuck else 0.0


def _computing(machine: Machine) -> list[str]:
    busy = [*(_JOB + n for n in range(machine.jobs())), *training.pids(machine)]
    return [f"{pid}, /usr/bin/python3" for pid in busy]


def _work(machine: Machine, tests: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    """The processes of what was begun there: faults that are somebody's work, and our own tests under load."""
    for number in range(machine.jobs()):
        yield _JOB + number, 1, 1002, "/usr/bin/python3 train.py --config llm.yaml"
    for pid in training.pids(machine):
        yield pid, 1, 1002, "/usr/bin/python3 train.py --config llm.yaml"
    if container := machine.fault("container_runs"):
        shim = f"/usr/bin/containerd-shim-runc-v2 -namespace moby -id {_id(machine)} -address /run/containerd.sock"
        yield _CONTAINER, 1, 0, shim
        yield _CONTAINER + 1, _CONTAINER, 0, f"/bin/bash /run/{container.params['name']}.sh"
    if launcher := machine.fault("launcher_runs"):
        yield _LAUNCHER, 1, 0, str(launcher.params["command"])
    for number, command in enumerate(tests):
        yield _TEST + number, 1, 1000, command
    for number, name in enumerate(machine.people()):
        yield _PERSON + number, 812, 1003 + number, f"sshd: {name}@pts/{number}"


def _id(machine: Machine) -> str:
    return f"{machine.plan.seed & 0xFFFFFFFF:08x}" * 8
