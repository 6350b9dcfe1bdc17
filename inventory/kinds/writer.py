"""Writes the rows of a kind that is one table. Kinds that span several tables have writers of their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import CASCADE, SET_NULL, Count

from inventory.kinds import custom, sql
from inventory.kinds.batch import Batch, Line
from inventory.kinds.report import FieldError
from inventory.kinds.values import all_names, known_tags, read_by_id


class Writer:
    """What the engine calls, in this order: lock, read, check, then insert, update or delete."""

    def __init__(self, batch: Batch) -> None:
        self.batch, self.kind = batch, batch.kind
        self.table = batch.kind.model._meta.db_table

    # ---- what is there ----

    def known_by(self) -> tuple[str, ...]:
        """Fields that tell which record a row is about; references among them are resolved first."""
        return ("site", *self.kind.key)

    def identity(self, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The natural key of a row whose references are ids; None for one that has none."""
        fields = self.kind.fields
        return tuple(values[name] if name in values else fields[name].default for name in self.kind.key)

    def find(self, lines: Sequence[Line]) -> dict[int, int]:
        """Number of a row to the id of the record that has its natural key: one query."""
        if not lines:
            return {}
        keys = {line.number: self.identity(line.given) for line in lines}
        rows = self.kind.limited(self.batch.scope.visible)
        for at, name in enumerate(self.kind.key):
            values = {key[at] for key in keys.values() if key is not None}
            if None not in values:
                rows = rows.filter(**{f"{self.kind.fields[name].path}__any": sorted(values)})
        paths = [self.kind.fields[name].path for name in self.kind.key]
        stored = {tuple(values): pk for pk, *values in rows.order_by().values_list("pk", *paths)}
        return {number: stored[key] for number, key in keys.items() if key in stored}

    def lock(self, ids: Iterable[int]) -> set[int]:
        return sql.lock(self.table, ids)

    def read(self, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
        """Stored values by id, with the site as `_site` and the natural names of references."""
        names = ["id", *(name for name in all_names(self.kind) if self.is_written(name))]
        wanted = list(ids)
        found = read_by_id(self.kind, wanted, names)
        if self.kind.site:
            sites = {}
            if "site" not in self.kind.fields:
                rows = self.kind.queryset().filter(pk__any=wanted).order_by()
                sites = dict(rows.values_list("pk", self.kind.site))
            for row in found:
                row["_site"] = row["id"] if self.kind.site == "id" else row.get("site", sites.get(row["id"]))
        return {row["id"]: row for row in found}

    def is_written(self, name: str) -> bool:
        """Whether a column of an answer matters to a write: fields, and the names of references."""
        field = self.kind.fields.get(name.removesuffix("_name"))
        return name in self.kind.fields or (field is not None and bool(field.references))

    # ---- the plan ----

    def prepare(self) -> None:
        """Before rows are looked up: what a kind makes of the rows alone."""

    def gather(self) -> None:
        """Before rows are merged, references resolved: fetch what merging needs."""

    def merge(self, line: Line) -> None:
        """Work out `after` and `changed` of a row whose references are resolved."""
        start = line.before if not line.new else {name: field.default for name, field in self.kind.fields.items()}
        line.after = start | line.given
        if "custom" in line.given:
            line.after["custom"] = custom.merged(start.get("custom") or {}, line.given["custom"])
        if line.new:
            line.changed = [name for name, field in self.kind.fields.items() if not field.where]
        else:
            line.changed = [
                name for name in line.given
                if not self.kind.fields[name].where and line.after[name] != line.before.get(name)
            ]  # fmt: skip

    def check(self) -> None:
        """Refuse rows that cannot be written, with field and reason. The base checks tags and custom fields."""
        if self.kind.tags:
            self._check_tags()
        if "custom" in self.kind.fields:
            custom.check(self.batch)

    def _check_tags(self) -> None:
        lines = [line for line in self.batch.good if line.given.get("tags")]
        if not lines:
            return
        known = known_tags(name for line in lines for name in line.given["tags"])
        for line in lines:
            lost = [name for name in line.given["tags"] if name not in known]
            if lost:
                line.refuse("tags", f"there is no tag {lost[0]!r}", "unknown_reference")
            line.extra["tags"] = [known[name] for name in line.given["tags"] if name in known]

    # ---- the statements ----

    def allocate(self, lines: Sequence[Line]) -> None:
        """Give new rows their ids, also where rows of this write refer to one another."""
        for line, pk in zip(lines, sql.new_ids(self.table, len(lines)), strict=True):
            line.id = pk
        by_number = {line.number: line.id for line in lines}
        for line in self.batch.lines:
            for name in line.siblings:
                line.after[name] = by_number.get(line.siblings[name], line.after[name])

    def insert(self, lines: Sequence[Line]) -> None:
        columns = ["id", *self.kind.columns.values(), *self.kind.now_columns]
        sql.insert(self.table, columns, [self.row(line) | self.defaults() for line in lines])
        self.write_tags([line for line in lines if line.extra.get("tags")])

    def update(self, lines: Sequence[Line]) -> None:
        columns = self.update_columns({name for line in lines for name in line.changed})
        sql.update(self.table, columns, [self.row(line) for line in lines])
        self.write_tags([line for line in lines if "tags" in line.changed])

    def update_columns(self, changed: set[str]) -> list[str]:
        return [column for name, column in self.kind.columns.items() if name in changed]

    def row(self, line: Line) -> dict[str, Any]:
        return {"id": line.id} | {column: line.after[name] for name, column in self.kind.columns.items()}

    def defaults(self) -> dict[str, Any]:
        return {column: make() for column, make in self.kind.now_columns.items()}

    def write_tags(self, lines: Sequence[Line]) -> None:
        if not lines:
            return
        through = self.kind.model.tags.through  # type: ignore[attr-defined]
        table, owner = through._meta.db_table, f"{self.kind.model._meta.model_name}_id"
        old = [line.id for line in lines if not line.new and line.id is not None]
        sql.delete(table, owner, old)
        rows = [(line.id, tag) for line in lines for tag in line.extra.get("tags", ())]
        if rows:
            sql.execute(
                f"INSERT INTO {table} ({owner}, tag_id) SELECT * FROM unnest(%s::bigint[], %s::bigint[])",
                [pk for pk, _ in rows],
                [tag for _, tag in rows],
            )

    def delete(self, lines: Sequence[Line]) -> None:
        """Rows and what belongs to them. What something else needs is refused."""
        ids = [line.id for line in lines if line.id is not None]
        by_id = {line.id: line for line in lines}
        used = in_use(self.kind.model, ids)
        for pk, by in used.items():
            by_id[pk].errors.append(FieldError("row", f"it is still used by {by}", "in_use"))
        if not used:
            remove(self.kind.model, ids)

    def shown_change(self, line: Line, name: str) -> list[Any] | None:
        """Before and after in words, where the plain values would not tell."""
        return None

    def event_data(self, lines: Sequence[Line]) -> dict[str, Any]:
        """More for the event that tells the other rooms."""
        return {}


def in_use(model: Any, ids: Sequence[int]) -> dict[int, str]:
    """Rows that others protect, with how many of what. One query for each kind that may refer to it."""
    used: dict[int, list[str]] = defaultdict(list)
    for relation in model._meta.related_objects:
        if relation.many_to_many or relation.on_delete in (CASCADE, SET_NULL):
            continue
        name = relation.field.attname
        counts = relation.related_model._default_manager.filter(**{f"{name}__any": list(ids)})
        for pk, count in counts.order_by().values_list(name).annotate(count=Count("pk")):
            used[pk].append(f"{count} {relation.related_model._meta.verbose_name_plural}")
    return {pk: ", ".join(what) for pk, what in used.items()}


def remove(model: Any, ids: Sequence[int]) -> None:
    """Delete rows with all that falls with them, by one statement for each table."""
    if not ids:
        return
    for relation in model._meta.related_objects:
        if relation.many_to_many:
            continue
        table, column = relation.related_model._meta.db_table, relation.field.column
        if relation.on_delete is SET_NULL:
            sql.execute(
                f"UPDATE {table} SET {sql.quoted(column)} = NULL WHERE {sql.quoted(column)} = ANY(%s)", list(ids)
            )
        elif relation.on_delete is CASCADE:
            falling = relation.related_model._default_manager.filter(**{f"{relation.field.attname}__any": list(ids)})
            remove(relation.related_model, list(falling.order_by().values_list("pk", flat=True)))
    for field in model._meta.many_to_many:
        sql.delete(field.m2m_db_table(), field.m2m_column_name(), ids)
    sql.delete(model._meta.db_table, model._meta.pk.column, ids)
