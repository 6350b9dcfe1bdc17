"""Works out what a write will do: which rows exist, what changes, and what is refused before PostgreSQL is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inventory.kinds.batch import Batch, Line
from inventory.kinds.kind import KINDS, Field
from inventory.kinds.resolve import resolve
from inventory.kinds.writer import Writer

STAYS = "a record stays at its site"


def find_rows(batch: Batch, writer: Writer) -> None:
    """Tell new rows from stored ones, lock the stored ones in id order and read what they say now."""
    kind, mode = batch.kind, batch.mode
    by_key = [line for line in batch.good if line.id is None]
    _fill_in_site(batch, by_key)
    head = [name for name in writer.known_by() if name in kind.references]
    resolve(batch, head, by_key)
    if kind.key:
        _find_by_key(batch, writer, [line for line in by_key if not line.errors])
    elif mode in ("create", "upsert"):
        for line in by_key:
            line.new = True
    for line in by_key:
        if line.id is None and not line.new and not line.errors:
            line.refuse("id", "the row names no record: give its id or its natural key", "required")
    stored = batch.stored
    there = writer.lock([line.id for line in stored if line.id is not None])
    before = writer.read(there)
    for line in stored:
        values = before.get(line.id or 0)
        if values is None or not batch.scope.sees(values.get("_site")):
            line.refuse("id", "there is no such record", "not_found")
        else:
            line.before, line.site = values, values.get("_site")
            if batch.replace:
                _fill_with_defaults(batch, line)


def _fill_with_defaults(batch: Batch, line: Line) -> None:
    """A row that replaces the stored one: what it does not say is as in a new one."""
    for name, field in batch.kind.fields.items():
        if name in line.given or field.where:
            continue
        if field.required:
            line.refuse(name, "this field is needed", "required")
        else:
            line.given[name] = field.default
    if isinstance(line.given.get("custom"), dict):
        line.given["custom"] = dict.fromkeys(line.before.get("custom") or {}) | line.given["custom"]


def _fill_in_site(batch: Batch, lines: list[Line]) -> None:
    """A row that names no site is of the site of the file, or of the only one there is to see.

    One that may be of all sites is so unless the file is of one.
    """
    field = batch.kind.fields.get("site")
    silent = [line for line in lines if "site" not in line.given]
    if field is None or field.where or not silent:
        return
    site = batch.scope.site
    if site is None and field.required:
        seen = KINDS["sites"].limited(batch.scope.visible).order_by("pk").values_list("pk", flat=True)[:2]
        site = seen[0] if len(seen) == 1 else None
    if site is not None:
        for line in silent:
            line.given["site"] = site
            line.extra["assumed_site"] = True


def _find_by_key(batch: Batch, writer: Writer, lines: list[Line]) -> None:
    kind = batch.kind
    whole = []
    for line in lines:
        missing = [name for name in kind.key if kind.fields[name].required and line.given.get(name) is None]
        for name in missing:
            line.refuse(name, "this field is needed", "required")
        if not missing:
            whole.append(line)
    found = writer.find(whole)
    for line in whole:
        pk = found.get(line.number)
        if batch.mode == "create":
            line.new = True
            if pk is not None:
                names = " ".join(name for name in kind.key if not kind.fields[name].references) or "key"
                retiring = "status" in kind.fields and "retired" in kind.fields["status"].choices
                hint = "; a retired one keeps its name" if retiring else ""
                line.refuse(kind.label, f"there is one of that {names} already{hint}", "duplicate")
        elif pk is not None:
            line.id = pk
        elif batch.mode == "upsert":
            line.new = True
        else:
            line.refuse(kind.label, "there is no such record", "not_found")


def plan(batch: Batch, writer: Writer) -> None:
    """Resolve the other references, work out what each row changes, and check rights."""
    resolve(batch, batch.kind.references, batch.good)
    for line in batch.good:
        if line.new:
            _require(batch, line)
        _check_site(batch, line)
    if batch.mode == "delete":
        _check_rights(batch)
        _refuse_twice(batch, ((line.id, line) for line in batch.good))
        return
    writer.gather()
    for line in batch.good:
        writer.merge(line)
    _check_rights(batch)
    _refuse_twice(batch, ((line.id, line) for line in batch.good if line.id is not None))
    if batch.kind.key:
        keyed = ((writer.identity(line.after), line) for line in batch.good if line.new)
        _refuse_twice(batch, ((key, line) for key, line in keyed if key is not None))
    writer.check()


def _require(batch: Batch, line: Line) -> None:
    for name, field in batch.kind.fields.items():
        if field.required and name not in line.given:
            line.refuse(name, "this field is needed", "required")


def _check_site(batch: Batch, line: Line) -> None:
    """The row's site is one and the same everywhere."""
    kind = batch.kind
    if line.new:
        line.site = _site_of(batch, line)
    elif kind.site and kind.site != "id" and kind.fields.get("site") and line.given.get("site", line.site) != line.site:
        if kind.travels and "assumed_site" not in line.extra:
            line.left_site, line.site = line.site, line.given["site"]
        else:
            line.refuse("site", STAYS, "other_site")
    for name, found in line.refs.items():
        if name != "site" and found.site is not None and found.site != line.site and kind.site not in ("", "id"):
            line.refuse(name, f"{found.label} is at another site", "other_site")
    for field in kind.references.values():
        if field.where:
            _check_where(line, field)


def _check_rights(batch: Batch) -> None:
    """Who changes, makes or removes a row has the kind's role at its site; a row that stays as it is needs none."""
    kind = batch.kind
    for line in batch.good:
        if not (line.new or line.changed or batch.mode == "delete"):
            continue
        needed = None if kind.site == "id" and line.new else line.site
        left = line.left_site is None or batch.scope.may(kind.role, line.left_site)
        if not left or not batch.scope.may(kind.role, needed):
            where = "at that site" if needed is not None else "for all sites"
            field = "site" if "site" in kind.fields else "row"
            line.refuse(field, f"your role does not allow this {where}", "permission_denied")


def _site_of(batch: Batch, line: Line) -> int | None:
    site = batch.kind.site
    if site in ("", "id"):
        return None
    if site == "site_id":
        return line.refs["site"].id if "site" in line.refs else None
    first = line.refs.get(site.split("__")[0])
    return first.site if first else None


def _check_where(line: Line, field: Field) -> None:
    """A field that only says where the row belongs agrees with what the row refers to."""
    value = line.given.get(field.name)
    if value is None or field.name == "site":
        site = line.given.get("site") if field.name == "site" else None
        if site is not None and line.site is not None and site != line.site:
            line.refuse("site", STAYS if not line.new else "its place is at another site", "other_site")
        return
    for name, found in line.refs.items():
        part = found.parts.get(field.name)
        if name != field.name and part is not None and value not in part:
            line.refuse(name, f"{found.label} is not of that {field.name}", "invalid")


def _refuse_twice(batch: Batch, keyed: Iterable[tuple[Any, Line]]) -> None:
    first: dict[Any, Line] = {}
    for key, line in keyed:
        if line.errors:
            continue
        other = first.setdefault(key, line)
        if other is not line:
            where = batch.kind.label if batch.kind.label and line.new else "id"
            line.refuse(where, f"the same record stands in row {other.number}", "duplicate")
