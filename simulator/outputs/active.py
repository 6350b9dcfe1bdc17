"""What the tests under load print: dcgmi diag, nvbandwidth, all_reduce_perf, and the service's two scripts.

In the tools' own formats (DCGM 3.3, nvbandwidth 0.4, nccl-tests 2.13). Numbers are those of a machine with eight H100,
a little different on each GPU, and worse where a fault says so. They take seconds where the real ones take minutes.
"""

from __future__ import annotations

import json
import zlib
from math import log2
from typing import TYPE_CHECKING

from simulator.fabric.plan import End

if TYPE_CHECKING:
    from simulator.plan import GpuPlan
    from simulator.state import Machine

Answer = tuple[int, str, float]
"""Exit status, output, seconds it takes."""
SECONDS = 1.0
LATENCY_US = 22.0
"""Of a small all-reduce over two machines, about."""
_NO_GPU = "No devices were found\n"
_TESTS = {
    1: ("Denylist", "NVML Library", "CUDA Main Library", "Permissions and OS Blocks", "Persistence Mode"),
    2: ("PCIe", "GPU Memory"),
    3: ("Diagnostic", "Targeted Stress", "Targeted Power", "Memory Bandwidth"),
    4: ("Memtest", "Pulse Test"),
}
_SUMS = {"bfloat16": "9f3c6a51", "float16": "c20b7714", "float32": "41d07be2"}


def _near(machine: Machine, gpu: GpuPlan, what: str, value: float) -> float:
    """A value up to one percent lower, always the same for one GPU."""
    return value * (1 - zlib.crc32(f"{machine.part(gpu.slot).serial}{what}".encode()) % 100 / 10_000)


def dcgmi(machine: Machine, args: list[str]) -> Answer:
    """`dcgmi diag -r LEVEL -j`."""
    if args[:1] != ["diag"] or "-r" not in args[:-1] or "-j" not in args:
        return 1, "Error: here only dcgmi diag -r LEVEL -j\n", 0.0
    wanted = args[args.index("-r") + 1]
    if wanted not in ("1", "2", "3", "4"):
        return 1, f"Error: invalid run level {wanted}\n", 0.0
    gpus = machine.listed_gpus()
    categories = []
    for level in range(1, int(wanted) + 1):
        tests = [
            {"name": name, "results": [_diag_result(machine, gpu, number, name) for number, gpu in enumerate(gpus)]}
            if level > 1
            else {"name": name, "results": [{"status": "PASS"}]}
            for name in _TESTS[level]
        ]
        categories.append({"category": ("Deployment", "Integration", "Hardware", "Stress")[level - 1], "tests": tests})
    document = {
        "DCGM GPU Diagnostic": {
            "test_categories": categories,
            "version": "3.3.5",
            "Driver Version Detected": machine.plan.facts.driver_version,
        }
    }
    failed = '"FAIL"' in json.dumps(document)
    return (226 if failed else 0), json.dumps(document, indent=2) + "\n", SECONDS * int(wanted)


def _diag_result(machine: Machine, gpu: GpuPlan, number: int, name: str) -> dict[str, object]:
    if machine.fault("dcgm_fails", gpu.slot) and name == "GPU Memory":
        said = f"GPU {number} had uncorrectable memory errors and row remapping failed."
        return {"gpu_ids": str(number), "status": "FAIL", "warnings": [said]}
    return {"gpu_ids": str(number), "status": "PASS"}


def stress(machine: Machine, seconds: float) -> Answer:
    """The JSON line of gpu_stress.py."""
    gpus = machine.listed_gpus()
    if not gpus:
        return 3, json.dumps({"rackside_gpu_stress": 1, "error": "torch sees no GPU", "complete": False}) + "\n", 0.0
    rows = []
    for number, gpu in enumerate(gpus):
        sums = {kind: {value: 120 + number} for kind, value in _SUMS.items()}
        if machine.fault("gpu_wrong_math", gpu.slot):
            sums["bfloat16"] = {"0badf00d": 120 + number}
        slow = 0.6 if machine.fault("gpu_slow", gpu.slot) else 1.0
        rows.append({
            "index": number, "uuid": machine.part(gpu.slot).uuid,
            "tflops": round(_near(machine, gpu, "stress", 618.0) * slow, 2), "checksums": sums,
            "celsius": 64.0 + zlib.crc32(gpu.slot.encode()) % 6, "error": "",
        })  # fmt: skip
    told = {"rackside_gpu_stress": 1, "torch": "2.4.0", "side": 8192, "seconds": seconds, "gpus": rows}
    return 0, json.dumps(told | {"complete": True}) + "\n", SECONDS


