"""What failures cost at these sites in a span of time. Two statements whatever the number of runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from runs.losses.rules import Loss, Run, Slowed, gpus_of, loss_of, loss_of_slowed
from runs.state import SLOW

A_MOMENT = timedelta(minutes=5)
"""A span that ends so shortly before now reaches to now: a page asks for whole seconds of its own clock."""
SIZE = """
SELECT count(*), count(*) FILTER (WHERE rank.slot <> ''),
    count(DISTINCT (rank.machine_name, rank.slot)) FILTER (WHERE rank.slot <> '')
FROM runs_runrank rank WHERE rank.run_id = run.id
"""
OF_SITES = """(%(sites)s::bigint[] IS NULL OR run.site_id = ANY(%(sites)s))
    AND (%(site)s::bigint IS NULL OR run.site_id = %(site)s)"""
ENDED = f"""
SELECT run.id, coalesce(nullif(run.name, ''), run.key), run.world_size, size.*, run.started_at, run.last_step_at,
    run.checkpoint_at, coalesce(run.ended_at, %(now)s), run.verdict ->> 'class', run.verdict ->> 'owner'
FROM runs_trainingrun run CROSS JOIN LATERAL ({SIZE}) size (ranks, placed, distinct_gpus)
WHERE (run.state IN ('failed', 'ended') AND run.ended_at >= %(begin)s AND run.ended_at < %(end)s
    OR run.state = 'hung' AND %(to_now)s) AND {OF_SITES}
"""
SLOWED = f"""
WITH slow AS (
    SELECT run.id, date_trunc('week', piece.ended_at AT TIME ZONE 'UTC') AS week,
        sum((piece.median_s - run.baseline_s) * piece.count) AS lost_s
    FROM runs_trainingrun run JOIN runs_steppiece piece ON piece.run_id = run.id
    WHERE run.baseline_s > 0 AND piece.median_s > run.baseline_s * %(slow)s
        AND piece.ended_at >= %(begin)s AND piece.ended_at < %(end)s
        AND run.started_at < %(end)s AND (run.ended_at IS NULL OR run.ended_at >= %(begin)s) AND {OF_SITES}
    GROUP BY 1, 2
)
SELECT run.id, coalesce(nullif(run.name, ''), run.key), run.world_size, size.*, slow.week, slow.lost_s,
    run.verdict ->> 'class', run.verdict ->> 'owner'
FROM slow JOIN runs_trainingrun run ON run.id = slow.id
CROSS JOIN LATERAL ({SIZE}) size (ranks, placed, distinct_gpus)
"""


def losses(begin: datetime, end: datetime, sites: list[int] | None, site: int | None) -> list[Loss]:
    """Of every run that lost something then; one that hangs now counts where the span reaches to now."""
    now = timezone.now()
    to_now = end >= now - A_MOMENT
    asked = {"begin": begin, "end": end, "sites": sites, "site": site, "now": now, "slow": SLOW, "to_now": to_now}
    found = [
        loss_of(Run(pk, name, gpus_of(*size), started, step, saved, ended, cause, owner))
        for pk, name, *size, started, step, saved, ended, cause, owner in _rows(ENDED, asked)
    ]
    found += [
        loss_of_slowed(Slowed(pk, name, gpus_of(*size), week.replace(tzinfo=UTC), lost_s, cause, owner))
        for pk, name, *size, week, lost_s, cause, owner in _rows(SLOWED, asked)
    ]
    return found


def _rows(sql: str, asked: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, asked)
        yield from cursor.fetchall()
