"""Lists of what is built in and loaded: `dmidecode`, `lspci -nn`, `lsmod`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from health.checks.parsers import LONGEST_LINE, ParseError
from inventory.specs.device_model import normalise_pci

DMIDECODE = "dmidecode"
LSPCI = "lspci -nn"
LSMOD = "lsmod"

_BIOS, _SYSTEM, _MEMORY_DEVICE = 0, 1, 17
_HANDLE = re.compile(r"^Handle 0x[0-9A-Fa-f]+, DMI type (\d+), \d+ bytes\s*$")
_SIZE = re.compile(r"^(\d+) (kB|MB|GB|TB)$")
_MIB = {"kB": 1 / 1024, "MB": 1, "GB": 1024, "TB": 1024 * 1024}
_MODULE = re.compile(r"^(\w+)\s+(\d+)\s+(-?\d+)(?:\s+(\S+))?\s*$")
_PCI_LINE = re.compile(
    r"^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (.+?)(?: \[([0-9a-f]{4})\])?: (.*)$", re.IGNORECASE
)
_PCI_IDS = re.compile(r"\[([0-9a-f]{4}):([0-9a-f]{4})\]")
_PCI_REVISION = re.compile(r"\(rev ([0-9a-f]{2})\)")


@dataclass(frozen=True)
class Dimm:
    """A place for a memory module. `size_mib` 0 is an empty place, None is a size the firmware does not know."""

    locator: str
    size_mib: int | None
    speed: str = ""
    part_number: str = ""
    serial: str = ""


@dataclass(frozen=True)
class Dmi:
    """What the firmware says of the machine. A None is what this output does not tell (`dmidecode -t memory`)."""

    dimms: tuple[Dimm, ...] | None = None
    bios_version: str | None = None
    serial: str | None = None
    product: str | None = None


def parse_dmidecode(text: str) -> Dmi:
    """Any set of types. Raises ParseError where there is no structure at all (no right to read, no firmware table)."""
    structures = _structures(text)
    if not structures:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(DMIDECODE, f"no structure in the answer: {first[:200]}")
    bios = next((fields for kind, fields in structures if kind == _BIOS), {})
    system = next((fields for kind, fields in structures if kind == _SYSTEM), {})
    dimms = tuple(_dimm(fields) for kind, fields in structures if kind == _MEMORY_DEVICE)
    return Dmi(
        dimms=dimms or None,
        bios_version=bios.get("Version") or None,
        serial=system.get("Serial Number") or None,
        product=system.get("Product Name") or None,
    )


_FIELDS = frozenset(
    {
        "Version", "Serial Number", "Product Name", "Size", "Locator", "Configured Memory Speed",
        "Configured Clock Speed", "Part Number",
    }
)  # fmt: skip


def _structures(text: str) -> list[tuple[int, dict[str, str]]]:
    """(type, the fields that are read) of every structure."""
    found: list[tuple[int, dict[str, str]]] = []
    for line in text.splitlines():
        if line[:1] == "\t" and found:
            name, _, value = line[1:].partition(":")
            if name in _FIELDS:  # those of several lines, as of slots, are none of them
                found[-1][1].setdefault(name, value.strip())
        elif head := _HANDLE.match(line):
            found.append((int(head.group(1)), {}))
    return found


def _dimm(fields: Mapping[str, str]) -> Dimm:
    size = _SIZE.match(fields.get("Size", ""))
    empty = fields.get("Size") == "No Module Installed"
    return Dimm(
        locator=fields.get("Locator", ""),
        size_mib=int(int(size.group(1)) * _MIB[size.group(2)]) if size else 0 if empty else None,
        speed=fields.get("Configured Memory Speed", fields.get("Configured Clock Speed", "")),
        part_number=fields.get("Part Number", ""),
        serial=fields.get("Serial Number", ""),
    )


@dataclass(frozen=True)
class PciDevice:
    """A line of lspci. `address` is 0000:19:00.0; codes are None without -nn; a `revision` of ff is a device that
    does not answer any more."""

    address: str
    kind: str
    text: str
    class_code: str | None = None
    vendor_id: str | None = None
    device_id: str | None = None
    revision: str | None = None


def parse_lspci(text: str) -> tuple[PciDevice, ...]:
    """`lspci`, `lspci -nn`, `lspci -D`; the lines beneath a device of -v are passed over."""
    devices = tuple(device for line in text.splitlines() if (device := _pci_device(line[:LONGEST_LINE])))
    if not devices:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(LSPCI, f"no device in the answer: {first[:200]}")
    return devices


@lru_cache(maxsize=4096)
def _pci_device(line: str) -> PciDevice | None:
    """The device of a line."""
    found = _PCI_LINE.match(line)
    if not found:
        return None
    address, kind, code, text = found.groups()
    ids, revision = _PCI_IDS.findall(text), _PCI_REVISION.search(text)
    return PciDevice(
        address=normalise_pci(address) or address,
        kind=kind,
        text=text.strip(),
        class_code=code,
        vendor_id=ids[-1][0] if ids else None,
        device_id=ids[-1][1] if ids else None,
        revision=revision.group(1) if revision else None,
    )


@dataclass(frozen=True)
class Modules:
    """The loaded kernel modules. Not `complete` when only some lines of the list were kept (`lsmod | grep ...`)."""

    names: frozenset[str]
    complete: bool


def parse_lsmod(text: str) -> Modules:
    lines = text.splitlines()
    names = frozenset(found.group(1) for line in lines if (found := _MODULE.match(line)))
    head = any(line.split()[:2] == ["Module", "Size"] for line in lines[:3])
    if not names:
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(LSMOD, f"no module in the answer: {first[:200]}")
    return Modules(names, head)
