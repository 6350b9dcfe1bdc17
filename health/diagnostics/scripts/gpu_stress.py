"""Multiply the same matrices on every GPU for some time, and tell what came out. One file; needs torch with CUDA.

    python3 gpu_stress.py --seconds 300

Every GPU gets the same seeded numbers, multiplies them again and again, and takes a checksum of each result on the GPU
itself. All checksums of one kind of number must be equal, on one GPU over time and between GPUs of one model: whoever
differs computes wrong. Prints one line of JSON; `complete` is true only when every GPU was stressed to the end. Without
torch or GPUs it prints an error there and ends with status 3: nothing was measured.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from typing import Any

KINDS = ("bfloat16", "float16", "float32")


def inputs(torch: Any, side: int, kind: str, device: str) -> tuple[Any, Any]:
    """Two matrices that are the same wherever they are made: drawn on the CPU from one seed."""
    made = torch.Generator().manual_seed(20240625)
    a, b = (torch.randn(side, side, generator=made, dtype=torch.float32) for _ in range(2))
    return a.to(device, getattr(torch, kind)), b.to(device, getattr(torch, kind))


def checksum(torch: Any, result: Any) -> str:
    """Of the bits of a result, as eight hex digits; the sum of whole numbers does not depend on its order."""
    bits = result.contiguous().view(torch.int32 if result.element_size() == 4 else torch.int16).to(torch.int64)
    places = torch.arange(bits.numel(), device=bits.device, dtype=torch.int64).view(bits.shape) % 65521 + 1
    return f"{int((bits * places).sum().item()) & 0xFFFFFFFF:08x}"


def stress(torch: Any, device: str, side: int, seconds: float, row: dict[str, Any]) -> None:
    """Load one GPU until the time is over, a turn of every kind of number after the other; writes into `row`."""
    try:
        pairs = {kind: inputs(torch, side, kind, device) for kind in KINDS}
        sums: dict[str, dict[str, int]] = {kind: {} for kind in KINDS}
        spent, work, turn = 0.0, 0.0, 0
        until = time.monotonic() + seconds
        while time.monotonic() < until or turn < len(KINDS):
            kind = KINDS[turn % len(KINDS)]
            a, b = pairs[kind]
            began = time.monotonic()
            for _ in range(8):
                result = a @ b
            if device != "cpu":
                torch.cuda.synchronize(device)
            if kind == "bfloat16" and turn >= len(KINDS):  # the first turn warms up
                spent, work = spent + time.monotonic() - began, work + 8 * 2.0 * side**3
            value = checksum(torch, result)
            sums[kind][value] = sums[kind].get(value, 0) + 1
            turn += 1
        row["checksums"], row["tflops"] = sums, work / spent / 1e12 if spent else None
    except Exception as error:  # the others go on; this one tells why it stopped
        row["error"] = f"{type(error).__name__}: {error}"[:200]


def celsius() -> dict[int, tuple[str, float]]:
    """Temperature by number of the GPU, from nvidia-smi; nothing when it does not answer."""
    command = ["nvidia-smi", "--query-gpu=index,uuid,temperature.gpu", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    rows = [line.split(", ") for line in said.splitlines()]
    return {int(row[0]): (row[1], float(row[2])) for row in rows if len(row) == 3 and row[2].strip().isdecimal()}


def refuse(reason: str) -> int:
    print(json.dumps({"rackside_gpu_stress": 1, "error": reason, "complete": False}), flush=True)
    return 3


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--side", type=int, default=8192)
    parser.add_argument("--cpu", type=int, default=0, metavar="N", help="N workers on the CPU instead: for tests")
    asked = parser.parse_args()
    try:
        import torch
    except ImportError as error:
        return refuse(f"torch cannot be imported: {error}")
    count = asked.cpu or (torch.cuda.device_count() if torch.cuda.is_available() else 0)
    if not count:
        return refuse("torch sees no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    devices = ["cpu" if asked.cpu else f"cuda:{index}" for index in range(count)]
    rows: list[dict[str, Any]] = [
        {"index": index, "uuid": "", "tflops": None, "checksums": {}, "celsius": None, "error": ""}
        for index in range(count)
    ]
    began = time.monotonic()
    workers = [
        threading.Thread(target=stress, args=(torch, device, asked.side, asked.seconds, rows[index]))
        for index, device in enumerate(devices)
    ]
    for worker in workers:
        worker.start()
    heat: dict[int, tuple[str, float]] = {}
    while any(worker.is_alive() for worker in workers):  # the hottest while it works counts
        for index, (uuid, value) in ({} if asked.cpu else celsius()).items():
            heat[index] = (uuid, max(value, heat.get(index, ("", value))[1]))
        workers[0].join(5.0)
        for worker in workers[1:]:
            worker.join(0.01)
    for index, (uuid, value) in heat.items():
        if index < count:
            rows[index]["uuid"], rows[index]["celsius"] = uuid, value
    told: dict[str, Any] = {"rackside_gpu_stress": 1, "torch": torch.__version__, "side": asked.side}
    told |= {"seconds": round(time.monotonic() - began, 1), "gpus": rows, "complete": True}
    print(json.dumps(told), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
