"""Small files of /proc and /sys as `grep -s .` prints them: `PATH:VALUE`, one line each."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from health.parsers import ParseError
from health.probe_host import LAST_KERNEL_FILE

WHERE = "kernel files"

_PER_CPU = re.compile(r"^/sys/devices/system/cpu/cpu(\d+)/(?:cpufreq|thermal_throttle)/(\w+):(\S+)$", re.MULTILINE)
_DIMM = re.compile(r"^/sys/devices/system/edac/mc/(mc\d+/dimm\d+)/dimm_(label|ce_count|ue_count):(.+)$", re.MULTILINE)
_CONTROLLER = re.compile(r"^/sys/devices/system/edac/mc/(mc\d+)/(ce_count|ue_count):(\d+)$", re.MULTILINE)
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
    """What the files say. Frequencies in kHz, throttle counts and uptime since the start; None is not told."""

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


def parse_kernel_files(text: str) -> KernelFiles:
    """Raises ParseError unless the last file of the list is there: what stands before it would be cut off."""
    if not _one(text, LAST_KERNEL_FILE):
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(WHERE, f"the list of files is not whole: {first[:200]}")
    cpus: dict[str, dict[int, str]] = defaultdict(dict)
    for number, name, value in _PER_CPU.findall(text):
        cpus[name][int(number)] = value
    files = (_one(text, "/proc/sys/fs/file-nr") or "").split()
    tasks = re.match(r"\S+ \S+ \S+ \d+/(\d+) ", _one(text, "/proc/loadavg") or "")
    limits = [_whole(_one(text, f"/proc/sys/kernel/{name}")) for name in ("pid_max", "threads-max")]
    uptime = re.match(r"(\d+\.\d+) ", _one(text, "/proc/uptime") or "")
    able = _numbers(cpus["cpuinfo_max_freq"])
    return KernelFiles(
        online=_count(_one(text, "/sys/devices/system/cpu/online")),
        present=_count(_one(text, "/sys/devices/system/cpu/present")),
        governors=cpus["scaling_governor"],
        max_khz=_numbers(cpus["scaling_max_freq"]),
        able_khz=max(able.values(), default=None),
        now_khz=_numbers(cpus["scaling_cur_freq"]),
        throttles=_numbers(cpus["package_throttle_count"]),
        clocksource=_one(text, "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        memory=_memory(text),
        files_open=_whole(files[0]) if len(files) == 3 else None,
        files_max=_whole(files[2]) if len(files) == 3 else None,
        tasks=int(tasks.group(1)) if tasks else None,
        tasks_max=min((limit for limit in limits if limit), default=None),
        uptime_s=float(uptime.group(1)) if uptime else None,
        command_line=_one(text, "/proc/cmdline"),
    )


def _one(text: str, path: str) -> str | None:
    at = text.find(f"\n{path}:")
    if at < 0 and not text.startswith(f"{path}:"):
        return None
    return text[at + 1 :].partition("\n")[0][len(path) + 1 :].strip() or None


def _whole(value: str | None) -> int | None:
    return int(value) if value and value.isdecimal() and len(value) < 30 else None


def _numbers(values: dict[int, str]) -> dict[int, int]:
    read = {cpu: _whole(value) for cpu, value in values.items()}
    return {cpu: value for cpu, value in read.items() if value is not None}


def _count(value: str | None) -> int | None:
    """How many processors a list such as 0-103,208 names."""
    if not value or not _LIST.match(value) or len(value) > 2000:
        return None
    spans = [(int(first), int(last or first)) for first, _, last in (part.partition("-") for part in value.split(","))]
    return sum(last - first + 1 for first, last in spans if last >= first)


def _memory(text: str) -> tuple[MemoryPlace, ...]:
    """The DIMMs; controllers only where no DIMM is told."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for place, name, value in _DIMM.findall(text):
        found[place][name] = value.strip()
    if not found:
        for place, name, value in _CONTROLLER.findall(text):
            found[place][name] = value
    return tuple(
        MemoryPlace(place, told.get("label", ""), _whole(told.get("ce_count")), _whole(told.get("ue_count")))
        for place, told in found.items()
    )
