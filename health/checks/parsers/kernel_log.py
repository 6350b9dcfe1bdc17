"""The kernel log in any of its forms: `dmesg` (monotonic, -T, --time-format iso, -x, -r, --json), /dev/kmsg, syslog,
`journalctl -k` (short, short-iso, short-monotonic, short-full, short-unix, json, json-seq, json-pretty), with colours
or without.

Only the lines that a check reads are taken apart; a quiet log costs a few substring searches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from health.checks.parsers import ParseError
from health.checks.parsers.kernel_forms import plain

WHERE = "dmesg"


@dataclass(frozen=True)
class Xid:
    """A GPU error report. `address` is as printed, `at_us` microseconds since boot where the line has such a stamp,
    `clock_s` seconds of wall clock where it has that instead. `in_words`: the driver said so without a code; the
    address is empty where it named no GPU."""

    address: str
    code: int
    detail: str
    line: str
    at_us: int | None = None
    clock_s: float | None = None
    mig_instance: str | None = None
    in_words: bool = False


@dataclass(frozen=True)
class SXid:
    """An NVSwitch error report; lines with Data or Severity belong to the one before and are not repeated."""

    address: str
    code: int
    fatal: bool | None
    detail: str
    line: str
    at_us: int | None = None
    clock_s: float | None = None


@dataclass(frozen=True)
class MemoryError:
    """An EDAC report of a memory controller, of as many errors as it says."""

    uncorrected: bool
    place: str
    line: str
    at_us: int | None = None
    clock_s: float | None = None
    count: int = 1


@dataclass(frozen=True)
class LimitedLink:
    """A network card whose driver found less PCIe bandwidth than the card can do."""

    address: str
    found: str
    capable: str
    line: str
    at_us: int | None = None
    clock_s: float | None = None


@dataclass(frozen=True)
class KernelLog:
    """What the log holds. `serials` are GPU board serials by address; `text` is the log as plain `dmesg` prints it."""

    xids: tuple[Xid, ...] = ()
    sxids: tuple[SXid, ...] = ()
    memory_errors: tuple[MemoryError, ...] = ()
    limited_links: tuple[LimitedLink, ...] = ()
    serials: tuple[tuple[str, str], ...] = ()
    lines: int = 0
    text: str = ""


_MONOTONIC = re.compile(r"\[\s*(\d+)\.(\d{6})\](?:\s*\[\s*[TC]\d+\])?\s*")
_UNIX = re.compile(r"^(\d{9,11}\.\d{6}) ")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)[,.]?(\d{0,6})\d*\s*(Z|[+-]\d\d:?\d\d)?\s*")
_CTIME = re.compile(r"\[([A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4})\]\s*")
_SYSLOG = re.compile(r"([A-Z][a-z]{2}) +(\d+) (\d\d):(\d\d):(\d\d) ")
_LOG_LINE = re.compile(
    r"^(?:<\d+>|\w+\s*:\w+\s*:)?\s*"
    r"(?:\[\s*\d+\.\d+\]|\d{9,11}\.\d{6} |[A-Z][a-z]{2} \d{4}-\d\d-\d\d |"
    r"\[[A-Z][a-z]{2} [A-Z][a-z]{2} |\d{4}-\d\d-\d\dT|[A-Z][a-z]{2} +\d+ \d\d:|NVRM:|.*kernel:)"
)
_ADDRESS = r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-9a-fA-F])?"
_XID = re.compile(rf"NVRM: Xid \((?:PCI:)?({_ADDRESS})(?:\s+GPU-I:(\w+))?\):\s*(\d+)\b,?\s*(.*)$")
_SXID = re.compile(rf"SXid \((?:PCI:)?({_ADDRESS})\):\s*(\d+)\b,?\s*(.*)$")
# Said when a GPU is not there any more, with and without Xid 79 (open-gpu-kernel-modules: nv.c, osapi.c).
_OFF_BUS = re.compile(rf"NVRM:(?: GPU ({_ADDRESS}):)?.*?fallen off the bus")
_NAMED = re.compile(rf"NVRM: The NVIDIA GPU ({_ADDRESS})")
_OFF_BUS_CODE = 79
_SERIAL = re.compile(rf"NVRM: GPU ({_ADDRESS}): GPU serial number is (\w+)")
_GPU_AT = re.compile(rf"NVRM: GPU at PCI:({_ADDRESS}): ")
_BOARD = re.compile(r"NVRM: GPU Board Serial Number: (\w+)")
_EDAC = re.compile(r"EDAC (MC\d+): (?:(\d{1,9}) )?(CE|UE) (.*)$")
_LIMITED = re.compile(
    rf"mlx5_core ({_ADDRESS}): .*limited by (.*?PCIe x\d+) link.*\(capable of .*? with (.*?PCIe x\d+) link\)"
)
_MARKERS = (
    "Xid (", "EDAC MC", "limited by", "serial number is", "GPU at PCI", "Board Serial Number", "fallen off the bus",
    "The NVIDIA GPU ",
)  # fmt: skip
_START = re.compile(r"^-- (?:Boot [0-9a-f]{32}|Reboot) --\n", re.MULTILINE)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def parse_kernel_log(text: str) -> KernelLog:
    """Raises ParseError when this is no kernel log: no line looks like one."""
    if not text.strip():
        raise ParseError(WHERE, "the log is empty")
    given = text
    text = _newest_start(plain(text))
    lines = text.splitlines()
    if not any(_LOG_LINE.match(line) for line in lines[:20]) and not any(_LOG_LINE.match(line) for line in lines):
        first = (lines or given.strip().splitlines())[0]
        raise ParseError(WHERE, f"not a kernel log: {first.strip()[:200]}")
    if not any(marker in text for marker in _MARKERS):
        return KernelLog(lines=len(lines), text=text)
    return replace(_read(lines), text=text)


def _newest_start(text: str) -> str:
    """Of a journal with `-- Boot ... --` between its starts what belongs to the newest, by the stamps of both ends (it
    may be printed backwards); all of it where the stamps do not say."""
    parts = [part for part in _START.split(text) if part.strip()]
    if len(parts) < 2:
        return text
    first, last = _first_clock(parts[0]), _first_clock(parts[-1])
    if first is None or last is None or first == last:
        return text
    return parts[-1] if first < last else parts[0]


def _first_clock(part: str) -> float | None:
    return next((at for line in part.splitlines() if (at := stamp_of(line)[1]) is not None), None)


def _read(lines: list[str]) -> KernelLog:
    xids: list[Xid] = []
    sxids: list[SXid] = []
    memory: list[MemoryError] = []
    limited: list[LimitedLink] = []
    serials: dict[str, str] = {}
    address_before = named = ""
    for line, at in _stamped(lines):
        if found := _XID.search(line):
            xids.append(
                Xid(found.group(1), int(found.group(3)), found.group(4).strip(), line.strip(), *at, found.group(2))
            )
        elif found := _SXID.search(line):
            if sxid := _sxid(found, line.strip(), at):
                sxids.append(sxid)
        elif found := _EDAC.search(line):
            place = f"{found.group(1)}: {found.group(4)}".strip()
            memory.append(MemoryError(found.group(3) == "UE", place, line.strip(), *at, int(found.group(2) or 1)))
        elif found := _LIMITED.search(line):
            limited.append(LimitedLink(found.group(1), found.group(2), found.group(3), line.strip(), *at))
        elif found := _GPU_AT.search(line):
            address_before = found.group(1)
        elif (found := _BOARD.search(line)) and address_before:
            serials[address_before] = found.group(1)
        elif found := _SERIAL.search(line):
            serials[found.group(1)] = found.group(2)
        elif found := _NAMED.search(line):
            named = found.group(1)
        elif found := _OFF_BUS.search(line):
            address = found.group(1) or named
            xids.append(Xid(address, _OFF_BUS_CODE, "GPU has fallen off the bus", line.strip(), *at, in_words=True))
    return KernelLog(tuple(xids), tuple(sxids), tuple(memory), tuple(limited), tuple(serials.items()), len(lines))


def is_event(body: str) -> bool:
    """Whether a line is one that is taken apart here, and judged by the check of its kind."""
    return any(kind.search(body) for kind in (_XID, _SXID, _EDAC, _LIMITED, _OFF_BUS, _NAMED))


def _sxid(found: re.Match[str], line: str, at: tuple[int | None, float | None]) -> SXid | None:
    detail = found.group(3).strip()
    if detail.startswith(("Severity", "Data")):
        return None
    word, _, rest = detail.partition(",")
    fatal = {"fatal": True, "non-fatal": False, "nonfatal": False}.get(word.strip().lower())
    return SXid(found.group(1), int(found.group(2)), fatal, rest.strip() if fatal is not None else detail, line, *at)


def _stamped(lines: list[str]) -> Iterator[tuple[str, tuple[int | None, float | None]]]:
    for line in lines:
        if any(marker in line for marker in _MARKERS):
            yield line, stamp_of(line)


def stamp_of(line: str) -> tuple[int | None, float | None]:
    """(microseconds since boot, seconds of wall clock): whichever the line has."""
    if found := _MONOTONIC.search(line):
        return int(found.group(1)) * 1_000_000 + int(found.group(2)), None
    try:
        if found := _UNIX.search(line):
            return None, float(found.group(1))
        if found := _ISO.search(line):
            zone = (found.group(3) or "+00:00").replace("Z", "+00:00")
            fraction = float(f"0.{found.group(2) or 0}")
            return None, datetime.fromisoformat(found.group(1) + zone).timestamp() + fraction
        if found := _CTIME.search(line):
            # The stamp has no zone; only differences are used, so any fixed one will do.
            return None, datetime.strptime(found.group(1) + " +0000", "%a %b %d %H:%M:%S %Y %z").timestamp()
        if found := _SYSLOG.search(line):
            month, day, hour, minute, second = found.groups()
            # A syslog stamp has no year: the seconds since the start of a leap year order lines within one.
            days = datetime(2024, _MONTHS.index(month) + 1, int(day)).timetuple().tm_yday
            return None, float(days * 86400 + int(hour) * 3600 + int(minute) * 60 + int(second))
    except (ValueError, OverflowError):
        return None, None
    return None, None
