"""A site's limits are set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core.models import Site
from core.work.queue import after_commit
from provisioning.limits.models import ProvisioningLimits


@transaction.atomic
def set_limits(
    site: Site, fields: Mapping[str, Any], stages: Mapping[str, int | None] | None = None
) -> ProvisioningLimits:
    """Change some of a site's limits, and those in seconds of some stages (None: as usual). Who waits for room is asked
    for again, because there may be some now."""
    row = ProvisioningLimits.objects.select_for_update().filter(pk=site.pk).first() or ProvisioningLimits(site=site)
    for name, value in fields.items():
        setattr(row, name, value)
    kept = {**row.stages_s, **{str(stage): seconds for stage, seconds in (stages or {}).items()}}
    row.stages_s = {stage: seconds for stage, seconds in kept.items() if seconds is not None}
    row.save()
    after_commit("provisioning.tasks.fill", robust=True)
    return row
