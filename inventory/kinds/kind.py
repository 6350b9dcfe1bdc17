"""A kind of record, declared once: from this come its REST routes, its files, its checks and its bulk writes."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, get_args, get_origin

from django.db.models import Model, Q, QuerySet
from pydantic import create_model
from pydantic.fields import FieldInfo as PydanticField

from core.models import Role
from inventory.kinds.records import Column, Id, Record, Rows, To, Unit, Where

if TYPE_CHECKING:
    from inventory.kinds.writer import Writer

KINDS: dict[str, Kind] = {}
UNITS = {"mm": "mm", "w": "W", "u": "U", "m": "m", "kg": "kg", "gbps": "Gbit/s", "v": "V", "a": "A", "percent": "%"}


class Part(NamedTuple):
    """One part of a natural key with the references in it opened up: a rack's are site, room and name."""

    name: str
    path: str  # of the text
    id_path: str  # of the id, for a part that is a record itself
    kind: str = ""


@dataclass(frozen=True)
class Field:
    """What is known of one field of a kind."""

    name: str
    type: str  # text, integer, number, boolean, choice, date, datetime, reference, list or object
    required: bool
    nullable: bool
    default: Any
    title: str
    help: str
    unit: str
    path: str  # where its value is read from
    references: str = ""
    choices: tuple[str, ...] = ()
    where: bool = False  # says only where the row belongs
    own: bool = True  # a column of the kind's own table
    load: Callable[[Any], Any] | None = None

    @property
    def name_path(self) -> str:
        """Where the natural name of a referenced record is read from."""
        return f"{self.path.removesuffix('_id')}__{KINDS[self.references].label_path}"

    @property
    def empty(self) -> Any:
        """What an empty cell of a file stands for; `...` when the field cannot be empty."""
        if self.nullable:
            return None
        return {"text": "", "list": [], "object": {}}.get(self.type, ...)


