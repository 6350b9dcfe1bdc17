"""Filters of every list, made from the fields of its kind: `name__istartswith=A`, `height_u__gte=42`, `id__in=1,2`.

A parameter that no filter has is refused with the nearest one there is: a list that ignores a misspelt filter answers
with everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django.db.models import Q, QuerySet
from pydantic import TypeAdapter, ValidationError
from rest_framework import serializers
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request

from core.accounts.scope import request_roles, visible_site_ids
from core.errors import or_nearest
from inventory.kinds.kind import KINDS, Kind
from inventory.kinds.kind import Field as KindField
from inventory.kinds.named import Near, beside, ids_of

RESERVED = ("page", "page_size", "ordering", "search", "fields", "omit", "format", "dry_run")
TEXT = (
    "",
    "ne",
    "in",
    "iexact",
    "contains",
    "icontains",
    "startswith",
    "istartswith",
    "endswith",
    "iendswith",
    "isnull",
)
ORDERED = ("", "ne", "in", "gt", "gte", "lt", "lte", "isnull")
LOOKUPS = {
    "text": TEXT,
    "integer": ORDERED,
    "number": ORDERED,
    "date": ORDERED,
    "datetime": ORDERED,
    "boolean": ("", "isnull"),
    "choice": ("", "ne", "in", "isnull"),
    "reference": ("", "ne", "in", "isnull"),
    "list": ("", "in", "isnull"),
}
PARTIAL = {"iexact", "contains", "icontains", "startswith", "istartswith", "endswith", "iendswith"}
TYPES: dict[str, Any] = {
    "text": str, "integer": int, "number": float, "boolean": bool, "date": date, "datetime": datetime, "choice": str,
}  # fmt: skip
MEANINGS = {
    "": "", "ne": "Not this.", "in": "One of several, with commas between.", "isnull": "True: it is empty.",
    "gt": "Above.", "gte": "At least.", "lt": "Below.", "lte": "At most.", "iexact": "In any case of letters.",
    "contains": "Has this in it.", "icontains": "Has this in it, in any case of letters.", "startswith": "Starts so.",
    "istartswith": "Starts so, in any case of letters.", "endswith": "Ends so.",
    "iendswith": "Ends so, in any case of letters.",
}  # fmt: skip


@dataclass(frozen=True)
class Filter:
    """One query parameter: what it takes and what it does to the rows."""

    name: str
    type: str
    lookup: str
    path: str
    help: str
    adapter: TypeAdapter
    references: str = ""
    choices: tuple[str, ...] = ()
    own: Callable[[QuerySet, Any], QuerySet] | None = None


@lru_cache
def filters_of(name: str) -> Mapping[str, Filter]:
    kind = KINDS[name]
    found = [_lookup("id", "integer", lookup, "pk", "", TypeAdapter(int)) for lookup in ("", "ne", "in", "gt", "lt")]
    for field in kind.fields.values():
        found += _of_field(kind, field)
    for title, computed in kind.computed.items():
        if isinstance(computed.source, str):
            for lookup in LOOKUPS[computed.type]:
                adapter = TypeAdapter(TYPES[computed.type])
                made = _lookup(title, computed.type, lookup, computed.source, computed.help, adapter)
                found.append(made if not computed.choices else _with_choices(made, computed.choices))
    for title, own in kind.filters.items():
        adapter = TypeAdapter(TYPES[own.type])
        found.append(Filter(title, own.type, "", "", own.help, adapter, own.references, own=own.apply))
    return {each.name: each for each in found}


def plain_filters(fields: Mapping[str, str]) -> Mapping[str, Filter]:
    """Filters of a list that is of no kind: column to type."""
    made = [
        _lookup(name, type_, lookup, "pk" if name == "id" else name, "", TypeAdapter(TYPES[type_]))
        for name, type_ in fields.items()
        for lookup in LOOKUPS[type_]
    ]
    return {each.name: each for each in made}


def plain_conditions(request: Request, known: Mapping[str, Filter], others: Iterable[str]) -> Q:
    """What the query asks for. Raises ValidationError for what is neither a filter nor among `others`."""
    found, problems = Q(), {}
    for name in request.query_params:
        texts = [text for text in request.query_params.getlist(name) if text != ""]
        if name in RESERVED or name in others or not texts:
            continue
        try:
            if name not in known:
                raise ValueError(_unknown(name, [*known, *others, *RESERVED]))
            found &= condition(known[name], texts, None)
        except ValueError as error:
            problems[name] = [str(error)]
    if problems:
        raise serializers.ValidationError(problems)
    return found


def _of_field(kind: Kind, field: KindField) -> Iterable[Filter]:
    if field.name in kind.filters or field.name in kind.extra_names or field.type == "object":
        return
    placed = field.path.startswith("placement__") and field.path != "placement__side_slot"
    if field.load and (placed or field.type not in ("text", "choice")):
        return
    if field.type == "list" and not (field.name == "tags" and kind.tags):
        return
    annotation: Any = kind.record.model_fields[field.name]
    for lookup in LOOKUPS[field.type]:
        adapter = TypeAdapter(_annotated(annotation)) if field.type != "list" else TypeAdapter(str)
        path = "tags__name" if field.type == "list" else field.path
        made = _lookup(field.name, field.type, lookup, path, field.help, adapter, field.references)
        yield _with_choices(made, field.choices) if field.choices else made
    if field.references:
        for lookup in TEXT:
            yield _lookup(f"{field.name}_name", "text", lookup, field.name_path, "Its name.", TypeAdapter(str))


def _annotated(info: Any) -> Any:
    from typing import Annotated

    return Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation


def _lookup(
    name: str, type_: str, lookup: str, path: str, help_: str, adapter: TypeAdapter, references: str = ""
) -> Filter:
    title = f"{name}__{lookup}" if lookup else name
    words = " ".join(word for word in (help_, MEANINGS[lookup]) if word)
    return Filter(title, type_, lookup, path, words, adapter, references)


def _with_choices(made: Filter, choices: tuple[str, ...]) -> Filter:
    from dataclasses import replace

    return replace(made, choices=choices)


# ---- values ----


def value_of(each: Filter, text: str) -> Any:
    """The value of a parameter. Raises ValueError with the reason."""
    if "\0" in text:
        raise ValueError("Null characters are not allowed.")
    if each.lookup == "isnull":
        return _checked(TypeAdapter(bool), text)
    if each.lookup in PARTIAL:
        return text
    if each.choices and text not in each.choices:
        raise ValueError(f"One of {', '.join(each.choices)}.")
    if each.references:
        return text
    value = _checked(each.adapter, text)
    if isinstance(value, int) and abs(value) >= 2**63:
        raise ValueError("The number is too large.")
    return value


def _checked(adapter: TypeAdapter, text: str) -> Any:
    try:
        return adapter.validate_python(text)
    except ValidationError as error:
        raise ValueError(error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")) from error


def condition(each: Filter, texts: list[str], visible: list[int] | None, near: Near | None = None) -> Q:
    """Rows that fit one of the given values."""
    values = [value_of(each, text) for text in _split(each, texts)]
    if each.references and each.lookup != "isnull":
        fits = Q(**{f"{each.path}__in": ids_of(KINDS[each.references], values, visible, near)})
        return ~fits if each.lookup == "ne" else fits
    if each.lookup == "isnull":
        empty = Q(**{f"{each.path}__isnull": True})
        if each.type == "text":
            empty |= Q(**{each.path: ""})
        return empty if values[-1] else ~empty
    if each.lookup in ("", "in", "ne"):
        fits = Q(**{f"{each.path}__in": values})
        return ~fits if each.lookup == "ne" else fits
    fits = Q(pk__in=[])
    for value in values:
        fits |= Q(**{f"{each.path}__{each.lookup}": value})
    return fits


def _split(each: Filter, texts: list[str]) -> list[str]:
    if each.lookup == "in":
        texts = [part.strip() for text in texts for part in text.split(",")]
    return [text for text in texts if text != ""]


# ---- the backends ----


class KindFilter(BaseFilterBackend):
    """Applies the filters of the view's kind."""

    def filter_queryset(self, request: Request, queryset: QuerySet, view: Any) -> QuerySet:
        kind: Kind = view.kind
        known = filters_of(kind.name)
        visible = visible_site_ids(request_roles(request))
        near = beside(dict(request.query_params.lists()))
        problems: dict[str, list[str]] = {}
        for name in request.query_params:
            texts = [text for text in request.query_params.getlist(name) if text != ""]
            if name in RESERVED or not texts:
                continue
            try:
                if name.startswith("cf_") and kind.custom:
                    queryset = queryset.filter(custom_condition(kind, name, texts))
                elif name not in known:
                    raise ValueError(_unknown(name, [*known, *RESERVED]))
                elif (own := known[name].own) is not None:
                    value = value_of(known[name], texts[-1])
                    if known[name].references:
                        value = ids_of(KINDS[known[name].references], [value], visible, near)[0]
                    queryset = own(queryset, value)
                else:
                    queryset = queryset.filter(condition(known[name], texts, visible, near))
            except ValueError as error:
                problems[name] = [str(error)]
        if problems:
            raise serializers.ValidationError(problems)
        return queryset

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [parameter_of(each) for each in filters_of(view.kind.name).values()]


