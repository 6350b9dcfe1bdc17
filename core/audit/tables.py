"""What is audited: every table of the model registry except those left out by name, with how its rows are read.

Nothing has to be declared for a new model: its site and what its rows belong to follow from its foreign keys. A room
says more in its module `audit` where that is not enough: `audited(...)` and `left_out(...)`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.apps import apps
from django.db import models

from core.models import Role

NAMES = ("name", "label", "title", "username", "slug", "key", "number")
"""Columns that name a row, in the order of preference, where nothing else is declared."""


@dataclass(frozen=True)
class Said:
    """What was done, to stand after who did it. Of a change with several rows the one with the highest rank speaks;
    the general words have rank 0."""

    rank: int
    words: str


@dataclass(frozen=True)
class Declared:
    """What a room says of one table; empty fields follow from the model."""

    kind: str = ""
    """Plural name in the API, such as racks."""
    name: tuple[str, ...] = ()
    """Fields that name a row together; of a foreign key the name of its record is taken."""
    prefix: str = ""
    """Stands before the name, such as REP- of a ticket's number."""
    between: str = " "
    """Stands between the fields that name a row: REP-7 on hgx-a05-01."""
    says: Callable[[dict[str, Any]], Said | None] | None = None
    """A row as the history tells it (`queries.tell`) in words; None for one that the general words are good for."""
    retold: Callable[[list[tuple[dict[str, Any], dict[str, Any]]]], None] | None = None
    """Rewrites (row of the log, row as told) of this table, many at once, where the room knows more than the columns,
    such as the label at a slot. One statement at most."""
    shown: dict[str, tuple[str, Callable[[Any], Any]]] = field(default_factory=dict)
    """Field to the name it is shown by and how its values are said, such as half units as U."""
    belongs_to: tuple[str, ...] | None = None
    """Paths to the records whose history shows this one: by default its foreign keys that cascade."""
    site: str | None = None
    """Path to the site, such as `device__site`; "" for a table whose rows have none."""
    noise: tuple[str, ...] = ()
    """Fields that change by themselves: a change of nothing else is not written."""
    hidden: tuple[str, ...] = ()
    """Secret fields: that they changed is written, what they held is not."""
    found_by_id: bool = True
    """False for small parts that nobody looks up alone, such as a connector: they are found by what they belong to."""
    read: Role | None = Role.VIEWER
    """Role at the row's site that may read its history; None: only an administrator of every site."""
    undo: Role | None = None
    """Role at the row's site that may take changes back; None: not from the history, it has its own ways."""
    comes_with: str = ""
    """Model whose new rows bring rows of this one in the same change, as a machine its first state. They do not stand
    in the way of an undo: who brought them lets them go (`undo.on_leaving`), and brings them again."""


_declared: dict[str, Declared] = {}
_left_out: dict[str, str] = {}


def audited(label: str, **options: Any) -> None:
    """Say more of one model (`app.Model`) than follows from it."""
    _declared[label.lower()] = Declared(**options)
    table_of.cache_clear()
    audited_models.cache_clear()


def left_out(label: str, reason: str) -> None:
    """Keep a model out of the log. The reason is for the reader of the list."""
    _left_out[label.lower()] = reason
    audited_models.cache_clear()


@cache
def audited_models() -> tuple[type[models.Model], ...]:
    """Every model with a table of its own that is not left out, link tables included."""
    return tuple(
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.label_lower not in _left_out and not model._meta.proxy
    )


@dataclass(frozen=True)
class Table:
    """One audited table, with everything resolved to columns."""

    model: type[models.Model]
    declared: Declared
    kind: str
    pk: str
    """Column of the primary key."""
    has_id: bool
    """Whether the key is a number that may be shown."""
    root: str
    """The table whose rows share its ids: a machine's row belongs to its device's."""
    site: tuple[str, ...] | None
    """Field names from the model to its site; () is the site itself, None none."""
    belongs_to: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    """Field names that name a row."""
    hidden: frozenset[str]
    noise: frozenset[str]
    references: dict[str, str] = field(hash=False)
    """Foreign key column to the table it refers to."""

    @property
    def name(self) -> str:
        return self.model._meta.db_table

    def columns(self, names: tuple[str, ...] | frozenset[str]) -> list[str]:
        return sorted(column_of(self.model, name) for name in names)


@cache
def table_of(model: type[models.Model]) -> Table:
    meta = model._meta
    declared = _declared.get(meta.label_lower, Declared())
    keys = [field for field in meta.concrete_fields if isinstance(field, models.ForeignKey)]
    belongs = declared.belongs_to
    if belongs is None:
        belongs = tuple(key.name for key in keys if _cascades(key))
    site = _site_path(model) if declared.site is None else tuple(declared.site.split("__")) if declared.site else None
    return Table(
        model=model,
        declared=declared,
        kind=declared.kind or str(meta.verbose_name_plural).lower().replace(" ", "-"),
        pk=str(meta.pk.column),
        has_id=isinstance(_key_field(model), models.IntegerField),
        root=_root(model)._meta.db_table,
        site=site,
        belongs_to=tuple(tuple(path.split("__")) for path in belongs),
        names=declared.name or _names(model),
        hidden=frozenset(declared.hidden),
        noise=frozenset(declared.noise),
        references={str(key.column): _related(key)._meta.db_table for key in keys},
    )


@cache
def by_name() -> dict[str, Table]:
    return {model._meta.db_table: table_of(model) for model in audited_models()}


@cache
def by_kind() -> dict[str, list[Table]]:
    """Several tables may share a kind: a machine's own row is shown as the device it is part of."""
    found: dict[str, list[Table]] = {}
    for table in by_name().values():
        found.setdefault(table.kind, []).append(table)
    return found


def column_of(model: type[models.Model], field_name: str) -> str:
    found = model._meta.get_field(field_name)
    assert isinstance(found, models.Field)
    return str(found.column)


def _related(key: models.ForeignKey) -> type[models.Model]:
    model = key.related_model
    assert not isinstance(model, str)
    return model


def _cascades(key: models.ForeignKey) -> bool:
    return key.remote_field.on_delete is models.CASCADE


def _root(model: type[models.Model]) -> type[models.Model]:
    key = model._meta.pk
    return _root(_related(key)) if isinstance(key, models.OneToOneField) else model


def _key_field(model: type[models.Model]) -> models.Field:
    key = model._meta.pk
    return _key_field(_related(key)) if isinstance(key, models.ForeignKey) else key


def _names(model: type[models.Model]) -> tuple[str, ...]:
    fields = {field.name for field in model._meta.concrete_fields}
    named = next((name for name in NAMES if name in fields), None)
    if named:
        return (named,)
    keys = (key for key in model._meta.concrete_fields if isinstance(key, models.ForeignKey) and not key.null)
    texts = (field for field in model._meta.concrete_fields if isinstance(field, models.CharField))
    return tuple(key.name for key in keys) or tuple(field.name for field in texts)[:3]


def _site_path(model: type[models.Model]) -> tuple[str, ...] | None:
    """The shortest way over foreign keys to the site, by keys that are never empty where there is such a way."""
    for nullable in (False, True):
        queue: deque[tuple[type[models.Model], tuple[str, ...]]] = deque([(model, ())])
        seen = {model}
        while queue:
            here, path = queue.popleft()
            if here._meta.label == "core.Site":
                return path
            for key in here._meta.concrete_fields:
                if isinstance(key, models.ForeignKey) and (nullable or not key.null) and _related(key) not in seen:
                    seen.add(_related(key))
                    queue.append((_related(key), (*path, key.name)))
    return None
