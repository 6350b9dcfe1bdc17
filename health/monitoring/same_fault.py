"""One fault that two sources tell in two places: which of the open faults of a machine are the same. Pure.

Faults of one slot are one repair already (`faults`). Here are those that a source could not put into a slot, or tells
of by what comes of them: the kernel says that memory failed and not which module, the BMC that the machine is not
well and not why, a pool that it lost a drive. Such a fault is evidence of the one that says which part. Both stay: when
the part is well and the other still is not, that one leads and is announced by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

MACHINE = "machine"

# Classes of which a source may not know the part, so that the machine's is the one in the slot. A drive's are not among
# them: every source of those names the drive, so another one is another drive.
UNPLACED = frozenset({
    "memory.uncorrectable", "memory.missing", "psu.lost", "fan.failed", "pcie.error", "pcie.narrow",
    "gpu.gone", "gpu.bus", "gpu.hung", "gpu.memory", "gpu.suspect", "gpu.topology", "nvlink.down", "nvlink.error",
    "hca.gone", "hca.link", "hca.rate", "hca.fabric", "hca.driver", "hca.failing", "hca.slow",
    "disk.readonly", "disk.error", "disk.full", "disk.mount",
})  # fmt: skip

# What tells of a part by what comes of it, and the classes that say which part it is. What comes of a fault is seen
# within WINDOW of it: later it is of something else, and has a ticket of its own.
WINDOW = timedelta(hours=1)
EXPLAINED_BY: dict[str, frozenset[str]] = {
    # the summary of a BMC, and a sensor of a part that has a check of its own
    "bmc.degraded": frozenset({
        "psu.lost", "psu.redundancy", "fan.failed", "memory.uncorrectable", "memory.missing", "nvme.failing",
        "nvme.gone", "pcie.error", "cpu.missing", "cpu.throttled", "sensor.failed", "inlet.hot", "leak.detected",
        "gpu.gone", "gpu.bus", "hca.gone",
    }),
    "psu.redundancy": frozenset({"psu.lost"}),
    "sensor.failed": frozenset({"fan.failed"}),
    # the firmware's record of an error that a driver decoded
    "hardware.error": frozenset({"memory.uncorrectable", "pcie.error"}),
    # a kernel that stopped because of memory
    "kernel.crash": frozenset({"memory.uncorrectable"}),
    # a process that waits for a GPU
    "gpu.hung": frozenset({"gpu.gone", "gpu.bus", "driver.down"}),
    # what lies on a drive
    "disk.pool": frozenset({"nvme.gone", "nvme.failing"}),
    "disk.pool_missing": frozenset({"nvme.gone"}),
    "disk.readonly": frozenset({"disk.error"}),
    "disk.mount": frozenset({"disk.pool_missing", "disk.error"}),
    # the interface of a card that is gone
    "net.down": frozenset({"hca.gone"}),
}  # fmt: skip


class Told(Protocol):
    """An open fault, as far as this module looks."""

    @property
    def slot(self) -> str: ...
    @property
    def fault_class(self) -> str: ...
    @property
    def opened_at(self) -> datetime: ...


F = TypeVar("F", bound=Told)


def same(told: Told, other: Told, slots: frozenset[str]) -> bool:
    """Whether `told` is what `other` says of a part, said without the part or by what comes of it."""
    if told.slot in slots:
        return False
    if told.fault_class == other.fault_class:
        return told.slot == MACHINE and other.slot != MACHINE and told.fault_class in UNPLACED
    near = abs(told.opened_at - other.opened_at) <= WINDOW
    return near and other.fault_class in EXPLAINED_BY.get(told.fault_class, ())


def candidates(told: F, others: Sequence[F], slots: frozenset[str]) -> list[F]:
    """Those of the others that say of a part what `told` says, a part in a slot first."""
    found = [other for other in others if other is not told and same(told, other, slots)]
    return sorted(found, key=lambda other: other.slot not in slots)
