"""Records of any route by id or by name: `?site=ams1`, `{"machine": "hgx-a01-01"}`.

Views are written for ids. Where a query parameter or a field of a body that takes a number names a record, a text that
is no number is the record's name: it becomes the id here, once it is known who asks and before the view reads it. A
name that nothing has that the caller may see, and one that several have, is refused with its field. Which words name
which records is registered by the packages that have them; lists of records of the inventory resolve their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.plumbing import force_instance
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from core.accounts.scope import granted_roles, request_roles
from core.errors import error_body
from core.http import parsers
from core.models import Role
from core.openapi.references import names, words
from core.rest.parameters import inspected

Roles = Mapping[int | None, Role]
NUMBERS = (serializers.IntegerField, serializers.PrimaryKeyRelatedField)


class NamedRecordsMiddleware:
    """Names in queries; those in bodies when a parser read them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        parsers.read.register(in_body)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        if not request.GET or not hasattr(view, "cls"):
            return None
        takes = taken_in_query(view, request.method or "GET") if not words.keys().isdisjoint(request.GET) else {}
        given = {name: request.GET.getlist(name) for name in request.GET if name in takes}
        named = [name for name, texts in given.items() if takes[name] == "id" and any(map(is_name, texts))]
        numbered = [name for name, texts in given.items() if takes[name] == "name" and any(map(str.isdecimal, texts))]
        roles = roles_of(request, view) if named or numbered else {}
        if not roles:
            return None
        query, problems = request.GET.copy(), {}
        beside = dict(query.lists())
        for name in named:
            try:
                query.setlist(name, list(map(str, ids_of(name, given[name], roles, beside))))
            except ValueError as error:
                problems[name] = [str(error)]
        for name in numbered:
            query.setlist(name, names[name](given[name], roles))
        if problems:
            return JsonResponse(error_body("invalid", "The request was refused; see the fields.", problems), status=400)
        request.GET = query  # type: ignore[assignment]
        return None


def roles_of(request: HttpRequest, view: Any) -> Roles:
    """Of who asks; none where the view will refuse them."""
    try:
        return request_roles(Request(request, authenticators=[each() for each in view.cls.authentication_classes]))
    except APIException:
        return {}


def is_name(value: Any) -> bool:
    return isinstance(value, str) and value != "" and not value.lstrip("-").isdecimal()


def ids_of(name: str, values: Iterable[Any], roles: Roles, beside: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Values with names replaced by ids. Raises ValueError."""
    near = {part: [str(each) for each in told] for part, told in beside.items() if part != name}
    return [words[name]([value], roles, near)[0] if is_name(value) else value for value in values]


def in_body(data: Any, context: Any) -> Any:
    """A body as it was read, with ids for names. Raises ValidationError."""
    request: Any = (context or {}).get("request")
    match = getattr(request, "resolver_match", None)
    rows = data if isinstance(data, list) else [data]
    if match is None or not hasattr(match.func, "cls") or not any(_names(row) for row in rows):
        return data
    fields = numbers_in_body(match.func, request.method)
    if not fields or not (roles := roles_of_reader(request)):
        return data
    done = [_row(row, fields, roles) if isinstance(row, Mapping) else row for row in rows]
    return done if isinstance(data, list) else done[0]


def roles_of_reader(request: Any) -> Roles:
    """Of who sends the body. The CSRF check of a session reads it before that is settled: there the session says."""
    return request_roles(request) if hasattr(request, "_user") else granted_roles(request._request.user)


def _names(row: Any) -> bool:
    return isinstance(row, Mapping) and not words.keys().isdisjoint(row)


def _row(row: Mapping[str, Any], fields: frozenset[str], roles: Roles) -> Any:
    lists = {name: _listed(row, name) for name in row if name in words}
    changed: dict[str, Any] = {}
    for name in fields & lists.keys():
        if any(map(is_name, lists[name])):
            try:
                changed[name] = ids_of(name, lists[name], roles, lists)
            except ValueError as error:
                raise serializers.ValidationError({name: [str(error)]}) from error
    if not changed:
        return row
    if hasattr(row, "setlist"):  # a form
        form: Any = row.copy()  # type: ignore[attr-defined]
        for name, values in changed.items():
            form.setlist(name, list(map(str, values)))
        return form
    return {**row, **{name: ids if isinstance(row[name], list) else ids[0] for name, ids in changed.items()}}


def _listed(row: Mapping[str, Any], name: str) -> list[Any]:
    if hasattr(row, "getlist"):
        return list(row.getlist(name))
    return row[name] if isinstance(row[name], list) else [row[name]]


# ---- where an id is expected ----


@cache
def taken_in_query(view: Any, method: str) -> dict[str, str]:
    """The parameters that name a record, with what the view reads: its `id` or its `name`."""

    def found(schema: Any) -> dict[str, str]:
        stated = [each for each in schema._get_parameters() if each["in"] == "query" and each["name"] in words]
        return {each["name"]: each["schema"]["x-takes"] for each in stated if "x-takes" in each["schema"]}

    return inspected(view, method, found) or {}


@cache
def numbers_in_body(view: Any, method: str) -> frozenset[str]:
    """The fields of a body that name a record, or several, and take ids."""
    if getattr(view.cls, "refuses_unknown_filters", False):  # records of the inventory resolve their own
        return frozenset()

    def found(schema: Any) -> frozenset[str]:
        asked = schema.get_request_serializer()
        several = list(asked.values()) if isinstance(asked, dict) else [asked]
        names: set[str] = set()
        for each in several:
            serializer = force_instance(each)  # type: ignore[no-untyped-call]
            serializer = getattr(serializer, "child", serializer)
            for name, field in getattr(serializer, "fields", {}).items():
                one = getattr(field, "child_relation", None) or getattr(field, "child", field)
                if name in words and isinstance(one, NUMBERS) and not field.read_only:
                    names.add(name)
        return frozenset(names)

    return inspected(view, method, found) or frozenset()
