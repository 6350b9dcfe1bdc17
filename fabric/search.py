"""Findings and links of the fabric in the one box that finds everything: by key, device or label of the cable."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from core.database import prepared
from inventory.search import Found, register_provider, starts, visible

SHORTEST = 3
"""Two letters begin the label of half the cables."""

FINDINGS = f"""
SELECT id, title, kind, state, key, devices, cables FROM fabric_finding
WHERE state <> 'closed' AND {visible("site_id")}
    AND (devices @> ARRAY[%(query)s]::varchar[] OR cables @> ARRAY[%(query)s]::varchar[]
        OR upper(key) LIKE upper(%(start)s::text))
ORDER BY id DESC LIMIT %(limit)s::int
"""
LINKS = f"""
SELECT id, key, a_name, a_number, b_name, b_number, state FROM fabric_fabriclink
WHERE source_id = ANY(ARRAY(SELECT id FROM fabric_fabricsource WHERE {visible("site_id")}))
    AND (key = ANY(%(words)s::text[]) OR a_name = ANY(%(words)s::text[]) OR b_name = ANY(%(words)s::text[]))
ORDER BY key, id LIMIT %(limit)s::int
"""


def find_findings(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    """Those that are not closed, of a device or cable of this very name, or whose key begins so."""
    if len(query) < SHORTEST:
        return
    asked = {"query": query, "start": starts(query), "sites": sites, "limit": limit}
    for pk, title, kind, state, key, devices, cables in prepared.rows(FINDINGS, asked):
        exact = query in devices or query in cables or query == key
        about = f"{kind.replace('_', ' ')} · {state} · {key}"
        yield Found("finding", pk, title, about, f"/fabric/findings/{pk}", 1 if exact else 2)


def find_links(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    """By the label of the cable or a device at one end, in full: by their first letters the inventory finds them."""
    if len(query) < SHORTEST:
        return
    words = [query, query.lower(), query.upper()]
    for pk, key, a, a_number, b, b_number, state in prepared.rows(
        LINKS, {"words": words, "sites": sites, "limit": limit}
    ):
        about = f"{a} port {a_number} – {b} port {b_number} · {state}"
        yield Found("link", pk, key, about, f"/fabric/links?{urlencode({'search': key})}", 1 if key in words else 2)


register_provider("findings", find_findings)
register_provider("links", find_links)
