"""What is counted at a link while a machine at it is dark on purpose is not held against the link."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from fabric.discovery.models.sources import FabricSource
from fabric.quality.models.quality import LinkQuality
from health.remediation.queries.darkness import expected_dark


def forgive_links(source: FabricSource, now: datetime) -> int:
    """What was counted at the links of machines that are, or were just, expected to be dark is not held against them:
    a reboot is a link that goes down. Returns how many links; four queries."""
    ends = LinkQuality.objects.filter(source=source).exclude(link=None)
    ids = {pk for pair in ends.values_list("link__a_port__device_id", "link__b_port__device_id") for pk in pair if pk}
    dark = list(expected_dark(ids, now, or_just_back=True))
    if not dark:
        return 0
    mine = Q(link__a_port__device_id__in=dark) | Q(link__b_port__device_id__in=dark)
    pks = list(ends.filter(mine).values_list("pk", flat=True))
    return LinkQuality.objects.filter(pk__in=pks).update(evaluated_from=now)
