"""Kernel logs in forms for programs, rewritten as plain `dmesg` prints them.

/dev/kmsg (`priority,number,microseconds,flags;text`, then ` KEY=value` lines; Linux ABI/testing/dev-kmsg),
`journalctl -o json`, `json-seq` and `json-pretty` (systemd, Journal Export Formats), `dmesg --json` (util-linux 2.38);
and those for people: colours, `dmesg -H` and `-e` (a minute, then what passed since the line before), `-d`.
What cannot be read is left as it is, line by line: a cut or foreign line is never dropped. Of a journal in JSON that
holds several starts only the newest counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

_KMSG = re.compile(r"^(\d{1,6}),\d+,(\d{1,18}),[^;]{0,200};(.*)$")
_KMSG_KEY = re.compile(r"^ [A-Z_]+=")
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")
_JSON = re.compile(r"^[ \t\x1e]*\{", re.MULTILINE)
# The text of an entry that is cut off or that stands in a document that is.
_SAID = re.compile(r"\"(?:MESSAGE|msg)\"\s*:\s*\"((?:[^\"\\]|\\.)*)")
_BOOT = re.compile(r"\"_BOOT_ID\"\s*:\s*\"([0-9a-f]{32})\"")
_REALTIME = re.compile(r"\"__REALTIME_TIMESTAMP\"\s*:\s*\"(\d{1,17})\"")
_DECODER = json.JSONDecoder()
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
# `dmesg -d`: `[12345.123456 <    0.000012>]`; with -T `[Wed Oct  8 21:10:11 2025 <    0.000012>]`.
_DELTA = re.compile(r"^((?:\w+\s*:\w+\s*:\s*)?\[[^\]<>\n]{1,40}?) +<[ +]*\d+\.\d+>\]", re.MULTILINE)
# `dmesg -H` and `-e`: `[Oct 8 21:10]` begins a minute, `[  +0.000312]` follows the line before.
_MINUTE = re.compile(r"^(?:\w+\s*:\w+\s*:\s*)?\[([A-Z][a-z]{2}) ?(\d{1,2}) (\d\d):(\d\d)\] ?")
_SINCE = re.compile(r"^(?:\w+\s*:\w+\s*:\s*)?\[ *\+(\d+\.\d+)\] ?")


def plain(text: str) -> str:
    """The log with one line `[seconds] text` per message of a form for programs; other lines as they are."""
    if "\x1b[" in text:
        text = _COLOUR.sub("", text)
    if _JSON.search(text):
        text = "\n".join(_without_json(text))
    text = _DELTA.sub(r"\1]", text)
    lines = text.splitlines()
    if any(_MINUTE.match(line) for line in lines[:200]):
        return "\n".join(_without_since(lines))
    if not any(_KMSG.match(line) for line in lines):
        return text
    return "\n".join(_without_kmsg(lines))


def _without_since(lines: list[str]) -> Iterator[str]:
    """Stamps of a syslog: the minute that was told last and what passed since, as far as whole seconds go."""
    day, seconds = "Jan  1", 0.0
    for line in lines:
        if found := _MINUTE.match(line):
            day, seconds = f"{found[1]} {int(found[2]):2d}", int(found[3]) * 3600.0 + int(found[4]) * 60.0
        elif found := _SINCE.match(line):
            seconds = min(seconds + float(found[1]), 86_399.0)
        else:
            yield line
            continue
        at = int(seconds)
        yield f"{day} {at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d} kernel: {line[found.end() :]}"


def _without_kmsg(lines: list[str]) -> Iterator[str]:
    in_record = False
    for line in lines:
        if found := _KMSG.match(line):
            in_record = True
            said = _ESCAPE.sub(lambda escape: chr(int(escape.group(1), 16)), found.group(3))
            for piece in said.splitlines() or [""]:
                yield f"{_monotonic(int(found.group(2)))} {piece}"
        elif not (in_record and _KMSG_KEY.match(line)):
            in_record = False
            yield line


def _without_json(text: str) -> Iterator[str]:
    """Objects one after another, on a line each or over several; between them may be lines of any other form."""
    at, newest = 0, _newest_start(text)
    while found := _JSON.search(text, at):
        yield from text[at : found.start()].splitlines()
        begin = found.end() - 1
        try:
            entry, at = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            end = text.find("\n", begin)
            at = len(text) if end < 0 else end
            yield from _cut_off(text[begin:at])
            continue
        if newest is None or not isinstance(entry, Mapping) or entry.get("_BOOT_ID", newest) == newest:
            yield from _entries(entry, text[begin:at])
    yield from (piece for line in text[at:].splitlines() for piece in _cut_off(line))


def _newest_start(text: str) -> str | None:
    """The start of the newest entry, where there are several; entries may come in either order (`journalctl -r`)."""
    starts: dict[str, int] = {}
    for found in _BOOT.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : (text.find("\n", found.end()) + 1 or len(text))]
        if (at := _REALTIME.search(line)) is None:
            return None
        starts[found.group(1)] = max(int(at.group(1)), starts.get(found.group(1), 0))
    return max(starts, key=lambda start: starts[start]) if len(starts) > 1 else None


def _cut_off(line: str) -> Iterator[str]:
    if not (found := _SAID.search(line)):
        if line.strip():
            yield line
        return
    said = found.group(1)
    with suppress(ValueError):
        said = str(json.loads(f'"{said}"', strict=False))
    yield from (f"kernel: {piece}" for piece in said.splitlines())


def _entries(entry: Any, raw: str) -> Iterator[str]:
    """The lines of an object: an entry of the journal, or the document of `dmesg --json`."""
    rows = entry.get("dmesg") if isinstance(entry, Mapping) else None
    if isinstance(rows, list):
        for row in rows:
            said = row.get("msg") if isinstance(row, Mapping) else None
            time = row.get("time") if isinstance(row, Mapping) else None
            stamp = _monotonic(round(time * 1e6)) if isinstance(time, float | int) and 0 <= time < 1e12 else "kernel:"
            yield from (f"{stamp} {piece}" for piece in str(said if said is not None else row).splitlines())
        return
    message = _message(entry)
    if message is None:
        yield from raw.splitlines()
        return
    program = _program(entry)
    for piece in message.splitlines():
        yield f"{_stamp(entry)} {program}{piece}"


def _message(entry: Any) -> str | None:
    """The text of a journal's entry; one with bytes that are no text is a list of numbers there."""
    said = entry.get("MESSAGE") if isinstance(entry, Mapping) else None
    if isinstance(said, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in said):
        return bytes(said).decode("utf-8", "replace")
    return said if isinstance(said, str) else None


