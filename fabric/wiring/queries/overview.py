"""The fabric of a site at a glance: sources, tiers, links by state, findings by kind; the matrix of leaf and rail."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Count

from fabric.discovery.models.seen import FabricLink
from fabric.discovery.models.sources import FabricSource
from fabric.wiring.models.findings import Finding
from inventory.specs.units import unit_of

# Each row is a device of a fabric's tier that some source of the site looks at, and how it was seen last.
TIERS = """
WITH looked AS (SELECT DISTINCT fabric FROM fabric_fabricsource WHERE site_id = ANY(%(sites)s))
SELECT s.tier, count(*) AS expected, count(n.id) AS named,
    count(*) FILTER (WHERE n.id IS NULL AND EXISTS (
        SELECT 1 FROM fabric_seennode old WHERE old.device_id = d.id)) AS off
FROM inventory_switch s
JOIN inventory_device d ON d.id = s.device_id
LEFT JOIN LATERAL (
    SELECT id FROM fabric_seennode WHERE device_id = d.id AND upper(during) IS NULL AND kind <> 'adapter' LIMIT 1
) n ON true
WHERE d.site_id = ANY(%(sites)s) AND d.status <> 'retired' AND s.fabric IN (SELECT fabric FROM looked)
GROUP BY s.tier ORDER BY s.tier
"""
SWITCHES = """
SELECT s.tier, count(*) FROM fabric_seennode n
JOIN fabric_fabricsource f ON f.id = n.source_id
LEFT JOIN inventory_switch s ON s.device_id = n.device_id
WHERE f.site_id = ANY(%(sites)s) AND upper(n.during) IS NULL AND n.kind = 'switch'
GROUP BY s.tier
"""
TIER_ORDER = {"leaf": 0, "spine": 1, "core": 2, "tor": 3}
STATES = ("wrong", "dark", "missing", "off", "slow", "extra", "unknown", "correct")
"""From the state a person should look at first."""

MATRIX = """
SELECT l.source_id, leaf.id, leaf.name, coalesce(room.name, ''), coalesce(line.name, ''), coalesce(rack.name, ''),
    lower(place.half_units), l.rail, l.state, count(*)
FROM fabric_fabriclink l
JOIN fabric_fabricsource f ON f.id = l.source_id
JOIN inventory_port a ON a.id = l.a_port_id
JOIN inventory_port b ON b.id = l.b_port_id
JOIN inventory_device da ON da.id = a.device_id
JOIN inventory_device db ON db.id = b.device_id
JOIN inventory_device leaf ON leaf.id = CASE WHEN da.kind = 'switch' THEN da.id ELSE db.id END
LEFT JOIN inventory_placement place ON place.device_id = leaf.id
LEFT JOIN inventory_rack rack ON rack.id = place.rack_id
LEFT JOIN inventory_room room ON room.id = rack.room_id
LEFT JOIN inventory_row line ON line.id = rack.row_id
WHERE f.site_id = ANY(%(sites)s) AND (da.kind = 'machine') <> (db.kind = 'machine') AND l.rail IS NOT NULL
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
"""
PODS = """
SELECT CASE WHEN sa.tier = 'leaf' THEN da.id ELSE db.id END,
    min(CASE WHEN sa.tier = 'leaf' THEN db.id ELSE da.id END)
FROM fabric_fabriclink l
JOIN fabric_fabricsource f ON f.id = l.source_id
JOIN inventory_port a ON a.id = l.a_port_id JOIN inventory_port b ON b.id = l.b_port_id
JOIN inventory_device da ON da.id = a.device_id JOIN inventory_device db ON db.id = b.device_id
JOIN inventory_switch sa ON sa.device_id = da.id JOIN inventory_switch sb ON sb.device_id = db.id
WHERE f.site_id = ANY(%(sites)s) AND l.cable_id IS NOT NULL AND (sa.tier = 'leaf') <> (sb.tier = 'leaf')
GROUP BY 1
"""


def overview(site_ids: list[int]) -> dict[str, Any]:
    """The answer of `overview/`. Five statements, whatever the size."""
    sources = list(FabricSource.objects.filter(site_id__in=site_ids).order_by("site", "name"))
    states = _counted(
        FabricLink.objects.filter(source__site_id__in=site_ids).values_list("state").annotate(Count("pk")).order_by()
    )
    kinds = _counted(
        Finding.objects.filter(site_id__in=site_ids, state__in=["new", "open"])
        .values_list("kind").annotate(Count("pk")).order_by()
    )  # fmt: skip
    lives = _counted(
        Finding.objects.filter(site_id__in=site_ids).exclude(state="closed")
        .values_list("state").annotate(Count("pk")).order_by()
    )  # fmt: skip
    tiers = [dict(zip(("tier", "switches", "expected", "named", "off"), row, strict=True)) for row in _tiers(site_ids)]
    planned = sum(count for state, count in states.items() if state not in ("extra", "unknown"))
    return {
        "sources": [
            {
                "id": source.pk, "site": source.site_id, "name": source.name, "kind": source.kind,
                "fabric": source.fabric, "state": source.state, "message": source.message,
                "last_good_at": source.last_good_at,
            }
            for source in sources
        ],
        "counts": {state: lives.get(state, 0) for state in ("new", "open", "accepted")},
        "tiers": tiers,
        "findings": kinds,
        "links": {
            "planned": planned,
            **{state: states.get(state, 0) for state in sorted(STATES)},
        },
    }  # fmt: skip


def _tiers(site_ids: list[int]) -> Iterable[tuple[Any, ...]]:
    """tier, switches seen, expected, named, off."""
    asked = {"sites": site_ids}
    seen = dict(_rows(SWITCHES, asked))
    rows = [(tier, seen.get(tier, 0), expected, named, off) for tier, expected, named, off in _rows(TIERS, asked)]
    rows.sort(key=lambda row: (TIER_ORDER.get(row[0], 9), row[0]))
    if seen.get(None):
        rows.append(("", seen[None], 0, 0, 0))
    return rows


def matrix(site_ids: list[int]) -> dict[str, Any]:
    """Leaf by rail: what the links between machines and leaves are like. A cell without such links is None.

    `pod` numbers leaves that share a spine. Two statements.
    """
    asked = {"sites": site_ids}
    cells: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    leaves: dict[int, dict[str, Any]] = {}
    for _, leaf, name, room, row, rack, low, rail, state, count in _rows(MATRIX, asked):
        cells[leaf, rail][state] += count
        u = None if low is None else unit_of(low)
        leaves[leaf] = {"id": leaf, "name": name, "place": {"room": room, "row": row, "rack": rack, "u": u}}
    spine_of = dict(_rows(PODS, asked))
    pods = {spine: number for number, spine in enumerate(sorted(set(spine_of.values())), start=1)}
    rails = sorted({rail for _, rail in cells})
    ordered = sorted(leaves.values(), key=lambda leaf: (pods.get(spine_of.get(leaf["id"], 0), 0), leaf["name"]))
    for leaf in ordered:
        leaf["pod"] = pods.get(spine_of.get(leaf["id"], 0))
    return {
        "rails": rails,
        "leaves": ordered,
        "cells": [[_cell(cells.get((leaf["id"], rail))) for rail in rails] for leaf in ordered],
    }


def _cell(states: Counter[str] | None) -> dict[str, Any] | None:
    if states is None:
        return None
    return {"state": next(state for state in STATES if states[state]), "counts": dict(sorted(states.items()))}


def _counted(rows: Iterable[tuple[str, int]]) -> dict[str, int]:
    return dict(sorted(rows))


def _rows(sql: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()
