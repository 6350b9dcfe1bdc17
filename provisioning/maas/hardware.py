"""What MAAS read of a machine while it commissioned it, beside what the inventory says. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.maas.shapes import Machine

MEMORY_SHARE = 0.97
"""MAAS counts what is plugged in; firmware keeps a little of it."""


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


def compared(expected: Expected) -> str:
    """What was compared, and what could not be, in words."""
    parts = {
        "CPUs": expected.cpus,
        "memory": expected.memory_gib,
        "NVMe drives": expected.nvme or expected.nvme_serials,
        "boot MAC": expected.boot_mac,
    }
    same = ", ".join(word for word, told in parts.items() if told)
    said = f"{same} as the inventory says" if same else "the inventory says nothing to compare it with"
    return f"{said}; its device model cannot be read: {expected.unread}" if expected.unread else said


def mismatches(expected: Expected, machine: Machine) -> list[str]:
    """Every difference, in words; what MAAS did not read (0, no drive) is one too."""
    found = []
    if expected.cpus and machine.cpus != expected.cpus:
        found.append(f"{machine.cpus} CPU threads instead of {expected.cpus}")
    gib = machine.memory_mib / 1024
    if expected.memory_gib and gib < expected.memory_gib * MEMORY_SHARE:
        found.append(f"{gib:.0f} GiB of memory instead of {expected.memory_gib:g}")
    drives = [disk for disk in machine.disks if disk.name.startswith("nvme")]
    if len(drives) < expected.nvme:
        found.append(f"{len(drives)} NVMe drives instead of {expected.nvme}")
    missing = sorted(expected.nvme_serials - {disk.serial.strip().upper() for disk in machine.disks})
    if missing:
        found.append(f"NVMe {', '.join(missing)} missing")
    if expected.boot_mac and expected.boot_mac.lower() not in machine.macs:
        found.append(f"no network card has the boot MAC {expected.boot_mac}")
    return found