def training(machine: Machine, steps: int, world: int) -> Answer:
    """The JSON line of train.py."""
    gpus = machine.listed_gpus()
    if len(gpus) < world:
        return 3, json.dumps({"rackside_training": 1, "error": "torch sees no GPU", "complete": False}) + "\n", 0.0
    ranks = []
    for number, gpu in enumerate(gpus[:world]):
        slow = 0.6 if machine.fault("gpu_slow", gpu.slot) else 1.0
        wrong = machine.fault("gpu_wrong_math", gpu.slot)
        ranks.append({
            "rank": number, "tflops": round(_near(machine, gpu, "training", 405.0) * slow, 2),
            "checksum": "00000bad00000bad" if wrong else "7be1f0aa93c4d215",
        })  # fmt: skip
    losses = [round(9.2 * 0.93**step + 0.4, 4) for step in range(max(2, steps))]
    told = {"rackside_training": 1, "device": "cuda", "world": world, "steps": steps, "losses": losses, "ranks": ranks}
    return 0, json.dumps(told | {"complete": True}) + "\n", SECONDS


def nvbandwidth(machine: Machine, args: list[str]) -> Answer:
    """The tables of the test cases asked for by `-t`."""
    gpus = machine.listed_gpus()
    wanted = [args[at + 1] for at, word in enumerate(args[:-1]) if word in ("-t", "--testcase")]
    head = (
        "nvbandwidth Version: v0.4\nBuilt from Git version: v0.4\n\n"
        "NOTE: This tool reports current measured bandwidth on your system.\n"
        "Additional system-specific tuning may be required to achieve maximal peak bandwidth.\n\n"
        "CUDA Runtime Version: 12020\nCUDA Driver Version: 12020\n"
        f"Driver Version: {machine.plan.facts.driver_version}\n\n"
    )
    if not gpus:
        return 1, head + _NO_GPU, 0.0
    devices = "".join(f"Device {number}: {machine.plan.facts.gpu_type}\n" for number in range(len(gpus)))
    text = head + devices + "\n"
    for name in wanted:
        text += _host_table(machine, gpus, name) if "host" in name else _gpu_table(machine, gpus, name)
    return 0, text, SECONDS


def _host_table(machine: Machine, gpus: list[GpuPlan], name: str) -> str:
    row = [_near(machine, gpu, name, 55.4) * (0.5 if machine.fault("pcie_slow", gpu.slot) else 1.0) for gpu in gpus]
    arrow = "->" if name.startswith("host") else "<-"
    return _table(name, f"memcpy CE CPU(row) {arrow} GPU(column) bandwidth (GB/s)", [[f"{value:.2f}" for value in row]])


def _gpu_table(machine: Machine, gpus: list[GpuPlan], name: str) -> str:
    slow = {gpu.slot for gpu in gpus if machine.fault("nvlink_slow", gpu.slot)}
    rows = [
        [
            "N/A" if a is b else f"{_near(machine, b, name, 394.6) * (0.5 if {a.slot, b.slot} & slow else 1.0):.2f}"
            for b in gpus
        ]
        for a in gpus
    ]
    return _table(name, "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)", rows)


def _table(name: str, title: str, rows: list[list[str]]) -> str:
    head = "  " + "".join(f"{number:10}" for number in range(len(rows[0])))
    body = "\n".join(f"{number:2}" + "".join(f"{cell:>10}" for cell in row) for number, row in enumerate(rows))
    total = sum(float(cell) for row in rows for cell in row if cell != "N/A")
    return f"Running {name}.\n{title}\n{head}\n{body}\n\nSUM {name} {total:.2f}\n\n"


