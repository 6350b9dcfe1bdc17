"""A change as one sentence: who did what to which thing. One row speaks for the change; the others are details.

Rooms say in their module `audit` what their rows mean (`says`) and whom their tasks work as (`works_as`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.audit.tables import Said, Table
from core.counts import counted
from core.models import AuditEntry

NAMED = 3
"""Records that are named when a change has several of one kind; the others are counted."""
FIELDS = 3
"""Fields that are named; more are counted."""
LONGEST = 60
"""Characters of a value within a sentence; longer ones stand in the details."""
INITIALS = frozenset({"ip", "pdu", "bmc", "id", "mac", "asn"})
VERBS = {AuditEntry.Action.CREATED: "added", AuditEntry.Action.DELETED: "removed", AuditEntry.Action.CHANGED: "changed"}

_workers: dict[str, str] = {}


def works_as(words: str, *tasks: str) -> None:
    """Tasks (`health.monitoring.tasks.run_shard`) whose writes are told as done by this, such as "a sweep"."""
    _workers.update(dict.fromkeys(tasks, words))


def workers() -> tuple[str, ...]:
    """The tasks that are told by another name than their own."""
    return tuple(_workers)


def after(row: dict[str, Any], field: str) -> Any:
    """What a field of a told row holds now; empty for one that the row leaves out, as empty ones are."""
    return row["fields"].get(field, {}).get("after") or ""


@dataclass(frozen=True)
class Told:
    """A row of a change: its table and what `queries.tell` says of it."""

    table: Table
    row: dict[str, Any]


def who(actor: str, kind: str) -> str:
    """Whoever wrote, as one says it."""
    name = actor.partition(":")[2]
    if kind == "task" and actor.startswith("task:"):
        return _workers.get(name) or f"the task {name.rpartition('.')[2].replace('_', ' ')}"
    if kind == "command" and name:
        return f"the command {name}"
    if kind == "machine":
        return f"the {actor}"
    return "somebody not signed in" if kind == "anonymous" else actor


def did(told: Sequence[Told], sizes: Counter[tuple[str, str]]) -> str:
    """What a change did; `sizes`: (table, action) to how many rows it has, shown or not. Empty without rows."""
    if not told:
        return ""
    said = [(_said(each), each) for each in told]
    words, leader = max(said, key=lambda pair: pair[0].rank)  # the first of the highest
    alike = [each for other, each in said if other.rank == words.rank and _kind(each) == _kind(leader)]
    count = max(sizes[_kind(leader)], len(alike)) if words.rank == 0 else len(alike)
    return words.words if count == 1 else _several(words, leader, alike, count)


def _kind(told: Told) -> tuple[str, str]:
    return told.table.name, told.row["action"]


def _said(told: Told) -> Said:
    own = told.table.declared.says(told.row) if told.table.declared.says else None
    return own or Said(0, _plainly(told))


def _several(words: Said, leader: Told, alike: Sequence[Told], count: int) -> str:
    if words.rank:
        return f"{words.words}, and {count - 1} more like it"
    names = [each.row["name"] for each in alike[:NAMED] if each.row["name"]]
    verb = VERBS[leader.row["action"]]
    more = f" and {count - len(names)} more" if count > len(names) else ""
    return f"{verb} {count} {_spelled(leader.table.kind)}" + (f": {', '.join(names)}{more}" if names else "")


def _plainly(told: Told) -> str:
    row, thing = told.row, f"{_one(told.table)} {told.row['name']}".strip()
    fields = row["fields"]
    if row["action"] != AuditEntry.Action.CHANGED or not fields:
        return f"{VERBS[row['action']]} {thing}"
    if len(fields) == 1:
        ((name, values),) = fields.items()
        return _one_field(_spelled(name), values, thing)
    if len(fields) > FIELDS:
        return f"changed {counted(len(fields), 'field')} of {thing}"
    *first, last = (_spelled(name) for name in sorted(fields))
    return f"changed {', '.join(first)} and {last} of {thing}"


def _one_field(name: str, values: dict[str, Any], thing: str) -> str:
    was, now = (_short(values[side]) for side in ("before", "after"))
    if was is None or now is None:
        return f"changed {name} of {thing}"
    if not now:
        return f"cleared {name} of {thing}"
    return f"set {name} of {thing} from {was} to {now}" if was else f"set {name} of {thing} to {now}"


def _short(value: Any) -> str | None:
    """A value within a sentence; None for one that does not fit into it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict | list):
        return None
    text = "" if value is None else str(value)
    return text if len(text) <= LONGEST and "\n" not in text else None


def _one(table: Table) -> str:
    return _spelled(str(table.model._meta.verbose_name))


def _spelled(name: str) -> str:
    """`ip-addresses` is IP addresses."""
    words = name.replace("-", " ").replace("_", " ").split()
    return " ".join(word.upper() if word in INITIALS else word for word in words)
