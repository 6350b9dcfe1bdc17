"""What is remembered of the logs of a machine's BMC between two reads. Pure.

A log is read at most once a period; between reads the entries that say something and were not taken back are judged
again. When a BMC does not give its logs, what is known stands and the rest is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from drivers.redfish_logs import LogRead
from health.checks.bmc_log import still_open
from health.checks.parsers.bmc_log import BmcLog, LogEntry, entry_of
from inventory.specs.device_model import DeviceModelSpec

MAX_ENTRIES = 200
# Of a log that is read for the first time only what is younger counts; the rest is history.
FIRST_READ = timedelta(days=1)
# A log that could not be read for so many periods tells nothing of now.
STALE_PERIODS = 3
# Reads of a fleet are spread over this share of the period.
SPREAD = 0.2


@dataclass(frozen=True)
class LogMemory:
    """`tried_at` None: never asked. `cursors` is as `drivers.redfish_logs` takes them; none after a read: no log."""

    tried_at: datetime | None = None
    read_at: datetime | None = None
    error: str = ""
    cursors: Mapping[str, str] = field(default_factory=dict)
    entries: tuple[LogEntry, ...] = ()

    def is_due(self, machine_id: int, now: datetime, period_s: float) -> bool:
        """Whether the logs are to be read again; the machines of a fleet take turns."""
        if self.tried_at is None:
            return True
        early_s = period_s * SPREAD * (machine_id % 8) / 8
        return now >= self.tried_at + timedelta(seconds=period_s - early_s)

    def judged(self, now: datetime, period_s: float) -> BmcLog | None:
        """What the check is given; None when the logs were never asked for."""
        if self.tried_at is None:
            return None
        trouble = self.error
        old = self.read_at is None or now - self.read_at > timedelta(seconds=STALE_PERIODS * period_s)
        if not trouble and old:
            trouble = "the BMC's logs were not read for a long time"
        return BmcLog(self.entries, trouble, has_log=bool(self.cursors))


NOTHING_READ = LogMemory()


def remember(
    before: LogMemory,
    reads: Sequence[LogRead] | None,
    failure: str,
    now: datetime,
    spec: DeviceModelSpec,
    *,
    keep: timedelta,
) -> LogMemory:
    """The memory after the logs were asked for: `reads` is None when they were not given.

    An entry is forgotten when it was read longer than `keep` ago.
    """
    kept = tuple(entry for entry in before.entries if _is_young(entry, now - keep))
    if reads is None:
        return replace(before, tried_at=now, error=failure[:300] or "the BMC did not give its logs", entries=kept)
    fresh: list[LogEntry] = []
    for read in reads:
        rows = [_entry(row, now) for row in read.rows]
        fresh += [entry for entry in rows if not read.first or _is_recent(entry, now)]
    together = _told_once([*kept, *sorted(fresh, key=lambda entry: entry.at)])
    cut = [read.path for read in reads if read.cut]
    error = f"more entries than are read at once: {', '.join(cut)}"[:300] if cut else ""
    return LogMemory(
        tried_at=now,
        read_at=now,
        error=error,
        cursors={read.path: read.newest for read in reads},
        entries=tuple(still_open(together, spec)[-MAX_ENTRIES:]),
    )


def _entry(row: Mapping[str, Any], now: datetime) -> LogEntry:
    return replace(entry_of(row), read_us=round(now.timestamp() * 1e6))


def _told_once(entries: Sequence[LogEntry]) -> list[LogEntry]:
    """The same happening stands in the system event log and in the lifecycle log, under two numbers."""
    told = {(each.at, each.message_id, each.message, each.fqdd): each for each in reversed(entries)}
    return list(told.values())[::-1]


def _is_young(entry: LogEntry, since: datetime) -> bool:
    return entry.read_us is None or entry.read_us >= since.timestamp() * 1e6


def _is_recent(entry: LogEntry, now: datetime) -> bool:
    """Whether an entry happened lately by the BMC's clock; one without a time counts."""
    try:
        at = datetime.fromisoformat(entry.at)
    except ValueError:
        return True
    return (at if at.tzinfo else at.replace(tzinfo=UTC)) >= now - FIRST_READ


def to_rows(entries: Sequence[LogEntry]) -> list[dict[str, Any]]:
    """As they are stored."""
    return [asdict(entry) for entry in entries]


def from_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[LogEntry, ...]:
    names = {each.name for each in fields(LogEntry)}
    return tuple(LogEntry(**{name: value for name, value in row.items() if name in names}) for row in rows)
