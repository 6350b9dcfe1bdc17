"""What breaks in a machine, how often, and what helps: one line a kind. Pure.

Shares follow what large training runs told of their interruptions (Llama 3, table 5: GPUs 30 %, GPU memory 17 %,
network 8 %, the rest spread over hosts); classes are those of the checks.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """`slots` is the kind of slot it shows on, `swapped` how often another part goes in, `hours` the work in hours,
    `fails` how often the first verification fails."""

    fault_class: str
    check: str
    slots: str
    weight: float
    swapped: float
    hours: float
    fails: float
    message: str
    command: str


KINDS: tuple[Kind, ...] = (
    Kind("gpu.bus", "gpu.xid", "gpu", 22, 0.4, 1.6, 0.2, "Xid 79: {part} has fallen off the bus", "dmesg"),
    Kind("gpu.memory", "gpu.row_remap", "gpu", 17, 0.8, 1.8, 0.1, "row remap failed on {part}: replace the module",
         "nvidia-smi -q -x"),
    Kind("gpu.gone", "gpu.count", "gpu", 8, 0.6, 2.0, 0.2, "{part} is missing", "nvidia-smi -L"),
    Kind("gpu.thermal", "gpu.temperature", "gpu", 7, 0.1, 1.2, 0.2, "{part} is at 91 °C", "nvidia-smi -q -x"),
    Kind("nvlink.down", "nvlink.links", "gpu", 5, 0.5, 2.2, 0.25, "2 of 18 links of {part} are down",
         "nvidia-smi nvlink -s"),
    Kind("hca.link", "ib.port", "hca", 15, 0.15, 0.7, 0.15, "port of {part} is down", "ibstat"),
    Kind("hca.gone", "ib.port", "hca", 5, 0.6, 1.4, 0.2, "{part} is missing", "ibstat"),
    Kind("nvme.failing", "disk.nvme", "nvme", 7, 1.0, 0.5, 0.05, "{part} has 4 % of its spare blocks left",
         "nvme smart-log"),
    Kind("psu.lost", "bmc.psu", "psu", 8, 0.8, 0.4, 0.05, "{part} gives no power", "Redfish PowerSubsystem"),
    Kind("memory.uncorrectable", "memory.errors", "dimm", 6, 1.0, 1.0, 0.1, "uncorrectable error in {part}", "dmesg"),
)  # fmt: skip

FIRST_BOOT: tuple[tuple[str, str, float], ...] = (
    ("no_link", "The boot network port has no link", 3),
    ("part_missing", "A part that the model has is missing", 3),
    ("drive_failed", "A drive fails its self-test", 2),
    ("pcie_narrow", "A GPU or network card has a narrow PCIe link", 2),
    ("no_power", "It does not switch on", 1),
    ("clock_wrong", "The clock is off by more than a day", 1),
)
"""(class of failure, what it showed, weight): what failed at the first boot."""

REPORTED: tuple[tuple[str, str, str], ...] = (
    ("Front bezel hangs by one clip", "P3", "machine"),
    ("A fan of the rear wall is louder than its neighbours", "P2", "machine"),
    ("The label at the rear is not readable any more", "P3", "machine"),
    ("A blanking panel above it is missing", "P3", "machine"),
    ("The cable arm catches when the machine is pulled out", "P2", "machine"),
    ("Dust filter is due", "P3", "machine"),
)
"""(what a person saw, priority, part): such tickets stay open for days, since nothing fails meanwhile."""