def _program(entry: Mapping[str, Any]) -> str:
    name = entry.get("SYSLOG_IDENTIFIER") or entry.get("_COMM")
    if entry.get("_TRANSPORT") == "kernel" or not name or name == "kernel":
        return ""
    number = entry.get("SYSLOG_PID") or entry.get("_PID")
    return f"{name}[{number}]: " if number else f"{name}: "


def _stamp(entry: Mapping[str, Any]) -> str:
    for key in ("_SOURCE_MONOTONIC_TIMESTAMP", "__MONOTONIC_TIMESTAMP"):
        if (value := _digits(entry.get(key))) is not None:
            return _monotonic(value)
    value = _digits(entry.get("_SOURCE_REALTIME_TIMESTAMP") or entry.get("__REALTIME_TIMESTAMP"))
    if value is None:
        return "kernel:"
    return datetime.fromtimestamp(value / 1e6, UTC).isoformat(timespec="microseconds")


def _digits(value: Any) -> int | None:
    """Microseconds as the journal writes them, up to the year 5138."""
    return int(value) if isinstance(value, str | int) and re.fullmatch(r"[0-9]{1,17}", str(value)) else None


def _monotonic(microseconds: int) -> str:
    return f"[{microseconds // 1_000_000:5d}.{microseconds % 1_000_000:06d}]"
