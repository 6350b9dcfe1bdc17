"""What a failing feed or cooling unit takes with it, out of the inventory: for the incidents of a site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from facility.judgement import incidents
from facility.judgement.kinds import Finding
from facility.judgement.measured import MeasuredGraph
from facility.meters.models import Meter
from facility.overview.air import Piped, row_word


class Seen(NamedTuple):
    """The incidents of a site by their cause, those of them that hang on what nobody can judge now, and the names of
    its machines by id."""

    incidents: list[incidents.Incident]
    not_judged: set[str]
    names: dict[int, str]


def incidents_of(
    graph: MeasuredGraph, pipes: Mapping[int, Piped], found: Sequence[Finding], kept: Sequence[Finding], *, acting: bool
) -> Seen:
    """Of what is found now, and of what was found before and cannot be judged now. `acting`: the switch of the site."""
    units_of_rack: defaultdict[int, set[int]] = defaultdict(set)
    for unit, piped in pipes.items():
        named = [rack for racks in piped.racks.values() for rack in racks]
        for rack in named or ([] if piped.strange else _in_room(graph, piped.room_id)):
            units_of_rack[rack].add(unit)
    machines = {}
    for device in graph.devices.values():
        facts = graph.readings.racks.get(device.rack_id or 0)
        if device.kind == Meter.Kind.MACHINE:
            machines[device.id] = incidents.Machine(
                device.id, device.name, row_word(graph.readings.rooms[facts.room_id or 0], facts.row) if facts else "",
                rack_id=device.rack_id, feed_ids=frozenset(graph.feeds_of(device)),
                cooling_unit_ids=frozenset(units_of_rack[device.rack_id or 0]), room_id=graph.room_of(device.rack_id),
            )  # fmt: skip
    site = incidents.Site(
        machines,
        {feed.id: feed.name for feed in graph.feeds.values()},
        {pdu: feed for pdu in graph.pdus if (feed := graph.way(pdu)[1]) is not None},
        switched_on=acting,
    )
    whole = incidents.incidents([*found, *kept], site)
    now = {each.key for each in incidents.incidents(found, site) if each.steps} if kept else None
    unclear = {each.key for each in whole if now is not None and each.key not in now}
    return Seen(whole, unclear, {pk: each.name for pk, each in machines.items()})


def told_with_cause(found: Iterable[incidents.Incident]) -> list[Finding]:
    """All findings of these incidents, each with the key of the incident that it is of."""
    return [
        replace(each, values={**each.values, "incident": incident.key})
        for incident in found
        for each in incident.findings
    ]


def _in_room(graph: MeasuredGraph, room_id: int | None) -> list[int]:
    """The racks of the room of a unit whose pipes nobody has written down."""
    return [rack.id for rack in graph.readings.racks.values() if room_id is not None and rack.room_id == room_id]
