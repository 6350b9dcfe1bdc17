"""What an inspection by Ironic read of a machine. Pure."""

from __future__ import annotations

from drivers.ironic.shapes import Hardware
from provisioning.deployers.hardware import Seen


def seen(hardware: Hardware) -> Seen:
    """The agent names drives by their device (/dev/nvme0n1); a BMC in its own words, which do not say what is NVMe."""
    by_device = any(disk.name.startswith("/dev/") for disk in hardware.disks)
    return Seen(
        cpus=hardware.cpus,
        memory_mib=hardware.memory_mib,
        nvme=len([disk for disk in hardware.disks if disk.name.startswith("/dev/nvme")]) if by_device else None,
        serials=frozenset(disk.serial for disk in hardware.disks),
        macs=hardware.macs,
    )