def _unknown(name: str, known: Iterable[str]) -> str:
    return "There is no such filter" + (or_nearest(name, known) or ".")


def custom_condition(kind: Kind, name: str, texts: list[str]) -> Q:
    """`cf_zone=a`, `cf_zone__in=a,b`, `cf_price__gte=5`: values of custom fields, each in its type."""
    from inventory.custom_fields import validate_custom
    from inventory.kinds.custom import declared

    title, _, lookup = name.removeprefix("cf_").partition("__")
    definitions = {each.name: each for each in declared(kind.name)}
    if title not in definitions or lookup not in ("", "in", "gt", "gte", "lt", "lte", "isnull"):
        raise ValueError(_unknown(name, [f"cf_{each}" for each in definitions]))
    if lookup == "isnull":
        return Q(custom__has_key=title) if texts[-1].lower() in ("false", "0", "no") else ~Q(custom__has_key=title)
    found = Q(pk__in=[])
    for text in [part for each in texts for part in each.split(",")] if lookup == "in" else texts:
        clean, errors = validate_custom([definitions[title]], {title: text}, {})
        if errors:
            raise ValueError(errors[title])
        value = clean.get(title)
        if definitions[title].type == "choices":
            found |= Q(**{f"custom__{title}__contains": value})
        else:
            found |= Q(**{f"custom__{title}__{lookup}" if lookup not in ("", "in") else f"custom__{title}": value})
    return found


