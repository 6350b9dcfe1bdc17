"""The link of one network port by the vendor's and the kernel's tools: `mlxlink`, `ethtool -S`, `ethtool -m`.

Each is of one port, which its command names. `mlxlink` is read as JSON and as text (mft 4.2x).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from health.checks.parsers import ParseError

MLXLINK, STATISTICS, MODULE = "mlxlink", "ethtool -S", "ethtool -m"
_DEVICE = re.compile(r"(?:-d|--device)[ =](\S+)")
_INTERFACE = re.compile(r"(?:-S|--statistics|-m|--module-info|--dump-module-eeprom) (\S+)")
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?")
_BOUNDS = re.compile(r"\[\s*(-?\d+(?:\.\d+)?)\s*\.\.\s*(-?\d+(?:\.\d+)?)\s*\]")
_COUNTER = re.compile(r"^\s+([\w.\[\]]+): (\d+)$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Gb/s of four lanes by the names of InfiniBand's speeds; Ethernet's names begin with theirs (`200G`, `400GbE`).
_GBPS = {"SDR": 10, "DDR": 20, "QDR": 40, "FDR10": 40, "FDR": 56, "EDR": 100, "HDR": 200, "NDR": 400, "XDR": 800}
_ALARM = re.compile(r"^\s*(.+? (alarm|warning)\b.*?)\s*: (On|Off)\b", re.MULTILINE)
_MEASURED = ("Temperature [C]", "Voltage [mV]", "Bias Current [mA]", "Rx Power Current [dBm]", "Tx Power Current [dBm]")


@dataclass(frozen=True)
class MlxLink:
    """`device` as the command named it. Rates of bit errors are None where not told. `outside`: measured values of the
    module that are outside the bounds printed behind them."""

    device: str
    state: str | None
    physical_state: str | None = None
    speed: str | None = None
    width: str | None = None
    opcode: str | None = None
    recommendation: str | None = None
    effective_ber: float | None = None
    raw_ber: float | None = None
    symbol_ber: float | None = None
    link_downs: int | None = None
    outside: tuple[str, ...] = ()
    of_one_part: bool = True

    @property
    def gbps(self) -> float | None:
        """The rate of the link, or None for a name that is not known."""
        name = (self.speed or "").upper().removeprefix("IB-")
        lanes = re.fullmatch(r"(\d{1,2})X", (self.width or "4X").upper())
        if name in _GBPS and lanes:
            return _GBPS[name] * int(lanes.group(1)) / 4
        ethernet = re.match(r"(?:BASE)?(\d{1,4})G", name)
        return float(ethernet.group(1)) if ethernet else None


def parse_mlxlink(text: str, command: str) -> MlxLink:
    """Raises ParseError, with the tool's own message where it has one."""
    named = _DEVICE.search(command)
    groups = _told_to_people(text) or _told_as_json(text)
    link, trouble, counts, module = (
        _group(groups, name)
        for name in ("Operational Info", "Troubleshooting Info", "Physical Counters and BER Info", "Module Info")
    )
    if not link:
        raise ParseError(MLXLINK, "the link's state is not reported")
    downs = _word(counts.get("Link Down Counter"))
    return MlxLink(
        named.group(1).rpartition("/")[2] if named else "",
        state=_word(link.get("State")),
        physical_state=_word(link.get("Physical state")),
        speed=_word(link.get("Speed")),
        width=_word(link.get("Width")),
        opcode=_word(trouble.get("Status Opcode")),
        recommendation=_word(trouble.get("Recommendation")),
        effective_ber=_rate(counts.get("Effective Physical BER")),
        raw_ber=_rate(counts.get("Raw Physical BER")),
        symbol_ber=_rate(counts.get("Symbol BER")),
        link_downs=int(downs) if downs and downs.isdecimal() else None,
        outside=tuple(_outside(module)),
    )


