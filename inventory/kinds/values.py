"""Rows of a kind as flat values, by field name: for answers, for files, and as what a write compares with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet

from core.database import prepared
from inventory.kinds.kind import KINDS, Kind
from inventory.models import Tag
from inventory.specs.units import whole

Values = dict[str, Any]


def tag_names(kind: Kind) -> ArraySubquery:
    through = kind.model.tags.through  # type: ignore[attr-defined]
    owner = kind.model._meta.model_name
    rows = through.objects.filter(**{f"{owner}_id": OuterRef("pk")}).order_by("tag__name").values("tag__name")
    return ArraySubquery(rows)


def source(kind: Kind, name: str) -> Any:
    """The path or expression a column of an answer is read from."""
    if name == "id":
        return "pk"
    if name in kind.computed:
        return kind.computed[name].source
    if name == "tags" and kind.tags:
        return tag_names(kind)
    if name.endswith("_name") and (field := kind.fields.get(name.removesuffix("_name"))) and field.references:
        return field.name_path
    return kind.fields[name].path


def all_names(kind: Kind) -> list[str]:
    """Everything an answer has: the id, the fields, the names of references, computed ones, and extras."""
    names = ["id"]
    for field in kind.fields.values():
        names.append(field.name)
        if field.references:
            names.append(f"{field.name}_name")
    names += kind.computed
    extra = [name for extra in kind.extras if not extra.on_request for name in extra.names]
    return [*names, *(name for name in extra if name not in names)]


def names_on_request(kind: Kind) -> list[str]:
    """What an answer has only where it is asked for by name."""
    return [name for extra in kind.extras if extra.on_request for name in extra.names]


def select(kind: Kind, rows: QuerySet, names: Sequence[str]) -> QuerySet:
    """A query for tuples of these columns."""
    paths: list[str] = []
    more: dict[str, Any] = {}
    for name in names:
        where = source(kind, name)
        if isinstance(where, str):
            paths.append(where)
        else:
            more[f"the_{name}"] = where
            paths.append(f"the_{name}")
    return rows.annotate(**more).values_list(*paths)


def read(kind: Kind, rows: QuerySet, names: Sequence[str] | None = None) -> list[Values]:
    wanted = list(names or all_names(kind))
    chosen = columns_for(kind, wanted)
    found = [dict(zip(chosen, values, strict=True)) for values in select(kind, rows, chosen)]
    return complete(kind, found, wanted)


def read_by_id(kind: Kind, ids: Sequence[int], names: Sequence[str] | None = None) -> list[Values]:
    """Those of these records that there are, at whatever site, in no order."""
    if len(ids) > prepared.FEW:
        return read(kind, kind.queryset().filter(pk__any=list(ids)).order_by(), names)
    wanted = list(names or all_names(kind))
    chosen = columns_for(kind, wanted)
    found = [dict(zip(chosen, values, strict=True)) for values in statement(kind.name, tuple(chosen)).rows(ids)]
    return complete(kind, found, wanted)


@lru_cache(maxsize=100)
def statement(kind: str, names: tuple[str, ...]) -> prepared.ById:
    return prepared.ById(select(KINDS[kind], KINDS[kind].queryset(), names))


def columns_for(kind: Kind, names: Iterable[str]) -> list[str]:
    """The columns to select for an answer of these names: extras are fetched by the id."""
    extra = set(kind.extra_names)
    return list(dict.fromkeys(["id", *(name for name in names if name not in extra)]))


def complete(kind: Kind, rows: list[Values], names: Sequence[str]) -> list[Values]:
    """Values as a record has them (a range of half units is a U), with the extras among `names`, in that order."""
    loads = {name: field.load for name in names if (field := kind.fields.get(name)) and field.load}
    for name, load in loads.items():
        for row in rows:
            row[name] = load(row[name])
    for extra in kind.extras:
        asked = [name for name in extra.names if name in names]
        if asked and rows:
            found = extra.load([row["id"] for row in rows])
            for row in rows:
                values = found.get(row["id"], {})
                row.update((name, values.get(name, extra.missing)) for name in asked)
    return [{name: row[name] for name in names} for row in rows]


SHOWN: dict[type, Callable[[Any], Any]] = {
    Decimal: lambda value: int(value) if value == value.to_integral_value() else float(value),
    float: whole,
    date: lambda value: value.isoformat(),
    datetime: lambda value: value.isoformat(),
    UUID: str,
}


def shown(value: Any) -> Any:
    """A value as JSON has it."""
    show = SHOWN.get(type(value))
    return show(value) if show else value


def known_tags(names: Iterable[str]) -> dict[str, int]:
    return dict(Tag.objects.filter(name__any=sorted(set(names))).values_list("name", "id"))


def presented(kind: Kind, rows: list[Values]) -> list[Values]:
    """Rows as JSON has them; only columns that need it are looked at."""
    typed: dict[str, Any] = {**kind.fields, **kind.computed}
    odd = {name for name, each in typed.items() if each.type in ("number", "date", "datetime")}
    for row in rows:
        for name in odd & row.keys():
            row[name] = shown(row[name])
    return rows
