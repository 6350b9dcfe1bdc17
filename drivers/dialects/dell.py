"""Dell: iDRAC 8 to 10."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drivers.dialects.dialect import Dialect, Write


@dataclass(frozen=True)
class DellDialect(Dialect):
    """The override `Cd` is another drive than the virtual one, which only an attribute of the iDRAC selects."""

    def attributes_at(self, manager: Mapping[str, Any]) -> str:
        return _attributes(manager)

    def boot_from_media(self, media: str, manager: Mapping[str, Any]) -> Write:
        once = {"ServerBoot.1.BootOnce": "Enabled", "ServerBoot.1.FirstBootDevice": "VCD-DVD"}
        return Write("PATCH", _attributes(manager), {"Attributes": once})


def _attributes(manager: Mapping[str, Any]) -> str:
    """Where the iDRAC's own attributes are: by the link, which firmware before 6.00 does not have."""
    links: Any = manager.get("Links")
    for name in ("Oem", "Dell", "DellAttributes"):
        links = links.get(name) if isinstance(links, Mapping) else None
    for each in links if isinstance(links, list) else []:
        path = each.get("@odata.id") if isinstance(each, Mapping) else None
        if isinstance(path, str) and path.endswith(f"/{manager.get('Id')}"):
            return path
    return f"{manager.get('@odata.id')}/Attributes"


DELL = DellDialect(
    slug="dell",
    vendor="Dell",
    bmc="iDRAC",
    source="NVIDIA/libredfish tests/mockups/dell (iDRAC 9 6.00.30: SKU is the service tag, attributes by link) and "
    "src/dell.rs (overrides are refused at Settings); boot from a virtual CD: pyghmi redfish/oem/dell/idrac.py",
    vendors=("dell", "dell inc."),
    names=((r"^1[4-6]G\b", "iDRAC 9"), (r"^17G\b", "iDRAC 10"), (r"^13G\b", "iDRAC 8")),
    serial=("SKU", "SerialNumber"),
    logs=(("manager", "Sel"), ("manager", "Lclog")),
    log_place=("Dell", "FQDD"),
    boot_settings=False,
)
