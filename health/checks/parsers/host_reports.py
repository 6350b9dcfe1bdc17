"""What other tools of the host keep: the BMC's sensors, rasdaemon's counts, a drive's health as text, PCIe links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from health.checks.parsers import ParseError
from health.checks.parsers.disk_health import DiskHealth, disk_health, disk_health_of
from health.checks.parsers.disks import NvmeHealth, json_object, parse_nvme_health
from health.checks.parsers.state_files import GENERATIONS, DeviceLink, StateFiles
from inventory.specs.device_model import normalise_pci

SDR, RAS, SMART, LSPCI = "ipmitool sdr", "ras-mc-ctl", "nvme smart-log", "lspci -vv"
# ipmitool's words for a reading beyond a limit, and for one that is none.
_STATES = frozenset(("ok", "ns", "nc", "cr", "nr", "us", "lnc", "lcr", "lnr", "unc", "ucr", "unr", "na"))
_RAS_KIND = re.compile(r"^(?:No )?(.*?) (?:errors\.|(?:events|errors|records)(?: summary)?:)\s*$", re.IGNORECASE)
# Parts of the summary whose lines have no word of severity because all of them are of what was not corrected.
_RAS_BAD_KIND = re.compile(r"(?i)uncorrectable|poison|memory failure|^disk")
_SMART_ROW = re.compile(r"^(\w[\w .]{0,60}?)\s*:\s*(0x[0-9a-fA-F]+|[\d,]+)\s*(%|C\b|°C|K\b)?", re.MULTILINE)
_SMART_TEXT = re.compile(
    r"^(?:Smart Log for NVME device|SMART/Health Information \(NVMe Log|smartctl \d)", re.MULTILINE
)
# In Celsius or, where the locale is American, in Fahrenheit with the kelvin behind it (nvme-cli 2).
_SMART_HEAT = re.compile(
    r"^temperature\s*:\s*(-?\d+)\s*°?\s*([CF])?\w*(?:\s*\((\d+) K\))?", re.MULTILINE | re.IGNORECASE
)
_SMART_PASSED = re.compile(r"^SMART overall-health self-assessment test result: (\w+)", re.MULTILINE)
_PCI_HEAD = re.compile(r"^((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (.*)$", re.IGNORECASE)
_SPEED, _WIDTH = re.compile(r"Speed ([\d.]+)GT/s"), re.compile(r"Width x(\d+)")
_SECONDARY = re.compile(r"^\s+Bus: primary=[0-9a-f]+, secondary=([0-9a-f]+)", re.IGNORECASE)
# Devices whose link is of interest where the model has no slot for them.
_ENDPOINTS = ("Non-Volatile memory", "3D controller", "Processing accelerators", "Infiniband controller",
              "Ethernet controller", "VGA compatible", "Display controller")  # fmt: skip


@dataclass(frozen=True)
class Sensor:
    """`state` is ipmitool's: ok; nc (beyond a limit), cr (critical), nr (beyond repair); ns (no reading)."""

    name: str
    value: str
    state: str


