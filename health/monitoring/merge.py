"""From the findings of one report to what is stored: the rows that are not ok, one packed row, and what changed. Pure.

Rules: a missing result is unknown; an unknown never replaces a fail, which keeps its own age; what is unknown only
because the machine was not heard has no row of its own, the packed byte says it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

CODES = {"ok": 0, "info": 1, "warn": 2, "unknown": 3, "fail": 4}
WORDS = {code: word for word, code in CODES.items()}

Key = tuple[str, str]
Layout = tuple[Key, ...]


@dataclass(frozen=True)
class Row:
    """A current verdict that is not ok, with where it came from."""

    check_id: str
    part: str
    verdict: str
    message: str
    checked_at: datetime
    changed_at: datetime
    action: str = ""
    fault_class: str = ""
    kind: str = "level"
    value: float | None = None
    command: str = ""
    exit_status: int | None = None
    excerpt: str = ""
    observed: Mapping[str, Any] | None = None

    @property
    def key(self) -> Key:
        return self.check_id, self.part


@dataclass(frozen=True)
class Changed:
    """One verdict that is another than before."""

    check_id: str
    part: str
    before: str
    after: str
    message: str


@dataclass(frozen=True)
class Before:
    """What is stored of a machine: rows by key, and the packed verdicts with their layout (None: never looked at)."""

    rows: Mapping[Key, Row]
    layout: Layout = ()
    packed: bytes = b""

    @property
    def packed_words(self) -> dict[Key, str]:
        return {key: WORDS[code] for key, code in zip(self.layout, self.packed, strict=False) if code in WORDS}


WHY: Key = ("machine.reachable", "machine")
"""The place that says why nothing else is known; unknown there is told, also of a machine that was not heard."""


@dataclass(frozen=True)
class Merged:
    """What to store. `values` has one place per entry of the layout."""

    rows: dict[Key, Row]
    changes: tuple[Changed, ...]
    packed: bytes
    values: tuple[float | None, ...]
    counts: Mapping[str, int]

    @property
    def worst(self) -> str:
        return next((word for word in ("fail", "unknown", "warn", "info") if self.counts.get(word)), "ok")


def worst_findings(findings: Iterable[Any]) -> dict[Key, Any]:
    """One finding per (check, part): the worst where a check says several things of one part."""
    chosen: dict[Key, Any] = {}
    for finding in findings:
        key = (finding.check, finding.part)
        held = chosen.setdefault(key, finding)
        if held is not finding and CODES[finding.verdict] > CODES[held.verdict]:
            chosen[key] = finding
    return chosen


def merge(
    before: Before,
    layout: Layout,
    findings: Sequence[Any],
    *,
    heard: bool,
    at: datetime,
    sticky: frozenset[Key] = frozenset(),
) -> Merged:
    """Combine a report with what is stored.

    `sticky` are the places of open event faults: their fail stays until a verification passes, whatever the log holds.
    """
    found = worst_findings(findings)
    quiet = before.packed_words
    rows: dict[Key, Row] = {}
    changes: list[Changed] = []
    codes: dict[Key, str] = {}
    for key in dict.fromkeys([*layout, *found]):
        finding, held = found.get(key), before.rows.get(key)
        if held is None and finding is not None and finding.verdict == "ok":
            codes[key] = "ok"  # nearly all of them: well, and nothing known against it
            continue
        row = _next_row(key, finding, held, at, heard=heard, sticky=key in sticky)
        previous = held.verdict if held else quiet.get(key)
        after = row.verdict if row else "ok"
        silent = row is not None and not row.message
        codes[key] = after
        if row and not silent:
            rows[key] = row
        if not silent and previous != after and not (previous in (None, "unknown") and after == "ok"):
            changes.append(Changed(*key, previous or "unknown", after, row.message if row else ""))
    lost = _lost_rows(before, layout, found, heard=heard)
    rows |= lost
    codes |= {key: row.verdict for key, row in lost.items()}
    return Merged(
        rows=rows,
        changes=tuple(changes),
        packed=bytes(CODES[codes[key]] for key in layout),
        values=tuple(found[key].value if key in found else None for key in layout),
        counts=Counter(codes.values()),
    )


def _next_row(key: Key, finding: Any, row: Row | None, at: datetime, *, heard: bool, sticky: bool) -> Row | None:
    """The row to keep for one place; None is ok, and a row without a message is unknown for want of a hearing."""
    verdict = str(finding.verdict) if finding is not None else "unknown"
    if row is not None and row.verdict == "fail":
        waits_for_verification = sticky and row.kind == "event" and verdict != "fail"
        if verdict == "unknown" or waits_for_verification:
            return row
    if verdict == "ok":
        return None
    if verdict == "unknown" and not heard and (finding is None or key != WHY):
        return Row(*key, "unknown", "", at, at)
    changed_at = row.changed_at if row and row.verdict == verdict else at
    if finding is None:
        return Row(*key, "unknown", "the report holds no result of this check", at, changed_at)
    return Row(
        *key,
        verdict,
        finding.message or verdict,
        at,
        changed_at,
        action=finding.action or "",
        fault_class=finding.fault_class or "",
        kind=finding.kind,
        value=finding.value,
        command=finding.command or "",
        exit_status=finding.exit_status,
        excerpt=finding.excerpt or "",
        observed=finding.observed or {},
    )


def _lost_rows(before: Before, layout: Layout, found: Mapping[Key, Any], *, heard: bool) -> dict[Key, Row]:
    """Rows about places this report says nothing of, outside the layout: kept until their check is fed again."""
    fed = {check for (check, _), finding in found.items() if str(finding.verdict) != "unknown"} if heard else set()
    places = set(layout)
    checks = {check for check, _ in layout}
    return {
        key: row
        for key, row in before.rows.items()
        if key not in places and key not in found and row.check_id in checks and row.check_id not in fed
    }


def without(before: Before, keys: Iterable[Key]) -> tuple[dict[Key, Row], bytes]:
    """What is stored once these places are ok: their faults were verified as gone."""
    gone = set(keys)
    packed = bytes(
        CODES["ok"] if key in gone else code for key, code in zip(before.layout, before.packed, strict=False)
    )
    return {key: row for key, row in before.rows.items() if key not in gone}, packed
