"""Everything that is judged of a site once a minute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from facility.judgement import cooling, gpus, liquid, machines, power
from facility.judgement.air import RackAir, rise_c_per_min
from facility.judgement.kinds import Finding
from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.overview.air import cooling_units, gpus_of, racks_air, warming
from facility.overview.last import Last, silent
from inventory.elevation.read import read as read_racks
from inventory.models import DeviceModel


def judged(
    site_id: int, graph: MeasuredGraph, last: Sequence[Last], limits: SiteLimits, now: datetime
) -> list[Finding]:
    """What is wrong with power, air and liquid of a site, and which meters say nothing."""
    racks = racks_air(read_racks(list(graph.readings.racks)), graph, last)
    units = cooling_units(last, {rack.name: rack.id for rack in graph.readings.racks.values()})
    return [
        *power.findings(graph, limits),
        *machines.findings(graph, limits, wanted_caps(graph)),
        *cooling.findings(racks, limits),
        *gpus.near_findings(gpus_of(graph), limits),
        *liquid.findings(units, limits),
        *silent(site_id, now),
        *_rises(last, {rack.rack_id: rack for rack in racks}, limits, now),
    ]


def wanted_caps(graph: MeasuredGraph) -> dict[str, float]:
    """The power limit that each GPU of a model shall have, by slug, where its file says it. One statement."""
    slugs = {reading.model for reading in graph.readings.machines.values()}
    rows = DeviceModel.objects.filter(slug__in=slugs).values_list("slug", "spec__expected__gpu_power_limit_w")
    return {slug: float(watts) for slug, watts in rows if watts}


def _rises(last: Sequence[Last], racks: dict[int, RackAir], limits: SiteLimits, now: datetime) -> Iterator[Finding]:
    """Of each rack the fastest rise: its sensors warm together."""
    fastest: dict[int, tuple[float, str]] = {}
    for each in warming(last, now):
        rise = rise_c_per_min(each.series, limits)
        if rise is not None and each.meter.rack_id in racks:
            what = each.what or "the air"
            fastest[each.meter.rack_id] = max(fastest.get(each.meter.rack_id, (rise, what)), (rise, what))
    for rack_id, (rise, what) in fastest.items():
        found = cooling.rise_finding(racks[rack_id], what, rise, limits)
        if found is not None:
            yield found
