"""Which dialect of Redfish a BMC speaks: a vendor is a module here and a line in `DIALECTS`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from drivers.dialects.dell import DELL
from drivers.dialects.dialect import STANDARD, Dialect, Write
from drivers.dialects.hpe import HPE
from drivers.dialects.lenovo import LENOVO
from drivers.dialects.nvidia import BOARD, NVIDIA
from drivers.dialects.openbmc import OPENBMC
from drivers.dialects.supermicro import SUPERMICRO

__all__ = ["BOARD", "DIALECTS", "STANDARD", "Dialect", "Write", "dialect_of", "vendor_of"]

DIALECTS: tuple[Dialect, ...] = (DELL, HPE, LENOVO, SUPERMICRO, NVIDIA, OPENBMC)


def dialect_of(
    root: Mapping[str, Any], system: Mapping[str, Any] | None = None, manager: Mapping[str, Any] | None = None
) -> Dialect:
    """By what the service root says, else system and manager; a vendor nobody described speaks `STANDARD`.

    The root goes first: a host BMC of one vendor may carry a system or a board of another.
    """
    for word in _words(root, system or {}, manager or {}):
        for dialect in DIALECTS:
            if word.lower() in dialect.vendors:
                return dialect
    return STANDARD


def vendor_of(
    root: Mapping[str, Any], system: Mapping[str, Any] | None = None, manager: Mapping[str, Any] | None = None
) -> str:
    """The first name a BMC gives for its vendor, for a person to read; empty where it gives none."""
    return next(_words(root, system or {}, manager or {}), "")


def _words(root: Mapping[str, Any], system: Mapping[str, Any], manager: Mapping[str, Any]) -> Iterator[str]:
    oem = root.get("Oem")
    keys = [key for key in oem if not key.startswith("@")] if isinstance(oem, Mapping) else []
    told = [root.get("Vendor"), *keys, system.get("Manufacturer"), manager.get("Manufacturer"), manager.get("Model")]
    yield from (word.strip() for word in told if isinstance(word, str) and word.strip())
