"""PCIe links as the kernel shows them: files of /sys/bus/pci/devices, one value a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from health.checks.parsers import ParseError

WHERE = "/sys/bus/pci/devices"
_LINE = re.compile(
    r"/([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.\d|nvme\d+(?=/device/))(?:/device)?/(current|max)_link_(speed|width)"
    r"[:=]\s*(\d+(?:\.\d+)?)"
)
# GT/s of a lane by generation of PCIe.
_GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}


@dataclass(frozen=True)
class PciLink:
    """Lanes and generation now and at most; None where the kernel does not tell."""

    width: int | None = None
    generation: int | None = None
    width_max: int | None = None
    generation_max: int | None = None


def parse_pci_links(text: str) -> Mapping[str, PciLink]:
    """By PCI address, in lower case; that of a drive under /sys/class/nvme by its name."""
    found: dict[str, dict[str, int | None]] = {}
    for address, when, what, value in _LINE.findall(text):
        name = ("width" if what == "width" else "generation") + ("_max" if when == "max" else "")
        told = int(float(value)) if what == "width" else _GENERATIONS.get(float(value))
        # An absent device reads as 255 lanes or as 0.
        found.setdefault(address.lower(), {})[name] = told if told and told <= 32 else None
    if not found:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(WHERE, f"no PCIe link in the output: {first[:200]}")
    return {address: PciLink(**values) for address, values in found.items()}
