"""The floor and a machine as they were, read from what was recorded. The number of statements is the same for any
number of machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.db.models import Q

from core.database import prepared
from health.machines.cells import CELLS
from health.machines.models.machines import LifecycleChange, MachineHealth
from health.monitoring import samples
from health.monitoring.facts import FACTS
from health.monitoring.merge import WORDS
from health.monitoring.models.facts import FactChange
from health.monitoring.models.faults import Fault
from health.monitoring.models.verdicts import Sample
from health.monitoring.queries.faults import IN_SERVICE
from health.monitoring.services.sweeps.stored import read_layouts
from health.monitoring.services.unreachable import UNREACHABLE_SWEEPS, reachability_word
from health.overview import past
from health.overview.queries.floor import AISLE_FIELDS, AISLES, RACK_COLUMNS, RACKS, ROW_FIELDS, ROWS, FloorRoom
from health.schedulers.models import SchedulerJob
from inventory.models import Installation
from inventory.queries import slot_texts_of

COLUMNS = (
    "id", "name", "rack", "u", "height_u", "cell", "state", "worst", "reachability", "since", "ticket", "faults",
    "job",
)  # fmt: skip
"""Those of the live floor, and the job that ran."""
STEP = timedelta(minutes=5)

TicketsThen = Callable[[int, datetime], dict[int, str]]
_tickets: list[TicketsThen] = []


def register_past_tickets(provider: TicketsThen) -> None:
    """Let the floor of a moment show its tickets: (site, moment) to the key of the newest of each machine."""
    _tickets[:] = [provider]


MACHINES = """
SELECT device.id, device.name,
    coalesce(before.to_state, after.from_state,
        CASE WHEN health.state_since <= %(at)s::timestamptz THEN health.state END),
    coalesce(before.at, CASE WHEN after.from_state IS NULL AND health.state_since <= %(at)s::timestamptz
        THEN health.state_since END),
    seen.at, last.worst, coalesce(fault.leading, 0), coalesce(fault.confirmed, 0)
FROM health_machinehealth health
JOIN inventory_device device ON device.id = health.machine_id
LEFT JOIN LATERAL (
    SELECT t.to_state, c.at FROM health_lifecyclechange c JOIN health_lifecycletransition t ON t.id = c.transition_id
    WHERE c.machine_id = health.machine_id AND c.at <= %(at)s::timestamptz ORDER BY c.at DESC, c.id DESC LIMIT 1
) before ON true
LEFT JOIN LATERAL (
    SELECT t.from_state FROM health_lifecyclechange c JOIN health_lifecycletransition t ON t.id = c.transition_id
    WHERE before.to_state IS NULL AND c.machine_id = health.machine_id AND c.at > %(at)s::timestamptz
    ORDER BY c.at, c.id LIMIT 1
) after ON true
LEFT JOIN LATERAL (
    SELECT s.at FROM health_sample s WHERE s.machine_id = health.machine_id AND s.heard
        AND s.at <= %(at)s::timestamptz AND s.at > %(oldest)s::timestamptz ORDER BY s.at DESC LIMIT 1
) seen ON true
LEFT JOIN LATERAL (
    SELECT s.worst FROM health_sample s WHERE s.machine_id = health.machine_id
        AND s.at <= %(at)s::timestamptz AND s.at > %(oldest)s::timestamptz ORDER BY s.at DESC LIMIT 1
) last ON true
LEFT JOIN (
    SELECT f.machine_id, count(*) FILTER (WHERE f.led_by_id IS NULL) AS leading,
        count(*) FILTER (WHERE f.confirmed_at <= %(at)s::timestamptz AND f.response <> ALL(%(in_service)s::text[]))
            AS confirmed
    FROM health_fault f
    WHERE f.opened_at <= %(at)s::timestamptz AND (f.cleared_at IS NULL OR f.cleared_at > %(at)s::timestamptz)
    GROUP BY f.machine_id
) fault ON fault.machine_id = health.machine_id
WHERE device.site_id = %(site)s::bigint
ORDER BY device.id
"""
PLACEMENTS = """
SELECT p.id, p.device_id, p.rack_id, p.half_units::text
FROM inventory_placement p JOIN inventory_device d ON d.id = p.device_id
WHERE d.site_id = %(site)s::bigint AND d.kind = 'machine'
"""
MOVED = """
SELECT entry.action, entry.rows::text FROM core_auditchange change
JOIN core_auditentry entry ON entry.change_id = change.id
WHERE change.at > %(at)s::timestamptz AND entry.table_name = 'inventory_placement'
    AND entry.site_id = %(site)s::bigint
