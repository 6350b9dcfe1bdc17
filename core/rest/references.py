"""Records of any route by id or by name: `?site=ams1`, `{"machine": "hgx-a01-01"}`.

Views are written for ids. Where a query parameter or a field of a body that takes a number names a record, a text that
is no number is the record's name: it becomes the id here, once it is known who asks and before the view reads it. A
name that nothing has that the caller may see, and one that several have, is refused with its field. Which words name
which records is registered by the packages that have them; lists of records of the inventory resolve their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from core.openapi.references import in_a_list, meaning_of, names, taken_by, word_of, words
from core.rest.parameters import inspected

Roles = Mapping[int | None, Role]
Fields = Mapping[str, Any]
"""Fields of a body that name a record: to the word of the record, or to the `Fields` of the rows that they hold."""


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
        cls = getattr(view, "cls", None)
        if cls is None or not any(word_of(name, cls) for name in request.GET):
            return None
        takes = taken_in_query(view, request.method or "GET")
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
                query.setlist(name, list(map(str, ids_of(cls, name, given[name], roles, beside))))
            except ValueError as error:
                problems[name] = [str(error)]
        for name in numbered:
            query.setlist(name, names[word_of(name, cls) or name](given[name], roles))
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


def ids_of(view: Any, name: str, values: Sequence[Any], roles: Roles, beside: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Values with names replaced by ids, in lists of lists too: one look-up. Raises ValueError."""
    word = word_of(name, view) or name
    near = {
        meaning_of(part, view): [str(each) for each in told if isinstance(each, str | int)]
        for part, told in beside.items() if part != name
    }  # fmt: skip
    asked = list(dict.fromkeys(text for text in flat(values) if is_name(text)))
    ids = dict(zip(asked, words[word](asked, roles, near), strict=True))

    def replaced(value: Any) -> Any:
        return list(map(replaced, value)) if isinstance(value, list) else ids[value] if is_name(value) else value

    return [replaced(value) for value in values]


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for each in value:
            yield from flat(each)
    else:
        yield value


def in_body(data: Any, context: Any) -> Any:
    """A body as it was read, with ids for names. Raises ValidationError."""
    request: Any = (context or {}).get("request")
    match = getattr(request, "resolver_match", None)
    rows = data if isinstance(data, list) else [data]
    cls = getattr(match.func, "cls", None) if match is not None else None
    if match is None or cls is None or not any(_names(row, cls) for row in rows):
        return data
    fields = numbers_in_body(match.func, request.method)
    if not fields or not (roles := roles_of_reader(request)):
        return data
    above = {name: [value] for name, value in match.kwargs.items()}  # an address of a port of this machine
    done = [_row(row, cls, fields, roles, above) for row in rows]
    return done if isinstance(data, list) else done[0]


def roles_of_reader(request: Any) -> Roles:
    """Of who sends the body. The CSRF check of a session reads it before that is settled: there the session says."""
    return request_roles(request) if hasattr(request, "_user") else granted_roles(request._request.user)


def _names(row: Any, view: Any) -> bool:
    """Whether a row, or one in it, has a field that may name a record."""
    return isinstance(row, Mapping) and any(
        word_of(name, view) or (isinstance(value, list) and any(_names(each, view) for each in value))
        for name, value in row.items()
    )


def _row(row: Any, view: Any, fields: Fields, roles: Roles, above: Mapping[str, Sequence[Any]]) -> Any:
    """`above`: what the address says, and the row that this one stands in."""
    if not isinstance(row, Mapping):
        return row
    lists = {name: _listed(row, name) for name in row}
    beside = {**above, **lists}
    changed: dict[str, Any] = {}
    for name in fields.keys() & lists.keys():
        if not isinstance(fields[name], str):
            try:
                changed[name] = [_row(each, view, fields[name], roles, beside) for each in lists[name]]
            except serializers.ValidationError as error:
                raise serializers.ValidationError({name: error.detail}) from error
        elif any(map(is_name, flat(lists[name]))):
            try:
                changed[name] = ids_of(view, name, lists[name], roles, beside)
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
        stated = [each for each in schema._get_parameters() if each["in"] == "query"]
        return {each["name"]: each["schema"]["x-takes"] for each in stated if "x-takes" in each["schema"]}

    return inspected(view, method, found) or {}


@cache
def numbers_in_body(view: Any, method: str) -> Fields:
    """The fields of a body that name a record, or several, and take ids."""
    if getattr(view.cls, "refuses_unknown_filters", False):  # records of the inventory resolve their own
        return {}

    def found(schema: Any) -> Fields:
        asked = schema.get_request_serializer()
        several = list(asked.values()) if isinstance(asked, dict) else [asked]
        fields: dict[str, Any] = {}
        for each in several:
            fields |= _fields_of(force_instance(each), view.cls)  # type: ignore[no-untyped-call]
        return fields

    return inspected(view, method, found) or {}


def _fields_of(serializer: Any, view: Any) -> Fields:
    found: dict[str, Any] = {}
    for name, field in getattr(in_a_list(serializer), "fields", {}).items():
        if word := taken_by(field, name, view):
            found[name] = word
        elif not field.read_only and (inside := _fields_of(field, view)):
            found[name] = inside
    return found
