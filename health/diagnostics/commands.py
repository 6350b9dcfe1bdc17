"""The command lines of the active checks, and the files they need beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drivers import shell
from health.diagnostics import scripts

_ADAPTER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}")
HOST = re.compile(r"[A-Za-z0-9_:][A-Za-z0-9_.:-]{0,252}")
LATENCY_ITERATIONS = 5000
LEAD_S = 3
"""Seconds a client waits for its server to listen."""
_COPIES = (
    "host_to_device_memcpy_ce", "device_to_host_memcpy_ce", "device_to_device_memcpy_read_ce",
    "device_to_device_memcpy_write_ce",
)  # fmt: skip


@dataclass(frozen=True)
class Command:
    """What one machine runs: `line`, and the files that lie beside it by name. `judged_as` is the command that the
    catalogue of checks knows its output by, where that is another."""

    line: str
    files: Mapping[str, str]
    lead_s: int = 0
    judged_as: str = ""


def of_machine(kind: str, options: Mapping[str, Any], gpus: int) -> Command:
    """A test that one machine runs alone, on all of its GPUs."""
    if kind == "diagnostic":
        return Command(f"dcgmi diag -r {int(options['level'])} -j", {})
    if kind == "stress":
        line = f"python3 gpu_stress.py --seconds {int(options['seconds'])}"
        return Command(line, {"gpu_stress.py": scripts.source("gpu_stress.py")})
    if kind == "copies":
        return Command(shell.line(["nvbandwidth", *(word for name in _COPIES for word in ("-t", name))]), {})
    if kind == "all_reduce":
        return Command(f"all_reduce_perf -b 1G -e 8G -f 2 -g {int(gpus)}", {})
    if kind == "training":
        start = f"python3 -m torch.distributed.run --standalone --nproc-per-node {int(gpus)}"
        line = f"{start} train.py --steps {int(options['steps'])}"
        return Command(line, {"train.py": scripts.source("train.py")})
    raise ValueError(f"{kind} is no test of one machine")


def of_pair(
    adapter: str, number: int, options: Mapping[str, Any], *, server: str = "", latency: bool = False
) -> Command:
    """One side of a pair: with `server` the client that calls it. `number` keeps the ports of the rails apart."""
    if not _ADAPTER.fullmatch(adapter) or (server and not HOST.fullmatch(server)):
        raise ValueError(f"{adapter} {server}: no names of an adapter and a machine")
    port = int(options["port"]) + number + (100 if latency else 0)
    tool = ["ib_write_lat", "-d", adapter, "-p", str(port), "-n", str(LATENCY_ITERATIONS), "-F"]
    if not latency:
        tool = ["ib_write_bw", "-d", adapter, "-p", str(port), "-D", str(int(options["seconds"])), "-b", "-F"]
        tool += ["--report_gbits", *([f"--use_cuda={number}"] if options["gpu_direct"] else [])]
    to = f" {shell.operand(server)}" if server else ""
    return Command(shell.line(tool) + to, {}, LEAD_S if server else 0)
