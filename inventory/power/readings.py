"""What BMCs measured. A reading that is too old counts as none: nobody knows what the machine draws now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import connection

from core.registry import Offered

STALE_SWEEPS = 3  # as a machine that is not heard in so many sweeps is silent
sweep_period_s = Offered[Callable[[], float]]("how many seconds lie between two sweeps")

# Two sweeps may meet on a machine: the newer reading stays.
STORE = """
INSERT INTO inventory_powerreading (device_id, watts, at)
SELECT * FROM unnest(%s::bigint[], %s::int[], %s::timestamptz[]) ORDER BY 1
ON CONFLICT (device_id) DO UPDATE SET watts = excluded.watts, at = excluded.at
WHERE inventory_powerreading.at < excluded.at
"""


def store_readings(readings: Iterable[tuple[int, int, datetime]]) -> None:
    """Keep (device, watts, when), one row per device, in one statement."""
    rows = list(readings)
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(STORE, [list(column) for column in zip(*rows, strict=True)])


def fresh_since(now: datetime) -> datetime:
    """Readings older than this are stale."""
    return now - timedelta(seconds=STALE_SWEEPS * sweep_period_s()())