ORDER BY entry.id DESC
"""
JOBS = """
SELECT unnest(job.machine_ids), coalesce(nullif(job.label, ''), job.job_id) FROM health_schedulerjob job
JOIN health_schedulersource source ON source.id = job.source_id
WHERE source.site_id = %(site)s::bigint AND job.started_at <= %(at)s::timestamptz
    AND (job.ended_at IS NULL OR job.ended_at > %(at)s::timestamptz)
ORDER BY job.started_at DESC
"""


def floor_at(
    room: FloorRoom, rooms: Sequence[FloorRoom], at: datetime, *, period_s: float, grace_s: float
) -> dict[str, Any]:
    """The answer of `/api/floor/at/`: eight statements, and what the room above needs for its tickets."""
    oldest = at - timedelta(seconds=UNREACHABLE_SWEEPS * period_s + grace_s)
    asked = {"at": at, "site": room.site, "oldest": oldest, "in_service": [str(each) for each in IN_SERVICE]}
    known = {row[0]: row for row in prepared.rows(MACHINES, asked)}
    now = {
        pk: {"device_id": device, "rack_id": rack, "half_units": units}
        for pk, device, rack, units in prepared.rows(PLACEMENTS, {"site": room.site})
    }
    changes = [
        (action, row)
        for action, rows in prepared.rows(MOVED, {"at": at, "site": room.site})
        for row in reversed(orjson.loads(rows))
    ]
    racks = prepared.rows(RACKS, [room.id])
    here = {row[0] for row in racks}
    jobs: dict[int, str] = {}
    for machine, job in prepared.rows(JOBS, {"at": at, "site": room.site}):
        jobs.setdefault(machine, job)
    tickets = _tickets[0](room.site, at) if _tickets else {}
    machines = []
    for where in past.rewound(now, changes):
        row = known.get(where.device)
        if row is None or where.rack not in here or row[2] == "retired":
            continue
        pk, name, state, since, seen_at, worst, leading, confirmed = row
        reached = past.reachability(seen_at, lambda seen: reachability_word(seen, at, period_s, grace_s))
        moment = past.Moment(
            state, seen_at, WORDS[worst] if worst is not None else "unknown", pk in jobs, leading > 0, confirmed > 0
        )
        machines.append(
            (
                pk,
                name,
                where.rack,
                (where.low + 1) / 2,
                (where.high - where.low) / 2,
                past.cell_then(moment, reached),
                state or past.UNKNOWN_STATE,
                moment.worst,
                reached,
                since,
                tickets.get(pk),
                leading,
                jobs.get(pk),
            )
        )
    machines.sort(key=lambda each: (each[2], each[3]))
    totals = Counter(row[COLUMNS.index("cell")] for row in machines)
    return {
        "at": at,
        "site": {"id": room.site, "slug": room.slug, "name": room.site_name},
        "room": {"id": room.id, "name": room.name, "width_mm": room.width_mm, "depth_mm": room.depth_mm},
        "rooms": [{"id": each.id, "name": each.name, "site": each.site} for each in rooms],
        "rows": [dict(zip(ROW_FIELDS, row, strict=True)) for row in prepared.rows(ROWS, [room.id])],
        "aisles": [dict(zip(AISLE_FIELDS, row, strict=True)) for row in prepared.rows(AISLES, [room.id])],
        "racks": {"columns": RACK_COLUMNS, "rows": racks},
        "machines": {"columns": COLUMNS, "rows": machines},
        "totals": {cell: totals[cell] for cell in CELLS},
    }


# ---- the strip ----

BEGIN = """
SELECT health.machine_id, coalesce(
    (SELECT t.to_state FROM health_lifecyclechange c JOIN health_lifecycletransition t ON t.id = c.transition_id
     WHERE c.machine_id = health.machine_id AND c.at <= %(begin)s::timestamptz ORDER BY c.at DESC, c.id DESC LIMIT 1),
    (SELECT t.from_state FROM health_lifecyclechange c JOIN health_lifecycletransition t ON t.id = c.transition_id
     WHERE c.machine_id = health.machine_id AND c.at > %(begin)s::timestamptz ORDER BY c.at, c.id LIMIT 1),
    CASE WHEN health.state_since <= %(begin)s::timestamptz THEN health.state END)
