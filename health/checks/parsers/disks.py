"""`df` (space and inodes) and NVMe health as JSON (`nvme smart-log -o json`, `smartctl -a -j`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from health.checks.parsers import ParseError, json_in

DF = "df"
SMART = "nvme smart-log"

# GNU df complains as `df: PATH: what errno says`, the path in quotes where it holds odd characters.
_DF_ERROR = re.compile(r"^df: (?:cannot (?:access|read) )?['‘`\"]?(/.*?)['’\"]?: (.+?)\s*$")
_PERCENT = re.compile(r"^(\d{1,3})%$")


@dataclass(frozen=True)
class Mount:
    """A mounted file system and how full it is; None where the tool has no percentage (`-`). `error` is what the tool
    said of one that it could not ask."""

    source: str
    path: str
    percent: int | None
    error: str = ""


def parse_df(text: str) -> tuple[Mount, ...]:
    """`df -P`, `df -Ph`, `df -i` or `df --output=pcent,source,target`: any order in which the percentage leads or
    stands before the mount point."""
    lines = text.splitlines()
    refused = [Mount("", found.group(1), None, found.group(2)) for line in lines if (found := _DF_ERROR.match(line))]
    head = next((n for n, line in enumerate(lines) if "Mounted on" in line), None)
    if head is None and refused:
        return tuple(refused)
    if head is None:
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(DF, f"no table of file systems: {first[:200]}")
    leading = lines[head].split()[0] in ("Use%", "IUse%", "Capacity")
    rows = [line for line in lines[head + 1 :] if not _DF_ERROR.match(line)]
    mounts = _fullest(mount for line in rows if (mount := _mount(line, leading)))
    if not mounts and not refused:
        raise ParseError(DF, "the table has no rows")
    return (*mounts, *refused)


def _fullest(rows: Iterable[Mount]) -> tuple[Mount, ...]:
    """One row a mount point, the fullest: where output breaks off in `/boot`, its row ends like that of `/`."""
    found: dict[str, Mount] = {}
    for row in rows:
        known = found.get(row.path)
        if known is None or (row.percent or 0) > (known.percent or 0):
            found[row.path] = row
    return tuple(found.values())


def _mount(line: str, leading: bool) -> Mount | None:
    words = line.split()
    if leading:
        if len(words) < 3 or not (words[0] == "-" or _PERCENT.match(words[0])):
            return None
        return Mount(words[1], " ".join(words[2:]), _percent(words[0]))
    # The mount point may hold spaces, so the percentage is looked for among the columns before it.
    at = next((n for n in range(2, len(words) - 1) if _is_percent(words, n)), None)
    return Mount(words[0], " ".join(words[at + 1 :]), _percent(words[at])) if at is not None else None


def _is_percent(words: list[str], n: int) -> bool:
    return bool(_PERCENT.match(words[n])) or (words[n] == "-" and words[n + 1].startswith("/"))


def _percent(word: str) -> int | None:
    found = _PERCENT.match(word)
    return int(found.group(1)) if found else None


@dataclass(frozen=True)
class NvmeHealth:
    """What a drive says of itself. Spare and wear in percent, temperature in Celsius. `gone_bad`: smartctl's status
    says that the drive fails (bit 3) or that an attribute is under its threshold (bit 4), smartctl(8)."""

    critical_warning: int | None
    spare_percent: int | None
    spare_threshold_percent: int | None
    used_percent: int | None
    media_errors: int | None
    temperature_c: int | None
    data_units_written: int | None
    host_writes: int | None
    passed: bool | None = None
    gone_bad: bool = False
    device: str | None = None
    serial: str | None = None


def parse_nvme_health(text: str) -> NvmeHealth:
    """The JSON of nvme-cli or of smartctl."""
    data = json_object(SMART, text)
    log = data.get("nvme_smart_health_information_log", data)
    if not isinstance(log, dict) or "critical_warning" not in log:
        messages = data.get("smartctl", {})
        said = messages.get("messages") if isinstance(messages, dict) else None
        raise ParseError(SMART, f"no NVMe health log in the answer{f': {str(said)[:150]}' if said else ''}")
    status = data.get("smart_status")
    kelvin = log is data  # nvme-cli gives kelvin, smartctl Celsius
    temperature = _whole(log.get("temperature"))
    device = data.get("device")
    return NvmeHealth(
        critical_warning=_critical(log.get("critical_warning")),
        spare_percent=_whole(log.get("avail_spare", log.get("available_spare"))),
        spare_threshold_percent=_whole(log.get("spare_thresh", log.get("available_spare_threshold"))),
        used_percent=_whole(log.get("percent_used", log.get("percentage_used"))),
        media_errors=_whole(log.get("media_errors")),
        temperature_c=temperature - 273 if temperature is not None and kelvin else temperature,
        data_units_written=_whole(log.get("data_units_written")),
        host_writes=_whole(log.get("host_write_commands", log.get("host_writes"))),
        passed=status.get("passed") if isinstance(status, dict) else None,
        gone_bad=bool(_smartctl_status(data) & 0b11000),
        device=str(device.get("name")) if isinstance(device, dict) else None,
        serial=str(data["serial_number"]) if isinstance(data.get("serial_number"), str) else None,
    )


def _smartctl_status(data: dict[str, Any]) -> int:
    told = data.get("smartctl")
    return (_whole(told.get("exit_status")) if isinstance(told, dict) else None) or 0


def _critical(value: Any) -> int | None:
    """A number, or newer nvme-cli's object with the number in `value`."""
    return _whole(value.get("value")) if isinstance(value, dict) else _whole(value)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and abs(value) < 2**63:
        return int(value)
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 40 else None


def json_object(where: str, text: str) -> dict[str, Any]:
    try:
        data = json_in(text)
    except (ValueError, RecursionError) as error:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(where, f"not JSON: {first[:200]}") from error
    if not isinstance(data, dict):
        raise ParseError(where, "not a JSON object")
    return data
