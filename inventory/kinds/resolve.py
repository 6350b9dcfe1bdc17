"""References become ids: one query for each kind that is referred to, whatever the number of rows.

A number is an id and a text a name. In a text, digits that no record has as its name are an id, unless records of that
kind go by numbers: then 17 is a name that is not there, and never the record that happens to have that id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Q

from inventory.kinds.batch import Batch, Found, Line
from inventory.kinds.kind import KINDS, Kind, Part


@dataclass(slots=True)
class Wanted:
    """One reference of one row."""

    line: Line
    name: str  # of the field
    value: Any  # id, text, or parts of the key
    context: dict[str, Any]  # parts of the key that other fields of the row tell


@dataclass
class Shelf:
    """Records of one kind that references may lead to."""

    kind: Kind
    by_id: dict[int, Found] = field(default_factory=dict)
    by_label: dict[Any, list[Found]] = field(default_factory=lambda: defaultdict(list))
    by_pair: dict[tuple[Any, Any], list[Found]] = field(default_factory=lambda: defaultdict(list))
    visible: list[int] | None = None

    @cached_property
    def goes_by_numbers(self) -> bool:
        """Whether a record that may be seen has digits for a name. One query, asked only for digits that name none."""
        rows = self.kind.limited(self.visible)
        return bool(rows.filter(**{f"{self.kind.label_path}__regex": r"^[0-9]+$"}).exists())

    @property
    def parent(self) -> str:
        """The part before the label, by which large kinds (ports of a device) are looked up."""
        return self.kind.parts[-2].name if len(self.kind.parts) > 2 else ""

    def keep(self, found: Found) -> None:
        self.by_id[found.id] = found
        self.by_label[found.label].append(found)
        if self.parent:
            text, pk = found.parts[self.parent]
            self.by_pair[text, found.label].append(found)
            self.by_pair[pk, found.label].append(found)

    def candidates(self, label: Any, context: dict[str, Any]) -> list[Found]:
        """Records of this name; where the parts beside it are digits and no names, those are ids."""
        by_id = {name: id_of(value) or value for name, value in context.items()}
        return self._among(label, context) or (self._among(label, by_id) if by_id != context else [])

    def numbered(self, label: Any, context: dict[str, Any]) -> Found | None:
        """The record that digits in a text mean by its id."""
        found = self.by_id.get(id_of(label) or 0)
        return found if found and not misfit(found, context) and not self.goes_by_numbers else None

    def _among(self, label: Any, context: dict[str, Any]) -> list[Found]:
        near = context.get(self.parent) if self.parent else None
        rows = self.by_label.get(label, []) if near is None else self.by_pair.get((near, label), [])
        return [row for row in rows if all(_fits(row, name, value) for name, value in context.items())]


def id_of(value: Any) -> int | None:
    """The id that a text of digits may be."""
    digits = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 19
    return int(value) if digits else None


def misfit(found: Found, context: dict[str, Any]) -> str:
    """The first part of its key that is not what stands beside the reference, or an empty text."""
    return next(
        (
            name for name, near in context.items()
            if not _fits(found, name, near) and not _fits(found, name, id_of(near) or near)
        ), "",
    )  # fmt: skip


def _fits(found: Found, name: str, value: Any) -> bool:
    part = found.parts.get(name)
    return part is None or value in part or part == (None, None)  # what all sites share fits each of them


def resolve(batch: Batch, names: Iterable[str], lines: Iterable[Line]) -> None:
    """Replace the references in these fields of the rows by ids. What leads nowhere is an error of its row."""
    asked = set(names)
    chosen = [name for name in batch.kind.fields if name in asked]  # the site before what is in it
    wanted: dict[str, list[Wanted]] = defaultdict(list)
    for line in lines:
        for name in chosen:
            if line.given.get(name) is not None and name not in line.refs:
                target = batch.kind.fields[name].references
                wanted[target].append(Wanted(line, name, line.given[name], {}))
    for target, wishes in wanted.items():
        kind = KINDS[target]
        for wish in wishes:
            wish.context = _context(batch, kind, wish.line, wish.name)
        answer(batch, kind, wishes)


def answer(batch: Batch, kind: Kind, wishes: list[Wanted]) -> None:
    shelf = fill(batch, kind, wishes)
    beside = _new_rows(batch) if kind is batch.kind else {}
    for wish in wishes:
        sibling = beside.get(wish.value) if isinstance(wish.value, str) and wish.value not in shelf.by_label else None
        if sibling is not None:
            wish.line.siblings[wish.name] = sibling.number
            found: Found | None = Found(-sibling.number, sibling.site or sibling.given.get("site"), wish.value, {})
        else:
            found = look(shelf, wish)
        if found is not None:
            wish.line.refs[wish.name] = found
            wish.line.given[wish.name] = found.id


def _new_rows(batch: Batch) -> dict[Any, Line]:
    """Rows of this write that will be new, by label: a blade may come with its chassis."""
    return {line.given.get(batch.kind.label): line for line in batch.lines if line.new}


def _context(batch: Batch, target: Kind, line: Line, name: str) -> dict[str, Any]:
    """What other fields of the row say about the parts of the key of the record that `name` refers to."""
    context: dict[str, Any] = {}
    for part in target.parts[:-1]:
        if part.name == name:
            continue
        value = line.given.get(part.name) if part.name in batch.kind.fields else None
        if value is None or isinstance(value, dict):
            value = line.before.get(part.name) if part.name in batch.kind.fields else None
        if part.name == "site" and value is None:
            value = line.site if line.site is not None else batch.scope.site
        if value is not None:
            context[part.name] = value
    return context


def fill(batch: Batch, kind: Kind, wishes: list[Wanted]) -> Shelf:
    """Fetch all candidates at once."""
    ids = sorted({pk for wish in wishes if (pk := _maybe_id(kind, wish.value)) is not None})
    texts = [wish for wish in wishes if not isinstance(wish.value, int)]
    labels = {label for wish in texts if (label := _label(kind, wish.value)) is not None}
    asked = Q(pk__any=ids) if ids else Q(pk__in=[])
    if labels:
        by_label = Q(**{f"{kind.label_path}__any": sorted(labels)})
        narrowing = kind.parts[-2] if len(kind.parts) > 2 else None
        if narrowing is not None:
            by_label &= _narrowed(narrowing, texts)
        asked |= by_label
    parts = kind.parts or (Part("id", "id", ""),)
    paths = [path for part in parts for path in (part.path, part.id_path or part.path)]
    site = kind.site or "id"
    shelf = Shelf(kind, visible=batch.scope.visible)
    rows = kind.limited(batch.scope.visible).filter(asked).order_by().values_list("id", site, kind.label_path, *paths)
    for pk, site_id, label, *values in rows:
        pairs = {part.name: (values[2 * at], values[2 * at + 1]) for at, part in enumerate(parts)}
        shelf.keep(Found(pk, site_id if kind.site else None, label, pairs))
    return shelf


def _narrowed(part: Part, wishes: list[Wanted]) -> Any:
    """Only rows whose second-last part is among those named, when every reference names one."""
    values = {_part_of(wish, part.name) for wish in wishes}
    if None in values:
        return Q()
    ids = sorted({pk for value in values if (pk := value if isinstance(value, int) else id_of(value)) is not None})
    texts = sorted(value for value in values if not isinstance(value, int))
    chosen = Q(pk__in=[])
    if ids:
        chosen |= Q(**{f"{part.id_path}__any": ids})
    if texts:
        chosen |= Q(**{f"{part.path}__any": texts})
    return chosen


def _part_of(wish: Wanted, name: str) -> Any:
    value = wish.value.get(name) if isinstance(wish.value, dict) else None
    return value if value is not None else wish.context.get(name)


def _label(kind: Kind, value: Any) -> Any:
    return value.get(kind.label) if isinstance(value, dict) else value


def _maybe_id(kind: Kind, value: Any) -> int | None:
    return value if isinstance(value, int) else id_of(_label(kind, value))


def look(shelf: Shelf, wish: Wanted) -> Found | None:
    kind, value = shelf.kind, wish.value
    one = kind.title.removesuffix("s")
    if isinstance(value, int):
        found = shelf.by_id.get(value)
        if found is None:
            wish.line.refuse(wish.name, f"there is no {one} with id {value}", "unknown_reference")
        elif strange := misfit(found, wish.context):
            code = "other_site" if strange == "site" else "invalid"
            where = "at another site" if strange == "site" else f"not of that {strange}"
            wish.line.refuse(wish.name, f"{one} {found.label} is {where}", code)
            return None
        return found
    context = dict(wish.context)
    if isinstance(value, dict):
        unknown = value.keys() - {part.name for part in kind.parts}
        if unknown or kind.label not in value:
            names = ", ".join(part.name for part in kind.parts)
            wish.line.refuse(wish.name, f"a {one} is named by {names}", "invalid")
            return None
        context |= {name: text for name, text in value.items() if name != kind.label}
    label = _label(kind, value)
    rows = shelf.candidates(label, context)
    if len(rows) == 1:
        return rows[0]
    if rows:
        how = " or ".join(part.name for part in kind.parts[:-1]) or "id"
        wish.line.refuse(wish.name, f"several {kind.title} are named {label!r}: give its {how}", "ambiguous")
        return None
    by_number = shelf.numbered(label, context)
    if by_number is None:
        wish.line.refuse(wish.name, f"there is no {one} {label!r}{_where(context)}", "unknown_reference")
    return by_number


def _where(context: dict[str, Any]) -> str:
    words = [f"{name} {value}" for name, value in context.items() if isinstance(value, str)]
    return f" in {' '.join(words)}" if words else ""
