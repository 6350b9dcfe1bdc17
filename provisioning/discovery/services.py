"""Discoveries are started and cancelled, and where leases are read is set. The asking itself is in `work`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.models import Site
from core.outgoing.binding import Refused
from core.outgoing.permits import permit
from core.work.queue import after_commit
from provisioning.discovery import work
from provisioning.discovery.addresses import sources
from provisioning.discovery.addresses.leases import Lease
from provisioning.discovery.addresses.ranges import RangeRefused, addresses_of
from provisioning.discovery.models import DiscoveredBmc, Discovery, LeaseSource
from provisioning.steps import OPEN, Status


class DiscoveryRefused(Exception):
    """Nothing was started or changed; `field` says what of the request is meant, empty for the state of things."""

    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(reason)
        self.field = field


def start(
    site: Site, *, actor: str, ranges: str = "", leases: str | None = None, filename: str = "",
    source: LeaseSource | None = None, port: int = 443, rate_per_s: int = 20,
) -> Discovery:  # fmt: skip
    """Ask these addresses: those of `ranges`, or of leases (a text or a source), of which `ranges` then chooses.

    Raises DiscoveryRefused.
    """
    try:
        wanted = addresses_of(ranges) if ranges.strip() or (leases is None and source is None) else []
    except RangeRefused as error:
        raise DiscoveryRefused(str(error), "ranges") from error
    row = Discovery(
        site=site, source=source, ranges=ranges.strip(), port=port, rate_per_s=rate_per_s, created_by=actor,
        origin=(source.name if source else filename[-200:] if leases is not None else ranges.strip()[:200]),
    )  # fmt: skip
    try:
        with transaction.atomic():
            row.save()
            if leases is not None:
                sources.add_leases(row, sources.of_text(leases))
            elif source is None:
                row.read_at = timezone.now()
                row.save(update_fields=["read_at"])
                sources.add_addresses(row, (Lease(address) for address in wanted))
            work.tell(row)
            after_commit(work.TASK, row.pk, robust=True)
    except sources.SourceUnreadable as error:
        raise DiscoveryRefused(str(error), "file") from error
    except IntegrityError as error:
        raise DiscoveryRefused(f"A discovery of {site.name} is under way; cancel it first.") from error
    return row


@transaction.atomic
def cancel(discovery_id: int) -> bool:
    """Ask no more; what was read stays. False when it has ended."""
    row = Discovery.objects.select_for_update().get(pk=discovery_id)
    if row.status not in OPEN:
        return False
    row.status, row.finished_at, row.lease, row.lease_until = Status.CANCELLED.value, timezone.now(), None, None
    row.save(update_fields=["status", "finished_at", "lease", "lease_until"])
    work.tell(row)
    return True


@transaction.atomic
def discard(discovery_id: int) -> None:
    """Forget a discovery of which nothing was accepted. Raises DiscoveryRefused."""
    row = Discovery.objects.select_for_update().get(pk=discovery_id)
    if row.status in OPEN:
        raise DiscoveryRefused("It is under way; cancel it first.")
    if DiscoveredBmc.objects.filter(discovery=row).exclude(accepted_at=None).exists():
        raise DiscoveryRefused("Machines of it were accepted.")
    row.delete()


def save_source(source: LeaseSource, fields: Mapping[str, Any]) -> LeaseSource:
    """Raises DiscoveryRefused for a place that is never read."""
    for name, value in fields.items():
        setattr(source, name, value)
    if source.kind == LeaseSource.Kind.KEA_API:
        if not source.place.startswith(("http://", "https://")):
            raise DiscoveryRefused("an URL such as http://10.0.0.2:8000", "place")
        try:
            permit(None, None, source.place, site=source.site_id)
        except Refused as error:
            raise DiscoveryRefused(str(error), "place") from error
    elif why := sources.problem_of_path(source.place):
        raise DiscoveryRefused(why, "place")
    try:
        with transaction.atomic():
            source.save()
    except IntegrityError as error:
        raise DiscoveryRefused("another source of this site has this name", "name") from error
    return source


def prune() -> int:
    """Forget discoveries that ended long ago, but those of which machines were accepted; returns how many."""
    old = timezone.now() - settings.KEPT["bmc_discoveries"]
    kept = DiscoveredBmc.objects.exclude(accepted_at=None).values("discovery_id")
    rows = Discovery.objects.filter(finished_at__lt=old).exclude(pk__in=kept)
    count = rows.count()
    rows.delete()
    return count
