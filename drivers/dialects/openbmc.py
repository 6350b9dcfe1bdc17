"""OpenBMC (bmcweb), where no vendor gave it a name of his own."""

from __future__ import annotations

from drivers.dialects.dialect import Dialect

OPENBMC = Dialect(
    slug="openbmc",
    vendor="OpenBMC",
    bmc="OpenBMC",
    source="openbmc/bmcweb Redfish.md: Systems/system, Managers/bmc, LogServices/EventLog; Manager.Model is OpenBmc",
    vendors=("openbmc",),
    logs=(("system", "EventLog"),),
    light_on="Lit",
)
