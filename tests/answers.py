"""Whether answers are what the OpenAPI document declares: no field more and none less.

The document's own rule lets any field be there; here an object has the declared ones only.
"""

from __future__ import annotations

import copy
import re
from functools import cache
from typing import Any

import jsonschema_rs
from django.test import Client

from tests.schema import api_document, template_of

MOST_SHOWN = 8
JSON = "application/json"


def close(node: Any) -> Any:
    """The schema where every object has its declared fields only."""
    if isinstance(node, list):
        return [close(each) for each in node]
    if not isinstance(node, dict):
        return node
    closed = {name: close(each) for name, each in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed


@cache
def components() -> dict[str, Any]:
    return {name: close(schema) for name, schema in api_document()["components"]["schemas"].items()}


def needed(schema: Any, found: dict[str, Any]) -> dict[str, Any]:
    """The components that a schema refers to, also indirectly."""
    for name in set(re.findall(r"#/components/schemas/([\w.-]+)", repr(schema))) - found.keys():
        found[name] = components()[name]
        needed(found[name], found)
    return found


@cache
def validator(template: str, method: str, status: int) -> Any:
    """Of the declared answer; None where there is none in JSON."""
    operation = api_document()["paths"][template].get(method.lower(), {})
    declared = operation.get("responses", {}).get(str(status), {})
    if declared.get("$ref", "").startswith("#/components/responses/"):
        declared = api_document()["components"]["responses"][declared["$ref"].rpartition("/")[2]]
    if JSON not in declared.get("content", {}):
        return None
    schema = close(copy.deepcopy(declared["content"][JSON]["schema"]))
    return jsonschema_rs.Draft202012Validator(
        {**schema, "components": {"schemas": needed(schema, {})}}, validate_formats=True
    )


def problems(method: str, address: str, status: int, body: Any) -> list[str]:
    """What of an answer the document does not say, in words; nothing for a route that it does not have."""
    path = address.partition("?")[0]
    template = template_of(path)
    found = validator(template, method, status) if template else None
    if found is None:
        return []
    errors = list(found.iter_errors(body))[:MOST_SHOWN]
    return [f"{method} {path} {status} {list(error.instance_path)}: {error.message[:300]}" for error in errors]


def check_every_answer() -> None:
    """From now on an answer to a test's client that is not as declared ends the test. Selected fields are left out."""
    send = Client.request

    def checked(client: Client, **request: Any) -> Any:
        answer = send(client, **request)
        selected = re.search(r"\b(fields|omit)=", request.get("QUERY_STRING", ""))
        readable = answer.get("Content-Type", "") == JSON and "Content-Encoding" not in answer and not answer.streaming
        if readable and not selected:
            method, path = request.get("REQUEST_METHOD", "GET"), request.get("PATH_INFO", "/")
            found = problems(method, path, answer.status_code, answer.json())
            assert not found, "\n".join(found)
        return answer

    Client.request = checked  # type: ignore[method-assign, assignment]
