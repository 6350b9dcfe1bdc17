"""What runs on a machine, asked of the machine itself: the script that asks, and what its answer means. Pure.

A scheduler knows only what it started. A container begun by hand, a launcher in a terminal and a process that holds a
GPU are somebody's work as well, so whatever would stop them asks the machine first. What it does not tell is unknown,
never nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

MARK = "rackside-workload"
PARTS = ("account", "boot", "who", "holders", "contained", "docker", "processes", "gpus", "end")
MOST_NAMED = 3

# Programs that hold a GPU, or look at one, and are nobody's work: NVIDIA's own services, DCGM, and this one's probe.
DAEMONS = frozenset({
    "nvidia-persistenced", "nv-hostengine", "nv-fabricmanager", "nvidia-fabricmanager", "nvidia-imex", "nvidia-powerd",
    "dcgm-exporter", "nvidia-smi", "nvidia-device-plugin", "gpu-feature-discovery", "nvidia-mig-manager",
})  # fmt: skip
# What starts the processes of a job and lives as long as it does.
LAUNCHERS = frozenset({
    "slurmstepd", "srun", "salloc", "mpirun", "mpiexec", "mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_proxy",
    "orterun", "orted", "prterun", "prted", "torchrun", "deepspeed", "accelerate", "horovodrun", "raylet",
})  # fmt: skip
LAUNCHER_MODULES = ("torch.distributed.run", "torch.distributed.launch", "deepspeed.launcher", "accelerate.commands")
# The process beside each container: of Docker and containerd, Podman and CRI-O, Enroot, Apptainer.
CONTAINERS = ("containerd-shim", "docker-containerd-shim", "conmon", "enroot", "apptainer", "singularity", "starter")
# Containers that the kubelet started, by containerd, CRI-O or Docker.
OF_KUBELET = re.compile(r" -namespace k8s\.io(?: |$)| /var/log/pods/|/crio/exits")
DOCKER_OF_KUBELET = "k8s_"
INTERPRETERS = re.compile(r"(?:python[\d.]*|sh|bash|perl)")
_SSHD = re.compile(r"sshd(?:-session)?: (\S+?)@(\S+)$")
_HOLDER = re.compile(r"/proc/(\d+)/")
# systemd gives these user ids to services of its own (systemd.exec(5), DynamicUser=).
_OF_SYSTEMD = range(61_184, 65_520)
NOBODY = 65_534


def script(devices: str = "/dev/nvidia*", *, gpus_s: int = 10) -> str:
    """A shell script, to be run as root: only root sees whose processes hold a device. Changes nothing.

    `nvidia-smi` comes last and is left behind after `gpus_s` seconds and a little: in a driver call that never returns
    nothing can kill it, and `timeout` waits for ever. Where one from before still hangs, no other is begun.
    """
    ask = "nvidia-smi --query-compute-apps"
    return f"""# {MARK}
LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
part() {{ echo "== {MARK} $1"; }}
part account; id -u; id -un; echo "${{SUDO_USER:-}}"; ls /proc/1/fd >/dev/null 2>&1 && echo readable
part boot; cat /proc/sys/kernel/random/boot_id /proc/uptime
part who; who 2>/dev/null
part holders; find /proc/[0-9]*/fd -lname '{devices}' -printf '%p\\n' 2>/dev/null | sort -u
part contained; own=$(readlink /proc/1/ns/user 2>/dev/null) &&
find /proc/[0-9]*/ns/user ! -lname "$own" -printf '%p\\n' 2>/dev/null
part docker; command -v docker >/dev/null &&
timeout -k 2 5 docker ps --no-trunc --format '{{{{.ID}}}} {{{{.Image}}}} {{{{.Names}}}}' 2>/dev/null
part processes; ps -ww -e -o pid= -o ppid= -o uid= -o args= | cut -c1-400
part gpus
if ps -ww -e -o stat= -o args= | grep -q '^D.*{ask}'; then echo "not asked: the one before hangs"
elif command -v nvidia-smi >/dev/null && said=$(mktemp /dev/shm/{MARK}.XXXXXX); then
( timeout -k 2 {gpus_s} {ask}=pid,process_name --format=csv,noheader; echo "exit $?" ) >"$said" 2>&1 </dev/null &
naps=0; until grep -q '^exit ' "$said" || [ $naps -ge {5 * gpus_s + 15} ]; do sleep 0.2; naps=$((naps + 1)); done
cat "$said"; rm -f "$said"
fi
part end
"""


@dataclass(frozen=True, slots=True)
class Workload:
    """What a machine said. `running`: what would be stopped, in words, empty when nothing would; None: not told.

    `unknown` says why something is not known. `logins` are sessions of people, None when not known.
    """

    heard: bool = False
    boot_id: str = ""
    uptime_s: float | None = None
    logins: int | None = None
    running: str | None = None
    unknown: str = ""

    @property
    def refuses(self) -> str:
        """Why it must not be disturbed; empty when nothing runs there and nobody is logged in."""
        if self.running is None or self.logins is None:
            return f"not known what runs on it: {self.unknown or 'it does not say who is logged in'}"
        people = "1 person is logged in" if self.logins == 1 else f"{self.logins} people are logged in"
        return self.running or (people if self.logins else "")


def silent(why: str) -> Workload:
    """A machine that did not answer: nobody there came as far as to show its host key."""
    return Workload(unknown=why)


def untold(why: str) -> Workload:
    """A machine that is up, and did not tell what runs on it."""
    return Workload(heard=True, unknown=why)


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    uid: int
    args: str

    @property
    def name(self) -> str:
        """The program: of a script the script, not its interpreter."""
        words = self.args.split()
        first = _base(words[0]) if words else ""
        script = next((word for word in words[1:2] if not word.startswith("-")), "")
        return _base(script) if script and INTERPRETERS.fullmatch(first) else first


def _base(word: str) -> str:
    return word.rsplit("/", 1)[-1].rstrip(":")


def read(text: str, *, system: Sequence[str] = (), kubelet: bool = False) -> Workload:
    """What the script printed. `system`: programs and containers, by name or image, that are nobody's work here.

    `kubelet`: its scheduler tells which containers of the kubelet are work, so by themselves they are none here: every
    node runs some. Whatever was printed, something answered: the machine is heard.
    """
    parts = _parts(text)
    boot = parts.get("boot", [])
    if not {"account", "boot"} <= parts.keys() or len(boot) < 2:
        return untold(f"its answer has another shape: {_first(text)}")
    try:
        boot_id, uptime_s = boot[0].strip(), float(boot[1].split()[0])
    except (ValueError, IndexError):
        return untold("its answer has another shape")
    if not re.fullmatch(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", boot_id):
        return untold("its answer has another shape")
    known = Workload(heard=True, boot_id=boot_id, uptime_s=uptime_s)
    processes = dict(_processes(parts.get("processes", [])))
    if "end" not in parts or not processes:
        return _but(known, "the answer breaks off")
    sessions = _sessions(parts, processes)
    if "readable" not in parts["account"]:
        return _but(known, "only root may ask which processes hold its GPUs", len(sessions))
    containers = _containers(parts, processes, system, kubelet=kubelet)
    found = [*_gpus(parts, processes, system), *containers, *_launchers(processes, system)]
    return Workload(True, boot_id, uptime_s, len(sessions), "; ".join(found))


def _but(known: Workload, why: str, logins: int | None = None) -> Workload:
    return Workload(known.heard, known.boot_id, known.uptime_s, logins, None, why)


def _first(text: str) -> str:
    return next((line.strip()[:200] for line in text.splitlines() if line.strip()), "nothing was printed")


def _parts(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    own: list[str] = []
    for line in text.splitlines():
        if line.startswith(f"== {MARK} "):
            own = found.setdefault(line.rpartition(" ")[2], [])
        elif line.strip():
            own.append(line)
    return found


def _processes(lines: Sequence[str]) -> Iterator[tuple[int, _Process]]:
    for line in lines:
        words = line.split(None, 3)
        if len(words) == 4 and all(word.isdecimal() for word in words[:3]):
            yield int(words[0]), _Process(int(words[0]), int(words[2]), words[3])


# ---- what runs ----


def _gpus(parts: Mapping[str, list[str]], processes: Mapping[int, _Process], system: Sequence[str]) -> Iterator[str]:
    """Processes that compute by nvidia-smi, and those that hold a device: a dead driver tells only the latter."""
    told = [line.partition(",")[::2] for line in parts.get("gpus", [])]
    names = {int(pid): name.strip() for pid, name in told if pid.strip().isdecimal()}
    for line in parts.get("holders", []):
        found = _HOLDER.match(line)
        process = processes.get(int(found[1])) if found else None
        if process is not None and not _is_system(process, system):
            names.setdefault(process.pid, process.name)
    if names:
        yield f"{_count(len(names), 'process holds', 'processes hold')} its GPUs ({_some(names.values())})"


def _containers(
    parts: Mapping[str, list[str]], processes: Mapping[int, _Process], system: Sequence[str], *, kubelet: bool
) -> Iterator[str]:
    """Containers by the process beside each, and processes in a user namespace of their own, as Enroot makes them."""
    rows = [line.split(None, 2) for line in parts.get("docker", [])]
    names = {row[0]: row[1:] for row in rows if len(row) == 3}
    found = []
    for process in processes.values():
        if process.name.startswith(CONTAINERS):
            words = process.args.split()
            known = names.get(words[words.index("-id") + 1] if "-id" in words[:-1] else "", [])
            of_kubelet = OF_KUBELET.search(process.args) or "".join(known[1:]).startswith(DOCKER_OF_KUBELET)
            if not {process.name, *known} & set(system) and not (kubelet and of_kubelet):
                found.append(known[1] if known else process.name)
    for line in parts.get("contained", []):
        match = _HOLDER.match(line)
        holder = processes.get(int(match[1])) if match else None
        own = holder is not None and holder.uid >= 1000 and holder.uid not in _OF_SYSTEMD and holder.uid != NOBODY
        if holder is not None and own and not _is_system(holder, system):
            found.append(holder.name)
    if found:
        yield f"{_count(len(found), 'container runs', 'containers run')} ({_some(found)})"


def _launchers(processes: Mapping[int, _Process], system: Sequence[str]) -> Iterator[str]:
    found = [each.name for each in processes.values() if _launches(each) and not _is_system(each, system)]
    if found:
        yield f"{_count(len(found), 'launcher of a job runs', 'launchers of jobs run')} ({_some(found)})"


def _launches(process: _Process) -> bool:
    if process.name == "slurmstepd":
        return "infinity" not in process.args.split()  # it only keeps the cgroup of all steps, and always runs
    words = process.args.split()
    module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
    return process.name in LAUNCHERS or module.startswith(LAUNCHER_MODULES)


def _is_system(process: _Process, system: Sequence[str]) -> bool:
    return process.name in DAEMONS or process.name in system


def _sessions(parts: Mapping[str, list[str]], processes: Mapping[int, _Process]) -> set[tuple[str, str]]:
    """Sessions of people: who and terminal. Those of our own account without a terminal are this service's."""
    account = [line.strip() for line in parts["account"]]
    ours = {name for name in account[1:3] if name != "readable"}
    if len(account) > 2 and account[2] != "readable":
        ours = {account[2]}  # the name before sudo
    found = {(words[0], words[1]) for line in parts.get("who", []) if len(words := line.split()) > 1}
    for process in processes.values():
        if match := _SSHD.match(process.args):
            name, terminals = match.groups()
            for terminal in terminals.split(","):
                if terminal != "notty":
                    found.add((name, terminal))
                elif name not in ours:
                    found.add((name, f"pid {process.pid}"))
    return found


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _some(names: Iterable[str]) -> str:
    told = sorted(set(names))
    return ", ".join([*told[:MOST_NAMED], *(["…"] if len(told) > MOST_NAMED else [])])
