"""A look at a machine, what the database holds of it when the look arrives, and the layouts that both are packed by."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from health.checks.reported import is_reported
from health.machines.models.machines import MachineHealth
from health.monitoring.events import Cursor
from health.monitoring.merge import CODES, Before, Key, Merged, Row
from health.monitoring.models.faults import EventCursor, Fault
from health.monitoring.models.verdicts import CurrentVerdict, Layout, MachineReport
from health.monitoring.policy import (
    NO_POLICY,
    MachinePolicy,
)
from health.monitoring.services.sweeps.carryover import LEAVES_NOTHING, Leaving


@dataclass(frozen=True)
class Observation:
    """One look at one machine. `findings` come from `health.checks.evaluate`; `layout` from the same catalogue.

    `policy` is what was decided about its checks when it was looked at; `image` what it runs, empty where not read;
    `measured` what it tells of power and heat, as `health.checks.measured` has it.
    """

    machine_id: int
    at: datetime
    heard: bool
    boot_id: str
    findings: tuple[Any, ...]
    layout: tuple[Key, ...]
    model: str
    checks_version: str
    slots: frozenset[str]
    power: str = "unknown"
    draw_w: int | None = None
    measured: tuple[tuple[str, str, str, float], ...] = ()
    leaves: Leaving = LEAVES_NOTHING
    image: str = ""
    policy: MachinePolicy = NO_POLICY


@dataclass(frozen=True)
class Stored:
    """What the database holds of a machine when its observation arrives."""

    health: MachineHealth
    before: Before
    checked_at: datetime | None
    cursor: Cursor
    faults: tuple[Fault, ...]
    reported: tuple[Row, ...] = ()
    """What other systems say that is not ok. A sweep neither writes nor removes it."""

    def worst_with(self, merged: Merged) -> str:
        """The worst word of the machine's own checks and of what is reported of it."""
        return max([merged.worst, *(row.verdict for row in self.reported)], key=CODES.__getitem__)


def load(machine_ids: Sequence[int]) -> dict[int, Stored]:
    """Lock these machines in the order of their ids and read what is stored of them. Six queries."""
    locked = {
        health.machine_id: health
        for health in MachineHealth.objects.select_for_update(of=("self",))
        .filter(machine_id__in=machine_ids)
        .order_by("machine_id")
    }
    rows: dict[int, dict[Key, Row]] = defaultdict(dict)
    reported: dict[int, list[Row]] = defaultdict(list)
    for verdict in CurrentVerdict.objects.filter(machine_id__in=machine_ids):
        row = row_of(verdict)
        if is_reported(row.check_id):
            reported[verdict.machine_id].append(row)
        else:
            rows[verdict.machine_id][row.key] = row
    reports = {r.machine_id: r for r in MachineReport.objects.filter(machine_id__in=machine_ids)}
    layouts = read_layouts({r.layout_id for r in reports.values()})
    cursors = {c.machine_id: c for c in EventCursor.objects.filter(machine_id__in=machine_ids)}
    faults: dict[int, list[Fault]] = defaultdict(list)
    for fault in Fault.objects.filter(machine_id__in=machine_ids).exclude(status=Fault.Status.CLEARED):
        faults[fault.machine_id].append(fault)
    stored = {}
    for machine_id, health in locked.items():
        report = reports.get(machine_id)
        stored[machine_id] = Stored(
            health=health,
            before=Before(
                rows[machine_id], layouts[report.layout_id] if report else (), bytes(report.verdicts) if report else b""
            ),
            checked_at=report.checked_at if report else None,
            cursor=cursor_of(cursors.get(machine_id)),
            faults=tuple(faults[machine_id]),
            reported=tuple(reported[machine_id]),
        )
    return stored


def row_of(verdict: CurrentVerdict) -> Row:
    return Row(**{name: getattr(verdict, name) for name in Row.__dataclass_fields__})


def cursor_of(cursor: EventCursor | None) -> Cursor:
    if cursor is None:
        return Cursor()
    return Cursor(cursor.boot_id, cursor.at_us, tuple(cursor.recent_keys), cursor.bmc_at_us)


# Layouts never change, so a process reads each once.
_entries: dict[int, tuple[Key, ...]] = {}


_ids: dict[tuple[str, str, tuple[Key, ...]], int] = {}


def read_layouts(ids: Iterable[int]) -> dict[int, tuple[Key, ...]]:
    missing = [pk for pk in ids if pk not in _entries]
    if missing:
        for layout in Layout.objects.filter(pk__in=missing):
            _entries[layout.pk] = tuple((check, part) for check, part in layout.entries)
    return _entries


def layout_id(checks_version: str, model: str, entries: tuple[Key, ...]) -> int:
    """The id of this layout, made at first use."""
    key = (checks_version, model, entries)
    if key in _ids and Layout.objects.filter(pk=_ids[key]).exists():
        return _ids[key]
    digest = hashlib.sha256(orjson.dumps(entries)).hexdigest()
    layout, _ = Layout.objects.get_or_create(
        checks_version=checks_version, model=model, digest=digest, defaults={"entries": [list(e) for e in entries]}
    )
    _ids[key] = layout.pk
    _entries[layout.pk] = entries
    return layout.pk
