"""What MAAS read of a machine while it commissioned it. Pure."""

from __future__ import annotations

from drivers.maas.shapes import Machine
from provisioning.deployers.hardware import Seen


def seen(machine: Machine) -> Seen:
    return Seen(
        cpus=machine.cpus,
        memory_mib=machine.memory_mib,
        nvme=len([disk for disk in machine.disks if disk.name.startswith("nvme")]),
        serials=frozenset(disk.serial for disk in machine.disks),
        macs=machine.macs,
    )
