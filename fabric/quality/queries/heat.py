"""Where ports are hot: switches by rack and height, and the gaps through which hot air returns."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection

from fabric.discovery.models.seen import SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.quality.services import samples
from inventory.elevation.read import read as read_racks
from inventory.elevation.spans import open_gaps, u_of, units
from inventory.power.warm_ports import WarmPort, WarmPorts

PLACES = """
SELECT p.device_id, d.name, p.rack_id, k.name, (lower(p.half_units) + 1)::float8 / 2
FROM inventory_placement p
JOIN inventory_device d ON d.id = p.device_id
JOIN inventory_rack k ON k.id = p.rack_id
WHERE p.device_id = ANY(%s) AND p.half_units IS NOT NULL
ORDER BY k.name, 5 DESC
"""
OLD, STALE_PERIODS = timedelta(minutes=15), 3
"""A round counts for so many periods of its source, and for so long at least."""


class Warm(NamedTuple):
    """Temperatures of one device: of each port the hotter of port and optic."""

    port_count: int
    max_c: float | None
    mean_c: float | None


def heat(site_id: int) -> dict[str, Any]:
    """Every switch of a site that was seen and stands in a rack. A switch whose temperatures nobody tells has none."""
    warm = _temperatures(site_id)
    with connection.cursor() as cursor:
        cursor.execute(PLACES, [list(warm)])
        placed = cursor.fetchall()
    rows = [
        {"rack": rack, "rack_name": rack_name, "u": u, "device": name, "device_id": device} | warm[device]._asdict()
        for device, name, rack, rack_name, u in placed
    ]
    return {"site": site_id, "rows": rows, "gaps": _gaps(sorted({row["rack"] for row in rows}))}


def _temperatures(site_id: int) -> dict[int, Warm]:
    """By device; of several sources the one that tells more ports."""
    found: dict[int, Warm] = {}
    for source in FabricSource.objects.filter(site_id=site_id).order_by("id"):
        nodes = dict(
            SeenNode.objects.filter(source=source, kind="switch", during__endswith=None)
            .exclude(device=None)
            .values_list("guid", "device_id")
        )
        newest = samples.newest_round(source.pk)
        told: dict[int, list[float]] = defaultdict(list)
        if newest is not None and nodes:
            for end, sample in samples.read_rounds(source.pk, [newest], list(nodes))[newest].items():
                heats = [each for each in (sample.reading.port_c, sample.reading.optic_c) if each is not None]
                if heats:
                    told[nodes[end.guid]].append(max(heats))
        for device in nodes.values():
            heats = told[device]
            mean = round(sum(heats) / len(heats), 1) if heats else None
            warm = Warm(len(heats), max(heats, default=None), mean)
            if device not in found or warm.port_count > found[device].port_count:
                found[device] = warm
    return found


def warm_ports(site_id: int, above_c: float, now: datetime) -> WarmPorts:
    """Ports of the site's switches that were warmer than that in the newest round, the warmest reading of each.

    A round that is too old says nothing of now, and nothing is known of switches that no newer one tells of.
    """
    found: dict[tuple[int, int], WarmPort] = {}
    heard: set[int] = set()
    too_old: set[int] = set()
    for source in FabricSource.objects.filter(site_id=site_id).order_by("id"):
        nodes = {
            guid: (device, name)
            for guid, device, name in SeenNode.objects.filter(source=source, kind="switch", during__endswith=None)
            .exclude(device=None)
            .values_list("guid", "device_id", "device__name")
        }
        newest = samples.newest_round(source.pk)
        if newest is None or not nodes:
            continue
        if now - newest > max(OLD, STALE_PERIODS * timedelta(seconds=source.period_s)):
            too_old |= {device for device, _ in nodes.values()}
            continue
        heard |= {device for device, _ in nodes.values()}
        for end, sample in samples.read_rounds(source.pk, [newest], list(nodes))[newest].items():
            hottest = max((c for c in (sample.reading.port_c, sample.reading.optic_c) if c is not None), default=0.0)
            device, name = nodes[end.guid]
            before = found.get((device, end.port))
            if hottest > above_c and (before is None or hottest > before.temperature_c):
                found[device, end.port] = WarmPort(device, name, str(end.port), hottest)
    return WarmPorts(list(found.values()), frozenset(too_old - heard))


def _gaps(racks: list[int]) -> list[dict[str, Any]]:
    """Open units of the racks in which something stands."""
    return [
        {
            "rack": contents.rack.id, "rack_name": contents.rack.name, "u": u_of(gap.low),
            "height_u": units(gap.high - gap.low), "column": gap.column,
        }
        for contents in read_racks(racks)
        for gap in open_gaps(contents.rack.height_u, contents.taken())
    ]  # fmt: skip
