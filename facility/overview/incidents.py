"""What a failing feed or cooling unit takes with it, out of the inventory: for the incidents of a site, and for health,
whose tickets of those machines are then one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.db import connection

from facility.facts import Part, Quantity
from facility.findings.models import Policy
from facility.judgement import incidents
from facility.judgement.kinds import KINDS, Finding
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import several
from facility.meters.models import Meter
from facility.overview.air import Piped, row_word
from facility.overview.last import PDU_KINDS, last_of
from health.services import Cause, MeasuredCause
from inventory.power.queries import pdus_of

PRIORITIES = """
SELECT health.machine_id, coalesce(pool.priority, 0), (busy.id IS NOT NULL)::int
FROM health_machinehealth health JOIN inventory_device device ON device.id = health.machine_id
LEFT JOIN health_pool pool ON pool.id = health.pool_id
LEFT JOIN (
    SELECT DISTINCT unnest(job.machine_ids) AS id FROM health_schedulerjob job
    JOIN health_schedulersource source ON source.id = job.source_id WHERE source.site_id = %s AND job.ended_at IS NULL
) busy ON busy.id = health.machine_id
WHERE device.site_id = %s
"""


class Seen(NamedTuple):
    """The incidents of a site by their cause, those of them that hang on what nobody can judge now, and the names of
    its machines by id."""

    incidents: list[incidents.Incident]
    not_judged: set[str]
    names: dict[int, str]


def incidents_of(
    graph: MeasuredGraph, pipes: Mapping[int, Piped], found: Sequence[Finding], kept: Sequence[Finding],
    policy: Policy, wanted_cap_w: Mapping[str, float],
) -> Seen:  # fmt: skip
    """Of what is found now, and of what was found before and cannot be judged now. Where steps are called for, one
    statement: which machines can be spared. `wanted_cap_w`: the power limit of each GPU, by model."""
    units_of_rack: defaultdict[int, set[int]] = defaultdict(set)
    for unit, piped in pipes.items():
        named = [rack for racks in piped.racks.values() for rack in racks]
        for rack in named or ([] if piped.strange else _in_room(graph, piped.room_id)):
            units_of_rack[rack].add(unit)
    called_for = any(each.kind in incidents.TRIGGERS for each in (*found, *kept))
    spared = priorities_of(policy.site_id) if called_for else {}
    limit_w = _emergency_limits(graph, policy, wanted_cap_w) if called_for else {}
    machines = {}
    for device in graph.devices.values():
        facts = graph.readings.racks.get(device.rack_id or 0)
        if device.kind == Meter.Kind.MACHINE:
            machines[device.id] = incidents.Machine(
                device.id, device.name, row_word(graph.readings.rooms[facts.room_id or 0], facts.row) if facts else "",
                spared.get(device.id, (0, 0)), device.rack_id, frozenset(graph.feeds_of(device)),
                frozenset(units_of_rack[device.rack_id or 0]), limit_w.get(device.id), graph.room_of(device.rack_id),
            )  # fmt: skip
    site = incidents.Site(
        machines,
        {feed.id: feed.name for feed in graph.feeds.values()},
        {pdu: feed for pdu in graph.pdus if (feed := graph.way(pdu)[1]) is not None},
        at_once=policy.shut_down_at_once,
    )
    whole = incidents.incidents([*found, *kept], site)
    now = {each.key for each in incidents.incidents(found, site) if each.steps} if kept else None
    unclear = {each.key for each in whole if now is not None and each.key not in now}
    return Seen(whole, unclear, {pk: each.name for pk, each in machines.items()})


def priorities_of(site_id: int) -> dict[int, tuple[int, int]]:
    """Machine to the priority of its pool, then whether jobs run on it: the lower, the sooner it can be spared."""
    with connection.cursor() as cursor:
        cursor.execute(PRIORITIES, [site_id, site_id])
        return {machine: (priority, busy) for machine, priority, busy in cursor.fetchall()}


def _emergency_limits(graph: MeasuredGraph, policy: Policy, wanted_cap_w: Mapping[str, float]) -> dict[int, float]:
    """Machine to the limit of each of its GPUs, where the site names a share and its model a limit."""
    share = policy.emergency_gpu_percent
    if share is None:
        return {}
    return {
        reading.device_id: round(wanted_cap_w[reading.model] * share / 100)
        for reading in graph.readings.machines.values()
        if reading.model in wanted_cap_w and reading.gpus
    }


def told_with_cause(found: Iterable[incidents.Incident]) -> list[Finding]:
    """All findings of these incidents, each with the key of the incident that it is of."""
    return [
        replace(each, values={**each.values, "incident": incident.key})
        for incident in found
        for each in incident.findings
    ]


# ---- for health ----

MOST_SAID = 6
MOST_NAMED = 40
CARRIES_NOTHING_W = 1.0


def as_causes(seen: Seen) -> list[MeasuredCause]:
    """Feeds and cooling units that fail, for which steps are proposed."""
    kinds = {"feed": "feed", "cooling_unit": "cooling"}
    return [
        MeasuredCause(
            Cause(kinds[each.cause], each.name), _title(each), _text(each, seen.names), frozenset(each.machines)
        )
        for each in seen.incidents
        if each.cause in kinds and each.steps
    ]


def _title(each: incidents.Incident) -> str:
    first = next(finding for finding in each.findings if finding.kind in incidents.TRIGGERS)
    what = KINDS[first.kind].title
    on_it = several(len(each.machines), "machine")
    return f"Feed {each.name} carries nothing: {on_it}" if each.cause == "feed" else f"{each.name}, {on_it}: {what}"


def _text(each: incidents.Incident, names: Mapping[int, str]) -> str:
    """What its meters say, and all that hangs on it."""
    triggers = [finding.text for finding in each.findings if finding.kind in incidents.TRIGGERS]
    more = len(each.findings) - len(triggers[:MOST_SAID])
    lines = [*triggers[:MOST_SAID], *([f"{several(more, 'more finding')} under Power, Findings."] if more else [])]
    hanging = sorted(names[pk] for pk in each.machines if pk in names)
    rest = len(hanging) - MOST_NAMED
    named = ", ".join(hanging[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return "\n".join([*lines, f"On it: {named or 'no machine'}.", "Steps against it: Power, Proposals."])


def supply_in_doubt(site_id: int, machine_ids: Collection[int], now: datetime) -> set[int]:
    """Those of which a PDU has a meter that misses its readings now, or carries nothing. Three statements."""
    pdus = pdus_of(site_id, machine_ids)
    fed_by = {pdu for each in pdus.values() for pdu in each}
    metered = Meter.objects.filter(device_id__in=fed_by, kind__in=PDU_KINDS, enabled=True)
    doubtful = set(metered.values_list("device_id", flat=True)) if fed_by else set()
    for last in last_of(site_id, now, doubtful) if doubtful else ():
        in_time = (now - last.at).total_seconds() <= 1.5 * last.period_s
        inlets = [told.get(Quantity.POWER_W) for told in last.parts(Part.INLET).values()]
        carries = any(watts is None or watts >= CARRIES_NOTHING_W for watts in inlets)
        if in_time and carries:
            doubtful.discard(last.device_id)
    return {machine for machine, each in pdus.items() if each & doubtful}


def _in_room(graph: MeasuredGraph, room_id: int | None) -> list[int]:
    """The racks of the room of a unit whose pipes nobody has written down."""
    return [rack.id for rack in graph.readings.racks.values() if room_id is not None and rack.room_id == room_id]
