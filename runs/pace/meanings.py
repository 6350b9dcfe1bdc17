"""What the shapes of a curve mean and what to check first: one row a shape. Pure data.

Sources: Imbue, "From bare metal to a 70B model" (2024), section on low and uneven MFU; the team's notes on recorded
runs; the PyTorch, NCCL and NVIDIA manuals for the tools named. A site adds to a row by editing it here.
"""

from __future__ import annotations

from typing import NamedTuple


class Meaning(NamedTuple):
    title: str
    says: str
    checks: tuple[str, ...]
    """What to check first, in this order."""
    alarm: bool = True
    """False: normal, nobody is told."""


LOW_BANDS = ((0.8, "low-tenth"), (0.5, "low-third"), (0.0, "low-most"))
"""Least share of the expected speed, and the shape that a steady level there has."""

MEANINGS: dict[str, Meaning] = {
    "none": Meaning("Ordinary", "Nothing but the noise of ordinary runs.", (), alarm=False),
    "low-tenth": Meaning(
        "About a tenth slower from the start",
        "A link of the fabric is dead and its load goes over the others, or a PCIe link is narrower than it should be.",
        (
            "Links of the run's machines that are down or slower than planned",
            "PCIe width and speed of GPUs and HCAs",
            "Bandwidth of each rail with a launch check",
        ),
    ),
    "low-third": Meaning(
        "About a third slower from the start",
        "GPU-direct is off on one machine: all traffic of its ranks goes through host memory.",
        (
            "nvidia-peermem or DMA-BUF loaded on every machine",
            "ACS off on the PCIe switches",
            '"via NET/IB/../GDRDMA" in the NCCL log of every rank',
        ),
    ),
    "low-most": Meaning(
        "Most of the speed is missing from the start",
        "One bad link or one throttled processor holds all ranks up, or NCCL fell back to TCP.",
        (
            "GPU and processor clocks against the run's median",
            "Symbol errors and link rate of each HCA",
            'NCCL_NET, NCCL_IB_HCA and "NET/Socket" in the NCCL log',
        ),
    ),
    "regular-dips": Meaning(
        "Dips at equal distances",
        "Checkpoints or evaluations: normal.",
        ("Compare the period with the run's checkpoint interval",),
        alarm=False,
    ),
    "random-dips": Meaning(
        "Dips at no regular distance",
        "Something else uses the same machines, file system or links now and then.",
        (
            "Other jobs on the same leaves and file system at those minutes",
            "Cron jobs, backups and health checks on the machines",
            "Waiting time of the data loader",
        ),
    ),
    "saw-tooth": Meaning(
        "Saw teeth",
        "Python's garbage collection runs on each rank at another time, and the ranks drift apart.",
        (
            "Call gc.disable() and collect on all ranks at the same step",
            "Period against the number of data-loader workers",
        ),
    ),
    "oscillation": Meaning(
        "A drop, then fast changes between fast and slow",
        "A GPU's power brake comes and goes: a power supply or feed cannot deliver.",
        (
            "Power supplies of the run's machines: one lost, redundancy gone",
            "Throttle reasons: HW power brake, HW slowdown",
            "Load of the rack's feeds and PDUs",
        ),
    ),
    "noise": Meaning(
        "Noise between 90 and 100 %",
        "Links between leaves and spines go down and up: traffic moves to other paths each time.",
        (
            "Link-down counters of leaf-spine and spine-core links",
            "Events of the fabric manager in this span",
            "Congestion: other large runs on the same spines",
        ),
    ),
    "decline": Meaning(
        "A slow decline",
        "Heat builds up and clocks go down, or memory leaks or fragments.",
        (
            "GPU and inlet temperatures over the run, fans and filters",
            "GPU clocks against the run's median",
            "Memory of the processes and of the GPU allocator over the run",
        ),
    ),
    "step": Meaning(
        "A step down that stays",
        "Something changed at that step: a GPU, a link or a clock.",
        (
            "What changed on the run's machines and links at that minute",
            "The rank that computes longest and waits least",
            "GPU clocks, power and temperature against the run's median",
        ),
    ),
}