FROM health_machinehealth health JOIN inventory_placement placement ON placement.device_id = health.machine_id
JOIN inventory_rack rack ON rack.id = placement.rack_id WHERE rack.room_id = %(room)s::bigint
"""


def strip(room: int, begin: datetime, end: datetime) -> dict[str, Any]:
    """How many machines of a room, as it is now, were out of service at every five minutes. Three statements."""
    courses = {pk: past.Course(state) for pk, state in prepared.rows(BEGIN, {"begin": begin, "room": room})}
    of_room = {"machine__device__placement__rack__room_id": room}
    changes = LifecycleChange.objects.filter(at__gt=begin, at__lte=end, **of_room).order_by("at", "id")
    for pk, at, state in changes.values_list("machine_id", "at", "transition__to_state"):
        if pk in courses:
            courses[pk].changes.append((at, state))
    faults = Fault.objects.filter(confirmed_at__lte=end, **of_room).exclude(response__in=IN_SERVICE)
    faults = faults.filter(Q(cleared_at=None) | Q(cleared_at__gt=begin))
    for pk, since, until in faults.values_list("machine_id", "confirmed_at", "cleared_at"):
        if pk in courses and since is not None:
            courses[pk].faults.append((since, until))
    rows = past.strip(courses.values(), begin, end, STEP)
    counts = {"columns": past.STRIP_COLUMNS, "rows": rows}
    return {"from": begin, "to": end, "step_s": STEP.total_seconds(), "counts": counts}


# ---- one machine ----


def machine_at(health: MachineHealth, at: datetime, *, period_s: float, grace_s: float) -> dict[str, Any]:
    """What was known of one machine at a moment. Nine statements at most."""
    pk = health.machine_id
    named = slot_texts_of(pk)
    changes = LifecycleChange.objects.filter(machine=pk).select_related("transition")
    before = changes.filter(at__lte=at).order_by("-at", "-id").first()
    after = None if before else changes.filter(at__gt=at).order_by("at", "id").first()
    state, since = past.UNKNOWN_STATE, None
    if before is not None:
        state, since = before.transition.to_state, before.at
    elif after is not None:
        state = after.transition.from_state
    elif health.state_since <= at:
        state, since = health.state, health.state_since
    oldest = at - timedelta(seconds=UNREACHABLE_SWEEPS * period_s + grace_s)
    look = Sample.objects.filter(machine_id=pk, at__lte=at, at__gt=oldest).order_by("-at").first()
    faults = Fault.objects.filter(machine=pk, opened_at__lte=at, led_by=None)
    faults = faults.filter(Q(cleared_at=None) | Q(cleared_at__gt=at)).order_by("opened_at")
    job = SchedulerJob.objects.filter(machine_ids__contains=[pk], started_at__lte=at)
    job = job.filter(Q(ended_at=None) | Q(ended_at__gt=at)).order_by("-started_at")
    parts = Installation.objects.filter(device_id=pk, during__contains=at).select_related("component")
    return {
        "at": at,
        "state": state,
        "since": since,
        "reason": before.reason if before is not None else "",
        "checked_at": look.at if look is not None else None,
        "answered": look.heard if look is not None else None,
        "checks": _checks(look, named),
        "faults": [
            {"slot": named.get(each.slot, each.slot), "message": each.message, "opened_at": each.opened_at,
             "confirmed": each.confirmed_at is not None and each.confirmed_at <= at}
            for each in faults
        ],
        "jobs": [each.label or each.job_id for each in job],
        "parts": [
            {"slot": named.get(each.slot, each.slot), "kind": each.component.kind, "serial": each.component.serial,
             "component": each.component_id}
            for each in sorted(parts, key=lambda each: each.slot)
        ],
        "changed_since": _changed_since(pk, at),
    }  # fmt: skip


def _checks(look: Sample | None, named: Mapping[str, str]) -> list[dict[str, str]]:
    """What was not ok at the last check until then, the worst first."""
    if look is None:
        return []
    places = read_layouts([look.layout_id])[look.layout_id]
    found = [
        (code, check, part)
        for (check, part), code in zip(places, samples.codes(bytes(look.verdicts), len(places)), strict=False)
        if code
    ]
    found.sort(key=lambda each: (-each[0], each[1], each[2]))
    return [{"check": check, "part": named.get(part, part), "verdict": WORDS[code]} for code, check, part in found]


def _changed_since(pk: int, at: datetime) -> list[dict[str, Any]]:
    """Versions and settings that were others then: {fact, then, now}, from the first change after it."""
    found: dict[str, dict[str, Any]] = {}
    for fact, before, after in (
        FactChange.objects.filter(machine=pk, at__gt=at).order_by("at").values_list("fact", "before", "after")
    ):
        row = found.setdefault(fact, {"fact": FACTS.get(fact, fact), "then": before, "now": after})
        row["now"] = after
    return list(found.values())