class Kind:
    """`site` is the path from the model to its site's id, empty for what all sites share.

    A kind that is `part_of` another one (switches of devices) has routes of its own and nothing else. `key` names
    the fields that make the natural key; `label` is the last of them, by which others refer to it. Records of a kind
    that `travels` may go to another site, which takes the right at both. What is
    `personal` names people and stays behind when a site moves to an instance that may not know them.
    """

    def __init__(
        self,
        name: str,
        record: type[Record],
        model: type[Model],
        *,
        key: tuple[str, ...],
        site: str = "site_id",
        title: str = "",
        role: Role = Role.OPERATOR,
        search: tuple[str, ...] = (),
        order: tuple[str, ...] = (),
        computed: Mapping[str, Computed] | None = None,
        extras: tuple[Extra, ...] = (),
        filters: Mapping[str, Lookup] | None = None,
        narrow: Callable[[QuerySet], QuerySet] | None = None,
        writer: type[Writer] | None = None,
        label: str = "",
        tags: bool = False,
        custom: bool = False,
        part_of: str = "",
        travels: bool = False,
        personal: bool = False,
    ) -> None:
        self.name, self.record, self.model, self.key, self.site = name, record, model, key, site
        self.title = title or name.replace("-", " ")
        self.role, self.search, self.narrow = role, search, narrow
        self.order = order or (*key, "id")
        self.computed, self.extras, self.filters = dict(computed or {}), extras, dict(filters or {})
        self.writer = writer
        self.label = label or (key[-1] if key else "")
        self.tags, self.custom, self.part_of, self.travels = tags, custom, part_of, travels
        self.personal = personal
        if name in KINDS:
            raise ValueError(f"kind {name} is declared twice")
        KINDS[name] = self

    def __repr__(self) -> str:
        return f"<kind {self.name}>"

    @cached_property
    def fields(self) -> dict[str, Field]:
        """What can be written, by name; rows of other kinds that come with a record are `within`."""
        return {
            name: self._field(name, info) for name, info in self.record.model_fields.items() if name not in self.within
        }

    @cached_property
    def within(self) -> dict[str, Rows]:
        """Fields of a request that are rows of another kind, such as the parts of a device."""
        marks = ((name, _marks(info)) for name, info in self.record.model_fields.items())
        return {name: found[Rows] for name, found in marks if Rows in found}

    def _field(self, name: str, info: PydanticField) -> Field:
        marks = _marks(info)
        where, column, to = marks.get(Where), marks.get(Column), marks.get(To)
        plain = to and not (where or column)
        path = where.path if where else column.path if column else f"{name}_id" if plain else name
        unit = marks[Unit].name if Unit in marks else UNITS.get(name.rpartition("_")[2], "") if "_" in name else ""
        type_, choices = ("reference", ()) if to else type_of(info.annotation)
        return Field(
            name,
            type_,
            required=info.is_required(),
            nullable=type(None) in get_args(info.annotation),
            default=None if info.is_required() else info.get_default(call_default_factory=True),
            title=info.title or name.removesuffix(f"_{unit.lower()}").replace("_", " "),
            help=info.description or "",
            unit=unit,
            path=path,
            references=to.kind if to else "",
            choices=choices,
            where=bool(where),
            own=not where and not column,
            load=column.load if column else None,
        )

    @cached_property
    def references(self) -> dict[str, Field]:
        return {name: field for name, field in self.fields.items() if field.references}

    @cached_property
    def columns(self) -> dict[str, str]:
        """Field to column of the kind's own table."""
        own = [name for name, field in self.fields.items() if field.own and name not in ("tags", *self.extra_names)]
        return {name: str(self.model._meta.get_field(name).column) for name in own}  # type: ignore[union-attr]

    @property
    def extra_names(self) -> list[str]:
        return [name for extra in self.extras for name in extra.names]

    @cached_property
    def label_path(self) -> str:
        return self.fields[self.label].path if self.label else "id"

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The natural key with its references opened up, from the site down to the label."""
        found: list[Part] = []
        for name in self.key:
            field = self.fields[name]
            if not field.references:
                found.append(Part(name, field.path, ""))
                continue
            target, prefix = KINDS[field.references], field.path.removesuffix("_id")
            if target.name != "sites":
                found += [
                    Part(part.name, f"{prefix}__{part.path}", f"{prefix}__{part.id_path}", part.kind)
                    for part in target.parts[:-1]
                ]
            found.append(Part(name, field.name_path, field.path, target.name))
        return tuple(dict.fromkeys(found))

    @cached_property
    def patch(self) -> type[Record]:
        """The record with every field optional; what is not given is not in `model_fields_set`."""
        fields: dict[str, Any] = {name: (info.annotation, _optional(info)) for name, info in self._infos()}
        return create_model(f"{self.class_name}Change", __base__=Record, **fields)

    @cached_property
    def line(self) -> type[Record]:
        """A change in a list of changes: the fields, and the id unless the natural key is given."""
        return create_model(f"{self.class_name}Line", __base__=self.patch, id=(Id | None, None))

    @cached_property
    def entry(self) -> type[Record]:
        """A new record. Its site may be left out: the form of a file says it, or there is only one to see."""
        site = self.fields.get("site")
        if site is None or not site.required:
            return self.record
        info = self.record.model_fields["site"]
        fields: dict[str, Any] = {"site": (info.annotation, _optional(info))}
        return create_model(f"{self.class_name}Entry", __base__=self.record, **fields)

    def _infos(self) -> Iterable[tuple[str, PydanticField]]:
        return self.record.model_fields.items()

    @property
    def class_name(self) -> str:
        return "".join(word.title() for word in self.name.replace("-", "_").split("_"))

    def queryset(self) -> QuerySet:
        rows = self.model._default_manager.all()
        return self.narrow(rows) if self.narrow else rows

    def limited(self, visible: list[int] | None) -> QuerySet:
        """Rows of these sites only (None: of all), and what all sites share."""
        rows = self.queryset()
        if visible is None or not self.site:
            return rows
        mine = Q(**{f"{self.site}__in": visible})
        nullable = self.site in self.shared_sites
        return rows.filter(mine | Q(**{f"{self.site}__isnull": True}) if nullable else mine)

    @cached_property
    def shared_sites(self) -> set[str]:
        """The site's path when it may be empty: rows for all sites."""
        if not self.site.endswith("site_id") or "__" in self.site:
            return set()
        return {self.site} if self.model._meta.get_field("site").null else set()  # type: ignore[union-attr]

    @cached_property
    def now_columns(self) -> dict[str, Callable[[], Any]]:
        """Columns of the table that no field sets, with what a new row gets: the model's own defaults."""
        known = set(self.columns.values()) | {self.model._meta.pk.column}  # type: ignore[union-attr]
        more = [field for field in self.model._meta.concrete_fields if field.column not in known]
        return {str(field.column): _default_of(field) for field in more}


