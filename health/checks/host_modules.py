"""The modules of checks of the operating system and its hardware: importing them declares their checks."""

from __future__ import annotations

from health.checks import (
    bmc_limits,
    bmc_log,
    bmc_profile,
    cluster,
    containers,
    host_reports,
    kernel_lines,
    leftovers,
    present_state,
    processor,
    slurm,
    storage,
    system,
)

MODULES = (
    containers, kernel_lines, processor, slurm, storage, system, leftovers, bmc_log, bmc_limits, present_state, cluster,
    host_reports, bmc_profile,
)  # fmt: skip
