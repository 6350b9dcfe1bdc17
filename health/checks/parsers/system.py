"""Memory and swap, kernel and release, systemd units, and which mirrors answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from health.checks.parsers import ParseError

MEMINFO = "/proc/meminfo"
SWAPON = "swapon --show"
RELEASE = "kernel and release"
UNITS = "systemctl"
MIRRORS = "curl"

_MEMINFO_ROW = re.compile(r"^(MemTotal|SwapTotal):\s+(\d+) kB$", re.MULTILINE)
_FREE_ROW = re.compile(r"^(Mem|Swap):\s+(\d+(?:\.\d+)?)([KMGT]?)(i?B?)\s", re.MULTILINE)
_FREE_UNIT = re.compile(r" -\w*([bkmg])\b| --(bytes|kibi|mebi|gibi)\b")
# No machine of a fleet has less than 8 GiB, and none has 8 PiB: a smaller number is in mebibytes or more.
_LEAST_KIB = 8 * 1024**2
_SWAP_SIZE = re.compile(r"^(\d+(?:\.\d+)?)([KMGT]?)i?B?$")
_KIB = {"": 1 / 1024, "K": 1, "M": 1024, "G": 1024**2, "T": 1024**3}
_RELEASE_FIELD = re.compile(r'^(?:export )?([A-Z_]+)="?([^"\n]*)"?$', re.MULTILINE)
_LSB_FIELD = re.compile(r"^(Distributor ID|Description|Release|Codename):\s*(.+?)\s*$", re.MULTILINE)
_KERNEL = re.compile(r"^(?:Linux \S+ )?(\d+\.\d+(?:\.\d+)?[\w.+~-]*)(?: #.*)?$", re.MULTILINE)
_UNIT_ROW = re.compile(r"^\W*\s*([\w@.\\:-]+\.\w+)\s+(\S+)\s+(\S+)\s+(\S+)")
_UNITS_END = re.compile(r"^(\d+) loaded units? listed", re.MULTILINE)
_UNIT_WORDS = frozenset(
    {"active", "reloading", "inactive", "failed", "activating", "deactivating", "maintenance", "unknown"}
)
_MIRROR_ROW = re.compile(r"^(https?://\S+) (\d{3})\s*$", re.MULTILINE)


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no output")[:200]


@dataclass(frozen=True)
class MemoryUse:
    """Kibibytes; None is what this output does not tell."""

    total_kib: int | None = None
    swap_kib: int | None = None


def parse_meminfo(text: str, command: str = "") -> MemoryUse:
    """/proc/meminfo, or `free` in any unit: that of its numbers (`-h`), else the command's, else kibibytes. Raises
    ParseError, also for numbers too small to be kibibytes: `free -m` or `-g` was saved and nothing says so."""
    found = dict(_MEMINFO_ROW.findall(text))
    if not found and (rows := _FREE_ROW.findall(text)) and "total" in text[:200]:
        return _free(rows, command)
    if not found:
        raise ParseError(MEMINFO, f"no memory in the answer: {_first(text)}")
    total, swap = (int(found[name]) if name in found and len(found[name]) < 20 else None
                   for name in ("MemTotal", "SwapTotal"))  # fmt: skip
    return MemoryUse(total, swap)


def _free(rows: Sequence[tuple[str, str, str, str]], command: str) -> MemoryUse:
    told = _FREE_UNIT.search(command)
    given = (told.group(1) or told.group(2)[0]).upper().replace("B", "") if told else "K"
    bare = not told and not any(unit or mark for *_, unit, mark in rows)
    if bare and max(float(n) for _, n, *_ in rows) < _LEAST_KIB:
        raise ParseError(
            MEMINFO, "the unit of these numbers is not reported; save the output with its command (free -g)"
        )
    kib = {name: round(float(n) * _KIB[unit if unit or mark else given]) for name, n, unit, mark in rows}
    return MemoryUse(kib.get("Mem"), kib.get("Swap"))


def parse_swapon(text: str) -> MemoryUse:
    """`swapon --show`, with or without head and bytes, and /proc/swaps. No line at all means no swap."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    proc = bool(lines) and lines[0][:1] == ["Filename"]
    rows = lines[1:] if lines and lines[0][:1] in (["NAME"], ["Filename"]) else lines
    total = 0.0
    for row in rows:
        size = _SWAP_SIZE.match(row[2]) if len(row) >= 4 and row[1] in ("partition", "file") else None
        if not size:
            raise ParseError(SWAPON, f"not a list of swap: {' '.join(row)[:200]}")
        total += float(size.group(1)) * (1 if proc else _KIB[size.group(2)])
    return MemoryUse(swap_kib=round(total))


