"""All-reduce over all GPUs of several machines, timed by size. One file; needs torch and nothing else.

    python3 -m torch.distributed.run --nnodes 2 --nproc-per-node 8 --node-rank 0 --master-addr hgx-1 all_reduce.py
    srun --ntasks-per-node 8 python3 all_reduce.py
    mpirun --hostfile hosts python3 all_reduce.py --device cpu

Rank and world size come from torchrun, Slurm or Open MPI. Rank 0 prints a line of JSON with the ranks, one for each
size (bytes, microseconds of one all-reduce, algorithm and bus bandwidth in GB/s as nccl-tests counts them, wrong
values), and one that says that it came to its end. Without torch, or without GPUs unless `--device cpu` is given, it
prints an error there and ends with status 3.
"""

import argparse
import datetime
import json
import os
import platform
import sys
import time
from typing import Any

MARK = "rackside_all_reduce"
LAUNCHERS = (
    ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
)
WARM_UP = 5
NUMBERS = 8
"""Ranks add a number from 1 to this: the sum of any number of them is exact in 32 bits."""


def place() -> tuple[int, int, int]:
    """Rank, world size and local rank, as the launcher says; alone where there is none."""
    for names in LAUNCHERS:
        if all(name in os.environ for name in names):
            rank, world, local = (int(os.environ[name]) for name in names)
            return rank, world, local
    return 0, 1, 0


def refuse(reason: str) -> int:
    rank = place()[0]
    if rank == 0:
        print(json.dumps({MARK: 1, "error": reason, "complete": False}), flush=True)
    else:
        print(f"{platform.node()}, rank {rank}: {reason}", file=sys.stderr, flush=True)
    return 3


def sizes_of(least: int, most: int) -> list[int]:
    """From the smallest to the largest, each twice the one before."""
    found = []
    while least <= most:
        found.append(least)
        least *= 2
    return found


def rounds_of(size: int, asked: argparse.Namespace) -> int:
    """Small messages are many, large ones few: about the same time for each size."""
    return max(asked.rounds, min(10 * asked.rounds, (1 << 22) // size))


def timed(torch: Any, values: Any, rounds: int, on_gpu: bool) -> float:
    """Seconds of one all-reduce, the slowest rank's."""
    for _ in range(WARM_UP):
        torch.distributed.all_reduce(values)
    torch.distributed.barrier()
    began = clock(torch, on_gpu)
    for _ in range(rounds):
        torch.distributed.all_reduce(values)
    took = torch.tensor([(clock(torch, on_gpu) - began) / rounds], dtype=torch.float64, device=values.device)
    torch.distributed.all_reduce(took, op=torch.distributed.ReduceOp.MAX)
    return float(took.item())


def wrong_of(torch: Any, values: Any, rank: int, world: int) -> int:
    """Values that are not the sum of all ranks, over all ranks."""
    values.fill_(1 + rank % NUMBERS)
    torch.distributed.all_reduce(values)
    count = (values != sum(1 + each % NUMBERS for each in range(world))).sum().to(torch.int64).reshape(1)
    torch.distributed.all_reduce(count)
    return int(count.item())


def clock(torch: Any, on_gpu: bool) -> float:
    if on_gpu:
        torch.cuda.synchronize()
    return time.perf_counter()


def measure(torch: Any, asked: argparse.Namespace, device: Any) -> None:
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    ranks: list[Any] = [None] * world
    name = asked.machine or os.environ.get("SLURMD_NODENAME") or platform.node()
    torch.distributed.all_gather_object(ranks, [name, device.index or 0])
    if rank == 0:
        head = {MARK: 1, "torch": torch.__version__, "device": device.type, "world": world, "devices": ranks}
        print(json.dumps(head), flush=True)
    for size in sizes_of(asked.least, asked.most):
        values = torch.zeros(size // 4, dtype=torch.float32, device=device)
        took = timed(torch, values, rounds_of(size, asked), device.type == "cuda")
        wrong = wrong_of(torch, values, rank, world)
        if rank == 0:
            moved = size / took / 1e9
            print(json.dumps({
                "bytes": size, "us": round(took * 1e6, 2), "algbw_gbytes_s": round(moved, 6),
                "busbw_gbytes_s": round(moved * 2 * (world - 1) / world, 6), "wrong": wrong,
            }), flush=True)  # fmt: skip
    torch.distributed.barrier()
    if rank == 0:
        print(json.dumps({MARK: 1, "complete": True}), flush=True)


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--least", type=int, default=8, help="bytes of the smallest message")
    parser.add_argument("--most", type=int, default=1 << 30)
    parser.add_argument("--rounds", type=int, default=20, help="of each size at least")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--machine", default="", help="what this machine is called")
    parser.add_argument("--master", default="", help="ADDRESS:PORT of rank 0, where the launcher does not say")
    parser.add_argument("--wait", type=int, default=120, help="seconds that ranks are waited for")
    return parser.parse_args(given)


def main() -> int:
    asked = arguments()
    try:
        import torch
        import torch.distributed
    except ImportError as error:
        return refuse(f"torch cannot be imported: {error}")
    if asked.device == "cuda" and not torch.cuda.is_available():
        return refuse("torch sees no GPU")
    rank, world, local = place()
    if asked.master:
        os.environ["MASTER_ADDR"], _, os.environ["MASTER_PORT"] = asked.master.rpartition(":")
    device = torch.device("cuda", local) if asked.device == "cuda" else torch.device("cpu")
    if asked.device == "cuda":
        torch.cuda.set_device(device)
    kind, patience = "nccl" if asked.device == "cuda" else "gloo", datetime.timedelta(seconds=asked.wait)
    try:
        torch.distributed.init_process_group(kind, rank=rank, world_size=world, timeout=patience)
        measure(torch, asked, device)
    except (RuntimeError, ValueError) as error:
        return refuse(f"{type(error).__name__}: {error}".splitlines()[0][:300])
    torch.distributed.destroy_process_group()
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # as in train.py: a thread of torch that wakes up while Python ends would be torn down loudly
