"""The commands that tell of the operating system, its hardware, its services and its BMC's log."""

from __future__ import annotations

from health.checks.tool import of_text, tool
from health.parsers import hardware

HOST_TOOLS = (
    tool("dmidecode", "dmi", r"^dmidecode\b", of_text(hardware.parse_dmidecode)),
    tool("lspci -nn", "pci", r"^lspci(?!.*-[a-uw-z]*v)\b", of_text(hardware.parse_lspci)),
    tool("lsmod", "modules", r"^lsmod\b", of_text(hardware.parse_lsmod)),
)  # fmt: skip