@dataclass(frozen=True)
class Release:
    """The running kernel and the distribution; None is what this output does not tell."""

    kernel: str | None = None
    system: str | None = None
    version: str | None = None


def parse_release(text: str) -> Release:
    """`cat /proc/sys/kernel/osrelease /etc/os-release`, either alone, `uname -r`, `uname -a`, or `lsb_release -a`."""
    fields = dict(_RELEASE_FIELD.findall(text))
    lsb = dict(_LSB_FIELD.findall(text))
    kernel = _KERNEL.search(text)
    pretty = fields.get("PRETTY_NAME") or lsb.get("Description")
    version = _version(pretty) or fields.get("VERSION_ID") or lsb.get("Release")
    if not pretty and not kernel:
        raise ParseError(RELEASE, f"neither kernel nor release in the answer: {_first(text)}")
    return Release(kernel.group(1) if kernel else None, pretty, version)


def image_of(text: str) -> str:
    """Distribution and kernel in one name, such as `Ubuntu 22.04.4 LTS, 5.15.0-105-generic`; empty without both."""
    try:
        found = parse_release(text)
    except ParseError:
        return ""
    return f"{found.system}, {found.kernel}"[:200] if found.system and found.kernel else ""


def _version(pretty: str | None) -> str | None:
    found = re.search(r"\d+(?:\.\d+)+", pretty or "")
    return found.group() if found else None


def parse_failed_units(text: str) -> tuple[str, ...]:
    """`systemctl --failed`: the names of the units; the count at its end must be there and right."""
    end = _UNITS_END.search(text)
    if not end:
        raise ParseError(UNITS, f"the list of units is not whole: {_first(text)}")
    rows = (_UNIT_ROW.match(line) for line in text[: end.start()].splitlines())
    units = tuple(row.group(1) for row in rows if row and row.group(3) == "failed")
    if len(units) != int(end.group(1)):
        raise ParseError(UNITS, f"{len(units)} units are listed, {end.group(1)} were counted")
    return units


def parse_unit_states(text: str, command: str) -> dict[str, str]:
    """`systemctl is-active UNIT...`: the state of each unit the command names, in its order."""
    words = text.split()
    units = [word.removesuffix(".service") for word in _after(command.split(), "is-active") if word[0] != "-"]
    if not words or any(word not in _UNIT_WORDS for word in words):
        raise ParseError(UNITS, f"no unit state in the answer: {_first(text)}")
    if len(words) != len(units):
        raise ParseError(UNITS, f"{len(words)} states for {len(units)} units")
    return dict(zip(units, words, strict=True))


def _after(words: Sequence[str], mark: str) -> Sequence[str]:
    return words[words.index(mark) + 1 :] if mark in words else ()


def parse_mirrors(text: str) -> dict[str, int]:
    """`URL STATUS` lines: the HTTP status by URL, 0 where nothing answered."""
    found = {url: int(status) for url, status in _MIRROR_ROW.findall(text)}
    if not found:
        raise ParseError(MIRRORS, f"no URL with a status in the answer: {_first(text)}")
    return found
