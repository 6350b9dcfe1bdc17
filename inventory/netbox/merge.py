"""Writes the rows of one kind: what is new, what NetBox changed, and not what people changed here.

Each field is compared three ways: what NetBox says now, what it said at the last import (`NetBoxLink.said`), and what
stands here. What people changed here since stays, and is told; a record that was here before its first import is
people's as a whole. All of this is found out by dry runs of the write itself, so that no value is compared by other
rules than those it is written by.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction

from inventory.kinds import KINDS, Report, Scope, write
from inventory.models import NetBoxLink
from inventory.netbox.findings import Findings, Sort
from inventory.netbox.snapshot import Mapped, Row, Snapshot

ROUNDS = 200
"""Tries of a write, each without the rows that the one before refused."""

EMPTY: tuple[Any, ...] = (None, "", [], {})
"""What nobody has filled in yet is nobody's change."""

KEYS: dict[str, tuple[str, ...]] = {
    "sites": ("slug",),
    "contacts": ("name",),
    "rooms": ("site", "name"),
    "rows": ("site", "room", "name"),
    "racks": ("site", "room", "name"),
    "power-panels": ("site", "name"),
    "power-feeds": ("site", "name"),
    "devices": ("site", "name"),
}
"""By which other rows refer to a record."""
REFERENCES: dict[str, tuple[str, tuple[str, ...]]] = {
    "site": ("sites", ("site",)),
    "contact": ("contacts", ("contact",)),
    "room": ("rooms", ("site", "room")),
    "row": ("rows", ("site", "room", "row")),
    "rack": ("racks", ("site", "room", "rack")),
    "panel": ("power-panels", ("site", "panel")),
    "feed": ("power-feeds", ("site", "feed")),
    "parent": ("devices", ("site", "parent")),
    "device": ("devices", ("site", "device")),
}
ALWAYS = {
    "tags": ("name",), "custom-fields": ("name",), "ports": ("site", "device", "name"),
    "pass-throughs": ("site", "device", "front"), "cables": ("site", "label"),
    "components": ("site", "vendor", "part_number", "serial", "device", "slot"),
    "reservations": ("site", "room", "rack", "u", "face"), "ip-addresses": ("site", "device", "address"),
}  # fmt: skip
"""Further natural keys: fields a row is found by, and that are never left out of it."""


@dataclass
class Writing:
    """What all writes of one import share. `ids` leads from natural keys to records, by what NetBox calls them."""

    url: str
    scope: Scope
    actor: str
    take_theirs: bool
    findings: Findings
    snapshot: Snapshot
    ids: dict[tuple[str, tuple[Any, ...]], int] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)  # devices that are new: nobody has changed their ports yet

    def referring(self, row: Row) -> Row:
        """The row with ids where it names records that this import knows: people may have renamed them here."""
        made = dict(row)
        for name, (kind, key) in REFERENCES.items():
            if row.get(name) is not None and not isinstance(row[name], int):
                known = self.ids.get((kind, tuple(row.get(part) for part in key)))
                made[name] = known if known is not None else row[name]
        for side in ("a", "b"):
            if isinstance(row.get(side), list):
                made[side] = [self._plug(row["site"], plug) for plug in row[side]]
        return made

    def _plug(self, site: Any, plug: Row) -> Row:
        known = self.ids.get(("devices", (site, plug["device"])))
        return {**plug, "device": known if known is not None else plug["device"]}


@dataclass
class _Line:
    mapped: Mapped
    link: NetBoxLink | None
    dropped: set[str] = field(default_factory=set)
    old: bool = False  # a record that was here already

    def row(self) -> Row:
        """What is written: without what stays as it is here, and without what only new records get."""
        fields = {name: value for name, value in self.mapped.fields.items() if name not in self.dropped}
        if self.link:
            return {**fields, "id": self.link.object_id}
        return fields if self.old else {**self.mapped.initial, **fields}


def write_kind(writing: Writing, rows: Sequence[Mapped]) -> dict[str, int]:
    """Write all rows of one kind in one transaction; refused ones are left out and told. Returns the counts."""
    if not rows:
        return {}
    kind = rows[0].kind
    lines = _lines(writing, kind, rows)
    with transaction.atomic():
        if any(line.link for line in lines) or KINDS[kind].queryset().exists():
            lines, report = _tried(writing, kind, lines, dry_run=True)
            _keep_ours(writing, kind, lines, report)
        lines, report = _tried(writing, kind, lines, dry_run=False)
        _remember(writing, kind, lines, report)
    counts = Counter(outcome.outcome for outcome in report.rows)
    counts["refused"] = len(rows) - len(lines)
    return dict(counts)


def _lines(writing: Writing, kind: str, rows: Sequence[Mapped]) -> list[_Line]:
    links = {
        (link.endpoint, link.netbox_id, link.part): link
        for link in NetBoxLink.objects.filter(url=writing.url, kind=kind)
    }
    wanted = [links[row.source].object_id for row in rows if row.source in links]
    there = set(KINDS[kind].queryset().filter(pk__in=wanted).values_list("pk", flat=True))
    lines = []
    for row in rows:
        link = links.get(row.source)
        lines.append(_Line(row, link if link and link.object_id in there else None))
    return lines


