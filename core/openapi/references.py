"""Words of the API that name a record, such as `site`, and how a name becomes the record's id."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from core.accounts.scope import limit_to_sites
from core.models import Role

Find = Callable[[Sequence[str], Mapping[int | None, Role], Mapping[str, Sequence[str]]], list[int]]
"""Ids of names that somebody with these roles may see; the last says what stands beside them. Raises ValueError."""


words: dict[str, Find] = {}
"""By word of queries and bodies; filled at start-up by the packages that have the records."""
called: dict[str, str] = {}
"""What the name of a record is, by word, where that is not just a name: the slug of a site."""
Name = Callable[[Sequence[str], Mapping[int | None, Role]], list[str]]
"""Names of ids, for parameters that take the name; what is the name of something stays."""
names: dict[str, Name] = {}

NUMBERS = (serializers.IntegerField, serializers.PrimaryKeyRelatedField)


def named_at_sites(rows: QuerySet, one: str, role: Role = Role.VIEWER) -> Find:
    """`Find` for records whose `name` is theirs alone within a site, which somebody with this role may see."""

    def find(texts: Sequence[str], roles: Mapping[int | None, Role], near: Mapping[str, Sequence[str]]) -> list[int]:
        mine = {site: held for site, held in roles.items() if held.rank >= role.rank}
        seen = limit_to_sites(rows.filter(name__in=set(texts)), mine, "site_id").order_by()
        found = list(seen.values_list("pk", "name", "site_id", "site__slug"))
        near_sites = near.get("site", ())
        return [
            the_one(one, text, [pk for pk, name, *site in found if name == text and fits(site, near_sites)], "site")
            for text in texts
        ]

    return find


def fits(values: Sequence[Any], told: Sequence[str]) -> bool:
    """Whether one of these values (of a site: its id, its slug) is told; anything fits where nothing is."""
    return not told or any(str(value) in told for value in values)


def the_one(one: str, text: str, found: Sequence[int], narrowed_by: str) -> int:
    """Raises ValueError where nothing has the name, or several have."""
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"There is no {one} {text!r}.")
    raise ValueError(f"Several {one}s are named {text!r}: give its id, or its {narrowed_by} beside it.")


def word_of(name: str, view: Any = None) -> str | None:
    """The word that says what a parameter or field names: `source__site` is a site. None for what names no record.

    A view whose `named_records` has it says so itself, where another route means something else by the same name.
    """
    word = meaning_of(name, view)
    return word if word in words else None


def meaning_of(name: str, view: Any) -> str:
    """What a name of a query, a body or an address stands for at a view, whether or not records go by it."""
    return getattr(view, "named_records", {}).get(name) or name.rpartition("__")[2]


def in_a_list(field: Any) -> Any:
    """What a field holds, lists around it taken off."""
    while (inner := getattr(field, "child_relation", None) or getattr(field, "child", None)) is not None:
        field = inner
    return field


def taken_by(field: Any, name: str, view: Any) -> str | None:
    """The word of a field of a body that takes the id of a record, or several."""
    return word_of(name, view) if not field.read_only and isinstance(in_a_list(field), NUMBERS) else None


# ---- as OpenAPI has them ----


def either(parameter: dict[str, Any], view: Any) -> dict[str, Any]:
    """A parameter of a query: one that names a record and takes its id takes the name as well."""
    schema, word = parameter.get("schema", {}), word_of(parameter["name"], view)
    takes_id = word is not None and schema.get("type") in ("integer", "number")
    takes_name = word in names and schema.get("type") == "string" and "enum" not in schema
    if parameter["in"] != "query" or word is None or not (takes_id or takes_name):
        return parameter
    return parameter | {
        "schema": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-takes": "id" if takes_id else "name"},
        "description": described(parameter, word),
    }


def either_in_body(schema: dict[str, Any], word: str) -> dict[str, Any]:
    """A field of a body that takes the id of a record, or a list of them: takes the name as well."""
    if "items" in schema:
        return {**schema, "items": either_in_body(schema["items"], word)}
    bounds: dict[str, Any] = {key: schema[key] for key in ("minimum", "maximum", "format") if key in schema}
    kept = {key: schema[key] for key in schema if key not in ("type", *bounds)}
    forms: list[dict[str, Any]] = [{"type": "integer", **bounds}, {"type": "string", "minLength": 1}]
    forms += [{"type": "null"}] if "null" in schema["type"] else []
    return {**kept, "oneOf": forms, "x-takes": "id", "description": described(schema, word)}


def described(said: Mapping[str, Any], word: str) -> str:
    text, name = said.get("description", ""), called.get(word, "name")
    return f"Id or {name} {text[3:]}" if text.startswith("Id of ") else f"{text} Id or {name}.".strip()
