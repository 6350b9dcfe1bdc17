"""A line of a training log without what launchers put before it: which rank wrote it, on which machine, and when.

Prefixes: torchrun `--tee 3` (`[default3]:`, role and local rank), PyTorch 2.5 and later (`[rank12]:`), `srun --label`
(`7: `), Open MPI `--tag-output` (`[1,3]<stderr>:`), the journal (`-o short-iso`). Machines: NCCL
(`host:pid:tid [dev]`), syslog.
"""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime
from typing import NamedTuple

LONGEST = 4096
"""Bytes of a line that are read, half of them from its end; logs hold lines of 100 MB."""
MOST_HEAD_LINES = 400
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_PREFIX = re.compile(
    r"(?:\[rank(?P<rank>\d+)\]:"
    r"|\[(?P<role>[A-Za-z_]+?)(?P<local>\d+)\]:"
    r"|\[\d+,(?P<mpi>\d+)\]<\w+>:?"
    r"|(?P<task>\d{1,5}): ) ?"
)
_RANK = re.compile(r"\b(?:Rank|rank) ?[=:]? ?(\d+)\b")
_C10D_RANK = re.compile(r"\[(?:PG .*?)?Rank (\d+)\]")
_NCCL = re.compile(r"(?:^|[\s:])([A-Za-z][\w.-]*):(\d+):(\d+) \[(\d+)\]")
_SYSLOG = re.compile(r"^[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d (\S+) (?:kernel|slurmd|slurmctld)\b")
_JOURNAL = re.compile(r"^\d{4}-\d\d-\d\dT\S+ (\S+) (?:kernel|slurmd|slurmctld)(?:\[\d+\])?: ")
_HOST = re.compile(r"(?:node: |Node=|on (?:node )?|host(?:name)?[=:] ?)([A-Za-z][\w.-]*\d[\w.-]*)")


class Line(NamedTuple):
    """`text` has no prefix left; `raw` is what stands in the file, without colours. Numbers count from 1."""

    number: int
    text: str
    raw: str
    rank: int | None = None
    local: int | None = None
    machine: str | None = None


def clean(data: bytes) -> str:
    """What a terminal shows of the line at its end: without colours, after the last carriage return."""
    if b"\r" in data:
        data = data.rstrip(b"\r").rsplit(b"\r", 1)[-1]
    if len(data) > LONGEST:
        data = data[: LONGEST // 2] + b" .. " + data[-LONGEST // 2 :]
    text = data.decode("utf-8", "replace")
    return _ANSI.sub("", text) if "\x1b" in text else text


def line_of(number: int, data: bytes) -> Line:
    raw = clean(data)
    text, rank, local = raw, None, None
    for _ in range(4):
        found = _PREFIX.match(text)
        if not found:
            break
        named = found.groupdict()
        if named["rank"] or named["mpi"]:
            rank = int(named["rank"] or named["mpi"])
        elif named["local"]:
            local = int(named["local"])
        elif text is not raw:  # a number and a colon within the line is no task of srun
            break
        text = text[found.end() :]
    if rank is None and (inside := _C10D_RANK.search(text)):
        rank = int(inside[1])
    machine = None
    if journal := _JOURNAL.match(text):
        return Line(number, text[journal.end() :], raw, rank, local, journal[1])
    if " [" in text and (nccl := _NCCL.search(text)):
        machine = nccl[1]
        local = int(nccl[4]) if local is None else local
    elif syslog := _SYSLOG.match(text):
        machine = syslog[1]
    return Line(number, text, raw, rank, local, machine)


def rank_named(text: str) -> int | None:
    """The rank that a message names somewhere ("Rank 11: found NaN")."""
    found = _RANK.search(text)
    return int(found[1]) if found else None


def machine_named(text: str) -> str | None:
    found = _HOST.search(text)
    return found[1] if found else None


_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T_ ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
_DMESG = re.compile(r"\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d+) (\d\d):(\d\d):(\d\d) (\d{4})\]")
_MONTH_NAME = re.compile(r"^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?")
_GLOG = re.compile(r"(?:^|\[)[IWEF](\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})")
_MONTHS = {calendar.month_abbr[number]: number for number in range(1, 13)}


def time_of(text: str, year: int) -> datetime | None:
    """The moment that a line gives, as UTC; `year` is taken where the format has none. None where there is none."""
    try:
        if found := _GLOG.search(text):
            month, day, hour, minute, second, fraction = found.groups()
            return _moment(year, int(month), int(day), hour, minute, second, fraction)
        if found := _ISO.search(text):
            y, month, day, hour, minute, second, fraction = found.groups()
            return _moment(int(y), int(month), int(day), hour, minute, second, fraction)
        if found := _DMESG.search(text):
            name, day, hour, minute, second, y = found.groups()
            return _moment(int(y), _MONTHS[name], int(day), hour, minute, second, None)
        if found := _MONTH_NAME.match(text):
            name, day, hour, minute, second, fraction = found.groups()
            return _moment(year, _MONTHS[name], int(day), hour, minute, second, fraction)
    except (ValueError, KeyError):  # not a date after all
        return None
    return None


def _moment(year: int, month: int, day: int, hour: str, minute: str, second: str, fraction: str | None) -> datetime:
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    return datetime(year, month, day, int(hour), int(minute), int(second), micro, tzinfo=UTC)


def first_time(head: bytes) -> datetime | None:
    """The first moment that the beginning of a file gives with its year."""
    for data in head.splitlines()[:MOST_HEAD_LINES]:
        text = clean(data)
        if (year := year_in(text)) is not None:
            return time_of(text, year)
    return None


def year_in(text: str) -> int | None:
    found = _ISO.search(text) or _DMESG.search(text)
    if not found:
        return None
    return int(found[1] if found.re is _ISO else found[6])
