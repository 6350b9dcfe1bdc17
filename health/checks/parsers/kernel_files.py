"""Small files of /proc and /sys as `grep -s .` prints them: `PATH:VALUE`, one line each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from health.checks.parsers import LONGEST_LINE, ParseError
from health.checks.probes.host import LAST_KERNEL_FILE

WHERE = "kernel files"

_PER_CPU = re.compile(r"^/sys/devices/system/cpu/cpu(\d+)/(?:cpufreq|thermal_throttle)/(\w+)$")
_EDAC = re.compile(r"^/sys/devices/system/edac/mc/(mc\d+)(/dimm\d+)?/(?:dimm_)?(label|ce_count|ue_count)$")
_LIST = re.compile(r"^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$")


@dataclass(frozen=True)
class MemoryPlace:
    """A DIMM (or a whole controller) with its counters since the start; None is not told."""

    name: str
    label: str = ""
    corrected: int | None = None
    uncorrected: int | None = None


@dataclass(frozen=True)
class KernelFiles:
    """What the files say. Frequencies in kHz, throttle counts and uptime since the start; None is not told. Not `whole`
    where a tool tells only of one thing."""

    online: int | None = None
    present: int | None = None
    governors: dict[int, str] = field(default_factory=dict)
    max_khz: dict[int, int] = field(default_factory=dict)
    able_khz: int | None = None
    now_khz: dict[int, int] = field(default_factory=dict)
    throttles: dict[int, int] = field(default_factory=dict)
    clocksource: str | None = None
    memory: tuple[MemoryPlace, ...] = ()
    files_open: int | None = None
    files_max: int | None = None
    tasks: int | None = None
    tasks_max: int | None = None
    uptime_s: float | None = None
    command_line: str | None = None
    whole: bool = True


def parse_kernel_files(text: str) -> KernelFiles:
    """Raises ParseError unless the last file of the list is there: what stands before it would be cut off."""
    told: dict[str, str] = {}
    cpus: dict[str, dict[int, str]] = defaultdict(dict)
    places: dict[str, dict[str, str]] = defaultdict(dict)
    for line in text.splitlines():
        path, _, value = line.partition(":")
        if cpu := _of_cpu(path[:LONGEST_LINE]):
            cpus[cpu[0]][cpu[1]] = value
        elif memory := _of_memory(path[:LONGEST_LINE]):
            places[memory[0]][memory[1]] = value.strip()
        else:
            told.setdefault(path, value.strip())
    if not told.get(LAST_KERNEL_FILE):
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(WHERE, f"the list of files is not whole: {first[:200]}")
    files = told.get("/proc/sys/fs/file-nr", "").split()
    tasks = re.match(r"\S+ \S+ \S+ \d+/(\d+) ", told.get("/proc/loadavg", ""))
    limits = [_whole(told.get(f"/proc/sys/kernel/{name}")) for name in ("pid_max", "threads-max")]
    uptime = re.match(r"(\d+\.\d+) ", told.get("/proc/uptime", ""))
    able = _numbers(cpus["cpuinfo_max_freq"])
    return KernelFiles(
        online=count_of(told.get("/sys/devices/system/cpu/online")),
        present=count_of(told.get("/sys/devices/system/cpu/present")),
        governors=cpus["scaling_governor"],
        max_khz=_numbers(cpus["scaling_max_freq"]),
        able_khz=max(able.values(), default=None),
        now_khz=_numbers(cpus["scaling_cur_freq"]),
        throttles=_numbers(cpus["package_throttle_count"]),
        clocksource=told.get("/sys/devices/system/clocksource/clocksource0/current_clocksource") or None,
        memory=_memory(places),
        files_open=_whole(files[0]) if len(files) == 3 else None,
        files_max=_whole(files[2]) if len(files) == 3 else None,
        tasks=int(tasks.group(1)) if tasks else None,
        tasks_max=min((limit for limit in limits if limit), default=None),
        uptime_s=float(uptime.group(1)) if uptime else None,
        command_line=told.get("/proc/cmdline") or None,
    )


@lru_cache(maxsize=8192)
def _of_cpu(path: str) -> tuple[str, int] | None:
    """(file, processor) of a path beneath a processor's folder."""
    found = _PER_CPU.match(path)
    return (found.group(2), int(found.group(1))) if found else None


@lru_cache(maxsize=8192)
def _of_memory(path: str) -> tuple[str, str] | None:
    """(DIMM or controller, what of it) of a path beneath a memory controller's folder."""
    found = _EDAC.match(path)
    return (found.group(1) + (found.group(2) or ""), found.group(3)) if found else None


@lru_cache(maxsize=4096)
def _whole(value: str | None) -> int | None:
    return int(value) if value and value.isdecimal() and len(value) < 30 else None


def _numbers(values: dict[int, str]) -> dict[int, int]:
    return {cpu: number for cpu, value in values.items() if (number := _whole(value[:LONGEST_LINE])) is not None}


def count_of(value: str | None) -> int | None:
    """How many processors a list such as 0-103,208 names."""
    if not value or not _LIST.match(value) or len(value) > 2000:
        return None
    spans = [(int(first), int(last or first)) for first, _, last in (part.partition("-") for part in value.split(","))]
    return sum(last - first + 1 for first, last in spans if last >= first)


def _memory(places: Mapping[str, Mapping[str, str]]) -> tuple[MemoryPlace, ...]:
    """The DIMMs; controllers only where no DIMM is told."""
    dimms = {place: told for place, told in places.items() if "/" in place}
    return tuple(
        MemoryPlace(place, told.get("label", ""), _whole(told.get("ce_count")), _whole(told.get("ue_count")))
        for place, told in (dimms or places).items()
    )
