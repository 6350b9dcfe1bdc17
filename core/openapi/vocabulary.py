"""The words that people read for the codes of the API, and their place in the OpenAPI document.

Each room keeps its words in `words.yaml`: for each set of codes a name, and for each code its word, or its word and
what it means: `stale: [Stale, "The last good discovery run is too old."]`. Wherever the document lists exactly these
codes, it refers to the component of that name, which carries the words as `x-words`; the dashboard's are generated
from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from django.apps import apps

Code = str | int
EMPTY = ("", None)


class Said(NamedTuple):
    word: str
    says: str = ""


Words = dict[Code, Said]


@cache
def vocabularies() -> dict[str, Words]:
    """Of every room, by name. Raises ValueError for a name or a set of codes that is there twice."""
    found: dict[str, Words] = {}
    for config in apps.get_app_configs():
        path = Path(config.path) / "words.yaml"
        for name, codes in (yaml.safe_load(path.read_text()) if path.exists() else {}).items():
            words = {code: Said(said) if isinstance(said, str) else Said(*said) for code, said in codes.items()}
            twice = next((other for other, known in found.items() if known.keys() == words.keys()), name)
            if name in found or twice != name:
                raise ValueError(f"{path}: {name} is declared twice, or has the codes of {twice}")
            found[name] = words
    return found


def enumerations(node: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a part of the document that lists codes."""
    if isinstance(node, dict):
        if isinstance(node.get("enum"), list):
            yield node
        for each in node.values():
            yield from enumerations(each)
    elif isinstance(node, list):
        for each in node:
            yield from enumerations(each)


def codes_of(schema: dict[str, Any]) -> frozenset[Code]:
    return frozenset(code for code in schema["enum"] if code not in EMPTY)


def name_codes(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """Hook of drf-spectacular. Codes that have words become components. Raises ValueError for words nobody needs."""
    schemas = result["components"]["schemas"]
    by_codes = {frozenset(words): name for name, words in vocabularies().items()}
    used = set()
    for schema in list(enumerations(result)):
        name = by_codes.get(codes_of(schema))
        if name is not None:
            used.add(name)
            refer(schema, name)
    unused = sorted(set(vocabularies()) - used)
    if unused or used & set(schemas):
        raise ValueError(f"words without such codes in the document: {unused}; taken names: {used & set(schemas)}")
    schemas.update({name: component(words) for name, words in vocabularies().items()})
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    return result


def component(words: Words) -> dict[str, Any]:
    listed = "\n".join(f"* `{code}`: {said.word}. {said.says}".rstrip() for code, said in words.items())
    kind = "integer" if all(isinstance(code, int) for code in words) else "string"
    said = {str(code): {"word": said.word, "says": said.says} for code, said in words.items()}
    return {"type": kind, "enum": list(words), "description": listed, "x-words": said}


def refer(schema: dict[str, Any], name: str) -> None:
    """Put a reference in the place of the codes; what else they may be, empty or null, stays beside it."""
    reference = {"$ref": f"#/components/schemas/{name}"}
    empty = [code for code in schema["enum"] if code in EMPTY]
    nullable = None in empty or "null" in schema.get("type", [])
    for word in ("enum", "type", "x-spec-enum-id"):
        schema.pop(word, None)
    if not empty and not nullable:
        schema.update(reference)
        return
    schema["oneOf"] = [reference]
    if "" in empty:
        schema["oneOf"].append({"enum": [""]})
    if nullable:
        schema["oneOf"].append({"type": "null"})
