"""Versions and settings of a machine, as the outputs of a look tell them. Pure.

A fact is a name with a value in words. Parts of a machine that differ from each other give one value that names each
once, so that such a machine stands out beside those of one piece.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
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
    found: dict[str, str | None] = {}
    for name, tells in _TOLD_BY.items():
        reading = readings.get(name)
        if reading is not None:
            found |= reading.told(tells)
    if bmc is not None:
        found |= {"bmc": bmc.bmc, "bmc_firmware": bmc.firmware, "bmc_board_firmware": bmc.board_firmware}
    return {name: value[:VALUE_CHARS] for name, value in found.items() if value}


def _of_gpus(gpus: Any) -> dict[str, str | None]:
    if not isinstance(gpus, GpuReport):
        return {}
    return {
        "driver": gpus.driver_version,
        "cuda": gpus.cuda_version,
        "vbios": _each(gpu.vbios_version for gpu in gpus.gpus),
        "gsp": _each(gpu.gsp_firmware for gpu in gpus.gpus),
        "inforom": _each(gpu.inforom_image for gpu in gpus.gpus),
    }


def _of_cards(ports: Any) -> dict[str, str | None]:
    if not isinstance(ports, IbReport):
        return {}
    found = {}
    for layer in ("InfiniBand", "Ethernet"):
        cards = [each for each in ports.devices if any(port.link_layer == layer for port in each.ports)]
        found[f"hca_firmware_{layer.lower()}"] = _each(card.firmware for card in cards)
    return found


def _of_dmi(dmi: Any) -> dict[str, str | None]:
    if not isinstance(dmi, Dmi):
        return {}
    modules = _number(sum(1 for dimm in dmi.dimms or () if dimm.size_mib))
    return {"bios": dmi.bios_version, "memory_modules": modules}


def _of_release(release: Any) -> dict[str, str | None]:
    return {"kernel": release.kernel, "os": release.system} if isinstance(release, Release) else {}


def _of_kernel_files(files: Any) -> dict[str, str | None]:
    if not isinstance(files, KernelFiles):
        return {}
    digest = command_line_digest(files.command_line) if files.command_line else None
    return {"cpus": _number(files.online), "kernel_command_line": digest}


def _of_docker(docker: Any) -> dict[str, str | None]:
    if not isinstance(docker, DockerInfo):
        return {}
    return {"container_runtime": docker.server_version, "docker_storage": docker.storage_driver}


def _of_memory(memory: Any) -> dict[str, str | None]:
    if not isinstance(memory, MemoryUse) or not memory.total_kib:
        return {}
    return {"memory_gib": _number(round(memory.total_kib / 1024**2))}


def _of_drives(drives: Any) -> dict[str, str | None]:
    return {"nvme_firmware": _each(drive.firmware for drive in drives or ())}


_TOLD_BY: dict[str, Callable[[Any], dict[str, str | None]]] = {
    "gpus": _of_gpus,
    "infiniband": _of_cards,
    "dmi": _of_dmi,
    "release": _of_release,
    "kernel_files": _of_kernel_files,
    "docker": _of_docker,
    "memory": _of_memory,
    "drives": _of_drives,
}


def _each(values: Iterable[str | None]) -> str | None:
    return ", ".join(sorted({value for value in values if value})) or None


def _number(value: int | None) -> str | None:
    return str(value) if value else None


def merged(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """The facts after a look, and what became another as (fact, before, after); what is told first is no change."""
    changes = [(name, before[name], value) for name, value in sorted(now.items()) if before.get(name, value) != value]
    return {**before, **now}, changes
