"""Supermicro: the BMC of X11 to X14 and H12 to H14 boards."""

from __future__ import annotations

from drivers.dialects.dialect import Dialect

SUPERMICRO = Dialect(
    slug="supermicro",
    vendor="Supermicro",
    bmc="Supermicro BMC",
    source="NVIDIA/libredfish tests/mockups/supermicro (SYS-821GE-TNHR 01.00.15: Log1 of the system is the health log, "
    "of the manager its logins; mode is Legacy) and src/supermicro.rs (UEFI with every override); openstack/sushy "
    "system.py: a virtual CD boots as UsbCd only",
    vendors=("supermicro", "super micro computer", "super micro computer, inc."),
    logs=(("system", "Log1"),),
    boot_mode="UEFI",
    cd_target="UsbCd",
)
