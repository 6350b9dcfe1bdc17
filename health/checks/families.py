"""The families of checks, in the order they are shown: what an operator asks for by name."""

from __future__ import annotations

# The twelve that the field calls by name come with what else a machine is judged by.
FAMILIES = (
    "machine",
    "GPU",
    "VBIOS",
    "NVLink",
    "topology",
    "PCIe",
    "PSB",
    "InfiniBand",
    "Flint",
    "network",
    "GDR",
    "dmesg",
    "memory",
    "CPU",
    "disk",
    "disk space",
    "Docker",
    "Kubernetes",
    "system",
    "clock",
    "Slurm",
    "BMC",
)
