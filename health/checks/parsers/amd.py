"""AMD Instinct GPUs as `amd-smi ... --json` (ROCm 6 and 7) and `rocm-smi ... --json` describe them.

The forms differ between releases: a list of GPUs, or that list under `gpu_data`; a number, or `{value, unit}`; `N/A`
for what the driver does not give. Shapes are those of amd_smi's own command-line source (amdsmi_commands.py, ROCm 6.2
to 7.0) and of rocm_smi.py (ROCm 6.x).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from health.checks.parsers import ParseError
from health.checks.parsers.state_files import GENERATIONS
from inventory.specs.device_model import normalise_pci

AMD_SMI, ROCM_SMI = "amd-smi", "rocm-smi"
_BAD_PAGES = ("retired", "pending", "un_res")


@dataclass(frozen=True)
class AmdGpu:
    """One GPU; None where not told. Memory in MiB, temperatures in Celsius, power in watts. `bad_pages` are counts by
    their state (retired, pending, un_res: could not be reserved); `blocks` the uncorrectable, deferred and correctable
    errors of each RAS block that has any; `links` the state of each XGMI link, U up, D down, X not fitted."""

    index: int
    pci: str | None = None
    uuid: str | None = None
    serial: str | None = None
    product_name: str | None = None
    vbios: str | None = None
    memory_mib: int | None = None
    power_limit_w: float | None = None
    power_limit_most_w: float | None = None
    temperature_c: float | None = None
    memory_temperature_c: float | None = None
    slowdown_c: float | None = None
    memory_slowdown_c: float | None = None
    correctable: int | None = None
    uncorrectable: int | None = None
    deferred: int | None = None
    blocks: tuple[str, ...] = ()
    pcie_width: int | None = None
    pcie_generation: int | None = None
    pcie_replays: int | None = None
    throttled: tuple[str, ...] | None = None
    bad_pages: Mapping[str, int] | None = None
    links: tuple[str, ...] | None = None
    xgmi_errors: str | None = None


@dataclass(frozen=True)
class AmdReport:
    """The GPUs of one output, in its order, and the driver's version where it is told."""

    gpus: tuple[AmdGpu, ...]
    driver_version: str | None = None


def parse_amd_static(text: str) -> AmdReport:
    """`amd-smi static --json`, or `amd-smi list --json`. Raises ParseError."""
    rows = _rows(text)
    gpus = []
    for row in rows:
        asic, bus, board, limit = (_part(row, name) for name in ("asic", "bus", "board", "limit"))
        gpus.append(
            AmdGpu(
                _index(row),
                pci=normalise_pci(str(bus.get("bdf") or row.get("bdf") or "")),
                uuid=_word(row.get("uuid")),
                serial=_word(board.get("product_serial")) or _word(asic.get("asic_serial")),
                product_name=_word(asic.get("market_name")),
                vbios=_word(_part(row, "vbios").get("version")) or _word(_part(row, "ifwi").get("version")),
                memory_mib=_whole(_part(row, "vram").get("size")),
                power_limit_w=_number(limit.get("socket_power")) or _number(limit.get("current_power")),
                power_limit_most_w=_number(limit.get("max_power")),
                slowdown_c=_number(limit.get("slowdown_hotspot_temperature")),
                memory_slowdown_c=_number(limit.get("slowdown_vram_temperature")),
            )
        )
    versions = {_word(_part(row, "driver").get("version")) for row in rows} - {None}
    return AmdReport(tuple(gpus), ", ".join(sorted(map(str, versions))) or None)


def parse_amd_metric(text: str) -> AmdReport:
    """`amd-smi metric --json`. Raises ParseError."""
    return AmdReport(tuple(_metric(row) for row in _rows(text)))


def _metric(row: Mapping[str, Any]) -> AmdGpu:
    ecc, heat, pcie = (_part(row, name) for name in ("ecc", "temperature", "pcie"))
    speed = _number(pcie.get("speed"))
    return AmdGpu(
        _index(row),
        temperature_c=_number(heat.get("hotspot")),
        memory_temperature_c=_number(heat.get("mem")),
        correctable=_whole(ecc.get("total_correctable_count")),
        uncorrectable=_whole(ecc.get("total_uncorrectable_count")),
        deferred=_whole(ecc.get("total_deferred_count")),
        blocks=tuple(_blocks(_part(row, "ecc_blocks"))),
        pcie_width=_whole(pcie.get("width")),
        pcie_generation=GENERATIONS.get(speed) if speed else None,
        pcie_replays=_whole(pcie.get("replay_count")),
        throttled=_throttled(row),
        xgmi_errors=_xgmi_errors(row.get("xgmi_err")),
    )


def _blocks(blocks: Mapping[str, Any]) -> Iterator[str]:
    for name, counts in blocks.items():
        if isinstance(counts, dict):
            told = {word: _whole(counts.get(f"{word}_count")) for word in ("uncorrectable", "deferred", "correctable")}
            if any(told.values()):
                yield f"{name}: " + ", ".join(f"{count} {word}" for word, count in told.items() if count)


