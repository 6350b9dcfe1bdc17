"""Rows of `LinkQuality`: what a judgement becomes, and many of them written in one statement."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from django.db import connection

from fabric.discovery.models.sources import FabricSource
from fabric.facts import SeenLink
from fabric.quality.confirm import Standing
from fabric.quality.judge import End, Judgement, Measure, State
from fabric.quality.models.quality import LinkQuality
from fabric.quality.rates import Rate
from fabric.quality.thresholds import WINDOWS

SHOWN = ("port_c", "optic_c", "ber", "raw_ber")  # told even when they are ok


class Row(NamedTuple):
    """In the order of the columns of the statement."""

    key: str
    link_id: int | None
    a_guid: str
    a_port: int
    b_guid: str
    b_port: int
    gbps: float | None
    state: str
    rank: int
    reason: str
    since: datetime
    measured_at: datetime | None
    measures: list[dict[str, Any]]
    rates: dict[str, Any]
    errors_5m: float
    errors_1h: float
    errors_1d: float
    downs: int
    ber: float | None
    ber_below: bool
    max_c: float | None
    alarm: str
    alarm_since: datetime | None
    bad_since: datetime | None


TYPES = {
    "link_id": "bigint", "a_port": "int", "b_port": "int", "gbps": "float8", "rank": "int", "since": "timestamptz",
    "measured_at": "timestamptz", "measures": "jsonb", "rates": "jsonb", "errors_5m": "float8", "errors_1h": "float8",
    "errors_1d": "float8", "downs": "int", "ber": "float8", "ber_below": "bool", "max_c": "float8",
    "alarm_since": "timestamptz", "bad_since": "timestamptz",
}  # fmt: skip
COLUMNS = ", ".join(Row._fields)
UPSERT = f"""
INSERT INTO fabric_linkquality (site_id, source_id, {COLUMNS})
SELECT %s, %s, {COLUMNS} FROM json_to_recordset(%s::json)
    AS row({", ".join(f"{name} {TYPES.get(name, 'text')}" for name in Row._fields)})
ON CONFLICT (source_id, key) DO UPDATE SET
    {", ".join(f"{name} = EXCLUDED.{name}" for name in Row._fields if name != "key")}
"""


def upsert(source: FabricSource, rows: list[Row]) -> None:
    """Write many rows in one statement; they travel as one document, which costs a third of arrays with quotes in."""
    if rows:
        document = orjson.dumps([row._asdict() for row in rows]).decode()
        with connection.cursor() as cursor:
            cursor.execute(UPSERT, [source.site_id, source.pk, document])


def drop(ids: list[int]) -> None:
    if ids:
        LinkQuality.objects.filter(pk__in=ids).delete()


def row_of(
    link: SeenLink,
    key: str,
    link_id: int | None,
    gbps: float | None,
    ends: tuple[End, End],
    judgement: Judgement,
    standing: Standing,
    bad_since: datetime | None,
    at: datetime,
    old: LinkQuality | None,
) -> Row:
    """A judgement as a row; `since` moves only when the state changes."""
    state = judgement.state.value
    read = [end.reading.at for end in ends if end.reading is not None]
    per_h = {window: _worse(ends, window) for window in WINDOWS}
    return Row(
        key, link_id, link.a.guid, link.a.port, link.b.guid, link.b.port, gbps,
        state, LinkQuality.RANK[LinkQuality.State(state)], judgement.reason[:300],
        old.since if old is not None and old.state == state else at,
        min(read) if read else None,
        [_told(measure) for measure in _worth_telling(judgement)], rates_of(ends),
        per_h["5m"], per_h["1h"], per_h["1d"], _downs(ends),
        judgement.ber, judgement.ber_below, _hottest(ends),
        standing.alarm.value, standing.since, bad_since,
    )  # fmt: skip


def _worth_telling(judgement: Judgement) -> Iterable[Measure]:
    return (measure for measure in judgement.measures if measure.state is not State.OK or measure.name in SHOWN)


def _told(measure: Measure) -> dict[str, Any]:
    return measure._asdict() | {"state": measure.state.value}


def rates_of(ends: tuple[End, End]) -> dict[str, Any]:
    """Counts by window and end, without what is 0: {"1h": {"a": {"seconds", "counts", "saturated", "reset"}, ..}}."""
    told: dict[str, Any] = {}
    for side, end in zip("ab", ends, strict=True):
        for window, rate in end.rates.items():
            told.setdefault(window, {})[side] = rate_of(rate)
    return told


def rate_of(rate: Rate) -> dict[str, Any]:
    return {
        "seconds": rate.seconds,
        "counts": {name: count for name, count in rate.counts.items() if count},
        "saturated": sorted(rate.saturated),
        "reset": rate.reset,
    }


def _worse(ends: tuple[End, End], window: str) -> float:
    rates = [end.rates[window].per_h("symbol_errors") for end in ends if window in end.rates]
    return max((rate for rate in rates if rate is not None), default=0.0)


def _downs(ends: tuple[End, End]) -> int:
    return max((end.rates["1d"].counts.get("link_downed", 0) for end in ends if "1d" in end.rates), default=0)


def _hottest(ends: tuple[End, End]) -> float | None:
    told = [each for end in ends if end.reading for each in (end.reading.port_c, end.reading.optic_c)]
    return max((each for each in told if each is not None), default=None)
