"""The OpenAPI document of the whole API, generated once for each test process: it takes seconds."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator


def api_document() -> dict[str, Any]:
    """The document as `/api/schema/` tells it to an administrator. Shared: nobody changes it."""
    return _generated()[0]


def filters_of(operation: dict[str, Any]) -> list[str]:
    """Names of the query parameters of an operation, those included that are stated once for many."""
    shared = api_document()["components"]["parameters"]
    stated = [shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in operation["parameters"]]
    return [each["name"] for each in stated if each["in"] == "query"]


def of_those(address: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """Those of the wanted parameters that a GET of an address knows; others are refused."""
    for path, methods in api_document()["paths"].items():
        if "get" in methods and re.fullmatch(re.sub(r"{[^}]+}", "[^/]+", path), address):
            known = filters_of(methods["get"])
            return {name: value for name, value in wanted.items() if name in known}
    return {}


def is_without_warnings() -> bool:
    """Whether the generator had nothing to say; what it said stands on stderr."""
    return _generated()[1]


@cache
def _generated() -> tuple[dict[str, Any], bool]:
    GENERATOR_STATS.reset()
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return dict(document), not GENERATOR_STATS
