"""Findings and links of the fabric in the one box that finds everything: by key, device or label of the cable."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from django.db.models import Q

from fabric.discovery.models.seen import FabricLink
from fabric.discovery.models.sources import FabricSource
from fabric.wiring.models.findings import Finding
from inventory.search import Found, register_provider

SHORTEST = 3
"""Two letters begin the label of half the cables."""


def find_findings(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    """Those that are not closed, of a device or cable of this very name, or whose key begins so."""
    rows = Finding.objects.exclude(state=Finding.State.CLOSED).filter(_visible(sites, "site_id"))
    named = Q(devices__contains=[query]) | Q(cables__contains=[query]) | Q(key__istartswith=query)
    if len(query) < SHORTEST:
        return
    for row in rows.filter(named).order_by("-id")[:limit]:
        exact = query in row.devices or query in row.cables or query == row.key
        about = f"{row.kind.replace('_', ' ')} · {row.state} · {row.key}"
        yield Found("finding", row.pk, row.title, about, f"/fabric/findings/{row.pk}", 1 if exact else 2)


def find_links(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    """By the label of the cable or a device at one end, in full: by their first letters the inventory finds them."""
    if len(query) < SHORTEST:
        return
    sources = list(FabricSource.objects.filter(_visible(sites, "site_id")).values_list("pk", flat=True))
    words = {query, query.lower(), query.upper()}
    named = Q(key__in=words) | Q(a_name__in=words) | Q(b_name__in=words)
    for row in FabricLink.objects.filter(named, source__in=sources).order_by("key", "id")[:limit]:
        ends = f"{row.a_name} port {row.a_number} – {row.b_name} port {row.b_number}"
        url = f"/fabric/links?{urlencode({'search': row.key})}"
        yield Found("link", row.pk, row.key, f"{ends} · {row.state}", url, 1 if row.key in words else 2)


def _visible(sites: list[int] | None, column: str) -> Q:
    return Q() if sites is None else Q(**{f"{column}__in": sites})


register_provider("findings", find_findings)
register_provider("links", find_links)
