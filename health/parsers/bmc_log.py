"""A BMC's log in any form: `racadm lclog view`, `racadm getsel`, `ipmitool sel elist`, Redfish log entries as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from health.parsers import ParseError

WHERE = "BMC log"

_PAIR = re.compile(r"^\s*([A-Za-z][A-Za-z/ ]*?)\s*[=:]\s(.*?)\s*$")
_RULE = re.compile(r"^-{5,}\s*$", re.MULTILINE)
_IPMI = re.compile(
    r"^\s*([0-9a-f]+) \| ([\d/]+|Pre-Init\s*) \|\s*([\d: A-Z]*?)\s*\| ([^|]+?) \| ([^|]+?)"
    r"(?: \| (Asserted|Deasserted))?\s*$"
)
_CRITICAL_WORDS = re.compile(r"(?i)critical|fail|lost|uncorrectable|fatal|fault|non-recoverable")
_NAMES = {
    "seqnumber": "id", "record": "id", "message id": "message_id", "severity": "severity", "timestamp": "at",
    "date/time": "at", "message": "message", "description": "message", "fqdd": "fqdd",
}  # fmt: skip
_SEVERITIES = {"ok": "ok", "informational": "ok", "info": "ok", "normal": "ok", "warning": "warning",
               "non-critical": "warning", "critical": "critical", "non-recoverable": "critical"}  # fmt: skip


@dataclass(frozen=True)
class LogEntry:
    """`severity` is ok, warning or critical, None where the entry does not tell; `at` is as printed.

    `read_us` is when the collector read it first, in microseconds since 1970: a BMC's own clock may be wrong by years.
    """

    id: str
    severity: str | None
    message: str
    message_id: str = ""
    at: str = ""
    fqdd: str = ""
    cleared: bool = False
    read_us: int | None = None


@dataclass(frozen=True)
class BmcLog:
    """The entries of a BMC's logs that are still to be judged, oldest first; `trouble` says why there may be more.

    `has_log` is False where the BMC offers none.
    """

    entries: tuple[LogEntry, ...] = ()
    trouble: str = ""
    has_log: bool = True


def parse_bmc_log(text: str) -> tuple[LogEntry, ...]:
    """Oldest first. An empty log that says so is an empty tuple. Raises ParseError for what is no log."""
    if text.lstrip().startswith(("{", "[")):
        entries = _redfish(text)
    elif re.search(r"(?i)^SEL has no entries|^no records|^there are no|No log records", text, re.MULTILINE):
        return ()
    elif re.search(r"^\s*[0-9a-f]+ \| ", text, re.MULTILINE):
        entries = [_ipmi(found) for line in text.splitlines() if (found := _IPMI.match(line))]
    else:
        entries = list(_blocks(text))
    if not entries:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(WHERE, f"no entry in the answer: {first[:200]}")
    return tuple(sorted(entries, key=lambda entry: (entry.at, _number(entry.id))))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 12 else 0


def _blocks(text: str) -> Iterator[LogEntry]:
    for block in _RULE.split(text):
        told: dict[str, str] = {}
        for line in block.splitlines():
            found = _PAIR.match(line)
            if found and (name := _NAMES.get(found.group(1).strip().lower())):
                told.setdefault(name, found.group(2))
        if {"id", "message_id", "severity"} & told.keys():
            yield LogEntry(
                id=told.get("id", ""),
                severity=_SEVERITIES.get(told.get("severity", "").lower()),
                message=told.get("message", ""),
                message_id=told.get("message_id", ""),
                at=told.get("at", ""),
                fqdd=told.get("fqdd", ""),
            )


def _ipmi(found: re.Match[str]) -> LogEntry:
    """The date as year, month, day, so that entries can be put in order; the tool tells no severity."""
    number, date, clock, sensor, said, direction = found.groups()
    month, _, rest = date.partition("/")
    day, _, year = rest.partition("/")
    message = f"{sensor}: {said}"
    return LogEntry(
        id=str(int(number, 16)),
        severity="critical" if _CRITICAL_WORDS.search(message) else "ok",
        message=message,
        at=f"{year}-{month}-{day} {clock}" if year else "",
        cleared=direction == "Deasserted",
    )


def _redfish(text: str) -> list[LogEntry]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(WHERE, "not JSON, or cut off") from error
    rows = data.get("Members", [data]) if isinstance(data, dict) else data
    if not isinstance(rows, list):
        return []
    return [entry_of(row) for row in rows if isinstance(row, Mapping) and {"Severity", "MessageId"} & row.keys()]


def entry_of(row: Mapping[str, Any]) -> LogEntry:
    """One Redfish LogEntry; fields of a wrong type are as if absent."""

    def word(name: str) -> str:
        value = row.get(name)
        return value if isinstance(value, str) else ""

    links, oem = row.get("Links"), row.get("Oem")
    dell = oem.get("Dell") if isinstance(oem, Mapping) else None
    origin = links.get("OriginOfCondition") if isinstance(links, Mapping) else None
    fqdd = dell.get("FQDD") if isinstance(dell, Mapping) else None
    source = origin.get("@odata.id") if isinstance(origin, Mapping) else None
    told = next((each for each in (fqdd, source) if isinstance(each, str)), "")
    return LogEntry(
        id=word("Id"),
        severity=_SEVERITIES.get(word("Severity").lower()),
        message=word("Message"),
        message_id=word("MessageId").rpartition(".")[2],
        at=word("Created"),
        fqdd=told,
        cleared=row.get("Resolved") is True or word("EntryCode") == "Deassert",
    )