def _tried(writing: Writing, kind: str, lines: list[_Line], *, dry_run: bool) -> tuple[list[_Line], Report]:
    """The rows that can be written, and the report of (trying) it. Raises Busy when others hold the records."""
    for _ in range(ROUNDS):
        rows = [writing.referring(line.row()) for line in lines]
        report = write(kind, rows, "upsert", scope=writing.scope, actor=writing.actor, dry_run=dry_run)
        if report.code:
            raise Busy(report.message)
        if report.ok:
            return lines, report
        bad = {row.number: row for row in report.errors()}
        for number, line in enumerate(lines, 1):
            if number in bad:
                for name, reason, _code in bad[number].errors:
                    _tell(writing, "refused", line.mapped, reason, name)
        lines = [line for number, line in enumerate(lines, 1) if number not in bad]
    raise Busy(f"{kind}: rows are refused one after the other, and there is no end to it")


class Busy(Exception):
    """Somebody else holds the records; the import stops here and may be continued."""


def _keep_ours(writing: Writing, kind: str, lines: list[_Line], report: Report) -> None:
    """Leave out of the rows what people changed here, and tell it."""
    doubtful: list[tuple[_Line, dict[str, list[Any]]]] = []
    for line, outcome in zip(lines, report.rows, strict=True):
        line.old = outcome.outcome != "created"
        changes = {name: pair for name, pair in outcome.changes.items() if name in line.mapped.fields}
        if not line.old or not changes:
            continue
        if line.link is None and writing.referring(line.mapped.fields).get("device") in writing.made:
            continue
        if line.link is None:
            filled = {name: pair for name, pair in changes.items() if pair[0] not in EMPTY}
            _drop(writing, kind, line, filled, "kept")
            continue
        said = line.link.said
        same = {name: pair for name, pair in changes.items() if name in said and said[name] == _json(line, name)}
        _drop(writing, kind, line, same, "kept")
        rest = {name: pair for name, pair in changes.items() if name not in same}
        if rest:
            doubtful.append((line, rest))
    _settle(writing, kind, doubtful)


def _settle(writing: Writing, kind: str, doubtful: list[tuple[_Line, dict[str, list[Any]]]]) -> None:
    """NetBox says something new: did people change the same field here? Then the old value does not stand here."""
    asked = []
    for line, rest in doubtful:
        known = {name: pair for name, pair in rest.items() if line.link and name in line.link.said}
        if known:
            asked.append((line, known))
    if not asked:
        return
    rows = [
        {"id": line.link.object_id, "site": line.mapped.fields.get("site")} | {n: line.link.said[n] for n in rest}
        for line, rest in asked
        if line.link
    ]
    if "site" not in KINDS[kind].fields:
        rows = [{name: value for name, value in row.items() if name != "site"} for row in rows]
    report = write(
        kind, [writing.referring(row) for row in rows], "upsert", scope=writing.scope, actor=writing.actor, dry_run=True
    )
    for (line, rest), outcome in zip(asked, report.rows, strict=True):
        names = set(outcome.changes) | {error.field for error in outcome.errors}
        _drop(writing, kind, line, {name: pair for name, pair in rest.items() if name in names}, "conflict")


def _drop(writing: Writing, kind: str, line: _Line, changes: Mapping[str, list[Any]], sort: Sort) -> None:
    key = {*KEYS.get(kind, ()), *ALWAYS.get(kind, ())} if line.link is None else set()
    for name, (ours, theirs) in changes.items():
        if name in key:
            continue
        if writing.take_theirs:
            _tell(writing, "changed", line.mapped, f"{_said(ours)} here became {_said(theirs)}, as NetBox says", name)
            continue
        line.dropped.add(name)
        _tell(writing, sort, line.mapped, f"{_said(ours)} stays; NetBox says {_said(theirs)}", name)


def _remember(writing: Writing, kind: str, lines: Iterable[_Line], report: Report) -> None:
    """Which record came from which row, and what that row said."""
    links = []
    for line, outcome in zip(lines, report.rows, strict=True):
        endpoint, netbox_id, part = line.mapped.source
        assert outcome.id is not None
        said = {name: _json(line, name) for name in line.mapped.fields}
        place = {"url": writing.url, "endpoint": endpoint, "netbox_id": netbox_id, "part": part, "kind": kind}
        links.append(NetBoxLink(**place, object_id=outcome.id, said=said))
        if kind == "devices" and outcome.outcome == "created":
            writing.made.add(outcome.id)
        if kind in KEYS:
            writing.ids[kind, tuple(line.mapped.fields.get(name) for name in KEYS[kind])] = outcome.id
    NetBoxLink.objects.bulk_create(
        links,
        batch_size=2000,
        update_conflicts=True,
        unique_fields=["url", "kind", "endpoint", "netbox_id", "part"],
        update_fields=["object_id", "said"],
    )


def _json(line: _Line, name: str) -> Any:
    """A value as it is stored."""
    value = line.mapped.fields.get(name)
    return value if isinstance(value, str | int | None) else json.loads(json.dumps(value, cls=DjangoJSONEncoder))


def _said(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
    return repr(text) if len(text) <= 60 else f"{text[:57]!r} and more"


def _tell(writing: Writing, sort: Sort, mapped: Mapped, why: str, name: str) -> None:
    row = writing.snapshot.get(mapped.endpoint, mapped.netbox_id) or {"id": mapped.netbox_id}
    writing.findings.add(sort, mapped.endpoint, row, f"{mapped.kind}: {why}", name)