def in_order() -> list[Kind]:
    """Kinds in the order in which their files go into an empty inventory: what is referred to comes first."""
    found: dict[str, Kind] = {}

    def add(kind: Kind) -> None:
        if kind.name in found or kind.part_of:
            return
        for field in kind.references.values():
            if field.references != kind.name:
                add(KINDS[field.references])
        found[kind.name] = kind

    for name in ("tags", "custom-fields", *KINDS):
        add(KINDS[name])
    return list(found.values())


@dataclass(frozen=True)
class Computed:
    """A field that can only be read: a path, or an expression to annotate."""

    source: Any
    type: str = "integer"
    help: str = ""
    nullable: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lookup:
    """A filter of a kind's own; the value comes in as the type says, of a reference as the id it means."""

    type: str
    apply: Callable[[QuerySet, Any], QuerySet]
    help: str = ""
    references: str = ""


@dataclass(frozen=True)
class Extra:
    """What an answer has besides columns: `load` gets ids and returns the values by id and name, in few queries."""

    names: tuple[str, ...]
    load: Callable[[list[int]], Mapping[int, Mapping[str, Any]]]
    missing: Any = None
    type: str = "object"
    help: str = ""
    on_request: bool = False
    """Only where `fields` names it: what costs more than most answers need."""


def _default_of(field: Any) -> Callable[[], Any]:
    if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False):
        from django.utils import timezone

        return lambda: timezone.now().isoformat()
    make: Callable[[], Any] = field.get_default
    return make


def _optional(info: PydanticField) -> Any:
    from copy import copy

    changed = copy(info)
    changed.default, changed.default_factory = None, None
    return changed


def _marks(info: PydanticField) -> dict[type, Any]:
    return {type(mark): mark for mark in [*info.metadata, *marks_of(info.annotation)]}


def marks_of(annotation: Any) -> Iterable[Any]:
    """The marks inside an annotation, such as those of `Annotated[..] | None`."""
    for arg in get_args(annotation):
        yield from getattr(arg, "__metadata__", ())
        if get_origin(arg) in (Union, types.UnionType):
            yield from marks_of(arg)


def type_of(annotation: Any) -> tuple[str, tuple[str, ...]]:
    """The kind of value of an annotation, and the choices there are."""
    args = [arg for arg in get_args(annotation) if arg is not type(None)]
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return type_of(args[0])
    if origin is Literal:
        return "choice", tuple(map(str, args))
    if hasattr(annotation, "__metadata__"):
        return type_of(annotation.__origin__)
    if origin in (list, tuple) or annotation is list:
        return "list", ()
    if origin is dict or annotation is dict:
        return "object", ()
    words = {bool: "boolean", int: "integer", float: "number", Decimal: "number", datetime: "datetime", date: "date"}
    if isinstance(annotation, type):
        for type_, word in words.items():
            if issubclass(annotation, type_):
                return word, ()
        if issubclass(annotation, Record):
            return "object", ()
    return "text", ()
