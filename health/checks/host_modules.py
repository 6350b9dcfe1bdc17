"""The modules of checks of the operating system and its hardware: importing them declares their checks."""

from __future__ import annotations

from health.checks import bmc_limits, bmc_log, containers, kernel_lines, leftovers, processor, slurm, storage, system

MODULES = (containers, kernel_lines, processor, slurm, storage, system, leftovers, bmc_log, bmc_limits)