def all_reduce(machine: Machine, args: list[str]) -> Answer:
    """`all_reduce_perf -g N` on this machine."""
    count = int(args[args.index("-g") + 1]) if "-g" in args[:-1] else 1
    gpus = machine.listed_gpus()
    if count > len(gpus):
        return 1, f"{machine.hostname}: Test CUDA failure common.cu:894 'invalid device ordinal'\n", 0.0
    slow = any(machine.fault(name, gpu.slot) for gpu in gpus[:count] for name in ("nvlink_slow", "gpu_slow"))
    ranks = [(machine.hostname, number) for number in range(count)]
    return 0, _reduced(machine, ranks, count, 231.0 if slow else 471.0), SECONDS


def mpirun(machine: Machine, args: list[str]) -> Answer:
    """`mpirun ... -H a:8,b:8 ... all_reduce_perf ...`: as fast as the slowest link of the ring between the machines."""
    if "-H" not in args[:-1] or "all_reduce_perf" not in args:
        return 1, "mpirun: here only -H MACHINES all_reduce_perf\n", 0.0
    names = [place.partition(":")[0] for place in args[args.index("-H") + 1].split(",")]
    per = int(args[args.index("-H") + 1].split(",")[0].partition(":")[2] or 1)
    ranks = [(name, number) for name in names for number in range(per)]
    gbytes = _ring_gbytes_s(machine, names)
    if gbytes is None:
        said = "NCCL WARN NET/IB : Got completion from peer with status=12 opcode=0 len=0 vendor err 129\n"
        return 1, f"{machine.hostname}:4711:4790 [0] {said}", SECONDS
    small = "-b" in args and args[args.index("-b") + 1] == "8"
    return 0, _reduced(machine, ranks, 1, gbytes, LATENCY_US * (1 + 0.2 * log2(len(names))) if small else 0.0), SECONDS


def _ring_gbytes_s(machine: Machine, names: list[str]) -> float | None:
    """All rails together run as fast as the slowest of them; None where two machines do not reach each other."""
    wiring = machine.wiring
    if wiring is None:
        return 388.0
    cards = {
        name: {n.device: n for n in wiring.plan.nodes if n.group == name and n.kind == "ca" and n.layer == "infiniband"}
        for name in names
    }
    slowest, rails = float("inf"), 0
    for name, following in zip(names, [*names[1:], names[0]], strict=True):
        rails = max(rails, len(cards[name]))
        for device, node in cards[name].items():
            other = cards[following].get(device)
            way = wiring.path(End(node.guid, 1), End(other.guid, 1)) if other is not None else None
            if way is None:
                return None
            slowest = min([slowest, *(wiring.rate_gbps(port) for port in way)])
    return rails * slowest / 8 * 0.97 if rails else None


def _reduced(machine: Machine, ranks: list[tuple[str, int]], per: int, bus: float, latency_us: float = 0.0) -> str:
    """With `latency_us` the small messages as well: that is how long each takes."""
    share = 2 * (len(ranks) - 1) / len(ranks)
    lines = [
        f"# nThread 1 nGpus {per} minBytes {8 if latency_us else 1 << 30} maxBytes 8589934592 step: 2(factor) "
        "warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0",
        "#",
        "# Using devices",
    ]
    for rank, (name, device) in enumerate(ranks):
        gpu = f"{machine.plan.facts.gpu_type}"
        lines.append(f"#  Rank {rank:2} Group  0 Pid {4711 + rank:6} on {name:>10} device {device:2} [0x1b] {gpu}")
    lines += [
        "#",
        "#                                                              out-of-place                       in-place",
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
        "#wrong",
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)",
    ]
    for size in (8 << number for number in range(11 if latency_us else 0)):
        rate = size / latency_us / 1000
        cells = f"{latency_us:8.2f} {rate:7.2f} {rate * share:7.2f}      0"
        lines.append(f"{size:12} {max(1, size // 4):13}     float     sum      -1 {cells} {cells}")
    for size, part in ((1 << 30, 0.93), (1 << 31, 0.96), (1 << 32, 0.98), (1 << 33, 1.0)):
        rate = bus * part
        took = size / (rate / share) / 1000
        cells = f"{took:8.0f} {rate / share:7.2f} {rate:7.2f}      0"
        lines.append(f"{size:12} {size // 4:13}     float     sum      -1 {cells} {cells}")
    return "\n".join([*lines, "# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {bus * 0.97:.3f} ", "#", ""])
