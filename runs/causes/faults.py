"""What a fault of a machine means for the run on it: class of fault to class of ending. Pure.

The classes of fault are those of `health/checks/data/fault_classes.csv`. What is left out ends no run by itself.
"""

from __future__ import annotations

from runs.causes.pattern import Strength

ENDS: dict[str, str] = {
    "gpu.gone": "gpu-lost",
    "gpu.bus": "gpu-lost",
    "gpu.hung": "gpu-lost",
    "pcie.switch": "gpu-lost",
    "gpu.memory": "cuda-ecc",
    "gpu.fabric": "nvls-fabric",
    "nvlink.down": "nvls-fabric",
    "nvlink.error": "nvls-fabric",
    "nvswitch.fatal": "nvls-fabric",
    "fabricmanager.down": "nvls-fabric",
    "driver.down": "cuda-init",
    "hca.gone": "nccl-net-ib",
    "hca.link": "nccl-net-ib",
    "hca.failing": "nccl-net-ib",
    "hca.fabric": "nccl-net-ib",
    "memory.uncorrectable": "slurm-nodefail",
    "machine.unreachable": "slurm-nodefail",
    "kernel.crash": "slurm-nodefail",
    "disk.full": "ckpt-enospc",
    "disk.readonly": "ckpt-lustre",
    "disk.hang": "ckpt-lustre",
    "disk.mount": "dataset-missing",
}
"""Faults that end a run, or keep it from going on."""

SLOWS: dict[str, str] = {
    "gpu.thermal": "slow-throttle",
    "gpu.throttled": "slow-throttle",
    "gpu.power": "slow-throttle",
    "inlet.hot": "slow-throttle",
    "psu.lost": "slow-throttle",
    "psu.redundancy": "slow-throttle",
    "cpu.throttled": "slow-straggler",
    "gpu.pcie": "slow-straggler",
    "pcie.narrow": "slow-straggler",
    "hca.pcie": "slow-straggler",
    "hca.rate": "slow-straggler",
    "hca.slow": "slow-straggler",
    "gdr.off": "slow-straggler",
    "gpu.suspect": "slow-straggler",
}
"""Faults that make a run slow."""

ASKED = ("machine.unreachable",)
"""No machine reports these of itself: they come of asking it."""


def strength_of(fault_class: str, *, confirmed: bool) -> Strength:
    """What a machine itself showed lies beneath an error. That it did not answer once may be the asker's doing as well:
    until a second look confirms it, it says that a peer may be gone, and no more."""
    return Strength.PEER if fault_class in ASKED and not confirmed else Strength.ROOT
