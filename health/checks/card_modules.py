"""The modules of checks of GPUs and network cards, in the order their checks are shown. Importing declares them."""

from __future__ import annotations

from health.checks import (
    card_files,
    gpu_counters,
    gpu_links,
    gpu_recovery,
    gpu_state,
    gpu_versions,
    hca,
    hca_tools,
    ib_counters,
    interfaces,
    kernel_events,
    load_tests,
    pcie,
    validation,
    ways,
)

MODULES = (
    gpu_state, gpu_recovery, gpu_versions, gpu_counters, gpu_links, kernel_events, hca, hca_tools, ib_counters,
    card_files, interfaces, pcie, ways, validation, load_tests,
)  # fmt: skip
