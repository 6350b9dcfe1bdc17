"""What a SATA or SAS disk says of itself: `smartctl -a` (or `-H`) for people and as JSON. NVMe drives: `disks.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# smartctl's head of the health part: that of an NVMe drive has no READ in it.
_IS_DISK = re.compile(r"^=== START OF READ SMART DATA SECTION ===", re.MULTILINE)
_ATA = re.compile(r"^SMART overall-health self-assessment test result: (\w+)", re.MULTILINE)
_SCSI = re.compile(r"^SMART Health Status: (.+?)\s*$", re.MULTILINE)
_ROW = re.compile(r"^\s*(\d{1,3}) (\S+)\s+0x[0-9a-f]{4}\s+\d+\s+\d+\s+\S+\s+\S+\s+\S+\s+(\S+)\s+(\d+)", re.MULTILINE)
_GROWN = re.compile(r"^Elements in grown defect list: (\d+)", re.MULTILINE)
_UNCORRECTED = re.compile(r"^(?:read|write|verify):\s.*\s(\d+)\s*$", re.MULTILINE)
# Sectors that cannot be read now, by attribute (smartd warns of these two unless it is told otherwise).
_UNREADABLE = {197: "sectors wait to be reallocated", 198: "sectors cannot be read"}


@dataclass(frozen=True)
class DiskHealth:
    """`passed` is the disk's own verdict, None where it is not told, in the words `said`. `failing` are attributes
    under their threshold now, `unreadable` counts of sectors that cannot be read, by what they are."""

    passed: bool | None
    said: str
    failing: tuple[str, ...] = ()
    unreadable: tuple[tuple[int, str], ...] = ()
    grown_defects: int | None = None


def disk_health(text: str) -> DiskHealth | None:
    """The health of a disk in smartctl's text, or None where it is of no disk or holds no verdict."""
    ata, scsi = _ATA.search(text), _SCSI.search(text)
    if not _IS_DISK.search(text) or not (ata or scsi):
        return None
    rows = [(int(number), name, when, int(raw)) for number, name, when, raw in _ROW.findall(text)]
    uncorrected = sum(map(int, _UNCORRECTED.findall(text)))
    grown = _GROWN.search(text)
    return DiskHealth(
        passed=ata.group(1) == "PASSED" if ata else scsi is not None and scsi.group(1) == "OK",
        said=ata.group(1) if ata else scsi.group(1) if scsi else "",
        failing=tuple(name for _, name, when, _ in rows if when.upper() in ("FAILING_NOW", "NOW")),
        unreadable=tuple(_unreadable((number, raw) for number, _, _, raw in rows))
        + (((uncorrected, "errors were not corrected"),) if uncorrected else ()),
        grown_defects=int(grown.group(1)) if grown else None,
    )


def disk_health_of(data: Mapping[str, Any]) -> DiskHealth | None:
    """The same of smartctl's JSON."""
    status, device = data.get("smart_status"), data.get("device")
    protocol = device.get("protocol") if isinstance(device, Mapping) else None
    if protocol not in ("ATA", "SCSI") or not isinstance(status, Mapping):
        return None
    table = data.get("ata_smart_attributes")
    rows = table.get("table") if isinstance(table, Mapping) else None
    told = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
    passed, grown = status.get("passed"), data.get("scsi_grown_defect_list")
    return DiskHealth(
        passed=passed if isinstance(passed, bool) else None,
        said="PASSED" if passed is True else "FAILED" if passed is False else "not reported",
        failing=tuple(str(row.get("name")) for row in told if str(row.get("when_failed")).lower() == "now"),
        unreadable=tuple(_unreadable((row.get("id"), _raw(row)) for row in told)),
        grown_defects=grown if isinstance(grown, int) else None,
    )


def _raw(row: Mapping[str, Any]) -> int:
    raw = row.get("raw")
    value = raw.get("value") if isinstance(raw, Mapping) else None
    return value if isinstance(value, int) else 0


def _unreadable(rows: Iterator[tuple[Any, int]]) -> Iterator[tuple[int, str]]:
    for number, raw in rows:
        if number in _UNREADABLE and raw:
            yield raw, _UNREADABLE[number]
