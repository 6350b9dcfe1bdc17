"""Reads of a site's sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from health.machines.lifecycle import NOT_SWEPT
from inventory.models import Machine
from provisioning.mirrors import usage
from provisioning.mirrors.models import Mirror

ALIASES = {"registry-1.docker.io": "docker.io", "index.docker.io": "docker.io"}
"""Hosts under which a registry answers -> the name that stands before its images."""


def registry_of(site_id: int, host: str) -> Mirror | None:
    """The registry of a site under this name, as it stands before an image: with its port where it has one."""
    kinds = [Mirror.Kind.REGISTRY, Mirror.Kind.CACHE]
    rows = Mirror.objects.select_related("credential").filter(site_id=site_id, enabled=True, kind__in=kinds)
    return next((row for row in rows.order_by("pk") if _name(row.url) == host), None)


def _name(url: str) -> str:
    place = urlsplit(url).netloc
    return ALIASES.get(place, place)


class Seen(NamedTuple):
    """A machine, and how it stands to a source: it uses it or not, reaches it or not (None: not known)."""

    machine_id: int
    name: str
    rack: str
    uses: bool
    reaches: bool | None
    ms: int | None
    text: str


def seen_by_machines(mirrors: Sequence[Mirror]) -> dict[int, list[Seen]]:
    """Of each source the machines of its site, by rack. One statement.

    What a machine told before it fell silent says which source it uses; whether it reaches it now is not known.
    """
    sites = {mirror.site_id for mirror in mirrors}
    rows = Machine.objects.filter(device__site_id__in=sites).exclude(health__state__in=[s.value for s in NOT_SWEPT])
    columns = (
        "pk", "device__name", "device__site_id", "device__placement__rack__name", "sources__urls", "sources__reached",
        "sources__message", "sources__told_at",
    )  # fmt: skip
    told = list(rows.order_by("device__placement__rack__name", "device__name").values_list(*columns))
    found: dict[int, list[Seen]] = {mirror.pk: [] for mirror in mirrors}
    for mirror in mirrors:
        for pk, name, site, rack, urls, reached, message, told_at in told:
            if site == mirror.site_id:
                known = not message and told_at is not None
                answers, ms, text = (
                    (reached or {}).get(str(mirror.pk), (None, None, "")) if known else (None, None, message)
                )
                uses = usage.uses((each["url"] for each in urls or ()), mirror.url)
                found[mirror.pk].append(Seen(pk, name, rack or "", uses, answers, ms, text or ""))
    return found
