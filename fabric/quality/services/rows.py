"""Rows of `LinkQuality`: what a judgement becomes, and many of them written in one statement."""

from __future__ import annotations

from collections.abc import Mapping
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

RANK = {state.value: rank for state, rank in LinkQuality.RANK.items()}
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


class Stood(NamedTuple):
    """What a row says before a round, as far as the next judgement needs it: a round of the reference fabric reads
    12,280 of them, and whole objects of the model cost several times as much."""

    pk: int
    key: str
    a_guid: str
    a_port: int
    b_guid: str
    b_port: int
    state: str
    since: datetime
    alarm: str
    alarm_since: datetime | None
    bad_since: datetime | None
    evaluated_from: datetime | None


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


def stood(source: FabricSource) -> dict[str, Stood]:
    """The rows of a source by key, locked."""
    rows = LinkQuality.objects.select_for_update().filter(source=source).values_list(*Stood._fields)
    return {row.key: row for row in map(Stood._make, rows)}


def upsert(source: FabricSource, rows: list[Row]) -> None:
    """Write many rows in one statement; they travel as one document, which costs a third of arrays with quotes in."""
    if rows:
        document = orjson.dumps([row._asdict() for row in rows]).decode()
        with connection.cursor() as cursor:
            cursor.execute(UPSERT, [source.site_id, source.pk, document])


def drop(ids: list[int]) -> None:
    if ids:
        LinkQuality.objects.filter(pk__in=ids).delete()


class Shown(NamedTuple):
    """What a row shows of a judgement. Texts begin with `a` or `b` in place of the name of the end: links that are
    judged alike share it."""

    judgement: Judgement
    measured_at: datetime | None
    told: tuple[Measure, ...]
    errors: tuple[float, float, float]  # by window, the shortest first
    downs: int
    max_c: float | None


def shown(judgement: Judgement, ends: tuple[End, End]) -> Shown:
    read = [end.reading.at for end in ends if end.reading is not None]
    told = tuple(each for each in judgement.measures if each.state is not State.OK or each.name in SHOWN)
    errors = (_worse(ends, "5m"), _worse(ends, "1h"), _worse(ends, "1d"))
    return Shown(judgement, min(read) if read else None, told, errors, _downs(ends), _hottest(ends))


def row_of(
    link: SeenLink,
    key: str,
    link_id: int | None,
    gbps: float | None,
    names: Mapping[str, str],
    shown: Shown,
    rates: dict[str, Any],
    standing: Standing,
    bad_since: datetime | None,
    at: datetime,
    old: Stood | None,
) -> Row:
    """A judgement as a row; `since` moves only when the state changes. `names`: of the ends `a` and `b`."""
    judgement = shown.judgement
    state = judgement.state.value
    return Row(
        key, link_id, link.a.guid, link.a.port, link.b.guid, link.b.port, gbps,
        state, RANK[state], _named(judgement.reason, names)[:300],
        old.since if old is not None and old.state == state else at,
        shown.measured_at,
        [_told(measure, names) for measure in shown.told], rates,
        *shown.errors, shown.downs,
        judgement.ber, judgement.ber_below, shown.max_c,
        standing.alarm.value, standing.since, bad_since,
    )  # fmt: skip


def _named(text: str, names: Mapping[str, str]) -> str:
    """With the name of its end before it."""
    return names[text[0]] + text[1:] if text else ""


def _told(measure: Measure, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": measure.name, "end": names[measure.end], "state": measure.state.value, "value": measure.value,
        "limit": measure.limit, "window": measure.window, "text": _named(measure.text, names),
    }  # fmt: skip


def rates_of(ends: tuple[End, End]) -> dict[str, Any]:
    """Counts by window and end, without what is 0: {"1h": {"a": {"seconds", "counts", "saturated", "reset"}, ..}}."""
    return by_window(*({window: rate_of(rate) for window, rate in end.rates.items()} for end in ends))


def by_window(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """The rates of both ends, by window first."""
    told: dict[str, Any] = {window: {"a": rate} for window, rate in a.items()}
    for window, rate in b.items():
        told.setdefault(window, {})["b"] = rate
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
