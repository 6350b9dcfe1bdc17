"""What MAAS or Ironic read of a machine, beside what the inventory says. Pure."""

from __future__ import annotations

from dataclasses import dataclass

MEMORY_SHARE = 0.97
"""What is plugged in is counted; firmware keeps a little of it."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the inventory says. None or empty: nothing. `cpus` are threads; `nvme` is how many drives the model has;
    `nvme_serials` are those that are known to sit in it, in capitals."""

    cpus: int | None = None
    memory_gib: float | None = None
    nvme: int = 0
    nvme_serials: frozenset[str] = frozenset()
    boot_mac: str = ""
    unread: str = ""
    """Why the device model says nothing."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was read. `nvme` None: whoever read it does not say which drives are NVMe."""

    cpus: int
    memory_mib: int
    nvme: int | None
    serials: frozenset[str]
    macs: frozenset[str]


def compared(expected: Expected, *, drives: bool = True) -> str:
    """What was compared, and what could not be, in words."""
    parts = {
        "CPUs": expected.cpus,
        "memory": expected.memory_gib,
        "NVMe drives": (drives and expected.nvme) or expected.nvme_serials,
        "boot MAC": expected.boot_mac,
    }
    same = ", ".join(word for word, told in parts.items() if told)
    said = f"{same} as the inventory says" if same else "the inventory says nothing to compare it with"
    return f"{said}; its device model cannot be read: {expected.unread}" if expected.unread else said


def mismatches(expected: Expected, seen: Seen) -> list[str]:
    """Every difference, in words; what was not read (0, no drive) is one too."""
    found = []
    if expected.cpus and seen.cpus != expected.cpus:
        found.append(f"{seen.cpus} CPU threads instead of {expected.cpus}")
    gib = seen.memory_mib / 1024
    if expected.memory_gib and gib < expected.memory_gib * MEMORY_SHARE:
        found.append(f"{gib:.0f} GiB of memory instead of {expected.memory_gib:g}")
    if seen.nvme is not None and seen.nvme < expected.nvme:
        found.append(f"{seen.nvme} NVMe drives instead of {expected.nvme}")
    missing = sorted(expected.nvme_serials - {serial.strip().upper() for serial in seen.serials})
    if missing:
        found.append(f"NVMe {', '.join(missing)} missing")
    if expected.boot_mac and expected.boot_mac.lower() not in seen.macs:
        found.append(f"no network card has the boot MAC {expected.boot_mac}")
    return found
