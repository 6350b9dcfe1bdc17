"""The rows of one write while it is worked out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from core.errors import or_nearest
from inventory.kinds.kind import Kind
from inventory.kinds.report import FieldError
from inventory.kinds.scope import Scope

Mode = Literal["create", "update", "upsert", "delete"]
WHOLE_ROW = "row"  # the field of an error that is about the row as a whole

# Columns of other tools for what is a comment here.
SAID = frozenset(("comment", "comments", "description", "note", "notes"))
# pydantic's words for what is wrong, where ours differ from "invalid".
CODES = {"missing": "required", "extra_forbidden": "unknown_field"}


@dataclass(frozen=True, slots=True)
class Found:
    """A record that a reference leads to: `parts` are (text, id) of its natural key by name."""

    id: int
    site: int | None
    label: str
    parts: Mapping[str, tuple[Any, Any]]


@dataclass(slots=True, eq=False)
class Line:
    """One row. `given` holds what the row says, `before` what is stored, `after` what will be."""

    number: int
    given: dict[str, Any] = field(default_factory=dict)
    within: dict[str, list[Any]] = field(default_factory=dict)  # rows of other kinds that come with this one
    id: int | None = None
    key: str = ""
    site: int | None = None
    left_site: int | None = None  # where a record comes from that goes to another site
    new: bool = False
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    refs: dict[str, Found] = field(default_factory=dict)
    siblings: dict[str, int] = field(default_factory=dict)  # field -> number of the new row it refers to
    errors: list[FieldError] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)  # what a kind's own writer keeps

    def after_or(self, name: str) -> Any:
        """What a field will be, before it is worked out in full."""
        return self.given.get(name, self.before.get(name))

    def refuse(self, name: str, reason: str, code: str = "invalid") -> None:
        self.errors.append(FieldError(name, reason, code))


@dataclass
class Batch:
    kind: Kind
    mode: Mode
    scope: Scope
    actor: str
    lines: list[Line]
    dry_run: bool = False
    replace: bool = False

    @property
    def good(self) -> list[Line]:
        return [line for line in self.lines if not line.errors]

    @property
    def new(self) -> list[Line]:
        return [line for line in self.lines if line.new and not line.errors]

    @property
    def stored(self) -> list[Line]:
        """Rows that exist already."""
        return [line for line in self.lines if not line.new and line.id is not None and not line.errors]

    @property
    def refused(self) -> bool:
        return any(line.errors for line in self.lines)


def read_lines(kind: Kind, rows: Sequence[Any], mode: Mode, first: int = 1) -> list[Line]:
    """Each row checked on its own: shapes, words, bounds. Numbers count from `first`."""
    shape = kind.entry if mode == "create" else kind.line
    return [_read(kind, shape, row, number) for number, row in enumerate(rows, first)]


def _read(kind: Kind, shape: type[BaseModel], row: Any, number: int) -> Line:
    line = Line(number)
    try:
        record = shape.model_validate(row)
    except ValidationError as error:
        _explain(kind, line, error)
        if isinstance(row, Mapping):
            line.key = " ".join(str(row[name]) for name in kind.key if row.get(name) not in (None, ""))[:200]
        return line
    values = record.__dict__
    line.given = {name: values[name] for name in record.model_fields_set}
    line.within = {name: rows for name in kind.within if (rows := line.given.pop(name, None))}
    line.id = line.given.pop("id", None)
    line.key = describe(kind, line.given)
    return line


def describe(kind: Kind, values: Mapping[str, Any]) -> str:
    """The natural key in words, as far as the row tells it."""
    words = []
    for name in kind.key:
        value = values.get(name)
        if isinstance(value, dict):
            value = " ".join(map(str, value.values()))
        if value not in (None, "") and kind.fields[name].references != "sites":
            words.append(str(value))
    return " ".join(words)


def _explain(kind: Kind, line: Line, error: ValidationError) -> None:
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        place = [str(step) for step in problem["loc"]]
        name = place[0] if place else WHOLE_ROW
        if name in kind.within and len(place) > 1:
            name, place = f"{name}[{place[1]}]" + "".join(f".{step}" for step in place[2:]), place[:1]
        code = CODES.get(problem["type"], "invalid")
        if problem["type"] == "extra_forbidden" and "." in name:
            reason = "there is no such field"
        elif problem["type"] == "extra_forbidden" and len(place) == 1:
            reason = unknown_field(name, [*kind.fields, *kind.within, "id"])
        elif kind.fields.get(name) and kind.fields[name].references:
            reason = "an id (a number), or the natural key as a text or an object"
        else:
            reason = problem["msg"].removeprefix("Value error, ")
            if len(place) > 1 and place[1].isdecimal():
                reason = f"{reason} (at {' '.join(place[1:])})"
        if not any(known.field == name for known in line.errors):
            line.refuse(name, reason, code)


def unknown_field(name: str, known: Iterable[str]) -> str:
    """No such field, and the nearest one there is, or where such a thing goes."""
    if name.lower() in SAID:
        return "there is no such field; what people say about a device or a rack is written to /api/comments/"
    return "there is no such field" + or_nearest(name, known)
