"""A BMC's log in any form: `racadm lclog view`, `racadm getsel`, `ipmitool sel elist`, Redfish log entries as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from drivers.dialects import DIALECTS
from health.checks.parsers import ParseError

WHERE = "BMC log"

_PAIR = re.compile(r"^\s*([A-Za-z][A-Za-z/ ]*?)\s*[=:]\s(.*?)\s*$")
_RULE = re.compile(r"^-{5,}\s*$", re.MULTILINE)
_IPMI = re.compile(r"^\s*([0-9a-fA-F]+)\s*\|")
# What a sensor's type says in its own name is no state of it: `Critical Interrupt` may tell of a corrected error.
_TYPES = re.compile(r"^(?:Critical Interrupt|OS Critical Stop|Event Logging Disabled)\b")
_CRITICAL_WORDS = re.compile(
    r"(?i)critical|fail|lost|uncorrectable|fatal|fault|non-recoverable|thermal trip|ierr\b|absent|predictive|no longer"
    r"|\berror\b|mismatch|aborted|insufficient|overtemperature|limit exceeded"
    r"|watchdog.*: (?:hard reset|power (?:down|cycle))"
)
# States of which the well one takes back every other of the same sensor (IPMI 2.0, table 42-2, generic event types).
_WELL_AGAIN = re.compile(
    r"(?i)^(?:transition to ok|state deasserted|limit not exceeded|performance met|predictive failure deasserted"
    r"|device enabled)$"
)
# Some say in the message itself that a state is over, as Lenovo's XCC does.
_OVER = re.compile(r"(?i)\bhas deasserted\b|\bno longer predicted\b")
# States that are well while they are asserted: a part that is there, supplies that stand in for each other.
_WELL_WHILE_ASSERTED = re.compile(r"(?i)^(?:(?:presence|device|drive) (?:detected|present)|fully redundant)$")
_AFTERNOON = re.compile(r"^(\d{1,2}):(\d\d:\d\d) ([AP])M\b")
_US_DATE = re.compile(r"^(\d\d)/(\d\d)/(\d{2}|\d{4})\b(.*)$")
_NAMES = {
    "seqnumber": "id", "record": "id", "message id": "message_id", "severity": "severity", "timestamp": "at",
    "date/time": "at", "message": "message", "description": "message", "fqdd": "fqdd",
}  # fmt: skip
_SEVERITIES = {"ok": "ok", "informational": "ok", "info": "ok", "normal": "ok", "warning": "warning",
               "non-critical": "warning", "critical": "critical", "non-recoverable": "critical"}  # fmt: skip


@dataclass(frozen=True)
class LogEntry:
    """`severity` is ok, warning or critical, None where the entry does not tell; `at` is as printed.

    `sensor` and `state` are those of an IPMI entry, so that a state is taken back by its own deassertion only.
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
    sensor: str = ""
    state: str = ""

    @property
    def is_well_again(self) -> bool:
        """Whether the sensor came to a state in which nothing else that it said is true any more."""
        return bool(self.sensor) and not self.cleared and _WELL_AGAIN.match(self.state) is not None


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
    elif re.search(_IPMI.pattern, text, re.MULTILINE):
        entries = [_ipmi(line) for line in text.splitlines() if _IPMI.match(line)]
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
                told.setdefault(name, found.group(2).strip())
        if {"id", "message_id", "severity"} & told.keys():
            yield LogEntry(
                id=told.get("id", ""),
                severity=_SEVERITIES.get(told.get("severity", "").lower()),
                message=told.get("message", ""),
                message_id=told.get("message_id", ""),
                at=_sortable(told.get("at", "")),
                fqdd=told.get("fqdd", ""),
            )


def _ipmi(line: str) -> LogEntry:
    """`sel list` and `sel elist`: NUMBER | DATE | CLOCK | SENSOR | STATE | Asserted | READING. The tool tells no
    severity, and the last columns are not always there; a line cut short keeps what it has."""
    cells = [cell.strip() for cell in line.split("|")]
    number, date, clock, sensor, said, direction = (*cells, *[""] * 6)[:6]
    if "/" not in date and not date.startswith("Pre-Init"):
        return _of_oem(number, " ".join(cells[1:]))
    taken_back = direction == "Deasserted"
    if taken_back and _WELL_WHILE_ASSERTED.match(said):
        said, taken_back = f"no longer {said[0].lower()}{said[1:]}", False
    message = f"{sensor}: {said}"
    return LogEntry(
        id=str(int(number, 16)),
        severity=None if len(cells) < 5 else _severity(_TYPES.sub("", message)),
        message=message,
        at=_sortable(f"{date} {clock}") if "/" in date else "",
        cleared=taken_back,
        sensor=sensor,
        state=said,
    )


def _of_oem(number: str, said: str) -> LogEntry:
    """A record of the maker's own (`OEM record df | 0002a2 | 4100...`), or of a panic of Linux."""
    return LogEntry(str(int(number, 16)), "critical" if "panic" in said else _severity(said), said)


def _severity(said: str) -> str:
    return "critical" if _CRITICAL_WORDS.search(said) and not _WELL_AGAIN.search(said.rpartition(": ")[2]) else "ok"


def _sortable(at: str) -> str:
    """A date as it is printed in America, as year, month, day and hours of 24, so that entries can be put in order."""
    found = _US_DATE.match(at)
    if not found:
        return at
    month, day, year, clock = found.groups()
    if told := _AFTERNOON.match(clock.strip()):
        hour = int(told.group(1)) % 12 + (12 if told.group(3) == "P" else 0)
        clock = f" {hour:02}:{told.group(2)}{clock.strip()[told.end() :]}"
    return f"{year if len(year) == 4 else f'20{year}'}-{month}-{day}{clock}"


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
    origin = links.get("OriginOfCondition") if isinstance(links, Mapping) else None
    places = [_of_maker(oem, *each.log_place) for each in DIALECTS if each.log_place]
    source = origin.get("@odata.id") if isinstance(origin, Mapping) else None
    told = next((each for each in (*places, source) if isinstance(each, str)), "")
    mended = row.get("Resolved") is True or any(
        _of_maker(oem, *each.log_mended) is True for each in DIALECTS if each.log_mended
    )
    return LogEntry(
        id=word("Id"),
        severity=_SEVERITIES.get(word("Severity").lower()),
        message=word("Message"),
        message_id=word("MessageId").rpartition(".")[2],
        at=word("Created"),
        fqdd=told,
        cleared=mended or _member(row.get("EntryCode")) == "Deassert" or _OVER.search(word("Message")) is not None,
    )


def _of_maker(oem: Any, maker: str, name: str) -> Any:
    told = oem.get(maker) if isinstance(oem, Mapping) else None
    return told.get(name) if isinstance(told, Mapping) else None


def _member(value: Any) -> Any:
    """A word, or the list of one with which Dell's older BMCs answer: `[{"Member": "Deassert"}]`."""
    first = value[0] if isinstance(value, list) and value else value
    return first.get("Member") if isinstance(first, Mapping) else first
