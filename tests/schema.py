"""The OpenAPI document of the whole API, generated once for each run of the tests: it takes seconds."""

from __future__ import annotations

import fcntl
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator

from config.embedded.pytest_plugin import COUNTS_VARIABLE


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
    operation = api_document()["paths"].get(template_of(address), {}).get("get")
    known = filters_of(operation) if operation else []
    return {name: value for name, value in wanted.items() if name in known}


def template_of(address: str) -> str | None:
    """The path of the document that an address is one of, such as `/api/racks/{id}/`."""
    return next((template for pattern, template in _templates() if pattern.fullmatch(address)), None)


@cache
def _templates() -> list[tuple[re.Pattern[str], str]]:
    """Those with the fewest parameters first."""
    templates = sorted(api_document()["paths"], key=lambda template: template.count("{"))
    return [(re.compile(re.sub(r"\\{[^}]+\\}", "[^/]+", re.escape(each))), each) for each in templates]


def is_without_warnings() -> bool:
    """Whether the generator had nothing to say; what it said stands on stderr."""
    return _generated()[1]


@cache
def _generated() -> tuple[dict[str, Any], bool]:
    """In the first process that asks; the others wait, and read what it wrote into the folder of this run."""
    counts = os.environ.get(COUNTS_VARIABLE)
    if not counts:
        return _generate()
    with open(Path(counts).with_name("openapi.json"), "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if said := file.read():
            document, is_clean = json.loads(said)
            return document, is_clean
        found = _generate()
        json.dump(found, file)
    return found


def _generate() -> tuple[dict[str, Any], bool]:
    GENERATOR_STATS.reset()
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return dict(document), not GENERATOR_STATS
