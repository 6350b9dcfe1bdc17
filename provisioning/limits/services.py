"""A site's limits are set."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from core.models import Site
from core.work.queue import after_commit
from provisioning.limits.models import ProvisioningLimits


@transaction.atomic
def set_limits(site: Site, fields: dict[str, Any]) -> ProvisioningLimits:
    """Change some of a site's limits; who waits for room is asked for again, because there may be some now."""
    row = ProvisioningLimits.objects.select_for_update().filter(pk=site.pk).first() or ProvisioningLimits(site=site)
    for name, value in fields.items():
        setattr(row, name, value)
    row.save()
    after_commit("provisioning.tasks.fill", robust=True)
    return row
