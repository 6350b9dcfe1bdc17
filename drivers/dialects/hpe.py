"""HPE: iLO 5 to 7."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drivers.dialects.dialect import Dialect, Write


@dataclass(frozen=True)
class HpeDialect(Dialect):
    """A virtual CD says by itself that the next start comes from it."""

    def boot_from_media(self, media: str, manager: Mapping[str, Any]) -> Write:
        return Write("PATCH", media, {"Oem": {"Hpe": {"BootOnNextServerReset": True}}})


HPE = HpeDialect(
    slug="hpe",
    vendor="HPE",
    bmc="iLO",
    source="NVIDIA/libredfish tests/mockups/hpe (iLO 5 2.72: no PowerCycle, SKU is the product number); HPE "
    "iLO Redfish reference; BootOnNextServerReset: HewlettPackard/python-redfish-utility, virtual media",
    vendors=("hpe",),
    names=((r"\b(iLO \d+)", r"\1"),),
    logs=(("system", "IML"),),
    log_mended=("Hpe", "Repaired"),
    light_on="Lit",
)
