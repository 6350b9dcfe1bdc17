"""A small fabric whose counters grow as a test says, read round by round."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from core.models import Site
from fabric.facts import Seen, SeenLink, SeenPort
from fabric.models import FabricSource
from fabric.quality.counters import Reading
from fabric.quality.services import rounds

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
LEAF, SPINE = "00000000000000a1", "00000000000000b1"
CLEAN = {"symbol_errors": 0, "link_downed": 0}


def minute(n: float) -> datetime:
    return NOON + timedelta(minutes=n)


def port(guid: str, number: int) -> SeenPort:
    return SeenPort(guid, number)


def cables(count: int = 3) -> list[SeenLink]:
    """Port n of the leaf to port n of the spine."""
    return [SeenLink(port(LEAF, n), port(SPINE, n), "4x", "NDR") for n in range(1, count + 1)]


def source(site: Site | None = None, **options: Any) -> FabricSource:
    site = site or Site.objects.get_or_create(slug="west", defaults={"name": "West"})[0]
    return FabricSource.objects.create(site=site, name=f"fabric of {site.slug}", kind="file", options=options)


def read(
    where: FabricSource,
    at: float,
    counters: Mapping[SeenPort, Mapping[str, int]] | None = None,
    *,
    links: list[SeenLink] | None = None,
    leave_out: tuple[SeenPort, ...] = (),
    **sensors: Any,
) -> rounds.Told:
    """One round: every port clean but those given."""
    links = cables() if links is None else links
    given = counters or {}
    readings = {
        end: Reading(minute(at), {**CLEAN, **given.get(end, {})}, **sensors)
        for link in links
        for end in (link.a, link.b)
        if end not in leave_out
    }
    return rounds.record(where.pk, Seen(links=links), readings, minute(at))
