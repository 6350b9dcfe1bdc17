"""What is mounted and how, ZFS pools, and the tree of block devices: /proc/mounts, `zpool status`, `lsblk -J`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from health.checks.parsers import ParseError, json_in

MOUNTS = "/proc/mounts"
ZPOOL = "zpool status"
LSBLK = "lsblk -J"

_OCTAL = re.compile(r"\\([0-7]{3})")
_POOL = re.compile(r"^ *pool: (\S+)\s*$", re.MULTILINE)
_STATE = re.compile(r"^ *state: (\S+)\s*$", re.MULTILINE)
_ERRORS = re.compile(r"^ *errors: (.+?)\s*$", re.MULTILINE)
_ROW = re.compile(
    r"^ {8}( *)(\S+) +(ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|AVAIL|INUSE)(?: +(\S+) +(\S+) +(\S+))?(.*)$"
)
_MOUNT_LINE = re.compile(
    r"^(?P<source>\S+) on (?P<path>/.*?) type (?P<kind>\S+) \((?P<options>r[ow][^)]*)\)(?: \[.*\])?$"
)
_FINDMNT_LINE = re.compile(
    r"^[ │├└─|`-]*(?P<path>/\S*)\s+(?P<source>\S+)\s+(?P<kind>[\w.-]+)\s+(?P<options>r[ow](?:,\S*)?)\s*$"
)
_SIZE = re.compile(r"^(\d+(?:\.\d+)?)([BKMGTP]?)$")
_BYTES = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}


@dataclass(frozen=True)
class MountedAt:
    source: str
    path: str
    kind: str
    options: frozenset[str]


def parse_mount_table(text: str) -> tuple[MountedAt, ...]:
    """/proc/mounts, `mount`, and `findmnt` as a raw list, a plain list or a tree."""
    rows = [_row(line) for line in text.splitlines()]
    found = tuple(
        MountedAt(_plain(row[0]), _plain(row[1]), row[2], frozenset(row[3].split(",")))
        for row in rows
        if len(row) == 6 and row[1].startswith("/") and {"rw", "ro"} & set(row[3].split(","))
    )
    if not found:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(MOUNTS, f"no table of mounts: {first[:200]}")
    return found


def _row(line: str) -> list[str]:
    """A line in the order of /proc/mounts."""
    if found := _MOUNT_LINE.match(line) or _FINDMNT_LINE.match(line):
        told = found.groupdict()
        return [told["source"], told["path"], told["kind"], told["options"], "0", "0"]
    return line.split(" ")


def _plain(word: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found.group(1), 8)), word)


@dataclass(frozen=True)
class PoolRow:
    """A line of a pool's tree: the pool, a group, or a drive. Counters are as printed (`0`, `1.2K`)."""

    name: str
    state: str
    depth: int
    counters: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Pool:
    """`errors` None means that the output was cut before the pool's last line."""

    name: str
    state: str | None
    rows: tuple[PoolRow, ...] = ()
    errors: str | None = None

    @property
    def drives(self) -> tuple[PoolRow, ...]:
        """Rows that have none beneath them."""
        return tuple(
            row
            for n, row in enumerate(self.rows)
            if row.depth and (n + 1 == len(self.rows) or self.rows[n + 1].depth <= row.depth)
        )


def parse_zpool(text: str) -> tuple[Pool, ...]:
    """An empty tuple where the tool says that there are no pools."""
    if re.search(r"^no pools available\s*$", text, re.MULTILINE):
        return ()
    starts = list(_POOL.finditer(text))
    if not starts:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(ZPOOL, f"no pool in the answer: {first[:200]}")
    ends = [found.start() for found in starts[1:]] + [len(text)]
    return tuple(_pool(found.group(1), text[found.end() : end]) for found, end in zip(starts, ends, strict=True))


def _pool(name: str, text: str) -> Pool:
    state, errors = _STATE.search(text), _ERRORS.search(text)
    rows = []
    for line in text.expandtabs(8).splitlines():
        if found := _ROW.match(line):
            pad, row, word, *counters, note = found.groups()
            rows.append(PoolRow(row, word, len(pad) // 2, tuple(c for c in counters if c is not None), note.strip()))
    return Pool(name, state.group(1) if state else None, tuple(rows), errors.group(1) if errors else None)


@dataclass(frozen=True)
class BlockDevice:
    """A device of lsblk. `size_bytes` None is not told."""

    name: str
    kind: str
    size_bytes: int | None
    read_only: bool | None
    mounts: tuple[str, ...] = ()
    children: tuple[BlockDevice, ...] = field(default=())


def parse_lsblk(text: str) -> tuple[BlockDevice, ...]:
    try:
        rows = json_in(text)["blockdevices"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(LSBLK, f"no list of block devices: {first[:200]}") from error
    if not isinstance(rows, list):
        raise ParseError(LSBLK, "no list of block devices")
    return tuple(_devices(rows))


def _devices(rows: Any, depth: int = 0) -> Iterator[BlockDevice]:
    for row in rows if isinstance(rows, list) and depth < 20 else ():
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            continue
        mounts = row.get("mountpoints", [row.get("mountpoint")])
        yield BlockDevice(
            name=row["name"],
            kind=str(row.get("type", "")),
            size_bytes=_size(row.get("size")),
            read_only=_flag(row.get("ro")),
            mounts=tuple(each for each in mounts if isinstance(each, str)) if isinstance(mounts, list) else (),
            children=tuple(_devices(row.get("children"), depth + 1)),
        )


def _flag(value: Any) -> bool | None:
    """Newer versions print true and false, older ones "1" and "0"."""
    if isinstance(value, bool):
        return value
    return {"1": True, "0": False}.get(value) if isinstance(value, str) else None


def _size(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _SIZE.match(value) if isinstance(value, str) else None
    return int(float(found.group(1)) * _BYTES[found.group(2)]) if found else None
