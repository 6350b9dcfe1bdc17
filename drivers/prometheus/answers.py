"""What Prometheus answers to a range query, read from decoded JSON. Pure.

Source: Prometheus 2.42 to 3.5, "HTTP API": the result type `matrix`, and `warnings` beside a result that is not whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from drivers.https import ApplianceError

MOST_SERIES = 10_000
LATEST = 2.0**36
"""Seconds since 1970: the year 4147."""
LONGEST = 500


class QueryRefused(ApplianceError):
    """The server did not evaluate the query; the text is its own."""


class NotAMatrix(ApplianceError):
    """The answer is none of a range query."""


class Series(NamedTuple):
    labels: Mapping[str, str]
    points: list[tuple[float, float]]
    """Moment (seconds since 1970) and value, the oldest first; a value may be NaN or infinite. Where a series has ended
    or was not scraped there is no point."""


@dataclass
class Answer:
    series: list[Series] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Why the answer may not be whole, in the server's words or ours."""


def matrix_of(said: Any, most_series: int = MOST_SERIES) -> Answer:
    """Read a decoded answer. Raises QueryRefused for an error, NotAMatrix for what is no answer of a range query."""
    if not isinstance(said, dict):
        raise NotAMatrix("the answer is not Prometheus's")
    if said.get("status") != "success":
        raise QueryRefused(refusal(said))
    data = said.get("data")
    if not isinstance(data, dict) or data.get("resultType") != "matrix" or not isinstance(data.get("result"), list):
        raise NotAMatrix("the answer holds no series over time")
    rows: list[Any] = data["result"]
    found = Answer(warnings=[str(text)[:LONGEST] for text in _list(said.get("warnings"))[:10]])
    if len(rows) > most_series:
        found.warnings.append(f"{len(rows):,} series, of which the first {most_series:,} were read")
    found.series = [_series(row) for row in rows[:most_series]]
    if any(isinstance(row, dict) and row.get("histograms") for row in rows):
        found.warnings.append("native histograms are not read: ask for histogram_sum() and histogram_count()")
    return found


def refusal(said: Mapping[str, Any]) -> str:
    return f"{said.get('errorType') or 'error'}: {said.get('error') or 'without a reason'}"[:LONGEST]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _series(row: Any) -> Series:
    labels = row.get("metric") if isinstance(row, dict) else None
    values = row.get("values", []) if isinstance(row, dict) else None
    if not isinstance(labels, dict) or not isinstance(values, list):
        raise NotAMatrix("a series without labels or values")
    try:
        points = [(float(at), float(value)) for at, value in values]
    except (TypeError, ValueError, OverflowError) as error:
        raise NotAMatrix("a point that is no moment with a number") from error
    if not all(0 <= at < LATEST for at, _ in points):
        raise NotAMatrix("a point at no moment")
    return Series({str(name): str(text) for name, text in labels.items()}, sorted(points, key=_moment))


def _moment(point: tuple[float, float]) -> float:
    return point[0]
