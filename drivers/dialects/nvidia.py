"""NVIDIA: DGX and GB200, whose host BMC shows the BMC of the GPU board beside itself."""

from __future__ import annotations

from drivers.dialects.dialect import Dialect

BOARD = "HGX_"
"""How the ids of the GPU board's system, manager and chassis begin, in the BMC of whichever vendor has such a board."""

NVIDIA = Dialect(
    slug="nvidia",
    vendor="NVIDIA",
    bmc="NVIDIA BMC",
    source="NVIDIA/libredfish tests/mockups/nvidia_viking (DGX H100: root says AMI, overrides stand in Systems/DGX/SD, "
    "no PowerCycle, SEL and EventLog) and src/nvidia_viking.rs (UEFI with every override); NVIDIA/"
    "bare-metal-manager-core crates/bmc-mock/src/hw (HGX_Baseboard_0, HGX_BMC_0); the transfer: openstack/sushy",
    vendors=("nvidia",),
    logs=(("manager", "SEL"), ("manager", "EventLog"), ("board", "EventLog")),
    boot_mode="UEFI",
    media_protocol=True,
)
