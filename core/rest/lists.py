"""Lists that come whole: in the shape of every list, on one page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.response import Response


def envelope(rows: Iterable[Any]) -> dict[str, Any]:
    """All rows under `results`, as a list of pages has them. The page is the only one, so there is none beside it."""
    results = list(rows)
    return {"count": len(results), "next": None, "previous": None, "results": results}


def listed(rows: Iterable[Any]) -> Response:
    return Response(envelope(rows))
