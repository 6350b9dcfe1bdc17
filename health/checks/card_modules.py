"""The modules of checks of GPUs and network cards, in the order their checks are shown. Importing declares them."""

from __future__ import annotations

from health.checks import (
    amd,
    card_files,
    device_links,
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
    link_tools,
    load_tests,
    pcie,
    validation,
    ways,
)

MODULES = (
    gpu_state, gpu_recovery, gpu_versions, gpu_counters, gpu_links, kernel_events, hca, hca_tools, ib_counters,
    card_files, pcie, ways, validation, load_tests, device_links, interfaces, link_tools, amd,
)  # fmt: skip