def _throttled(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Why its clocks are held down by heat or power; None where nothing of it is told."""
    told = {name: _flag(value) for name, value in _part(row, "throttle").items() if name.endswith("_violation_status")}
    names = ("prochot", "socket_thermal", "vr_thermal", "hbm_thermal", "ppt")
    known = {name: told.get(f"{name}_violation_status") for name in names}
    if any(value is not None for value in known.values()):
        return tuple(name for name, value in known.items() if value)
    status = _word(_part(row, "power").get("throttle_status"))
    return None if status is None else () if status.upper() in ("UNTHROTTLED", "FALSE", "0") else ("throttled",)


def _flag(value: Any) -> bool | None:
    """`ACTIVE`, `NOT ACTIVE`, or a list of them for each partition."""
    if isinstance(value, dict | list):
        told = [_flag(each) for each in (value.values() if isinstance(value, dict) else value)]
        known = [each for each in told if each is not None]
        return any(known) if known else None
    word = str(value).strip().upper()
    return {"ACTIVE": True, "TRUE": True, "NOT ACTIVE": False, "FALSE": False}.get(word)


def _xgmi_errors(value: Any) -> str | None:
    if isinstance(value, dict):
        counts = [_whole(each) or 0 for name, each in value.items() if "error" in str(name)]
        return f"{sum(counts)} errors" if sum(counts) else "NO_ERRORS" if counts else None
    return _word(value)


def parse_amd_pages(text: str) -> AmdReport:
    """`amd-smi bad-pages --json`: a list of pages by state, or a sentence that there is none. Raises ParseError."""
    gpus = []
    for row in _rows(text):
        told = {name: row[name] for name in _BAD_PAGES if name in row}
        counts = {name: _pages(value) for name, value in told.items()}
        known = {name: count for name, count in counts.items() if count is not None}
        gpus.append(AmdGpu(_index(row), bad_pages=known or None))
    return AmdReport(tuple(gpus))


def _pages(value: Any) -> int | None:
    if isinstance(value, list):
        return len(value)
    return 0 if re.match(r"no bad pages found", str(value), re.IGNORECASE) else None


def parse_amd_links(text: str) -> AmdReport:
    """`amd-smi xgmi --link-status --json`: the list of GPUs, and behind it the states. Raises ParseError."""
    documents = _documents(AMD_SMI, text)
    rows = [row for data in documents for value in data.values() if isinstance(value, list) for row in value]
    told = [row for row in rows if isinstance(row, dict) and "gpu" in row and "link_status" in row]
    if not told:
        raise ParseError(AMD_SMI, "no state of a link in the output")
    gpus = []
    for row in told:
        each = row["link_status"]
        states = tuple(str(one).strip().upper()[:1] for one in each) if isinstance(each, list) else ()
        known = states if states and set(states) <= {"U", "D", "X"} else None
        gpus.append(AmdGpu(_index(row), pci=normalise_pci(str(row.get("bdf") or "")), links=known))
    return AmdReport(tuple(gpus))


def parse_rocm_smi(text: str) -> AmdReport:
    """`rocm-smi ... --json` with any of its --show options: `{"card0": {...}, "system": {...}}`. Raises ParseError."""
    data = _documents(ROCM_SMI, text)[0]
    cards = {name: row for name, row in data.items() if re.fullmatch(r"card\d+", str(name)) and isinstance(row, dict)}
    if not cards:
        raise ParseError(ROCM_SMI, "no card in the output")
    gpus = [_card(int(name[4:]), row) for name, row in cards.items()]
    system = data.get("system")
    version = _word(system.get("Driver version")) if isinstance(system, dict) else None
    return AmdReport(tuple(sorted(gpus, key=lambda gpu: gpu.index)), version)


def _card(index: int, row: Mapping[str, Any]) -> AmdGpu:
    named = {str(name).lower(): value for name, value in row.items()}

    def first(*names: str) -> Any:
        return next((named[name] for name in names if name in named), None)

    return AmdGpu(
        index,
        pci=normalise_pci(str(first("pci bus") or "")),
        uuid=_word(first("unique id")),
        serial=_word(first("serial number")),
        product_name=_word(first("card series", "card model")),
        vbios=_word(first("vbios version")),
        temperature_c=_number(first("temperature (sensor junction) (c)")),
        memory_temperature_c=_number(first("temperature (sensor memory) (c)", "temperature (sensor hbm 0) (c)")),
        power_limit_w=_number(first("max graphics package power (w)")),
        pcie_replays=_whole(first("pcie replay count")),
        xgmi_errors=_word(first("xgmi error count")),
    )


def _documents(where: str, text: str) -> list[dict[str, Any]]:
    """The documents of an output, behind warnings that the tool may print before them. A list becomes `gpu_data`."""
    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    if not starts:
        raise ParseError(where, text.strip()[:200] or "no output")
    found, rest, decoder = [], text[min(starts) :], json.JSONDecoder()
    while rest:
        try:
            data, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError) as error:
            raise ParseError(where, "not JSON, or cut off") from error
        found.append(data if isinstance(data, dict) else {"gpu_data": data})
        rest = rest[end:].lstrip()
    return found


def _rows(text: str) -> list[dict[str, Any]]:
    rows = _documents(AMD_SMI, text)[0].get("gpu_data")
    found = [row for row in rows if isinstance(row, dict) and "gpu" in row] if isinstance(rows, list) else []
    if not found:
        raise ParseError(AMD_SMI, "no GPU in the output")
    return found


def _part(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = row.get(name)
    return found if isinstance(found, dict) else {}


def _index(row: Mapping[str, Any]) -> int:
    told = row.get("gpu")
    if type(told) is not int:
        raise ParseError(AMD_SMI, f"{str(told)[:40]!r} is no number of a GPU")
    return told


def _word(value: Any) -> str | None:
    text = str(value).strip() if value is not None else ""
    return text if text and text.upper() not in ("N/A", "NONE", "UNKNOWN") else None


def _number(value: Any) -> float | None:
    """A number, `{value, unit}`, or a text that begins with one."""
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, bool):
        return None
    found = re.match(r"\s*(-?\d+(?:\.\d+)?)", str(value))
    return float(found.group(1)) if found else None


def _whole(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 0 else None
