"""Words of the API that name a record, such as `site`, and how a name becomes the record's id."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.models import Role

Find = Callable[[Sequence[str], Mapping[int | None, Role], Mapping[str, Sequence[str]]], list[int]]
"""Ids of names that somebody with these roles may see; the last says what stands beside them. Raises ValueError."""


words: dict[str, Find] = {}
"""By word of queries and bodies; filled at start-up by the packages that have the records."""
Name = Callable[[Sequence[str], Mapping[int | None, Role]], list[str]]
"""Names of ids, for parameters that take the name; what is the name of something stays."""
names: dict[str, Name] = {}


def either(parameter: dict[str, Any]) -> dict[str, Any]:
    """A parameter of a query as OpenAPI has it: one that names a record and takes its id takes the name as well."""
    schema, word = parameter.get("schema", {}), parameter["name"]
    takes_id = word in words and schema.get("type") in ("integer", "number")
    takes_name = word in names and schema.get("type") == "string" and "enum" not in schema
    if parameter["in"] != "query" or not (takes_id or takes_name):
        return parameter
    text = parameter.get("description", "")
    return parameter | {
        "schema": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-takes": "id" if takes_id else "name"},
        "description": f"{text} Id or name.".strip(),
    }