def parameter_of(each: Filter) -> dict[str, Any]:
    """A filter as OpenAPI describes it."""
    kinds = {"integer": "integer", "number": "number", "boolean": "boolean"}
    plain: dict[str, Any] = {"type": kinds.get(each.type, "string")}
    if each.lookup == "isnull":
        plain = {"type": "boolean"}
    elif each.lookup == "in" or each.references or each.lookup in PARTIAL:
        plain = {"type": "string"}
    elif each.choices:
        plain = {"type": "string", "enum": list(each.choices)}
    elif each.type in ("date", "datetime"):
        plain = {"type": "string", "format": "date" if each.type == "date" else "date-time"}
    return {"name": each.name, "in": "query", "required": False, "description": each.help, "schema": plain}


class KindOrdering(BaseFilterBackend):
    """`?ordering=-name,height_u`; the id comes last, so that pages never overlap."""

    def filter_queryset(self, request: Request, queryset: QuerySet, view: Any) -> QuerySet:
        kind: Kind = view.kind
        wanted = [word.strip() for word in request.query_params.get("ordering", "").split(",") if word.strip()]
        if not wanted:
            return queryset.order_by(*kind.order)
        paths = orderings(kind.name)
        lost = [word for word in wanted if word.removeprefix("-") not in paths]
        if lost:
            raise serializers.ValidationError({"ordering": [f"No order by {lost[0]}; {_unknown(lost[0], paths)}"]})
        expressions: dict[str, Any] = {}
        order = []
        for word in wanted:
            path = paths[word.removeprefix("-")]
            if not isinstance(path, str):
                expressions[f"the_{word.removeprefix('-')}"] = path
                path = f"the_{word.removeprefix('-')}"
            order.append(f"-{path}" if word.startswith("-") else path)
        return queryset.annotate(**expressions).order_by(*order, "pk")

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        names = ", ".join(orderings(view.kind.name))
        return [{
            "name": "ordering", "in": "query", "required": False, "schema": {"type": "string"},
            "description": f"Fields with commas between, `-` for descending: {names}.",
        }]  # fmt: skip


@lru_cache
def orderings(name: str) -> Mapping[str, Any]:
    """What a list can be ordered by: field to path or expression."""
    kind = KINDS[name]
    paths: dict[str, Any] = {"id": "pk"}
    for field in kind.fields.values():
        if field.type in ("list", "object") or field.name in kind.extra_names:
            continue
        paths[field.name] = field.name_path if field.references else field.path
    return paths | {title: computed.source for title, computed in kind.computed.items()}
