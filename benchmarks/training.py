"""Training runs: reports taken in, a year of steps, the first cause among large logs, stacks of all ranks.

A report speaks for the eight ranks of one machine and ten steps of each, as 511 machines send them every ten seconds.
"""

from __future__ import annotations

import json
import pickle
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from benchmarks.report import Context, Row
from benchmarks.sweep import ensure_fleet
from health.external.services import sources
from inventory.models import Machine
from runs import queries
from runs.hangs.flight_recorder import read_dump
from runs.hangs.stacks import parties, read_stacks
from runs.models import StepPiece, TrainingRun
from runs.pace.packed import Timed, pack
from runs.reports import report_of
from runs.services import intake

STEPS, RANKS = 10, 8
ROOT = Path(__file__).resolve().parent.parent
LOGS, DIFFERENT, LOG_MB = 4088, 24, 5
CAUSE = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
FOLLOWER = "[rank0]: torch.distributed.DistBackendError: NCCL communicator was aborted on rank 0."
YEAR = 365 * 86_400
STACK = """Process {pid}: python3 train.py
Python v3.11.2 (/usr/bin/python3.11)

Thread {pid} (idle): "MainThread"
    {top}
    train (train.py:88)
    main (train.py:140)
    <module> (train.py:200)
"""


def timed(work: Callable[[], Any], times: int = 5) -> float:
    """The median of so many, in seconds."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def bodies(machines: list[str], turn: int) -> list[dict[str, Any]]:
    now = time.time()
    found = []
    for index, machine in enumerate(machines):
        ranks = range(index * RANKS, (index + 1) * RANKS)
        ends = [now - STEPS + step + turn / 1000 for step in range(STEPS)]
        steps = [
            {"rank": rank, "step": list(range(turn * STEPS, (turn + 1) * STEPS)), "at": ends, "seconds": [1.0] * STEPS,
             "loss": [2.5] * STEPS, "compute": [0.8] * STEPS, "wait": [0.2] * STEPS}
            for rank in ranks
        ]  # fmt: skip
        told = [{"rank": rank, "local_rank": rank % RANKS, "gpu": str(rank % RANKS)} for rank in ranks]
        run = {"id": "bench", "world_size": len(machines) * RANKS}
        found.append({"run": run, "machine": machine, "ranks": told, "steps": steps})
    return found


def taken_in(context: Context) -> list[Row]:
    site = ensure_fleet(context)
    source, _ = sources.make_source(site, actor="bench", name="trainer")
    machines = list(Machine.objects.filter(device__site=site).values_list("device__name", flat=True).order_by("pk"))
    figures = []
    for turn in range(4):
        told = bodies(machines, turn)
        began = time.process_time()
        for body in told:
            intake.take(source, report_of(body, time.time()))
        figures.append(time.process_time() - began)
    per_second = len(machines) * RANKS
    cores = statistics.median(figures[1:]) / STEPS
    return [
        Row(
            "training: steps of all ranks, taken in",
            f"{cores:.2f} cores",
            f"{per_second:,} a second from {len(machines)} machines, each {STEPS} s; without HTTP and database",
            "0.5 cores or less",
        )
    ]


def a_year(context: Context) -> list[Row]:
    noise, at, size, count = random.Random(7), time.time() - YEAR, 0, 0
    for _ in range(8):
        steps = []
        for _ in range(intake.PIECE):
            seconds = noise.gauss(1.0, 0.012)
            at += seconds + noise.uniform(0, 0.002)
            steps.append(Timed(count, round(at, 3), round(seconds, 4), noise.gauss(2.3, 0.05), 4_194_304))
            count += 1
        size += len(pack(steps))
    site = ensure_fleet(context)
    with transaction.atomic():
        now = timezone.now()
        run = TrainingRun.objects.create(site=site, key="year", started_at=now, last_report_at=now)
        pieces = YEAR // intake.PIECE
        packed = pack(steps)
        StepPiece.objects.bulk_create(
            (
                StepPiece(
                    run=run, number=number, count=intake.PIECE, first_step=0, last_step=1, started_at=now, ended_at=now,
                    median_s=1.0, least_s=0.9, most_s=1.2, packed=packed,
                )
                for number in range(pieces)
            ),
            batch_size=2000,
        )  # fmt: skip
        took = timed(lambda: queries.curve(run, None, None, 600))
        transaction.set_rollback(True)
    return [
        Row(
            "training: a year of steps", f"{size / count * YEAR / 1e6:.0f} MB", "one a second, packed", "200 MB or less"
        ),
        Row(
            "training: curve of that year", f"{took * 1000:.0f} ms", f"{pieces:,} pieces in 600 points", "50 ms or less"
        ),
    ]


def first_cause(folder: Path) -> list[Row]:
    quiet = "".join(
        f"[2025-06-11 22:{minute:02}:00] INFO shard {minute} of 60 loaded from /data\n" * 8
        + f"hgx-a01-01:4012:4590 [3] NCCL INFO Channel {minute}/0 : 12[3] -> 20[3] [send] via NET/IB/3/GDRDMA\n" * 8
        for minute in range(60)
    )
    first = quiet + "".join(f"step {minute} loss 2.41 1.08s\n" for minute in range(60))
    follower = f"[rank0]:[2025-06-11 23:10:00] {FOLLOWER}\n"
    for rank in range(LOGS):
        path = folder / f"rank_{rank}.log"
        if rank < DIFFERENT:
            block = first if rank % RANKS == 0 else quiet  # a rank of each machine prints its steps
            text = block * (LOG_MB * 2**20 // len(block))
            path.write_text(text + (f"[2025-06-11 23:00:00] {CAUSE}\n" if rank == 12 else follower * 20))
        else:  # the same bytes: the disk of this machine need not hold them all
            path.hardlink_to(folder / f"rank_{rank % RANKS}.log")
    began = time.perf_counter()
    told = subprocess.Popen(
        [sys.executable, "manage.py", "runs", "explain", str(folder), "--json"], stdout=subprocess.PIPE, cwd=ROOT
    )
    largest_mb = 0.0
    while told.poll() is None:
        largest_mb = max(largest_mb, high_water_mb(told.pid))
        time.sleep(0.1)
    took = time.perf_counter() - began
    assert told.stdout is not None
    assert json.load(told.stdout)["rank"] == 12
    return [
        Row(
            "training: first cause in 20 GB of logs",
            f"{took:.0f} s",
            f"{LOGS:,} logs of {LOG_MB} MB, {LOGS * LOG_MB / took:.0f} MB/s",
            "60 s or less",
        ),
        Row(
            "training: memory of that",
            f"{largest_mb:.0f} MB",
            "as a stream",
            "200 MB or less",
        ),
    ]


def high_water_mb(pid: int) -> float:
    """The most memory a process has held so far; of one that is over 0.

    Not `ru_maxrss`: it counts what the process that started it held.
    """
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def all_stacks() -> list[Row]:
    text = "\n".join(
        STACK.format(
            pid=rank, top="sleep (train.py:9)" if rank == 1228 else "all_reduce (torch/distributed/c10d.py:2806)"
        )
        for rank in range(4088)
    )
    assert len(parties(read_stacks(text))) == 2
    took = timed(lambda: parties(read_stacks(text)))
    return [Row("training: stacks of 4,088 ranks in groups", f"{took:.2f} s", "", "1 s or less")]


def all_dumps() -> list[Row]:
    """Full rings of 2,000 collectives with stacks, as NCCL's flight recorder keeps them."""
    frames = [{"name": "forward", "filename": "train.py", "line": line} for line in range(12)]
    entries = [
        {
            "frames": frames,
            "pg_id": 0,
            "process_group": ("0", "default_pg"),
            "collective_seq_id": at,
            "retired": at < 1997,
            "profiling_name": "nccl:all_reduce",
            "input_sizes": [[4096, 1408]],
            "input_dtypes": ["BFloat16"],
            "state": "completed" if at < 1997 else "scheduled",
            "time_discovered_completed_ns": None,
            "is_p2p": False,
        }
        for at in range(2000)
    ]
    config = {"0": {"desc": "default_pg", "ranks": str(list(range(4088)))}}
    dump = pickle.dumps({"version": "2.9", "entries": entries, "pg_config": config, "pg_status": {}})
    took = timed(lambda: read_dump(dump), 9)
    return [
        Row("training: flight recorder, 4,088 full rings", f"{took * 4088:.0f} s", f"{took * 1000:.0f} ms a rank", "")
    ]


def run(context: Context) -> list[Row]:
    folder = context.folder / "training-logs"
    folder.mkdir()
    return [*taken_in(context), *a_year(context), *first_cause(folder), *all_stacks(), *all_dumps()]
