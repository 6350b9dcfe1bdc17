"""What many operations say alike stands once in the OpenAPI document: refusals and parameters.

Otherwise the refusals of 500 operations are most of the document, and of the types that are generated from it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")
FEWEST = 3
"""Said by fewer operations, a thing stays where it is said."""


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from (methods[method] for method in METHODS if method in methods)


def state_once(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """Hook of drf-spectacular. Answers with a status from 300 up and parameters get components of their own."""
    refusals, parameters = Shared("responses"), Shared("parameters")
    for operation in operations(result):
        for status, answer in operation["responses"].items():
            if int(status) >= 300:
                refusals.note(f"Status{status}", answer)
        for parameter in operation.get("parameters", []):
            parameters.note(name_of(parameter), parameter)
    for operation in operations(result):
        for status, answer in operation["responses"].items():
            operation["responses"][status] = refusals.reference(f"Status{status}", answer)
        operation["parameters"] = [
            parameters.reference(name_of(parameter), parameter) for parameter in operation.get("parameters", [])
        ]
    for shared in (refusals, parameters):
        result["components"][shared.section] = dict(sorted(shared.stated.items()))
    return result


def name_of(parameter: dict[str, Any]) -> str:
    """`page_size`, `If-None-Match`, `id.path`: what a parameter is called in the list of shared ones."""
    name = re.sub(r"[^\w.-]", "_", parameter["name"])
    return name if parameter["in"] in ("query", "header") else f"{name}.{parameter['in']}"


class Shared:
    """Of each name the wording that most operations use, if enough of them do."""

    def __init__(self, section: str) -> None:
        self.section = section
        self.wordings: dict[str, Counter[str]] = {}
        self.stated: dict[str, Any] = {}

    def note(self, name: str, said: dict[str, Any]) -> None:
        self.wordings.setdefault(name, Counter())[json.dumps(said, sort_keys=True, default=str)] += 1

    def reference(self, name: str, said: dict[str, Any]) -> dict[str, Any]:
        """A reference to the shared one, or what was given where it is worded in its own way."""
        ((usual, count),) = self.wordings[name].most_common(1) if name in self.wordings else [("", 0)]
        if count < FEWEST or json.dumps(said, sort_keys=True, default=str) != usual:
            return said
        self.stated[name] = said
        return {"$ref": f"#/components/{self.section}/{name}"}
