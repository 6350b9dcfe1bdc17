"""The processes that hold GPUs, with the named variables of each (`health.checks.probes.processes`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from health.checks.parsers import ParseError
from health.checks.probes.processes import END_OF_PROCESSES, NAMED, NAMED_FAMILIES

WHERE = "processes on GPUs"
TICKS_A_SECOND = 100
"""USER_HZ, the unit of /proc/PID/stat on every Linux that runs NVIDIA's driver (proc(5))."""
REFUSED = "refused: only root may read whose processes hold its GPUs"
_BY_SUDO = ("is not allowed to execute", "a password is required", "is not in the sudoers")
_GPU = re.compile(r"^gpu (\d{1,10}) ((?:GPU|MIG)-[\w/-]{1,80}) ?(.*)$")
_PROCESS = re.compile(r"^process (\d{1,10}) (\d{1,10}) (\d{1,18})$")
_USER = re.compile(r"^user (\d{1,10}) (\S{1,64})$")
_VARIABLE = re.compile(r"^([A-Z][A-Z0-9_]*)=(.*)$")
_ID = re.compile(r"^(docker|libpod|containerd|crio)[-/:]([0-9a-f]{12})[0-9a-f]*$")
_ROOT = re.compile(r"^[0-9 :]+ (/\S*) / ?$")
_KINDS = {"libpod": "podman"}
_HEAD = "said pid gpu_uuid used_gpu_memory"


@dataclass
class GpuProcess:
    """`started_s` is since the start of the machine; `gpus` are (UUID, MiB in use or None) as nvidia-smi tells them.

    `container` is its kind and id or name, such as `docker 3f2a..` or `enroot pyxis_88213.0`; empty: none was seen.
    """

    pid: int
    parent: int
    started_s: float
    gpus: list[tuple[str, int | None]] = field(default_factory=list)
    user: str = ""
    container: str = ""
    variables: dict[str, str] = field(default_factory=dict)


def parse_gpu_processes(text: str) -> tuple[GpuProcess, ...]:
    """Raises ParseError where it is not whole, nvidia-smi did not answer, or an environment may not be read: what is
    not told is unknown, never that nothing runs."""
    lines = text.rstrip("\n").split("\n")
    if not lines[0].startswith(_HEAD) or any(line.startswith("said ") for line in lines[1:]):
        said = next((line for line in lines if line.strip() and not line.startswith(_HEAD)), "no output")
        refused = any(each in said for each in _BY_SUDO)
        raise ParseError(
            WHERE, f"refused by sudo: {said[:100]}" if refused else said.removeprefix("said ").strip()[:200]
        )
    if lines[-1] != END_OF_PROCESSES:
        raise ParseError(WHERE, "the list is not whole")
    if "refused" in lines:
        raise ParseError(WHERE, REFUSED)
    found: dict[int, GpuProcess] = {}
    held: dict[int, list[tuple[str, int | None]]] = {}
    own: GpuProcess | None = None
    for line in lines[1:-1]:
        if gpu := _GPU.match(line):
            held.setdefault(int(gpu[1]), []).append((gpu[2], int(gpu[3]) if gpu[3].isdecimal() else None))
        elif process := _PROCESS.match(line):
            pid, parent, ticks = map(int, process.groups())
            own = found[pid] = GpuProcess(pid, parent, ticks / TICKS_A_SECOND, held.get(pid, []))
        elif user := _USER.match(line):
            if int(user[1]) in found:
                found[int(user[1])].user = user[2]
        elif own is not None:
            _more(own, line)
    return tuple(found.values())


def _more(process: GpuProcess, line: str) -> None:
    """A variable of its environment, or the mark of its container."""
    if variable := _VARIABLE.match(line):
        if variable[1] in NAMED or variable[1].startswith(NAMED_FAMILIES):
            process.variables[variable[1]] = variable[2].strip()
    elif mark := _ID.match(line):
        process.container = f"{_KINDS.get(mark[1], mark[1])} {mark[2]}"
    elif root := _ROOT.match(line):
        name = root[1].rstrip("/").rpartition("/")[2]
        process.container = process.container or f"enroot {name[:60]}"


def told(processes: tuple[GpuProcess, ...], slots: Mapping[str, tuple[str, str]]) -> list[dict[str, object]]:
    """As rows that are kept; `slots` says slot and serial of each GPU by its UUID.

    What changes without meaning anything (how much memory, beyond whole GiB) is left out, so that a run that goes on
    is the same row at every check.
    """
    rows: list[dict[str, object]] = []
    for each in sorted(processes, key=lambda process: process.pid):
        gpus = [
            {"uuid": uuid, "slot": slots.get(uuid, ("", ""))[0], "serial": slots.get(uuid, ("", ""))[1],
             "gib": None if mib is None else round(mib / 1024)}
            for uuid, mib in sorted(each.gpus, key=lambda gpu: gpu[0])
        ]  # fmt: skip
        rows.append({
            "pid": each.pid, "parent": each.parent, "started_s": round(each.started_s, 2), "user": each.user,
            "container": each.container, "gpus": gpus, "variables": dict(sorted(each.variables.items())),
        })  # fmt: skip
    return rows
