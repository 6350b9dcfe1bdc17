"""What a failing feed or cooling unit takes with it, out of the inventory: for the incidents of a site."""

from __future__ import annotations

from collections.abc import Sequence

from facility.findings.services import policy_of
from facility.judgement import incidents
from facility.judgement.kinds import Finding
from facility.judgement.measured import MeasuredGraph
from facility.meters.models import Meter
from facility.overview.air import cooling_units, row_word
from facility.overview.last import Last


def incidents_of(
    site_id: int, graph: MeasuredGraph, last: Sequence[Last], found: Sequence[Finding]
) -> tuple[list[incidents.Incident], dict[int, str]]:
    """The incidents of a site by their cause, and the names of its machines by id."""
    racks = {rack.name: rack.id for rack in graph.readings.racks.values()}
    unit_of_rack = {
        rack: unit.id
        for unit in cooling_units(last, racks)
        for rack in ([pk for each in unit.manifolds for pk in each.rack_ids] or _in_room(graph, unit.room_id))
    }
    machines = {}
    for device in graph.devices.values():
        facts = graph.readings.racks.get(device.rack_id or 0)
        if device.kind == Meter.Kind.MACHINE:
            machines[device.id] = incidents.Machine(
                device.id, device.name, row_word(graph.readings.rooms[facts.room_id or 0], facts.row) if facts else "",
                rack_id=device.rack_id, feed_ids=frozenset(graph.feeds_of(device)),
                cooling_unit_id=unit_of_rack.get(device.rack_id or 0),
            )  # fmt: skip
    site = incidents.Site(
        machines, {feed.id: feed.name for feed in graph.feeds.values()}, switched_on=policy_of(site_id).acting
    )
    return incidents.incidents(found, site), {pk: each.name for pk, each in machines.items()}


def _in_room(graph: MeasuredGraph, room_id: int | None) -> list[int]:
    """The racks of the room of a unit whose pipes nobody has written down."""
    return [rack.id for rack in graph.readings.racks.values() if room_id is not None and rack.room_id == room_id]