def _told_as_json(text: str) -> dict[str, Any]:
    start = text.find("{")
    try:
        data, _ = json.JSONDecoder().raw_decode(text[start:] if start >= 0 else "")
        output = data["result"]["output"]
        return {str(name): value for name, value in output.items() if isinstance(value, dict)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ParseError(MLXLINK, _refusal(text)) from error


def _told_to_people(text: str) -> dict[str, dict[str, str]]:
    """The same groups from the text that is printed without `--json`: a heading under which dashes stand, then rows."""
    groups: dict[str, dict[str, str]] = {}
    above = ""
    for line in map(str.strip, _COLOUR.sub("", text).splitlines()):
        name, colon, value = line.partition(" : ")
        if above and len(line) > 3 and not line.strip("-"):
            groups[above] = {}
        elif colon and groups:
            groups[list(groups)[-1]][name.strip()] = value.strip()
        above = line
    return groups


def _refusal(text: str) -> str:
    said = re.search(r'"message"\s*:\s*"([^"]+)"', text) or re.search(r"-E- (.+)", text)
    return said.group(1)[:200] if said else f"not the JSON of mlxlink: {text.strip()[:150] or 'no output'}"


def _group(groups: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = groups.get(name)
    return found if isinstance(found, dict) else {}


def _word(value: Any) -> str | None:
    """A text; newer releases put several under `values`."""
    if isinstance(value, dict):
        value = value.get("values", value.get("value"))
    if isinstance(value, list):
        value = ",".join(map(str, value))
    text = str(value).strip() if value is not None else ""
    return text if text and text.upper() not in ("N/A", "NONE") else None


def _rate(value: Any) -> float | None:
    """Such as 15E-255, which is what the tool prints for none at all."""
    word = _word(value)
    try:
        return float(word) if word else None
    except ValueError:
        return None


def _outside(module: Mapping[str, Any]) -> Iterator[str]:
    """`45 [-10..80]` or `1.2,1.1 [-8..6]`; a lane that is off (-40 dBm or 0) is told by the link's state."""
    for name in _MEASURED:
        word = _word(module.get(name)) or ""
        bounds = _BOUNDS.search(word)
        if not bounds or float(bounds.group(1)) >= float(bounds.group(2)):
            continue
        low, high = map(float, bounds.groups())
        values = [float(each) for each in _NUMBERS.findall(word[: bounds.start()])]
        if bad := [f"{value:g}" for value in values if not low <= value <= high]:
            yield f"{name} {', '.join(bad)} (bounds {low:g} to {high:g})"


@dataclass(frozen=True)
class PortStatistics:
    """Counters of an interface by the driver's names; they count from when the driver was loaded."""

    interface: str
    counters: Mapping[str, int]
    of_one_part: bool = True


def parse_statistics(text: str, command: str) -> PortStatistics:
    """`ethtool -S INTERFACE`. Raises ParseError."""
    whole = text[: text.rfind("\n") + 1]  # of a line that is cut off the number is another one
    counters = {name: int(value) for name, value in _COUNTER.findall(whole)}
    if not text.lstrip().startswith("NIC statistics") or not counters:
        raise ParseError(STATISTICS, f"no counters in the output: {text.strip()[:200] or 'no output'}")
    named = _INTERFACE.search(command)
    return PortStatistics(named.group(1) if named else "", counters)


@dataclass(frozen=True)
class ModuleAlarms:
    """Alarms and warnings that the module of an interface has on; `told` is how many it has at all. `complete`: those
    of light, temperature and voltage are all told, or it is a cable that has none."""

    interface: str
    alarms: tuple[str, ...]
    warnings: tuple[str, ...]
    told: int
    complete: bool = True
    of_one_part: bool = True


def parse_module(text: str, command: str) -> ModuleAlarms:
    """`ethtool -m INTERFACE`. Raises ParseError; a copper cable measures nothing and has no alarms."""
    rows = _ALARM.findall(text)
    if not re.search(r"^\s*Identifier\s*:", text, re.MULTILINE):
        raise ParseError(MODULE, f"no module in the output: {text.strip()[:200] or 'no output'}")
    on = [(" ".join(name.split()), kind) for name, kind, state in rows if state == "On"]
    told = " ".join(name.lower() for name, _, _ in rows)
    without = re.search(r"flags implemented\s*: No\b|[Cc]opper|passive", text)
    named = _INTERFACE.search(command)
    return ModuleAlarms(
        named.group(1) if named else "",
        tuple(name for name, kind in on if kind == "alarm"),
        tuple(name for name, kind in on if kind == "warning"),
        len(rows),
        complete=bool(without) or all(word in told for word in ("rx power", "temperature", "voltage low")),
    )
