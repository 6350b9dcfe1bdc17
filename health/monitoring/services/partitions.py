"""Partitions of the time series: made ahead, dropped when expired, and no row lost when nobody made them in time.

A row whose partition is missing goes to the default partition; making the partition later moves it there. All of it
runs under one advisory lock, with a short lock time-out so that a busy table delays housekeeping and not the sweeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from health.monitoring import hooks
from health.monitoring.models.sweeps import Sweep

log = structlog.get_logger(__name__)

LOCK = 7_202
DAYS_AHEAD = 7


def hour_start(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def day_start(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def month_start(at: datetime) -> datetime:
    return day_start(at).replace(day=1)


def next_hour(start: datetime) -> datetime:
    return start + timedelta(hours=1)


def next_day(start: datetime) -> datetime:
    return start + timedelta(days=1)


def next_month(start: datetime) -> datetime:
    return month_start(start + timedelta(days=32))


@dataclass(frozen=True)
class Series:
    """A partitioned table: how its periods are cut, and its row of `config.retention`, or how long it is kept."""

    table: str
    start: Callable[[datetime], datetime]
    following: Callable[[datetime], datetime]
    suffix: str
    retention: str | timedelta
    ahead: timedelta = timedelta(days=DAYS_AHEAD)

    @property
    def kept(self) -> timedelta:
        if isinstance(self.retention, timedelta):
            return self.retention
        kept: timedelta = settings.KEPT[self.retention]
        return kept

    def name(self, start: datetime) -> str:
        return f"{self.table}_{start.strftime(self.suffix)}"


SERIES = (
    Series("health_sample", day_start, next_day, "%Y%m%d", "samples"),
    Series("health_transition", month_start, next_month, "%Y%m", "transitions"),
)


def ensure() -> bool:
    """Maintain when the partition of tomorrow is missing, so that a start or a long pause heals at once. One query."""
    if is_made(SERIES[0]):
        return False
    try:
        maintain()
    except OperationalError as error:  # the default partition takes the rows meanwhile; a sweep does not wait for it
        log.warning("partitions_not_maintained", error=str(error))
        return False
    return True


def is_made(series: Series) -> bool:
    """Whether the partition after the one of now is there. One query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s)", [series.name(series.following(series.start(timezone.now())))])
        (found,) = cursor.fetchone()
    return found is not None


def maintain(now: datetime | None = None) -> dict[str, list[str]]:
    """Make the partitions of the next week, move strayed rows into theirs, drop what expired.

    Returns the names made and dropped; nothing when another process is at it.
    """
    now = now or timezone.now()
    done = maintain_series(SERIES, LOCK, now)
    if done is None:
        return {"made": [], "dropped": []}
    with transaction.atomic():
        Sweep.objects.filter(started_at__lt=now - settings.KEPT["sweeps"]).delete()
        for forget in hooks.expiry:
            forget(now)
    return done


def maintain_series(all_series: Iterable[Series], lock: int, now: datetime) -> dict[str, list[str]] | None:
    """The same for any series, of other rooms too; None when another process holds the advisory lock.

    Each step is a transaction of its own: whoever reads two tables in one would wait for a table whose locks are held
    here, and hold one that is wanted here next.
    """
    made: list[str] = []
    dropped: list[str] = []
    for series in all_series:
        for step, done in ((_make, made), (_drop, dropped)):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [lock])
                if not cursor.fetchone()[0]:
                    return None
                cursor.execute("SET LOCAL lock_timeout = '5s'")
                done.extend(step(series, now))
    if made or dropped:
        log.info("partitions_maintained", made=made, dropped=dropped)
    return {"made": made, "dropped": dropped}


def existing(series: Series) -> set[str]:
    """Names of the partitions attached now, without the default one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass", [series.table]
        )
        return {name for (name,) in cursor.fetchall()} - {f"{series.table}_default"}


def strayed(series: Series) -> set[datetime]:
    """Starts of the periods that have rows in the default partition."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT DISTINCT date_trunc('hour', at, 'UTC') FROM {series.table}_default")
        return {series.start(hour) for (hour,) in cursor.fetchall()}


def _wanted(series: Series, now: datetime) -> set[datetime]:
    starts = {series.start(now)}
    while max(starts) < now + series.ahead:
        starts.add(series.following(max(starts)))
    return starts


def _make(series: Series, now: datetime) -> list[str]:
    expired = now - series.kept
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {series.table}_default WHERE at < %s", [series.start(expired)])
    have = existing(series)
    made = []
    for start in sorted(_wanted(series, now) | strayed(series)):
        name = series.name(start)
        if name in have:
            continue
        _attach(series, name, start, series.following(start))
        made.append(name)
    return made


def _attach(series: Series, name: str, start: datetime, end: datetime) -> None:
    """Make a partition, move the rows of its period out of the default one, attach it.

    Writers wait at the parent table: one that waited at the default partition would be refused there afterwards.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE ONLY {series.table} IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute(f"LOCK TABLE {series.table}_default IN ACCESS EXCLUSIVE MODE")
        cursor.execute(f"CREATE TABLE {name} (LIKE {series.table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
        cursor.execute(
            f"WITH moved AS (DELETE FROM {series.table}_default WHERE at >= %s AND at < %s RETURNING *) "
            f"INSERT INTO {name} SELECT * FROM moved",
            [start, end],
        )
        cursor.execute(
            f"ALTER TABLE {series.table} ATTACH PARTITION {name} "
            f"FOR VALUES FROM ('{start.isoformat()}') TO ('{end.isoformat()}')"
        )


def _drop(series: Series, now: datetime) -> list[str]:
    """Detach and drop partitions that end before the oldest moment that is kept."""
    dropped = []
    for name in sorted(existing(series)):
        start = datetime.strptime(name.removeprefix(f"{series.table}_"), series.suffix).replace(tzinfo=UTC)
        if series.following(start) > now - series.kept:
            continue
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {series.table} DETACH PARTITION {name}")
            cursor.execute(f"DROP TABLE {name}")
        dropped.append(name)
    return dropped