def parse_sdr(text: str) -> tuple[Sensor, ...]:
    """`ipmitool sdr`, `sdr elist` and `sensor`. Raises ParseError."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        place = next((at for at, cell in enumerate(cells[1:], 1) if cell.lower() in _STATES), None)
        if len(cells) >= 3 and cells[0] and place is not None:
            value = cells[-1] if place != len(cells) - 1 and len(cells) == 5 else cells[1]
            found.append(Sensor(cells[0], value, cells[place].lower()))
    if not found:
        raise ParseError(SDR, f"no sensor in the output: {text.strip()[:200] or 'no output'}")
    return tuple(found)


@dataclass(frozen=True)
class RasEvents:
    """What rasdaemon has in its database, since it was begun: (kind, line) of what was corrected, and of what was not.
    `kinds` are all that it tells of."""

    kinds: tuple[str, ...]
    corrected: tuple[tuple[str, str], ...]
    uncorrected: tuple[tuple[str, str], ...]


def parse_ras(text: str) -> RasEvents:
    """`ras-mc-ctl --summary` and `--errors`. Raises ParseError."""
    kinds: list[str] = []
    good: list[tuple[str, str]] = []
    bad: list[tuple[str, str]] = []
    for line in text.splitlines():
        if found := _RAS_KIND.match(line.strip()) if not line.startswith(("\t", " ")) else None:
            kinds.append(found.group(1))
        elif kinds and line.strip():
            word = re.search(r"\b(uncorrected|uncorrectable|fatal|deferred|corrected|non-fatal)\b", line, re.IGNORECASE)
            if word or _RAS_BAD_KIND.search(kinds[-1]):
                mended = word is not None and word.group(1).lower() in ("corrected", "non-fatal")
                (good if mended else bad).append((kinds[-1], " ".join(line.split())))
    if not kinds:
        raise ParseError(RAS, f"no summary in the output: {text.strip()[:200] or 'no output'}")
    return RasEvents(tuple(kinds), tuple(good), tuple(bad))


def parse_smart(text: str) -> NvmeHealth | DiskHealth:
    """The health log of a drive, as JSON or as nvme-cli and smartctl print it for people. Raises ParseError."""
    if disk := disk_health(text) or (disk_health_of(json_object(SMART, text)) if '"protocol"' in text else None):
        return disk
    return parse_smart_text(text) if _SMART_TEXT.search(text) else parse_nvme_health(text)


def parse_smart_text(text: str) -> NvmeHealth:
    told = {name.strip().lower().replace(" ", "_"): value for name, value, _ in _SMART_ROW.findall(text)}

    def number(name: str) -> int | None:
        word = told.get(name, "").replace(",", "")
        return int(word, 16) if word.startswith("0x") else int(word) if word.isdecimal() else None

    verdict = _SMART_PASSED.search(text)
    if "critical_warning" not in told and (verdict is None or verdict.group(1) == "PASSED"):
        # `smartctl -H` has no log and may still tell of a fault
        raise ParseError(SMART, "no NVMe health log in the output, or cut off")
    device = re.search(r"^Smart Log for NVME device:\s*(\S+)", text, re.MULTILINE)
    return NvmeHealth(
        critical_warning=number("critical_warning"),
        spare_percent=number("available_spare"),
        spare_threshold_percent=number("available_spare_threshold"),
        used_percent=number("percentage_used"),
        media_errors=number("media_errors") if "media_errors" in told else number("media_and_data_integrity_errors"),
        temperature_c=_celsius(text),
        data_units_written=number("data_units_written"),
        host_writes=number("host_write_commands"),
        passed=verdict.group(1) == "PASSED" if verdict else None,
        device=f"/dev/{device.group(1)}" if device else None,
    )


def _celsius(text: str) -> int | None:
    found = _SMART_HEAT.search(text)
    if not found:
        return None
    degrees, unit, kelvin = found.groups()
    if kelvin:
        return int(kelvin) - 273
    return round((int(degrees) - 32) / 1.8) if unit in ("F", "f") else int(degrees)


def parse_lspci_links(text: str) -> StateFiles:
    """The links in `lspci -vv`, with those of the port above each device. Raises ParseError."""
    found: dict[str, DeviceLink] = {}
    above: dict[str, DeviceLink] = {}
    for address, what, lines in _devices(text):
        link = _link(DeviceLink(address=address, what=what.partition(":")[0]), lines)
        for line in lines:
            if bus := _SECONDARY.match(line):
                above[f"{address[:4]}:{bus.group(1)}"] = link
        if link.width is not None:
            found[address] = link
    if not found:
        denied = "the links need root" if "access denied" in text else "no PCIe link in the output: run it with -vv"
        raise ParseError(LSPCI, denied)
    links = {}
    for address, link in found.items():
        port = above.get(address[:7])
        whole = replace(link, width_above=port.width_max, generation_above=port.generation_max) if port else link
        links[address] = whole if link.what.startswith(_ENDPOINTS) else replace(whole, what="")
    return StateFiles(links=links)


def _devices(text: str) -> Iterator[tuple[str, str, list[str]]]:
    head: tuple[str, str] | None = None
    lines: list[str] = []
    for line in text.splitlines():
        if match := _PCI_HEAD.match(line):
            if head:
                yield *head, lines
            head, lines = (normalise_pci(match.group(1)) or match.group(1), match.group(2)), []
        else:
            lines.append(line)
    if head:
        yield *head, lines


def _link(link: DeviceLink, lines: list[str]) -> DeviceLink:
    for line in lines:
        word = line.strip().partition(":")[0]
        speed, width = _SPEED.search(line), _WIDTH.search(line)
        generation = GENERATIONS.get(float(speed.group(1))) if speed else None
        lanes = int(width.group(1)) if width else None
        if word == "LnkCap":
            link = replace(link, width_max=lanes, generation_max=generation)
        elif word == "LnkSta":
            link = replace(link, width=lanes, generation=generation)
    return link
