"""The most that racks, rooms, panels, feeds and PDUs drew in the last day, and phases and breakers carried, and when.

From the quarters as far as they are made, then minutes, then readings: a peak is there as soon as it was read. One
statement for any number of meters.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db import connection

from facility.facts import Part, Quantity
from facility.judgement.readings import LoadKey

PEAK_OF = timedelta(hours=24)
PEAKS = """
WITH told AS MATERIALIZED (
    SELECT meter_id, layout_id, at, high FROM facility_quarter WHERE meter_id = ANY(%(meters)s) AND at >= %(since)s
    UNION ALL
    SELECT meter_id, layout_id, at, high FROM facility_minute WHERE meter_id = ANY(%(meters)s)
        AND at >= greatest(%(since)s, (SELECT until FROM facility_rolledup WHERE name = 'quarter'))
    UNION ALL
    SELECT meter_id, layout_id, at, vals FROM facility_reading WHERE meter_id = ANY(%(meters)s)
        AND at >= greatest(%(since)s, (SELECT until FROM facility_rolledup WHERE name = 'minute'))
), place AS MATERIALIZED (
    SELECT layout.id AS layout_id, point.n::int, point.told ->> 0 AS part, point.told ->> 1 AS name
    FROM facility_layout layout CROSS JOIN LATERAL jsonb_array_elements(layout.points) WITH ORDINALITY point (told, n)
    WHERE layout.id IN (SELECT layout_id FROM told)
        AND ((point.told ->> 0) || '.' || (point.told ->> 2)) = ANY(%(points)s)
), highest AS (
    SELECT told.meter_id, told.layout_id, place.n,
        max(ARRAY[told.high[place.n]::float8, extract(epoch FROM told.at)::float8]) AS most
    FROM told JOIN place ON place.layout_id = told.layout_id
    WHERE told.high[place.n] IS NOT NULL GROUP BY 1, 2, 3
)
SELECT highest.meter_id, place.part, place.name, max(highest.most)
FROM highest JOIN place USING (layout_id, n) GROUP BY 1, 2, 3
"""


POINTS = (
    (Part.TOTAL, Quantity.POWER_W), (Part.PANEL, Quantity.POWER_W), (Part.FEED, Quantity.POWER_W),
    (Part.PDU, Quantity.POWER_W), (Part.PHASE, Quantity.CURRENT_A), (Part.BREAKER, Quantity.CURRENT_A),
)  # fmt: skip
"""What has a peak: the watts of sums, so that none is a sum of peaks, and the amperes that a PDU tells."""


class Peak(NamedTuple):
    """W or A."""

    value: float
    at: datetime


def peaks_of(meters: Mapping[int, tuple[str, int]], now: datetime) -> dict[LoadKey, Peak]:
    """Of what some meters tell. `meters`: the kind of each, and the id of its rack, room, site or PDU."""
    points = [f"{part}.{quantity}" for part, quantity in POINTS]
    with connection.cursor() as cursor:
        cursor.execute(PEAKS, {"meters": list(meters), "points": points, "since": now - PEAK_OF})
        rows = cursor.fetchall()
    found: dict[LoadKey, Peak] = {}
    for meter, part, name, (value, seconds) in rows:
        key, peak = _key(*meters[meter], part, name), Peak(value, datetime.fromtimestamp(seconds, UTC))
        found[key] = max(found.get(key, peak), peak)
    return found


def values_of(peaks: Mapping[LoadKey, Peak]) -> dict[LoadKey, float]:
    """As the measured graph takes them."""
    return {key: peak.value for key, peak in peaks.items()}


def _key(kind: str, subject_id: int, part: str, name: str) -> LoadKey:
    if part == Part.TOTAL:
        return kind, subject_id, name
    return (part, subject_id, name) if part in (Part.PHASE, Part.BREAKER) else (part, int(name), "")
