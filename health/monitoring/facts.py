"""Versions and settings of a machine, as the outputs of a look tell them. Pure.

A fact is a name with a value in words. Parts of a machine that differ from each other give one value that names each
once, so that such a machine stands out beside those of one piece.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from health.checks.parsers.bmc import BmcReport
from health.checks.parsers.gpus import GpuReport
from health.checks.parsers.hardware import Dmi
from health.checks.parsers.infiniband import IbReport
from health.checks.parsers.kernel_files import KernelFiles
from health.checks.parsers.services import DockerInfo
from health.checks.parsers.system import MemoryUse, Release

# What each fact is called on a screen, in the order it is shown there.
FACTS: dict[str, str] = {
    "driver": "GPU driver",
    "cuda": "CUDA of the driver",
    "vbios": "VBIOS",
    "gsp": "GSP firmware",
    "inforom": "InfoROM",
    "hca_firmware_infiniband": "Firmware of InfiniBand cards",
    "hca_firmware_ethernet": "Firmware of Ethernet cards",
    "nvme_firmware": "Firmware of NVMe drives",
    "bios": "BIOS",
    "bmc": "BMC",
    "bmc_firmware": "BMC firmware",
    "bmc_board_firmware": "Firmware of the GPU board's BMC",
    "kernel": "Kernel",
    "os": "Operating system",
    "kernel_command_line": "Kernel command line (digest)",
    "container_runtime": "Docker",
    "docker_storage": "Docker's storage driver",
    "cpus": "Processors online",
    "memory_gib": "Memory in GiB",
    "memory_modules": "Memory modules",
}
VALUE_CHARS = 200
# What differs from machine to machine by nature: its disk, its address, where it was booted from.
_OWN_WORD = re.compile(
    r"^(?:BOOT_IMAGE|root|initrd|resume|BOOTIF|ip|hostname|rd\.luks\.uuid|netcfg/\S+)=", re.IGNORECASE
)


def command_line_digest(line: str) -> str:
    """The same for machines that were started the same way; order counts, as the kernel lets the last word win."""
    words = [word for word in line.split() if not _OWN_WORD.match(word)]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]


def facts_of(readings: Mapping[str, Any], bmc: BmcReport | None) -> dict[str, str]:
    """The facts that these readings (`health.checks.readings_of`) tell; a fact that is not told is left out."""
    told = {name: reading.data for name, reading in readings.items()}
    found: dict[str, str | None] = {}
    gpus = told.get("gpus")
    if isinstance(gpus, GpuReport):
        found |= {
            "driver": gpus.driver_version,
            "cuda": gpus.cuda_version,
            "vbios": _each(gpu.vbios_version for gpu in gpus.gpus),
            "gsp": _each(gpu.gsp_firmware for gpu in gpus.gpus),
            "inforom": _each(gpu.inforom_image for gpu in gpus.gpus),
        }
    ports = told.get("infiniband")
    if isinstance(ports, IbReport):
        for layer in ("InfiniBand", "Ethernet"):
            cards = [each for each in ports.devices if any(port.link_layer == layer for port in each.ports)]
            found[f"hca_firmware_{layer.lower()}"] = _each(card.firmware for card in cards)
    found |= _of_the_system(told)
    if bmc is not None:
        found |= {"bmc": bmc.bmc, "bmc_firmware": bmc.firmware, "bmc_board_firmware": bmc.board_firmware}
    return {name: value[:VALUE_CHARS] for name, value in found.items() if value}


def _of_the_system(told: Mapping[str, Any]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    if isinstance(dmi := told.get("dmi"), Dmi):
        found["bios"] = dmi.bios_version
        found["memory_modules"] = _number(sum(1 for dimm in dmi.dimms or () if dimm.size_mib))
    if isinstance(release := told.get("release"), Release):
        found |= {"kernel": release.kernel, "os": release.system}
    if isinstance(files := told.get("kernel_files"), KernelFiles):
        found["cpus"] = _number(files.online)
        found["kernel_command_line"] = command_line_digest(files.command_line) if files.command_line else None
    if isinstance(docker := told.get("docker"), DockerInfo):
        found |= {"container_runtime": docker.server_version, "docker_storage": docker.storage_driver}
    if isinstance(memory := told.get("memory"), MemoryUse) and memory.total_kib:
        found["memory_gib"] = _number(round(memory.total_kib / 1024**2))
    found["nvme_firmware"] = _each(drive.firmware for drive in told.get("drives") or ())
    return found


def _each(values: Iterable[str | None]) -> str | None:
    return ", ".join(sorted({value for value in values if value})) or None


def _number(value: int | None) -> str | None:
    return str(value) if value else None


def merged(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """The facts after a look, and what became another as (fact, before, after); what is told first is no change."""
    changes = [(name, before[name], value) for name, value in sorted(now.items()) if before.get(name, value) != value]
    return {**before, **now}, changes
