"""The OpenAPI document of the whole API, generated once for each test process: it takes seconds."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator


@cache
def api_document() -> dict[str, Any]:
    """The document as `/api/schema/` tells it to an administrator. Shared: nobody changes it."""
    return dict(SchemaGenerator().get_schema(request=None, public=True))  # type: ignore[no-untyped-call]
